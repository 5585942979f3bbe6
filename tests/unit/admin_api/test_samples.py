"""Sample entries: valid values, with the permissions of the caller."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import Office, SharedOffices
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant
from tests.unit.kiosk import MASTHEAD, PAPER, WRITER

SAMPLES = "/admin/x/samples"
GADGET = "api::gadget.gadget"
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "name": {"type": "string", "required": True, "unique": True, "minLength": 20, "maxLength": 24},
    "code": {"type": "string", "maxLength": 3},
    "story": {"type": "richtext", "required": True},
    "body": {"type": "blocks", "required": True},
    "mail": {"type": "email", "required": True, "unique": True},
    "secret": {"type": "password", "required": True, "minLength": 8},
    "slug": {"type": "uid", "targetField": "name", "required": True},
    "stock": {"type": "integer", "min": 5, "max": 9, "required": True},
    "serial": {"type": "biginteger", "unique": True},
    "weight": {"type": "float", "max": 3},
    "price": {"type": "decimal", "min": 100},
    "sold": {"type": "boolean", "required": True},
    "day": {"type": "date", "required": True},
    "hour": {"type": "time", "required": True},
    "moment": {"type": "datetime", "required": True},
    "stamp": {"type": "timestamp"},
    "kind": {"type": "enumeration", "enum": ["big", "small"], "required": True},
    "data": {"type": "json", "required": True},
    "line": {"type": "component", "component": "part.line", "required": True},
    "lines": {"type": "component", "component": "part.line", "repeatable": True, "min": 3},
    "zone": {"type": "dynamiczone", "components": ["part.line"], "required": True, "max": 1},
    "maker": {
        "type": "relation",
        "relation": "manyToOne",
        "target": WRITER,
        "targetAttribute": None,
    },
    "photo": {"type": "media", "multiple": False},
}


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def create(office: Office, uid: str, token: str | None = None, **body: object) -> Any:  # noqa: ANN401 - a reply
    return await office.ask("POST", f"{SAMPLES}/{uid}", body, token=token or office.boss)


async def test_samples_keep_to_the_rules_of_attributes_of_every_type(office: Office) -> None:
    described = {
        "action": "create",
        "uid": GADGET,
        "displayName": "Gadget",
        "singularName": "gadget",
        "pluralName": "gadgets",
        "kind": "collectionType",
        "draftAndPublish": True,
        "attributes": [
            {"action": "create", "name": name, "properties": properties}
            for name, properties in ATTRIBUTES.items()
        ],
    }
    body = {"data": {"contentTypes": [described], "components": []}}
    changed = await office.ask(
        "POST", "/content-type-builder/update-schema", body, token=office.boss
    )
    assert changed.status == 200, changed.json
    for _ in range(2):
        made = await create(office, GADGET, count=3, publish=True)
        assert made.status == 201, made.json
        assert made.data["count"] == len(set(made.data["documentIds"])) == 3
    path = f"/content-manager/collection-types/{GADGET}?pageSize=100&status=published"
    entries = (await office.ask("GET", path, token=office.boss)).json["results"]
    assert len(entries) == 6
    assert len({entry["name"] for entry in entries}) == 6
    for entry in entries:
        assert 20 <= len(entry["name"]) <= 24
        assert 5 <= entry["stock"] <= 9
        assert entry["kind"] in {"big", "small"}
        empty = {name for name in ATTRIBUTES if entry.get(name) is None}
        assert empty <= {"secret", "line", "lines", "zone", "maker", "photo"}
    path = f"/content-manager/collection-types/{GADGET}/{made.data['documentIds'][0]}"
    entry = (await office.ask("GET", path, token=office.boss)).data
    assert len(entry["lines"]) == 3
    assert len(entry["zone"]) == 1
    assert entry["line"]["text"]


async def test_samples_are_drafts_in_one_locale_unless_they_are_to_be_published(
    office: Office,
) -> None:
    assert (await create(office, PAPER)).data["count"] == 10
    french = await office.ask(
        "POST", f"{SAMPLES}/{PAPER}?locale=fr", {"count": 1}, token=office.boss
    )
    assert french.status == 201, french.json
    drafts = (await office.ask("GET", f"{PAPERS}?locale=en", token=office.boss)).json
    assert drafts["pagination"]["total"] == 10
    assert {entry["status"] for entry in drafts["results"]} == {"draft"}
    [entry] = (await office.ask("GET", f"{PAPERS}?locale=fr", token=office.boss)).json["results"]
    assert entry["title"] == "Title 1"


@pytest.mark.parametrize("count", [0, 101, "3", 1.5, True, None])
async def test_counts_beyond_the_limit_make_no_entries(office: Office, count: object) -> None:
    assert (await create(office, PAPER, count=count)).status == 400
    assert (await office.ask("GET", PAPERS, token=office.boss)).json["results"] == []


async def test_samples_need_a_collection_type_with_drafts_where_they_are_published(
    office: Office,
) -> None:
    assert (await create(office, MASTHEAD)).status == 400
    assert (await create(office, "plugin::users-permissions.user")).status == 400
    assert (await create(office, WRITER, publish=True)).status == 400
    assert (await create(office, WRITER, count=2)).data["count"] == 2
    assert (await create(office, "api::none.none")).status == 403


async def test_samples_need_the_rights_to_create_and_to_publish(office: Office) -> None:
    granted = grant("create", ["title"]), grant("read", None)
    token = await editor(office, *granted)
    assert (await create(office, PAPER, token, count=1)).status == 201
    assert (await create(office, PAPER, token, count=1, publish=True)).status == 403
    assert (await create(office, WRITER, token, count=1)).status == 403
    [entry] = (await office.ask("GET", PAPERS, token=office.boss)).json["results"]
    assert (entry["title"], entry["price"]) == ("Title 1", None)
