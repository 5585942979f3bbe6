"""Rows for authentication: tokens, end users, roles and permissions.

Grants of the actions of Python routes are in the core store: Strapi deletes permissions of unknown
actions at its start, and leaves the core store alone.
"""

from collections.abc import Collection, Mapping
from typing import Literal

from msgspec import Struct, field

from quire.database.compile.writes import Writes
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTable, content_table
from quire.database.stores.core_store import read_setting, write_setting
from quire.database.stores.row_conditions import Condition, any_of, eq, is_null, linked_to, one_of
from quire.database.tables.system_tables import CORE_STORE
from quire.schema.model import PERMISSION_UID, ROLE_UID, USER_UID

TOKEN_UID = "admin::api-token"  # noqa: S105 - the uid of a content type
GRANT_UID = "admin::api-token-permission"
CONTENT_API = "content-api"
CUSTOM_GRANTS_KEY = "quire_grants"
"""Granted actions in the core store: by ``roles`` or ``tokens``, and by the id of the row."""

Owner = Literal["roles", "tokens"]

ROW_RULES_KEY = "quire_row_rules"
"""Row rules in the core store: by the document id of a role, and by action."""


class TokenRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """An API token as stored; times are epoch milliseconds."""

    id: int
    type: str = ""
    expires_at: int | None = None
    last_used_at: int | None = None


class UserRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """An end user as stored, with the columns for sign-in."""

    id: int
    document_id: str = ""
    username: str | None = None
    email: str | None = None
    password: str | None = None
    provider: str | None = None
    confirmed: bool = False
    blocked: bool = False
    created_at: int | None = None
    role_id: int | None = field(default=None, name="role")


class StoredRole(Struct, frozen=True, kw_only=True, rename="camel"):
    """A role of end users as stored."""

    id: int
    document_id: str = ""
    name: str | None = None
    type: str | None = None


class PermissionRow(Struct, frozen=True, kw_only=True):
    """An action that a role or a token grants."""

    id: int
    action: str = ""


IS_OF_CONTENT_API = any_of(is_null("kind"), eq("kind", CONTENT_API))
"""The condition on tokens of the content API; there are other kinds."""


class Accounts:
    """The programs of authentication."""

    def __init__(self, store: EntryStore, custom_actions: frozenset[str] = frozenset()) -> None:
        """``custom_actions`` are those of the routes of the project's Python code."""
        self._store = store
        self.custom_actions = custom_actions

    @property
    def tables(self) -> frozenset[str]:
        """The tables that these programs read."""
        names_of = self._store.tables.names_of
        return frozenset({CORE_STORE}).union(
            names_of(TOKEN_UID),
            names_of(GRANT_UID, "token"),
            names_of(USER_UID, "role"),
            names_of(ROLE_UID),
            names_of(PERMISSION_UID, "role"),
        )

    def api_token(self, access_key: str) -> Program[TokenRow | None]:
        """Find a token of the content API by its keyed hash."""
        tokens = content_table(self._store, TOKEN_UID, TokenRow)
        return (yield from tokens.first(eq("accessKey", access_key), IS_OF_CONTENT_API, order=()))

    def token_actions(self, token_id: int) -> Program[frozenset[str]]:
        """Return the actions of a custom token."""
        grants = content_table(self._store, GRANT_UID, PermissionRow)
        granted = yield from grants.values("action", linked_to("token", token_id))
        custom = yield from self.granted_custom_actions("tokens", token_id)
        return frozenset(map(str, granted)) | custom

    def touch_token(self, token_id: int, now: int) -> Program[None]:
        """Record that a token was used now (epoch milliseconds)."""
        tokens = content_table(self._store, TOKEN_UID, TokenRow)
        yield from tokens.change(token_id, {"lastUsedAt": now}, now=now)

    def role_actions(self, role_id: int) -> Program[frozenset[str]]:
        """Return the actions of a role of end users."""
        permissions = content_table(self._store, PERMISSION_UID, PermissionRow)
        granted = yield from permissions.values("action", linked_to("role", role_id))
        custom = yield from self.granted_custom_actions("roles", role_id)
        return frozenset(map(str, granted)) | custom

    def granted_custom_actions(self, owner: Owner, row_id: int) -> Program[frozenset[str]]:
        """Return the actions of Python routes that a role or token grants.

        Reads only if there are any.
        """
        if not self.custom_actions:
            return frozenset()
        grants = yield from self.stored(CUSTOM_GRANTS_KEY)
        return granted_in(grants, owner, row_id) & self.custom_actions

    def role_rules(self, role_id: int) -> Program[Mapping[str, object]]:
        """Return the row rules of a role by action, as configured."""
        rules_by_role = yield from self.stored(ROW_RULES_KEY)
        if not isinstance(rules_by_role, Mapping) or not rules_by_role:
            return {}
        role = yield from self._roles.get(role_id)
        rules = None if role is None else rules_by_role.get(role.document_id)
        return rules if isinstance(rules, Mapping) else {}

    def users_by_role(self) -> Program[dict[int, int]]:
        """Count the end users of every role that has any."""
        return (yield from self._users.count_linked("role"))

    def role_of_type(self, type_: str) -> Program[int | None]:
        """Return the id of the role of a type, such as ``public``."""
        role = yield from self._roles.first(eq("type", type_))
        return None if role is None else role.id

    def role_name(self, role_id: int) -> Program[str | None]:
        """Return the name of a role of end users."""
        role = yield from self._roles.get(role_id)
        return None if role is None else role.name

    def user(self, user_id: int) -> Program[UserRow | None]:
        """Find an end user by row id."""
        return (yield from self._users.get(user_id))

    def local_user(self, identifier: str) -> Program[UserRow | None]:
        """Find the end user that signs in with a user name, or an e-mail in any case."""
        is_named = any_of(eq("username", identifier), eq("email", identifier.lower()))
        return (yield from self._users.first(eq("provider", "local"), is_named))

    def user_by_email(self, email: str) -> Program[UserRow | None]:
        """Find the first end user with an e-mail, which is compared exactly."""
        return (yield from self._users.first(eq("email", email)))

    def user_by_reset_token(self, token: str) -> Program[UserRow | None]:
        """Find the end user who requested a new password and was sent this token."""
        return (yield from self._users.first(eq("resetPasswordToken", token)))

    def user_by_confirmation_token(self, token: str) -> Program[UserRow | None]:
        """Find the end user whose e-mail is confirmed with this token."""
        return (yield from self._users.first(eq("confirmationToken", token)))

    def users_named(
        self, username: str, email: str, *, provider: str | None
    ) -> Program[frozenset[int]]:
        """Return the end users that could be confused with this name and e-mail.

        Those are users with either of them as name or as e-mail; ``provider`` restricts them to
        those who sign in with it. The e-mail is given in lower case.
        """
        emails = (username, username.lower(), email)
        conditions: list[Condition] = [
            any_of(one_of("username", username, email), one_of("email", *emails))
        ]
        if provider is not None:
            conditions.append(eq("provider", provider))
        return frozenset((yield from self._users.ids(*conditions)))

    def ids_of_users(
        self, attribute: str, value: str, *, provider: str | None = None
    ) -> Program[frozenset[int]]:
        """Return the ids of the end users whose attribute has this value.

        ``provider`` restricts them to those who sign in with it.
        """
        conditions = [eq(attribute, value)]
        if provider is not None:
            conditions.append(eq("provider", provider))
        return frozenset((yield from self._users.ids(*conditions)))

    def stored(self, key: str) -> Program[object]:
        """Return a value of the core store (parsed JSON), ``None`` when there is none."""
        return (yield from read_setting(self._store.writes, key))

    @property
    def _users(self) -> ContentTable[UserRow]:
        return content_table(self._store, USER_UID, UserRow)

    @property
    def _roles(self) -> ContentTable[StoredRole]:
        return content_table(self._store, ROLE_UID, StoredRole)


def granted_in(grants: object, owner: Owner, row_id: int) -> frozenset[str]:
    """Return the actions of a role or token in the stored value."""
    owners = grants.get(owner) if isinstance(grants, Mapping) else None
    actions = owners.get(str(row_id)) if isinstance(owners, Mapping) else None
    return frozenset(map(str, actions)) if isinstance(actions, list) else frozenset()


def write_grants(
    writes: Writes, owner: Owner, row_id: int, actions: Collection[str]
) -> Program[None]:
    """Set the actions of a role or a token."""
    grants = yield from read_setting(writes, CUSTOM_GRANTS_KEY)
    if granted_in(grants, owner, row_id) == frozenset(actions):
        return
    new_grants = dict(grants) if isinstance(grants, Mapping) else {}
    current_grants = new_grants.get(owner)
    owner_grants = dict(current_grants) if isinstance(current_grants, Mapping) else {}
    owner_grants.pop(str(row_id), None)
    if actions:
        owner_grants[str(row_id)] = sorted(actions)
    yield from write_setting(writes, CUSTOM_GRANTS_KEY, {**new_grants, owner: owner_grants})
