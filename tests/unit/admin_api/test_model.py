"""Content types changed over HTTP while the server runs: tables, files and responses."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from quire.builder.file_transaction import (
    FileTransaction,
    has_file_transactions,
    is_announced,
    recover_files,
)
from quire.database.migration.migrate import MigrationRequest, migrate_to
from quire.database.migration.plan import PlannedMigration
from quire.database.program import Program
from quire.database.target import DatabaseKind
from quire.runtime.schema_follower import SchemaFollower
from tests.databases.kind import Kind, opened
from tests.databases.kinds import rows_of
from tests.extending.background import ended
from tests.unit.admin_api.office import Office, Reply, office_project, run_office
from tests.unit.admin_api.test_content_manager import editor, grant, paper
from tests.unit.admin_api.test_releases import entry, release
from tests.unit.admin_api.test_review import move, workflow
from tests.unit.admin_api.test_schedule import later, pass_hours, schedule
from tests.unit.kiosk import PAPER, WRITER

JsonObject = dict[str, Any]
BUILDER = "/content-type-builder"
MEMO = "api::memo.memo"
MEMO_FILE = "src/api/memo/content-types/memo/schema.json"
PAPER_FILE = "src/api/paper/content-types/paper/schema.json"
WRITER_FILE = "src/api/writer/content-types/writer/schema.json"


class ModelSite:
    """An office whose model is changed, with the folder of its project."""

    def __init__(self, office: Office, project: Path) -> None:
        self.office = office
        self.project = project

    async def ask(self, method: str, target: str, body: object = None) -> Reply:
        return await self.office.ask(method, target, body, token=self.office.boss)

    async def update(self, *types: JsonObject, query: str = "", **more: object) -> Reply:
        body = {"data": {"contentTypes": types, "components": [], **more}}
        return await self.ask("POST", f"{BUILDER}/update-schema{query}", body)

    async def plan(self, *types: JsonObject) -> Reply:
        return await self.ask("POST", "/admin/x/model/plan", {"data": {"contentTypes": types}})

    def file(self, path: str) -> JsonObject:
        content: JsonObject = json.loads((self.project / path).read_bytes())
        return content

    def files(self) -> dict[str, bytes]:
        """All files of the model, and whatever lies next to them."""
        paths = [*self.project.glob("src/**/*"), *self.project.glob(".quire*")]
        return {str(path): path.read_bytes() for path in paths if path.is_file()}


@pytest.fixture
async def model_site(kind: Kind, tmp_path: Path) -> AsyncIterator[ModelSite]:
    async with (
        office_project(tmp_path / "workshop", kind) as project,
        run_office(project) as office,
    ):
        office.boss = (await office.sign_in("boss@example.com")).data["token"]
        yield ModelSite(office, project)


def memo(attributes: JsonObject, **more: object) -> JsonObject:
    """The body of a new content type."""
    head = {"displayName": "Memo", "singularName": "memo", "pluralName": "memos"}
    return {"contentType": {**head, "draftAndPublish": False, "attributes": attributes, **more}}


def changed(
    uid: str, *attributes: JsonObject, action: str = "update", **more: object
) -> JsonObject:
    """An entry of an update for a type of the kiosk, or of a new one."""
    name = uid.rpartition(".")[2]
    return {
        "action": action,
        "uid": uid,
        "displayName": name,
        "singularName": name,
        "pluralName": f"{name}s",
        "kind": "collectionType",
        "draftAndPublish": uid == PAPER,
        "pluginOptions": {"i18n": {"localized": True}} if uid == PAPER else {},
        "attributes": attributes,
        **more,
    }


def attribute(
    name: str, action: str = "create", *, former: str = "", **options: object
) -> JsonObject:
    renamed = {"formerName": former} if former else {}
    return {"action": action, "name": name, "properties": options, **renamed}


def relation(kind: str, target: str, other: str | None) -> JsonObject:
    return {"type": "relation", "relation": kind, "target": target, "targetAttribute": other}


async def test_a_new_type_answers_at_once_and_is_in_a_file(model_site: ModelSite) -> None:
    body = memo({"title": {"type": "string", "required": True}, "pages": {"type": "integer"}})
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", body)
    assert (reply.status, reply.json) == (201, {"data": {"uid": MEMO}})
    entries = f"/content-manager/collection-types/{MEMO}"
    made = await model_site.ask("POST", entries, {"title": "Buy ink", "pages": 2})
    assert (made.status, made.data["title"]) == (201, "Buy ink")
    assert (model_site.project / MEMO_FILE).read_text() == (
        json.dumps(
            {
                "kind": "collectionType",
                "collectionName": "memos",
                "info": {"singularName": "memo", "pluralName": "memos", "displayName": "Memo"},
                "options": {"draftAndPublish": False},
                "pluginOptions": {},
                "attributes": body["contentType"]["attributes"],
            },
            indent=2,
        )
        + "\n"
    )
    assert not has_file_transactions(model_site.project)


async def test_what_goes_with_a_type_is_kept_aside_and_can_be_put_back(
    model_site: ModelSite,
) -> None:
    body = memo({"title": {"type": "string"}})
    await model_site.ask("POST", f"{BUILDER}/content-types", body)
    entries = f"/content-manager/collection-types/{MEMO}"
    await model_site.ask("POST", entries, {"title": "Buy ink"})
    gone = await model_site.ask("DELETE", f"{BUILDER}/content-types/{MEMO}")
    assert gone.json == {"data": {"uid": MEMO}}
    assert (await model_site.ask("GET", entries)).status == 403
    assert not (model_site.project / "src/api/memo").exists()
    [kept] = (await model_site.ask("GET", "/admin/x/model/archive")).data
    assert kept["tables"] == ["memos"]
    await model_site.ask("POST", f"{BUILDER}/content-types", body)
    restored = await model_site.ask("POST", f"/admin/x/model/archive/{kept['id']}/restore")
    assert restored.data == {"count": 1}
    found = await model_site.ask("GET", entries)
    assert [one["title"] for one in found.json["results"]] == ["Buy ink"]
    await model_site.ask("DELETE", f"/admin/x/model/archive/{kept['id']}")
    assert (await model_site.ask("GET", "/admin/x/model/archive")).data == []
    again = await model_site.ask("DELETE", f"/admin/x/model/archive/{kept['id']}")
    assert again.status == 404


@pytest.mark.parametrize("name", ["ctid", "xmin", "cmax", "tableoid", "oid", "rowid"])
async def test_attributes_may_have_the_names_of_system_columns_where_the_database_allows_it(
    model_site: ModelSite, kind: Kind, name: str
) -> None:
    body = memo({name: {"type": "string"}, "title": {"type": "string"}})
    made = await model_site.ask("POST", f"{BUILDER}/content-types", body)
    if kind.name == "postgresql" and name not in {"oid", "rowid"}:
        assert (made.status, "PostgreSQL has system columns" in made.error) == (400, True)
        plain = memo({"title": {"type": "string"}})
        assert (await model_site.ask("POST", f"{BUILDER}/content-types", plain)).status == 201
        renamed = changed(MEMO, attribute(name, "update", former="title", type="string"))
        refused = await model_site.update(renamed)
        assert (refused.status, "PostgreSQL has system columns" in refused.error) == (400, True)
        return
    assert made.status == 201, made.json
    entries = f"/content-manager/collection-types/{MEMO}"
    stored = await model_site.ask("POST", entries, {name: "one", "title": "two"})
    assert stored.data[name] == "one"
    query = f"filters[{name}][$eq]=one&sort={name}:ASC"
    found = await model_site.ask("GET", f"{entries}?{query}")
    assert [one[name] for one in found.json["results"]] == ["one"]
    path = f"{entries}/{stored.data['documentId']}"
    assert (await model_site.ask("PUT", path, {name: "three"})).data[name] == "three"
    assert (await model_site.ask("DELETE", path)).status == 200


async def test_views_of_other_programs_are_not_dropped_with_a_type(
    model_site: ModelSite, kind: Kind
) -> None:
    """PostgreSQL drops nothing that they depend on; in SQLite they stay without their table."""
    body = memo({"title": {"type": "string"}, "tide": {"type": "string"}})
    assert (await model_site.ask("POST", f"{BUILDER}/content-types", body)).status == 201
    with opened(kind, model_site.project) as rows:
        rows.execute("CREATE VIEW titles AS SELECT title FROM memos")
    attributes = {"tide": {"type": "string"}}
    target = f"{BUILDER}/content-types/{MEMO}"
    if kind.name == "postgresql":
        for method, changed_body in (("DELETE", None), ("PUT", memo(attributes))):
            refused = await model_site.ask(method, target, changed_body)
            assert refused.status == 409, refused.json
            assert "view titles depends on" in refused.error
        with opened(kind, model_site.project) as rows:
            assert rows.execute("SELECT title FROM titles") == []
            rows.execute("DROP VIEW titles")
    assert (await model_site.ask("DELETE", target)).status == 200


async def test_a_new_type_has_no_permissions_of_a_removed_one(model_site: ModelSite) -> None:
    office, body = model_site.office, memo({"title": {"type": "string"}})
    await model_site.ask("POST", f"{BUILDER}/content-types", body)
    roles = (await model_site.ask("GET", "/users-permissions/roles")).json["roles"]
    (public,) = [role["id"] for role in roles if role["type"] == "public"]
    enabled = {"api::memo": {"controllers": {"memo": {"find": {"enabled": True}}}}}
    path = f"/users-permissions/roles/{public}"
    assert (await model_site.ask("PUT", path, {"permissions": enabled})).status == 200
    token = {"name": "t", "description": "", "type": "custom", "lifespan": None}
    made = await model_site.ask(
        "POST", "/admin/api-tokens", {**token, "permissions": [f"{MEMO}.find"]}
    )
    ed = await editor(office, grant("read", ["title"], uid=MEMO), grant("read", ["title"]))

    async def statuses() -> list[int]:
        entries = f"/content-manager/collection-types/{MEMO}"
        replies = [
            await office.ask("GET", "/api/memos"),
            await office.ask("GET", "/api/memos", token=made.data["accessKey"]),
            await office.ask("GET", entries, token=ed),
        ]
        return [reply.status for reply in replies]

    assert await statuses() == [200, 200, 200]
    await model_site.ask("DELETE", f"{BUILDER}/content-types/{MEMO}")
    await model_site.ask("POST", f"{BUILDER}/content-types", body)
    assert await statuses() == [401, 403, 403]
    papers = await office.ask("GET", f"/content-manager/collection-types/{PAPER}", token=ed)
    assert papers.status == 200


async def test_a_new_type_has_no_views_history_or_plans_of_a_removed_one(
    model_site: ModelSite,
) -> None:
    office, body = model_site.office, memo({"title": {"type": "string"}}, draftAndPublish=True)
    entries, view = f"/content-manager/collection-types/{MEMO}", {"uid": MEMO, "name": "Short"}
    configuration = f"/content-manager/content-types/{MEMO}/configuration"

    async def stored() -> dict[str, object]:
        views = await model_site.ask("GET", f"/admin/x/views?uid={MEMO}")
        workflows = await model_site.ask("GET", "/admin/x/review/workflows")
        items = await model_site.ask("GET", f"/admin/x/releases/{release_id}")
        shown = await model_site.ask("GET", configuration)
        return {
            "views": [one["name"] for one in views.data],
            "previews": (await model_site.ask("GET", "/admin/x/previews")).data["previews"],
            "workflows": [one["contentTypes"] for one in workflows.data],
            "items": [item["documentId"] for item in items.data["items"]],
            "page size": shown.data["contentType"]["settings"]["pageSize"],
        }

    await model_site.ask("POST", f"{BUILDER}/content-types", body)
    document_id = (await model_site.ask("POST", entries, {"title": "Ink"})).data["documentId"]
    await model_site.ask("PUT", f"{entries}/{document_id}", {"title": "Buy ink"})
    history = f"/admin/x/revisions/{MEMO}/{document_id}"
    assert (await model_site.ask("GET", history)).data != []
    release_id = await release(office, entry(document_id, None, MEMO))
    schedule_path = f"/admin/x/schedule/{MEMO}/{document_id}"
    later_at = later(office)
    await model_site.ask("PUT", schedule_path, {"publishAt": later_at})
    assert (await model_site.ask("GET", schedule_path)).data["publishAt"] == later_at
    made = await model_site.ask("POST", "/admin/x/views", {**view, "shared": True, "state": {}})
    assert made.status == 201, made.json
    await model_site.ask("PUT", "/admin/x/previews", {"previews": {MEMO: "/memos/{documentId}"}})
    reviewed = await workflow(office)
    change = {
        "name": reviewed["name"],
        "contentTypes": [PAPER, MEMO],
        "stages": [{"id": one["id"], "name": one["name"]} for one in reviewed["stages"]],
    }
    path = f"/admin/x/review/workflows/{reviewed['id']}"
    assert (await model_site.ask("PUT", path, change)).status == 200
    settings = (await model_site.ask("GET", configuration)).data["contentType"]["settings"]
    change = {"settings": {**settings, "pageSize": 50}}
    assert (await model_site.ask("PUT", configuration, change)).status == 200
    assert await stored() == {
        "views": ["Short"],
        "previews": {MEMO: "/memos/{documentId}"},
        "workflows": [[PAPER, MEMO]],
        "items": [document_id],
        "page size": 50,
    }

    assert (await model_site.ask("DELETE", f"{BUILDER}/content-types/{MEMO}")).status == 200
    assert (await model_site.ask("POST", f"{BUILDER}/content-types", body)).status == 201

    assert await stored() == {
        "views": [],
        "previews": {},
        "workflows": [[PAPER]],
        "items": [],
        "page size": 10,
    }
    [kept] = (await model_site.ask("GET", "/admin/x/model/archive")).data
    restored = await model_site.ask("POST", f"/admin/x/model/archive/{kept['id']}/restore")
    assert restored.data == {"count": 1}
    assert (await model_site.ask("GET", history)).data == []
    assert (await model_site.ask("GET", schedule_path)).data["publishAt"] is None


async def test_two_new_components_of_one_name_are_refused(model_site: ModelSite) -> None:
    parts: list[JsonObject] = [
        {
            "tmpUID": f"part_{name}",
            "category": "parts",
            "displayName": "Note",
            "attributes": {name: {"type": "string"}},
        }
        for name in ("ink", "paper")
    ]
    body = memo(
        {
            part["tmpUID"]: {"type": "component", "component": part["tmpUID"], "repeatable": False}
            for part in parts
        }
    )
    made = await model_site.ask("POST", f"{BUILDER}/content-types", {**body, "components": parts})
    assert (made.status, made.json["error"]) == (400, "component.alreadyExists")
    assert not (model_site.project / "src/components/parts").exists()


async def test_a_removed_component_leaves_nothing_in_dynamic_zones(model_site: ModelSite) -> None:
    """Strapi answers 500 for a zone with a component that it does not know."""
    uids = ["part.ink", "part.seal"]

    def part(uid: str, action: str, *attributes: JsonObject) -> JsonObject:
        names = {"category": "part", "displayName": uid.partition(".")[2]}
        return {"action": action, "uid": uid, **names, "attributes": attributes}

    def with_zone(action: str, *components: str) -> JsonObject:
        zone = attribute("zone", action, type="dynamiczone", components=components)
        return changed(MEMO, zone, action=action)

    text = attribute("text", type="string")
    parts = [part(uid, "create", text) for uid in uids]
    made = await model_site.update(with_zone("create", *uids), components=parts)
    assert made.status == 200, made.json
    zone = [{"__component": uid, "text": uid} for uid in ("part.seal", *uids)]
    path = f"/content-manager/collection-types/{MEMO}"
    document_id = (await model_site.ask("POST", path, {"zone": zone})).data["documentId"]
    removal = {"action": "delete", "uid": "part.seal"}
    change = {"contentTypes": [with_zone("update", "part.ink")], "components": [removal]}
    plan = (await model_site.ask("POST", "/admin/x/model/plan", {"data": change})).data
    assert "remove 2 of part.seal in zone of api::memo.memo" in plan["losses"]
    assert (await model_site.update(*change["contentTypes"], components=[removal])).status == 200
    shown = await model_site.ask("GET", f"{path}/{document_id}")
    assert [one["__component"] for one in shown.data["zone"]] == ["part.ink"]
    with rows_of(model_site.project) as database:
        stored = database.execute("SELECT component_type FROM memos_cmps")
    assert [tuple(row) for row in stored] == [("part.ink",)]


async def test_unique_values_in_dynamic_zones_prevent_cloning(model_site: ModelSite) -> None:
    names = {"category": "part", "displayName": "Seal"}
    mark = attribute("mark", type="string", unique=True)
    seal = {"action": "create", "uid": "part.seal", **names, "attributes": [mark]}
    zone = attribute("zone", type="dynamiczone", components=["part.seal"])
    made = await model_site.update(changed(MEMO, zone, action="create"), components=[seal])
    assert made.status == 200, made.json
    path = f"/content-manager/collection-types/{MEMO}/auto-clone/any"
    refused = await model_site.ask("POST", path, {})
    prohibited = refused.json["error"]["details"]["prohibitedFields"]
    assert prohibited == [[["zone", "Seal", "mark"], "unique"]]


async def test_permissions_on_a_type_that_becomes_localized_have_the_default_locale(
    model_site: ModelSite,
) -> None:
    """Strapi deletes permissions on localized types that have no locales."""
    await editor(
        model_site.office, grant("read", ["name"], uid=WRITER), grant("delete", None, uid=WRITER)
    )
    localized = changed(WRITER, pluginOptions={"i18n": {"localized": True}})
    assert (await model_site.update(localized)).status == 200
    with rows_of(model_site.project) as database:
        stored = database.execute(
            "SELECT properties FROM admin_permissions WHERE subject = ? ORDER BY id", (WRITER,)
        )
    properties = [json.loads(text) if isinstance(text, str) else text for (text,) in stored]
    assert {"fields": ["name"], "locales": ["en"]} in properties
    assert {"locales": ["en"]} in properties


async def test_a_new_component_does_not_replace_the_one_that_contains_it(
    model_site: ModelSite,
) -> None:
    text = {"type": "string"}
    note = {"category": "parts", "displayName": "Note", "attributes": {"text": text}}
    inner = {**note, "tmpUID": "part_inner", "attributes": {"ink": text}}

    async def send(method: str, path: str, body: JsonObject) -> tuple[int, object]:
        parts = {"component": body, "components": [inner]}
        reply = await model_site.ask(method, f"{BUILDER}/{path}", parts)
        return reply.status, reply.json.get("error")

    refused = (400, "component.alreadyExists")
    assert await send("POST", "components", note) == refused
    other = {"component": {**note, "category": "others"}}
    assert (await model_site.ask("POST", f"{BUILDER}/components", other)).status == 201
    assert await send("PUT", "components/others.note", note) == refused
    assert not (model_site.project / "src/components/parts").exists()


async def test_h132_a_plan_lists_what_is_lost_and_nothing_is_lost_without_consent(
    model_site: ModelSite,
) -> None:
    document_id = await paper(model_site.office, title="Tide")
    narrower = changed(PAPER, attribute("title", "delete"))
    before = model_site.files()
    plan = (await model_site.plan(narrower)).data
    assert [step["step"] for step in plan["steps"]] == ["dropColumn"]
    assert plan["steps"][0]["rowsLost"] == 1
    assert plan["losses"] == [plan["steps"][0]["text"]]
    assert [one["path"] for one in plan["files"]] == [PAPER_FILE]
    malformed = await model_site.update(narrower, query="?mayLose[]=false")
    assert malformed.status == 400
    refused = await model_site.update(narrower, query="?mayLose=false")
    assert refused.status == 409
    assert refused.json["error"]["details"] == {"losses": plan["losses"]}
    assert model_site.files() == before
    # Somebody writes in between: the plan is another one.
    await paper(model_site.office, title="Ebb")
    late = await model_site.update(narrower, query=f"?plan={plan['digest']}")
    assert (late.status, late.json["error"]["name"]) == (409, "ConflictError")
    digest = (await model_site.plan(narrower)).data["digest"]
    assert (await model_site.update(narrower, query=f"?plan={digest}")).status == 200
    shown = await model_site.ask("GET", f"/content-manager/collection-types/{PAPER}/{document_id}")
    assert "title" not in shown.data


async def test_a_plan_shows_steps_of_every_kind_and_changes_nothing(
    model_site: ModelSite,
) -> None:
    await paper(model_site.office, title="Tide")
    before = model_site.files()
    headline = attribute("headline", former="title", type="string")
    wanted = [
        changed(PAPER, headline, attribute("price", "update", type="string"),
                attribute("pages", type="integer", required=True),
                attribute("lines", "delete"), draftAndPublish=False),
        changed("api::pen.pen", formerUid=WRITER, pluginOptions={"i18n": {"localized": True}}),
        changed(MEMO, attribute("title", type="string"),
                attribute("pens", **relation("manyToMany", "api::pen.pen", "memos")),
                action="create"),
    ]  # fmt: skip
    reply = await model_site.plan(*wanted)
    assert reply.status == 200, reply.json
    shown = {step["step"] for step in reply.data["steps"]}
    assert {"addColumn", "convertColumn", "createTable", "renameColumn", "renameModel"} <= shown
    assert all(step["details"] for step in reply.data["steps"])
    assert [notice["rule"] for notice in reply.data["notices"]] == ["is required"]
    assert model_site.files() == before


async def test_a_type_with_several_documents_does_not_become_a_single_one(
    model_site: ModelSite,
) -> None:
    body = memo({"title": {"type": "string"}})
    await model_site.ask("POST", f"{BUILDER}/content-types", body)
    entries = f"/content-manager/collection-types/{MEMO}"
    first = await model_site.ask("POST", entries, {"title": "Buy ink"})
    await model_site.ask("POST", entries, {"title": "Sell papers"})
    files = model_site.files()
    single = memo({"title": {"type": "string"}}, kind="singleType")
    update = changed(MEMO, attribute("title", "update", type="string"), kind="singleType")
    refusals = [
        await model_site.ask("PUT", f"{BUILDER}/content-types/{MEMO}", single),
        await model_site.update(update),
    ]
    text = "You cannot convert a collectionType to a singleType when having multiple entries in DB"
    for refused in refusals:
        assert (refused.status, refused.json) == (400, {"error": text})
    plan = await model_site.plan(update)
    assert (plan.status, plan.json["error"]["message"]) == (
        409,
        f"{MEMO} has 2 documents, but a single type serves only one",
    )
    assert model_site.files() == files
    await model_site.ask("DELETE", f"{entries}/{first.data['documentId']}")
    assert (await model_site.update(update)).status == 200
    kept = await model_site.ask("GET", f"/content-manager/single-types/{MEMO}")
    assert kept.data["title"] == "Sell papers"


async def test_listed_attributes_take_the_order_of_the_list(model_site: ModelSite) -> None:
    first, second, *rest = model_site.file(PAPER_FILE)["attributes"]
    own = model_site.file(PAPER_FILE)["attributes"]
    moved = [attribute(name, "update", **own[name]) for name in (second, first)]
    subtitle = attribute("subtitle", type="string")
    assert (await model_site.update(changed(PAPER, subtitle, *moved))).status == 200
    later = list(model_site.file(PAPER_FILE)["attributes"])
    assert later == ["subtitle", second, *rest, first]
    listed = [attribute(name, "update", **own[name]) for name in (first, second)]
    assert (await model_site.update(changed(PAPER, subtitle, *listed))).status == 200
    assert list(model_site.file(PAPER_FILE)["attributes"]) == ["subtitle", first, *rest, second]


@pytest.mark.whatever_the_database("files alone are looked at")
async def test_the_state_says_why_the_model_cannot_be_changed(
    model_site: ModelSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = "/admin/x/model/state"
    assert (await model_site.ask("GET", state)).data == {"writable": True, "reason": None}
    raw = model_site.file(WRITER_FILE)
    raw["attributes"]["nickname"] = {"type": "string"}
    (model_site.project / WRITER_FILE).write_text(json.dumps(raw))
    drifted = (await model_site.ask("GET", state)).data
    assert not drifted["writable"]
    assert "somebody has changed them" in drifted["reason"]
    monkeypatch.setattr("quire.builder.file_changes.os.access", lambda *_: False)
    locked = (await model_site.ask("GET", state)).data
    assert "cannot be written" in locked["reason"]


async def test_renamed_attributes_and_types_keep_what_is_in_them(model_site: ModelSite) -> None:
    document_id = await paper(model_site.office, title="Tide")
    headline = attribute("headline", former="title", type="string", required=True, maxLength=40)
    assert (await model_site.update(changed(PAPER, headline))).status == 200
    assert next(iter(model_site.file(PAPER_FILE)["attributes"])) == "headline"
    sheet = changed("api::sheet.sheet", formerUid=PAPER, draftAndPublish=True)
    sheet["pluginOptions"] = {"i18n": {"localized": True}}
    assert (await model_site.update(sheet)).status == 200
    shown = await model_site.ask(
        "GET", f"/content-manager/collection-types/api::sheet.sheet/{document_id}"
    )
    assert shown.data["headline"] == "Tide"
    assert not (model_site.project / PAPER_FILE).exists()
    assert model_site.file(WRITER_FILE)["attributes"]["papers"]["target"] == "api::sheet.sheet"


async def test_what_is_planned_for_entries_follows_a_renamed_type(model_site: ModelSite) -> None:
    office, sheet = model_site.office, "api::sheet.sheet"
    document_id = await paper(office, title="Tide")
    approved = (await workflow(office))["stages"][1]["id"]
    await move(office, document_id, stage=approved)
    await model_site.ask("PUT", "/admin/x/previews", {"previews": {PAPER: "/papers/{slug}"}})
    release_id = await release(office, entry(document_id))
    later_at = later(office)
    assert (await schedule(office, document_id, publishAt=later_at)).status == 200
    renamed = changed(sheet, formerUid=PAPER, draftAndPublish=True)
    renamed["pluginOptions"] = {"i18n": {"localized": True}}

    assert (await model_site.update(renamed)).status == 200

    [item] = (await model_site.ask("GET", f"/admin/x/releases/{release_id}")).data["items"]
    assert (item["contentType"], item["documentId"]) == (sheet, document_id)
    previews = (await model_site.ask("GET", "/admin/x/previews")).data["previews"]
    assert previews == {sheet: "/papers/{slug}"}
    [found] = (await model_site.ask("GET", "/admin/x/review/workflows")).data
    assert found["contentTypes"] == [sheet]
    review = await model_site.ask("GET", f"/admin/x/review/entries/{sheet}/{document_id}")
    assert review.data["stage"] == approved
    planned = await model_site.ask("GET", f"/admin/x/schedule/{sheet}/{document_id}")
    assert planned.data["publishAt"] == later_at

    await pass_hours(office, 2)
    await ended(office)
    assert (await office.ask("GET", f"/api/sheets/{document_id}")).data["title"] == "Tide"


async def test_the_other_side_of_a_relation_comes_and_goes_with_it(model_site: ModelSite) -> None:
    editor = attribute("editor", **relation("manyToOne", WRITER, "edited"))
    assert (await model_site.update(changed(PAPER, editor))).status == 200
    assert model_site.file(WRITER_FILE)["attributes"]["edited"] == {
        "type": "relation",
        "relation": "oneToMany",
        "target": PAPER,
        "mappedBy": "editor",
    }
    wider = attribute("editor", "update", **relation("manyToMany", WRITER, "edited"))
    assert (await model_site.update(changed(PAPER, wider))).status == 200
    assert model_site.file(WRITER_FILE)["attributes"]["edited"]["relation"] == "manyToMany"
    other_relation = attribute("editor", "update", **relation("manyToOne", WRITER, "checked"))
    assert (await model_site.update(changed(PAPER, other_relation))).status == 200
    attributes = model_site.file(WRITER_FILE)["attributes"]
    assert "edited" not in attributes
    assert attributes["checked"]["mappedBy"] == "editor"
    assert (await model_site.update(changed(PAPER, attribute("editor", "delete")))).status == 200
    assert list(model_site.file(WRITER_FILE)["attributes"]) == ["name", "papers"]


async def test_single_types_are_at_the_one_end_of_relations(model_site: ModelSite) -> None:
    """Each belongs to one document; Strapi's builder refuses later changes of other ones."""
    title, several = attribute("title", type="string"), relation("manyToMany", WRITER, None)
    new_type = partial(changed, MEMO, action="create", kind="singleType")
    refused = await model_site.update(new_type(title, attribute("writers", **several)))
    assert (refused.status, refused.json["error"]) == (400, "Invalid input")
    single = memo({"writers": several}, kind="singleType")
    assert (await model_site.ask("POST", f"{BUILDER}/content-types", single)).status == 400
    writers = attribute("writers", **relation("oneToMany", WRITER, None))
    assert (await model_site.update(new_type(title, writers))).status == 200
    to_single = attribute("memo", **relation("oneToOne", MEMO, None))
    assert (await model_site.update(changed(WRITER, to_single))).status == 200
    assert model_site.file(WRITER_FILE)["attributes"]["memo"]["target"] == MEMO


async def test_a_type_may_lead_to_itself(model_site: ModelSite) -> None:
    body = memo({"parent": relation("manyToOne", "__self__", "children")})
    assert (await model_site.ask("POST", f"{BUILDER}/content-types", body)).status == 201
    attributes = model_site.file(MEMO_FILE)["attributes"]
    assert attributes["parent"] | attributes["children"] == {
        "type": "relation",
        "relation": "oneToMany",
        "target": MEMO,
        "inversedBy": "children",
        "mappedBy": "parent",
    }
    # What is left out of the body, although the other side names it, is made again.
    body = memo({"parent": relation("manyToOne", MEMO, "children")})
    assert (await model_site.ask("PUT", f"{BUILDER}/content-types/{MEMO}", body)).status == 201
    assert model_site.file(MEMO_FILE)["attributes"] == attributes


async def test_a_type_sent_back_as_it_was_read_changes_nothing(model_site: ModelSite) -> None:
    before = model_site.files()
    for uid in (PAPER, WRITER):
        schema = (await model_site.ask("GET", f"{BUILDER}/content-types/{uid}")).data["schema"]
        target = f"{BUILDER}/content-types/{uid}"
        assert (await model_site.ask("PUT", target, {"contentType": schema})).status == 201
    assert model_site.files() == before


@pytest.mark.parametrize(
    ("attributes", "path", "message"),
    [
        ({"x": relation("manyToOne", WRITER, "id")}, ["attributes", "id"], "reserved"),
        ({"x": relation("manyToOne", WRITER, "name")}, ["x", "targetAttribute"], "there already"),
        (
            {"x": relation("manyToOne", "plugin::users-permissions.user", "memos")},
            ["x", "targetAttribute"],
            "comes with the server",
        ),
        ({"x": {"type": "customField", "customField": "plugin::x.y"}}, ["x"], "custom fields"),
        ({"x": {"type": "string"}, "X": {"type": "string"}}, ["X"], "same column"),
        ({"x": {"type": "string", "columnName": 'a"; --'}}, ["x", "columnName"], "regex"),
        (
            {"x": {"type": "string", "column": {"defaultTo": ["1", {"isRaw": True}]}}},
            ["x", "column", "defaultTo"],
            "single value",
        ),
    ],
)
async def test_what_made_the_reference_stop_is_an_error_at_its_path(
    model_site: ModelSite, attributes: JsonObject, path: list[str], message: str
) -> None:
    before = model_site.files()
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", memo(attributes))
    assert reply.status == 400, reply.json
    [error] = reply.json["error"]["details"]["errors"]
    assert message in error["message"]
    assert set(path) <= set(error["path"])
    assert model_site.files() == before
    assert (await model_site.ask("GET", f"{BUILDER}/content-types/{MEMO}")).status == 404


async def test_what_others_use_is_not_taken(model_site: ModelSite) -> None:
    body = memo({}, collectionName="paper_rows")
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", body)
    assert "is the table of" in reply.json["error"]["message"]
    taken = changed(MEMO, action="create", pluralName="writers")
    payload = (await model_site.update(taken)).json["error"]
    assert "writers is taken" in str(payload)
    foreign = f"{BUILDER}/content-types/plugin::upload.file"
    assert (await model_site.ask("PUT", foreign, memo({}))).status == 404
    assert (await model_site.ask("DELETE", foreign)).status == 404


async def test_the_type_of_end_users_is_changed_by_an_extension(model_site: ModelSite) -> None:
    user = "plugin::users-permissions.user"
    target = f"{BUILDER}/content-types/{user}"
    schema = (await model_site.ask("GET", target)).data["schema"]
    schema["attributes"]["nickname"] = {"type": "string"}
    assert (await model_site.ask("PUT", target, {"contentType": schema})).status == 201
    extension = model_site.file("src/extensions/users-permissions/content-types/user/schema.json")
    assert extension["attributes"]["nickname"] == {"type": "string"}
    assert "nickname" in (await model_site.ask("GET", target)).data["schema"]["attributes"]
    assert (await model_site.ask("DELETE", target)).status == 404


async def test_files_that_somebody_changed_are_not_overwritten(model_site: ModelSite) -> None:
    raw = model_site.file(WRITER_FILE)
    raw["attributes"]["age"] = {"type": "integer"}
    (model_site.project / WRITER_FILE).write_text(json.dumps(raw))
    before = model_site.files()
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", memo({}))
    assert (reply.status, reply.json["error"]["name"]) == (409, "ConflictError")
    assert model_site.files() == before


async def test_files_that_cannot_be_written_leave_everything_as_it_was(
    model_site: ModelSite,
) -> None:
    (model_site.project / "src/api/memo").write_text("not a folder")
    before = model_site.files()
    reply = await model_site.ask("POST", f"{BUILDER}/content-types", memo({}))
    assert reply.status == 409
    assert reply.error.startswith(f"{MEMO_FILE} cannot be written: ")
    assert model_site.files() == before
    assert (await model_site.ask("GET", f"{BUILDER}/content-types/{MEMO}")).status == 404


async def test_files_that_are_left_half_changed_are_put_right_at_the_next_start(
    model_site: ModelSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(_: SchemaFollower) -> bool:
        return True

    def fail(_: FileTransaction) -> None:
        raise OSError(28, "No space left on device")

    body = memo({"title": {"type": "string"}})
    entries = f"/content-manager/collection-types/{MEMO}"
    with monkeypatch.context() as patched:
        patched.setattr(SchemaFollower, "look", nothing)  # which would put them right, too
        patched.setattr(FileTransaction, "finish", fail)
        reply = await model_site.ask("POST", f"{BUILDER}/content-types", body)
        assert reply.status == 500
        assert "not all schema files could be written" in reply.error
        assert (await model_site.ask("POST", entries, {"title": "Buy ink"})).status == 201
        assert not (model_site.project / MEMO_FILE).exists()
        assert await recover_files(model_site.office.app.settings) == [MEMO_FILE]
    async with run_office(model_site.project) as office:
        found = await office.ask("GET", entries, token=model_site.office.boss)
        assert [one["title"] for one in found.json["results"]] == ["Buy ink"]


async def test_a_change_that_is_cancelled_while_it_is_stored_is_whole_or_not_there(
    model_site: ModelSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    body = memo({"title": {"type": "string"}})
    asking = asyncio.ensure_future(model_site.ask("POST", f"{BUILDER}/content-types", body))
    is_cancelled = Event()

    def cancel() -> None:
        asking.cancel()
        is_cancelled.set()

    def migrate(
        kind: DatabaseKind, request: MigrationRequest, *, now: int
    ) -> Program[PlannedMigration]:
        loop.call_soon_threadsafe(cancel)
        is_cancelled.wait(0.5)  # on SQLite this is another thread
        return (yield from migrate_to(kind, request, now=now))

    with monkeypatch.context() as patched:
        patched.setattr("quire.builder.apply.migrate_to", migrate)
        with suppress(asyncio.CancelledError):
            await asking
    settings = model_site.office.app.settings
    # It waits for the writer.
    await model_site.ask("POST", "/admin/roles", {"name": "Clerk", "description": ""})

    await recover_files(settings)
    assert await is_announced(settings)


async def test_files_of_javascript_come_and_go_where_a_project_has_any(
    model_site: ModelSite,
) -> None:
    (model_site.project / "package.json").write_text("{}")
    await model_site.ask("POST", f"{BUILDER}/content-types", memo({}))
    names = ["controllers/memo.js", "routes/memo.js", "services/memo.js"]
    folder = model_site.project / "src/api/memo"
    assert all(MEMO in (folder / name).read_text() for name in names)
    own = folder / "services/memo.js"
    own.write_text("module.exports = { async find() { return guarded(); } };")
    await model_site.ask("DELETE", f"{BUILDER}/content-types/{MEMO}")
    assert [path for path in folder.rglob("*") if path.is_file()] == [own]


async def test_a_component_may_come_with_the_type_that_holds_it(model_site: ModelSite) -> None:
    body = memo({"ends": {"type": "component", "component": "tmp", "repeatable": True}})
    body["components"] = [
        {
            "tmpUID": "tmp",
            "category": "part",
            "displayName": "Loose End",
            "icon": "star",
            "attributes": {"text": {"type": "string"}},
        }
    ]
    assert (await model_site.ask("POST", f"{BUILDER}/content-types", body)).status == 201
    component = model_site.file("src/components/part/loose-end.json")
    assert component["collectionName"] == "components_part_loose_ends"
    entries = f"/content-manager/collection-types/{MEMO}"
    made = await model_site.ask("POST", entries, {"ends": [{"text": "Glue"}]})
    assert made.data["ends"][0]["text"] == "Glue"


async def test_files_of_new_models_are_named_and_written_as_by_the_reference(
    model_site: ModelSite,
) -> None:
    hidden = {"i18n": {"localized": True}}
    change = {
        "action": "create",
        "status": "NEW",
        "displayName": "Column3",
        "attributes": [{"action": "create", "name": "text", "properties": {"type": "string"}}],
    }
    column = {
        **change,
        "uid": "part2.column3",
        "category": "part2",
        "description": "Left",
        "icon": "apps",
        "pluginOptions": hidden,
    }
    names = {"singularName": "step2go", "pluralName": "steps2go"}
    step = {
        **change,
        **names,
        "uid": "api::step2go.step2go",
        "kind": "collectionType",
        "draftAndPublish": False,
        "options": {"note": 1},
        "pluginOptions": {},
    }

    assert (await model_site.update(step, components=[column])).status == 200
    component = model_site.file("src/components/part2/column3.json")
    content_type = model_site.file("src/api/step2go/content-types/step2go/schema.json")
    assert component["collectionName"] == "components_part2_column3s"
    assert list(component) == [
        "collectionName", "info", "options", "pluginOptions", "attributes", "config"
    ]  # fmt: skip
    assert list(component["info"]) == ["displayName", "icon", "description"]
    assert component["pluginOptions"] == hidden
    assert content_type["collectionName"] == "steps2go"
    assert list(content_type["options"].items()) == [("note", 1), ("draftAndPublish", False)]

    update = {**column, "action": "update", "status": "CHANGED", "description": "Right"}
    assert (await model_site.update(components=[update])).status == 200
    component = model_site.file("src/components/part2/column3.json")
    assert component["info"]["description"] == "Right"


async def test_components_change_their_category_with_what_they_hold(
    model_site: ModelSite,
) -> None:
    document_id = await paper(model_site.office, title="Tide", lines=[{"text": "First"}])
    line = {"category": "piece", "displayName": "Line", "attributes": {"text": {"type": "string"}}}
    target = f"{BUILDER}/components/part.line"
    reply = await model_site.ask("PUT", target, {"component": line})
    assert reply.json == {"data": {"uid": "piece.line"}}
    shown = await model_site.ask("GET", f"/content-manager/collection-types/{PAPER}/{document_id}")
    assert [one["text"] for one in shown.data["lines"]] == ["First"]
    assert model_site.file(PAPER_FILE)["attributes"]["lines"]["component"] == "piece.line"


async def test_what_cannot_be_read_is_refused(model_site: ModelSite) -> None:
    bodies: list[tuple[str, str, object]] = [
        ("POST", "content-types", []),
        ("POST", "content-types", {"contentType": [1]}),
        ("POST", "components", {"component": 3}),
        ("PUT", f"content-types/{WRITER}", {"contentType": {"attributes": {"a": 5}}}),
        ("POST", "update-schema", {"data": {"contentTypes": [5]}}),
        ("POST", "update-schema", {"data": {"contentTypes": [changed(WRITER, {"name": 1})]}}),
        ("POST", "update-schema", {"data": {"components": [{"action": "create", "uid": "x.y"}]}}),
    ]
    before = model_site.files()
    for method, path, body in bodies:
        reply = await model_site.ask(method, f"{BUILDER}/{path}", body)
        assert reply.status == 400, (path, reply.json)
    assert model_site.files() == before


async def test_a_plan_reports_every_error_at_its_path(model_site: ModelSite) -> None:
    wanted = changed(
        WRITER,
        attribute("short", type="string", minLength=5, maxLength=2),
        attribute("kind", type="enumeration", enum=[]),
    )
    reply = await model_site.plan(wanted)
    assert reply.status == 400
    errors: list[Mapping[str, Any]] = reply.json["error"]["details"]["errors"]
    assert [error["path"] for error in errors] == [
        [WRITER, "attributes", "short", "maxLength"],
        [WRITER, "attributes", "kind", "enum"],
    ]


@pytest.mark.parametrize("name", ["!!!", "\u65e5\u672c", "y" * 300])
async def test_components_have_names_that_files_can_have(model_site: ModelSite, name: str) -> None:
    before = model_site.files()
    part = {"displayName": name, "category": "part", "attributes": {"text": {"type": "string"}}}
    nested = [{**part, "tmpUID": "new"}]
    holder = memo({"parts": {"type": "component", "component": "new"}})

    for path, body in (
        ("components", {"component": part, "components": []}),
        ("content-types", {**holder, "components": nested}),
    ):
        refused = await model_site.ask("POST", f"{BUILDER}/{path}", body)
        assert refused.status == 400, refused.json
    renamed = await model_site.ask("PUT", f"{BUILDER}/component-categories/part", {"name": name})

    assert renamed.status == 400
    assert model_site.files() == before


async def test_a_body_has_a_limited_number_of_attributes(model_site: ModelSite) -> None:
    uids = [attribute(f"a{number}", type="uid", targetField="x") for number in range(1_001)]
    reply = await model_site.update(changed(PAPER, *uids))
    planned = await model_site.plan(changed(PAPER, *uids))
    message = "Too big: expected array to have <=1000 items"
    assert (reply.status, reply.json) == (400, {"error": message})
    assert (planned.status, planned.error) == (400, message)


async def test_a_body_names_each_model_once(model_site: ModelSite) -> None:
    before = model_site.files()
    deleted = {"action": "delete", "uid": WRITER}
    new_names = {"singularName": "author", "pluralName": "authors", "formerUid": WRITER}
    renamed = changed("api::author.author", attribute("name"), **new_names)
    added = changed(MEMO, attribute("title"), action="create")

    for types in ([deleted] * 2, [renamed] * 2, [renamed, deleted], [added] * 2):
        refused = await model_site.update(*types)
        assert (refused.status, refused.json) == (400, {"error": "Invalid input"})
    assert model_site.files() == before


@pytest.mark.parametrize("table", ["quire_audit", "strapi_webhooks", "sqlite_master"])
async def test_tables_of_the_server_are_not_those_of_types(
    model_site: ModelSite, table: str
) -> None:
    before = model_site.files()
    body = {**memo({"title": {"type": "string"}}, collectionName=table), "components": []}
    added = changed(MEMO, attribute("title"), action="create", collectionName=table)
    planned = await model_site.plan(added)
    refused = await model_site.ask("POST", f"{BUILDER}/content-types", body)

    assert (planned.status, refused.status) == (400, 400), refused.json
    assert table in refused.json["error"]["message"]
    assert model_site.files() == before


@pytest.mark.parametrize("names", [{"tmpUID": []}, {"uid": None}, {"uid": 5}])
async def test_nested_components_without_a_uid_are_new(
    model_site: ModelSite, names: JsonObject
) -> None:
    part = {"displayName": "Part", "category": "x", "attributes": {"text": {"type": "string"}}}
    body = {**memo({"title": {"type": "string"}}), "components": [{**part, **names}]}
    made = await model_site.ask("POST", f"{BUILDER}/content-types", body)
    shown = await model_site.ask("GET", f"{BUILDER}/components/x.part")

    assert (made.status, shown.status) == (201, 200), made.json
