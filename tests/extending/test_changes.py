"""``@after_commit`` functions receive every committed change, in order, until they succeed."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from quire.errors import ServiceUnavailableError
from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.background import (
    RefusingDatabase,
    changes_of,
    delivered,
    jobs_of,
    parts_of,
    pass_time,
    until,
)
from tests.extending.project import (
    FILE,
    IMPORTS,
    PAPERS,
    module,
    open_extended,
    schema_in,
    write_code,
)
from tests.unit.admin_api.office import Office, office_project, run_office
from tests.unit.kiosk import PAPER

_FIRST = IMPORTS.count("\n") + 1
EVERY = '["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]'
TITLE = """
class Title(Shape["Paper"]):
    title: str | None

class Paper(Document):
    __uid__ = PAPER

"""
NOTIFY = f"""{TITLE}
@after_commit(PAPER, on={EVERY}, shape=Title, keep=["title", "margin"])
async def tell(changes):
    for one in changes:
        title = one.document and one.document.title
        fired.append((one.action, one.kept["title"], title, one.fields))
"""


async def make(office: Office, title: str, query: str = "", **data: object) -> str:
    reply = await office.ask("POST", f"/api/papers{query}", {"data": {"title": title, **data}})
    assert reply.status == 201, reply.json
    return str(reply.data["documentId"])


async def change(office: Office, document_id: str, title: str, query: str = "") -> None:
    target = f"/api/papers/{document_id}{query}"
    assert (await office.ask("PUT", target, {"data": {"title": title}})).status == 200


@pytest_asyncio.fixture(loop_scope="session")
async def office(tmp_path: Path, kind: Kind) -> AsyncIterator[Office]:
    async with open_extended(tmp_path, kind, NOTIFY) as opened:
        yield opened


async def test_a_change_is_reported_with_the_current_document(office: Office) -> None:
    document_id = await make(office, "A", price="1.5")
    await delivered(office)
    await change(office, document_id, "B")
    await delivered(office)
    bulk = f"{PAPERS}/actions/bulkUnpublish"
    body = {"documentIds": [document_id]}
    assert (await office.ask("POST", bulk, body, token=office.boss)).status == 200
    await delivered(office)
    assert (await office.ask("DELETE", f"/api/papers/{document_id}")).status == 204
    await delivered(office)
    assert module().fired == [
        ("create", "A", "A", ("price", "title")),
        ("publish", "A", "A", ()),
        ("update", "B", "B", ("title",)),
        ("publish", "B", "B", ()),
        ("unpublish", "B", None, ()),
        ("delete", "B", None, ()),
    ]


async def test_of_a_refused_write_nothing_is_reported(office: Office) -> None:
    refused = await office.ask("POST", "/api/papers", {"data": {"title": "A" * 50}})
    assert refused.status == 400
    assert await changes_of(office) == []


async def test_a_type_that_nobody_listens_to_leaves_no_rows(office: Office) -> None:
    await parts_of(office).changes.stop()
    await office.ask("POST", "/api/writers", {"data": {"name": "A"}})
    assert await changes_of(office) == []
    await make(office, "A", "?status=draft")
    assert [one.action for one in await changes_of(office)] == ["create"]


async def test_rolled_back_changes_are_not_reported(tmp_path: Path, kind: Kind) -> None:
    code = f"""{NOTIFY}
@after_write(WRITER, on=["create"])
async def write_papers(write):
    with as_system("test"):
        await documents(PAPER).create({{"title": "kept"}})
        try:
            async with transaction():
                await documents(PAPER).create({{"title": "undone"}})
                raise LookupError
        except LookupError:
            pass
"""
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/writers", {"data": {"name": "A"}})
        await delivered(office)
        assert [one[1] for one in module().fired] == ["kept"]


async def test_changes_of_a_document_come_in_order_also_when_one_fails(
    tmp_path: Path, kind: Kind
) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create", "update"], shape=Title, keep=["title"], status="draft")
async def tell(changes):
    for one in changes:
        fired.append((one.document_id, one.kept["title"]))
        if one.kept["title"] == "A2" and fired.count(fired[-1]) < 3:
            raise LookupError("later")
"""
    async with open_extended(tmp_path, kind, code) as office:
        first = await make(office, "A1", "?status=draft")
        await delivered(office)
        await change(office, first, "A2", "?status=draft")
        await change(office, first, "A3", "?status=draft")
        other = await make(office, "B1", "?status=draft")

        async def is_notified() -> bool:
            pass_time(office, seconds=10)
            return (first, "A3") in module().fired and (other, "B1") in module().fired

        await until(is_notified)
        await delivered(office)
        reported = [title for document_id, title in module().fired if document_id == first]
        assert reported == ["A1", "A2", "A2", "A2", "A3"]


@pytest.mark.parametrize(
    ("error", "message"),
    [("LookupError('never')", "LookupError: never"), ("SystemExit(3)", "SystemExit: 3")],
)
async def test_a_change_that_always_fails_is_given_up_and_can_be_replayed(
    tmp_path: Path, kind: Kind, error: str, message: str
) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create"], shape=Title, retries=1, status="draft")
async def tell(changes):
    for one in changes:
        fired.append(one.document.title)
        if one.document.title == "bad":
            raise {error}
"""
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "bad", "?status=draft")

        async def is_given_up() -> bool:
            pass_time(office, seconds=10)
            return all(one.ended_at for one in await changes_of(office))

        await until(is_given_up)
        (dead,) = await changes_of(office)
        assert (dead.attempts, dead.message) == (2, message)
        await make(office, "good", "?status=draft")
        await until(lambda: _has_fired(3))
        await change(office, dead.document_id, "mended", "?status=draft")
        database, rows = office.app.database, parts_of(office).change_queue.rows
        assert database is not None
        assert await database.write(rows.replay(dead.id, office.clock()))
        parts_of(office).changes.wake()
        await delivered(office)
        assert module().fired == ["bad", "bad", "good", "mended"]
        assert await changes_of(office) == []


async def _has_fired(count: int) -> bool:
    return len(module().fired) >= count


async def test_only_the_newest_change_is_kept_where_that_is_enough(
    tmp_path: Path, kind: Kind
) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create", "update", "publish"], shape=Title, coalesce=True)
async def tell(changes):
    fired.append([(one.action, one.document and one.document.title) for one in changes])
"""
    async with open_extended(tmp_path, kind, code) as office:
        await parts_of(office).changes.stop()
        first, second = await make(office, "A"), await make(office, "B")
        await change(office, first, "A2")
        assert [one.document_id for one in await changes_of(office)] == [second, first]
        parts_of(office).changes.start()
        await delivered(office)
        assert module().fired == [[("publish", "B"), ("publish", "A2")]]


async def test_many_changes_come_together_and_read_together(tmp_path: Path, kind: Kind) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create"], shape=Title, status="draft")
async def tell(changes):
    fired.append(len(changes))
    assert all(one.document is not None for one in changes)

@route.post("/many", public=True)
async def many() -> None:
    with as_system("test"):
        await documents(PAPER).create_many([{{"title": f"P{{number}}"}} for number in range(120)])
"""
    async with open_extended(tmp_path, kind, code) as office:
        assert (await office.ask("POST", "/api/many")).status == 204
        await delivered(office)
        assert sorted(module().fired) == [20, 100]


async def test_several_servers_deliver_each_change_once(tmp_path: Path, kind: Kind) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create"], shape=Title, keep=["title"])
async def tell(changes):
    with as_system("test"):
        for one in changes:
            await documents(WRITER).create({{"name": one.kept["title"]}})
"""
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        async with run_office(project) as one, run_office(project) as two:
            names = [f"P{number:02}" for number in range(20)]
            offices = [one, two] * 10
            await asyncio.gather(
                *(make(office, name) for office, name in zip(offices, names, strict=True))
            )
            await delivered(one)
            await delivered(two)
            reply = await one.ask("GET", "/api/writers?pagination[pageSize]=100&sort=name")
            assert [writer["name"] for writer in reply.data] == names


async def test_a_function_is_not_called_for_its_own_changes_to_the_document(
    tmp_path: Path, kind: Kind
) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create", "update"], shape=Title, status="draft")
async def rename(changes):
    with as_system("rename"):
        for one in changes:
            fired.append(one.document.title)
            await documents(PAPER).update(one.document_id, {{"title": one.document.title + "!"}})

@job(retries=0)
async def note() -> None: ...

@after_commit(WRITER, on=["create"], shape=Shape)
async def enqueue(changes):
    await note.enqueue()
    try:
        await documents(WRITER).find()
    except quire.UnitOfWorkError as error:
        fired.append(str(error))
"""
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "A", "?status=draft")
        await delivered(office)
        assert module().fired == ["A"]
        reply = await office.ask("GET", "/api/papers?status=draft")
        assert [paper["title"] for paper in reply.data] == ["A!"]
        await office.ask("POST", "/api/writers", {"data": {"name": "A"}})
        await delivered(office)
        assert "which is the server here" in module().fired[-1]
        assert len(await jobs_of(office)) == 1


async def test_a_stopping_server_leaves_what_it_interrupts_to_others(
    tmp_path: Path, kind: Kind
) -> None:
    code = f"""{TITLE}
@after_commit(PAPER, on=["create"], shape=Title)
async def tell(changes):
    fired.append("begun")
    if len(fired) == 1:
        await asyncio.sleep(60)
    fired.append("done")
"""
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "A")
        await until(lambda: _has_fired(1))
        await parts_of(office).changes.stop(0.1)
        (waiting,) = await changes_of(office)
        assert (waiting.attempts, waiting.holder) == (0, None)
        parts_of(office).changes.start()
        await delivered(office)
        assert module().fired == ["begun", "begun", "done"]


LINKED = f"""{TITLE}
@after_commit(PAPER, on={EVERY}, shape=Title, linked=True)
async def tell(changes):
    for one in changes:
        linked = [(document.uid, document.document_id) for document in one.linked]
        fired.append((one.action, one.locale, linked, one.also_locales))

@after_commit(PAPER, on=["update"], shape=Title)
async def tell_without(changes):
    fired.append([one.linked for one in changes])

class Name(Shape[Document]):
    name: str

@after_commit(WRITER, on=["update", "delete"], shape=Name, linked=True)
async def tell_of_writers(changes):
    for one in changes:
        linked = [(document.uid, document.document_id) for document in one.linked]
        fired.append((one.action, linked))

@after_write(WRITER, on=["create", "update"])
def note_writer(write):
    fired.append("a hook of writers")
"""


async def test_a_change_names_the_documents_that_were_linked_or_unlinked(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, LINKED) as office:
        ada, bo = [
            (await office.ask("POST", "/api/writers", {"data": {"name": name}})).data["documentId"]
            for name in ("Ada", "Bo")
        ]
        writer = "api::writer.writer"
        fired = module().fired

        async def fired_by(
            method: str, target: str, data: object = None, *, token: str | None = None
        ) -> list[Any]:
            fired.clear()
            body = data if token else {"data": data} if data is not None else None
            reply = await office.ask(method, target, body, token=token)
            assert reply.status in {200, 201, 204}, reply.json
            await delivered(office)
            return [one for one in fired if not isinstance(one, list)]

        made = await fired_by("POST", "/api/papers", {"title": "A", "writer": ada})
        assert made == [
            ("create", "en", [(writer, ada)], ()),
            ("publish", "en", [(writer, ada)], ()),
        ]
        paper = (await office.ask("GET", "/api/papers")).data[0]["documentId"]
        path, admin = f"/api/papers/{paper}", f"{PAPERS}/{paper}"

        moved = await fired_by("PUT", f"{path}?status=draft", {"writer": bo})
        assert moved == [("update", "en", sorted([(writer, ada), (writer, bo)]), ())]
        assert [()] in fired, "who does not ask for them is not told"
        same = await fired_by("PUT", f"{path}?status=draft", {"title": "B", "writer": [bo]})
        assert same == [("update", "en", [], ())]
        unnamed = await fired_by("PUT", f"{path}?status=draft", {"title": "C"})
        assert unnamed == [("update", "en", [], ())]
        published = await fired_by("POST", f"{admin}/actions/publish", {}, token=office.boss)
        assert published[-1] == ("publish", "en", sorted([(writer, ada), (writer, bo)]), ())
        both = await fired_by("PUT", path, {"writer": None})
        assert both == [
            ("update", "en", [(writer, bo)], ()),
            ("publish", "en", [(writer, bo)], ()),
        ]
        await fired_by("PUT", f"{path}?status=draft", {"writer": ada})
        discarded = await fired_by("POST", f"{admin}/actions/discard", {}, token=office.boss)
        assert discarded == [("discard_draft", "en", [(writer, ada)], ())]

        connected = {"papers": {"connect": [paper]}}
        other_side = await fired_by("PUT", f"/api/writers/{bo}", connected)
        assert other_side == ["a hook of writers", ("update", [(PAPER, paper)])]
        await fired_by("PUT", path, {"writer": ada})
        removed = await fired_by("POST", f"{admin}/actions/unpublish", {}, token=office.boss)
        assert removed == [("unpublish", "en", [(writer, ada)], ())]
        assert await fired_by("DELETE", path) == [("delete", "en", [(writer, ada)], ())]
        assert await fired_by("DELETE", f"/api/writers/{bo}") == [("delete", [])]


ALSO = f"""{TITLE}
@before_write(PAPER, on={EVERY})
def early(write):
    fired.append((write.action, write.locale, write.also_locales))

@before_write(PAPER, on=["update"], order=1)
def reprice(write):
    if write.data.get("title") == "reprice":
        write.set(price=7)

@after_write(PAPER, on=["update"])
def late(write):
    fired.append(("late", write.locale, write.also_locales))

@after_commit(PAPER, on=["update"], shape=Title)
async def tell(changes):
    fired.extend(("told", one.locale, one.also_locales) for one in changes)
"""


async def test_writes_name_the_locales_that_shared_fields_are_copied_to(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, ALSO) as office:
        document_id = await make(office, "A", price=1)
        path = f"/api/papers/{document_id}"
        for locale in ("fr", "en"):
            reply = await office.ask("PUT", f"{path}?locale={locale}", {"data": {"title": locale}})
            assert reply.status == 200
        await delivered(office)
        fired = module().fired

        fired.clear()
        await office.ask("PUT", f"{path}?status=draft", {"data": {"price": 5}})
        await delivered(office)
        assert fired == [
            ("update", "en", ("fr",)),
            ("late", "en", ("fr",)),
            ("told", "en", ("fr",)),
        ]
        french = await office.ask("GET", f"{path}?locale=fr&status=draft")
        assert french.data["price"] == 5

        fired.clear()
        await office.ask("PUT", f"{path}?status=draft", {"data": {"title": "B"}})
        await delivered(office)
        assert {also for _, _, also in fired} == {()}

        fired.clear()
        await office.ask("PUT", f"{path}?status=draft&locale=fr", {"data": {"title": "reprice"}})
        await delivered(office)
        assert fired == [("update", "fr", ()), ("late", "fr", ("en",)), ("told", "fr", ("en",))]

        fired.clear()
        await office.ask("PUT", path, {"data": {"price": 6}})
        assert ("publish", "en", ("fr",)) in fired
        published = await office.ask("GET", f"{path}?locale=fr")
        assert published.data["price"] == 6


def _options(**changed: str) -> str:
    options: dict[str, Any] = {"on": '["create"]', "shape": "Title", **changed}
    return ", ".join(f"{name}={value}" for name, value in options.items())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (_options(on='["crate"]'), 'unknown action "crate" in on; did you mean "create"?'),
        (_options(keep='["titel"]'), 'in keep; did you mean "title"?'),
        (_options(keep='["lock"]'), "is a password, which is never read"),
        (_options(shape="Wrong"), 'has no field "titel"; did you mean "title"?'),
        (_options(shape="dict"), "shape must be a class of Shape"),
        (_options(retries="-1"), "retries must be a whole number from 0 to 100"),
        (_options(coalesce="1"), "coalesce must be True or False, not 1"),
        (_options(status='"publishd"'), 'did you mean "published"?'),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(
    tmp_path: Path, options: str, message: str
) -> None:
    schema = schema_in(tmp_path)
    code = f"@after_commit(PAPER, {options})\nasync def tell(changes): ...\n"
    shapes = "class Title(Shape): title: str\nclass Wrong(Shape): titel: str\n"
    write_code(tmp_path, shapes + code)
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f'{FILE}:{_FIRST + 2}  after_commit("')
    assert message in str(problem)


def test_a_plain_function_is_refused(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(
        tmp_path, f"@after_commit(PAPER, {_options(shape='Shape')})\ndef tell(changes): ...\n"
    )
    with pytest.raises(ExtensionError, match="tell must be an async def"):
        load_extensions(tmp_path, schema)


async def test_a_check_that_fails_is_repeated_before_the_next_change(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has written, so nothing but the content version tells of it."""
    worker, database = parts_of(office).changes, office.app.database
    assert database is not None
    await worker.stop()
    await worker.work()
    parts_of(office).change_queue.added = lambda: None
    await make(office, "A", "?status=draft")
    with monkeypatch.context() as patch:
        patch.setattr(worker, "_database", RefusingDatabase(database))
        with pytest.raises(ServiceUnavailableError):
            await worker.work()
    await worker.work()
    await delivered(office)
    assert [action for action, *_ in module().fired] == ["create"]
