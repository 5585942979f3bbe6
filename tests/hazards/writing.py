"""Writes to a newsroom through the content API, and reads its rows."""

import json
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quire.app import Application
from quire.cli.check_database import check_database
from quire.settings import Settings, load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import ClientResponse
from tests.databases.kinds import kind_of, rows_of
from tests.hazards.newsroom import JsonObject
from tests.hazards.visitors import FULL, RecordingDatabase, Visitor, Who, serving

JSON_HEADERS = {"Content-Type": "application/json"}

_known: dict[tuple[str, str], set[str]] = {}
"""What ``quire check`` finds in a newsroom as it was made, by kind of database and schema."""


class Editor:
    """Sends writes as any principal, with these defaults."""

    def __init__(self, ask: Visitor, settings: Settings) -> None:
        self.ask = ask
        self.settings = settings
        schema = load_project_schema(settings)
        key = (kind_of(settings.project).name, schema.version)
        if key not in _known:
            _known[key] = self._findings()
        self._known = _known[key]

    @property
    def app(self) -> Application:
        """The application of the newsroom."""
        return self.ask.application

    async def send(
        self,
        method: str,
        target: str,
        body: object = None,
        who: Who = FULL,
        headers: dict[str, str] | None = None,
    ) -> ClientResponse:
        """Send a body as JSON to a target below ``/api/``; bytes are sent as they are."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.ask.send(
            method, f"/api/{target}", who, {**JSON_HEADERS, **(headers or {})}, raw
        )

    async def create(self, target: str, data: object, who: Who = FULL) -> ClientResponse:
        return await self.send("POST", target, {"data": data}, who)

    async def update(self, target: str, data: object, who: Who = FULL) -> ClientResponse:
        return await self.send("PUT", target, {"data": data}, who)

    async def delete(self, target: str, who: Who = FULL) -> ClientResponse:
        return await self.send("DELETE", target, None, who)

    async def batch(self, *operations: object, who: Who = FULL) -> ClientResponse:
        return await self.send("POST", "_batch", {"operations": list(operations)}, who)

    async def made(self, target: str, **data: object) -> str:
        """Create a document and return its id."""
        document_id: str = shown(await self.create(target, data), status=201)["documentId"]
        return document_id

    async def document_id(self, target: str, name: str, value: str) -> str:
        """The id of the one document, draft or not, whose attribute has a value."""
        response = await self.ask(f"{target}?filters[{name}]={value}&status=draft&locale=*", FULL)
        (found,) = {entry["documentId"] for entry in json.loads(response.content)["data"]}
        return str(found)

    async def entry(self, target: str) -> JsonObject:
        """Read one entry."""
        return shown(await self.ask(target, FULL))

    def sql(self, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
        """Run a query on the database itself."""
        with rows_of(self.settings.project) as rows:
            return rows.execute(statement, values)

    def contents(self) -> dict[str, list[tuple[Any, ...]]]:
        """All rows of all tables of content; when a token was last used is none."""
        with rows_of(self.settings.project) as rows:
            return {
                table: rows.execute(f'SELECT * FROM "{table}" ORDER BY 1')
                for table in rows.tables()
                if not table.startswith("strapi_")
            }

    def watch(self) -> RecordingDatabase:
        """Record the statements of writes from now on."""
        documents = self.ask.application.documents
        assert documents is not None
        watched = RecordingDatabase(documents._database)  # noqa: SLF001 - where all writes go through
        documents._database = watched  # noqa: SLF001
        return watched

    def unwatch(self, watched: RecordingDatabase) -> None:
        documents = self.ask.application.documents
        assert documents is not None
        documents._database = watched.inner  # noqa: SLF001

    def assert_sound(self) -> None:
        """``quire check`` finds nothing that it did not find in the beginning."""
        assert self._findings() - self._known == set()

    def _findings(self) -> set[str]:
        schema = load_project_schema(self.settings)
        with ThreadPoolExecutor(1) as archive:  # the check has a separate event loop
            report = archive.submit(check_database, self.settings, schema).result()
        return {*map(str, report.findings), *report.problems, *report.damage}


@asynccontextmanager
async def serve_editor(project: Path, **overrides: object) -> AsyncIterator[Editor]:
    """Serve a newsroom as `serving` does."""
    async with serving(project, **overrides) as visitor:
        yield Editor(visitor, load_settings(project, environ={}))


def shown(response: ClientResponse, status: int = 200) -> JsonObject:
    """The entry in a response."""
    assert response.status == status, response.content
    data: JsonObject = json.loads(response.content)["data"]
    return data


def results(response: ClientResponse) -> list[JsonObject]:
    """The results of a batch."""
    assert response.status == 200, response.content
    data: list[JsonObject] = json.loads(response.content)["data"]
    return data
