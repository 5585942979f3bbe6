"""A PostgreSQL database as a `DatabaseTarget`."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import asyncpg

from quire.database.dialects.postgresql.client_programs import dump_database, restore_database
from quire.database.dialects.postgresql.connection import (
    PostgresConnection,
    PostgresOptions,
    open_connection,
)
from quire.database.dialects.postgresql.ddl import COLUMN_TYPES, PostgresDdl, quote
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.postgresql.driver import PostgresDatabase, connect, read_session
from quire.database.dialects.postgresql.errors import DRIVER_ERRORS, translate
from quire.database.dialects.postgresql.integrity_check import damage_program, foreign_keys_program
from quire.database.dialects.postgresql.timestamps import wall_clock
from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.tables.inspection import Inspector
from quire.database.target import DatabaseKind
from quire.errors import DatabaseOpenError, ServiceUnavailableError, os_error_reason
from quire.settings import Settings

_NAMES = """
SELECT c.relname::text FROM pg_catalog.pg_class AS c
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p')
"""
_COLUMNS = """
SELECT c.relname::text, a.attname::text,
  replace(format_type(a.atttypid, a.atttypmod), 'character varying', 'varchar'), a.attnotnull,
  pg_get_expr(d.adbin, d.adrelid)
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p')
ORDER BY c.relname, a.attnum
"""
_COLUMN_NAMES = """
SELECT c.relname::text, a.attname::text FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p')
"""
_COLUMNS_OF_TABLE = """
SELECT a.attname::text FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND c.relkind IN ('r', 'p') AND c.relname = $1
"""
_INDEXES = """
SELECT c.relname::text, i.relname::text, x.indisunique, x.indpred IS NOT NULL, a.attname::text
FROM pg_catalog.pg_index AS x
JOIN pg_catalog.pg_class AS c ON c.oid = x.indrelid
JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid
CROSS JOIN LATERAL unnest(x.indkey::int2[]) WITH ORDINALITY AS k(number, place)
LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number
WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
  AND k.place <= x.indnkeyatts
  AND x.indisvalid AND NOT x.indisprimary
ORDER BY c.relname, i.relname, k.place
"""
_INDEXES_OF_TABLE = """
SELECT indexname::text FROM pg_catalog.pg_indexes
WHERE schemaname = current_schema() AND tablename = $1
"""
_FOREIGN_KEYS = """
SELECT c.relname::text, a.attname::text, t.relname::text,
  CASE f.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
    WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END
FROM pg_catalog.pg_constraint AS f
JOIN pg_catalog.pg_class AS c ON c.oid = f.conrelid
JOIN pg_catalog.pg_class AS t ON t.oid = f.confrelid
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = f.conkey[1]
WHERE f.contype = 'f'
  AND c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
"""

T = TypeVar("T")

OLDEST_VERSION = 14
"""The oldest version of PostgreSQL that is supported."""

_POOLER_REFUSAL = "unsupported startup parameter"
_POOLER_HINT = (
    "Behind PgBouncer in transaction mode, set `pooler = true` in [database] of quire.toml."
)

_TABLE_LOCKED = (
    "Another program has locked a table of the database, and does not release it in time"
)

_READ = """
SELECT t.relname::text, pg_catalog.pg_sequence_last_value(s.oid)
FROM pg_catalog.pg_class AS s
JOIN pg_catalog.pg_depend AS d ON d.objid = s.oid AND d.deptype IN ('a', 'i')
  AND d.classid = 'pg_catalog.pg_class'::regclass
JOIN pg_catalog.pg_class AS t ON t.oid = d.refobjid
WHERE s.relkind = 'S'
  AND t.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())
"""


POSTGRES_INSPECTOR = Inspector(
    select_tables=_NAMES,
    select_columns=_COLUMNS,
    select_column_names=_COLUMN_NAMES,
    select_columns_of_table=_COLUMNS_OF_TABLE,
    select_indexes=_INDEXES,
    select_indexes_of_table=_INDEXES_OF_TABLE,
    select_foreign_keys=_FOREIGN_KEYS,
)


class SingleConnection:
    """A connection that runs one program after the other, for reads and for initial rows."""

    def __init__(self, connection: PostgresConnection) -> None:
        self._connection = connection

    async def run(self, program: Program[T]) -> T:
        """Run a program that only reads. Raises what the server would raise."""
        try:
            return await self._connection.run(program)
        except asyncpg.LockNotAvailableError as error:
            raise ServiceUnavailableError(_TABLE_LOCKED) from error
        except DRIVER_ERRORS as error:
            raise translate(error) from error

    async def write(self, program: Program[T]) -> T:
        """Run a program in one transaction: all of it is committed, or nothing."""
        async with self._transaction():
            return await self._connection.run(program)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        try:
            async with self._connection.transaction():
                yield
        except DRIVER_ERRORS as error:
            raise translate(error) from error


class PostgresCounters:
    """See `quire.database.target.Counters`."""

    def read(self) -> Program[Mapping[str, int]]:
        """Return the highest id that each table has given."""
        rows = yield Statement(_READ)
        return {str(name): int(highest) for name, highest in rows if highest is not None}

    def raise_to(self, table: str, highest: int) -> Program[None]:
        """Set the next id of a table above this one, and above those of its rows."""
        name = quote(table)
        text = name.replace("'", "''")
        yield Statement(
            f"SELECT setval(pg_get_serial_sequence('{text}', 'id'), "  # noqa: S608 - a table's name
            f"greatest($1::bigint, found.id, 1), greatest($1::bigint, found.id) > 0) "
            f"FROM (SELECT coalesce(max(id), 0) AS id FROM {name}) AS found "
            f"WHERE pg_get_serial_sequence('{text}', 'id') IS NOT NULL",
            (highest,),
        )


class PostgresStatistics:
    """See `quire.database.planner_statistics.Statistics`."""

    def row_counts(self) -> Program[Mapping[str, int]]:
        """See `Statistics.row_counts`."""
        yield from ()
        return {}

    def gather(self, table: str) -> Sequence[str]:
        """See `Statistics.gather`."""
        return (f"ANALYZE {quote(table)}",)


def postgres_options(settings: Settings) -> PostgresOptions:
    """Return the options of the project's PostgreSQL database.

    Raises ConfigurationError for an unknown time zone.
    """
    database = settings.database
    return PostgresOptions(
        dsn=database.url,
        host=database.host,
        port=database.port,
        name=database.name,
        username=database.username,
        password=database.password,
        schema=database.schema,
        ssl=database.ssl,
        ssl_verify=database.ssl_verify,
        connections=database.pool_max,
        timeout_ms=database.read_timeout_ms,
        lock_timeout_ms=database.busy_timeout_ms,
        queue_timeout_ms=database.pool_timeout_ms,
        connect_timeout_ms=database.connect_timeout_ms,
        pooler=database.pooler,
        replicas=database.replicas,
        replica_wait_ms=database.replica_wait_ms,
        clock=wall_clock(database.timezone),
    )


class PostgresTarget:
    """A PostgreSQL database (a `DatabaseTarget`)."""

    def __init__(self, options: PostgresOptions) -> None:
        self._options = options
        self.place = _describe_database(options)
        self.kind = DatabaseKind(
            dialect=lambda: PostgresDialect(options.clock),
            column_types=COLUMN_TYPES,
            ddl=PostgresDdl(),
            inspector=POSTGRES_INSPECTOR,
            counters=PostgresCounters(),
            statistics=PostgresStatistics(),
            damage=damage_program,
            broken_references=foreign_keys_program,
        )

    async def has_tables(self) -> bool:
        """See `DatabaseTarget.has_tables`."""
        async with self.look() as connection:
            return bool(await connection.run(self.kind.inspector.table_names()))

    @asynccontextmanager
    async def look(self) -> AsyncIterator[SingleConnection]:
        """See `DatabaseTarget.look`; a program that begins with BEGIN sees one state."""
        connection = await self._connect(
            default_transaction_read_only="on",
            default_transaction_isolation="repeatable read",
            lock_timeout=str(self._options.lock_timeout_ms),
        )
        try:
            yield SingleConnection(connection)
        finally:
            await connection.close()

    async def open_checked(
        self, make: Callable[[], Program[T]], require: Callable[[T], None]
    ) -> Database:
        """See `DatabaseTarget.open_checked`; the connection is kept for reads."""
        options = self._options
        connection = await self._connect(**read_session(options))
        try:
            if not options.pooler:  # a pooler may run the next transaction on another connection
                await connection.execute(
                    f"SET statement_timeout = 0; SET lock_timeout = {options.lock_timeout_ms}"
                )
            require(await SingleConnection(connection).run(make()))
            if not options.pooler:
                await connection.execute("RESET statement_timeout; RESET lock_timeout")
        except BaseException:
            await connection.close()
            raise
        return PostgresDatabase(options, connection)

    @asynccontextmanager
    async def fill(self) -> AsyncIterator[SingleConnection]:
        """See `DatabaseTarget.fill`; foreign keys do not exist yet, or go with their tables."""
        connection = await self._connect(synchronous_commit="off")
        try:
            await self._make_schema(connection)
            yield SingleConnection(connection)
        finally:
            await connection.close()

    async def _connect(self, **session: str) -> PostgresConnection:
        try:
            connection = await open_connection(self._options, **session)
        except (*DRIVER_ERRORS, ValueError) as error:
            raise DatabaseOpenError(self._refusal(error)) from error
        version = connection.get_server_version().major
        if version < OLDEST_VERSION:
            await connection.close()
            raise DatabaseOpenError(
                f"The {self.place} runs on PostgreSQL {version}: "
                f"Quire needs {OLDEST_VERSION} or newer."
            )
        return connection

    def _refusal(self, error: Exception) -> str:
        if isinstance(error, asyncpg.InvalidCatalogNameError):
            return f"{self.place} does not exist. Create it with CREATE DATABASE."
        reason = os_error_reason(error) if isinstance(error, OSError) else str(error)
        refusal = f"The {self.place} cannot be reached: {reason or type(error).__name__}"
        return f"{refusal}\n{_POOLER_HINT}" if _POOLER_REFUSAL in refusal else refusal

    async def open(self) -> Database:
        """See `DatabaseTarget.open`."""
        return await connect(self._options)

    async def _make_schema(self, connection: PostgresConnection) -> None:
        """Create the schema that the settings name, which Strapi does not need."""
        name = quote(self._options.schema)
        try:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")
        except asyncpg.PostgresError as error:
            raise DatabaseOpenError(self._refusal(error)) from error

    @asynccontextmanager
    async def new(self) -> AsyncIterator[Database]:
        """See `DatabaseTarget.new`; the database exists, and is filled by one write."""
        connection = await self._connect()
        try:
            await self._make_schema(connection)
        finally:
            await connection.close()
        database = await connect(self._options)
        try:
            yield database
        finally:
            # What was written is committed: an interruption must not make callers undo their part.
            with suppress(asyncio.CancelledError):
                await database.close()

    dump_name = "database.pgdump"

    async def dump(self, path: Path) -> None:
        """See `DatabaseTarget.dump`."""
        async with self.look():  # raises the best error for an unreachable server
            await dump_database(self._options, path)

    async def restore(self, path: Path) -> None:
        """See `DatabaseTarget.restore`; a server that is in a transaction is waited for a while."""
        async with self.look() as connection:
            tables = await connection.run(self.kind.inspector.table_names())
        await restore_database(self._options, path, tables)


def _describe_database(options: PostgresOptions) -> str:
    """Name the database, without the password."""
    hosts, name = f"{options.host}:{options.port}", options.name
    if options.dsn is not None:
        parts = urlsplit(options.dsn)
        name = unquote(parts.path.lstrip("/")) or name
        addresses = parts.netloc.rpartition("@")[2]  # one server, or several separated by commas
        hosts = ", ".join(_with_port(host) for host in (addresses or options.host).split(","))
    return f"PostgreSQL database {name} on {hosts}"


def _with_port(host: str) -> str:
    has_port = host.rpartition(":")[2].isdecimal() and not host.endswith("]")
    return host if has_port else f"{host}:5432"
