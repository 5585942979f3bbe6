"""A database in memory, and a model with long names, digits, accents and all relations."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import apsw
from sqlalchemy import MetaData

from quire.database.dialects.sqlite.ddl import COLUMN_TYPES, SqliteDdl
from quire.database.dialects.sqlite.target import SQLITE_INSPECTOR
from quire.database.program import Program, run_program
from quire.database.tables.ddl import create_program
from quire.database.tables.inspection import FoundTables
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import TableMap, map_tables
from quire.schema.load import build_schema, load_schema
from quire.schema.model import Schema
from quire.schema.source_files import SchemaFile

T = TypeVar("T")

AWKWARD_MODEL = Path(__file__).parents[2] / "golden" / "awkward-model"
WRITER = SqliteDdl()


@cache
def awkward_schema() -> Schema:
    return load_schema(AWKWARD_MODEL)


@cache
def golden_tables() -> Mapping[str, Any]:
    """Read the tables that the reference server made for the awkward model."""
    tables: Mapping[str, Any] = json.loads((AWKWARD_MODEL / "tables.json").read_text("utf-8"))
    return tables


def content_type(name: str, attributes: Mapping[str, object], **more: object) -> SchemaFile:
    """Make a source of a content type that is called ``name``."""
    raw = {
        "collectionName": f"{name}s",
        "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name},
        "attributes": attributes,
        **more,
    }
    return SchemaFile(f"api::{name}.{name}", f"{name}.json", raw)


def component(uid: str, attributes: Mapping[str, object]) -> SchemaFile:
    """Make a source of a component."""
    raw = {"collectionName": f"components_{uid.replace('.', '_')}", "attributes": attributes}
    return SchemaFile(uid, f"{uid}.json", raw)


def schema_of(*sources: SchemaFile) -> Schema:
    return build_schema(sources)


def tables_of(schema: Schema) -> tuple[TableMap, MetaData]:
    table_map = map_tables(schema)
    return table_map, build_metadata(schema, table_map, COLUMN_TYPES)


def connect(path: str = ":memory:") -> apsw.Connection:
    connection = apsw.Connection(path)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def new_database(metadata: MetaData) -> apsw.Connection:
    connection = connect()
    run(connection, create_program(metadata, WRITER))
    return connection


def run(connection: apsw.Connection, program: Program[T]) -> T:
    """Run a program to its end, each statement by itself."""
    return run_program(program, lambda one: connection.execute(one.sql, one.values).fetchall())


def found_in(connection: apsw.Connection) -> FoundTables:
    return run(connection, SQLITE_INSPECTOR.tables())
