"""Uses a media library by its functions, and by requests for its content."""

import json
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from quire.app import Application, build_app
from quire.database.entries.entry_tables import EntryStore
from quire.document_service.unit_of_work import UnitOfWork
from quire.settings import load_settings
from quire.uploads.service import MediaLibrary
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials

T = TypeVar("T")
JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Desk:
    """A served project."""

    app: Application
    client: AsgiClient
    token: str

    @property
    def library(self) -> MediaLibrary:
        assert self.app.library is not None
        return self.app.library

    @property
    def store(self) -> EntryStore:
        return self.library.rows.store

    async def write(self, act: Callable[[UnitOfWork], Generator[Any, Any, T]]) -> T:
        """Run a program in a unit of work."""
        return await self.library.rows.documents.run(act)

    async def read(self, program: Callable[[EntryStore], Generator[Any, Any, T]]) -> T:
        """Run a program that only reads."""
        return await self.library.rows.database.read(lambda: program(self.store))

    async def send(self, method: str, target: str, data: object = None) -> JsonObject:
        """Send JSON, and return what is answered."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        body = b"" if data is None else json.dumps({"data": data}).encode()
        response = await self.client.request(method, f"/api/{target}", headers, body)
        assert response.status < 300, response.content
        found: JsonObject = json.loads(response.content) if response.content else {}
        return found


@asynccontextmanager
async def open_desk(project: Path, **overrides: object) -> AsyncIterator[Desk]:
    """Serve the recorded project; ``variants=["webp"]`` sets ``uploads.variants``."""
    named = {f"uploads.{name}": value for name, value in overrides.items()}
    app = build_app(load_settings(project, environ={}, overrides=named))
    async with running(app) as client:
        yield Desk(app, client, credentials().api_tokens["full"])
