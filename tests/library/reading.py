"""Runs reads of the library on a database, up to their JSON."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from quire.access.ability import Ability
from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.dialects.sqlite.file_handles import SqliteOptions
from quire.database.execute.cached_lists import ListCache, StatementCosts
from quire.database.interface import Database
from quire.document_service.read_planner import Mode, ReadPlanner
from quire.document_service.read_service import ReadService
from quire.query.resolve.scope import ReadLimits
from tests.library.model import BOOK, EVERYTHING, library_schema, library_tables


@asynccontextmanager
async def opened(path: Path, **options: Any) -> AsyncIterator[SqliteDatabase]:  # noqa: ANN401 - options
    """Open a file, and let go of it at the end."""
    database = SqliteDatabase(SqliteOptions(path=path, **options))
    try:
        yield database
    finally:
        await database.close()


def reader(
    database: Database,
    *,
    limits: ReadLimits | None = None,
    plan_cache: int = 100,
    count_cache: int = 100,
    page_cache: int = 100,
    costs: StatementCosts | None = None,
) -> ReadService:
    """Return what reads the library for the content API."""
    planner = ReadPlanner(
        library_schema(),
        library_tables(),
        database.dialect,
        limits or ReadLimits(),
        default_locale="en",
        plans=plan_cache,
    )
    lists = ListCache(database.versions, totals=count_cache, pages=page_cache, costs=costs)
    return ReadService(database, planner, lists)


async def read_list(
    asked: ReadService,
    query: str,
    uid: str = BOOK,
    *,
    mode: Mode = "list",
    ability: Ability = EVERYTHING,
) -> list[dict[str, Any]]:
    """Read a list; returns its entries as a client sees them."""
    content_type = asked.schema.content_types[uid]
    prepared = asked.prepare_small(content_type, mode, query.encode("latin-1"), ability)
    items, _ = await asked.rows(prepared, asked.database.version())
    shown: list[dict[str, Any]] = json.loads(msgspec.json.encode(items))
    return shown
