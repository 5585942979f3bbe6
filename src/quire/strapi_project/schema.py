"""Loads the schema of a project, with the storage types of its custom fields.

Custom fields are registered in JavaScript, which is searched for the registrations.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from quire.database.settings_target import target_of
from quire.database.tables.inspection import FoundTables
from quire.database.tables.names import identifier
from quire.errors import AppError, QuireError
from quire.javascript.tokens import Token, tokenise
from quire.schema.custom_fields import (
    CustomFieldUse,
    StorageType,
    assumed_type,
    well_known_type,
)
from quire.schema.load import LoadOptions, load_schema
from quire.schema.model import Schema
from quire.schema.name_words import snake_case
from quire.settings import Settings
from quire.settings.model import STORAGE_TYPES

_SUFFIXES = frozenset({".js", ".ts", ".mjs", ".cjs", ".mts"})
_LARGEST_FILE = 1024 * 1024
_MAX_FILES = 400
"""How many files of one plugin are read: server code is small, admin bundles are left out."""
_LEFT_OUT = frozenset({"node_modules", "admin", "build", "tests", "__tests__"})
_CALL = ("customFields", ".", "register", "(")


class CustomFieldRegistration(Struct, frozen=True):
    """The attribute type that a plugin registers a custom field with, and the file."""

    uid: str
    type: str
    file: str


def find_registrations(project: Path) -> Mapping[str, CustomFieldRegistration]:
    """Return the registrations of a project by uid: its own code, then installed packages."""
    registrations: dict[str, CustomFieldRegistration] = {}
    for folder, owner in _schema_folders(project):
        for path in _files(folder):
            for registration in _registrations(project, path, owner):
                registrations.setdefault(registration.uid, registration)
    return registrations


def _schema_folders(project: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield folders with server code, and the names of their plugins."""
    for path in sorted((project / "src").glob("index.*")):
        yield path, None
    plugins = project / "src" / "plugins"
    if plugins.is_dir():
        for folder in sorted(plugins.iterdir()):
            if folder.is_dir():
                yield folder, _plugin_name(folder) or folder.name
    for name in sorted(_dependencies(project)):
        package = project / "node_modules" / name
        plugin = _plugin_name(package)
        if plugin is not None:
            yield package, plugin


def _dependencies(project: Path) -> frozenset[str]:
    dependencies = _json(project / "package.json").get("dependencies")
    return frozenset(dependencies) if isinstance(dependencies, dict) else frozenset()


def _plugin_name(folder: Path) -> str | None:
    """Return the name that a package declares as a Strapi plugin."""
    strapi = _json(folder / "package.json").get("strapi")
    name = strapi.get("name") if isinstance(strapi, dict) else None
    return name if isinstance(name, str) else None


def _json(path: Path) -> dict[str, object]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _files(folder: Path) -> Iterator[Path]:
    """Yield the JavaScript files in a folder that may be server code, up to a number."""
    if folder.is_file():
        yield folder
        return
    files = sorted(path for path in folder.rglob("*") if _is_server_code(path.relative_to(folder)))
    yield from files[:_MAX_FILES]


def _is_server_code(path: Path) -> bool:
    return (
        path.suffix in _SUFFIXES
        and not path.name.endswith((".d.ts", ".test.ts", ".test.js"))
        and not _LEFT_OUT.intersection(path.parts)
    )


def _registrations(
    project: Path, path: Path, owner: str | None
) -> Iterator[CustomFieldRegistration]:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return
        source = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return
    if "customFields" not in source:
        return
    file = path.relative_to(project).as_posix()
    tokens = tokenise(source)
    constants = _constants(tokens)
    for values in _calls(tokens, constants):
        name, type_ = values.get("name"), values.get("type")
        if name is None or type_ not in STORAGE_TYPES:
            continue
        plugin = (values["plugin"] or owner) if "plugin" in values else None
        uid = f"plugin::{plugin}.{name}" if plugin else f"global::{name}"
        yield CustomFieldRegistration(uid, str(type_), file)


def _constants(tokens: tuple[Token, ...]) -> dict[str, str]:
    """Return the string constants of a file."""
    constants = {}
    for index in range(len(tokens) - 3):
        first, name, mark, value = tokens[index : index + 4]
        if first.is_word("const", "var", "let") and mark.is_mark("=") and value.kind == "string":
            constants[name.text] = value.text
    return constants


def _calls(
    tokens: tuple[Token, ...], constants: Mapping[str, str]
) -> Iterator[dict[str, str | None]]:
    for index in range(len(tokens) - len(_CALL)):
        if all(tokens[index + offset].text == text for offset, text in enumerate(_CALL)):
            yield from _objects(tokens, index + len(_CALL), constants)


def _objects(
    tokens: tuple[Token, ...], position: int, constants: Mapping[str, str]
) -> Iterator[dict[str, str | None]]:
    """Yield the objects among the arguments of a call, with their string members.

    A member with an unknown value is ``None``.
    """
    members: dict[str, str | None] = {}
    depth = 1
    braces = 0
    while position < len(tokens) and depth:
        token = tokens[position]
        if token.kind == "mark" and token.text in "([{":
            depth += 1
            braces += token.text == "{"
        elif token.kind == "mark" and token.text in ")]}":
            depth -= 1
            braces -= token.text == "}"
            if token.text == "}" and not braces:
                yield members
                members = {}
        elif braces == 1 and token.kind in {"word", "string"} and position + 2 < len(tokens):
            key, colon, value = tokens[position : position + 3]
            if colon.is_mark(":") and not tokens[position - 1].is_mark(":"):
                is_text = value.kind == "string"
                members[key.text] = value.text if is_text else constants.get(value.text)
                position += 1
        position += 1


_TYPES: tuple[tuple[str, str], ...] = (
    ("varchar", "string"),
    ("character varying", "string"),
    ("char", "string"),
    ("longtext", "text"),
    ("text", "text"),
    ("json", "json"),
    ("bigint", "biginteger"),
    ("int", "integer"),
    ("float", "float"),
    ("real", "float"),
    ("double", "float"),
    ("numeric", "decimal"),
    ("decimal", "decimal"),
    ("bool", "boolean"),
    ("datetime", "datetime"),
    ("timestamp", "datetime"),
    ("date", "date"),
    ("time", "time"),
)
"""Attribute types by prefixes of column types; the first match counts."""


class DatabaseColumns:
    """The columns of a project's database, which is inspected once, on first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._tables: FoundTables | None = None

    def type_of(self, use: CustomFieldUse) -> tuple[str, str] | None:
        """Return the attribute type and the column (``table.column``, with its type) of a field.

        ``None`` if there is no such column, or no database yet.
        """
        if self._tables is None:
            self._tables = _read_tables(self._settings)
        column_name = use.raw.get("columnName")
        column = (
            column_name if isinstance(column_name, str) else identifier(snake_case(use.attribute))
        )
        table = self._tables.get(use.table)
        existing_column = None if table is None else table.columns.get(column)
        if existing_column is None:
            return None
        for beginning, name in _TYPES:
            if existing_column.type.lower().startswith(beginning):
                return name, f"the column {use.table}.{column} ({existing_column.type})"
        return None


def _read_tables(settings: Settings) -> FoundTables:
    """Inspect the database on another thread: a schema is also loaded inside an event loop."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            return pool.submit(lambda: asyncio.run(_inspect_tables(settings))).result()
        except (AppError, QuireError, OSError):
            # A database that cannot be opened is reported when it is opened for serving.
            return {}


async def _inspect_tables(settings: Settings) -> FoundTables:
    target = target_of(settings)
    async with target.look() as connection:
        return await connection.run(target.kind.inspector.tables())


class ProjectCustomFields:
    """Storage types from the settings, the table of well-known fields, code and the database.

    Code and database are inspected only if the first two do not know a field.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._columns = DatabaseColumns(settings)

    def storage_type(self, use: CustomFieldUse) -> StorageType:
        """Return the storage type of a field, from the first source that knows it."""
        configured_type = self._settings.custom_fields.get(use.uid)
        if configured_type is not None:
            return StorageType(name=configured_type, origin="settings", source="quire.toml")
        return (
            well_known_type(use)
            or self._registered_type(use)
            or self._column_type(use)
            or assumed_type(use)
        )

    def _registered_type(self, use: CustomFieldUse) -> StorageType | None:
        registration = self._registrations.get(use.uid)
        if registration is None:
            return None
        return StorageType(name=registration.type, origin="plugin", source=registration.file)

    def _column_type(self, use: CustomFieldUse) -> StorageType | None:
        column_type = self._columns.type_of(use)
        if column_type is None:
            return None
        name, column = column_type
        return StorageType(name=name, origin="database", source=column)

    @cached_property
    def _registrations(self) -> dict[str, CustomFieldRegistration]:
        return dict(find_registrations(self._settings.project))


def load_project_schema(settings: Settings) -> Schema:
    """Load the schema of a project. Raises SchemaError with all its errors."""
    return load_schema(settings.project, load_options(settings))


def load_options(settings: Settings) -> LoadOptions:
    """Return the options of a schema from the settings."""
    return LoadOptions(
        private_attributes=frozenset(settings.api.private_attributes),
        first_published=settings.features.first_published_at,
        custom_fields=ProjectCustomFields(settings),
    )
