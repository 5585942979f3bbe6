"""Functions around actions: their arguments and possible changes, for every caller."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, open_extended, titles, write_code
from tests.extending.test_routes import grant
from tests.unit.admin_api.office import Office, office_project, run_office

V4 = {"Strapi-Response-Format": "v4"}


async def make(office: Office, **data: object) -> Any:  # noqa: ANN401 - a document
    reply = await office.ask("POST", "/api/papers", {"data": data})
    assert reply.status == 201, reply.json
    return reply.data


CHEAP = """
@around(PAPER, on=["find", "find_one", "count"])
async def cheap_papers(call, proceed):
    fired.append((call.action, principal().kind))
    return await proceed(call.narrow({"price": {"$lte": 10}, "margin": {"$null": True}}))

@route.get("/read", public=True)
async def read():
    with as_system("compare"):
        unlimited = documents(PAPER)
        return {
            "find": [one.title for one in await unlimited.find()],
            "first": (await unlimited.first(filters={"title": {"$startsWith": "D"}})) is None,
            "count": await unlimited.count(),
            "stream": [one.title async for some in unlimited.stream() for one in some],
        }

@route.get("/read/:document_id", public=True)
async def read_one(document_id: str):
    return await documents(PAPER).find_one(document_id)
"""


async def test_a_narrowed_call_reads_less_for_every_caller(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP) as office:
        cheap = await make(office, title="Cheap", price=5)
        dear = await make(office, title="Dear", price=50)
        module().fired.clear()
        for query in (
            "",
            "status=draft",
            "filters[title]=Dear",
            "filters[$or][0][title]=Dear&filters[$or][1][id][$notNull]=true",
            f"filters[documentId]={dear['documentId']}",
            "sort=price:desc",
            "_q=Dear",
            "locale=*",
        ):
            reply = await office.ask("GET", f"/api/papers?{query}")
            assert {one["title"] for one in reply.data} <= {"Cheap"}, query
            assert reply.json["meta"]["pagination"]["total"] <= 1, query
        assert set(module().fired) == {("find", "anonymous")}
        assert (await office.ask("GET", f"/api/papers/{cheap['documentId']}")).status == 200
        for status in ("draft", "published"):
            path = f"/api/papers/{dear['documentId']}?status={status}"
            assert (await office.ask("GET", path)).status == 404

        module().fired.clear()
        listed = await office.ask("GET", PAPERS, token=office.boss)
        assert [one["title"] for one in listed.json["results"]] == ["Cheap"]
        assert listed.json["pagination"]["total"] == 1
        shown = await office.ask("GET", f"{PAPERS}/{cheap['documentId']}", token=office.boss)
        hidden = await office.ask("GET", f"{PAPERS}/{dear['documentId']}", token=office.boss)
        assert (shown.status, hidden.status) == (200, 404)
        assert module().fired == [("find", "admin"), ("find_one", "admin"), ("find_one", "admin")]

        module().fired.clear()
        read = await office.ask("GET", "/api/read")
        assert read.json == {"find": ["Cheap"], "first": True, "count": 1, "stream": ["Cheap"]}
        assert [one[0] for one in module().fired] == ["find", "find", "count", "find"]
        assert {one[1] for one in module().fired} == {"system"}
        one = await office.ask("GET", f"/api/read/{dear['documentId']}")
        assert one.status == 204


async def test_a_condition_with_none_matches_no_document(tmp_path: Path, kind: Kind) -> None:
    code = """
    @around(PAPER, on=["find"])
    async def own_papers(call, proceed):
        return await proceed(call.narrow({"writer": {"id": principal().id}}))
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, title="Nobody's")
        assert await titles(office) == []


async def test_a_narrowed_read_is_not_shared_between_principals(tmp_path: Path, kind: Kind) -> None:
    code = """
    @around(PAPER, on=["find"])
    async def for_tokens(call, proceed):
        return await proceed(call if principal().kind == "token" else call.narrow({"sold": True}))
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, title="Kept")
        reply = await office.ask(
            "POST",
            "/admin/api-tokens",
            {"name": "all", "description": "", "type": "full-access", "lifespan": None},
            token=office.boss,
        )
        token = reply.data["accessKey"]
        for _ in range(3):
            assert await titles(office) == []
            reply = await office.ask("GET", "/api/papers?sort=title&status=draft", token=token)
            assert [one["title"] for one in reply.data] == ["Kept"]


async def test_a_call_that_depends_on_the_time_is_read_anew(tmp_path: Path, kind: Kind) -> None:
    code = """
    @around(PAPER, on=["find"])
    async def printed_papers(call, proceed):
        return await proceed(call.narrow({"printed": {"$lte": now()}}))
    """
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        async with run_office(project) as office:
            soon = datetime.fromtimestamp(office.clock() / 1000 + 300, tz=UTC).isoformat()
            await make(office, title="Soon", printed=soon)
            assert await titles(office) == []
            assert await titles(office) == []
            office.clock.pass_by(minutes=10)
            assert await titles(office) == ["Soon"]


async def test_functions_are_called_one_within_another(tmp_path: Path, kind: Kind) -> None:
    code = """
    def note(name, call):
        fired.append(f"{name} {call.action}")

    @around(PAPER, on=["create", "publish"], order=2)
    async def inner(call, proceed):
        note("inner", call)
        result = await proceed(call.with_data(title="A!") if call.action == "create" else call)
        note("/inner", call)
        return result

    @around(PAPER, on=["create"])
    async def outer(call, proceed):
        note("outer", call)
        result = await proceed(call.with_data(title="A?"))
        fired.append([one.title for one in await result.documents()])
        return result

    @before_write(PAPER, on=["create", "publish"])
    def hook(write):
        note("hook", write)
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await make(office, title="A")
        assert made["title"] == "A!"
        assert module().fired == [
            "outer create",
            "inner create",
            "inner publish",
            "hook create",
            "hook publish",
            "/inner publish",
            "/inner create",
            ["A!"],
        ]


WRITES = """
EVERY = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]

@around(PAPER, on=EVERY)
async def note(call, proceed):
    with as_system("to count"):
        before = await documents(PAPER).count(status="draft")
    if call.data.get("title") == "No":
        raise Forbidden("not that title", path="title")
    result = await proceed(call)
    fired.append((call.action, call.locale, principal().kind, before > 0))
    return result

@route.post("/write", public=True)
async def write():
    papers = documents(PAPER)
    made = await papers.create({"title": "By code"})
    await papers.publish(made.documentId)
    await papers.unpublish(made.documentId)
    await papers.delete(made.documentId)
    return {}
"""


async def test_every_caller_writes_through_them(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, WRITES) as office:
        fired = module().fired

        def found() -> list[tuple[object, ...]]:
            noted = [*fired]
            fired.clear()
            return noted

        path = f"/api/papers/{(await make(office, title='A'))['documentId']}"
        assert found() == [(one, "en", "anonymous", False) for one in ("publish", "create")]
        await office.ask("PUT", f"{path}?status=draft", {"data": {"title": "B"}})
        assert found() == [("update", "en", "anonymous", True)]
        assert (await office.send("DELETE", path)).status == 204
        assert found() == [("delete", "en", "anonymous", True)]

        batch = {
            "operations": [
                {"action": "create", "type": "papers", "data": {"title": "C"}, "status": "draft"},
                {"action": "create", "type": "papers", "data": {"title": "D"}, "status": "draft"},
            ]
        }
        assert (await office.ask("POST", "/api/_batch", batch)).status == 200
        assert [one[:3] for one in found()] == [("create", "en", "anonymous")] * 2

        made = (await office.ask("POST", PAPERS, {"title": "E"}, token=office.boss)).data
        at = f"{PAPERS}/{made['documentId']}"
        assert [one[:3] for one in found()] == [("create", "en", "admin")]
        await office.ask("POST", f"{at}/actions/publish", {"title": "E"}, token=office.boss)
        assert [one[0] for one in found()] == ["update", "publish"]
        await office.ask("PUT", at, {"title": "F"}, token=office.boss)
        await office.ask("POST", f"{at}/actions/discard", {}, token=office.boss)
        await office.ask("POST", f"{at}/actions/unpublish", {}, token=office.boss)
        await office.ask(
            "POST", f"{PAPERS}/clone/{made['documentId']}", {"title": "G"}, token=office.boss
        )
        assert [one[0] for one in found()] == ["update", "discard_draft", "unpublish", "clone"]
        sent = {"documentIds": [made["documentId"]]}
        await office.ask("POST", f"{PAPERS}/actions/bulkDelete", sent, token=office.boss)
        assert [one[0] for one in found()] == ["delete"]

        assert (await office.ask("POST", "/api/write", {})).status == 200
        assert [one[0] for one in found()] == ["create", "publish", "unpublish", "delete"]

        refused = await office.ask("POST", "/api/papers", {"data": {"title": "No"}})
        assert (refused.status, refused.error) == (403, "not that title")
        assert refused.json["error"]["details"]["errors"][0]["path"] == ["title"]
        assert "No" not in await titles(office)


async def test_a_write_that_failed_is_tried_with_another_call(tmp_path: Path, kind: Kind) -> None:
    code = """
    @around(PAPER, on=["create"])
    async def shorten(call, proceed):
        try:
            return await proceed(call)
        except Exception as error:
            fired.append(error.message)
            return await proceed(call.with_data(title=call.data["title"][:3]))

    @after_write(PAPER, on=["create"])
    def refuse(write):
        if len(write.data["title"]) > 3:
            raise ValidationError("too long")
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, title="Abcdef")
        assert await titles(office) == ["Abc"]
        assert module().fired == ["too long"]


CHANGED = """
@around(PAPER, on=["find", "find_one"])
async def in_capitals(call, proceed):
    result = await proceed(call)
    papers = await result.documents()
    fired.append([type(one).__name__ for one in papers])
    return result.with_documents([{**one, "title": one.title.upper()} for one in papers])

@route.get("/read", public=True)
async def read():
    papers = documents(PAPER)
    page = await papers.find(sort="title", with_count=True)
    one = await papers.find_one(page[0].documentId)
    return {"titles": [one.title for one in page], "total": page.total, "one": one.title}
"""


async def test_documents_that_were_read_are_replaced(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHANGED) as office:
        a, _ = await make(office, title="a"), await make(office, title="b")
        assert await titles(office) == ["A", "B"]
        one = await office.ask("GET", f"/api/papers/{a['documentId']}")
        assert (one.data["title"], one.json["meta"]) == ("A", {})
        assert module().fired[-1] == ["Document"]
        listed = await office.ask("GET", f"{PAPERS}?sort=title:ASC", token=office.boss)
        assert [paper["title"] for paper in listed.json["results"]] == ["A", "B"]
        assert listed.json["pagination"]["total"] == 2
        shown = await office.ask("GET", f"{PAPERS}/{a['documentId']}", token=office.boss)
        assert shown.data["title"] == "A"
        read = await office.ask("GET", "/api/read")
        assert read.json == {"titles": ["A", "B"], "total": 2, "one": "A"}


async def test_a_changed_list_has_a_tag_of_its_own(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHANGED) as office:
        await make(office, title="a")
        first = await office.send("GET", "/api/papers")
        again = await office.send("GET", "/api/papers")
        tag = again.headers["etag"]
        known = await office.send("GET", "/api/papers", headers={"If-None-Match": tag})
        assert first.content == again.content
        assert (known.status, known.content) == (304, b"")
        await make(office, title="b")
        changed = await office.send("GET", "/api/papers", headers={"If-None-Match": tag})
        assert changed.status == 200


async def test_the_v4_format_has_no_documents_that_code_can_change(
    tmp_path: Path, kind: Kind
) -> None:
    code = CHEAP + CHANGED.replace('"find", "find_one"', '"find_one"').partition("@route")[0]
    async with open_extended(tmp_path, kind, code) as office:
        cheap = await make(office, title="Cheap", price=5)
        await make(office, title="Dear", price=50)
        listed = await office.ask("GET", "/api/papers", headers=V4)
        assert [one["attributes"]["title"] for one in listed.data] == ["Cheap"]
        one = await office.ask("GET", f"/api/papers/{cheap['documentId']}", headers=V4)
        assert one.status == 400


async def test_a_changed_document_is_sent_although_its_tag_is_known(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @around(PAPER, on=["find_one"])
    async def count_writers(call, proceed):
        result = await proceed(call)
        (paper,) = await result.documents()
        paper["price"] = await documents(WRITER).count()
        return result.with_documents([paper])
    """
    async with open_extended(tmp_path, kind, code) as office:
        target = f"/api/papers/{(await make(office, title='A'))['documentId']}"
        tag = (await office.ask("GET", target)).headers["etag"]
        await office.ask("POST", "/api/writers", {"data": {"name": "W"}})
        found = await office.ask("GET", target, headers={"If-None-Match": tag})
        assert (found.status, found.data["price"]) == (200, 1)


async def test_a_function_does_not_wrap_its_own_reads(tmp_path: Path, kind: Kind) -> None:
    code = """
    @around(PAPER, on=["find"])
    async def limit(call, proceed):
        fired.append(len(await documents(PAPER).find(status="draft")))
        return await proceed(call)
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, title="A")
        assert await titles(office) == ["A"]
        assert module().fired == [1]


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("find", "return None"),
        ("find", "return await documents(PAPER).find()"),
        ("find", "raise RuntimeError('sesame')"),
        ("find", "return await proceed(call.narrow({'sesame': 1}))"),
        ("find", "return await proceed(call.narrow('sesame'))"),
        ("find", "return await proceed(call.with_data(title='sesame'))"),
        (
            "find",
            """with as_system('x'): found = await documents(PAPER).find(fields=['margin'])
    return (await proceed(call)).with_documents(found)""",
        ),
        ("create", "return None"),
        ("create", "await proceed(call); raise RuntimeError('sesame')"),
        ("create", "await proceed(call); return await proceed(call)"),
        ("create", "return await proceed(call.narrow({'title': 'A'}))"),
        ("create", "return await proceed(call.with_data(sesame=1))"),
        ("create", "return (await proceed(call)).with_documents([])"),
    ],
)
async def test_a_mistake_is_a_plain_500_and_nothing_is_stored(
    tmp_path: Path, kind: Kind, action: str, body: str
) -> None:
    code = f"""
@around(PAPER, on=["{action}"])
async def mistaken(call, proceed):
    if call.data.get("title") == "Right":
        return await proceed(call)
    {body}
"""
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, title="Right", margin="sesame")
        if action == "find":
            reply = await office.ask("GET", "/api/papers")
        else:
            reply = await office.ask("POST", "/api/papers", {"data": {"title": "Wrong"}})
        assert (reply.status, reply.error) == (500, "Internal Server Error")
        assert "sesame" not in str(reply.json)
        if action == "create":
            assert await titles(office) == ["Right"]


async def test_the_document_of_a_single_type_is_replaced_by_one(tmp_path: Path, kind: Kind) -> None:
    code = """
    @around("api::masthead.masthead", on=["find"])
    async def shout(call, proceed):
        result = await proceed(call)
        (found,) = await result.documents()
        loud = [] if found.motto == "Quiet" else [{**found, "motto": found.motto.upper()}]
        return result.with_documents(loud)
    """
    async with open_extended(tmp_path, kind, code) as office:
        await grant(office, "public", "api::masthead", "masthead", "find")
        single = "/content-manager/single-types/api::masthead.masthead"
        await office.ask("PUT", single, {"motto": "All the news"}, token=office.boss)
        reply = await office.ask("GET", "/api/masthead")
        assert (reply.status, reply.data["motto"]) == (200, "ALL THE NEWS")
        await office.ask("PUT", single, {"motto": "Quiet"}, token=office.boss)
        reply = await office.ask("GET", "/api/masthead")
        assert (reply.status, reply.error) == (500, "Internal Server Error")


@pytest.mark.parametrize("action", ["find", "create"])
async def test_a_function_that_takes_too_long_is_stopped(
    tmp_path: Path, kind: Kind, action: str
) -> None:
    code = f"""
    @around(PAPER, on=["{action}"])
    async def wait_for_ever(call, proceed):
        await asyncio.Event().wait()
    """
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        limits = {"extensions.hook_seconds": 1, "extensions.prepare_seconds": 1}
        async with run_office(project, settings=limits) as office:
            if action == "find":
                reply = await office.ask("GET", "/api/papers")
            else:
                reply = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
            assert reply.status == 503


USERS = """
USER = "plugin::users-permissions.user"

@around(USER, on=["find", "find_one", "count"])
async def without_hidden(call, proceed):
    result = await proceed(call.narrow({"username": {"$ne": "hidden"}}))
    found = [one.username for one in await result.documents()]
    fired.append((call.action, result.count if call.action == "count" else found))
    return result

@around(USER, on=["create", "update", "delete"])
async def note(call, proceed):
    fired.append((call.action, call.data.get("username")))
    if call.data.get("username") == "admin":
        raise Conflict("this name is taken", path="username")
    return await proceed(call)
"""


async def test_functions_are_called_around_actions_on_end_users(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, USERS) as office:
        actions = ("create", "find", "findOne", "count", "update", "destroy")
        for action in actions:
            await grant(office, "public", "plugin::users-permissions", "user", action)
        ids = {}
        roles = await office.ask("GET", "/users-permissions/roles", token=office.boss)
        role = roles.json["roles"][0]["id"]
        for name, status in (("shown", 201), ("hidden", 201), ("admin", 409)):
            body = {"username": name, "email": f"{name}@example.org", "password": "secret-1A"}
            made = await office.ask("POST", "/api/users", {**body, "role": role})
            assert made.status == status, made.json
            ids[name] = made.json.get("id")
        module().fired.clear()

        listed = await office.ask("GET", "/api/users")
        assert [one["username"] for one in listed.json] == ["shown"]
        assert (await office.ask("GET", "/api/users/count")).json == 1
        shown = await office.ask("GET", f"/api/users/{ids['shown']}")
        hidden = await office.ask("GET", f"/api/users/{ids['hidden']}")
        assert (shown.json["username"], hidden.status) == ("shown", 204)
        assert module().fired == [
            ("find", ["shown"]),
            ("count", 1),
            ("find_one", ["shown"]),
        ]

        module().fired.clear()
        changes = {"username": "admin"}
        refused = await office.ask("PUT", f"/api/users/{ids['shown']}", changes)
        assert (refused.status, refused.error) == (409, "this name is taken")
        removed = await office.ask("DELETE", f"/api/users/{ids['shown']}")
        assert removed.status == 200
        assert module().fired == [("update", "admin"), ("delete", None)]
        assert (await office.ask("GET", "/api/users")).json == []
