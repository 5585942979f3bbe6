"""The ``Server-Timing`` header in development.

Browsers show it with each request. ``authenticate`` is the authentication, ``resolve`` the
preparation of the query (missing if it is cached), ``database`` all statements, with their number.
Functions of the project's code have their own names; a function's time includes its statements.
Only stages that ran are listed; statements of ``authenticate`` count in both. A server in
production does not use these classes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from quire.access.ability import Ability
from quire.access.principal import Principal
from quire.auth.authenticator import Authenticator
from quire.content_api.http_messages import AsgiApp, AsgiReceive, AsgiScope, AsgiSend
from quire.database.execute.prepared_read import PreparedRead
from quire.database.interface import Database
from quire.database.observed_database import ObservedDatabase
from quire.database.program import Program, Statement, is_query
from quire.document_service.read_planner import Mode, Query, ReadPlanner
from quire.hooks.function_times import FunctionTimes, function_times
from quire.schema.model import ContentType

T = TypeVar("T")


class Timings:
    """Milliseconds by stage, and the number of statements, of one request."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}
        self.functions: FunctionTimes = {}
        self.statements = 0

    def count(self, statement: Statement) -> None:  # noqa: ARG002 - for those who list them
        """Count a statement that is about to run."""
        self.statements += 1

    def observe(self, make: Callable[[], Program[T]]) -> Callable[[], Program[T]]:
        """Count the statements of programs."""
        return lambda: _count_statements(make(), self)

    @contextmanager
    def measure(self, target: str) -> Iterator[None]:
        """Add the time of a block to a stage."""
        start_time = time.perf_counter()
        try:
            yield
        finally:
            self.add(target, time.perf_counter() - start_time)

    def add(self, target: str, seconds: float) -> None:
        """Add seconds to a stage."""
        self.spent[target] = self.spent.get(target, 0.0) + seconds * 1000

    def header(self) -> bytes:
        """Return the value of the header."""
        functions = (
            f'{name};desc="function";dur={seconds * 1000:.3f}'
            for name, seconds in self.functions.items()
            if name.isascii()
        )
        stages = (self._metric(target, seconds) for target, seconds in self.spent.items())
        return ", ".join((*functions, *stages)).encode()

    def _metric(self, target: str, seconds: float) -> str:
        description = f';desc="{self.statements} statements"' if target == "database" else ""
        return f"{target}{description};dur={seconds:.3f}"


_present: ContextVar[Timings | None] = ContextVar("timings", default=None)


@contextmanager
def collect_timings(timings: Timings) -> Iterator[None]:
    """Collect the timings of a block."""
    token = _present.set(timings)
    try:
        yield
    finally:
        _present.reset(token)


def _timings() -> Timings:
    """Return those of the present request; unused ones outside of requests."""
    return _present.get() or Timings()


class ServerTiming:
    """An ASGI application that adds the header to the responses of another one."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Handle one HTTP request."""
        timings = Timings()
        _present.set(timings)
        function_times.set(timings.functions)
        start_time = time.perf_counter()

        async def send_with_timing(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                timings.spent["total"] = (time.perf_counter() - start_time) * 1000
                headers = message.get("headers", ())
                message = {**message, "headers": [*headers, (b"server-timing", timings.header())]}  # type: ignore[misc]  # pairs, by ASGI
            await send(message)

        await self._app(scope, receive, send_with_timing)  # type: ignore[arg-type]  # messages are dicts


def timed_database(database: Database) -> Database:
    """Return a wrapper that adds all operations to the ``database`` of the present request."""
    return ObservedDatabase(database, lambda _: _add_database_time, _present.get)


def _add_database_time(seconds: float) -> None:
    _timings().add("database", seconds)


def _count_statements(program: Program[T], timings: Timings) -> Program[T]:
    try:
        statement = next(program)
        while True:
            if is_query(statement):
                timings.count(statement)
            rows = yield statement
            statement = program.send(rows)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]  # the program's own result


class TimedPlanner(ReadPlanner):
    """A planner that measures ``resolve``."""

    async def prepare(
        self,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
        may_wait: bool = True,
    ) -> PreparedRead:
        """Prepare a query, and measure it."""
        with _timings().measure("resolve"):
            return await super().prepare(
                content_type, mode, query, ability, computes=computes, may_wait=may_wait
            )


class TimedAuthenticator(Authenticator):
    """An authenticator that measures results that are not cached."""

    reads_role_names = True

    async def principal(self, header: bytes | None, version: int | None) -> Principal:
        """Authenticate a request, and measure it."""
        with _timings().measure("authenticate"):
            return await super().principal(header, version)
