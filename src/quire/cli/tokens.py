"""``quire token list``, ``regenerate`` and ``delete``."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from quire.auth.admin.api_tokens import ApiTokenManager, ManagedApiToken, TokenKeys
from quire.cli.terminal import EXIT_OK, print_message, print_result, print_table
from quire.clock import iso_or_none, now_ms
from quire.database.entries.entry_tables import open_store
from quire.database.open import open_database
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.tables.table_map import map_tables
from quire.errors import ApplicationError
from quire.ids import new_document_id
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

T = TypeVar("T")

_HEADS = ("NAME", "TYPE", "EXPIRES", "LAST USED")


def list_tokens(settings: Settings) -> int:
    """Print the API tokens of a project, one per line."""
    tokens = asyncio.run(_run(settings, lambda manager: manager.all()))
    print_table([_HEADS, *(_cells(token, now_ms()) for token in tokens)])
    return EXIT_OK


def regenerate_token(settings: Settings, name: str) -> int:
    """Replace a token, and print the new one, once.

    Raises :class:`ApplicationError` when there is no token with this name.
    """
    if settings.secrets.api_token_salt is None:
        raise ApplicationError("API_TOKEN_SALT is not set.")

    async def regenerate(manager: ApiTokenManager) -> ManagedApiToken:
        return await manager.regenerate(await _token_id(manager, name))

    token = asyncio.run(_run(settings, regenerate))
    print_message(f"The new token {name}; the old one is invalid. It is shown only now:")
    print_result(str(token.key))
    return EXIT_OK


def delete_token(settings: Settings, name: str) -> int:
    """Delete a token; requests with it are refused from now on.

    Raises :class:`ApplicationError` when there is no token with this name.
    """

    async def delete(manager: ApiTokenManager) -> None:
        await manager.delete(await _token_id(manager, name))

    asyncio.run(_run(settings, delete))
    print_message(f"The token {name} is deleted.")
    return EXIT_OK


def _cells(token: ManagedApiToken, now: int) -> tuple[str, str, str, str]:
    expires_at, last_used_at = token.row.expires_at, token.row.last_used_at
    expiry = ("never" if expires_at is None else iso_or_none(expires_at)) or "never"
    if expires_at is not None and expires_at <= now:
        expiry = "expired"
    return (
        token.row.name or "",
        token.row.type or "",
        expiry,
        ("never" if last_used_at is None else iso_or_none(last_used_at)) or "never",
    )


async def _token_id(manager: ApiTokenManager, name: str) -> int:
    """Return the id of the token with a name. Raises ApplicationError when there is none."""
    for token in await manager.all():
        if token.row.name == name:
            return token.id
    raise ApplicationError(f"There is no API token with the name {name}.")


async def _run(settings: Settings, act: Callable[[ApiTokenManager], Awaitable[T]]) -> T:
    """Open the database, while a server may be running, and act on its tokens."""
    schema = load_project_schema(settings)
    tables = map_tables(schema)
    secrets = settings.secrets
    database = await open_database(settings, tables)
    try:
        store = open_store(schema, tables, database.dialect)
        manager = ApiTokenManager(
            database,
            ContentTables(store=store, new_id=new_document_id),
            TokenKeys(salt=secrets.api_token_salt or "", encryption=secrets.encryption_key),
            clock=now_ms,
            known_actions=frozenset,
        )
        return await act(manager)
    finally:
        await database.close()
