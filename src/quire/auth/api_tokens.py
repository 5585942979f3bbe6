"""API tokens as rows: list, regenerate, delete.

What a token says of itself is read; the token itself is nowhere but with whoever was given it.
"""

from collections.abc import Sequence

from msgspec import Struct

from quire.database.program import Program
from quire.database.stores.system_rows import Record, SystemRows
from quire.errors import ApplicationError

TOKEN_UID = "admin::api-token"  # noqa: S105 - the uid of a content type
GRANT_UID = "admin::api-token-permission"
_CONTENT_API = "content-api"
_FIELDS = ("name", "type", "kind", "expiresAt", "lastUsedAt")


class TokenRecord(Struct, frozen=True, kw_only=True):
    """An API token of the content API; times are epoch milliseconds."""

    id: int
    name: str
    type: str
    expires_at: int | None
    last_used_at: int | None


class ApiTokens:
    """The programs of API tokens."""

    def __init__(self, rows: SystemRows) -> None:
        self._rows = rows

    def listed(self) -> Program[list[TokenRecord]]:
        """Return all tokens of the content API, by name."""
        rows = yield from self._rows.all(TOKEN_UID, _FIELDS)
        return sorted(_records(rows), key=lambda token: token.name)

    def named(self, name: str) -> Program[TokenRecord]:
        """Return the token with a name. Raises ApplicationError when there is none."""
        rows = yield from self._rows.by(TOKEN_UID, _FIELDS, "name", name)
        found = _records(rows)
        if not found:
            raise ApplicationError(f"There is no API token with the name {name}.")
        return found[0]

    def renew(
        self, name: str, *, access_key: str, encrypted_key: str | None, now: int
    ) -> Program[None]:
        """Let another token take the place of one: what it grants, and until when, stays.

        ``access_key`` is the keyed hash of the new one, ``encrypted_key`` what it can be shown
        again from. Raises ApplicationError when there is no such token.
        """
        token = yield from self.named(name)
        keys = {"accessKey": access_key, "encryptedKey": encrypted_key}
        yield from self._rows.update(TOKEN_UID, token.id, keys, now=now)

    def delete(self, name: str) -> Program[None]:
        """Delete a token with what it grants. Raises ApplicationError when there is none."""
        token = yield from self.named(name)
        grants = yield from self._rows.all(GRANT_UID, ())
        owners = yield from self._rows.linked(GRANT_UID, "token", [row_id(row) for row in grants])
        own = [grant for grant, tokens in owners.items() if token.id in tokens]
        yield from self._rows.delete(GRANT_UID, own)
        yield from self._rows.delete(TOKEN_UID, [token.id])


def row_id(row: Record) -> int:
    """Return the id of a row."""
    return int(str(row["id"]))


def _records(rows: Sequence[Record]) -> list[TokenRecord]:
    return [
        TokenRecord(
            id=row_id(row),
            name=str(row["name"]),
            type=str(row["type"]),
            expires_at=_moment(row["expiresAt"]),
            last_used_at=_moment(row["lastUsedAt"]),
        )
        for row in rows
        if row["kind"] in {None, _CONTENT_API}
    ]


def _moment(value: object) -> int | None:
    return value if isinstance(value, int) else None
