"""Review workflows: stages of entries, and the stage required for publishing."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quire import cli
from quire.database.program import Program, Statement
from tests.databases.kind import Kind
from tests.unit.admin_api.office import (
    SECRETS,
    Office,
    Reply,
    SharedOffices,
    office_project,
    run_office,
)
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper, titles
from tests.unit.admin_api.test_releases import ask as ask_release
from tests.unit.admin_api.test_releases import entry, live, release
from tests.unit.kiosk import PAPER, WRITER

WORKFLOWS = "/admin/x/review/workflows"
NOT_READY = 'Only entries in the stage "Approved" can be published; this one is in "Draft"'


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


def stage(name: str, **more: object) -> dict[str, object]:
    return {"name": name, **more}


async def workflow(office: Office, *stages: dict[str, object], name: str = "Editorial") -> Any:  # noqa: ANN401 - JSON
    """Make a workflow of papers, by default with a stage that is required."""
    listed = list(stages) or [stage("Draft"), stage("Approved", requiredToPublish=True)]
    body = {"name": name, "contentTypes": [PAPER], "stages": listed}
    made = await office.ask("POST", WORKFLOWS, body, token=office.boss)
    assert made.status == 201, made.json
    return made.data


async def move(
    office: Office, document_id: str, token: str | None = None, query: str = "", **body: object
) -> Reply:
    path = f"/admin/x/review/entries/{PAPER}/{document_id}{query}"
    return await office.ask("PUT", path, body, token=token or office.boss)


async def place(office: Office, document_id: str, token: str | None = None) -> Reply:
    path = f"/admin/x/review/entries/{PAPER}/{document_id}"
    return await office.ask("GET", path, token=token or office.boss)


async def publish(office: Office, document_id: str, token: str | None = None) -> Reply:
    path = f"{PAPERS}/{document_id}/actions/publish"
    return await office.ask("POST", path, {}, token=token or office.boss)


async def test_entries_are_published_in_the_required_stage_alone(office: Office) -> None:
    made = await workflow(office)
    document_id = await paper(office)

    refused = await publish(office, document_id)
    assert (refused.status, refused.error) == (400, NOT_READY)
    bulk = await office.ask(
        "POST",
        f"{PAPERS}/actions/bulkPublish",
        {"documentIds": [document_id]},
        token=office.boss,
    )
    assert (bulk.status, bulk.error) == (400, NOT_READY)
    new = await office.ask("POST", f"{PAPERS}/actions/publish", {"title": "New"}, token=office.boss)
    assert (new.status, new.error) == (400, NOT_READY)
    release_id = await release(office, entry(document_id))
    held = await ask_release(office, "POST", f"/{release_id}/publish")
    assert held.json["error"]["details"]["problems"][0]["message"] == NOT_READY
    assert await live(office, document_id) is None

    approved = made["stages"][1]["id"]
    assert (await move(office, document_id, stage=approved)).data["stage"] == approved
    assert (await publish(office, document_id)).status == 200
    assert await live(office, document_id) is not None


async def test_types_without_a_workflow_are_published_as_before(office: Office) -> None:
    document_id = await paper(office)
    assert (await place(office, document_id)).json == {"data": None}
    assert (await move(office, document_id, stage=1)).status == 400
    assert (await publish(office, document_id)).status == 200


async def test_only_the_roles_of_a_stage_move_entries_out_of_it(office: Office) -> None:
    grants = grant("read", ["title"]), grant("update", ["title"])
    writer = await editor(office, *grants)
    users = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    chief = await editor(office, *grants, email="chief@example.com")
    users = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    role = next(one for one in users if one["email"] == "chief@example.com")["roles"][0]["id"]
    writers = next(one for one in users if one["email"] == "ed@example.com")["roles"][0]["id"]
    assert role != writers
    made = await workflow(office, stage("Draft"), stage("Checked", roles=[role]), stage("Done"))
    draft, checked, done = (one["id"] for one in made["stages"])
    document_id = await paper(office)

    assert (await place(office, document_id, writer)).data["mayMove"] is True
    assert (await move(office, document_id, writer, stage=checked)).status == 200
    assert (await place(office, document_id, writer)).data["mayMove"] is False
    refused = await move(office, document_id, writer, stage=done)
    assert refused.status == 403
    assert refused.error == 'Your roles may not move entries out of the stage "Checked"'
    assert (await move(office, document_id, chief, stage=done)).status == 200
    assert (await move(office, document_id, stage=draft)).status == 200


async def test_who_may_not_change_an_entry_neither_moves_nor_assigns_it(office: Office) -> None:
    made = await workflow(office)
    document_id = await paper(office)
    reader = await editor(office, grant("read", ["title"]))
    other = await editor(office, grant("read", ["name"], uid=WRITER), email="x@example.com")
    second = made["stages"][1]["id"]
    assert (await place(office, document_id, reader)).status == 200
    assert (await move(office, document_id, reader, stage=second)).status == 403
    assert (await move(office, document_id, reader, assignee=None)).status == 403
    assert (await place(office, document_id, other)).status == 403
    assignees = f"/admin/x/review/assignees/{PAPER}"
    assert (await office.ask("GET", assignees, token=reader)).status == 403
    body = {"name": "Mine", "contentTypes": [], "stages": [stage("One")]}
    assert (await office.ask("POST", WORKFLOWS, body, token=reader)).status == 403


async def test_entries_are_assigned_to_who_may_sign_in(office: Office) -> None:
    await workflow(office)
    document_id = await paper(office)
    users = (await office.ask("GET", f"/admin/x/review/assignees/{PAPER}", token=office.boss)).data
    assert users == [{"id": 1, "name": "Bea Boss"}]
    assigned = await move(office, document_id, assignee=1)
    assert assigned.data["assignee"] == {"id": 1, "name": "Bea Boss"}
    assert (await move(office, document_id, assignee=99)).status == 400
    assert (await place(office, document_id)).data["assignee"]["id"] == 1
    assert (await move(office, document_id, assignee=None)).data["assignee"] is None


async def test_lists_are_narrowed_by_stage_and_assignee(office: Office) -> None:
    made = await workflow(office)
    first, second = (one["id"] for one in made["stages"])
    await paper(office, title="One")
    two = await paper(office, title="Two")
    await paper(office, title="Three")
    await move(office, two, stage=second, assignee=1)
    for query, expected in (
        (f"reviewStage={first}", ["One", "Three"]),
        (f"reviewStage={second}", ["Two"]),
        ("reviewAssignee=1", ["Two"]),
        ("reviewAssignee=1&locale=*", ["Two"]),
        (f"reviewStage={first}&reviewAssignee=1", []),
        (f"reviewStage={first}&filters[title][$startsWith]=T", ["Three"]),
    ):
        assert await titles(office, office.boss, f"{query}&sort=id:asc") == expected, query
    path = f"/admin/x/export/{PAPER}?reviewStage={second}"
    exported = await office.ask("POST", path, {}, token=office.boss)
    assert [one["title"] for one in exported.data] == ["Two"]
    await move(office, two, stage=first)
    listed = await titles(office, office.boss, f"reviewStage={first}&sort=id:asc")
    assert listed == ["One", "Two", "Three"]
    for wrong in ("reviewStage=99", "reviewStage=x", "reviewAssignee[a]=1"):
        assert (await office.ask("GET", f"{PAPERS}?{wrong}", token=office.boss)).status == 400
    writers = f"/content-manager/collection-types/{WRITER}?reviewStage={first}"
    assert (await office.ask("GET", writers, token=office.boss)).status == 400


async def test_each_locale_has_a_stage_of_its_own(office: Office) -> None:
    made = await workflow(office)
    document_id = await paper(office)
    await office.ask(
        "PUT", f"{PAPERS}/{document_id}?locale=fr", {"title": "Marées"}, token=office.boss
    )
    second = made["stages"][1]["id"]
    await move(office, document_id, query="?locale=fr", stage=second)
    assert (await place(office, document_id)).data["stage"] == made["stages"][0]["id"]


def _in_english() -> Program[None]:
    yield Statement("UPDATE paper_rows SET locale = 'en'")


async def test_entries_of_a_type_that_has_lost_its_locales_have_one_stage(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program may have left their rows the locale that they were written in."""
    async with office_project(tmp_path, kind) as project:
        async with run_office(project) as office:
            office.boss = (await office.sign_in("boss@example.com")).data["token"]
            document_id = await paper(office)
        file = project / "src" / "api" / "paper" / "content-types" / "paper" / "schema.json"
        schema = json.loads(file.read_text())
        assert schema.pop("pluginOptions")["i18n"]["localized"]
        file.write_text(json.dumps(schema))
        for name, value in SECRETS.items():
            monkeypatch.setenv(name, value)
        assert await asyncio.to_thread(cli.run, ["migrate", str(project), "--apply"]) == 0
        async with run_office(project) as office:
            office.boss = (await office.sign_in("boss@example.com")).data["token"]
            assert office.app.database is not None
            await office.app.database.write(_in_english())
            approved = (await workflow(office))["stages"][1]["id"]
            moved = await move(office, document_id, stage=approved)
            assert moved.data["stage"] == approved
            for action, count in (("bulkPublish", 1), ("bulkUnpublish", 1), ("bulkPublish", 1)):
                done = await office.ask(
                    "POST",
                    f"{PAPERS}/actions/{action}",
                    {"documentIds": [document_id]},
                    token=office.boss,
                )
                assert (done.status, done.json.get("count")) == (200, count), done.json
            assert (await office.ask("GET", f"/api/papers/{document_id}")).status == 200


async def test_a_stage_that_is_gone_leaves_its_entries_in_the_first_one(office: Office) -> None:
    made = await workflow(office, stage("Draft"), stage("Checked"), stage("Done"))
    document_id = await paper(office)
    draft, checked, done = made["stages"]
    await move(office, document_id, stage=checked["id"])
    body = {
        "name": "Newsroom",
        "contentTypes": [PAPER],
        "stages": [{**done, "name": "Ready", "requiredToPublish": True}, draft, stage("More")],
    }
    changed = await office.ask("PUT", f"{WORKFLOWS}/{made['id']}", body, token=office.boss)
    assert changed.status == 200, changed.json
    names = [(one["name"], one["requiredToPublish"]) for one in changed.data["stages"]]
    assert names == [("Ready", True), ("Draft", False), ("More", False)]
    assert changed.data["stages"][0]["id"] == done["id"]
    assert (await place(office, document_id)).data["stage"] == done["id"]
    listed = (await office.ask("GET", WORKFLOWS, token=office.boss)).data
    assert listed == [changed.data]
    deleted = await office.ask("DELETE", f"{WORKFLOWS}/{made['id']}", token=office.boss)
    assert deleted.status == 200
    assert (await office.ask("GET", WORKFLOWS, token=office.boss)).data == []
    assert (await publish(office, document_id)).status == 200


async def test_workflows_that_cannot_be_are_refused(office: Office) -> None:
    await workflow(office)
    one = stage("One")
    for name, types, stages in (
        ("Editorial", [], [one]),
        ("Other", [PAPER], [one]),
        ("Other", [WRITER], [one]),
        ("Other", ["api::nothing.nothing"], [one]),
        ("Other", [], []),
        ("Other", [], [one, one]),
        ("Other", [], [stage("One", color="red")]),
        ("Other", [], [stage("A", requiredToPublish=True), stage("B", requiredToPublish=True)]),
        ("", [], [one]),
        ("Other", "all", [one]),
        ("Other", [], [{"color": "#000000"}]),
        ("Other", [], [stage("One", roles=["x"])]),
    ):
        body = {"name": name, "contentTypes": types, "stages": stages}
        refused = await office.ask("POST", WORKFLOWS, body, token=office.boss)
        assert refused.status == 400, body
    made = (await office.ask("GET", WORKFLOWS, token=office.boss)).data[0]
    twice = [{**made["stages"][0], "name": name} for name in ("One", "Two")]
    body = {"name": "Editorial", "contentTypes": [PAPER], "stages": twice}
    same = await office.ask("PUT", f"{WORKFLOWS}/{made['id']}", body, token=office.boss)
    assert same.status == 400
    unknown = {"name": "Other", "contentTypes": [], "stages": [one]}
    missing = await office.ask("PUT", f"{WORKFLOWS}/99", unknown, token=office.boss)
    assert missing.status == 404
