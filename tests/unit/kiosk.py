"""A small runnable project: a kiosk with papers in two languages, and their authors."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from quire.app import Application, build_app
from quire.document_service.service import DocumentService
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.settings import Settings, load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.unit.schema.trees import component_file, type_file, write_tree

JsonObject = dict[str, Any]

PAPER, WRITER, MASTHEAD = (f"api::{name}.{name}" for name in ("paper", "writer", "masthead"))
_LOCALIZED: JsonObject = {"pluginOptions": {"i18n": {"localized": True}}}
_WRITER = {"type": "relation", "relation": "manyToOne", "target": WRITER, "inversedBy": "papers"}
_PAPERS = {"type": "relation", "relation": "oneToMany", "target": PAPER, "mappedBy": "writer"}
SCHEMA = (
    type_file(
        "paper",
        {
            "title": {"type": "string", "required": True, "maxLength": 40, **_LOCALIZED},
            "price": {"type": "decimal"},
            "printed": {"type": "datetime"},
            "sold": {"type": "boolean"},
            "margin": {"type": "string", "private": True},
            "lock": {"type": "password"},
            "writer": _WRITER,
            "lines": {"type": "component", "component": "part.line", "repeatable": True},
        },
        options={"draftAndPublish": True},
        **_LOCALIZED,
    ),
    type_file("writer", {"name": {"type": "string"}, "papers": _PAPERS}),
    type_file("masthead", {"motto": {"type": "string"}}, kind="singleType"),
    component_file(
        "part.line",
        {"text": {"type": "string"}, "hint": {"type": "string", "private": True}},
    ),
)
MANIFEST = {
    "locales": [
        {"code": "en", "name": "English (en)", "default": True},
        {"code": "fr", "name": "French (fr)"},
    ],
    "documents": [],
    "public": [
        f"{uid}.{action}"
        for uid in (PAPER, WRITER)
        for action in ("find", "findOne", "create", "update", "delete")
    ],
}


class Kiosk:
    """The running project: asked over HTTP by visitors, who may do anything, or from inside."""

    def __init__(self, app: Application, client: AsgiClient) -> None:
        assert app.documents is not None
        self.app = app
        self.documents: DocumentService = app.documents
        self._client = client

    async def send(
        self, method: str, target: str, data: Mapping[str, object] | None = None
    ) -> ClientResponse:
        headers = {"Content-Type": "application/json"}
        body = b"" if data is None else json.dumps({"data": data}).encode()
        return await self._client.request(method, f"/api/{target}", headers, body)

    async def sent(
        self, method: str, target: str, data: Mapping[str, object] | None = None
    ) -> JsonObject:
        """Send a request that is answered with a document, and return it."""
        response = await self.send(method, target, data)
        assert response.status in (200, 201), response.content
        document: JsonObject = json.loads(response.content)["data"]
        return document


async def make_kiosk(folder: Path) -> Settings:
    """Make the project in an empty folder."""
    write_tree(folder, *SCHEMA, {"content/manifest.json": MANIFEST})
    settings = load_settings(folder, environ={})
    schema = load_project_schema(settings)
    await seed(settings, schema, read_content(folder / "content", schema), lambda _: None)
    return settings


@asynccontextmanager
async def open_kiosk(folder: Path) -> AsyncIterator[Kiosk]:
    """Make the project in an empty folder, and run it."""
    app = build_app(await make_kiosk(folder))
    async with running(app) as client:
        yield Kiosk(app, client)
