"""Compiles plans of the library."""

from quire.database.compile.compiled_read import CompiledRead
from quire.database.compile.compiler import compile_read
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.query.plan import ReadPlan
from tests.library.model import library_schema, library_tables


def compiled(plan: ReadPlan) -> CompiledRead:
    """Compile a plan for SQLite."""
    return compile_read(plan, library_schema(), library_tables(), SqliteDialect())
