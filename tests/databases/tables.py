"""Projects without content, whose databases have the tables of a schema and no rows."""

from pathlib import Path

from quire.database.interface import Database
from quire.database.settings_target import target_of
from quire.database.tables.ddl import create_program
from quire.database.tables.metadata import build_metadata
from quire.database.tables.table_map import map_tables
from quire.schema.model import Schema
from quire.settings import load_settings
from tests.databases.kind import Kind


async def lay_tables(kind: Kind, project: Path, schema: Schema) -> Path:
    """Let an empty folder be such a project, of which copies can be made (`Kind.copy`)."""
    kind.settle(project)
    target = target_of(load_settings(project, environ={}))
    metadata = build_metadata(schema, map_tables(schema), target.kind.column_types)
    async with target.new() as database:
        await database.write(create_program(metadata, target.kind.ddl))
    kind.cipher(project)
    return project


async def open_database(project: Path, **overrides: object) -> Database:
    """Open the database of a project; what is overridden are settings of ``database``."""
    settings = {f"database.{name}": value for name, value in overrides.items()}
    return await target_of(load_settings(project, environ={}, overrides=settings)).open()
