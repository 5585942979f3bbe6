"""Hooks and the transactions of several writers: retries, concurrency, webhooks."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from quire.database.program import Program, Resume, wait_for_loop
from quire.document_service.unit_of_work import Savepoint
from tests.databases.kind import Kind
from tests.extending.project import module, open_extended, titles
from tests.unit.admin_api.office import Office
from tests.unit.events import record_events


async def test_a_retry_begins_again_with_the_data_that_were_sent(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    from quire.errors import ServiceUnavailableError

    @before_write(PAPER, on=["create"])
    def extend(write):
        write.data["lines"].append({"text": "added"})
        write.set(title=write.data["title"] + "!")

    @after_write(PAPER, on=["create"])
    async def fail_once(write):
        await documents(WRITER).create({"name": "once"})
        fired.append(write.data["title"])
        if len(fired) == 1:
            raise ServiceUnavailableError
    """
    async with open_extended(tmp_path, kind, code) as office:
        data = {"title": "A", "lines": [{"text": "sent"}]}
        made = await office.ask("POST", "/api/papers?populate=lines", {"data": data})
        assert made.status == 201, made.json
        assert [line["text"] for line in made.data["lines"]] == ["sent", "added"]
        assert (made.data["title"], module().fired) == ("A!", ["A!", "A!"])
        assert [one["name"] for one in (await office.ask("GET", "/api/writers")).data] == ["once"]


async def test_writers_wait_for_one_another_and_readers_do_not(tmp_path: Path, kind: Kind) -> None:
    code = """
    @after_write(PAPER, on=["create"])
    async def number(write):
        count = await documents(PAPER).count(status="draft")
        await asyncio.sleep(0.02)
        await documents(PAPER).update(write.document_id, {"price": count})
    """
    async with open_extended(tmp_path, kind, code) as office:
        writes = [
            office.ask("POST", "/api/papers?status=draft", {"data": {"title": f"P{number}"}})
            for number in range(8)
        ]
        reads = [office.ask("GET", "/api/papers?status=draft") for _ in range(8)]
        replies = await asyncio.gather(*writes, *reads)
        assert [reply.status for reply in replies] == [201] * 8 + [200] * 8
        papers = await office.ask("GET", "/api/papers?status=draft&sort=price")
        assert [paper["price"] for paper in papers.data] == [*range(1, 9)]


async def test_listeners_hear_of_what_was_kept_alone(tmp_path: Path, kind: Kind) -> None:
    code = """
    @after_write(PAPER, on=["create"])
    async def write_others(write):
        await documents(WRITER).create({"name": "kept"})
        try:
            async with transaction():
                await documents(WRITER).create({"name": "undone"})
                raise LookupError
        except LookupError:
            pass
        if write.data.get("sold"):
            raise Conflict
    """
    async with open_extended(tmp_path, kind, code) as office:
        listener = record_events(office.app)
        for sold in (True, False):
            body = {"data": {"title": "A", "sold": sold}}
            await office.ask("POST", "/api/papers?status=draft", body)
        heard = [f"{event.name.value} {event.model}" for event in listener.events()]
        assert heard == ["entry.create paper", "entry.create writer"]
        assert await titles(office) == ["A"]


async def test_a_block_that_exits_is_rolled_back(tmp_path: Path, kind: Kind) -> None:
    """A library of command lines exits; the hook goes on without the block."""
    code = """
    import sys

    @after_write(PAPER, on=["create"])
    async def write_others(write):
        try:
            async with transaction():
                await documents(WRITER).create({"name": "undone"})
                sys.exit(1)
        except SystemExit:
            pass
        await documents(WRITER).create({"name": "kept"})
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert made.status == 201, made.json
        found = await office.ask("GET", "/api/writers")
        assert [one["name"] for one in found.data] == ["kept"]


async def test_a_server_stops_while_a_hook_of_a_cancelled_request_runs(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @after_write(PAPER, on=["create"])
    async def wait(write):
        fired.append("began")
        await asyncio.sleep(0.2)
    """
    async with open_extended(tmp_path, kind, code) as office:
        body = {"data": {"title": "A"}}
        request = asyncio.create_task(office.ask("POST", "/api/papers", body))
        while not module().fired:  # noqa: ASYNC110 - a list of the hook's module
            await asyncio.sleep(0.01)
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
    # The server has stopped, although the hook was still waiting in its event loop.


@pytest.mark.parametrize("action", ["create", "update"])
async def test_a_hook_may_publish_what_is_published_afterwards(
    tmp_path: Path, kind: Kind, action: str
) -> None:
    code = f"""
    @after_write(PAPER, on=["{action}"])
    async def publish(write):
        await documents(PAPER).publish(write.document_id)
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "A"}})
        target = "/api/papers"
        if action == "update":
            target = f"/api/papers/{made.data['documentId']}"
        method = "PUT" if action == "update" else "POST"
        written = await office.ask(method, target, {"data": {"title": "B"}})
        assert written.json["data"]["title"] == "B"
        papers = await office.ask("GET", "/api/papers?sort=title")
        assert [paper["title"] for paper in papers.data] == (
            ["B"] if action == "update" else ["A", "B"]
        )


@pytest.mark.parametrize("action", ["create", "update"])
async def test_a_hook_may_delete_what_is_published_afterwards(
    tmp_path: Path, kind: Kind, action: str
) -> None:
    code = f"""
    @after_write(PAPER, on=["{action}"])
    async def remove(write):
        if write.data["title"] == "B":
            await documents(PAPER).delete(write.document_id)
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        target, method = "/api/papers", "POST"
        if action == "update":
            target, method = f"/api/papers/{made.data['documentId']}", "PUT"
        written = await office.ask(method, target, {"data": {"title": "B"}})
        assert written.status == 404
        papers = await office.ask("GET", "/api/papers")
        assert [paper["title"] for paper in papers.data] == ["A"]


async def test_a_hook_may_replace_the_draft_that_is_published_afterwards(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @after_write(PAPER, on=["update"])
    async def discard(write):
        await documents(PAPER).discard_draft(write.document_id)
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        target = f"/api/papers/{made.data['documentId']}"
        written = await office.ask("PUT", target, {"data": {"title": "B"}})
        assert (written.status, written.data["title"]) == (200, "A")
        for status in ("draft", "published"):
            papers = await office.ask("GET", f"/api/papers?status={status}")
            assert [paper["title"] for paper in papers.data] == ["A"]


LATE_BLOCK = """
async def write_late() -> None:
    try:
        async with asyncio.timeout(0.05), transaction():
            await documents(WRITER).create({"name": "late"})
            await asyncio.sleep(60)
    except TimeoutError:
        await documents(WRITER).create({"name": "kept"})

@before_write(PAPER, on=["create"])
async def write_in_a_hook(write):
    await write_late()

@route.post("/late", public=True)
async def write_in_a_route() -> None:
    with as_system("test"):
        async with transaction():
            await write_late()
"""


async def test_an_inner_block_that_takes_too_long_is_rolled_back_alone(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, LATE_BLOCK) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
        assert made.status == 201, made.json
        assert await _names(office) == ["kept"]
        late = await office.ask("POST", "/api/late", {})
        assert late.status == 204, late.json
        assert await _names(office) == ["kept", "kept"]


CANCELLED_BLOCK = """
async def write_block() -> None:
    async with transaction():
        await documents(WRITER).create({"name": "block"})
    fired.append("ended")

@before_write(PAPER, on=["create"])
async def write_in_a_hook(write):
    block = asyncio.create_task(write_block())
    fired.append(block)
    try:
        await block
    except asyncio.CancelledError:
        fired.append("cancelled")
    await documents(WRITER).create({"name": "kept"})
"""


async def test_a_block_that_is_cancelled_at_its_end_has_written_all_or_nothing(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = Savepoint.release

    def cancel_and_release(savepoint: Savepoint) -> Program[None]:
        def cancel(resume: Resume) -> None:
            module().fired[0].cancel()
            asyncio.get_running_loop().call_soon(resume)

        if len(module().fired) == 1 and savepoint is blocks[0]:
            yield wait_for_loop(cancel)
        yield from release(savepoint)

    blocks: list[Savepoint] = []
    begin = Savepoint.begin

    def note_and_begin(savepoint: Savepoint) -> Program[None]:
        blocks.append(savepoint)
        yield from begin(savepoint)

    monkeypatch.setattr(Savepoint, "begin", note_and_begin)
    monkeypatch.setattr(Savepoint, "release", cancel_and_release)
    async with open_extended(tmp_path, kind, CANCELLED_BLOCK) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
        assert made.status == 201, made.json
        _, outcome = module().fired
        expected = {"ended": ["block", "kept"], "cancelled": ["kept"]}[outcome]
        assert await _names(office) == expected


FAILED_ROLLBACK = """
@before_write(PAPER, on=["create"])
async def write_in_a_hook(write):
    try:
        async with asyncio.timeout(0.05), transaction():
            await documents(WRITER).create({"name": "late"})
            await asyncio.sleep(60)
    except TimeoutError:
        fired.append("timeout")
"""


async def test_a_block_that_cannot_be_rolled_back_times_out_all_the_same(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Savepoint) -> Program[None]:
        yield from ()
        raise OSError

    async with open_extended(tmp_path, kind, FAILED_ROLLBACK) as office:
        monkeypatch.setattr(Savepoint, "roll_back", fail)
        with capture_logs() as lines:
            await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
        assert module().fired == ["timeout"]
        assert "a savepoint was not ended" in [line["event"] for line in lines]


async def _names(office: Office) -> list[str]:
    return sorted(one["name"] for one in (await office.ask("GET", "/api/writers")).data)
