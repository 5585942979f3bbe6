"""Caches compiled statements by plan."""

from threading import Lock

from quire.database.compile.compiled_read import CompiledRead
from quire.database.compile.read_plan import compile_read
from quire.database.dialect import Dialect
from quire.database.lru import BoundedCache
from quire.database.tables.table_map import TableMap
from quire.query.plan import ReadPlan
from quire.schema.model import Schema


class CompiledPlans:
    """Compiles plans for one database; at most ``size`` of them are remembered.

    It may be asked from several threads: that of the writer among them.
    """

    def __init__(self, schema: Schema, tables: TableMap, dialect: Dialect, size: int) -> None:
        self._schema = schema
        self._tables = tables
        self._dialect = dialect
        self._compiled: BoundedCache[ReadPlan, CompiledRead] = BoundedCache(size)
        self._lock = Lock()

    def compiled(self, plan: ReadPlan) -> CompiledRead:
        """Return the statements of a plan."""
        with self._lock:
            found = self._compiled.get(plan)
            if found is None:
                found = compile_read(plan, self._schema, self._tables, self._dialect)
                self._compiled[plan] = found
            return found
