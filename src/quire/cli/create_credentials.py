"""``quire admin create`` and ``quire token create``."""

import asyncio
import getpass
import re
import sys
from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct
from msgspec.structs import replace

from quire.access.actions import all_actions
from quire.auth.admin.user_rows import ADMIN_ROLE_UID
from quire.auth.jwt_and_api_tokens import hash_api_token, new_api_token
from quire.auth.passwords import MAX_BYTES, hash_password
from quire.auth.token_encryption import encrypt_token
from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.clock import now_ms
from quire.customisations import find_customisations
from quire.database.entries.entry_tables import open_store
from quire.database.open import open_database
from quire.database.program import Program
from quire.database.stores.auth_rows import CONTENT_API, GRANT_UID, TOKEN_UID
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.row_conditions import eq
from quire.database.tables.table_map import map_tables
from quire.errors import ApplicationError
from quire.extension_loading import check_extensions, import_modules
from quire.ids import new_document_id
from quire.schema.model import ADMIN_USER_UID, Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_SHORTEST_PASSWORD = 8
_CUSTOM = "custom"


class NewAdministrator(Struct, frozen=True, kw_only=True):
    """A new administrator; ``password`` is hashed, ``role`` is the code of a role."""

    email: str
    firstname: str
    lastname: str | None
    password: str
    role: str


class NewTokenRow(Struct, frozen=True, kw_only=True):
    """A new API token.

    ``access_key`` is its keyed hash, ``encrypted_key`` its encrypted form; ``actions`` are for
    tokens of the type ``custom``; ``lifespan`` is in milliseconds, ``None`` for unlimited.
    """

    name: str
    description: str
    type: str
    access_key: str
    encrypted_key: str | None
    actions: tuple[str, ...] = ()
    lifespan: int | None = None


class CredentialRows(Struct, frozen=True, kw_only=True):
    """Programs that write credentials; ``now`` is epoch milliseconds."""

    tables: ContentTables
    now: int

    def administrator(self, account: NewAdministrator) -> Program[None]:
        """Write an administrator with a role.

        Raises ApplicationError when there is one with this e-mail, or no such role.
        """
        users = self.tables.table_for(ADMIN_USER_UID, BaseRow)
        if (yield from users.exists(eq("email", account.email))):
            raise ApplicationError(f"There is an administrator with the e-mail {account.email}.")
        role = yield from self.tables.table_for(ADMIN_ROLE_UID, BaseRow).first(
            eq("code", account.role)
        )
        if role is None:
            raise ApplicationError(f"The database has no administrators' role {account.role}.")
        values = {
            "firstname": account.firstname,
            "lastname": account.lastname,
            "email": account.email,
            "password": account.password,
            "isActive": True,
            "blocked": False,
        }
        user = yield from users.create(values, now=self.now)
        yield from users.link("roles", user, [role.id], creating=True)

    def api_token(self, row: NewTokenRow) -> Program[None]:
        """Write an API token. Raises ApplicationError when there is one of this name."""
        tokens = self.tables.table_for(TOKEN_UID, BaseRow)
        grants = self.tables.table_for(GRANT_UID, BaseRow)
        if (yield from tokens.exists(eq("name", row.name))):
            raise ApplicationError(f"There is an API token with the name {row.name}.")
        values = {
            "name": row.name,
            "description": row.description,
            "kind": CONTENT_API,
            "type": row.type,
            "accessKey": row.access_key,
            "encryptedKey": row.encrypted_key,
            "lifespan": row.lifespan,
            "expiresAt": None if row.lifespan is None else self.now + row.lifespan,
        }
        token = yield from tokens.create(values, now=self.now)
        for action in row.actions:
            grant = yield from grants.create({"action": action}, now=self.now)
            yield from grants.link("token", grant, [token], creating=True)


def create_administrator(
    settings: Settings, *, email: str, firstname: str, lastname: str | None, role: str
) -> int:
    """Create an administrator, whose password is asked for or read from standard input.

    Raises :class:`ApplicationError` when the e-mail or the password is invalid.
    """
    if not _EMAIL.fullmatch(email):
        raise ApplicationError(f"{email} is not an e-mail address.")
    if not firstname.strip():
        raise ApplicationError("The first name is empty.")
    schema = load_project_schema(settings)
    password = _ask_password()
    administrator = NewAdministrator(
        email=email.lower(),
        firstname=firstname,
        lastname=lastname,
        password=hash_password(password),
        role=f"strapi-{role}",
    )
    _write(settings, schema, lambda rows: rows.administrator(administrator))
    print_message(f"{administrator.email} is an administrator now ({role}).")
    return EXIT_OK


def create_token(
    settings: Settings,
    *,
    name: str,
    kind: str,
    description: str,
    actions: tuple[str, ...],
    lifespan: timedelta | None,
) -> int:
    """Create an API token and print it, once.

    Raises :class:`ApplicationError` when the name is empty, when type and actions do not match or
    an action does not exist, and ExtensionError for mistakes in the Python code of the project.
    """
    if not name.strip():
        raise ApplicationError("The name is empty.")
    schema = load_project_schema(settings)
    _check_actions(_known_actions(settings, schema) if actions else frozenset(), kind, actions)
    salt, key = settings.secrets.api_token_salt, settings.secrets.encryption_key
    if salt is None:
        raise ApplicationError("API_TOKEN_SALT is not set.")
    token = new_api_token()
    row = NewTokenRow(
        name=name,
        description=description,
        type=kind,
        access_key=hash_api_token(token, salt),
        encrypted_key=encrypt_token(token, key) if key else None,
        actions=actions,
        lifespan=None if lifespan is None else lifespan // timedelta(milliseconds=1),
    )
    _write(settings, schema, lambda rows: rows.api_token(row))
    print_message(f"The token {name} ({kind}). It is shown only now:")
    print_result(token)
    return EXIT_OK


def _known_actions(settings: Settings, schema: Schema) -> frozenset[str]:
    """Return all actions, also those of the project's routes. Raises ExtensionError."""
    extensions = check_extensions(import_modules(settings.project, settings), schema)
    customisations = replace(
        find_customisations(settings, schema, extensions.replaced),
        custom_actions=extensions.actions_by_uid,
    )
    return all_actions(schema, customisations.routed_actions(schema))


def _check_actions(known_actions: frozenset[str], kind: str, actions: tuple[str, ...]) -> None:
    if kind != _CUSTOM and actions:
        raise ApplicationError("Only a token of the type custom has actions of its own.")
    if kind == _CUSTOM and not actions:
        raise ApplicationError("A token of the type custom needs at least one --action.")
    unknown = sorted(set(actions) - known_actions)
    if unknown:
        raise ApplicationError(f"There is no action {', '.join(unknown)}.")


def _ask_password() -> str:
    """Return the password that is typed twice, or the first line of standard input in a script."""
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
    for pattern, description in (
        (r"[a-z]", "lower-case letter"),
        (r"[A-Z]", "capital letter"),
        (r"\d", "digit"),
    ):
        if not re.search(pattern, password):
            return f"A password has at least one {description}."
    return None


def _write(
    settings: Settings, schema: Schema, make: Callable[[CredentialRows], Program[None]]
) -> None:
    """Run a program in its own transaction, while a server may be running."""
    asyncio.run(_write_in_loop(settings, schema, make))


async def _write_in_loop(
    settings: Settings, schema: Schema, make: Callable[[CredentialRows], Program[None]]
) -> None:
    tables = map_tables(schema)
    database = await open_database(settings, tables)
    try:
        store = open_store(schema, tables, database.dialect)
        rows = ContentTables(store=store, new_id=new_document_id)
        await database.write(make(CredentialRows(tables=rows, now=now_ms())))
    finally:
        await database.close()
