"""The recorded project, emptied of articles, categories and tags, and served in process."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quire.app import build_app
from quire.document_service.commands import DiscardDraft, UnpublishDocument
from quire.document_service.service import DocumentService
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials
from tests.databases.kinds import kind_of
from tests.property.documents_machine import ROUTES, Json
from tests.property.documents_model import Key
from tests.reliability.consistency import problems_among

START_MS = 1_798_761_600_000  # later than anything in the recorded project
STEP_MS = 20


class QuireSite:
    """Answers requests on a separate event loop; time passes between them alone."""

    def __init__(self, project: Path) -> None:
        """``project`` is the recorded one, for this site alone."""
        self._project = project
        self._rows = kind_of(project).open(project)
        self._now = START_MS
        self._app = build_app(load_settings(self._project, environ={}), clock=lambda: self._now)
        self._client = AsgiClient(self._app)
        self._token = credentials().api_tokens["full"]
        self._runner = asyncio.Runner()
        self._running = running(self._app)
        self._runner.run(self._running.__aenter__())
        self._empty()
        listed = self.send("GET", "/api/authors?sort=id&pagination[pageSize]=3")
        self.authors: Sequence[str] = [author["documentId"] for author in listed["data"]]

    def close(self) -> None:
        """Stop serving."""
        self._rows.close()
        self._runner.run(self._running.__aexit__(None, None, None))
        self._runner.close()

    def send(self, method: str, target: str, body: Json | None = None) -> Any:  # noqa: ANN401 - any JSON
        """Send a request with full access; return the JSON of the response, which is a success."""
        self._now += STEP_MS
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        content = b"" if body is None else json.dumps(body).encode()
        response = self._runner.run(self._client.request(method, target, headers, content))
        assert response.status in {200, 201, 204}, (method, target, body, response)
        return response.json

    def unpublish(self, key: Key) -> None:
        """Take a published version away."""
        self._now += STEP_MS
        command = UnpublishDocument(uid=_uid(key), document_id=key.document, locale=key.locale)
        self._runner.run(self._documents.perform([command]))

    def discard_draft(self, key: Key) -> None:
        """Make a draft what is published."""
        self._now += STEP_MS
        command = DiscardDraft(uid=_uid(key), document_id=key.document, locale=key.locale)
        self._runner.run(self._documents.perform([command]))

    def problems(self) -> Sequence[str]:
        """Say in words what is wrong with the rows."""
        return problems_among(self._rows, self._project)

    @property
    def _documents(self) -> DocumentService:
        assert self._app.documents is not None
        return self._app.documents

    def _empty(self) -> None:
        for route in ROUTES.values():
            for status in ("draft", "published"):
                target = f"/api/{route}?status={status}&locale=*&pagination[pageSize]=100"
                while listed := self.send("GET", target)["data"]:
                    for id_ in {entry["documentId"] for entry in listed}:
                        self.send("DELETE", f"/api/{route}/{id_}?locale=*")


def _uid(key: Key) -> str:
    return f"api::{key.kind}.{key.kind}"
