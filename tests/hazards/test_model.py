"""Hazards of routes that change content types."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import office_project, run_office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.admin_api.test_model import (
    BUILDER,
    MEMO,
    MEMO_FILE,
    ModelSite,
    attribute,
    changed,
    memo,
)
from tests.unit.admin_api.test_routes import named, routes
from tests.unit.kiosk import PAPER

OURS = ("content-type-builder/", "admin/x/model/")
QUOTES = "'); DROP TABLE memos; --\""


@pytest.fixture
async def model_site(kind: Kind, tmp_path: Path) -> AsyncIterator[ModelSite]:
    folder = tmp_path / "workshop"
    async with office_project(folder, kind) as project, run_office(project) as office:
        office.boss = (await office.sign_in("boss@example.com")).data["token"]
        yield ModelSite(office, project)


async def test_h050_the_model_is_for_administrators_with_the_permission_to_it(
    model_site: ModelSite,
) -> None:
    office = model_site.office
    made = await model_site.ask(
        "POST", "/admin/api-tokens", {"name": "Site", "type": "full-access"}
    )
    _, without = await clerk(office, "plugin::upload.read")
    ours = [route for route in routes(office) if named(route)[1].startswith(OURS)]
    before = model_site.files()
    assert len(ours) > 15
    for token, status in ((None, 401), (made.data["accessKey"], 401), (without, 403)):
        for route in ours:
            target = "/" + route.path.strip("/").replace(":uid", PAPER).replace(":name", "part")
            body = None if route.method in {"GET", "DELETE"} else memo({})
            reply = await office.ask(route.method, target, body, token=token)
            assert reply.status == status, named(route)
    assert model_site.files() == before


@pytest.mark.parametrize(
    "option",
    [
        {"default": QUOTES},
        {"default": QUOTES, "column": {"defaultTo": QUOTES}},
        {"column": {"type": QUOTES, "args": [5]}},
        {"column": {"defaultTo": ["(SELECT 1)", {"isRaw": True}]}},
        {"column": {"defaultTo": {"isRaw": True}}},
        {"columnName": QUOTES},
    ],
)
async def test_h051_no_option_of_an_attribute_becomes_part_of_a_statement(
    model_site: ModelSite, option: dict[str, object]
) -> None:
    body = memo({"title": {"type": "string", **option}})
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", body)
    assert reply.status in {201, 400}
    entries = f"/content-manager/collection-types/{MEMO}"
    made = await model_site.ask("POST", entries, {})
    if reply.status == 400:
        assert (made.status, (model_site.project / MEMO_FILE).exists()) == (403, False)
    else:
        assert made.data["title"] == option.get("default")
        assert model_site.file(MEMO_FILE)["attributes"] == body["contentType"]["attributes"]
    with rows_of(model_site.project) as rows:
        assert {"paper_rows", "writer_rows"} <= set(rows.tables())


async def test_h051_no_name_of_a_table_becomes_part_of_a_statement(model_site: ModelSite) -> None:
    body = memo({"title": {"type": "string"}}, collectionName=QUOTES)
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", body)
    assert reply.status == 400
    assert not (model_site.project / MEMO_FILE).exists()


async def test_h052_nothing_can_be_installed(model_site: ModelSite) -> None:
    for method in ("GET", "POST", "PUT"):
        for path in ("/admin/plugins/install", "/admin/plugins/uninstall/x", "/admin/plugins"):
            reply = await model_site.ask(method, path, {"plugin": "x;id"})
            assert reply.status in {404, 405}, path


async def test_h053_no_change_starts_the_server_again(model_site: ModelSite) -> None:
    application = model_site.office.app
    before = application.services
    assert before is not None
    assert (await model_site.update(changed(PAPER, attribute("note", type="text")))).status == 200
    assert application.services is before
    for path in ("/admin/restart", "/admin/reload", "/content-type-builder/restart"):
        assert (await model_site.ask("POST", path, {})).status in {404, 405}


async def test_h132_what_a_change_takes_away_is_put_back(model_site: ModelSite) -> None:
    await model_site.ask("POST", f"{BUILDER}/content-types", memo({"pages": {"type": "string"}}))
    entries = f"/content-manager/collection-types/{MEMO}"
    made = (await model_site.ask("POST", entries, {"pages": "many"})).data["documentId"]
    numbered = memo({"pages": {"type": "integer"}})
    await model_site.ask("PUT", f"{BUILDER}/content-types/{MEMO}", numbered)
    assert (await model_site.ask("GET", f"{entries}/{made}")).data["pages"] is None
    [kept] = (await model_site.ask("GET", "/admin/x/model/archive")).data
    await model_site.ask(
        "PUT", f"{BUILDER}/content-types/{MEMO}", memo({"pages": {"type": "string"}})
    )
    restored = await model_site.ask("POST", f"/admin/x/model/archive/{kept['id']}/restore")
    assert restored.data == {"count": 1}
    assert (await model_site.ask("GET", f"{entries}/{made}")).data["pages"] == "many"
    assert json.dumps(kept["tables"]) == '["memos"]'
