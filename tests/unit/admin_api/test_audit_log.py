"""Actions of administrators are logged for super admins, and the log cannot be changed."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import BOSS, PASSWORD, Office, open_office
from tests.unit.admin_api.test_admin_users import clerk

AUDIT = "/admin/x/audit"


async def noted(office: Office, query: str = "") -> list[dict[str, Any]]:
    reply = await office.ask("GET", f"{AUDIT}?{query}", token=office.boss)
    assert reply.status == 200, reply.json
    rows: list[dict[str, Any]] = reply.data
    return rows


async def test_it_says_who_did_what_to_whom_and_when(office: Office) -> None:
    await clerk(office)
    rows = await noted(office, "actor=boss@example.com")
    changed = next(row for row in rows if row["action"] == "PUT /admin/users/:id")

    assert changed["actor"] == BOSS["email"]
    assert (changed["actorId"], changed["target"], changed["status"]) == (1, "2", 200)
    passed = office.clock.now - datetime.fromisoformat(changed["at"]).timestamp() * 1000
    assert 0 <= passed < 1000
    assert changed["place"] == "127.0.0.1"


async def test_sign_ins_are_noted_and_refused_ones_too(office: Office) -> None:
    await office.sign_in("BOSS@example.com", "wrong")
    await office.sign_in("nobody@example.com", "wrong")
    rows = await noted(office, "action=POST%20/admin/login")

    assert [(row["actor"], row["status"]) for row in rows] == [
        ("nobody@example.com", 400),
        ("boss@example.com", 400),
        ("boss@example.com", 200),
    ]


async def test_what_somebody_had_no_right_to_is_noted(office: Office) -> None:
    _, token = await clerk(office)
    await office.ask("DELETE", "/admin/users/1", token=token)

    assert (await noted(office))[0]["status"] == 403


async def test_neither_passwords_nor_tokens_are_noted(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        await clerk(office)
        made = await office.ask("POST", "/admin/api-tokens", {"name": "Site"}, token=office.boss)
        text = json.dumps(await noted(office))

    assert PASSWORD not in text
    assert made.data["accessKey"] not in text
    assert office.boss not in text


async def test_reading_and_broken_forms_from_outside_are_not_noted(office: Office) -> None:
    before = await noted(office)
    await office.ask("GET", "/admin/users", token=office.boss)
    for path in ("register", "reset-password", "register-admin", "forgot-password", "access-token"):
        await office.ask("POST", f"/admin/{path}", {"email": 5})

    assert await noted(office) == before


async def test_it_is_read_in_parts_and_by_time(office: Office) -> None:
    for name in "abc":
        await office.ask("POST", "/admin/roles", {"name": name}, token=office.boss)
    latest = await noted(office, "limit=2")
    earlier = await noted(office, f"limit=1&before={latest[-1]['id']}")
    none = await noted(office, "until=1")

    assert len(latest) == 2
    assert earlier[0]["id"] < latest[-1]["id"]
    assert none == []
    for wrong in ("limit=x", "before[]=1", "since=-1"):
        assert (await office.ask("GET", f"{AUDIT}?{wrong}", token=office.boss)).status == 400


async def test_it_is_exported_line_by_line(office: Office) -> None:
    headers = {"authorization": f"Bearer {office.boss}"}
    response = await office.client.request("GET", f"{AUDIT}/export", headers)
    lines = [json.loads(line) for line in response.content.splitlines()]

    assert lines == await noted(office)
    assert "attachment" in response.headers["content-disposition"]


@pytest.mark.parametrize("path", [AUDIT, f"{AUDIT}/export"])
async def test_only_super_admins_read_it_and_nobody_changes_it(office: Office, path: str) -> None:
    _, token = await clerk(office, "admin::users.read", "admin::roles.read")

    assert (await office.ask("GET", path, token=token)).status == 403
    for method in ("POST", "PUT", "DELETE"):
        assert (await office.ask(method, path, {}, token=office.boss)).status == 405


async def test_it_goes_on_after_a_new_start(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        before = await noted(office)
        await office.app.stop()
        await office.app.start()
        after = await noted(office)
    with rows_of(tmp_path) as rows:
        ((count,),) = rows.execute("SELECT count(*) FROM quire_audit")

    assert after == before
    assert count >= len(before)


async def test_a_change_that_cannot_be_noted_is_not_made(tmp_path: Path) -> None:
    async with open_office(tmp_path) as office:
        await noted(office)
        with rows_of(tmp_path) as rows:
            rows.execute(
                "CREATE TRIGGER full BEFORE INSERT ON quire_audit"
                " BEGIN SELECT RAISE(ABORT, 'no room'); END"
            )
        for path, body in (
            ("/content-manager/collection-types/api::paper.paper", {"title": "Tide"}),
            ("/admin/roles", {"name": "Clerk", "description": ""}),
            ("/upload/folders", {"name": "Maps"}),
        ):
            reply = await office.ask("POST", path, body, token=office.boss)
            assert reply.status >= 500, path
        with rows_of(tmp_path) as rows:
            folders = rows.execute("SELECT count(*) FROM upload_folders")
            roles = rows.execute("SELECT name FROM admin_roles")
        listed = await office.ask(
            "GET", "/content-manager/collection-types/api::paper.paper", token=office.boss
        )
    assert (folders, listed.json["results"]) == ([(0,)], [])
    assert ("Clerk",) not in roles


async def test_what_was_undone_is_noted_by_nobody(office: Office) -> None:
    before = len(await noted(office))
    body = {"title": "x" * 80}
    path = "/content-manager/collection-types/api::paper.paper"
    assert (await office.ask("POST", path, body, token=office.boss)).status == 400
    assert len(await noted(office)) == before


async def test_each_change_is_noted_once_with_the_status_of_its_response(office: Office) -> None:
    papers = "/content-manager/collection-types/api::paper.paper"
    made = await office.ask("POST", papers, {"title": "Tide"}, token=office.boss)
    document = f"{papers}/{made.data['documentId']}"
    hook = {"name": "x", "url": "https://example.com", "headers": {}, "events": ["entry.create"]}
    view = {"uid": "api::paper.paper", "name": "x", "state": {}}
    asked: tuple[tuple[str, str, object], ...] = (
        ("PUT", document, {"title": "Ebb"}),
        ("POST", f"{document}/actions/publish", {}),
        ("DELETE", document, None),
        ("POST", "/admin/roles", {"name": "Clerk", "description": ""}),
        ("POST", "/admin/users", {"email": "n@example.com", "firstname": "N", "roles": [1]}),
        ("POST", "/admin/api-tokens", {"name": "Site", "type": "read-only", "description": ""}),
        ("POST", "/admin/webhooks", hook),
        ("POST", "/admin/x/views", view),
        ("POST", "/upload/folders", {"name": "Maps"}),
        ("POST", "/admin/forgot-password", {"email": "boss@example.com"}),
        ("POST", "/admin/logout", {}),
    )
    answered = [(f"POST {papers}", made.status)]
    for method, path, body in asked:
        reply = await office.ask(method, path, body, token=office.boss)
        assert reply.status < 300, (path, reply.json)
        answered.append((f"{method} {path}", reply.status))
    office.boss = (await office.sign_in(BOSS["email"])).data["token"]
    rows = [row for row in await noted(office) if row["action"] != "POST /admin/login"]
    reported = [row["status"] for row in reversed(rows)][-len(answered) :]
    assert reported == [status for _, status in answered]


async def test_details_that_are_too_long_are_left_out(office: Office) -> None:
    # The thousandth character of these details is a brace.
    body = {"email": "nobody@example.com", "password": "wrong", "ids": [{}] * 1_000}
    assert (await office.ask("POST", "/admin/login", body)).status == 400
    exported = await office.send("GET", f"{AUDIT}/export", token=office.boss)

    (latest, *_) = await noted(office)
    assert (latest["actor"], latest["details"]) == ("nobody@example.com", None)
    assert exported.status == 200
