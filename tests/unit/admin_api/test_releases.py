"""Releases: entries are published in one transaction, and this can be undone."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from quire import cli
from tests.databases.kind import Kind
from tests.library.statements import log_statements
from tests.unit.admin_api.office import (
    SECRETS,
    Office,
    Reply,
    SharedOffices,
    office_project,
    open_office,
    run_office,
)
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper
from tests.unit.kiosk import PAPER, WRITER

WRITERS = f"/content-manager/collection-types/{WRITER}"
RELEASES = "/admin/x/releases"
WEBHOOK = {
    "name": "w",
    "url": "https://webhooks.invalid/",
    "headers": {},
    "events": ["entry.publish", "entry.unpublish"],
}
CONTENT_TABLES = ("paper_rows", "components_", "revisions", "quire_release", "admin_users")
FRENCH = "?locale=fr"
MISSING = "title must be a `string` type, but the final value was: `null`."


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def ask(
    office: Office, method: str, path: str, body: object = None, token: str | None = None
) -> Reply:
    return await office.ask(method, f"{RELEASES}{path}", body, token=token or office.boss)


async def release(office: Office, *entries: dict[str, Any], name: str = "Summer") -> int:
    """Make a release with these entries; returns its id."""
    made = await ask(office, "POST", "", {"name": name})
    assert made.status == 201, made.json
    release_id: int = made.data["id"]
    for given in entries:
        one = dict(given)
        action = one.pop("action", "publish")
        await add(office, release_id, one, action=action)
    return release_id


async def add(office: Office, release_id: int, *entries: dict[str, Any], action: str) -> Any:  # noqa: ANN401 - JSON
    body = {"entries": entries, "action": action}
    added = await ask(office, "POST", f"/{release_id}/items", body)
    assert added.status == 200, added.json
    return added.data


def entry(document_id: str, locale: str | None = "en", uid: str = PAPER) -> dict[str, Any]:
    return {"contentType": uid, "documentId": document_id, "locale": locale}


async def live(office: Office, document_id: str, locale: str = "en") -> dict[str, Any] | None:
    """Return what visitors read of a paper."""
    reply = await office.ask("GET", f"/api/papers/{document_id}?locale={locale}&populate=lines")
    return reply.data if reply.status == 200 else None


async def draft(office: Office, document_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = (
        await office.ask("GET", f"{PAPERS}/{document_id}", token=office.boss)
    ).data
    return shown


async def publish(office: Office, document_id: str, query: str = "") -> None:
    path = f"{PAPERS}/{document_id}/actions/publish{query}"
    reply = await office.ask("POST", path, {}, token=office.boss)
    assert reply.status == 200, reply.json


async def change(office: Office, document_id: str, query: str = "", **data: object) -> None:
    reply = await office.ask("PUT", f"{PAPERS}/{document_id}{query}", data, token=office.boss)
    assert reply.status == 200, reply.json


async def test_a_release_publishes_and_unpublishes_all_of_its_entries(office: Office) -> None:
    first, second, third = [await paper(office, title=title) for title in ("A", "B", "C")]
    await change(office, first, FRENCH, title="A fr")
    await publish(office, third)
    release_id = await release(
        office,
        entry(first),
        entry(first, "fr"),
        entry(second),
        {**entry(third), "action": "unpublish"},
    )

    done = await ask(office, "POST", f"/{release_id}/publish")

    assert done.status == 200, done.json
    assert (done.data["status"], done.data["itemCount"]) == ("done", 4)
    assert done.data["releasedAt"] is not None
    assert [one["status"] for one in done.data["items"]] == ["published"] * 3 + ["draft"]
    assert await live(office, first) is not None
    assert await live(office, first, "fr") is not None
    assert await live(office, second) is not None
    assert await live(office, third) is None


async def test_one_entry_that_cannot_be_published_keeps_all_from_it(office: Office) -> None:
    good, bad, gone = [await paper(office, title=title) for title in ("A", "B", "C")]
    await change(office, bad, title=None)
    release_id = await release(office, entry(good), entry(bad), entry(gone))
    await office.ask("DELETE", f"{PAPERS}/{gone}?locale=*", token=office.boss)

    checked = await ask(office, "POST", f"/{release_id}/check")
    refused = await ask(office, "POST", f"/{release_id}/publish")

    items = {
        one["documentId"]: one["id"]
        for one in (await ask(office, "GET", f"/{release_id}")).data["items"]
    }
    problems = [
        {"itemId": items[bad], "message": MISSING, "path": ["title"]},
        {"itemId": items[gone], "message": "The entry does not exist any more", "path": []},
    ]
    assert checked.data["problems"] == refused.json["error"]["details"]["problems"] == problems
    assert refused.status == 409
    assert refused.error == "2 of 3 items cannot be carried out"
    assert await live(office, good) is None
    assert (await ask(office, "GET", f"/{release_id}")).data["status"] == "blocked"


async def test_a_check_publishes_nothing(office: Office) -> None:
    document_id = await paper(office)
    release_id = await release(office, entry(document_id))

    checked = await ask(office, "POST", f"/{release_id}/check")

    assert checked.data == {"id": release_id, "problems": []}
    assert await live(office, document_id) is None
    assert (await draft(office, document_id))["status"] == "draft"


async def test_undo_restores_what_was_public_and_leaves_drafts_as_they_are(office: Office) -> None:
    changed, fresh, taken = [await paper(office, title=title) for title in ("Old", "New", "Gone")]
    await change(office, changed, lines=[{"text": "old", "hint": "h"}])
    for document_id in (changed, taken):
        await publish(office, document_id)
    before = await live(office, changed)
    await change(office, changed, title="Newer", lines=[{"text": "new"}])
    release_id = await release(
        office, entry(changed), entry(fresh), {**entry(taken), "action": "unpublish"}
    )
    assert (await ask(office, "POST", f"/{release_id}/publish")).status == 200
    await change(office, changed, title="Newest")

    undone = await ask(office, "POST", f"/{release_id}/undo")

    assert undone.status == 200, undone.json
    assert (undone.data["status"], undone.data["skipped"]) == ("ready", 0)
    after = await live(office, changed)
    assert before is not None
    assert after is not None
    assert after["title"] == "Old"
    assert [line["text"] for line in after["lines"]] == ["old"]
    assert await live(office, fresh) is None
    assert await live(office, taken) is not None
    now = await draft(office, changed)
    assert (now["title"], now["status"]) == ("Newest", "modified")
    assert [line["text"] for line in now["lines"]] == ["new"]
    assert (await draft(office, taken))["status"] == "published"


async def test_undo_restores_relations_to_what_is_public(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with office_project(tmp_path, kind) as project:
        await _let_papers_be_related(project, monkeypatch)
        async with run_office(project) as office:
            await _sign_in(office)
            first, second, third = [await paper(office, title=title) for title in "ABC"]
            for other in (first, second):
                await publish(office, other)
            await _relate(office, third, first)
            await publish(office, third)
            await _relate(office, third, second)
            release_id = await release(office, entry(third))
            assert (await ask(office, "POST", f"/{release_id}/publish")).status == 200
            assert await _related(office, third) == [second]

            assert (await ask(office, "POST", f"/{release_id}/undo")).status == 200

            assert await _related(office, third) == [first]
            assert await _related(office, third, "draft") == [second]


async def test_a_revision_of_what_is_public_has_its_relations(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with office_project(tmp_path, kind) as project:
        await _let_papers_be_related(project, monkeypatch)
        async with run_office(project) as office:
            await _sign_in(office)
            first, second = [await paper(office, title=title) for title in "AB"]
            await publish(office, first)
            await _relate(office, second, first)
            await publish(office, second)

            address = f"/admin/x/revisions/{PAPER}/{second}"
            listed = (await office.ask("GET", address, token=office.boss)).data
            (of_public,) = [one["id"] for one in listed if one["status"] == "published"]
            shown = await office.ask("GET", f"{address}/{of_public}", token=office.boss)
            assert [one["documentId"] for one in shown.data["data"]["related"]] == [first]


async def test_undo_asks_before_it_leaves_out_what_was_published_since(office: Office) -> None:
    first, second = [await paper(office, title=title) for title in ("A", "B")]
    release_id = await release(office, entry(first), entry(second))
    await ask(office, "POST", f"/{release_id}/publish")
    await change(office, second, title="B again")
    await publish(office, second)

    refused = await ask(office, "POST", f"/{release_id}/undo")
    assert refused.status == 409
    assert refused.json["error"]["details"]["entries"] == [entry(second)]
    assert await live(office, first) is not None

    undone = await ask(office, "POST", f"/{release_id}/undo", {"skipChanged": True})
    assert undone.data["skipped"] == 1
    assert await live(office, first) is None
    again = await live(office, second)
    assert again is not None
    assert again["title"] == "B again"


async def test_a_release_that_was_undone_can_be_published_again(office: Office) -> None:
    document_id = await paper(office)
    release_id = await release(office, entry(document_id))
    for _ in range(2):
        assert (await ask(office, "POST", f"/{release_id}/publish")).status == 200
        assert (await ask(office, "POST", f"/{release_id}/publish")).status == 409
        assert (await ask(office, "POST", f"/{release_id}/undo")).status == 200
        assert (await ask(office, "POST", f"/{release_id}/undo")).status == 409
    assert await live(office, document_id) is None


async def test_items_are_added_once_changed_and_removed(office: Office) -> None:
    document_id = await paper(office)
    release_id = await release(office, entry(document_id))
    shown = await add(office, release_id, entry(document_id), action="unpublish")
    (item,) = shown["items"]
    assert (item["action"], shown["status"]) == ("unpublish", "ready")

    of_entry = f"/admin/x/entry-releases/{PAPER}/{document_id}"
    listed = await office.ask("GET", of_entry, token=office.boss)
    assert listed.data == [
        {"id": release_id, "name": "Summer", "itemId": item["id"], "action": "unpublish"}
    ]
    path = f"/{release_id}/items/{item['id']}"
    changed = await ask(office, "PUT", path, {"action": "publish"})
    assert changed.data["items"][0]["action"] == "publish"
    removed = await ask(office, "DELETE", path)
    assert (removed.data["items"], removed.data["status"]) == ([], "empty")
    assert (await ask(office, "DELETE", path)).status == 404
    assert (await ask(office, "POST", f"/{release_id}/publish")).status == 409
    assert (await office.ask("GET", of_entry, token=office.boss)).data == []


async def test_what_is_no_entry_with_drafts_is_refused(office: Office) -> None:
    document_id = await paper(office)
    release_id = await release(office)
    for wrong in (
        entry("nobody"),
        entry(document_id, "fr"),
        entry(document_id, uid=WRITER),
        entry(document_id, uid="api::nothing.nothing"),
        {"documentId": document_id},
    ):
        reply = await ask(office, "POST", f"/{release_id}/items", {"entries": [wrong]})
        assert reply.status == 400, (wrong, reply.json)
    body = {"entries": [entry(document_id)], "action": "delete"}
    assert (await ask(office, "POST", f"/{release_id}/items", body)).status == 400
    assert (await ask(office, "GET", f"/{release_id}")).data["items"] == []


async def test_names_of_open_releases_are_unique(office: Office) -> None:
    release_id = await release(office)
    assert (await ask(office, "POST", "", {"name": "Summer"})).status == 400
    assert (await ask(office, "POST", "", {"name": " "})).status == 400
    renamed = await ask(office, "PUT", f"/{release_id}", {"name": "Autumn"})
    assert renamed.data["name"] == "Autumn"
    assert (await ask(office, "POST", "", {"name": "Summer"})).status == 201
    assert (await ask(office, "PUT", f"/{release_id}", {"name": "Summer"})).status == 400


async def test_releases_are_listed_by_whether_they_are_open(office: Office) -> None:
    document_id = await paper(office)
    done = await release(office, entry(document_id), name="Done")
    await ask(office, "POST", f"/{done}/publish")
    waiting = await release(office, name="Open")
    for query, ids in (
        ("", [waiting, done]),
        ("?state=open", [waiting]),
        ("?state=done", [done]),
        ("?pageSize=1&page=2", [done]),
    ):
        listed = await ask(office, "GET", query)
        assert [one["id"] for one in listed.data] == ids, query
    assert listed.json["meta"]["pagination"] == {
        "page": 2,
        "pageSize": 1,
        "pageCount": 2,
        "total": 2,
    }
    for wrong in ("?state=x", "?page=0", "?pageSize=101"):
        assert (await ask(office, "GET", wrong)).status == 400


async def test_a_page_of_releases_is_read_without_the_others(tmp_path: Path, kind: Kind) -> None:
    with log_statements() as log:
        async with open_office(tmp_path, kind=kind) as office:
            document_id = await paper(office)
            for name in ("One", "Two", "Three"):
                await release(office, entry(document_id), name=name)
            before = len(log.statements)
            listed = await ask(office, "GET", "?state=open&pageSize=1&page=2")
            assert [(one["name"], one["itemCount"]) for one in listed.data] == [("Two", 1)]
            assert listed.json["meta"]["pagination"]["total"] == 3
            statements = [sql for sql in log.since(before) if "strapi_release" in sql]
    assert statements
    assert all("count(" in sql or "LIMIT" in sql or "_lnk" in sql for sql in statements), statements


async def test_deleting_a_release_leaves_its_entries_as_they_are(office: Office) -> None:
    document_id = await paper(office)
    release_id = await release(office, entry(document_id))
    await ask(office, "POST", f"/{release_id}/publish")
    assert (await ask(office, "DELETE", f"/{release_id}")).status == 200
    assert (await ask(office, "GET", f"/{release_id}")).status == 404
    assert await live(office, document_id) is not None


async def test_who_may_not_publish_an_entry_cannot_release_it(office: Office) -> None:
    english, french = await paper(office), await paper(office, title="Other")
    await change(office, french, FRENCH, title="Autre")
    release_id = await release(office, entry(english), entry(french, "fr"))
    token = await editor(
        office,
        grant("read", ["title"], locales=["en", "fr"]),
        grant("publish", None, locales=["fr"]),
    )

    shown = (await ask(office, "GET", f"/{release_id}", token=token)).data["items"]
    refused = await ask(office, "POST", f"/{release_id}/publish", token=token)

    assert [one["publishable"] for one in shown] == [False, True]
    assert refused.status == 409
    (problem,) = refused.json["error"]["details"]["problems"]
    assert problem["message"] == "You may not publish this entry"
    assert await live(office, french, "fr") is None


async def test_who_may_only_read_changes_no_release(office: Office) -> None:
    document_id = await paper(office)
    release_id = await release(office, entry(document_id))
    token = await editor(office, grant("read", ["title"]))
    item = (await ask(office, "GET", f"/{release_id}", token=token)).data["items"][0]
    for method, path, body in (
        ("POST", "", {"name": "Mine"}),
        ("PUT", f"/{release_id}", {"name": "Mine"}),
        ("DELETE", f"/{release_id}", None),
        ("POST", f"/{release_id}/items", {"entries": [entry(document_id)]}),
        ("PUT", f"/{release_id}/items/{item['id']}", {"action": "unpublish"}),
        ("DELETE", f"/{release_id}/items/{item['id']}", None),
        *(("POST", f"/{release_id}/{verb}", None) for verb in ("check", "publish", "undo")),
    ):
        assert (await ask(office, method, path, body, token=token)).status == 403, (method, path)


async def test_entries_that_may_not_be_read_are_not_shown(office: Office) -> None:
    document_id = await paper(office, title="Secret")
    release_id = await release(office, entry(document_id))
    token = await editor(office, grant("read", ["title"], "admin::is-creator"))

    (item,) = (await ask(office, "GET", f"/{release_id}", token=token)).data["items"]

    assert item == {
        "id": item["id"],
        "action": "publish",
        "contentType": PAPER,
        "readable": False,
        "exists": True,
        "publishable": False,
    }
    hidden = f"/admin/x/entry-releases/{PAPER}/{document_id}"
    assert (await office.ask("GET", hidden, token=token)).status == 400


async def test_titles_that_may_not_be_read_are_not_shown(office: Office) -> None:
    document_id = await paper(office, title="Secret")
    release_id = await release(office, entry(document_id))
    token = await editor(office, grant("read", ["price"]))
    (item,) = (await ask(office, "GET", f"/{release_id}", token=token)).data["items"]
    assert item["title"] == document_id


async def test_a_thousand_entries_are_published_at_once_and_no_more(
    kind: Kind, tmp_path: Path
) -> None:
    async with open_office(tmp_path, kind=kind) as office:
        made = []
        for _ in range(10):
            body = {"count": 100}
            reply = await office.ask("POST", f"/admin/x/samples/{PAPER}", body, token=office.boss)
            made += reply.data["documentIds"]
        release_id = await release(office)
        await add(office, release_id, *(entry(one) for one in made), action="publish")
        another = await paper(office)
        more = {"entries": [entry(another)]}
        assert (await ask(office, "POST", f"/{release_id}/items", more)).status == 400

        done = await ask(office, "POST", f"/{release_id}/publish")

        assert done.status == 200, done.json
        count = await office.ask("GET", "/api/papers?pagination[pageSize]=1")
        assert count.json["meta"]["pagination"]["total"] == 1000


async def test_releases_outlive_the_server(kind: Kind, tmp_path: Path) -> None:
    async with office_project(tmp_path, kind) as project:
        async with run_office(project) as office:
            await _sign_in(office)
            document_id = await paper(office)
            release_id = await release(office, entry(document_id))
            assert (await ask(office, "POST", f"/{release_id}/publish")).status == 200
        async with run_office(project) as again:
            await _sign_in(again)
            assert (await ask(again, "POST", f"/{release_id}/undo")).status == 200
            assert await live(again, document_id) is None


async def _sign_in(office: Office) -> None:
    office.boss = (await office.sign_in("boss@example.com")).data["token"]


async def _let_papers_be_related(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a relation between papers, which have drafts on both of its sides."""
    file = project / "src" / "api" / "paper" / "content-types" / "paper" / "schema.json"
    schema = json.loads(file.read_text())
    related = {"type": "relation", "relation": "manyToMany", "target": PAPER}
    schema["attributes"]["related"] = related
    file.write_text(json.dumps(schema))
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    assert await asyncio.to_thread(cli.run, ["migrate", str(project), "--apply"]) == 0


async def _relate(office: Office, document_id: str, other: str) -> None:
    await change(office, document_id, related={"set": [{"documentId": other}]})


async def _related(office: Office, document_id: str, status: str = "published") -> list[str]:
    """Return the papers that a version of a paper is related to."""
    query = f"status={status}&populate[related][fields]=title"
    reply = await office.ask("GET", f"/api/papers/{document_id}?{query}")
    assert reply.status == 200, reply.json
    return [one["documentId"] for one in reply.data["related"]]


@pytest.mark.parametrize("listening", [False, True], ids=["alone", "with a webhook"])
async def test_statements_do_not_grow_with_the_entries(
    tmp_path: Path, kind: Kind, *, listening: bool
) -> None:
    executions: dict[str, list[int]] = {path: [] for path in ("check", "publish", "undo")}
    with log_statements() as log:
        async with open_office(tmp_path, kind=kind) as office:
            if listening:
                made = await office.ask("POST", "/admin/webhooks", WEBHOOK, token=office.boss)
                assert made.status == 201, made.json
            for number in (8, 8, 20):  # the first release makes tables
                entries = await different_entries(office, number)
                release_id = await release(office, name=f"{len(log.statements)}")
                for action in ("publish", "unpublish"):
                    group = [one for one, act in entries if act == action]
                    await add(office, release_id, *group, action=action)
                for path, most in executions.items():
                    if path == "undo":
                        for one, act in entries:
                            if act == "publish":
                                lines = [{"text": "new"}]
                                await change(office, one["documentId"], title="new", lines=lines)
                    before = len(log.statements)
                    done = await ask(office, "POST", f"/{release_id}/{path}", {})
                    assert done.status == 200, done.json
                    most.append(most_executions(log.since(before)))
    for path, (_, of_8_entries, of_20_entries) in executions.items():
        assert of_20_entries == of_8_entries, path


def most_executions(statements: Sequence[str]) -> int:
    """Return how often the most frequent statement on entries was executed.

    Jobs that run in between have others.
    """
    content = (sql for sql in statements if any(name in sql for name in CONTENT_TABLES))
    return max(Counter(content).values())


async def different_entries(office: Office, count: int) -> list[tuple[dict[str, Any], str]]:
    """Make papers of which every fourth one is unpublished by a release, and others published."""
    writer = await office.ask("POST", WRITERS, {"name": "Ada"}, token=office.boss)
    made: list[tuple[dict[str, Any], str]] = []
    for number in range(count):
        lines = [{"text": f"{number}"}, {"text": "last"}]
        document_id = await paper(
            office, title=f"{number}", lines=lines, writer=[writer.data["documentId"]]
        )
        if number % 2:
            await publish(office, document_id)
        made.append((entry(document_id), "unpublish" if number % 4 == 1 else "publish"))
    return made


async def test_entries_that_are_linked_to_each_other_are_linked_when_they_are_published(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with office_project(tmp_path, kind) as project:
        await _let_papers_be_related(project, monkeypatch)
        async with run_office(project) as office:
            await _sign_in(office)
            papers = [await paper(office, title=title) for title in "ABCD"]
            for one, other in zip(papers[1:], papers, strict=False):
                await _relate(office, one, other)
            release_id = await release(office, *(entry(one) for one in papers))
            assert (await ask(office, "POST", f"/{release_id}/publish")).status == 200
            related = [await _related(office, one) for one in papers]
            assert related == [[], *([one] for one in papers[:-1])]
