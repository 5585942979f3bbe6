"""Sends requests to the newsroom as any principal, and records the SQL statements."""

import json
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from quire.app import Application, build_app
from quire.auth.jwt_and_api_tokens import issue_jwt
from quire.clock import now_ms
from quire.database.interface import Database, DatabaseWrapper, WouldBlockError
from quire.database.program import Program, Statement
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.hazards.newsroom import API_TOKENS, ENVIRONMENT, USER_IDS, JsonObject

T = TypeVar("T")

ANON = None
READER, CLERK, READONLY, FULL = "reader", "clerk", "readonly", "full"
WRITER = "writer"
"""Writes articles and finds categories, and nothing else."""
UPLOADER = "uploader"
"""Uploads files, and nothing else."""
EVERYBODY = (ANON, READER, CLERK, READONLY, FULL)

Who = str | None
"""Nobody in particular, the name of an end user, or that of an API token."""


class RecordingDatabase(DatabaseWrapper):
    """A database that records the statements that it runs.

    Of a read that is begun again, as when somebody commits meanwhile, only the last time counts.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.inner = database
        self.statements: list[Statement] = []

    async def read(
        self, make: Callable[[], Program[T]], *, snapshot: bool = False, key: Hashable = None
    ) -> T:
        before = len(self.statements)

        def begin() -> Program[T]:
            del self.statements[before:]
            return self._watch(make())

        return await self._database.read(begin, snapshot=snapshot, key=key)

    async def read_at(
        self, version: int, make: Callable[[], Program[T]], *, key: Hashable = None
    ) -> T | None:
        before = len(self.statements)

        def begin() -> Program[T]:
            del self.statements[before:]
            return self._watch(make())

        found = await self._database.read_at(version, begin, key=key)
        if found is None:
            del self.statements[before:]
        return found

    def read_now(
        self, make: Callable[[], Program[T]], *, key: Hashable, version: int | None = None
    ) -> T:
        before = len(self.statements)
        try:
            return self._database.read_now(lambda: self._watch(make()), key=key, version=version)
        except WouldBlockError:
            del self.statements[before:]
            raise

    async def write(self, program: Program[T]) -> T:
        return await self._database.write(self._watch(program))

    def _watch(self, program: Program[T]) -> Program[T]:
        try:
            statement = next(program)
            while True:
                self.statements.append(statement)
                rows = yield statement
                statement = program.send(rows)
        except StopIteration as done:
            result: T = done.value
            return result


class Visitor:
    """Sends GET requests to one application."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._client = AsgiClient(application)
        self._tokens = {
            name: issue_jwt(id_, ENVIRONMENT["JWT_SECRET"], timedelta(days=1), now_ms())
            for name, id_ in USER_IDS.items()
        } | API_TOKENS

    async def __call__(
        self, target: str, who: Who = ANON, headers: Mapping[str, str] | None = None
    ) -> ClientResponse:
        """Ask for a target below ``/api/``, a query string included."""
        return await self.send("GET", f"/api/{target}", who, headers)

    async def send(
        self,
        method: str,
        target: str,
        who: Who = ANON,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        """Send any request; ``target`` begins with a slash."""
        known = {} if who is None else {"Authorization": f"Bearer {self._tokens[who]}"}
        return await self._client.request(method, target, {**known, **(headers or {})}, body)

    def watch(self) -> RecordingDatabase:
        """Record the statements of the content API from now on."""
        reader = self.application.reader
        assert reader is not None
        watched = RecordingDatabase(reader.database)
        reader.database = watched
        return watched

    def unwatch(self, watched: RecordingDatabase) -> None:
        reader = self.application.reader
        assert reader is not None
        reader.database = watched.inner


@asynccontextmanager
async def serving(project: Path, **overrides: object) -> AsyncIterator[Visitor]:
    """Serve a project; ``limits__rows=5`` sets ``limits.rows``."""
    named = {name.replace("__", "."): value for name, value in overrides.items()}
    application = build_app(load_settings(project, environ={}, overrides=named))
    async with running(application):
        yield Visitor(application)


def error(response: ClientResponse) -> JsonObject:
    """The error in a response."""
    found: JsonObject = json.loads(response.content)["error"]
    return found


def rows(response: ClientResponse) -> list[JsonObject]:
    """The entries of a list."""
    assert response.status == 200, response.content
    found: list[JsonObject] = json.loads(response.content)["data"]
    return found


def total(response: ClientResponse) -> int:
    """The total of a list."""
    count: int = json.loads(response.content)["meta"]["pagination"]["total"]
    return count
