"""Writes rows beside the documents: locales, files, permissions of visitors.

They are of built-in types, which no action writes.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from quire.database.compile.row_inserts import RowInserts
from quire.database.content_rows import ExistingContent
from quire.database.program import Program
from quire.database.stores.accounts import Accounts
from quire.database.tables.table_map import LinkEdge, TableMap
from quire.errors import SeedingError
from quire.schema.model import FILE_UID, LOCALE_UID
from quire.seeding.content import Locale, Values
from quire.seeding.media import Upload, describe_file

PERMISSION_UID = "plugin::users-permissions.permission"
_PUBLIC_ROLE = "public"


class BuiltinRows(Struct, frozen=True, kw_only=True):
    """Writes rows of built-in types; ``now`` is the instant of all of them."""

    tables: TableMap
    inserts: RowInserts
    accounts: Accounts
    contents: ExistingContent
    now: int
    new_id: Callable[[], str]

    def locales(self, locales: Sequence[Locale]) -> Program[None]:
        """Add the locales that the database does not know."""
        known = yield from self.contents.locale_codes()
        for locale in locales:
            if locale.code not in known:
                yield from self._plain(LOCALE_UID, {"name": locale.name, "code": locale.code})

    def file(self, upload: Upload) -> Program[dict[str, object]]:
        """Add a file to the media library, at its root; returns all that is known of it."""
        document_id, id_ = yield from self._plain(FILE_UID, {**upload.values, "folderPath": "/"})
        return describe_file(id_, document_id, upload.values, self.now)

    def permissions(self, public: Sequence[str]) -> Program[None]:
        """Let visitors take some actions. Raises SeedingError when there is no role for them."""
        role = yield from self.accounts.role_of_type(_PUBLIC_ROLE)
        if role is None:
            raise SeedingError("The database has no role Public to grant anything to.")
        granted = yield from self.accounts.role_actions(role)
        edge = self.tables[PERMISSION_UID].edges["role"]
        if not isinstance(edge, LinkEdge) or edge.inverse_order is None:
            raise TypeError(f"{PERMISSION_UID}.role is not a sorted link")
        position = yield from self.contents.last_position(edge, role)
        for action in public:
            if action in granted:
                continue
            position += 1
            _, id_ = yield from self._plain(PERMISSION_UID, {"action": action})
            link = {edge.near: id_, edge.far: role, edge.inverse_order: position}
            yield from self.inserts.insert(edge.table, link)

    def _plain(self, uid: str, values: Values) -> Program[tuple[str, int]]:
        """Write the one row of a document; returns its document id and the row's."""
        document_id, now = self.new_id(), self.now
        moments = {"createdAt": now, "updatedAt": now, "publishedAt": now}
        table = self.tables[uid]
        given = {"documentId": document_id, **values, **moments}
        row = {table.columns[name]: value for name, value in given.items()}
        return document_id, (yield from self.inserts.insert(table.name, row))
