"""A Strapi project of a few files, served in process."""

import atexit
import json
import shutil
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from quire.app import Application, build_app
from quire.schema.model import Schema
from quire.seeding.import_content import seed
from quire.seeding.load import read_content
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.databases.environment import read_environment, write_environment
from tests.databases.kind import Kind
from tests.unit.schema.trees import Json, write_tree

ACTIONS = ("find", "findOne", "create", "update", "delete")


class Site:
    """The running project, asked over HTTP."""

    def __init__(self, app: Application, client: AsgiClient) -> None:
        self.app = app
        self._client = client

    async def get(self, target: str, headers: Mapping[str, str] | None = None) -> ClientResponse:
        """Send a GET request for a path under ``/api/``."""
        return await self._client.request("GET", f"/api/{target}", dict(headers or {}), b"")

    async def send(
        self, method: str, target: str, body: object = None, token: str | None = None
    ) -> ClientResponse:
        """Send a request with a JSON body, for the holder of a token if there is one."""
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        return await self._client.request(method, f"/api/{target}", headers, content)

    async def data(self, target: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return the ``data`` of a successful GET request."""
        response = await self.get(target)
        assert response.status == 200, response.content
        return json.loads(response.content)["data"]

    async def create(self, target: str, **data: object) -> dict[str, Any]:
        """Create a document and return it."""
        response = await self.send("POST", target, {"data": data})
        assert response.status == 201, response.content
        created: dict[str, Any] = json.loads(response.content)["data"]
        return created


@asynccontextmanager
async def serving(
    kind: Kind,
    folder: Path,
    *files: Mapping[str, Json | str],
    public: Iterable[str] | None = None,
) -> AsyncIterator[Site]:
    """Write a project into a folder, make its database, and serve it.

    ``public`` are the actions that everybody may take; all of the project's types by default.
    """
    described = folder / "files"
    write_tree(described, *files)
    schema = load_project_schema(load_settings(described, environ={}))
    allowed = public
    if allowed is None:
        allowed = [f"{one.uid}.{action}" for one in schema.api_types for action in ACTIONS]
    project = kind.copy(await _template(kind, schema, tuple(allowed)), folder / "project")
    database = read_environment(project)
    write_tree(project, *files)  # maybe an environment, which says nothing of the database
    write_environment(project, database)
    app = build_app(load_settings(project, environ={}))
    try:
        async with running(app) as client:
            yield Site(app, client)
    finally:
        kind.release(project)


_templates: dict[tuple[str, str, tuple[str, ...]], Path] = {}


async def _template(kind: Kind, schema: Schema, public: tuple[str, ...]) -> Path:
    """Return a folder with the database of a schema, made when it is first wanted, to be copied."""
    known = (kind.name, schema.version, public)
    if known not in _templates:
        folder = Path(mkdtemp(prefix="quire-site-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        kind.settle(folder)
        manifest = {
            "locales": [{"code": "en", "name": "English (en)", "default": True}],
            "documents": [],
            "public": list(public),
        }
        write_tree(folder, {"content/manifest.json": manifest})
        content = read_content(folder / "content", schema)
        await seed(load_settings(folder, environ={}), schema, content, lambda _: None)
        kind.cipher(folder)
        _templates[known] = folder
    return _templates[known]
