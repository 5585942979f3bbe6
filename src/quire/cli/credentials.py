"""``quire admin create`` and ``quire token create``."""

import asyncio
import getpass
import re
import sys
from collections.abc import Callable
from datetime import timedelta

from quire.access.actions import all_actions
from quire.auth.encryption import encrypt_token
from quire.auth.passwords import MAX_BYTES, hash_password
from quire.auth.tokens import hash_api_token, new_api_token
from quire.cli.terminal import DONE, print_message, print_result
from quire.clock import now_ms
from quire.customisations import find_customisations
from quire.database.open import open_database
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.credentials import CredentialRows, NewAdministrator, NewApiToken
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import TableMap, map_tables
from quire.errors import ApplicationError
from quire.ids import new_document_id
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_SHORTEST_PASSWORD = 8
_CUSTOM = "custom"


def create_administrator(
    settings: Settings, *, email: str, firstname: str, lastname: str | None, role: str
) -> int:
    """Make an administrator, whose password is asked for or read from standard input.

    Raises :class:`ApplicationError` when the e-mail or the password will not do.
    """
    if not _EMAIL.fullmatch(email):
        raise ApplicationError(f"{email} is not an e-mail address.")
    if not firstname.strip():
        raise ApplicationError("The first name is empty.")
    schema = load_project_schema(settings)
    password = _asked_password()
    new = NewAdministrator(
        email=email.lower(),
        firstname=firstname,
        lastname=lastname,
        password=hash_password(password),
        role=f"strapi-{role}",
    )
    _write(settings, schema, lambda rows: rows.administrator(new))
    print_message(f"{new.email} is an administrator now ({role}).")
    return DONE


def create_token(
    settings: Settings,
    *,
    name: str,
    kind: str,
    description: str,
    actions: tuple[str, ...],
    lifespan: timedelta | None,
) -> int:
    """Make an API token and print it, once.

    Raises :class:`ApplicationError` when type and actions do not go together or an action does not
    exist.
    """
    schema = load_project_schema(settings)
    routed = find_customisations(settings, schema).routed_actions(schema)
    _check_actions(all_actions(schema, routed), kind, actions)
    salt, key = settings.secrets.api_token_salt, settings.secrets.encryption_key
    if salt is None:
        raise ApplicationError("API_TOKEN_SALT is not set.")
    token = new_api_token()
    new = NewApiToken(
        name=name,
        description=description,
        type=kind,
        access_key=hash_api_token(token, salt),
        encrypted_key=encrypt_token(token, key) if key else None,
        actions=actions,
        lifespan=None if lifespan is None else lifespan // timedelta(milliseconds=1),
    )
    _write(settings, schema, lambda rows: rows.api_token(new))
    print_message(f"The token {name} ({kind}). It is shown only now:")
    print_result(token)
    return DONE


def _check_actions(known: frozenset[str], kind: str, actions: tuple[str, ...]) -> None:
    if kind != _CUSTOM and actions:
        raise ApplicationError("Only a token of the type custom has actions of its own.")
    if kind == _CUSTOM and not actions:
        raise ApplicationError("A token of the type custom needs at least one --action.")
    unknown = sorted(set(actions) - known)
    if unknown:
        raise ApplicationError(f"There is no action {', '.join(unknown)}.")


def _asked_password() -> str:
    """The password that is typed twice, or the first line of standard input in a script."""
    if sys.stdin.isatty():
        password = getpass.getpass("Password: ")
        if getpass.getpass("Once more: ") != password:
            raise ApplicationError("These were two different passwords.")
    else:
        password = sys.stdin.readline().rstrip("\n")
    problem = _password_problem(password)
    if problem is not None:
        raise ApplicationError(problem)
    return password


def _password_problem(password: str) -> str | None:
    if len(password) < _SHORTEST_PASSWORD:
        return f"A password has at least {_SHORTEST_PASSWORD} characters."
    if len(password.encode()) > MAX_BYTES:
        return f"A password has at most {MAX_BYTES} bytes."
    for pattern, what in (
        (r"[a-z]", "lower-case letter"),
        (r"[A-Z]", "capital letter"),
        (r"\d", "digit"),
    ):
        if not re.search(pattern, password):
            return f"A password has at least one {what}."
    return None


def _write(
    settings: Settings, schema: Schema, make: Callable[[CredentialRows], Program[None]]
) -> None:
    """Run a program in a transaction of its own, beside a server that may be running."""
    tables = map_tables(schema)
    asyncio.run(_write_in_loop(settings, schema, tables, make))


async def _write_in_loop(
    settings: Settings,
    schema: Schema,
    tables: TableMap,
    make: Callable[[CredentialRows], Program[None]],
) -> None:
    database = await open_database(settings, tables)
    try:
        rows = CredentialRows(
            tables=tables,
            metadata=build_metadata(schema, tables, target_of(settings).kind.column_types),
            dialect=database.dialect,
            now=now_ms(),
            new_id=new_document_id,
        )
        await database.write(make(rows))
    finally:
        await database.close()
