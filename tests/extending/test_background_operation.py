"""Operators list, repeat and cancel background work: admin API and CLI."""

import asyncio
import io
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from quire.cli import run
from tests.databases.kind import Kind
from tests.extending.background import (
    attempted,
    delivered,
    ended,
    jobs_of,
    pass_time,
    until,
)
from tests.extending.project import FILE, module, open_extended, schema_in, write_code
from tests.unit.admin_api.office import BOSS, SECRETS, Office, office_project, run_office
from tests.unit.admin_api.test_admin_users import clerk

CODE = """
healed = []

@schedule("0 3 * * *", tz="Europe/Berlin", retries=0)
async def sweep() -> None:
    if not healed:
        raise LookupError("nothing to sweep")

@job(retries=0)
async def send(to: str) -> None:
    if not healed:
        raise LookupError("nobody there")
    fired.append(to)

@after_commit(PAPER, on=["create"], shape=Shape, retries=0)
async def tell(changes):
    if not healed:
        raise LookupError("nobody listens")
    fired.append(len(changes))

@route.post("/send", public=True)
async def start(later: bool = False) -> dict[str, int]:
    from datetime import timedelta
    if later:
        return {"id": await send.enqueue_at(now() + timedelta(days=3650), "ada")}
    return {"id": await send.enqueue("ada")}

@route.post("/heal", public=True)
async def heal() -> None:
    healed.append(1)
"""

SWEEP = "src.api.paper.paper.sweep"


async def _failed_change(office: Office, count: int = 1) -> dict[str, object]:
    """Wait for changes that were given up; returns the latest one as the API shows it."""
    found: list[dict[str, object]] = []

    async def is_there() -> bool:
        reply = await office.ask("GET", "/admin/x/outbox?state=failed", token=office.boss)
        found[:] = reply.data
        return len(found) == count

    await until(is_there)
    return found[0]


async def test_jobs_are_listed_retried_and_cancelled_by_super_admins(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        first = (await office.ask("POST", "/api/send")).json["id"]
        await ended(office)
        later = (await office.ask("POST", "/api/send?later=true")).json["id"]

        listed = await office.ask("GET", "/admin/x/jobs", token=office.boss)
        assert [one["id"] for one in listed.data["jobs"]] == [later, first]
        assert listed.data["counts"] == {
            "waiting": 1, "running": 0, "done": 0, "failed": 1, "cancelled": 0,
        }  # fmt: skip
        assert listed.data["names"] == {"src.api.paper.paper.send": 2}
        (failed,) = (
            await office.ask("GET", "/admin/x/jobs?state=failed&limit=5", token=office.boss)
        ).data["jobs"]
        assert (failed["message"], failed["attempts"]) == ("LookupError: nobody there", 1)
        one = await office.ask("GET", f"/admin/x/jobs/{first}", token=office.boss)
        assert one.data["arguments"] == {"to": "ada"}

        await office.ask("POST", "/api/heal")
        again = await office.ask("POST", f"/admin/x/jobs/{first}/retry", token=office.boss)
        assert (again.status, again.data["state"]) == (200, "waiting")
        await ended(office)
        stopped = await office.ask("POST", f"/admin/x/jobs/{later}/cancel", token=office.boss)
        assert stopped.data["state"] == "cancelled"
        twice = await office.ask("POST", f"/admin/x/jobs/{first}/retry", token=office.boss)
        assert (twice.status, twice.error) == (409, "This cannot be done with a job that is done")
        assert [job.state for job in await jobs_of(office)] == ["done", "cancelled"]

        _, target = await clerk(office)
        for method, path in (
            ("GET", "jobs"),
            ("POST", f"jobs/{first}/retry"),
            ("GET", "schedules"),
            ("POST", f"schedules/{SWEEP}/run"),
            ("GET", "outbox"),
            ("DELETE", "outbox/1"),
        ):
            assert (await office.ask(method, f"/admin/x/{path}", token=target)).status == 403
            assert (await office.ask(method, f"/admin/x/{path}")).status == 401
        for path, status in (
            ("jobs/9999", 404),
            ("jobs/x", 404),
            ("jobs?state=dead", 400),
            ("jobs?limit=x", 400),
            ("outbox?state=dead", 400),
        ):
            reply = await office.ask("GET", f"/admin/x/{path}", token=office.boss)
            assert reply.status == status, path


async def test_schedules_are_listed_with_their_due_times_and_run_now(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:

        async def shown() -> dict[str, Any]:
            (found,) = (await office.ask("GET", "/admin/x/schedules", token=office.boss)).data
            return dict(found)

        async def has_due_time() -> bool:
            return (await shown())["nextDueAt"] is not None

        await until(has_due_time)
        before = await shown()
        assert before["nextDueAt"] == "2027-01-16T02:00:00.000Z"
        assert (before["name"], before["lastDueAt"], before["lastJob"]) == (SWEEP, None, None)
        assert (before["cron"], before["timezone"]) == ("0 3 * * *", "Europe/Berlin")
        path = f"/admin/x/schedules/{SWEEP}/run"
        first = await office.ask("POST", path, token=office.boss)
        assert (first.status, first.data["state"], first.data["name"]) == (201, "waiting", SWEEP)
        await ended(office, 1)
        after = await shown()
        assert (after["lastJob"]["id"], after["lastJob"]["state"]) == (first.data["id"], "failed")
        assert after["lastJob"]["message"] == "LookupError: nothing to sweep"
        assert after["nextDueAt"] == before["nextDueAt"]
        await office.ask("POST", "/api/heal")
        await office.ask("POST", path, token=office.boss)
        await ended(office, 2)
        assert (await shown())["lastJob"]["state"] == "done"
        unknown = await office.ask("POST", "/admin/x/schedules/none/run", token=office.boss)
        assert unknown.status == 404
        noted = await office.ask("GET", f"/admin/x/audit?target={SWEEP}", token=office.boss)
        assert [(one["action"], one["status"]) for one in noted.data] == [
            ("POST /admin/x/schedules/:name/run", 201)
        ] * 2


async def test_changes_are_shown_and_discarded(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        change = await _failed_change(office)
        path = f"/admin/x/outbox/{change['id']}"
        one = await office.ask("GET", path, token=office.boss)
        assert one.data == {**change, "fields": ["title"], "kept": {}, "causes": []}
        assert (await office.ask("DELETE", path, token=office.boss)).status == 200
        for method in ("GET", "DELETE"):
            assert (await office.ask(method, path, token=office.boss)).status == 404
        assert (await office.ask("GET", "/admin/x/outbox", token=office.boss)).data == []
        noted = await office.ask("GET", f"/admin/x/audit?target={change['id']}", token=office.boss)
        assert [one["action"] for one in noted.data] == ["DELETE /admin/x/outbox/:id"]


async def test_a_change_that_is_being_delivered_is_neither_discarded_nor_replayed(
    tmp_path: Path, kind: Kind
) -> None:
    slow = """
    delivering, free = asyncio.Event(), asyncio.Event()

    @after_commit(PAPER, on=["create"], shape=Shape)
    async def tell(changes):
        delivering.set()
        await free.wait()
    """
    async with open_extended(tmp_path, kind, slow) as office:
        await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        await module().delivering.wait()
        (change,) = (await office.ask("GET", "/admin/x/outbox", token=office.boss)).data
        path = f"/admin/x/outbox/{change['id']}"
        for method, target in (("DELETE", path), ("POST", f"{path}/replay")):
            reply = await office.ask(method, target, token=office.boss)
            assert (reply.status, reply.error) == (409, "This change is being delivered")
        module().free.set()
        await delivered(office)
        assert (await office.ask("GET", "/admin/x/outbox", token=office.boss)).data == []


async def test_changes_that_were_given_up_are_listed_and_replayed(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        change = await _failed_change(office)
        assert change["documentId"] == made.data["documentId"]
        assert (change["action"], change["message"]) == ("create", "LookupError: nobody listens")
        await office.ask("POST", "/api/heal")
        path = f"/admin/x/outbox/{change['id']}/replay"
        assert (await office.ask("POST", path, token=office.boss)).status == 202

        async def is_gone() -> bool:
            return not (await office.ask("GET", "/admin/x/outbox", token=office.boss)).data

        await until(is_gone)
        assert (await office.ask("POST", path, token=office.boss)).status == 404


async def test_the_command_line_lists_retries_cancels_and_replays(
    tmp_path: Path, kind: Kind
) -> None:
    async def quire(*arguments: object) -> tuple[int, str]:
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed):
            code = await asyncio.to_thread(run, [str(one) for one in arguments])
        return code, printed.getvalue()

    async with office_project(tmp_path, kind) as project:
        lines = [f"{name}={value}" for name, value in SECRETS.items()]
        environment = project / ".env"
        with environment.open("a", encoding="utf-8") as file:
            file.write("\n" + "\n".join(lines) + "\n")
        assert await quire("jobs", "list", project) == (0, "There are no jobs.\n")
        assert (await quire("jobs", "retry", 1, project))[0] == 2
        write_code(project, CODE)
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            first = (await office.ask("POST", "/api/send")).json["id"]
            await attempted(office, 1)
            later = (await office.ask("POST", "/api/send?later=true")).json["id"]
            await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
            change = await _failed_change(office)
            await office.ask("POST", "/api/papers", {"data": {"title": "B"}})
            second = await _failed_change(office, 2)
        code, listed = await quire("jobs", "list", project, "--state", "failed")
        assert code == 0
        assert [line.split()[:4] for line in listed.splitlines()] == [
            ["ID", "JOB", "STATE", "ATTEMPTS"],
            [str(first), "src.api.paper.paper.send", "failed", "1"],
        ]
        assert "LookupError: nobody there" in listed
        code, listed = await quire("outbox", "list", project, "--failed")
        assert (code, "LookupError: nobody listens" in listed) == (0, True)
        assert (await quire("jobs", "retry", first, project))[0] == 0
        assert (await quire("jobs", "cancel", later, project))[0] == 0
        assert (await quire("jobs", "cancel", later, project))[0] == 2
        assert (await quire("outbox", "replay", change["id"], project))[0] == 0
        for verb in ("replay", "discard"):
            assert (await quire("outbox", verb, 9999, project))[0] == 2
        assert (await quire("outbox", "discard", second["id"], project))[0] == 0
        write_code(project, CODE.replace("healed = []", "healed = [1]"))
        # The commands have used the time of the machine, which is long ago for this server.
        async with run_office(project, settings={"jobs.log_days": 3650}) as office:
            pass_time(office, seconds=1)
            jobs = await ended(office, 2)
            assert [job.state for job in jobs] == ["done", "cancelled"]


def test_quire_hooks_lists_what_runs_in_the_background_with_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    code = """
    @job(queue="mail", one_at_a_time="{to}")
    async def send(to: str) -> None: ...

    @schedule("0 3 * * *", tz="Europe/Berlin")
    async def nightly() -> None: ...

    @after_commit(PAPER, on=["publish"], shape=Shape)
    async def tell(changes): ...

    @on_start
    async def connect() -> None: ...
    """
    write_code(tmp_path, code)
    assert run(["hooks", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "api::paper.paper  publish",
        f"  after_commit  tell  {FILE}:13",
        f'job  src.api.paper.paper.send  {FILE}:7  queue mail  one at a time of "{{to}}"',
        f'schedule  "0 3 * * *" Europe/Berlin  src.api.paper.paper.nightly  {FILE}:10',
        f"on_start  connect  {FILE}:16",
    ]
