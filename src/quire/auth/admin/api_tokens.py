"""API tokens, managed by administrators.

A token is shown when it is created; later only if the project has an encryption key.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct

from quire.auth.jwt_and_api_tokens import hash_api_token, new_api_token
from quire.auth.token_encryption import decrypt_token, encrypt_token
from quire.clock import Clock
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.auth_rows import (
    CONTENT_API,
    CUSTOM_GRANTS_KEY,
    GRANT_UID,
    IS_OF_CONTENT_API,
    TOKEN_UID,
    PermissionRow,
    granted_in,
    write_grants,
)
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.stores.core_store import read_setting
from quire.database.stores.row_conditions import Condition, eq
from quire.errors import ApplicationError, NotFoundError, ValidationError

CUSTOM = "custom"

NOT_FOUND = "API Token not found"
NAME_IN_USE = "Name already taken"
UNKNOWN_ACTIONS = "Unknown permissions provided: {}"
NEEDS_ACTIONS = "Missing permissions attribute for custom token"
NO_ACTIONS = "Non-custom tokens should not reference permissions"


class ApiTokenRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """An API token as stored; times are epoch milliseconds."""

    id: int
    kind: str | None = None
    name: str | None = None
    description: str | None = None
    type: str | None = None
    lifespan: int | None = None
    expires_at: int | None = None
    last_used_at: int | None = None
    created_at: int | None = None
    updated_at: int | None = None
    encrypted_key: str | None = None


class ManagedApiToken(Struct, frozen=True, kw_only=True):
    """An API token; ``key`` is the plain token, if it is known."""

    row: ApiTokenRow
    actions: tuple[str, ...]
    key: str | None = None

    @property
    def id(self) -> int:
        """The id of the row."""
        return self.row.id


class TokenKeys(Struct, frozen=True, kw_only=True):
    """The salt that tokens are hashed with, and the key that they may be encrypted with."""

    salt: str
    encryption: str | None


class ApiTokenManager:
    """Reads and writes API tokens of the content API."""

    def __init__(
        self,
        database: Database,
        tables: ContentTables,
        keys: TokenKeys,
        *,
        clock: Clock,
        known_actions: Callable[[], Collection[str]],
        custom_actions: frozenset[str] = frozenset(),
    ) -> None:
        """``custom_actions`` are those of the routes of the project's Python code."""
        self._database = database
        self._tokens = tables.table_for(TOKEN_UID, ApiTokenRow)
        self._permissions = tables.table_for(GRANT_UID, PermissionRow)
        self._writes = tables.store.writes
        self._keys = keys
        self._clock = clock
        self._known_actions = known_actions
        self._custom_actions = custom_actions

    async def all(self) -> list[ManagedApiToken]:
        """Return all tokens, by name."""
        tokens = await self._database.read(self._select_tokens)
        return sorted(tokens, key=lambda token: str(token.row.name))

    async def get(self, token_id: int) -> ManagedApiToken:
        """Return a token, with the plain token if possible. Raises NotFoundError."""
        return await self._database.read(lambda: self._get_token(token_id))

    async def create(
        self, values: Mapping[str, object], actions: Sequence[str] | None, lifespan: int | None
    ) -> ManagedApiToken:
        """Create a token; returns it with the plain token.

        Raises ApplicationError for a name that is in use, ValidationError for actions that do not
        match its type.
        """
        checked_actions = self._check_actions(str(values["type"]), actions)
        key = new_api_token()

        def program() -> Program[ManagedApiToken]:
            yield from self._require_free(str(values["name"]), None)
            now = self._clock()
            row = {
                **values,
                **self._key_columns(key),
                "kind": CONTENT_API,
                "lifespan": lifespan,
                "expiresAt": None if lifespan is None else now + lifespan,
            }
            token_id = yield from self._tokens.create(row, now=now)
            yield from self._grant(token_id, checked_actions)
            return (yield from self._get_token(token_id, key))

        return await self._database.write(program())

    async def change(
        self, token_id: int, values: Mapping[str, object], actions: Sequence[str] | None
    ) -> ManagedApiToken:
        """Change a token; the plain token is unchanged.

        Raises NotFoundError, and what `create` raises.
        """

        def program() -> Program[ManagedApiToken]:
            token = yield from self._get_token(token_id)
            if isinstance(values.get("name"), str):
                yield from self._require_free(str(values["name"]), token_id)
            type_ = str(values.get("type", token.row.type))
            kept_actions = token.actions if token.row.type == CUSTOM == type_ else None
            checked_actions = self._check_actions(
                type_, actions if actions is not None else kept_actions
            )
            yield from self._tokens.change(token_id, values, now=self._clock())
            if checked_actions != token.actions:
                yield from self._revoke(token_id)
                yield from self._grant(token_id, checked_actions)
            return (yield from self._get_token(token_id))

        return await self._database.write(program())

    async def regenerate(self, token_id: int) -> ManagedApiToken:
        """Replace the plain token; the old one becomes invalid. Raises NotFoundError."""
        key = new_api_token()

        def program() -> Program[ManagedApiToken]:
            yield from self._get_token(token_id)
            yield from self._tokens.change(token_id, self._key_columns(key), now=self._clock())
            return (yield from self._get_token(token_id, key))

        return await self._database.write(program())

    async def delete(self, token_id: int) -> ManagedApiToken | None:
        """Delete a token; returns it, ``None`` when there was none."""

        def program() -> Program[ManagedApiToken | None]:
            tokens = yield from self._select_tokens(eq("id", token_id))
            if not tokens:
                return None
            yield from self._revoke(token_id)
            yield from write_grants(self._writes, "tokens", token_id, ())
            yield from self._tokens.delete_ids([token_id])
            return tokens[0]

        return await self._database.write(program())

    def _key_columns(self, key: str) -> dict[str, object]:
        secret = self._keys.encryption
        return {
            "accessKey": hash_api_token(key, self._keys.salt),
            "encryptedKey": encrypt_token(key, secret) if secret else None,
        }

    def _check_actions(self, type_: str, actions: Sequence[str] | None) -> tuple[str, ...]:
        if type_ != CUSTOM:
            if actions:
                raise ValidationError(NO_ACTIONS)
            return ()
        if actions is None:
            raise ValidationError(NEEDS_ACTIONS)
        known_actions = self._known_actions()
        unknown = [action for action in actions if action not in known_actions]
        if unknown:
            raise ValidationError(UNKNOWN_ACTIONS.format(", ".join(unknown)))
        return tuple(dict.fromkeys(actions))

    def _get_token(self, token_id: int, key: str | None = None) -> Program[ManagedApiToken]:
        tokens = yield from self._select_tokens(eq("id", token_id), key=key)
        if not tokens:
            raise NotFoundError(NOT_FOUND)
        return tokens[0]

    def _select_tokens(
        self, *where: Condition, key: str | None = None
    ) -> Program[list[ManagedApiToken]]:
        rows = yield from self._tokens.select(*where, IS_OF_CONTENT_API)
        ids = [row.id for row in rows]
        linked_ids = yield from self._tokens.linked("permissions", ids)
        permission_ids = {row_id for row_ids in linked_ids.values() for row_id in row_ids}
        permissions = yield from self._permissions.by_ids(permission_ids)
        actions = {row.id: row.action for row in permissions}
        custom_grants = yield from self._custom_grants(ids)
        return [
            ManagedApiToken(
                row=row,
                actions=(
                    *(actions[i] for i in linked_ids[row.id] if i in actions),
                    *sorted(custom_grants[row.id]),
                ),
                key=key or self._decrypt_key(row),
            )
            for row in rows
        ]

    def _decrypt_key(self, row: ApiTokenRow) -> str | None:
        encrypted_key, secret = row.encrypted_key, self._keys.encryption
        return (
            None
            if encrypted_key is None or secret is None
            else decrypt_token(encrypted_key, secret)
        )

    def _grant(self, token_id: int, actions: Collection[str]) -> Program[None]:
        now = self._clock()
        if self._custom_actions:
            code = self._custom_actions.intersection(actions)
            yield from write_grants(self._writes, "tokens", token_id, code)
        for action in actions:
            if action in self._custom_actions:
                continue
            row_id = yield from self._permissions.create({"action": action}, now=now)
            yield from self._permissions.link("token", row_id, [token_id], creating=True)

    def _revoke(self, token_id: int) -> Program[None]:
        linked_ids = yield from self._tokens.linked("permissions", [token_id])
        yield from self._permissions.delete_ids(linked_ids[token_id])

    def _custom_grants(self, token_ids: Collection[int]) -> Program[dict[int, frozenset[str]]]:
        """Return the actions of Python routes that tokens grant, which are stored separately."""
        if not self._custom_actions:
            return dict.fromkeys(token_ids, frozenset())
        grants = yield from read_setting(self._writes, CUSTOM_GRANTS_KEY)
        return {
            token_id: granted_in(grants, "tokens", token_id) & self._custom_actions
            for token_id in token_ids
        }

    def _require_free(self, name: str, except_id: int | None) -> Program[None]:
        token_ids = yield from self._tokens.ids(eq("name", name))
        if any(token_id != except_id for token_id in token_ids):
            raise ApplicationError(NAME_IN_USE)
