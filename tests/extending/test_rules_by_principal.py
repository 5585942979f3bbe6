"""Rules by principal or time: responses are never shared with another principal."""

import gc
import json
from pathlib import Path

import pytest

import quire
from quire.access.ability import FullAccess, NarrowedAbility
from quire.access.principal import ApiToken
from quire.document_service.commands import CreateDocument
from quire.document_service.transaction_context import CallContext
from quire.errors import ForbiddenError
from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, open_extended
from tests.extending.test_routes import ROLE, role_id
from tests.unit.admin_api.office import PASSWORD, Office
from tests.unit.kiosk import PAPER

USERS = "/content-manager/collection-types/plugin::users-permissions.user"
OWN = """
@rule(PAPER, on=["find", "update", "delete", "create"])
def own_papers(who):
    fired.append(who)
    return {"margin": f"user {who.id}" if who.kind == "user" else None}

@before_write(PAPER, on=["create"])
def set_owner(write):
    if principal().kind == "user" and "margin" not in write.data:
        write.set(margin=f"user {principal().id}")
"""


async def grant_all(office: Office, role: str) -> None:
    """Let a role do everything with papers and writers, and sign in."""
    path = f"{ROLE}/{await role_id(office, role)}"
    found = (await office.ask("GET", path, token=office.boss)).json["role"]
    for api in ("paper", "writer"):
        for action in found["permissions"][f"api::{api}"]["controllers"][api].values():
            action["enabled"] = True
    users = found["permissions"]["plugin::users-permissions"]["controllers"]
    users["auth"]["callback"]["enabled"] = True
    for action in ("find", "findOne", "count", "me", "update", "destroy"):
        users["user"][action]["enabled"] = True
    reply = await office.ask("PUT", path, found, token=office.boss)
    assert reply.status == 200, reply.json


async def user(office: Office, name: str) -> str:
    """Make an end user, and return a token of theirs."""
    body = {
        "username": name,
        "email": f"{name}@example.com",
        "password": PASSWORD,
        "confirmed": True,
        "role": await role_id(office, "authenticated"),
    }
    reply = await office.ask("POST", USERS, body, token=office.boss)
    assert reply.status == 201, reply.json
    body = {"identifier": name, "password": PASSWORD}
    reply = await office.ask("POST", "/api/auth/local", body)
    assert reply.status == 200, reply.json
    return str(reply.json["jwt"])


async def seen(office: Office, token: str | None, query: str = "") -> list[str]:
    reply = await office.ask("GET", f"/api/papers{query}", token=token)
    assert reply.status == 200, reply.json
    return [one["title"] for one in reply.data]


async def test_each_user_sees_and_changes_their_own_however_often_others_asked(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, OWN) as office:
        for role in ("public", "authenticated"):
            await grant_all(office, role)
        ada, bob = await user(office, "ada"), await user(office, "bob")
        made = {}
        for token, title in ((ada, "Of Ada"), (bob, "Of Bob")):
            body = {"data": {"title": title}}
            reply = await office.ask("POST", "/api/papers", body, token=token)
            assert reply.status == 201, reply.json
            made[title] = reply.data["documentId"]
        for query in ("", "?sort=title", "?_q=Of", "?filters[title][$contains]=Of"):
            for _ in range(3):
                assert await seen(office, ada, query) == ["Of Ada"]
                assert await seen(office, bob, query) == ["Of Bob"]
                assert await seen(office, None, query) == []

        own, other = f"/api/papers/{made['Of Ada']}", f"/api/papers/{made['Of Bob']}"
        for _ in range(3):
            assert (await office.ask("GET", own, token=ada)).status == 200
            assert (await office.ask("GET", own, token=bob)).status == 404
            assert (await office.ask("GET", own)).status == 404
        change = {"data": {"title": "Changed"}}
        assert (await office.ask("PUT", other, change, token=ada)).status == 404
        assert (await office.ask("DELETE", other, token=ada)).status == 404
        assert (await office.ask("PUT", own, change, token=ada)).status == 200
        forged = await office.ask("POST", "/api/papers", {"data": {"title": "Forged"}}, token=None)
        assert forged.status == 403
        assert await seen(office, bob) == ["Of Bob"]
        assert {one.kind for one in module().fired} >= {"user", "anonymous", "admin"}


async def test_the_tag_of_a_list_says_nothing_to_somebody_else(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, OWN) as office:
        for role in ("public", "authenticated"):
            await grant_all(office, role)
        ada, bob = await user(office, "ada"), await user(office, "bob")
        body = {"data": {"title": "Of Ada"}}
        assert (await office.ask("POST", "/api/papers", body, token=ada)).status == 201
        for _ in range(2):
            first = await office.send("GET", "/api/papers", token=ada)
        tag = first.headers["etag"]
        again = await office.send("GET", "/api/papers", token=ada, headers={"if-none-match": tag})
        assert again.status == 304
        for token in (bob, None):
            for _ in range(2):
                reply = await office.send(
                    "GET", "/api/papers", token=token, headers={"if-none-match": tag}
                )
                assert (reply.status, json.loads(reply.content)["data"]) == (200, [])


async def test_a_rule_that_reads_the_clock_keeps_its_responses_out_of_the_cache(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @rule(PAPER, on=["find"])
    def printed_papers(who):
        return {"printed": {"$lte": now()}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        writer = await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
        data = {"title": "Soon", "printed": "2027-01-15T08:05:00.000Z", "writer": writer.data["id"]}
        made = await office.ask("POST", "/api/papers", {"data": data})
        targets = (
            "/api/papers",
            f"/api/papers/{made.data['documentId']}",
            "/api/writers?populate=papers",
            "/api/writers?filters[papers][title]=Soon",
        )
        for target in targets:
            for _ in range(3):
                assert "Soon" not in str((await office.ask("GET", target)).json)
        assert (await office.ask("GET", targets[3])).data == []
        office.clock.pass_by(minutes=10)
        for target in targets[:3]:
            assert "Soon" in str((await office.ask("GET", target)).json), target
        assert len((await office.ask("GET", targets[3])).data) == 1


async def test_a_rule_that_lifts_itself_with_time_is_asked_anew(tmp_path: Path, kind: Kind) -> None:
    """A rule that reads the clock is evaluated again, not answered from the cache."""
    code = """
    from datetime import datetime, timezone
    CLOSES = datetime(2027, 1, 15, 8, 5, tzinfo=timezone.utc)

    @rule(PAPER, on=["find"])
    def open_hours(who):
        return now() < CLOSES
    """
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/papers", {"data": {"title": "Open"}})
        for _ in range(3):
            assert await seen(office, None) == ["Open"]
        office.clock.pass_by(minutes=10)
        assert await seen(office, None) == []


async def test_other_types_stay_cached_beside_a_rule_that_reads_the_clock(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @rule(PAPER, on=["find"])
    def printed_papers(who):
        return {"printed": {"$lte": now()}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
        cached = [await office.send("GET", "/api/writers") for _ in range(2)]
        fresh = [await office.send("GET", "/api/papers") for _ in range(2)]
        assert "etag" in cached[1].headers
        assert "etag" not in fresh[1].headers


async def test_rules_on_users_hold_in_the_api_of_users(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule("plugin::users-permissions.user", on=["find", "update", "delete"])
    def oneself(who):
        return who.kind == "admin" or {"id": who.id}
    """
    async with open_extended(tmp_path, kind, code) as office:
        for role in ("public", "authenticated"):
            await grant_all(office, role)
        ada, bob = await user(office, "ada"), await user(office, "bob")
        me = (await office.ask("GET", "/api/users/me", token=ada)).json
        other = (await office.ask("GET", "/api/users/me", token=bob)).json
        listed = await office.ask("GET", "/api/users", token=ada)
        assert [one["username"] for one in listed.json] == ["ada"]
        assert (await office.ask("GET", "/api/users/count", token=ada)).json == 1
        assert (await office.ask("GET", "/api/users")).json == []
        path = f"/api/users/{other['id']}"
        assert (await office.send("GET", path, token=ada)).content == b""
        assert (await office.ask("PUT", path, {"username": "x"}, token=ada)).status == 404
        assert (await office.ask("DELETE", path, token=ada)).status == 404
        path = f"/api/users/{me['id']}"
        assert (await office.ask("PUT", path, {"username": "lovelace"}, token=ada)).status == 200


async def test_code_acts_as_the_caller_and_the_system_sees_all(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(PAPER, on=["find"])
    def cheap_papers(who):
        return {"price": {"$lte": 10}}

    @rule(PAPER, on=["count"])
    def nothing_counts(who):
        return False

    @route.get("/papers/seen", public=True)
    async def seen() -> dict:
        papers = documents(PAPER)
        found = await papers.find()
        first = await papers.first(filters={"title": "Dear"})
        with as_system("to compare"):
            dear = await papers.first(filters={"title": "Dear"})
            everything = await papers.count()
        refused = []
        for attempt in (
            lambda: papers.update(dear.documentId, {"title": "Mine"}),
            lambda: papers.publish(dear.documentId),
            lambda: papers.clone(dear.documentId),
            lambda: papers.delete(dear.documentId),
        ):
            try:
                await attempt()
            except Exception as error:
                refused.append(error.status)
        return {
            "found": [one.title for one in found],
            "first": first,
            "one": await papers.find_one(dear.documentId),
            "count": await papers.count(),
            "everything": everything,
            "refused": refused,
        }
    """
    async with open_extended(tmp_path, kind, code) as office:
        for title, price in (("Cheap", 5), ("Dear", 50)):
            body = {"data": {"title": title, "price": price}}
            assert (await office.ask("POST", "/api/papers", body)).status == 201
        reply = await office.ask("GET", "/api/papers/seen")
        assert reply.json == {
            "found": ["Cheap"],
            "first": None,
            "one": None,
            "count": 0,
            "everything": 2,
            "refused": [404, 404, 404, 404],
        }


async def test_principals_that_do_not_come_with_a_request_are_narrowed(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @rule(PAPER, on=["find", "create"])
    def cheap_papers(who):
        return {"price": {"$lte": 10}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        for price in (5, 50):
            body = {"title": f"P{price}", "price": price}
            assert (await office.ask("POST", PAPERS, body, token=office.boss)).status == (
                201 if price == 5 else 403
            )
        documents = office.app.documents
        assert documents is not None
        trusted = ApiToken(id=7, type="full-access", last_used_at=None, ability=FullAccess())
        dear = CreateDocument(uid=PAPER, data={"title": "Dear", "price": 50})
        with pytest.raises(ForbiddenError):
            await documents.perform([dear], principal=trusted)
        await documents.perform([dear])
        context = CallContext("test", documents, trusted)
        with context.activate():
            found = await quire.documents(PAPER).find(status="draft")
        assert [one["title"] for one in found] == ["P5"]


async def test_tokens_are_narrowed_whatever_they_grant(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(PAPER, on=["find", "update", "create"])
    def cheap_papers(who):
        return who.kind != "token" or {"price": {"$lte": 10}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        for title, price in (("Cheap", 5), ("Dear", 50)):
            body = {"data": {"title": title, "price": price}}
            assert (await office.ask("POST", "/api/papers", body)).status == 201
        for type_ in ("read-only", "full-access"):
            named = {"name": type_, "description": "", "type": type_, "lifespan": None}
            made = await office.ask("POST", "/admin/api-tokens", named, token=office.boss)
            assert made.status == 201, made.json
            token = made.data["accessKey"]
            for _ in range(2):
                assert await seen(office, token) == ["Cheap"]
                assert await seen(office, None) == ["Cheap", "Dear"]
        dear = {"data": {"title": "Mine", "price": 50}}
        reply = await office.ask("POST", "/api/papers", dear, token=token)
        assert reply.status == 403


@pytest.mark.whatever_the_database("no row is read")
async def test_the_number_of_cached_abilities_is_bounded_in_all(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for each combination of actions: principals times queries could be a million."""
    monkeypatch.setattr("quire.document_service.project_rules._CACHE_SIZE", 4)
    code = """
    @rule(PAPER, on=["find", "delete"])
    def own_papers(who):
        return {"margin": f"{who.id}"}
    """
    async with open_extended(tmp_path, kind, code) as office:
        documents = office.app.documents
        assert documents is not None
        rules, ability = documents.engine.rules, FullAccess()
        kept = []
        for actions in (None, frozenset({f"{PAPER}.find"}), frozenset({f"{PAPER}.delete"})):
            for id_ in range(4):
                token = ApiToken(id=id_, type="full-access", last_used_at=None, ability=ability)
                kept.append(rules.rules_for(ability, actions).narrowed_ability(token))
        narrowed = {id(one) for one in kept}
        assert len(narrowed) == 12
        del kept
        alive = [one for one in gc.get_objects() if id(one) in narrowed]
        found = [one for one in alive if isinstance(one, NarrowedAbility)]
        assert len(found) <= 4
