"""Unknown locales, and components that a zone does not list, are rejected."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization
from tests.unit.content_api.writers import APPLE, CAPITALS, Writer

LOCALES = "locale must be one of the following values: en, fr, de"
LISTED = "blocks.quote, blocks.rich-text, blocks.gallery, blocks.call-to-action"
NOT_LISTED = f"sections[0].__component must be one of the following values: {LISTED}"
STRAY = [{"__component": "shared.seo", "metaTitle": "Stray"}]


def served(project: Path) -> AbstractAsyncContextManager[AsgiClient]:
    return running(build_app(load_settings(project, environ={})))


@pytest.fixture(scope="module")
async def client(shared_recorded: Path) -> AsyncIterator[AsgiClient]:
    """One site for all tests: what is rejected leaves it as it is."""
    async with served(shared_recorded) as client:
        yield client


@pytest.fixture(scope="module")
def write(client: AsgiClient) -> Writer:
    return Writer(client)


async def manage(client: AsgiClient, method: str, path: str, body: object) -> tuple[int, Any]:
    """Send a request of the recorded administrator; return the status and the JSON."""
    headers = await AdminAuthorization(client, credentials()).headers("admin")
    headers["content-type"] = "application/json"
    response = await client.request(method, path, headers, json.dumps(body).encode())
    return response.status, response.json


@pytest.mark.parametrize("locale", ["es", "EN", "nope!", " fr"])
@pytest.mark.parametrize("status", ["draft", "published"])
async def test_a_locale_that_the_project_does_not_have_is_400(
    write: Writer, locale: str, status: str
) -> None:
    query = f"status={status}&locale={locale.replace(' ', '%20')}"
    for method, path in (
        ("POST", f"/api/articles?{query}"),
        ("PUT", f"/api/articles/{APPLE}?{query}"),
        ("PUT", f"/api/homepage?{query}"),
        ("POST", f"/api/tags?{query}"),
    ):
        data = {"title": "Lost"} if "articles" in path else {}
        response = await write(method, path, {"data": data})
        assert (response.status, response.json["error"]["message"]) == (400, LOCALES)
        assert response.json["error"]["name"] == "ValidationError"
    found = await write("GET", "/api/articles?locale=*&status=draft&filters[title]=Lost")
    assert found.json["data"] == []


async def test_a_type_without_locales_passes_over_the_parameter(write: Writer) -> None:
    response = await write("POST", "/api/authors?locale=es", {"data": {"name": "Nobody Yet"}})
    assert response.status == 201


@pytest.mark.parametrize(
    "operation",
    [
        {"action": "create", "data": {"title": "Lost"}},
        {"action": "update", "documentId": APPLE, "data": {}},
        {"action": "publish", "documentId": APPLE},
    ],
)
async def test_a_batch_refuses_an_unknown_locale(
    write: Writer, operation: dict[str, object]
) -> None:
    first = {"action": "create", "type": "articles", "data": {"title": "First"}, "locale": "fr"}
    listed = [first, {**operation, "type": "articles", "locale": "es"}]
    response = await write("POST", "/api/_batch", {"operations": listed})
    assert (response.status, response.json["error"]["message"]) == (400, LOCALES)
    found = await write("GET", "/api/articles?locale=fr&filters[title]=First")
    assert found.json["data"] == []


async def test_a_locale_can_be_written_as_soon_as_the_project_has_it(
    own_recorded: Path,
) -> None:
    data = {"title": "Manzana", "slug": "una-manzana"}
    path = f"/api/articles/{APPLE}?locale=es"
    locale = {"code": "es", "name": "Spanish", "isDefault": False}
    async with served(own_recorded) as client:
        write = Writer(client)
        assert (await write("PUT", path, {"data": data})).status == 400
        assert (await manage(client, "POST", "/i18n/locales", locale))[0] == 200
        response = await write("PUT", path, {"data": data})
    assert (response.status, response.json["data"]["locale"]) == (200, "es")


async def test_deleting_in_an_unknown_locale_deletes_nothing(write: Writer) -> None:
    assert (await write("DELETE", f"/api/articles/{CAPITALS}?locale=es")).status == 204
    assert (await write("GET", f"/api/articles/{CAPITALS}")).status == 200


@pytest.mark.parametrize("status", ["draft", "published"])
async def test_a_component_that_a_zone_does_not_list_is_400(write: Writer, status: str) -> None:
    data = {"title": "Lost", "sections": STRAY}
    batched = {"action": "create", "type": "articles", "data": data, "status": status}
    for method, path, body in (
        ("POST", f"/api/articles?status={status}", {"data": data}),
        ("PUT", f"/api/articles/{APPLE}?status={status}", {"data": data}),
        ("PUT", f"/api/articles/{CAPITALS}?status={status}&locale=fr", {"data": data}),
        ("POST", "/api/_batch", {"operations": [batched]}),
    ):
        response = await write(method, path, body)
        assert (response.status, response.json["error"]["message"]) == (400, NOT_LISTED)
        (error,) = response.json["error"]["details"]["errors"]
        assert error["path"][-3:] == ["sections", "0", "__component"]
        assert error["value"] == "shared.seo"
    found = await write("GET", "/api/articles?locale=*&status=draft&filters[title]=Lost")
    assert found.json["data"] == []


async def test_the_content_manager_refuses_such_components_and_locales(
    client: AsgiClient,
) -> None:
    manager = "/content-manager/collection-types/api::article.article"
    zone = {"title": "Lost", "sections": STRAY}
    unknown = "This locale doesn't exist"
    for method, path, body, message in (
        ("POST", manager, zone, NOT_LISTED),
        ("PUT", f"{manager}/{APPLE}", zone, NOT_LISTED),
        ("POST", f"{manager}/clone/{APPLE}", zone, NOT_LISTED),
        ("POST", f"{manager}?locale=es", {}, unknown),
        ("PUT", f"{manager}/{APPLE}?locale=es", {}, unknown),
    ):
        status, response = await manage(client, method, path, body)
        assert (status, response["error"]["message"]) == (400, message), path
