"""Permissions of an administrator on files."""

from collections.abc import Collection

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.files import creators_of
from quire.errors import ForbiddenError

_ROLE = "admin::role"
CREATE, READ, UPDATE = (
    f"plugin::upload.{name}" for name in ("assets.create", "read", "assets.update")
)
CONFIGURE = "plugin::upload.configure-view"
SETTINGS = "plugin::upload.settings.read"


class FilePermissions(Struct, frozen=True):
    """The permissions of one administrator for one action of the media library."""

    ability: AdminAbility
    action: str

    def require(self) -> None:
        """Check that the action is granted at all. Raises ForbiddenError."""
        if not self.ability.allows(self.action):
            raise ForbiddenError

    def allowed_creators(self, store: EntryStore) -> Program[frozenset[int] | None]:
        """Return the administrators whose files are allowed; ``None`` for all files."""
        creator_ids: set[int] = set()
        for rule in self.ability.rules(self.action):
            row_filter = self.ability.row_filter(rule)
            if row_filter is None:
                return None
            if row_filter.creator_id is not None:
                creator_ids.add(row_filter.creator_id)
            admin_users = yield from store.links.read(_ROLE, "users", sorted(row_filter.role_ids))
            creator_ids |= {link.row for links in admin_users.values() for link in links}
        return frozenset(creator_ids)

    def check(self, store: EntryStore, ids: Collection[int]) -> Program[None]:
        """Check that the action is allowed on all of these files. Raises ForbiddenError."""
        self.require()
        allowed_creators = yield from self.allowed_creators(store)
        if allowed_creators is None:
            return
        creators = yield from creators_of(store, ids)
        if not all(creators.get(row_id) in allowed_creators for row_id in ids):
            raise ForbiddenError
