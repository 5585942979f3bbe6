"""Jobs exist if the transaction commits, and run later until they succeed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from quire.database.program import Program
from quire.database.stores.jobs import JobClaim, StoredJob
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ServiceUnavailableError
from quire.extension_loading import ExtensionError, load_extensions
from quire.hooks.jobs import JobDefinition
from quire.jobs.job import add_job, cancel_jobs
from quire.jobs.job_worker import LEASE_MS, make_job_runtime
from tests.databases.kind import Kind
from tests.extending.background import (
    RefusingDatabase,
    attempted,
    ended,
    jobs_of,
    parts_of,
    pass_time,
    until,
)
from tests.extending.project import FILE, IMPORTS, module, open_extended, schema_in, write_code
from tests.unit.admin_api.office import Office, office_project, run_office
from tests.unit.admin_api.test_end_user_impersonation import USERS, end_user

_FIRST = IMPORTS.count("\n") + 1
NOTE = """
import msgspec

class Line(msgspec.Struct):
    text: str

@job()
async def note(document_id: str, lines: list[Line], copies: int = 1) -> None:
    fired.append((document_id, [line.text for line in lines], copies))

@after_write(PAPER, on=["create"])
async def enqueue_note(write):
    await note.enqueue(write.document_id, [Line(text="a")], copies=2)
    if write.data.get("sold"):
        raise Conflict
"""
COUNT = """
@job({options})
async def count(number: int) -> None:
    {body}
    with as_system("count"):
        await documents(WRITER).create({{"name": f"run {{number}}"}})

@route.post("/count/:times", public=True)
async def start(times: int) -> dict[str, list[int]]:
    async with transaction():
        return {{"ids": [await count.enqueue(number) for number in range(times)]}}
"""


def counting(body: str = "pass", options: str = "") -> str:
    """Return code with a job that leaves a document each time it runs."""
    return COUNT.format(body=body, options=options)


async def runs(office: Office) -> list[str]:
    """Return which of the counted jobs have run, each as often as it did."""
    reply = await office.ask("GET", "/api/writers?pagination[pageSize]=100&sort=name")
    return [one["name"] for one in reply.data if one["name"].startswith("run ")]


@asynccontextmanager
async def servers(folder: Path, kind: Kind, code: str, count: int) -> AsyncIterator[list[Office]]:
    """Run several servers of one project."""
    async with office_project(folder, kind) as project, AsyncExitStack() as opened:
        write_code(project, code)
        yield [await opened.enter_async_context(run_office(project)) for _ in range(count)]


async def test_a_job_runs_with_its_arguments_after_the_commit(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, NOTE) as office:
        made = await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "A"}})
        assert made.status == 201, made.json
        (job,) = await ended(office)
        assert module().fired == [(made.data["documentId"], ["a"], 2)]
        assert (job.state, job.attempts, job.message) == ("done", 1, None)
        assert job.name == "src.api.paper.paper.note"


async def test_a_job_of_a_refused_write_does_not_exist(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, NOTE) as office:
        refused = {"data": {"title": "A", "sold": True}}
        assert (await office.ask("POST", "/api/papers", refused)).status == 409
        assert await jobs_of(office) == []


async def test_a_job_acts_as_nobody_until_it_says_who(tmp_path: Path, kind: Kind) -> None:
    code = """
    @job(retries=0)
    async def look() -> None:
        fired.append(principal().kind)
        await documents(WRITER).find()

    @route.post("/look", public=True)
    async def start() -> None:
        await look.enqueue()
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert (await office.ask("POST", "/api/look")).status == 204
        (job,) = await ended(office)
        assert module().fired == ["nobody"]
        assert job.state == "failed"
        assert job.message is not None
        assert 'use `with as_system("reason")`' in job.message


async def test_a_failure_is_tried_again_until_the_retries_are_used_up(
    tmp_path: Path, kind: Kind
) -> None:
    code = counting("raise LookupError('no such thing')", "retries=2")
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/count/1")
        for attempt, longest in ((1, 1.3), (2, 5)):
            job = await attempted(office, attempt)
            assert (job.state, job.message) == ("waiting", "LookupError: no such thing")
            assert 0 < job.due - office.clock.now <= longest * 1000
            pass_time(office, seconds=longest)
        job = await attempted(office, 3)
        assert job.state == "failed"
        pass_time(office, seconds=7200)
        assert (await attempted(office, 3)).attempts == 3
        assert await runs(office) == []


@pytest.mark.parametrize("definition", ["def", "async def"])
async def test_a_job_that_exits_fails_and_the_server_goes_on(
    tmp_path: Path, kind: Kind, definition: str
) -> None:
    code = f"""
    @job(retries=0)
    {definition} leave() -> None:
        raise SystemExit(3)

    @route.post("/leave", public=True)
    async def start() -> None:
        await leave.enqueue()
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert (await office.ask("POST", "/api/leave")).status == 204
        (job,) = await ended(office)
        assert (job.state, job.message) == ("failed", "SystemExit: 3")
        assert (await office.ask("GET", "/api/papers")).status == 200


async def test_a_plain_job_without_a_next_item_fails(tmp_path: Path, kind: Kind) -> None:
    """Futures cannot hold StopIteration."""
    code = """
    @job(retries=0)
    def take() -> None:
        next(iter(()))

    @route.post("/take", public=True)
    async def start() -> None:
        await take.enqueue()
    """
    async with open_extended(tmp_path, kind, code) as office:
        assert (await office.ask("POST", "/api/take")).status == 204
        (job,) = await ended(office)
        assert (job.state, job.message) == ("failed", "RuntimeError: StopIteration was raised")


async def test_a_job_that_takes_too_long_is_interrupted(tmp_path: Path, kind: Kind) -> None:
    code = counting("await asyncio.sleep(60)", "timeout=1, retries=0")
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/count/1")
        (job,) = await ended(office)
        assert (job.state, job.message) == ("failed", "It took longer than 1 seconds")


async def test_a_job_does_not_run_before_its_time(tmp_path: Path, kind: Kind) -> None:
    code = """
    from datetime import UTC, datetime

    @job()
    async def remind(text: str) -> None:
        fired.append(text)

    @route.post("/remind/:seconds", public=True)
    async def start(seconds: int, text: str) -> None:
        await remind.enqueue_at(datetime.fromtimestamp(seconds, tz=UTC), text)
    """
    async with open_extended(tmp_path, kind, code) as office:
        now = office.clock.now // 1000
        await office.ask("POST", f"/api/remind/{now + 7200}?text=later")
        await office.ask("POST", f"/api/remind/{now}?text=now")
        await ended(office)
        assert module().fired == ["now"]
        pass_time(office, seconds=7200)
        await ended(office, 2)
        assert module().fired == ["now", "later"]


async def test_several_servers_never_run_a_job_twice(tmp_path: Path, kind: Kind) -> None:
    async with servers(tmp_path, kind, counting(), 3) as offices:
        for office in offices:
            await office.ask("POST", "/api/count/12")
        await ended(offices[0], 36)
        expected = sorted(f"run {number}" for number in range(12) for _ in offices)
        assert await runs(offices[0]) == expected
        assert {job.attempts for job in await jobs_of(offices[0])} == {1}


async def test_the_job_of_a_lost_process_is_taken_over(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(
        tmp_path,
        kind,
        counting(),
    ) as office:
        database, rows = office.app.database, parts_of(office).queue.rows
        assert database is not None
        await parts_of(office).worker.stop()
        await office.ask("POST", "/api/count/1")
        (job,) = await jobs_of(office)
        now = office.clock()
        lost = JobClaim(names=(job.name,), holder="lost", now=now, until=now + LEASE_MS)
        assert len(await database.write(rows.claim(lost, 5))) == 1
        parts_of(office).worker.start()
        await asyncio.sleep(0.2)
        assert await runs(office) == []
        pass_time(office, seconds=31)
        (job,) = await ended(office)
        assert (job.state, job.attempts, await runs(office)) == ("done", 2, ["run 0"])


async def test_a_job_that_loses_each_process_ends_on_the_dead_list(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, counting(options="retries=1")) as office:
        database, rows = office.app.database, parts_of(office).queue.rows
        assert database is not None
        await parts_of(office).worker.stop()
        await office.ask("POST", "/api/count/1")
        (job,) = await jobs_of(office)
        for _ in range(2):
            now = office.clock()
            lost = JobClaim(names=(job.name,), holder="lost", now=now, until=now + LEASE_MS)
            assert len(await database.write(rows.claim(lost, 5))) == 1
            pass_time(office, seconds=31)
        parts_of(office).worker.start()
        (job,) = await ended(office)
        assert (job.state, await runs(office)) == ("failed", [])
        assert job.message == "The process that ran it was lost each time"


async def test_a_worker_stops_a_job_whose_lease_it_has_lost(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, counting("await asyncio.sleep(60)")) as office:
        database, worker = office.app.database, parts_of(office).worker
        assert database is not None
        started = (await office.ask("POST", "/api/count/1")).json
        await until(lambda: _is_running(office))
        await worker.renew()
        assert worker.is_running
        rows = parts_of(office).queue.rows
        assert await database.write(rows.cancel_one(started["ids"][0], office.clock()))
        await worker.renew()
        await until(lambda: _is_idle(office))
        (job,) = await jobs_of(office)
        assert (job.state, await runs(office)) == ("cancelled", [])


async def test_a_job_that_outlives_its_lease_does_not_run_twice_in_its_process(
    tmp_path: Path, kind: Kind
) -> None:
    body = "fired.append(number)\n    while len(fired) < 2: await asyncio.sleep(0.01)"
    async with open_extended(tmp_path, kind, counting(body)) as office:
        await office.ask("POST", "/api/count/1")
        await until(lambda: _has_fired(1))
        pass_time(office, seconds=31)

        async def is_claimed_again() -> bool:
            (job,) = await jobs_of(office)
            return job.attempts == 2

        await until(is_claimed_again)
        module().fired.append("go on")
        (job,) = await ended(office)
        assert (job.state, module().fired, await runs(office)) == (
            "done",
            [0, "go on"],
            ["run 0"],
        )


async def _has_fired(count: int) -> bool:
    return len(module().fired) >= count


async def _is_running(office: Office) -> bool:
    return parts_of(office).worker.is_running


async def _is_idle(office: Office) -> bool:
    return not parts_of(office).worker.is_running


async def test_a_job_that_a_stopping_server_interrupts_is_run_by_another_one(
    tmp_path: Path, kind: Kind
) -> None:
    body = "await asyncio.sleep(60 if not fired and not fired.append(1) else 0)"
    async with servers(tmp_path, kind, counting(body), 1) as (office,):
        await office.ask("POST", "/api/count/1")
        await until(lambda: _is_running(office))
        await parts_of(office).worker.stop(0.1)
        (job,) = await jobs_of(office)
        assert (job.state, job.attempts, job.holder) == ("waiting", 0, None)
        parts_of(office).worker.start()
        (job,) = await ended(office)
        assert (job.state, job.attempts, await runs(office)) == ("done", 1, ["run 0"])


async def test_a_job_may_cancel_itself_and_counts_as_failed(tmp_path: Path, kind: Kind) -> None:
    code = counting("raise asyncio.CancelledError", "retries=0")
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/count/1")
        (job,) = await ended(office)
        assert (job.state, job.message) == ("failed", "It was cancelled")


async def test_jobs_with_one_key_run_one_at_a_time(tmp_path: Path, kind: Kind) -> None:
    code = """
    running = []

    @job(one_at_a_time="customer {customer}")
    async def bill(customer: str, number: int) -> None:
        fired.append((customer, number, customer in running, len(running)))
        running.append(customer)
        await asyncio.sleep(0.05)
        running.remove(customer)

    @route.post("/bill", public=True)
    async def start() -> None:
        async with transaction():
            for number in range(4):
                await bill.enqueue("ann", number)
                await bill.enqueue("bob", number)
    """
    async with servers(tmp_path, kind, code, 2) as offices:
        await offices[0].ask("POST", "/api/bill")
        jobs = await ended(offices[1], 8)
        assert {job.state for job in jobs} == {"done"}
        spans: dict[str | None, list[tuple[int, int]]] = {}
        for job in jobs:
            assert job.started_at is not None
            spans.setdefault(job.lock_key, []).append((job.id, job.attempts))
        assert {key: len(ran) for key, ran in spans.items()} == {
            "customer ann": 4,
            "customer bob": 4,
        }
        assert not any(overlaps for _, _, overlaps, _ in module().fired)


ONE_KEY = """
import threading

go_on = threading.Event()

@job(one_at_a_time="bill")
async def bill(number: int) -> None:
    fired.append(f"{number} begins")
    try:
        await asyncio.sleep(60 if number == 0 else 0)
    finally:
        fired.append(f"{number} ends")

@job(one_at_a_time="bill")
def bill_in_thread(number: int) -> None:
    fired.append(f"{number} begins")
    go_on.wait(60)
    fired.append(f"{number} ends")

@route.post("/bill", public=True)
async def start() -> list[int]:
    return [await bill.enqueue(0), await bill.enqueue(1)]

@route.post("/thread", public=True)
async def start_thread() -> list[int]:
    return [await bill_in_thread.enqueue(0), await bill.enqueue(1)]
"""
IN_TURN = ["0 begins", "0 ends", "1 begins", "1 ends"]


async def cancelled(office: Office, job_id: int) -> None:
    """Cancel a job, and let the worker look at its queue for a while."""
    reply = await office.ask("POST", f"/admin/x/jobs/{job_id}/cancel", token=office.boss)
    assert reply.data["state"] == "cancelled"
    await looked_at(office)


async def looked_at(office: Office) -> None:
    """Let the worker look at its queue for a while."""
    for _ in range(5):
        parts_of(office).worker.wake()
        await asyncio.sleep(0.1)


async def test_a_cancelled_job_keeps_its_key_until_it_has_stopped(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, ONE_KEY) as office:
        first, _ = (await office.ask("POST", "/api/bill")).json
        await until(lambda: _has_fired(1))
        await cancelled(office, first)
        assert module().fired == IN_TURN[:1]
        again = await office.ask("POST", f"/admin/x/jobs/{first}/retry", token=office.boss)
        assert again.status == 409, "it still runs"
        await parts_of(office).worker.renew()
        jobs = await ended(office, 2)
        assert module().fired == IN_TURN
        assert [(job.state, job.running_key, job.holder) for job in jobs] == [
            ("cancelled", None, None),
            ("done", None, None),
        ]
        again = await office.ask("POST", f"/admin/x/jobs/{first}/retry", token=office.boss)
        assert again.data["state"] == "waiting"


async def test_a_cancelled_job_in_a_thread_keeps_its_key_until_it_ends(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, ONE_KEY) as office:
        worker = parts_of(office).worker
        first, _ = (await office.ask("POST", "/api/thread")).json
        await until(lambda: _has_fired(1))
        await cancelled(office, first)
        pass_time(office, seconds=20)
        await worker.renew()
        pass_time(office, seconds=20)
        await looked_at(office)
        assert module().fired == ["0 begins"]
        module().go_on.set()
        await until(lambda: _has_fired(4))
        assert module().fired == IN_TURN


async def test_a_cancelled_job_of_a_lost_process_keeps_its_key_until_its_lease_ends(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, ONE_KEY) as office:
        database, rows = office.app.database, parts_of(office).queue.rows
        assert database is not None
        await parts_of(office).worker.stop()
        first, _ = (await office.ask("POST", "/api/bill")).json
        job = (await jobs_of(office))[0]
        now = office.clock()
        lost = JobClaim(names=(job.name,), holder="lost", now=now, until=now + LEASE_MS)
        assert len(await database.write(rows.claim_key(lost, str(job.lock_key)))) == 1
        parts_of(office).worker.start()
        await cancelled(office, first)
        assert module().fired == []
        pass_time(office, seconds=31)
        await ended(office, 2)
        assert module().fired == IN_TURN[2:]


async def test_a_plain_function_runs_in_a_thread(tmp_path: Path, kind: Kind) -> None:
    code = """
    import threading

    @job()
    def block() -> None:
        fired.append(threading.current_thread() is threading.main_thread())

    @route.post("/block", public=True)
    async def start() -> None:
        await block.enqueue()
    """
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/block")
        (job,) = await ended(office)
        assert (job.state, module().fired) == ("done", [False])


async def test_causes_are_kept_across_jobs_and_loops_end(tmp_path: Path, kind: Kind) -> None:
    code = """
    @job(retries=0)
    async def repeat(document_id: str) -> None:
        with as_system("repeat"):
            await documents(PAPER).update(document_id, {"price": 1})

    @after_write(PAPER, on=["create", "update"])
    async def again(write):
        fired.append(write.origin)
        await repeat.enqueue(write.document_id)

    @job(retries=0)
    async def chain(number: int) -> None:
        await chain.enqueue(number + 1)

    @route.post("/chain", public=True)
    async def start() -> None:
        await chain.enqueue(0)
    """
    async with open_extended(tmp_path, kind, code) as office:
        await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "A"}})
        (job,) = await ended(office)
        assert (job.state, module().fired) == ("done", [()])
        await office.ask("POST", "/api/chain")
        await until(lambda: _has_failed(office))
        jobs = [one for one in await jobs_of(office) if one.name.endswith(".chain")]
        assert [one.state for one in jobs] == ["done"] * 7 + ["failed"]
        assert jobs[-1].message is not None
        assert "more than 8 levels deep" in jobs[-1].message


async def _has_failed(office: Office) -> bool:
    return bool(await jobs_of(office, "failed"))


async def test_a_job_acts_as_an_end_user_with_what_they_may_do_now(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    USER = "plugin::users-permissions.user"

    @job(retries=0)
    async def write(who: Principal) -> None:
        async with as_principal(who):
            fired.append((principal().kind, principal().id == who.id))
            await documents(WRITER).create({"name": "by user"})

    @route.post("/write/:id", public=True)
    async def start(id: int) -> None:
        await write.enqueue(Principal(kind="user", id=id))
        try:
            async with as_principal(Principal(kind="user", id=id)):
                pass
        except quire.UnitOfWorkError as error:
            fired.append(str(error))
    """
    async with open_extended(tmp_path, kind, code) as office:
        role = await _role(office, ["api::writer.writer.create"])
        user_id = await end_user(office, role={"connect": [{"id": role}]})
        await office.ask("POST", f"/api/write/{user_id}")
        (job,) = await ended(office)
        assert (job.state, job.message) == ("done", None)
        assert "acts as the caller" in module().fired[0]
        assert module().fired[1:] == [("user", True)]
        user = await office.ask("GET", f"{USERS}?filters[id]={user_id}", token=office.boss)
        target = f"{USERS}/{user.json['results'][0]['documentId']}"
        changed = await office.ask("PUT", target, {"blocked": True}, token=office.boss)
        assert changed.status == 200, changed.json
        await office.ask("POST", f"/api/write/{user_id}")
        (_, job) = await ended(office, 2)
        assert (job.state, job.message) == ("failed", "Forbidden")


async def _role(office: Office, actions: list[str]) -> int:
    """Make a role of end users that grants actions; returns its row."""
    permissions: dict[str, object] = {}
    for action in actions:
        api, controller, name = action.split(".")
        permissions[api] = {"controllers": {controller: {name: {"enabled": True}}}}
    body = {"name": "writers", "description": "", "permissions": permissions}
    made = await office.ask("POST", "/users-permissions/roles", body, token=office.boss)
    assert made.status == 200, made.json
    roles = await office.ask("GET", "/users-permissions/roles", token=office.boss)
    return next(int(one["id"]) for one in roles.json["roles"] if one["name"] == "writers")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("note.enqueue(1)", "Expected `str`, got `int` - at `$.text`"),
        ("note.enqueue()", "missing a required argument: 'text'"),
        ("note.enqueue('a', more=1)", "got an unexpected keyword argument 'more'"),
        ("note.enqueue('a' * 300_000)", "store the data, and pass the id"),
        ("note.enqueue_at(datetime(2027, 1, 1), 'a')", "when needs a time zone"),
    ],
)
async def test_arguments_that_do_not_fit_are_refused_where_they_are_given(
    tmp_path: Path, kind: Kind, call: str, message: str
) -> None:
    code = f"""
    from datetime import datetime

    @job()
    async def note(text: str) -> None:
        pass

    @route.post("/note", public=True)
    async def start() -> dict[str, str]:
        try:
            await {call}
        except (TypeError, ValueError) as error:
            return {{"message": str(error)}}
        return {{}}
    """
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("POST", "/api/note")
        assert message in reply.json["message"]
        assert await jobs_of(office) == []


async def test_a_server_without_workers_leaves_jobs_to_others(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, counting())
        async with run_office(project, settings={"jobs.workers": 0}) as idle:
            await idle.ask("POST", "/api/count/1")
            await asyncio.sleep(0.1)
            assert [job.state for job in await jobs_of(idle)] == ["waiting"]
            async with run_office(project, settings={"jobs.queues": ("mail",)}) as other:
                parts_of(other).worker.wake()
                await asyncio.sleep(0.1)
                assert [job.state for job in await jobs_of(other)] == ["waiting"]
            async with run_office(project) as office:
                await ended(office)
                assert await runs(office) == ["run 0"]


class Arguments(msgspec.Struct):
    """The arguments of a job of the server itself."""

    name: str


async def test_the_server_itself_adds_and_cancels_jobs_in_a_transaction(
    tmp_path: Path, kind: Kind
) -> None:
    ran: list[str] = []

    async def publish(name: str) -> None:
        ran.append(name)

    job = JobDefinition(name="quire.publish", function=publish, arguments=Arguments)
    async with open_extended(tmp_path, kind, "") as office:
        documents, parts = office.app.documents, parts_of(office)
        assert documents is not None
        parts.worker.adopt(make_job_runtime(documents, [job]))
        later = office.clock.now + 60_000

        def add(unit: UnitOfWork) -> Program[None]:
            yield from add_job(unit, job, Arguments(name="first"), due_at=later, key="one")
            yield from add_job(unit, job, Arguments(name="second"), due_at=later, key="two")

        def move(unit: UnitOfWork) -> Program[int]:
            cancelled = yield from cancel_jobs(unit, job.name, "one")
            yield from add_job(unit, job, Arguments(name="third"), due_at=later, key="one")
            return cancelled

        def fail(unit: UnitOfWork) -> Program[None]:
            yield from cancel_jobs(unit, job.name, "two")
            raise LookupError

        await parts.queue.prepare()
        await documents.run(add)
        assert await documents.run(move) == 1
        with pytest.raises(LookupError):
            await documents.run(fail)
        pass_time(office, seconds=61)
        jobs = await ended(office, 3)
        assert [one.state for one in jobs] == ["cancelled", "done", "done"]
        assert sorted(ran) == ["second", "third"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("@job(retries=-1)\nasync def f(): ...", "retries must be a whole number from 0 to 100"),
        ("@job(timeout=0)\nasync def f(): ...", "timeout must be from 1 to 86400 seconds"),
        ("@job(queue='')\nasync def f(): ...", "queue must be a name, not ''"),
        ("@job()\nasync def f(*names: str): ...", "must have a name that it is passed by"),
        ("@job()\nasync def f(name): ...", "needs a type, such as name: str"),
        ("@job()\nasync def f(name: 'Nam'): ...", "cannot be evaluated: NameError"),
        (
            "@job()\nasync def f(name: asyncio.Task): ...",
            "has a type that cannot be stored: _asyncio.Task has no form in JSON",
        ),
        (
            "@job()\nasync def f(paper: Document | None): ...",
            "cannot be stored: Document is a document: pass its documentId, a str",
        ),
        ("@job()\nasync def f():\n    yield", "f is a generator; it must return, not yield"),
        (
            "@job(one_at_a_time='{nam}')\nasync def f(name: str): ...",
            'one_at_a_time names "nam", which is no parameter; did you mean "name"?',
        ),
        ("@job(one_at_a_time='{')\nasync def f(): ...", 'one_at_a_time is "{"'),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{FILE}:{_FIRST}  job: ")
    assert message in str(problem)


async def test_a_check_that_fails_is_repeated_before_the_next_change(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process has added a job, so nothing but the content version tells of it."""
    async with open_extended(tmp_path, kind, NOTE) as office:
        queue, worker = parts_of(office).queue, parts_of(office).worker
        database = office.app.database
        assert database is not None
        await queue.prepare()
        await worker.stop()
        await worker.work()
        job = StoredJob(
            name="src.api.paper.paper.note",
            queue="default",
            arguments='{"document_id": "a", "lines": []}',
            due=0,
            created_at=0,
        )
        await database.write(queue.rows.add(job))
        with monkeypatch.context() as patch:
            patch.setattr(worker, "_database", RefusingDatabase(database))
            with pytest.raises(ServiceUnavailableError):
                await worker.work()
        await worker.work()
        await ended(office)
        assert module().fired == [("a", [], 1)]
