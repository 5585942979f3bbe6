"""Rules of a project's code apply to administrators, including super admins."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.databases.kind import Kind
from tests.extending.project import PAPERS, open_extended, titles
from tests.unit.admin_api.office import Office, Reply
from tests.unit.kiosk import PAPER, WRITER

WRITERS = f"/content-manager/collection-types/{WRITER}"
CHEAP_FOR_ADMINS = """
@rule(PAPER, on=["find"])
def cheap_papers(who):
    return who.kind != "admin" or {"price": {"$lte": 10}}
"""
Admin = Callable[..., Awaitable[Reply]]


def admin_of(office: Office) -> Admin:
    """Return a client for the first administrator, who is a super admin."""

    async def ask(method: str, path: str, body: object = None) -> Reply:
        return await office.ask(method, path, body, token=office.boss)

    return ask


async def make(office: Office, collection: str, /, **data: object) -> Any:  # noqa: ANN401 - a document
    reply = await office.ask("POST", f"/api/{collection}", {"data": data})
    assert reply.status == 201, reply.json
    return reply.data


async def two_papers(office: Office) -> tuple[Any, Any, Any]:
    writer = await make(office, "writers", name="Ada")
    cheap = await make(office, "papers", title="Cheap", price=5, writer=writer["documentId"])
    dear = await make(office, "papers", title="Dear", price=50, writer=writer["documentId"])
    return cheap, dear, writer


async def test_lists_and_numbers_have_no_hidden_rows(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP_FOR_ADMINS) as office:
        await two_papers(office)
        admin = admin_of(office)
        assert await titles(office) == ["Cheap", "Dear"]
        for query in (
            "",
            "?_q=Dear",
            "?filters[title]=Dear",
            "?filters[$or][0][title]=Dear&filters[$or][1][id][$notNull]=true",
            "?locale=*",
            "?status=published",
            "?sort=price:DESC",
        ):
            listed = (await admin("GET", f"{PAPERS}{query}")).json
            assert {one["title"] for one in listed["results"]} <= {"Cheap"}, query
            assert listed["pagination"]["total"] <= 1, query
        for query in ("?populate=papers", ""):
            (shown,) = (await admin("GET", f"{WRITERS}{query}")).json["results"]
            assert "Dear" not in str(shown)
        (shown,) = (await admin("GET", WRITERS)).json["results"]
        assert shown["papers"] == {"count": 1}
        found = await admin("GET", f"{WRITERS}?filters[papers][title]=Dear")
        assert found.json["results"] == []
        assert (await admin("GET", f"{WRITERS}?sort=papers.title")).status == 400

        recent = await admin("GET", "/content-manager/homepage/recent-documents?action=update")
        assert "Cheap" in str(recent.json)
        assert "Dear" not in str(recent.json)
        counts = await admin("GET", "/content-manager/homepage/count-documents")
        assert counts.data == {"draft": 0, "published": 2, "modified": 0}
        export = await office.send("GET", f"/admin/x/export/{PAPER}", token=office.boss)
        assert b"Dear" not in export.content


async def test_a_hidden_document_is_not_there(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP_FOR_ADMINS) as office:
        cheap, dear, _ = await two_papers(office)
        admin = admin_of(office)
        for one, status in ((cheap, 200), (dear, 404)):
            path, rest = f"{PAPERS}/{one['documentId']}", f"{PAPER}/{one['documentId']}"
            for target in (
                path,
                f"{path}?status=published",
                f"{path}/actions/countDraftRelations",
                f"/admin/x/entry/{rest}",
                f"/admin/x/references/{rest}",
                f"/admin/x/difference/{rest}",
                f"/admin/x/revisions/{rest}",
            ):
                assert (await admin("GET", target)).status == status, target
        path = f"{PAPERS}/{dear['documentId']}"
        for method, target, body in (
            ("PUT", path, {"title": "Mine"}),
            ("DELETE", path, None),
            ("POST", f"{path}/actions/publish", {"title": "Mine"}),
            ("POST", f"{path}/actions/unpublish", {}),
            ("POST", f"{path}/actions/discard", {}),
            ("POST", f"{PAPERS}/clone/{dear['documentId']}", {"title": "Mine"}),
            ("POST", f"/admin/x/publish-check/{PAPER}/{dear['documentId']}", {}),
        ):
            assert (await admin(method, target, body)).status == 404, (method, target)
        ids = {"documentIds": [dear["documentId"]]}
        for action in ("bulkPublish", "bulkUnpublish", "bulkDelete"):
            await admin("POST", f"{PAPERS}/actions/{action}", ids)
        edit = {**ids, "data": {"title": "Mine"}}
        assert (await admin("POST", f"/admin/x/bulk-edit/{PAPER}", edit)).status == 404
        assert await titles(office) == ["Cheap", "Dear"]
        assert await titles(office, "status=published") == ["Cheap", "Dear"]
        found = await admin("POST", f"{PAPERS}/actions/bulkFindForValidation", ids)
        assert found.json["results"] == []
        # The row alone is enough to name it here.
        row = {"model": PAPER, "id": dear["id"], "locale": "fr"}
        path = "/i18n/content-manager/actions/get-non-localized-fields"
        assert (await admin("POST", path, row)).status == 404


async def test_hidden_rows_are_neither_offered_nor_connected(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP_FOR_ADMINS) as office:
        _, dear, writer = await two_papers(office)
        admin = admin_of(office)
        offered = await admin("GET", f"/content-manager/relations/{WRITER}/papers")
        assert [one["title"] for one in offered.json["results"]] == ["Cheap"]
        linked = await admin(
            "GET", f"/content-manager/relations/{WRITER}/{writer['documentId']}/papers"
        )
        assert {one["title"] for one in linked.json["results"]} == {"Cheap"}
        for named in ({"documentId": dear["documentId"]}, {"id": dear["id"]}):
            body = {"name": "Eve", "papers": {"connect": [named]}}
            assert (await admin("POST", WRITERS, body)).status == 400


async def test_an_administrator_may_write_what_they_do_not_see(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP_FOR_ADMINS) as office:
        admin = admin_of(office)
        made = await admin("POST", PAPERS, {"title": "Dear", "price": 50})
        assert (made.status, made.data["title"]) == (201, "Dear")
        assert (await admin("GET", f"{PAPERS}/{made.data['documentId']}")).status == 404


async def test_the_rules_of_actions_hold(tmp_path: Path, kind: Kind) -> None:
    code = """
    CHANGES = ["update", "delete", "publish", "unpublish", "discard_draft", "clone"]

    @rule(PAPER, on=CHANGES)
    def unsold(who):
        return who.kind != "admin" or {"sold": {"$ne": True}}

    @rule(PAPER, on=["create"])
    def priced(who):
        return who.kind != "admin" or {"price": {"$gt": 0}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        sold = await make(office, "papers", title="Sold", price=1, sold=True)
        free = await make(office, "papers", title="Free", price=0, sold=False)
        admin = admin_of(office)
        path = f"{PAPERS}/{sold['documentId']}"
        for method, target, body in (
            ("POST", PAPERS, {"title": "Free"}),
            ("POST", f"{PAPERS}/actions/publish", {"title": "Free"}),
            ("POST", f"{PAPERS}/clone/{free['documentId']}", {"title": "Free too"}),
            ("POST", f"{PAPERS}/clone/{sold['documentId']}", {"title": "Mine", "sold": False}),
            ("PUT", path, {"title": "Mine"}),
            ("PUT", f"{PAPERS}/{free['documentId']}", {"sold": True}),
            ("POST", f"{path}/actions/publish", {}),
            ("POST", f"{path}/actions/unpublish", {}),
            ("POST", f"{path}/actions/discard", {}),
            ("DELETE", path, None),
            ("POST", f"{PAPERS}/actions/bulkPublish", {"documentIds": [sold["documentId"]]}),
            ("POST", f"{PAPERS}/actions/bulkUnpublish", {"documentIds": [sold["documentId"]]}),
            ("POST", f"{PAPERS}/actions/bulkDelete", {"documentIds": [sold["documentId"]]}),
        ):
            reply = await admin(method, target, body)
            assert reply.status == 403, (method, target, reply.json)
        assert (await admin("GET", path)).status == 200
        assert await titles(office) == ["Free", "Sold"]


async def test_what_reads_the_clock_is_asked_each_time(tmp_path: Path, kind: Kind) -> None:
    code = """
    @rule(PAPER, on=["find"])
    def printed(who):
        return who.kind != "admin" or {"printed": {"$lte": now()}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "papers", title="Soon", printed="2027-01-15T08:05:00.000Z")
        admin = admin_of(office)
        assert (await admin("GET", PAPERS)).json["results"] == []
        office.clock.pass_by(minutes=10)
        (shown,) = (await admin("GET", PAPERS)).json["results"]
        assert shown["title"] == "Soon"


async def test_releases_keep_hidden_relations(tmp_path: Path, kind: Kind) -> None:
    rule = """
    @rule(WRITER, on=["find"])
    def other_writers(who):
        return who.kind != "admin" or {"name": {"$ne": "Ada"}}
    """
    async with open_extended(tmp_path, kind, rule) as office:
        writer = await make(office, "writers", name="Ada")
        paper = await make(office, "papers", title="Tide", writer=writer["documentId"])
        admin = admin_of(office)
        path = f"{PAPERS}/{paper['documentId']}"
        assert (await admin("PUT", path, {"title": "Ebb"})).status == 200
        made = await admin("POST", "/admin/x/releases", {"name": "Summer"})
        entry = {"contentType": PAPER, "documentId": paper["documentId"], "locale": "en"}
        for target, body in (
            ("items", {"entries": [entry], "action": "publish"}),
            ("publish", None),
            ("undo", None),
        ):
            done = await admin("POST", f"/admin/x/releases/{made.data['id']}/{target}", body)
            assert done.status == 200, (target, done.json)
        for status, title in (("published", "Tide"), ("draft", "Ebb")):
            query = f"status={status}&populate=writer"
            shown = await office.ask("GET", f"/api/papers/{paper['documentId']}?{query}")
            assert shown.data["title"] == title
            assert shown.data["writer"]["name"] == "Ada"


async def test_a_creation_of_a_hidden_document_is_not_repeated(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CHEAP_FOR_ADMINS) as office:
        key, body = {"idempotency-key": "1"}, {"title": "Dear", "price": 50}
        replies = [
            await office.ask("POST", PAPERS, body, token=office.boss, headers=key) for _ in "12"
        ]
        shown = await office.ask("GET", "/api/papers?status=draft")

    assert [reply.status for reply in replies] == [201, 409]
    assert [paper["title"] for paper in shown.data] == ["Dear"]
