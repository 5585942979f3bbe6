"""A failure in any phase of a write leaves nothing; a lost transaction is run once more."""

import asyncio
import re
from collections.abc import Generator
from pathlib import Path

import pytest

from quire.database.program import Program, Rows, Statement
from quire.errors import ServiceUnavailableError
from tests.databases.kind import Kind, opened
from tests.databases.kinds import POSTGRESQL, SQLITE
from tests.extending.background import changes_of, delivered, ended, jobs_of
from tests.extending.project import FILE, PAPERS, module, open_extended, titles, write_code
from tests.unit.admin_api.office import (
    BOSS,
    PASSWORD,
    Office,
    Reply,
    office_project,
    run_office,
)
from tests.unit.kiosk import PAPER, WRITER

TRACES = """
class Title(Shape[Document]):
    title: str

@job()
async def note(title: str) -> None:
    fired.append(f"job {title}")

@after_commit(PAPER, on=["create", "publish"], shape=Title)
async def tell(changes):
    fired.extend(f"told {one.action}" for one in changes)

@before_write(PAPER, on=["create"], order=-1)
async def leave_traces(write):
    fired.append("hook")
    await documents(WRITER).create({"name": write.data["title"]})
    await note.enqueue(write.data["title"])
"""
PHASES = {
    "policy": """
@policy(PAPER, on=["create"])
def fail(context):
    raise RuntimeError("sesame")
""",
    "prepare": """
@prepare(PAPER, on=["create"])
async def fail(write):
    raise RuntimeError("sesame")
""",
    "around, before": """
@around(PAPER, on=["ACTION"])
async def fail(call, proceed):
    raise RuntimeError("sesame")
""",
    "around, afterwards": """
@around(PAPER, on=["ACTION"])
async def fail(call, proceed):
    await proceed(call)
    raise RuntimeError("sesame")
""",
    "rule": """
@rule(PAPER, on=["create"])
def fail(who):
    raise RuntimeError("sesame")
""",
    "rule of the new row": """
@rule(PAPER, on=["create"])
def fail(who):
    return {"title": "another"}
""",
    "validation": """
@before_write(PAPER, on=["create"])
def fail(write):
    write.set(title="x" * 41)
""",
    **{
        f"{phase}, {form}{', batch' * batch}": f"""
@{phase}(PAPER, on=["ACTION"], batch={batch})
{form} fail(write):
    raise RuntimeError("sesame")
"""
        for phase in ("before_write", "after_write")
        for form in ("def", "async def")
        for batch in (False, True)
    },
}
STATUSES = {"policy": 403, "rule": 403, "rule of the new row": 403, "validation": 400}


@pytest.mark.parametrize(
    ("phase", "action"),
    [
        *((phase, "create") for phase in PHASES),
        *((phase, "publish") for phase in PHASES if "write" in phase or "around" in phase),
    ],
)
async def test_a_failure_leaves_no_row(tmp_path: Path, kind: Kind, phase: str, action: str) -> None:
    code = PHASES[phase].replace("ACTION", action)
    async with open_extended(tmp_path, kind, TRACES + code) as office:
        reply = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
        assert reply.status == STATUSES.get(phase, 500), reply.json
        assert "sesame" not in str(reply.json)
        for kept in ("papers?status=draft", "papers", "writers"):
            assert (await office.ask("GET", f"/api/{kept}")).data == [], kept
        assert await jobs_of(office) == []
        assert await changes_of(office) == []
        assert {*module().fired} <= {"hook"}


@pytest.mark.parametrize(
    "phase", [*(one for one in PHASES if one not in STATUSES), "policy", "rule"]
)
async def test_super_admins_are_told_which_function_has_failed(tmp_path: Path, phase: str) -> None:
    code = PHASES[phase].replace("ACTION", "create")
    async with open_extended(tmp_path, SQLITE, code) as office:
        editor = await _editor(office)
        told = await office.ask("POST", PAPERS, {"title": "Sea"}, token=office.boss)
        others = await office.ask("POST", PAPERS, {"title": "Sea"}, token=editor)
        details, untold = told.json["error"]["details"], others.json["error"].get("details")
        if phase == "policy":
            assert (told.status, others.status, untold) == (403, 403, {})
            assert re.fullmatch(rf"the policy fail \({FILE}:\d+\) failed", details["reason"])
            return
        assert (told.status, others.status, untold) == (500, 500, {"code": {}})
        place = details["code"].pop("place")
        assert re.fullmatch(rf"{FILE}:\d+", place)
        assert details == {"code": {"function": "fail"}}
        assert "sesame" not in str((told.json, others.json))


LATE = {
    "prepare": """
@prepare(PAPER, on=["create"])
async def fail(write):
    await asyncio.sleep(60)
""",
    "around a write": """
@around(PAPER, on=["create"])
async def fail(call, proceed):
    await asyncio.sleep(60)
""",
    "before_write": """
@before_write(PAPER, on=["create"])
async def fail(write):
    await asyncio.sleep(60)
""",
}


@pytest.mark.parametrize("code", LATE.values(), ids=LATE)
async def test_super_admins_are_told_which_function_takes_too_long(
    tmp_path: Path, code: str
) -> None:
    async with office_project(tmp_path, SQLITE) as project:
        write_code(project, code)
        limits = {"extensions.hook_seconds": 1, "extensions.prepare_seconds": 1}
        async with run_office(project, settings=limits) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            editor = await _editor(office)
            told = await office.ask("POST", PAPERS, {"title": "Sea"}, token=office.boss)
            others = await office.ask("POST", PAPERS, {"title": "Sea"}, token=editor)
            visitors = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
    assert (told.status, others.status, visitors.status) == (503, 503, 503)
    function = told.json["error"]["details"]["code"]
    assert function["function"] == "fail"
    assert re.fullmatch(rf"{FILE}:\d+", function["place"])
    assert others.json["error"]["details"] == {"code": {}}
    assert "details" not in visitors.json["error"]


FAILING_RULE = """
raising = False

@rule(PAPER, on=["find"])
def fail(who):
    if raising:
        raise RuntimeError("sesame")
    return True
"""


async def test_a_failed_rule_is_named_in_the_admin_and_nothing_is_created(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, FAILING_RULE) as office:
        editor = await _editor(office)
        made = await office.ask("POST", PAPERS, {"title": "Old"}, token=office.boss)
        path = f"{PAPERS}/{made.data['documentId']}"
        requests = [
            ("GET", PAPERS, None),
            ("GET", path, None),
            ("POST", PAPERS, {"title": "New"}),
            ("PUT", path, {"title": "New"}),
            ("POST", f"{path}/actions/publish", {}),
        ]
        module().raising = True
        for method, target, body in requests:
            told = await office.ask(method, target, body, token=office.boss)
            assert told.status == 500, (method, target)
            function = told.json["error"]["details"]["code"]
            assert function["function"] == "fail"
            assert re.fullmatch(rf"{FILE}:\d+", function["place"])
            assert "sesame" not in str(told.json)
        others = await office.ask("POST", PAPERS, {"title": "New"}, token=editor)
        assert (others.status, others.json["error"]["details"]) == (500, {"code": {}})
        assert (await office.ask("GET", "/api/papers?status=draft")).data == []
        for target in ("/admin/x/home", "/content-manager/content-types"):
            assert (await office.ask("GET", target, token=office.boss)).status == 200
        module().raising = False
        assert await titles(office) == ["Old"]
        listed = await office.ask("GET", PAPERS, token=office.boss)
        assert [one["title"] for one in listed.json["results"]] == ["Old"]


async def test_a_failed_rule_on_the_copy_of_an_entry_is_named(tmp_path: Path) -> None:
    code = FAILING_RULE.replace('on=["find"]', 'on=["create"]')
    async with open_extended(tmp_path, SQLITE, code) as office:
        made = await office.ask("POST", PAPERS, {"title": "Sea"}, token=office.boss)
        module().raising = True
        path = f"{PAPERS}/clone/{made.data['documentId']}"
        told = await office.ask("POST", path, {"title": "Copy"}, token=office.boss)
        assert (await titles(office)) == ["Sea"]
    assert told.status == 500
    assert told.json["error"]["details"]["code"]["function"] == "fail"


async def test_a_failed_rule_is_told_from_one_that_hides_everything(tmp_path: Path) -> None:
    code = FAILING_RULE.replace("return True", "return False")
    async with open_extended(tmp_path, SQLITE, code) as office:
        hidden = await office.ask("GET", PAPERS, token=office.boss)
        module().raising = True
        failed = await office.ask("GET", PAPERS, token=office.boss)
        module().raising = False
        hidden_again = await office.ask("GET", PAPERS, token=office.boss)
    assert [hidden.status, failed.status, hidden_again.status] == [200, 500, 200]


async def test_a_failed_rule_is_named_wherever_entries_of_its_type_are_missing(
    tmp_path: Path, kind: Kind
) -> None:
    code = FAILING_RULE.replace("PAPER", "WRITER")
    async with open_extended(tmp_path, kind, code) as office:
        editor = await _editor(office)
        writers = f"/content-manager/collection-types/{WRITER}"
        writer = await office.ask("POST", writers, {"name": "Ada"}, token=office.boss)
        data = {"title": "Sea", "writer": {"connect": [writer.data["documentId"]]}}
        made = await office.ask("POST", PAPERS, data, token=office.boss)
        assert made.status == 201, made.json
        relation = f"/content-manager/relations/{PAPER}"
        pickers = f"{relation}/writer", f"{relation}/{made.data['documentId']}/writer"
        lists = f"{PAPERS}?columns=title,writer", "/admin/x/home"
        for target in pickers:
            shown = await office.ask("GET", target, token=office.boss)
            assert [one["documentId"] for one in shown.json["results"]] == [
                writer.data["documentId"]
            ]
        for target in lists:
            assert "failedRules" not in str(
                (await office.ask("GET", target, token=office.boss)).json
            )
        module().raising = True
        for target in pickers:
            told = await office.ask("GET", target, token=office.boss)
            assert told.status == 500, told.json
            assert told.json["error"]["details"]["code"]["function"] == "fail"
        for target in lists:
            told = await office.ask("GET", target, token=office.boss)
            assert told.status == 200, told.json
            (failed,) = told.json.get("data", told.json)["failedRules"]
            assert (failed["uid"], failed["code"]["function"]) == (WRITER, "fail")
        untold = await office.ask("GET", lists[0], token=editor)
        assert [one["code"] for one in untold.json.get("failedRules", [])] in ([], [{}])
        other = await office.ask("GET", f"{PAPERS}?columns=title", token=office.boss)
        assert "failedRules" not in other.json
        module().raising = False
        again = await office.ask("GET", lists[0], token=office.boss)
        assert "failedRules" not in again.json


HIDING_RULE = """
hides = False

@rule(PAPER, on=["find"])
def hide(who):
    return not hides
"""


async def test_an_entry_that_a_rule_hides_from_its_creator_is_not_created_twice(
    tmp_path: Path,
) -> None:
    async with open_extended(tmp_path, SQLITE, HIDING_RULE) as office:

        async def create() -> Reply:
            headers = {"idempotency-key": "3141592653-5897"}
            body = {"title": "Sea"}
            return await office.ask("POST", PAPERS, body, token=office.boss, headers=headers)

        assert (await create()).status == 201
        module().hides = True
        for _ in range(2):
            repeated = await create()
            error = repeated.json["error"]
            assert (repeated.status, error["details"]) == (409, {"isCreated": True})
        module().hides = False
        assert await titles(office) == ["Sea"]


COMPUTED = """
@computed(PAPER, needs=["title"])
def fail(paper) -> int:
    raise RuntimeError("sesame")

@computed(PAPER, needs=["title"], batch=True)
async def refuse(papers) -> list[int]:
    raise Forbidden("Not on Sundays")

@computed(PAPER, needs=["title"])
def size(paper) -> int:
    return len(paper.title)
"""


async def test_super_admins_are_told_why_a_computed_field_is_missing(tmp_path: Path) -> None:
    async with open_extended(tmp_path, SQLITE, COMPUTED) as office:
        made = await office.ask("POST", PAPERS, {"title": "Sea"}, token=office.boss)
        shown = await office.ask("GET", f"{PAPERS}/{made.data['documentId']}", token=office.boss)
        listed = await office.ask(
            "GET", f"{PAPERS}?columns=title,fail,refuse,size", token=office.boss
        )
    assert shown.json["meta"]["computed"] == {"size": 3}
    assert [one["size"] for one in listed.json["results"]] == [3]
    for errors in (shown.json["meta"]["computedErrors"], listed.json["computedErrors"]):
        place = errors["fail"]["code"].pop("place")
        assert re.fullmatch(rf"{FILE}:\d+", place)
        assert errors == {
            "fail": {"code": {"function": "fail"}},
            "refuse": {"message": "Not on Sundays"},
        }


READS = {
    "around": """
@around(PAPER, on=["find"])
async def fail(call, proceed):
    raise RuntimeError("sesame")
""",
    "denied": """
@policy(PAPER, on=["find"])
def fail(context):
    return False
""",
    "failed": """
@policy(PAPER, on=["find"])
def fail(context):
    raise RuntimeError("sesame")
""",
    "returned no verdict": """
@policy(PAPER, on=["find"])
def fail(context):
    return "sesame"
""",
}


@pytest.mark.parametrize("kind_of_failure", READS)
async def test_super_admins_are_told_why_a_request_as_an_end_user_fails(
    tmp_path: Path, kind_of_failure: str
) -> None:
    async with open_extended(tmp_path, SQLITE, READS[kind_of_failure]) as office:
        role = "/admin/x/end-user-roles/2/request"
        reply = await office.ask("POST", role, {"path": "/api/papers"}, token=office.boss)
        found = await office.ask("POST", role, {"path": "/api/papers/none"}, token=office.boss)
        visitor = await office.ask("GET", "/api/papers")
    told = reply.data
    assert "sesame" not in str(told)
    assert told["status"] == visitor.status == (500 if kind_of_failure == "around" else 403)
    if kind_of_failure == "around":
        assert re.fullmatch(rf"{FILE}:\d+", told["code"].pop("place"))
        assert told["code"] == {"function": "fail"}
        assert "reason" not in told
    else:
        reason = rf"the policy fail \({FILE}:\d+\) {kind_of_failure}"
        assert re.fullmatch(reason, told["reason"])
        assert "code" not in told
    assert found.data["status"] == 404
    assert found.data.keys().isdisjoint({"code", "reason"})
    assert "fail" not in str(visitor.json)


async def _editor(office: Office) -> str:
    """Return the access token of an administrator who may create papers."""
    role = {"name": "Writer of papers", "description": ""}
    role_id = (await office.ask("POST", "/admin/roles", role, token=office.boss)).data["id"]
    permission = {
        "action": "plugin::content-manager.explorer.create",
        "subject": PAPER,
        "properties": {"fields": ["title"]},
        "conditions": [],
    }
    path = f"/admin/roles/{role_id}/permissions"
    granted = {"permissions": [permission]}
    assert (await office.ask("PUT", path, granted, token=office.boss)).status == 200
    person = {"email": "eve@example.com", "firstname": "Eve", "roles": [role_id]}
    invited = (await office.ask("POST", "/admin/users", person, token=office.boss)).data
    active = {"password": PASSWORD, "isActive": True}
    path = f"/admin/users/{invited['id']}"
    assert (await office.ask("PUT", path, active, token=office.boss)).status == 200
    token: str = (await office.sign_in("eve@example.com")).data["token"]
    return token


async def _effects(office: Office) -> list[str]:
    """Return what jobs and functions after the commit have done, when all have run."""
    await delivered(office)
    assert len(await ended(office)) == 1
    return sorted(one for one in module().fired if one != "hook")


@pytest.mark.parametrize("table", ["writer_rows", "paper_rows", "quire_jobs", "quire_outbox"])
async def test_hooks_of_a_lost_transaction_run_again_and_their_effects_happen_once(
    tmp_path: Path, kind: Kind, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_extended(tmp_path, kind, TRACES) as office:
        # The tables of jobs and changes are created by the first of them.
        first = await office.ask("POST", "/api/papers", {"data": {"title": "First"}})
        assert first.status == 201
        assert await _effects(office) == ["job First", "told create", "told publish"]
        module().fired.clear()

        database = office.app.database
        assert database is not None
        write, lost = database.write, list[str]()
        monkeypatch.setattr(database, "write", lambda program: write(_lose(program, table, lost)))
        reply = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
        assert reply.status == 201, reply.json
        assert len(lost) == 1
        assert module().fired.count("hook") == 2
        await delivered(office)
        jobs = await ended(office, 2)
        assert [job.attempts for job in jobs] == [1, 1]
        effects = sorted(one for one in module().fired if one != "hook")
        assert effects == ["job Sea", "told create", "told publish"]
        writers = (await office.ask("GET", "/api/writers?sort=id")).data
        assert [one["name"] for one in writers] == ["First", "Sea"]
        papers = (await office.ask("GET", "/api/papers?sort=id")).data
        assert [one["title"] for one in papers] == ["First", "Sea"]


def _lose(
    program: Program[object], table: str, lost: list[str]
) -> Generator[Statement, Rows, object]:
    """Run a program whose first transaction that inserts into a table is lost there."""
    try:
        statement = next(program)
        while True:
            if not lost and statement.sql.startswith("INSERT") and table in statement.sql:
                lost.append(statement.sql)
                program.close()
                raise ServiceUnavailableError
            try:
                rows = yield statement
            except Exception as error:  # noqa: BLE001 - it belongs to the program
                statement = program.throw(error)
            else:
                statement = program.send(rows)
    except StopIteration as stop:
        return stop.value


DEADLOCK = (
    TRACES
    + """
has_locked, may_go_on = asyncio.Event(), asyncio.Event()

@before_write(PAPER, on=["create"])
async def write_both(write):
    first, second = await documents(WRITER).find(sort="id", page_size=2)
    await documents(WRITER).update(first.documentId, {"name": "changed"})
    has_locked.set()
    await may_go_on.wait()
    await documents(WRITER).update(second.documentId, {"name": "changed"})
"""
)


# One program at a time writes to SQLite, so there are no deadlocks.
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
async def test_hooks_run_again_after_a_deadlock_with_another_program(
    tmp_path: Path, kind: Kind
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, DEADLOCK)
        async with run_office(project, settings={"extensions.hook_seconds": 60}) as office:
            for name in ("A", "B"):
                made = await office.ask("POST", "/api/writers", {"data": {"name": name}})
                assert made.status == 201
            with opened(kind, project) as rows:
                first, second = rows.execute("SELECT id FROM writer_rows ORDER BY id")
                lock = "SELECT id FROM writer_rows WHERE id = ? FOR UPDATE"
                rows.execute("BEGIN")
                rows.execute(lock, second)
                writing = asyncio.create_task(
                    office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
                )
                await module().has_locked.wait()
                module().may_go_on.set()
                # Who has waited for longer finds the deadlock, and loses.
                await asyncio.sleep(0.3)
                await asyncio.to_thread(rows.execute, lock, first)
                rows.execute("COMMIT")
            reply = await writing
            assert reply.status == 201, reply.json
            assert module().fired.count("hook") == 2
            assert await _effects(office) == ["job Sea", "told create", "told publish"]
