"""API tokens as rows: list, regenerate, delete.

The plain token is not stored.
"""

from msgspec import Struct

from quire.database.program import Program
from quire.database.stores.auth_rows import GRANT_UID, IS_OF_CONTENT_API, TOKEN_UID
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.row_conditions import eq
from quire.errors import ApplicationError


class NamedToken(Struct, frozen=True, kw_only=True, rename="camel"):
    """An API token of the content API; times are epoch milliseconds."""

    id: int
    name: str = ""
    type: str = ""
    expires_at: int | None = None
    last_used_at: int | None = None


class ApiTokenRows:
    """The programs of API tokens."""

    def __init__(self, tables: ContentTables) -> None:
        self._tokens = tables.table_for(TOKEN_UID, NamedToken)
        self._grants = tables.table_for(GRANT_UID, BaseRow)

    def listed(self) -> Program[list[NamedToken]]:
        """Return all tokens of the content API, by name."""
        rows = yield from self._tokens.select(IS_OF_CONTENT_API)
        return sorted(rows, key=lambda token: token.name)

    def get(self, name: str) -> Program[NamedToken]:
        """Return the token with a name. Raises ApplicationError when there is none."""
        token = yield from self._tokens.first(eq("name", name), IS_OF_CONTENT_API)
        if token is None:
            raise ApplicationError(f"There is no API token with the name {name}.")
        return token

    def renew(
        self, name: str, *, access_key: str, encrypted_key: str | None, now: int
    ) -> Program[None]:
        """Replace the plain token; permissions and expiry are unchanged.

        ``access_key`` is the keyed hash of the new one, ``encrypted_key`` its encrypted form.
        Raises ApplicationError when there is no such token.
        """
        token = yield from self.get(name)
        keys = {"accessKey": access_key, "encryptedKey": encrypted_key}
        yield from self._tokens.change(token.id, keys, now=now)

    def delete(self, name: str) -> Program[None]:
        """Delete a token with its permissions. Raises ApplicationError when there is none."""
        token = yield from self.get(name)
        tokens_by_grant = yield from self._grants.linked("token", (yield from self._grants.ids()))
        grant_ids = [grant for grant, tokens in tokens_by_grant.items() if token.id in tokens]
        yield from self._grants.delete_ids(grant_ids)
        yield from self._tokens.delete_ids([token.id])
