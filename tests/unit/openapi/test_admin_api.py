"""The OpenAPI document of the admin API is complete, valid, and matches responses."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import UNSET
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.unit.admin_api.office import Office, open_office
from tests.unit.admin_api.test_content_manager import paper
from tests.unit.admin_api.test_routes import named, routes
from tests.unit.kiosk import MASTHEAD, PAPER

JsonObject = dict[str, Any]
HOOK = {"name": "x", "url": "https://example.com", "headers": {}, "events": ["entry.create"]}


@pytest.fixture(scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:
    async with open_office(tmp_path_factory.mktemp("described")) as opened:
        yield opened


async def described(office: Office) -> JsonObject:
    reply = await office.ask("GET", "/admin/x/openapi.json", token=office.boss)
    assert reply.status == 200
    document: JsonObject = reply.json
    return document


async def test_the_document_is_valid(office: Office) -> None:
    document = await described(office)
    assert document["openapi"] == "3.1.0"
    assert not [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()]


async def test_every_route_is_described(office: Office) -> None:
    assert not {named(route) for route in routes(office) if route.response is UNSET}
    document = await described(office)
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert len(operations) == len(routes(office))
    assert len({one["operationId"] for one in operations}) == len(operations)
    assert all(one["summary"] for one in operations)


async def test_administrators_alone_are_shown_it(office: Office) -> None:
    assert (await office.ask("GET", "/admin/x/openapi.json")).status == 401


def response_schema(document: JsonObject, method: str, path: str, status: int) -> JsonObject:
    """The schema of a response, which can point to others in the document."""
    responses = document["paths"][path][method.lower()]["responses"]
    assert str(status) in responses, (method, path, status)
    schema = responses[str(status)].get("content", {}).get("application/json", {}).get("schema", {})
    return {**schema, "components": document["components"]}


def fits(document: JsonObject, method: str, path: str, status: int, response: object) -> None:
    schema = response_schema(document, method, path, status)
    errors = [error.message for error in Draft202012Validator(schema).iter_errors(response)]
    assert not errors, (method, path, errors[:3])


async def test_responses_to_reads_are_as_described(office: Office) -> None:
    document = await described(office)
    document_id = await paper(office, title="Tide")
    publish = f"/content-manager/collection-types/{PAPER}/{document_id}/actions/publish"
    await office.ask("POST", publish, {}, token=office.boss)
    await office.ask("POST", "/admin/webhooks", HOOK, token=office.boss)
    body = {"name": "Site", "type": "read-only", "description": ""}
    await office.ask("POST", "/admin/api-tokens", body, token=office.boss)
    view = {"uid": PAPER, "name": "All", "state": {}}
    await office.ask("POST", "/admin/x/views", view, token=office.boss)
    read = 0
    for path, operations in document["paths"].items():
        if "get" not in operations or "export" in path:
            continue
        uid = MASTHEAD if "single-types" in path else PAPER
        about = "content-manager" in path or "admin/x/" in path
        entry = document_id if about and ("{uid}" in path or "{model}" in path) else "1"
        target = path.replace("{uid}", uid).replace("{model}", PAPER).replace("{id}", entry)
        target = target.replace("{field}", "writer").replace("{delivery}", "1")
        query = "?action=update" if "recent-documents" in path else ""
        reply = await office.ask("GET", f"{target}{query}", token=office.boss)
        if reply.status == 200:
            fits(document, "get", path, 200, reply.json)
            read += 1
    assert read > 50


async def test_responses_to_writes_are_as_described(office: Office) -> None:
    document = await described(office)
    collection = "/content-manager/collection-types/{uid}"
    role = {"name": "Clerk", "description": ""}
    admin_user = {"email": "n@example.com", "firstname": "N", "roles": [1]}
    token = {"name": "Other", "type": "read-only", "description": ""}
    made: list[tuple[str, str, object]] = [
        ("POST", collection, {"title": "Ebb"}),
        ("POST", "/admin/roles", role),
        ("POST", "/admin/users", admin_user),
        ("POST", "/admin/api-tokens", token),
        ("POST", "/admin/webhooks", HOOK),
        ("POST", "/admin/x/views", {"uid": PAPER, "name": "Mine", "state": {}}),
        ("POST", "/upload/folders", {"name": "Maps"}),
        ("POST", "/i18n/locales", {"name": "German", "code": "de", "isDefault": False}),
        ("POST", "/admin/permissions/check", {"permissions": [{"action": "admin::users.read"}]}),
        ("POST", "/admin/login", {"email": "boss@example.com", "password": "Correct1horse"}),
        ("POST", "/admin/logout", {}),
    ]
    for method, path, body in made:
        target = path.replace("{uid}", PAPER)
        reply = await office.ask(method, target, body, token=office.boss)
        assert reply.status < 300, (path, reply.json)
        fits(document, method, path, reply.status, reply.json)
    office.boss = (await office.sign_in("boss@example.com")).data["token"]
