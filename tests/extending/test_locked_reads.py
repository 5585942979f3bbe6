"""Documents that code reads for an update: nobody else changes them meanwhile."""

import asyncio
from pathlib import Path

import apsw
from asyncpg.exceptions import LockNotAvailableError

from tests.databases.kind import Kind, opened
from tests.databases.kinds import SQLITE
from tests.extending.project import module, write_code
from tests.unit.admin_api.office import office_project, run_office

CODE = """
has_read, may_go_on = asyncio.Event(), asyncio.Event()

@route.post("/stock/:document_id", public=True)
async def take(document_id: str, locks: bool = True) -> float:
    papers = documents(PAPER)
    async with transaction():
        paper = await papers.find_one(document_id, for_update=locks, status="draft")
        has_read.set()
        await may_go_on.wait()
        await papers.update(document_id, {"price": paper.price - 1})
    return paper.price

@route.post("/outside/:document_id", public=True)
async def outside(document_id: str) -> str:
    try:
        await documents(PAPER).find_one(document_id, for_update=True)
    except UnitOfWorkError as error:
        return str(error)
    return "no error"

@after_write(PAPER, on=["create"])
async def lock_in_hook(write):
    found = await documents(PAPER).find_one(write.document_id, for_update=True, status="draft")
    missing = await documents(PAPER).find_one("missing", for_update=True)
    fired.append((found.title, missing))
"""


async def test_a_document_that_is_read_for_an_update_is_locked(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings={"extensions.hook_seconds": 60}) as office:
            data = {"data": {"title": "A", "price": 5}}
            made = await office.ask("POST", "/api/papers?status=draft", data)
            assert (made.status, module().fired) == (201, [("A", None)])
            path = f"/api/stock/{made.data['documentId']}"
            for locks in (True, False):
                taking = asyncio.create_task(
                    office.ask("POST", f"{path}?locks={str(locks).lower()}")
                )
                await asyncio.wait(
                    [taking, asyncio.create_task(module().has_read.wait())],
                    return_when=asyncio.FIRST_COMPLETED,
                )
                # Only a transaction of SQLite locks whatever it has read.
                assert _is_locked(kind, project) == (locks or kind is SQLITE)
                module().may_go_on.set()
                assert (await taking).status == 200
                module().has_read.clear()
                module().may_go_on.clear()
            assert not _is_locked(kind, project)


def _is_locked(kind: Kind, project: Path) -> bool:
    """Tell whether another program can change the papers now."""
    lock = "BEGIN IMMEDIATE" if kind is SQLITE else "SELECT id FROM paper_rows FOR UPDATE NOWAIT"
    with opened(kind, project) as rows:
        if kind is SQLITE:
            rows.execute("PRAGMA busy_timeout = 0")
        try:
            rows.execute(lock)
        except (apsw.BusyError, LockNotAvailableError):
            return True
    return False


async def test_a_lock_needs_a_transaction(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project) as office:
            reply = await office.ask("POST", "/api/outside/any")
            assert reply.json == "for_update needs a transaction: use `async with transaction()`"
