"""Connections to PostgreSQL, set up for the dialect."""

import asyncio
import socket
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar, cast

import asyncpg
from msgspec import Struct, field

from quire.database.dialects.postgresql import id_arrays
from quire.database.dialects.postgresql.timestamps import WallClock
from quire.database.program import (
    LONG_COMPUTATION,
    Operand,
    Program,
    Rows,
    Statement,
    loop_callback,
)

_STATEMENTS = 500
"""How many prepared statements a connection keeps."""
_WATCHFUL: Mapping[str, int] = MappingProxyType(
    {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4, "TCP_USER_TIMEOUT": 30_000}
)
"""Probe a silent server after 10 seconds and every 5 after that; give up after some failures."""
_ALIASES = (("timestamp", "int8"), ("timestamptz", "int8"), ("date", "text"), ("time", "text"))
"""Types that are sent and received in the form of another type, without a call per value."""
_FORMATS: Mapping[str, str] = MappingProxyType({"int8": "binary", "text": "text"})

_SCHEMA_STATEMENTS = ("ALTER ", "CREATE ", "DROP ", "DO ")
"""First words of statements that change tables; prepared statements may be invalid after them."""


_compute_executor = ThreadPoolExecutor(1, thread_name_prefix="quire-compute")


class PostgresOptions(Struct, frozen=True, kw_only=True):
    """Where the database is, and how this process connects to it.

    ``dsn`` is the address; without it the parts are used. Of ``connections``, one writes, one asks
    for the content version (if there are three or more), and the others read. ``timeout_ms`` is how
    long a statement that reads may take, ``lock_timeout_ms`` how long a write may wait for those of
    others, ``queue_timeout_ms`` how long anything may wait for a connection, and
    ``connect_timeout_ms`` for a new one. With a ``pooler`` that reassigns connections after each
    transaction, no state is kept in a connection. ``replicas`` are the addresses of standbys that
    reads are sent to; a read waits ``replica_wait_ms`` for one to catch up.
    """

    dsn: str | None = None
    host: str = "localhost"
    port: int = 5432
    name: str = "strapi"
    username: str = "strapi"
    password: str | None = None
    schema: str = "public"
    ssl: bool = False
    ssl_verify: bool = True
    connections: int = 10
    timeout_ms: int = 30_000
    lock_timeout_ms: int = 5000
    queue_timeout_ms: int = 15_000
    connect_timeout_ms: int = 5000
    pooler: bool = False
    replicas: tuple[str, ...] = ()
    replica_wait_ms: int = 100
    clock: WallClock = field(default_factory=WallClock)


T = TypeVar("T")


class _ProgramResult(NamedTuple, Generic[T]):
    """The result of a program."""

    value: T


def _resume(resumed: asyncio.Future[None]) -> None:
    """Let a program continue, unless its task was cancelled."""
    if not resumed.done():
        resumed.set_result(None)


def _compute(program: Program[T]) -> Statement | _ProgramResult[T]:
    """Run a program that has announced a long computation up to its next statement or its end."""
    try:
        return program.send([])
    except StopIteration as done:
        return _ProgramResult(done.value)


class PostgresConnection(asyncpg.Connection):
    """A connection that runs programs, and fetches no more rows than were asked for."""

    epoch = 0

    def forget_statements(self, epoch: int) -> None:
        """Forget all prepared statements, once per epoch."""
        if epoch != self.epoch:
            self.epoch = epoch
            self._drop_local_statement_cache()  # type: ignore[attr-defined]  # not among the stubs

    async def rows(self, sql: str, values: Sequence[Operand], max_rows: int | None) -> Rows:
        """Run a statement; returns its rows, at most so many."""
        limit = 0 if max_rows is None else max_rows
        try:
            # The inner part of the driver's `fetch`; the rest would double the time.
            statement = await self._get_statement(sql, None)  # type: ignore[attr-defined]  # not among the stubs
            result = await self._protocol.bind_execute(  # type: ignore[attr-defined]  # likewise
                state=statement,
                args=values,
                portal_name="",
                limit=limit,
                return_extra=False,
                timeout=None,
            )
        except (asyncpg.InvalidCachedStatementError, asyncpg.OutdatedSchemaCacheError):
            # The tables have changed since this was prepared.
            await self.reload_schema_state()
            if self.is_in_transaction():
                raise
            result = await self._execute(sql, values, limit, None)  # type: ignore[attr-defined]  # likewise
        if sql.startswith(_SCHEMA_STATEMENTS):
            # The driver does not prepare again within a transaction.
            await self.reload_schema_state()
        return cast("Rows", result)

    async def run(self, program: Program[T]) -> T:
        """Run the statements of a program, one after the other; returns its result.

        A long computation between two of them runs on another thread.
        """
        loop = asyncio.get_running_loop()
        try:
            sql, values, max_rows = next(program)
            while True:
                if sql is LONG_COMPUTATION.sql:
                    step = await loop.run_in_executor(_compute_executor, _compute, program)
                    if isinstance(step, _ProgramResult):
                        return step.value  # type: ignore[no-any-return]  # the program's own result
                    sql, values, max_rows = step
                elif (begin := loop_callback(sql, values)) is not None:
                    resumed: asyncio.Future[None] = loop.create_future()
                    begin(partial(_resume, resumed))
                    await resumed
                    sql, values, max_rows = program.send([])
                else:
                    sql, values, max_rows = program.send(await self.rows(sql, values, max_rows))
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]  # the program's own result
        except BaseException:
            # End the program now, not when the error is garbage-collected, unless its thread
            # computes.
            with suppress(ValueError):
                program.close()
            raise

    def watch(self) -> None:
        """Detect within half a minute that the server disappeared silently, as in a power cut.

        Otherwise callers would wait for a quarter of an hour.
        """
        sock = self._transport.get_extra_info("socket")  # type: ignore[attr-defined]  # likewise
        if sock is None or sock.family not in {socket.AF_INET, socket.AF_INET6}:
            return
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _WATCHFUL.items():
            option = getattr(socket, name, None)  # not every system has all of these options
            if option is not None:
                sock.setsockopt(socket.IPPROTO_TCP, option, value)


def _arguments(options: PostgresOptions, session: Mapping[str, str]) -> dict[str, Any]:
    """Return the driver's arguments; with a pooler, no settings per connection."""
    settings = {"application_name": "quire"}
    if not options.pooler:
        settings |= {"search_path": _quote_schema(options.schema), "jit": "off", **session}
    arguments: dict[str, Any] = {
        "connection_class": PostgresConnection,
        "server_settings": settings,
        "timeout": options.connect_timeout_ms / 1000,
        "statement_cache_size": 0 if options.pooler else _STATEMENTS,
        "max_cached_statement_lifetime": 0,
    }
    if options.dsn is not None:
        arguments["dsn"] = options.dsn
    else:
        arguments |= {
            "host": options.host,
            "port": options.port,
            "database": options.name,
            "user": options.username,
            "password": options.password,
        }
    if options.ssl:
        arguments["ssl"] = True if options.ssl_verify else "require"
    elif options.dsn is None:
        arguments["ssl"] = False
    return arguments


async def open_connection(options: PostgresOptions, **session: str) -> PostgresConnection:
    """Connect to the database. Raises what the driver raises.

    ``session`` are settings of the server for this connection.
    """
    connection: PostgresConnection = await asyncpg.connect(**_arguments(options, session))
    try:
        connection.watch()
        async with connection.transaction():  # a pooler could change the server in between
            await _set_up(connection)
    except BaseException:
        connection.terminate()
        raise
    return connection


async def _set_up(connection: PostgresConnection) -> None:
    """Register the value formats of the dialect: see `PostgresDialect`."""
    for name, stored_as in _ALIASES:
        await connection.set_builtin_type_codec(
            name, schema="pg_catalog", codec_name=stored_as, format=_FORMATS[stored_as]
        )
    await connection.set_type_codec(
        "numeric", schema="pg_catalog", encoder=str, decoder=float, format="text"
    )
    # The last step of `set_type_codec`, which rejects arrays.
    settings = connection._protocol.get_settings()  # type: ignore[attr-defined]  # noqa: SLF001 - see above
    settings.add_python_codec(
        id_arrays.TYPE,
        id_arrays.NAME,
        "pg_catalog",
        [],
        "scalar",
        id_arrays.pack_ids,
        id_arrays.unpack_ids,
        "binary",
    )


def _quote_schema(schema: str) -> str:
    return '"' + schema.replace('"', '""') + '"'
