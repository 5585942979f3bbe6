"""Hooks with ``batch=True``: called once for the documents of a bulk write."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind, opened
from tests.extending.background import delivered
from tests.extending.project import PAPERS, module, open_extended, schema_in, titles, write_code
from tests.extending.test_counts import batch
from tests.library.statements import log_statements
from tests.unit.admin_api.office import BOSS, Office, office_project, run_office
from tests.unit.admin_api.test_releases import ask, entry, release
from tests.unit.events import record_events
from tests.unit.kiosk import PAPER

MANY = """
@route.post("/many", public=True)
async def many(body: dict) -> list[str]:
    papers = documents(PAPER)
    with as_system("write many"):
        call = getattr(papers, body.pop("call"))
        found = await call(**body)
    return [one.documentId for one in found or []]
"""
CODE = """
EVERY = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]

@before_write(PAPER, on=EVERY, needs=["title", "price"], batch=True)
def before(writes):
    action, = {write.action for write in writes}
    assert all(write.after is None for write in writes)
    seen = sorted(str(write.before and write.before.title) for write in writes)
    fired.append(("before", action, seen))
    if action in {"create", "update", "clone"}:
        for number, write in enumerate(writes):
            write.set(price=number)

@before_write(PAPER, on=EVERY, order=1)
def each(write):
    fired.append(("each", write.action, str(write.data.get("price"))))

@after_write(PAPER, on=EVERY, needs=["price"], batch=True)
async def after(writes):
    action, = {write.action for write in writes}
    if any(write.data.get("title") == "refused" for write in writes):
        raise Conflict("refused", path="title")
    seen = [write.after and write.after.price for write in writes]
    with as_system("count"):
        found = await documents(PAPER).count_by(
            "documentId", [write.document_id for write in writes], status="draft",
            locale=writes[0].locale)
    fired.append(("after", action, seen, sum(found.values())))
"""


@pytest_asyncio.fixture(loop_scope="session")
async def office(tmp_path: Path, kind: Kind) -> AsyncIterator[Office]:
    async with open_extended(tmp_path, kind, MANY + CODE) as opened:
        yield opened


async def many(office: Office, call: str, **arguments: object) -> list[str]:
    reply = await office.ask("POST", "/api/many", {"call": call, **arguments})
    assert reply.status == 200, reply.json
    found: list[str] = reply.json
    return found


def fired() -> list[Any]:
    """Return what was called since the last time."""
    found = list(module().fired)
    module().fired.clear()
    return found


async def test_a_bulk_write_calls_a_hook_once_with_all_documents(office: Office) -> None:
    both = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}])
    assert fired() == [
        ("before", "create", ["None", "None"]),
        ("each", "create", "0"),
        ("each", "create", "1"),
        ("after", "create", [0, 1], 2),
    ]
    await many(office, "publish_many", document_ids=both)
    assert fired() == [
        ("before", "publish", ["A", "B"]),
        ("each", "publish", "None"),
        ("each", "publish", "None"),
        ("after", "publish", [0, 1], 2),
    ]
    data = {"title": "C", "price": 9}
    await many(office, "update_many", document_ids=both[::-1], data=data, status="published")
    assert fired() == [
        ("before", "update", ["A", "B"]),
        ("each", "update", "0"),
        ("each", "update", "1"),
        ("after", "update", [0, 1], 2),
        ("before", "publish", ["C", "C"]),
        ("each", "publish", "None"),
        ("each", "publish", "None"),
        ("after", "publish", [0, 1], 2),
    ]
    assert await titles(office, "status=published") == ["C", "C"]
    await many(office, "unpublish_many", document_ids=both)
    assert fired()[-1] == ("after", "unpublish", [None, None], 2)
    await many(office, "delete_many", document_ids=[*both, "missing"])
    assert fired() == [
        ("before", "delete", ["C", "C"]),
        ("each", "delete", "None"),
        ("each", "delete", "None"),
        ("after", "delete", [None, None], 0),
    ]
    assert await titles(office) == []


async def test_the_locales_of_a_document_are_a_bulk_write(office: Office) -> None:
    (paper,) = await many(office, "create_many", data=[{"title": "A"}])
    await many(office, "update_many", document_ids=[paper], data={"title": "F"}, locale="fr")
    fired()
    await many(office, "publish", document_id=paper, locale="*")
    assert fired()[0] == ("before", "publish", ["A", "F"])
    await many(office, "discard_draft", document_id=paper, locale="*")
    assert fired()[0] == ("before", "discard_draft", ["A", "F"])
    (copy, _) = await many(office, "clone", document_id=paper, locale="*")
    assert fired()[0] == ("before", "clone", ["A", "F"])
    await many(office, "publish_many", document_ids=[paper, copy], locale="*")
    assert fired()[0] == ("before", "publish", ["A", "A", "F", "F"])
    for locale in ("en", "fr"):
        for status in ("draft", "published"):
            found = await office.ask("GET", f"/api/papers?locale={locale}&status={status}")
            assert len(found.data) == 2
    await many(office, "delete_many", document_ids=[paper, copy], locale="*")
    assert fired()[0] == ("before", "delete", ["A", "A", "F", "F"])


async def test_batches_and_bulk_actions_of_administrators_are_bulk_writes(office: Office) -> None:
    operations: list[dict[str, object]] = [
        {"action": "create", "data": {"title": "A"}, "status": "draft"},
        {"action": "create", "data": {"title": "B"}, "status": "draft"},
    ]
    await batch(*operations)(office, "")
    assert [one for one in fired() if one[0] == "before"] == [("before", "create", ["None"] * 2)]
    listed = await office.ask("GET", "/api/papers?status=draft")
    ids = [one["documentId"] for one in listed.data]
    for name, action, seen in (
        ("bulkPublish", "publish", ["A", "B"]),
        ("bulkUnpublish", "unpublish", ["A", "B"]),
        ("bulkDelete", "delete", ["A", "B"]),
    ):
        body = {"documentIds": ids}
        reply = await office.ask("POST", f"{PAPERS}/actions/{name}", body, token=office.boss)
        assert (reply.status, fired()[0]) == (200, ("before", action, seen))


async def test_a_single_write_is_a_bulk_write_of_one(office: Office) -> None:
    made = await office.ask("POST", "/api/papers", {"data": {"title": "A", "price": 9}})
    assert (made.status, made.data["price"]) == (201, 0)
    assert [one[:2] for one in fired() if one[0] != "each"] == [
        ("before", "create"),
        ("after", "create"),
        ("before", "publish"),
        ("after", "publish"),
    ]


async def test_an_error_undoes_the_whole_bulk_write(office: Office) -> None:
    papers = [{"title": "A"}, {"title": "refused"}]
    reply = await office.ask("POST", "/api/many", {"call": "create_many", "data": papers})
    assert (reply.status, reply.error) == (409, "refused")
    papers = [{"title": "A"}, {"title": "x" * 41}]
    reply = await office.ask("POST", "/api/many", {"call": "create_many", "data": papers})
    assert (reply.status, reply.error) == (400, "title must be at most 40 characters")
    body = {"call": "publish_many", "document_ids": ["missing", "missing too"]}
    assert (await office.ask("POST", "/api/many", body)).status == 404
    assert await titles(office) == []


async def test_the_same_document_twice_is_written_twice(office: Office) -> None:
    (paper,) = await many(office, "create_many", data=[{"title": "A"}])
    fired()
    operations: list[dict[str, object]] = [
        {"action": "update", "data": {"title": title}, "status": "draft"} for title in ("B", "C")
    ]
    await batch(*operations)(office, paper)
    assert [one[2] for one in fired() if one[0] == "before"] == [["A"], ["B"]]
    assert await titles(office) == ["C"]


async def test_a_release_calls_a_hook_once_with_all_of_its_entries(office: Office) -> None:
    ids = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}, {"title": "C"}])
    release_id = await release(office, *(entry(document_id) for document_id in ids))
    fired()
    assert (await ask(office, "POST", f"/{release_id}/publish")).status == 200
    calls = [call for call in fired() if call[0] != "each"]
    assert calls == [
        ("before", "publish", ["A", "B", "C"]),
        ("after", "publish", [0, 1, 2], 3),
    ]


async def test_operations_of_a_batch_may_refer_to_earlier_ones(office: Office) -> None:
    operations = [
        {"type": "api::writer.writer", "action": "create", "data": {"name": "Ada"}, "as": "ada"},
        *(
            {"type": PAPER, "action": "create", "data": {"title": title, "writer": {"$ref": "ada"}}}
            for title in ("A", "B")
        ),
    ]
    reply = await office.ask("POST", "/api/_batch", {"operations": operations})
    assert reply.status == 200, reply.json
    found = await office.ask("GET", "/api/papers?populate=writer&sort=title")
    assert [(one["title"], one["writer"]["name"]) for one in found.data] == [
        ("A", "Ada"),
        ("B", "Ada"),
    ]


async def test_copies_and_discarded_drafts_are_bulk_writes(office: Office) -> None:
    both = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}])
    fired()
    copies = await many(office, "clone_many", document_ids=both, data={"title": "copy"})
    assert fired() == [
        ("before", "clone", ["A", "B"]),
        ("each", "clone", "0"),
        ("each", "clone", "1"),
        ("after", "clone", [0, 1], 2),
    ]
    assert len({*copies, *both}) == 4
    assert sorted(await titles(office)) == ["A", "B", "copy", "copy"]
    await many(office, "publish_many", document_ids=copies)
    await many(office, "update_many", document_ids=copies, data={"title": "changed"})
    fired()
    await many(office, "discard_draft_many", document_ids=copies)
    assert fired() == [
        ("before", "discard_draft", ["changed", "changed"]),
        ("each", "discard_draft", "None"),
        ("each", "discard_draft", "None"),
        ("after", "discard_draft", [0, 1], 2),
    ]
    assert sorted(await titles(office)) == ["A", "B", "copy", "copy"]


async def test_all_documents_are_copied_and_discarded_or_none(office: Office) -> None:
    both = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}])
    await many(office, "publish", document_id=both[0])
    await many(office, "update_many", document_ids=both, data={"title": "C"})
    for body in (
        {"call": "clone_many", "document_ids": [*both, "missing"]},
        {"call": "clone_many", "document_ids": both, "data": {"title": "refused"}},
        {"call": "discard_draft_many", "document_ids": both},
    ):
        reply = await office.ask("POST", "/api/many", body)
        assert reply.status == (409 if "data" in body else 404), reply.json
        assert await titles(office) == ["C", "C"]


ONE_FEATURED = """
@after_write(PAPER, on=["update"])
async def keep_one_price(write):
    if not write.data.get("price"):
        return
    with as_system("other papers lose their price"):
        papers = documents(PAPER)
        others = await papers.find(filters={"price": {"$gt": 0}}, status="draft")
        for other in others:
            if other.documentId != write.document_id:
                await papers.update(other.documentId, {"price": 0})
"""


async def test_a_hook_that_queries_for_each_document_sees_those_changed_before(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, MANY + ONE_FEATURED) as office:
        ids = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}])
        await many(office, "update_many", document_ids=ids, data={"price": 5})
        found = await office.ask("GET", "/api/papers?status=draft&sort=title")
        assert [one["price"] for one in found.data] == [0, 5]


COUNTED = """
from functools import wraps

def decorated(function):
    @wraps(function)
    def call(write):
        return function(write)
    return call

@before_write(PAPER, on=["publish", "unpublish"])
{decorator}
async def count_published(write):
    with as_system("count"):
        fired.append(await documents(PAPER).count(status="published"))
"""


@pytest.mark.parametrize("decorator", ["", "@decorated"])
async def test_a_hook_that_queries_for_each_document_sees_those_published_before(
    tmp_path: Path, kind: Kind, decorator: str
) -> None:
    code = MANY + COUNTED.format(decorator=decorator)
    async with open_extended(tmp_path, kind, code) as office:
        ids = await many(office, "create_many", data=[{"title": title} for title in "ABC"])
        await many(office, "publish_many", document_ids=ids)
        assert fired() == [0, 1, 2]
        await many(office, "unpublish_many", document_ids=ids)
        assert fired() == [3, 2, 1]


@pytest.mark.parametrize("call", ["publish_many", "update_many"])
async def test_statements_of_hooks_do_not_grow_with_the_documents(
    tmp_path: Path, kind: Kind, call: str
) -> None:
    arguments: dict[str, object] = {"data": {"title": "new"}} if call == "update_many" else {}
    grown = []
    for place, code in enumerate(("", CODE)):
        folder = tmp_path / str(place)
        folder.mkdir()
        with log_statements() as log:
            async with open_extended(folder, kind, MANY + code) as office:
                numbers = []
                for count in (10, 30):
                    data = [{"title": f"{number}"} for number in range(count)]
                    ids = await many(office, "create_many", data=data)
                    before = len(log.statements)
                    await many(office, call, document_ids=ids, **arguments)
                    numbers.append(sum("paper_rows" in sql for sql in log.since(before)))
        grown.append(numbers[1] - numbers[0])
    assert grown == [0, 0]


ON_PUBLISH = """
@before_write(PAPER, on=["publish"], batch=True)
async def before(writes):
    fired.append(len(writes))
    with as_system("publish the others first"):
        for write in writes[1:]:
            await documents(PAPER).publish(write.document_id)
"""


@pytest.mark.parametrize("size", [1, 100])
async def test_hooks_of_publishing_get_all_documents_that_are_updated_and_published(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    for name in ("update_documents", "publish"):
        monkeypatch.setattr(f"quire.document_service.actions.{name}.DRAFTS_AT_ONCE", size)
    async with open_extended(tmp_path, kind, MANY + ON_PUBLISH) as office:
        ids = await many(office, "create_many", data=[{"title": title} for title in "ABC"])
        data = {"title": "D"}
        await many(office, "update_many", document_ids=ids, data=data, status="published")
        assert fired() == [3]
        assert await titles(office, "status=published") == ["D", "D", "D"]


IN_EVERY_PHASE = """
class Title(Shape):
    title: str

@before_write(PAPER, on=["publish"], needs=["title"], batch=True)
async def look_for_equal_titles(writes):
    with as_system("look for equal titles"):
        titles = [write.before["title"] for write in writes]
        fired.append(len(await documents(PAPER).count_by("title", titles, status="draft")))

@after_write(PAPER, on=["publish"], needs=["title"], batch=True)
async def count_published(writes):
    with as_system("count"):
        ids = [write.document_id for write in writes]
        fired.append(len(await documents(PAPER).count_by("documentId", ids)))

@after_commit(PAPER, on=["publish"], keep=["title"], shape=Title)
async def notify(changes): ...
"""


async def test_hooks_for_a_thousand_documents_run_as_many_statements_as_for_a_hundred(
    tmp_path: Path, kind: Kind
) -> None:
    sizes = (100, 1000)
    read_by_hooks, all_statements = [], []
    async with office_project(tmp_path, kind) as project:
        write_code(project, MANY + IN_EVERY_PHASE)
        # Without workers, which would run statements of their own meanwhile.
        with log_statements() as log:
            async with run_office(project, settings={"jobs.workers": 0}) as office:
                for count in sizes:
                    data = [{"title": f"{count}-{number}"} for number in range(count)]
                    ids = await many(office, "create_many", data=data)
                    before = len(log.statements)
                    await many(office, "publish_many", document_ids=ids)
                    statements = log.since(before)
                    all_statements.append(len(statements))
                    read_by_hooks.append(
                        sum("count(*)" in sql or "t1.title \nFROM" in sql for sql in statements)
                    )
    assert fired() == [100, 100, 1000, 1000]
    assert read_by_hooks == [4, 4]
    # What is stored, in the outbox as well, is stored in batches.
    assert all_statements[1] - all_statements[0] < (sizes[1] - sizes[0]) / 10


async def test_operations_of_a_batch_on_documents_of_a_type_share_statements(
    tmp_path: Path, kind: Kind
) -> None:
    with log_statements() as log:
        async with open_extended(tmp_path, kind, MANY + CODE) as office:
            writes = []
            for count in (10, 30):
                data = [{"title": f"{number}"} for number in range(count)]
                ids = await many(office, "create_many", data=data)
                for action, values in (
                    ("update", {"data": {"title": "new"}, "status": "draft"}),
                    ("publish", {}),
                    ("unpublish", {}),
                ):
                    operations = [
                        {"type": PAPER, "action": action, "documentId": one, **values}
                        for one in ids
                    ]
                    before = len(log.statements)
                    reply = await office.ask("POST", "/api/_batch", {"operations": operations})
                    assert reply.status == 200, reply.json
                    assert [one["documentId"] for one in reply.data] == ids
                    if action != "unpublish":
                        assert [one["data"]["documentId"] for one in reply.data] == ids
                    sent = [sql for sql in log.since(before) if "paper_rows" in sql]
                    writes.append(sum(not sql.startswith("SELECT") for sql in sent))
    assert writes[:3] == writes[3:]


async def test_a_result_shows_linked_documents_as_they_were_after_its_operation(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, MANY) as office:
        writer = await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
        data = [{"title": title, "writer": writer.data["documentId"]} for title in ("A", "B")]
        ids = await many(office, "create_many", data=data, status="published")
        operations = [
            {
                "type": PAPER,
                "action": "update",
                "documentId": one,
                "data": {"title": title},
                "populate": {"writer": {"populate": {"papers": {"sort": "title"}}}},
            }
            for one, title in zip(ids, ("C", "D"), strict=True)
        ]
        reply = await office.ask("POST", "/api/_batch", {"operations": operations})
        assert reply.status == 200, reply.json
        papers = [result["data"]["writer"]["papers"] for result in reply.data]
        assert [[one["title"] for one in some] for some in papers] == [["B", "C"], ["C", "D"]]


async def test_the_operation_that_fails_is_named(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, MANY) as office:
        ids = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}])
        operations = [
            {"type": PAPER, "action": "update", "documentId": one, "data": {"title": title}}
            for one, title in zip(ids, ("new", None), strict=True)
        ]
        reply = await office.ask("POST", "/api/_batch", {"operations": operations})
        assert (reply.status, reply.json["error"]["details"]["operation"]) == (400, 1)
        assert await titles(office) == ["A", "B"]


ADVISED = """
@before_write(PAPER, on=["publish"])
async def find_equal(write):
    with as_system("look"):
        await documents(PAPER).count(filters={"title": "A"})

@before_write(PAPER, on=["publish"], batch=True)
async def find_all(writes):
    with as_system("look"):
        for write in writes:
            await documents(PAPER).count(filters={"title": "B"})

@before_write(PAPER, on=["publish"])
async def ask_nothing(write):
    pass
"""


async def test_a_hook_that_queries_for_each_document_is_named_in_development(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str]
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, MANY + ADVISED)
        for environment, count, advice in (
            ("development", 9, 0),
            ("development", 10, 1),
            ("production", 10, 0),
        ):
            settings = {"environment": environment}
            async with run_office(project, settings=settings) as office:
                data = [{"title": f"{number}"} for number in range(count)]
                ids = await many(office, "create_many", data=data)
                capsys.readouterr()
                await many(office, "publish_many", document_ids=ids)
            lines = [one for one in capsys.readouterr().out.splitlines() if "batch=True" in one]
            assert len(lines) == advice
            assert all("find_equal" in one for one in lines)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            '@before_write(PAPER, on=["create"], batch=True)\ndef a(): ...',
            "a() must take one argument, the writes",
        ),
        (
            '@after_write(PAPER, on=["create"], batch=1)\ndef a(writes): ...',
            "batch must be True or False, not 1",
        ),
    ],
)
@pytest.mark.whatever_the_database("no database is opened")
def test_mistakes_are_reported_when_code_is_loaded(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, code)
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert problem.message.endswith(message)


CONSUMED = """
@after_write(PAPER, on=["update"], batch=True)
async def consume(writes):
    ids = []
    while writes:
        ids.append(writes.pop().document_id)
    fired.append(len(ids))
    with as_system("mark what was updated"):
        await documents(PAPER).update_many(ids, {"price": 7})
"""


async def test_a_hook_is_not_called_for_its_own_writes_although_it_empties_its_list(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, MANY + CONSUMED) as office:
        ids = await many(office, "create_many", data=[{"title": "A"}, {"title": "B"}])
        await many(office, "update_many", document_ids=ids, data={"title": "C"})
        assert fired() == [2]
        found = await office.ask("GET", "/api/papers?status=draft")
        assert [one["price"] for one in found.data] == [7, 7]


LOCALE = """
@before_write(PAPER, on=["delete"], needs=["title"], batch=True)
def before(writes):
    fired.append(("before", sorted((write.locale, write.before.title) for write in writes)))

@after_write(PAPER, on=["delete"])
def after(write):
    if write.data.get("title"):
        raise AssertionError
    fired.append(("after", write.locale, write.document_id))

class Title(Shape):
    title: str

@after_commit(PAPER, on=["delete"], shape=Title, keep=["title"])
async def tell(changes):
    fired.append(("told", sorted((one.locale, one.kept["title"]) for one in changes)))

@before_write(PAPER, on=["delete"], needs=["sold"])
def keep_sold(write):
    if write.before.sold:
        raise Conflict("A sold paper stays")

@rule(PAPER, on=["delete"])
def nobody(who):
    return False

@policy(PAPER, on=["delete"])
def never(context):
    return False
"""


async def test_the_documents_of_a_deleted_locale_are_a_bulk_write(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, LOCALE) as office:
        ids = []
        for title, query in (("A", ""), ("B", "?status=draft")):
            made = await office.ask("POST", f"/api/papers{query}", {"data": {"title": title}})
            ids.append(made.data["documentId"])
            target = f"/api/papers/{ids[-1]}{query or '?'}&locale=fr"
            french = {"data": {"title": f"{title}f"}}
            assert (await office.ask("PUT", target, french)).status == 200
        locales = (await office.ask("GET", "/i18n/locales", token=office.boss)).json
        (french_id,) = [one["id"] for one in locales if one["code"] == "fr"]

        sold = f"/api/papers/{ids[0]}?status=draft"
        await office.ask("PUT", sold, {"data": {"sold": True}})
        refused = await office.ask("DELETE", f"/i18n/locales/{french_id}", token=office.boss)
        assert (refused.status, refused.error) == (409, "A sold paper stays")
        assert await titles(office, "status=draft&locale=fr") == ["Af", "Bf"]
        await office.ask("PUT", sold, {"data": {"sold": False}})
        await delivered(office)
        fired()

        gone = await office.ask("DELETE", f"/i18n/locales/{french_id}", token=office.boss)
        assert gone.status == 200, gone.json
        await delivered(office)
        assert fired() == [
            ("before", [("fr", "Af"), ("fr", "Bf")]),
            *(("after", "fr", document_id) for document_id in ids),
            ("told", [("fr", "Af"), ("fr", "Bf")]),
        ]
        assert await titles(office) == ["A", "B"]


async def french_papers(office: Office, *titles: str) -> int:
    """Write papers in both locales; returns the id of the French one."""
    for title in titles:
        made = await office.ask("POST", "/api/papers", {"data": {"title": title}})
        target = f"/api/papers/{made.data['documentId']}?locale=fr"
        assert (await office.ask("PUT", target, {"data": {"title": title}})).status == 200
    locales = (await office.ask("GET", "/i18n/locales", token=office.boss)).json
    (french_id,) = [one["id"] for one in locales if one["code"] == "fr"]
    return int(french_id)


async def test_webhooks_get_what_code_writes_when_a_locale_is_deleted(
    tmp_path: Path, kind: Kind
) -> None:
    """The deleted entries are not reported, as in Strapi."""
    code = """
    @after_write(PAPER, on=["delete"])
    async def note(write):
        with as_system("notes of deleted papers"):
            await documents(WRITER).create({"name": write.locale})
    """
    async with open_extended(tmp_path, kind, code) as office:
        french_id = await french_papers(office, "A", "B")
        listener = record_events(office.app)
        gone = await office.ask("DELETE", f"/i18n/locales/{french_id}", token=office.boss)
        assert gone.status == 200, gone.json
        heard = [(event.name.value, event.model, event.entry) for event in listener.events()]
        assert [(name, model) for name, model, _ in heard] == [("entry.create", "writer")] * 2
        assert [entry and entry["name"] for _, _, entry in heard] == ["fr", "fr"]


IN_PARTS = """
@before_write(PAPER, on=["delete"], batch=True)
def count(writes):
    fired.append(len(writes))
"""


async def test_a_deleted_locale_with_many_documents_is_deleted_in_parts(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the writes of all of its documents were in memory together."""
    monkeypatch.setattr("quire.content_manager.locales._DOCUMENTS_AT_ONCE", 2)
    async with open_extended(tmp_path, kind, IN_PARTS) as office:
        french_id = await french_papers(office, "A", "B", "C")
        gone = await office.ask("DELETE", f"/i18n/locales/{french_id}", token=office.boss)
        assert (gone.status, fired()) == (200, [2, 1])
        assert await titles(office, "status=draft&locale=fr") == []


@pytest.mark.parametrize("code", ["", IN_PARTS], ids=["rows", "hooks"])
async def test_a_deleted_locale_is_purged_from_shared_caches(
    tmp_path: Path, kind: Kind, code: str
) -> None:
    purging = {"cdn.purge": "generic", "cdn.purge_url": "http://127.0.0.1:1/purge"}
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        async with run_office(project, settings=purging) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            french_id = await french_papers(office, "A", "B")
            ids = [one["documentId"] for one in (await office.ask("GET", "/api/papers")).data]
            draft = f"/api/papers/{ids[0]}?locale=fr&status=draft"
            await office.ask("PUT", draft, {"data": {"title": "C"}})
            with opened(kind, project) as rows:
                rows.execute("DELETE FROM quire_deliveries")
            gone = await office.ask("DELETE", f"/i18n/locales/{french_id}", token=office.boss)
            assert gone.status == 200, gone.json
            with opened(kind, project) as rows:
                bodies = rows.execute("SELECT body FROM quire_deliveries")
    tags = sorted(json.loads(body) for (body,) in bodies)
    assert tags == sorted([PAPER, f"{PAPER}:{document_id}"] for document_id in ids)


@pytest.mark.parametrize(
    "code", ["", "@after_write(PAPER, on=['delete'])\ndef note(write):\n    pass\n"]
)
async def test_rows_without_a_document_do_not_keep_a_locale(
    tmp_path: Path, kind: Kind, code: str
) -> None:
    """Other programs have inserted them."""
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            french_id = await french_papers(office, "A")
            with opened(kind, project) as rows:
                rows.execute("UPDATE paper_rows SET document_id = NULL WHERE locale = 'fr'")
            gone = await office.ask("DELETE", f"/i18n/locales/{french_id}", token=office.boss)
            assert gone.status == 200, gone.json
            with opened(kind, project) as rows:
                assert rows.execute("SELECT id FROM paper_rows WHERE locale = 'fr'") == []
            assert await titles(office) == ["A"]
