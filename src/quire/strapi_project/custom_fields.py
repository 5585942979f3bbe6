"""Finds the storage types of custom fields."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

from quire.database.settings_target import target_of
from quire.database.tables.inspection import FoundTables, inspect_program
from quire.database.tables.names import identifier
from quire.errors import AppError, QuireError
from quire.schema.custom_fields import (
    CustomFieldUse,
    StorageType,
    assumed_type,
    well_known_type,
)
from quire.schema.words import snake_case
from quire.settings import Settings
from quire.strapi_project.registrations import Registration, find_registrations

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
        """Does not open the database yet."""
        self._settings = settings
        self._tables: FoundTables | None = None

    def type_of(self, use: CustomFieldUse) -> tuple[str, str] | None:
        """Return the attribute type and the column (``table.column``, with its type) of a field.

        ``None`` if there is no such column, or no database yet.
        """
        if self._tables is None:
            self._tables = _found_tables(self._settings)
        named = use.raw.get("columnName")
        column = named if isinstance(named, str) else identifier(snake_case(use.attribute))
        table = self._tables.get(use.table)
        found = None if table is None else table.columns.get(column)
        if found is None:
            return None
        for beginning, name in _TYPES:
            if found.type.lower().startswith(beginning):
                return name, f"the column {use.table}.{column} ({found.type})"
        return None


def _found_tables(settings: Settings) -> FoundTables:
    """Inspect the database on another thread: a schema is also loaded inside an event loop."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        try:
            return pool.submit(lambda: asyncio.run(_inspected(settings))).result()
        except (AppError, QuireError, OSError):
            # A database that cannot be opened is reported when it is opened for serving.
            return {}


async def _inspected(settings: Settings) -> FoundTables:
    target = target_of(settings)
    async with target.look() as looking:
        return await looking.run(inspect_program(target.kind.inspector))


class ProjectCustomFields:
    """Storage types from the settings, the table of well-known fields, code and the database.

    Code and database are inspected only if the first two do not know a field.
    """

    def __init__(self, settings: Settings) -> None:
        """Reads nothing yet."""
        self._settings = settings
        self._columns = DatabaseColumns(settings)

    def storage_type(self, use: CustomFieldUse) -> StorageType:
        """Return the storage type of a field, from the first source that knows it."""
        configured = self._settings.custom_fields.get(use.uid)
        if configured is not None:
            return StorageType(name=configured, origin="settings", source="quire.toml")
        return (
            well_known_type(use)
            or self._registered_type(use)
            or self._column_type(use)
            or assumed_type(use)
        )

    def _registered_type(self, use: CustomFieldUse) -> StorageType | None:
        found = self._registrations.get(use.uid)
        if found is None:
            return None
        return StorageType(name=found.type, origin="plugin", source=found.file)

    def _column_type(self, use: CustomFieldUse) -> StorageType | None:
        found = self._columns.type_of(use)
        if found is None:
            return None
        name, column = found
        return StorageType(name=name, origin="database", source=column)

    @cached_property
    def _registrations(self) -> dict[str, Registration]:
        return dict(find_registrations(self._settings.project))
