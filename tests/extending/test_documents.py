"""Hooks read and write other documents in the transaction, with the caller's permissions."""

from pathlib import Path
from typing import get_args

import pytest

from quire import UnitOfWorkError, documents, principal
from quire.query.plan import PublicationFilter, PublicationFilterName
from tests.databases.kind import Kind
from tests.extending.project import FILE, PAPERS, module, open_extended, titles
from tests.unit.admin_api.office import Office
from tests.unit.kiosk import PAPER


async def new_paper(office: Office, **data: object) -> tuple[int, str]:
    """Create a paper; returns the status and the message of the error, if any."""
    reply = await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "A", **data}})
    return reply.status, "" if reply.status == 201 else reply.error


async def test_hooks_read_and_write_in_the_transaction_of_the_write(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @after_write(PAPER, on=["create"])
    async def give_writer(write):
        papers, writers = documents(PAPER), documents(WRITER)
        seen = await papers.find_one(write.document_id, status="draft")
        name = f"Writer of {seen.title}"
        if await writers.count(filters={"name": name}) == 0:
            await writers.create({"name": name})
        writer = await writers.first(filters={"name": name})
        await papers.update(write.document_id, {"writer": writer.documentId})
        if write.data.get("sold"):
            raise Conflict("sold already")
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert await new_paper(office) == (201, "")
        assert await new_paper(office) == (201, "")
        assert await new_paper(office, title="B", sold=True) == (409, "sold already")

        papers = await office.ask("GET", "/api/papers?status=draft&populate=writer")
        writers = await office.ask("GET", "/api/writers")
        assert [one["writer"]["name"] for one in papers.data] == ["Writer of A"] * 2
        assert [one["name"] for one in writers.data] == ["Writer of A"]


async def test_every_method_of_documents_runs_hooks_as_often_as_the_api_does(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    EVERY = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]

    @after_write(PAPER, on=EVERY)
    def count(write):
        fired.append((write.action, write.locale))

    def drain():
        found = [f"{action} {locale}" for action, locale in fired]
        fired.clear()
        return sorted(found)

    @after_write(WRITER, on=["create"])
    async def use_everything(write):
        papers = documents(PAPER)
        one = await papers.create({"title": "One", "price": 2.5})
        assert (drain(), one.title, one["publishedAt"]) == (["create en"], "One", None)
        two = await papers.create({"title": "Two"}, status="published")
        assert drain() == ["create en", "publish en"] and two.publishedAt
        both = [one.documentId, two.documentId]
        await papers.update(one.documentId, {"title": "Un"}, locale="fr")
        assert drain() == ["update fr"]
        assert len(await papers.publish(one.documentId, locale="*")) == 2
        assert drain() == ["publish en", "publish fr"]
        await papers.update_many(both, {"sold": True}, status="published")
        assert drain() == ["publish en", "publish en", "update en", "update en"]
        await papers.update(two.documentId, {"title": "Zwei"})
        assert [d.title for d in await papers.discard_draft(two.documentId)] == ["Two"]
        assert drain() == ["discard_draft en", "update en"]
        (copy,) = await papers.clone(one.documentId, {"title": "Three"})
        assert (drain(), copy.title, copy.price) == (["clone en"], "Three", 2.5)
        page = await papers.find(sort="title:desc", page_size=1, with_count=True)
        assert ([d.title for d in page], page.total, page.page) == (["Two"], 2, 1)
        assert await papers.count() == 2 and await papers.count(status="draft") == 3
        streamed = [len(some) async for some in papers.stream(status="draft", batch=2)]
        assert streamed == [2, 1]
        assert (await papers.first(filters={"title": {"$startsWith": "T"}})).title == "Two"
        assert await papers.first(filters={"title": "Nobody"}) is None
        assert await papers.find_one(copy.documentId) is None
        await papers.unpublish_many(both)
        assert drain() == ["unpublish en", "unpublish en"] and await papers.count() == 0
        await papers.publish_many(both)
        await papers.create_many([{"title": "Four"}, {"title": "Five"}])
        await papers.unpublish(one.documentId)
        drain()
        await papers.delete(one.documentId, locale="*")
        await papers.delete_many([two.documentId, copy.documentId])
        assert drain() == ["delete en", "delete en", "delete en", "delete fr"]
        fired.append("done")
    """
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
        assert (reply.status, module().fired) == (201, ["done"])
        assert await titles(office) == ["Five", "Four"]


async def test_a_write_that_fails_leaves_nothing_and_the_hook_may_go_on(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @after_write(PAPER, on=["create"])
    async def go_on(write):
        papers, writers = documents(PAPER), documents(WRITER)
        if write.origin:
            return
        try:
            await papers.create_many([{"title": "kept out"}, {"title": "x" * 41}])
        except quire.ValidationError as error:
            fired.append(error.message)
        try:
            async with transaction():
                await writers.create({"name": "undone"})
                raise LookupError
        except LookupError:
            async with transaction():
                await writers.create({"name": "kept"})
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert await new_paper(office) == (201, "")
        writers = await office.ask("GET", "/api/writers")
        assert (await titles(office), module().fired) == (
            ["A"],
            ["title must be at most 40 characters"],
        )
        assert [one["name"] for one in writers.data] == ["kept"]


async def test_hooks_act_as_the_caller_unless_they_say_otherwise(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @after_write(PAPER, on=["create"])
    async def act(write):
        fired.append(principal().kind)
        tried = write.data["title"]
        papers, mastheads = documents(PAPER), documents("api::masthead.masthead")
        if tried == "forbidden":
            await mastheads.find()
        elif tried == "forbidden write":
            await mastheads.create({"motto": "x"})
        elif tried == "private":
            await papers.find(filters={"margin": "x"}, status="draft")
        elif tried == "private write":
            await papers.create({"title": "x", "nothing": "x"})
        elif tried == "users":
            await documents("plugin::users-permissions.user").find()
        elif tried == "administrators":
            with as_system("look"):
                await documents("admin::user").find()
        elif tried == "system":
            with as_system("set the margin"):
                fired.append(principal().kind)
                await mastheads.create({"motto": "new"})
                await papers.update(write.document_id, {"margin": "wide"})
                found = await papers.find(filters={"margin": "wide"}, status="draft")
                fired.append(found[0].margin)
        elif tried == "mine":
            await papers.find(status="draft")
    """
    async with open_extended(tmp_path, kind, code) as office:
        for title, expected in (
            ("forbidden", (403, "Forbidden")),
            ("forbidden write", (403, "Forbidden")),
            ("private", (400, "Invalid key margin")),
            ("private write", (400, "Invalid key nothing")),
            ("users", (403, "Forbidden")),
            ("administrators", (500, "Internal Server Error")),
            ("system", (201, "")),
            ("mine", (201, "")),
        ):
            assert await new_paper(office, title=title) == expected, title
        assert module().fired[-4:] == ["anonymous", "system", "wide", "anonymous"]
        assert await titles(office) == ["mine", "system"]

        for title, status in (("mine", 500), ("system", 201)):
            body = {"title": f"{title}"}
            reply = await office.ask("POST", PAPERS, body, token=office.boss)
            assert reply.status == status, reply.json
        assert module().fired[-3:] == ["admin", "system", "wide"]


async def test_hooks_see_that_a_write_is_by_the_system(tmp_path: Path, kind: Kind) -> None:
    code = """
    @after_write(WRITER, on=["create"])
    async def note(write):
        fired.append(principal().kind)
        try:
            await documents(WRITER).find()
        except UnitOfWorkError as error:
            fired.append("refused")

    @after_write(PAPER, on=["create"])
    async def add_writers(write):
        await documents(WRITER).create({"name": "as the caller"})
        with as_system("add a writer"):
            await documents(WRITER).create({"name": "as the system"})
        await documents(WRITER).create({"name": "as the caller again"})
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert await new_paper(office) == (201, "")
        assert module().fired == ["anonymous", "system", "refused", "anonymous"]


@pytest.mark.parametrize("condition", ["None", "{'$eq': None}", "{'id': None}"])
async def test_none_in_a_filter_never_widens_it(tmp_path: Path, kind: Kind, condition: str) -> None:
    code = f"""
    @after_write(WRITER, on=["create"])
    async def look(write):
        papers = documents(PAPER)
        await papers.create({{"title": "A", "writer": write.document_id}})
        fired.append(await papers.count(filters={{"writer": {condition}}}, status="draft"))
    """
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})
        assert (reply.status, module().fired) in ((201, [0]), (400, []))


async def test_a_hook_is_not_called_for_what_it_writes_itself(tmp_path: Path, kind: Kind) -> None:
    code = """
    @after_write(PAPER, on=["create", "update"])
    async def touch(write):
        fired.append((write.action, len(write.origin)))
        await documents(PAPER).update(write.document_id, {"sold": True})

    @after_write(PAPER, on=["update"])
    async def other(write):
        fired.append(("other", len(write.origin)))
        await documents(PAPER).update(write.document_id, {"price": 1})

    @after_write(WRITER, on=["create"])
    async def endless(write):
        if write.data["name"] == "endless":
            await documents(WRITER).create({"name": "endless"})
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert await new_paper(office) == (201, "")
        assert module().fired == [("create", 0), ("other", 1)]
        reply = await office.ask("POST", "/api/writers", {"data": {"name": "endless"}})
        assert reply.status == 500
        assert (await office.ask("GET", "/api/writers")).data == []


async def test_misuse_says_what_to_do(tmp_path: Path, kind: Kind) -> None:
    code = """
    def note(error):
        fired.append(str(error))

    @after_write(PAPER, on=["create"])
    def plain(write):
        query = documents(PAPER).find()
        try:
            query.send(None)
        except UnitOfWorkError as error:
            note(error)

    tasks = []
    ended = asyncio.Event()

    @after_write(PAPER, on=["create"], order=1)
    async def leave_a_task(write):
        async def late():
            await ended.wait()
            try:
                await documents(PAPER).find()
            except UnitOfWorkError as error:
                note(error)
        tasks.append(asyncio.create_task(late()))
        both = await asyncio.gather(documents(PAPER).count(), documents(WRITER).count())
        assert both == [0, 0]
    """
    with pytest.raises(UnitOfWorkError, match="there is no unit of work here"):
        principal()
    with pytest.raises(UnitOfWorkError):
        await documents("api::paper.paper").find()
    async with open_extended(tmp_path, kind, code) as office:
        assert await new_paper(office) == (201, "")
        module().ended.set()
        await module().tasks[0]
        assert module().fired == [
            "plain is a plain def, which cannot query: make it an async def",
            "the unit of work of leave_a_task has ended: await what it starts within it",
        ]


async def test_reads_select_documents_by_what_is_published_of_them(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @route.post("/selections", public=True)
    async def selections() -> list:
        never = {"status": "draft", "publication_filter": "never-published"}
        fired.clear()
        with as_system("look"):
            papers = documents(PAPER)
            for found in (
                await papers.find(**never),
                await papers.find(status="draft", publication_filter="modified"),
            ):
                fired.append([one.title for one in found])
            fired.append((await papers.first(**never)).title)
            fired.append([len(some) async for some in papers.stream(**never)])
            fired.append(await papers.count(**never))
            fired.append(await papers.count_by("title", ["Draft", "Published"], **never))
            ids = [one.documentId for one in await papers.find(status="draft", sort="title")]
            fired.append([await papers.find_one(one, **never) is not None for one in ids])
            try:
                await papers.find(publication_filter="new")
            except ValidationError as error:
                fired.append(str(error).partition(".")[0])
        return fired
    """
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "Draft"}})
        made = await office.ask("POST", "/api/papers", {"data": {"title": "Published"}})
        later = {"data": {"title": "Published, modified"}}
        await office.ask("PUT", f"/api/papers/{made.data['documentId']}?status=draft", later)
        found = (await office.ask("POST", "/api/selections")).json
    assert found == [
        ["Draft"],
        ["Published, modified"],
        "Draft",
        [1],
        1,
        {"Draft": 1, "Published": 0},
        [True, False],
        "Invalid value for 'publicationFilter'",
    ]


def test_the_publication_filters_of_the_python_api_are_those_of_the_content_api() -> None:
    assert [*get_args(PublicationFilterName)] == [one.value for one in PublicationFilter]


AUDITED = """
@after_write(PAPER, on=["create"])
async def register_writer(write):
    with as_system("register its writer"):
        await documents(WRITER).create({"name": write.data["title"]})
        if write.data["title"] == "No":
            raise Conflict("refused")

@route.post("/papers/close", public=True)
async def close() -> int:
    papers = documents(PAPER)
    with as_system("close all"):
        ids = [paper.documentId for paper in await papers.find(status="draft")]
        await papers.update_many(ids, {"price": 0})
        try:
            async with transaction():
                await papers.delete_many(ids)
                raise LookupError("changed its mind")
        except LookupError:
            return len(ids)
"""


async def test_the_audit_log_has_what_was_written_as_the_system(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, AUDITED) as office:
        paper = {"data": {"title": "Tides"}}
        assert (await office.ask("POST", "/api/papers", paper)).status == 201
        assert (
            await office.ask("POST", PAPERS, {"title": "Winds"}, token=office.boss)
        ).status == 201
        assert (await office.ask("POST", "/api/papers", {"data": {"title": "No"}})).status == 409
        assert (await office.ask("POST", "/api/papers/close")).json == 2
        rows = (await office.ask("GET", "/admin/x/audit", token=office.boss)).data
    found = [
        (row["actor"], row["action"], row["target"].split("/")[0], row["details"])
        for row in reversed(rows)
        if row["actor"].startswith("system")
    ]
    lines = (office.app.settings.project / FILE).read_text().splitlines()
    register, close = (
        f"{FILE}:{number}" for number, line in enumerate(lines, 1) if "with as_system" in line
    )
    administrator = found[1][3].pop("onBehalfOf")
    assert administrator.startswith("admin ")
    registered = ("system: register its writer", "documents.create", "api::writer.writer")
    assert found == [
        (*registered, {"place": register, "onBehalfOf": "anonymous", "documents": 1}),
        (*registered, {"place": register, "documents": 1}),
        (
            "system: close all",
            "documents.update",
            PAPER,
            {"place": close, "onBehalfOf": "anonymous", "documents": 2},
        ),
    ]


MANY_WRITES = """
@route.post("/writers/fill", public=True)
async def fill(number: int) -> int:
    async with transaction():
        for index in range(number):
            with as_system("fill"):
                await documents(WRITER).create({"name": str(index)})
    return number
"""


@pytest.mark.parametrize(("calls", "documents"), [(20, [1] * 20), (21, [21])])
async def test_many_calls_of_one_transaction_have_one_row_of_the_audit_log(
    tmp_path: Path, kind: Kind, calls: int, documents: list[int]
) -> None:
    async with open_extended(tmp_path, kind, MANY_WRITES) as office:
        reply = await office.ask("POST", f"/api/writers/fill?number={calls}")
        assert reply.json == calls, reply.json
        rows = (await office.ask("GET", "/admin/x/audit", token=office.boss)).data
    written = [row for row in rows if row["actor"] == "system: fill"]
    assert [row["details"]["documents"] for row in written] == documents
