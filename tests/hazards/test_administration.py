"""Known vulnerabilities of reads, writes and grants of administrators."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.databases.kind import Kind, opened
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import (
    BOSS,
    PASSWORD,
    Office,
    SharedOffices,
    office_project,
    run_office,
)
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper, titles
from tests.unit.kiosk import PAPER, WRITER

PERSONAL = "admin::is-creator"
WRITERS = f"/content-manager/collection-types/{WRITER}"
RELATIONS = "/content-manager/relations"
USER = "plugin::users-permissions.user"
USERS = f"/content-manager/collection-types/{USER}"
SECRETS = ("password", "resetPasswordToken", "registrationToken", "confirmationToken")


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def writer(office: Office, name: str, token: str | None = None) -> str:
    made = await office.ask("POST", WRITERS, {"name": name}, token=token or office.boss)
    assert made.status == 201, made.json
    document_id: str = made.data["documentId"]
    return document_id


async def end_user(office: Office) -> str:
    """Make an end user; returns their document."""
    body = {"username": "ann", "email": "ann@example.com", "password": PASSWORD, "role": 1}
    made = await office.ask("POST", USERS, body, token=office.boss)
    assert made.status == 201, made.json
    document_id: str = made.json["documentId"]
    return document_id


async def test_h013_no_entry_shows_the_secrets_of_those_who_made_it(office: Office) -> None:
    document_id = await paper(office, lock="sesame")
    await end_user(office)
    token = await editor(office, grant("read", None))
    for path, asking in (
        (PAPERS, token),
        (f"{PAPERS}/{document_id}", token),
        (USERS, office.boss),
        (f"/admin/x/entry/{PAPER}/{document_id}", office.boss),
    ):
        text = json.dumps((await office.ask("GET", path, token=asking)).json)
        assert not any(f'"{name}": "' in text for name in SECRETS), path
        assert "$2" not in text


@pytest.mark.parametrize("field", ["secret", "margin", "lock", "createdBy", "password", "a.b", ""])
async def test_h014_a_picker_offers_what_relations_are_and_nothing_else(
    office: Office, field: str
) -> None:
    await writer(office, "Nemo")
    token = await editor(office, grant("read", ["title", "writer"]))
    offered = await office.ask("GET", f"{RELATIONS}/{PAPER}/writer?{field}=x", token=token)
    shown = {"id", "documentId", "locale", "status", "createdAt", "updatedAt", "publishedAt"}
    assert all(set(row) <= shown for row in offered.json["results"])
    if field:
        odd = await office.ask("GET", f"{RELATIONS}/{PAPER}/{field}", token=token)
        assert 400 <= odd.status < 500


async def test_h015_a_label_that_may_not_be_read_is_the_id(office: Office) -> None:
    document_id = await writer(office, "Nemo")
    await paper(office, writer={"connect": [{"documentId": document_id}]})
    token = await editor(office, grant("read", None))
    listed = await office.ask("GET", f"{RELATIONS}/{PAPER}/writer", token=token)
    text = json.dumps(listed.json)
    assert document_id in text
    assert "Nemo" not in text


async def test_h016_lists_of_relations_hold_own_entries_alone(office: Office) -> None:
    token = await editor(
        office,
        grant("create", None, uid=WRITER),
        grant("read", None, PERSONAL, uid=WRITER),
        grant("read", ["title", "writer"]),
    )
    own, _ = await writer(office, "Own", token), await writer(office, "Other")
    listed = (await office.ask("GET", f"{RELATIONS}/{PAPER}/writer", token=token)).json
    assert [row["documentId"] for row in listed["results"]] == [own]
    assert listed["pagination"]["total"] == 1


@pytest.mark.parametrize("name", ["password", "resetPasswordToken"])
async def test_h017_hidden_attributes_neither_filter_nor_sort(office: Office, name: str) -> None:
    await end_user(office)
    totals = set()
    for value in ("$2", "zzz"):
        for query in (
            f"filters[{name}][$startsWith]={value}",
            f"filters[createdBy][{name}][$startsWith]={value}",
            f"filters[$or][0][{name}][$startsWith]={value}",
        ):
            reply = await office.ask("GET", f"{USERS}?{query}", token=office.boss)
            totals.add((reply.status, reply.json["pagination"]["total"]))
    assert totals == {(200, 1)}


async def test_h020_no_search_finds_a_secret(office: Office) -> None:
    await paper(office, title="Tide", lock="sesame")
    await end_user(office)
    for path in (PAPERS, USERS, "/admin/users"):
        for secret in ("$2a$", "$2b$", "sesame"):
            reply = await office.ask("GET", f"{path}?_q={secret}", token=office.boss)
            found = reply.json.get("results") or reply.json.get("data", {}).get("results")
            assert not found, (path, secret)


async def test_h021_fields_of_own_entries_are_not_those_of_all(office: Office) -> None:
    foreign = await paper(office, title="Foreign", price=7)
    token = await editor(office, grant("read", ["title"]), grant("update", ["title"], PERSONAL))
    listed = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    admin_user = next(one for one in listed if one["email"] == "ed@example.com")
    made = await office.ask("POST", "/admin/roles", {"name": "Own"}, token=office.boss)
    granted = {
        "permissions": [grant("read", ["price"], PERSONAL), grant("update", ["price"], PERSONAL)]
    }
    path = f"/admin/roles/{made.data['id']}/permissions"
    assert (await office.ask("PUT", path, granted, token=office.boss)).status == 200
    both = {"roles": [admin_user["roles"][0]["id"], made.data["id"]]}
    path = f"/admin/users/{admin_user['id']}"
    assert (await office.ask("PUT", path, both, token=office.boss)).status == 200
    changed = {"price": 8, "title": "Taken"}
    reply = await office.ask("PUT", f"{PAPERS}/{foreign}", changed, token=token)
    assert reply.status == 403
    shown = (await office.ask("GET", f"{PAPERS}/{foreign}", token=token)).data
    assert "price" not in shown
    assert len(await titles(office, token, "filters[price]=8")) == 1


async def test_h022_what_a_role_loses_is_lost_with_the_next_request(office: Office) -> None:
    document_id = await paper(office, price=7)
    token = await editor(office, grant("read", ["title", "price"]))
    listed = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    role = next(one for one in listed if one["email"] == "ed@example.com")["roles"][0]["id"]
    path = f"{PAPERS}/{document_id}"
    assert (await office.ask("GET", path, token=token)).data["price"] == 7
    narrower = {"permissions": [grant("read", ["title"])]}
    await office.ask("PUT", f"/admin/roles/{role}/permissions", narrower, token=office.boss)
    assert "price" not in (await office.ask("GET", path, token=token)).data
    assert "price" not in (await office.ask("GET", PAPERS, token=token)).json["results"][0]


async def test_h023_a_new_field_does_not_inherit_who_saw_an_old_one(
    kind: Kind, tmp_path: Path
) -> None:
    async with office_project(tmp_path, kind) as project:
        file = project / "src/api/paper/content-types/paper/schema.json"
        whole = file.read_text(encoding="utf-8")
        model = json.loads(whole)
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            await paper(office, price=7)
            await editor(office, grant("read", ["title", "price", "lines.text"]))
        del model["attributes"]["price"]
        file.write_text(json.dumps(model), encoding="utf-8")
        async with run_office(project):
            pass
        file.write_text(whole, encoding="utf-8")
        async with run_office(project) as office:
            token = (await office.sign_in("ed@example.com")).data["token"]
            (shown,) = (await office.ask("GET", PAPERS, token=token)).json["results"]
    assert shown["title"] == "Tide tables"
    assert "price" not in shown
    assert "lines" in shown


async def test_h024_there_are_no_stages_to_change(office: Office) -> None:
    document_id = await paper(office)
    token = await editor(office, grant("read", None))
    path = f"/review-workflows/content-manager/collection-types/{PAPER}/{document_id}/stage"
    assert (await office.ask("PUT", path, {"data": {"id": 1}}, token=token)).status in {
        401,
        404,
        405,
    }
    path = f"{PAPERS}/{document_id}"
    assert (await office.ask("PUT", path, {"strapi_stage": 1}, token=token)).status == 403


async def test_h037_who_may_not_write_a_field_of_an_account_does_not(office: Office) -> None:
    document_id = await end_user(office)
    fields = ["username", "email"]
    token = await editor(office, grant("read", fields, uid=USER), grant("update", fields, uid=USER))
    before = hashes(office)
    changed = {"username": "eve", "password": "Another1horse", "role": 2, "provider": "x"}
    reply = await office.ask("PUT", f"{USERS}/{document_id}", changed, token=token)
    assert reply.status == 200
    assert reply.data["username"] == "eve"
    assert hashes(office) == before


def hashes(office: Office) -> list[tuple[object, ...]]:
    """What may not be written of end users."""
    with rows_of(office.app.settings.project) as rows:
        return [
            *rows.execute("SELECT password, provider FROM up_users"),
            *rows.execute("SELECT user_id, role_id FROM up_users_role_lnk"),
        ]


async def test_h041_relations_to_what_one_may_not_see_are_not_made(office: Office) -> None:
    hidden = await writer(office, "Hidden")
    token = await editor(
        office, grant("create", ["title"]), grant("read", ["title"]), grant("update", ["title"])
    )
    made = await paper(office, token, writer={"connect": [{"documentId": hidden}]})
    body = {"writer": {"connect": [{"documentId": hidden}]}}
    await office.ask("PUT", f"{PAPERS}/{made}", body, token=token)
    shown = await office.ask("GET", f"{PAPERS}/{made}?populate=writer", token=office.boss)
    assert not shown.data["writer"]


async def test_h044_nobody_moves_an_entry_out_of_reach_or_into_it(office: Office) -> None:
    foreign = await paper(office, title="Foreign")
    token = await editor(
        office,
        grant("create", None, locales=["en"]),
        grant("read", None, PERSONAL),
        grant("update", None, PERSONAL, locales=["en"]),
    )
    own = await paper(office, token, title="Own")
    taken = {"title": "Mine", "createdBy": 2, "documentId": own, "locale": "en"}
    assert (await office.ask("PUT", f"{PAPERS}/{foreign}", taken, token=token)).status == 403
    french = f"{PAPERS}/{own}?locale=fr"
    assert (await office.ask("PUT", french, {"title": "Mien"}, token=token)).status == 403
    given = {"title": "Yours", "createdBy": 1, "documentId": foreign}
    moved = {**given, "locale": "fr"}
    assert (await office.ask("PUT", f"{PAPERS}/{own}", moved, token=token)).status == 403
    assert (await office.ask("PUT", f"{PAPERS}/{own}", given, token=token)).status == 200
    shown = (await office.ask("GET", f"{PAPERS}/{own}", token=token)).data
    assert (shown["title"], shown["locale"], shown["documentId"]) == ("Yours", "en", own)
    assert shown["createdBy"]["id"] != 1


async def test_h045_nobody_invites_or_grants_beyond_their_own_rights(office: Office) -> None:
    _, token = await clerk(
        office, "admin::users.create", "admin::users.read", "admin::roles.update"
    )
    body = {"email": "e@example.com", "firstname": "E", "roles": [1]}
    assert (await office.ask("POST", "/admin/users", body, token=token)).status == 403
    listed = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    assert "e@example.com" not in {one["email"] for one in listed}


async def test_h046_nobody_makes_a_token_without_the_right_to(office: Office) -> None:
    _, token = await clerk(office, "admin::api-tokens.read", "admin::users.read")
    body = {"name": "Site", "type": "full-access", "description": ""}
    assert (await office.ask("POST", "/admin/api-tokens", body, token=token)).status == 403
    made = await office.ask("POST", "/admin/api-tokens", body, token=office.boss)
    renew = f"/admin/api-tokens/{made.data['id']}/regenerate"
    assert (await office.ask("POST", renew, token=token)).status == 403
    one = await office.ask("GET", f"/admin/api-tokens/{made.data['id']}", token=token)
    assert "accessKey" not in one.data


async def test_h047_one_super_admin_stays(office: Office) -> None:
    for method, path, body in (
        ("DELETE", "/admin/users/1", None),
        ("POST", "/admin/users/batch-delete", {"ids": [1]}),
        ("PUT", "/admin/users/1", {"isActive": False}),
        ("PUT", "/admin/users/1", {"roles": [2]}),
    ):
        reply = await office.ask(method, path, body, token=office.boss)
        assert reply.status == 400, path
    assert (await office.sign_in(BOSS["email"])).status == 200


@pytest.mark.parametrize("extra", [{"roles": [1]}, {"isActive": True}, {"blocked": False}])
async def test_h048_nobody_gives_themselves_rights(
    office: Office, extra: dict[str, object]
) -> None:
    _, token = await clerk(office)
    body = {"firstname": "Eve", **extra}
    assert (await office.ask("PUT", "/admin/users/me", body, token=token)).status == 400
    shown = (await office.ask("GET", "/admin/users/me", token=token)).data
    assert shown["firstname"] != "Eve"
    assert all(role["id"] != 1 for role in shown["roles"])


async def test_h049_an_own_password_is_changed_with_the_present_one_alone(office: Office) -> None:
    for wrong in ({}, {"currentPassword": ""}, {"currentPassword": "Wrong1horse"}):
        body = {"password": "Another1horse", **wrong}
        assert (await office.ask("PUT", "/admin/users/me", body, token=office.boss)).status == 400
    assert (await office.sign_in(BOSS["email"])).status == 200


@pytest.mark.parametrize("path", ["schema", "content-types", "components", "update-schema"])
async def test_h050_the_model_is_nothing_for_those_without_the_right(
    office: Office, path: str
) -> None:
    _, token = await clerk(office)
    method = "POST" if path == "update-schema" else "GET"
    for asking in (None, token):
        reply = await office.ask(method, f"/content-type-builder/{path}", {}, token=asking)
        assert reply.status in {401, 403, 404, 405}


async def test_h105_an_error_reveals_nothing_of_the_server(office: Office) -> None:
    odd = "%00" + "x" * 300
    for path in (
        f"{PAPERS}?filters[title][$eq]={odd}",
        f"{PAPERS}/{odd}",
        f"{RELATIONS}/{PAPER}/{odd}",
        f"/admin/x/difference/{odd}/{odd}",
        f"/admin/x/explain?user={odd}",
    ):
        reply = await office.ask("GET", path, token=office.boss)
        assert reply.status < 500, path
        if reply.status >= 400:
            assert set(reply.json["error"]) <= {"status", "name", "message", "details"}
            assert "Traceback" not in json.dumps(reply.json)


async def test_h130_many_administrators_change_and_publish_one_document(office: Office) -> None:
    document_id = await paper(office, lines=[{"text": "a"}])
    path = f"{PAPERS}/{document_id}"

    async def change(number: int) -> int:
        body = {"title": f"Paper {number}", "lines": [{"text": f"line {number}"}]}
        await office.ask("PUT", path, body, token=office.boss)
        done = await office.ask("POST", f"{path}/actions/publish", body, token=office.boss)
        return done.status

    statuses = await asyncio.gather(*(change(number) for number in range(20)))
    assert set(statuses) <= {200, 503}
    with rows_of(office.app.settings.project) as rows:
        (table,) = (name for name in rows.tables() if name.startswith("paper") and _is_main(name))
        kept = rows.execute(
            f'SELECT published_at IS NULL, locale FROM "{table}" WHERE document_id = ?',
            (document_id,),
        )
    assert sorted(map(str, kept)) == sorted(map(str, [*{*kept}]))
    assert len(kept) == 2
    for status in ("draft", "published"):
        shown = (await office.ask("GET", f"{path}?status={status}", token=office.boss)).data
        assert len(shown["lines"]) == 1


def _is_main(name: str) -> bool:
    return not name.endswith(("_lnk", "_cmps", "_mph"))


async def test_h131_the_last_of_two_editors_wins_unless_they_say_what_they_know(
    office: Office,
) -> None:
    document_id = await paper(office)
    path = f"{PAPERS}/{document_id}"
    known = (await office.ask("GET", path, token=office.boss)).data["updatedAt"]
    for title in ("One", "Two"):
        assert (await office.ask("PUT", path, {"title": title}, token=office.boss)).status == 200
    match = {"if-match": f'"{known}"'}
    late = await office.ask("PUT", path, {"title": "Three"}, token=office.boss, headers=match)
    assert late.status == 412
    assert (await office.ask("GET", path, token=office.boss)).data["title"] == "Two"


async def test_rows_without_times_are_shown_and_changed(kind: Kind, tmp_path: Path) -> None:
    async with office_project(tmp_path, kind) as project:
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            document = f"{PAPERS}/{await paper(office, title='Tide')}"
            await paper(office, title="Ebb")
            await office.ask("POST", f"{document}/actions/publish", {}, token=office.boss)
        # As a program may have inserted it.
        with opened(kind, project) as database:
            database.execute(
                "UPDATE paper_rows SET updated_at = NULL"
                " WHERE title = 'Tide' AND published_at IS NULL"
            )
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            assert await titles(office, office.boss, "sort=title:asc") == ["Ebb", "Tide"]
            for path in (document, "/admin/x/home"):
                assert (await office.ask("GET", path, token=office.boss)).status == 200, path
            changed = await office.ask("PUT", document, {"title": "Flood"}, token=office.boss)
            assert changed.status == 200, changed.json
