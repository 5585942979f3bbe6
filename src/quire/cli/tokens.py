"""``quire token list``, ``regenerate`` and ``delete``."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

from quire.auth.jwt_and_api_tokens import hash_api_token, new_api_token
from quire.auth.token_encryption import encrypt_token
from quire.cli.terminal import EXIT_OK, print_message, print_result, print_table
from quire.clock import iso_or_none, now_ms
from quire.database.entries.entry_tables import open_store
from quire.database.open import open_database
from quire.database.program import Program
from quire.database.stores.auth_rows import GRANT_UID, IS_OF_CONTENT_API, TOKEN_UID
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.row_conditions import eq
from quire.database.tables.table_map import map_tables
from quire.errors import ApplicationError
from quire.ids import new_document_id
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

_HEADS = ("NAME", "TYPE", "EXPIRES", "LAST USED")


class NamedToken(Struct, frozen=True, kw_only=True, rename="camel"):
    """An API token of the content API; times are epoch milliseconds."""

    id: int
    name: str = ""
    type: str = ""
    expires_at: int | None = None
    last_used_at: int | None = None


class ApiTokenRows:
    """The programs of API tokens, whose plain text is not stored."""

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


T = TypeVar("T")


def list_tokens(settings: Settings) -> int:
    """Print the API tokens of a project, one per line."""
    api_tokens = asyncio.run(_run(settings, lambda tokens: tokens.listed()))
    print_table([_HEADS, *(_cells(token, now_ms()) for token in api_tokens)])
    return EXIT_OK


def regenerate_token(settings: Settings, name: str) -> int:
    """Replace a token, and print the new one, once.

    Raises :class:`ApplicationError` when there is no token with this name.
    """
    salt, key = settings.secrets.api_token_salt, settings.secrets.encryption_key
    if salt is None:
        raise ApplicationError("API_TOKEN_SALT is not set.")
    token = new_api_token()
    access_key = hash_api_token(token, salt)
    encrypted_key = encrypt_token(token, key) if key else None

    def renew(tokens: ApiTokenRows) -> Program[None]:
        yield from tokens.renew(
            name, access_key=access_key, encrypted_key=encrypted_key, now=now_ms()
        )

    asyncio.run(_run(settings, renew))
    print_message(f"The new token {name}; the old one is invalid. It is shown only now:")
    print_result(token)
    return EXIT_OK


def delete_token(settings: Settings, name: str) -> int:
    """Delete a token; requests with it are refused from now on.

    Raises :class:`ApplicationError` when there is no token with this name.
    """
    asyncio.run(_run(settings, lambda tokens: tokens.delete(name)))
    print_message(f"The token {name} is deleted.")
    return EXIT_OK


def _cells(token: NamedToken, now: int) -> tuple[str, str, str, str]:
    expires_at, last_used_at = token.expires_at, token.last_used_at
    expiry = ("never" if expires_at is None else iso_or_none(expires_at)) or "never"
    if expires_at is not None and expires_at <= now:
        expiry = "expired"
    return (
        token.name,
        token.type,
        expiry,
        ("never" if last_used_at is None else iso_or_none(last_used_at)) or "never",
    )


async def _run(settings: Settings, make: Callable[[ApiTokenRows], Program[T]]) -> T:
    """Run a program in its own transaction, while a server may be running."""
    schema = load_project_schema(settings)
    tables = map_tables(schema)
    database = await open_database(settings, tables)
    try:
        store = open_store(schema, tables, database.dialect)
        rows = ContentTables(store=store, new_id=new_document_id)
        return await database.write(make(ApiTokenRows(rows)))
    finally:
        await database.close()
