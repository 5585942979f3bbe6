"""``@prepare``: functions that change input before the transaction of a write begins."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from quire.database.program import Program
from quire.document_service.commands import CreateDocument
from quire.document_service.service import run_command
from quire.document_service.unit_of_work import UnitOfWork
from tests.databases.kind import Kind
from tests.extending.background import parts_of
from tests.extending.project import PAPERS, module, open_extended, titles, write_code
from tests.extending.test_http import sent
from tests.unit.admin_api.office import office_project, run_office
from tests.unit.kiosk import PAPER

__all__ = ["sent"]

LOOK_UP = """
@prepare(PAPER, on=["create", "update"])
async def look_up(write):
    fired.append((write.action, write.locale, write.before))
    if write.changed("title"):
        found = await http.get("https://prices.example", params={"title": write.data["title"]})
        write.set(price=found.json()["price"], margin="looked up")
"""


async def test_every_way_to_write_prepares_once_before_the_transaction(
    tmp_path: Path, kind: Kind, sent: list[object]
) -> None:
    code = (
        LOOK_UP
        + """
    @route.post("/written", public=True)
    async def written(system: bool) -> dict[str, object]:
        if system:
            with as_system("a test"):
                return dict(price=(await documents(PAPER).create({"title": "S"}))["price"])
        return dict(price=(await documents(PAPER).create({"title": "R"}))["price"])
    """.replace("\n    ", "\n")
    )
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        # In development a request within a transaction is an error.
        async with run_office(project, settings={"environment": "development"}) as office:
            boss = (await office.sign_in("boss@example.com")).data["token"]

            async def prepared(*expected: str) -> None:
                assert [one[0] for one in module().fired] == list(expected)
                module().fired.clear()

            made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
            assert (made.status, made.data["price"]) == (201, 3)
            assert module().fired == [("create", "en", None)]
            await prepared("create")

            paper = f"/api/papers/{made.data['documentId']}"
            changed = await office.ask("PUT", paper, {"data": {"title": "B", "price": 1}})
            assert changed.data["price"] == 3
            await prepared("update")

            body = [
                {"action": "create", "type": PAPER, "data": {"title": "C"}},
                {"action": "create", "type": PAPER, "data": {"title": "D"}},
            ]
            batch = await office.ask("POST", "/api/_batch", {"operations": body})
            assert batch.status == 200, batch.json
            await prepared("create", "create")

            admin = await office.ask("POST", PAPERS, {"title": "E"}, token=boss)
            assert (admin.status, admin.data["price"]) == (201, 3)
            await prepared("create")

            for system in ("true", "false"):
                route = await office.ask("POST", f"/api/written?system={system}")
                assert route.json == {"price": 3}
                await prepared("create")
            assert await titles(office) == ["B", "C", "D", "E", "R", "S"]
    assert len(sent) == 7


async def test_what_it_sets_is_validated_and_it_may_refuse(tmp_path: Path, kind: Kind) -> None:
    code = """
    @prepare(PAPER, on=["create"])
    async def lengthen(write):
        title = write.data.get("title")
        if title == "dear":
            raise Conflict("too dear", path="title")
        if title == "broken":
            raise RuntimeError("sesame")
        write.set(title=(title or "Untitled") * 3, lock="secret")

    @prepare(PAPER, on=["create"], order=-1)
    def strip(write):
        write.data["title"] = (write.data.get("title") or "").strip()
    """
    async with open_extended(tmp_path, kind, code) as office:
        for title, status, message in (
            ("dear", 409, "too dear"),
            ("broken", 500, "Internal Server Error"),
            ("x" * 14, 400, "title must be at most 40 characters"),
        ):
            reply = await office.ask("POST", "/api/papers", {"data": {"title": title}})
            assert (reply.status, reply.error) == (status, message)
        made = await office.ask("POST", "/api/papers", {"data": {"title": "  ab "}})
        # Of a body that is no object nothing is prepared: it is rejected as ever.
        refused = await office.ask("POST", "/api/papers", {"data": []})
        assert (made.data["title"], refused.status) == ("ababab", 400)
        assert await titles(office) == ["ababab"]


async def test_within_a_transaction_it_runs_in_it(
    tmp_path: Path, kind: Kind, sent: list[object]
) -> None:
    code = LOOK_UP + (
        """
@before_write(WRITER, on=["create"])
async def first_paper(write):
    await documents(PAPER).create({"title": "First"})

@prepare(PAPER, on=["create"], order=1)
async def again(write):
    if write.data["title"] != "Twin":
        await documents(PAPER).create({"title": "Twin"})
"""
    )
    async with open_extended(tmp_path, kind, code) as office:
        with capture_logs() as logs:
            made = await office.ask("POST", "/api/writers", {"data": {"name": "Ann"}})
        assert made.status == 201
        assert await titles(office) == ["First", "Twin"]
        warned = [one for one in logs if one["event"] == "a request is sent within a transaction"]
        assert [one["code"] for one in warned] == ["look_up"]
        assert len(sent) == 2


async def test_functions_that_cause_themselves_are_stopped(tmp_path: Path, kind: Kind) -> None:
    code = """
    @prepare(PAPER, on=["create"])
    async def twice(write):
        await documents(PAPER).create({"title": write.data["title"] + "x"})

    @prepare(WRITER, on=["update"])
    async def touch(write):
        fired.append(write.document_id)
        await documents(WRITER).update(write.document_id, {"name": "touched"})
    """
    async with open_extended(tmp_path, kind, code) as office:
        with capture_logs() as logs:
            endless = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert (endless.status, await titles(office)) == (500, [])
        assert any(one.get("hook") == "twice" for one in logs)
        made = await office.ask("POST", "/api/writers", {"data": {"name": "Ann"}})
        writer = made.data["documentId"]
        changed = await office.ask("PUT", f"/api/writers/{writer}", {"data": {"name": "Bob"}})
        assert (changed.data["name"], module().fired) == ("Bob", [writer])


async def test_one_that_takes_too_long_is_stopped(tmp_path: Path, kind: Kind) -> None:
    code = """
    @prepare(PAPER, on=["create"])
    async def wait_forever(write):
        await asyncio.Event().wait()
    """
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        settings = {"extensions.prepare_seconds": 1}
        async with run_office(project, settings=settings) as office:
            with capture_logs() as logs:
                late = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
            assert (late.status, await titles(office)) == (503, [])
        assert [one["hook"] for one in logs if one["event"] == "a hook took too long"] == [
            "wait_forever"
        ]


async def test_policies_and_rules_are_asked_first_and_the_system_is_not_inherited(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @policy(PAPER, on=["create"])
    def closed(context):
        return context.data["title"] != "refused"

    @prepare(PAPER, on=["create"])
    async def note(write):
        fired.append((write.data["title"], principal().kind))
        if write.data["title"] == "system":
            await documents(PAPER).count()

    @route.post("/as-system", public=True)
    async def written() -> dict[str, str]:
        with as_system("a test"):
            made = await documents(PAPER).create({"title": "system"})
        return {"title": made.title}
    """
    async with open_extended(tmp_path, kind, code) as office:
        refused = await office.ask("POST", "/api/papers", {"data": {"title": "refused"}})
        made = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert (refused.status, made.status) == (403, 201)
        assert module().fired == [("A", "anonymous")]
        # A function that is called for a write of the system is not the system itself.
        assert (await office.ask("POST", "/api/as-system")).status == 500
        assert module().fired[-1] == ("system", "system")


async def test_passwords_of_administrators_and_functions_are_stored_as_hashes(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @prepare(PAPER, on=["update"])
    def lock(write):
        write.set(lock="sesame")

    @after_write(PAPER, on=["update"])
    def note(write):
        fired.append(write.data["lock"])
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", PAPERS, {"title": "A", "lock": "mine"}, token=office.boss)
        paper = f"{PAPERS}/{made.data['documentId']}"
        changed = await office.ask("PUT", paper, {"title": "B"}, token=office.boss)
        assert (changed.status, changed.data["title"]) == (200, "B")
        assert module().fired == ["sesame"]


async def test_it_gets_the_old_values_that_it_needs(tmp_path: Path, kind: Kind) -> None:
    code = """
    class Paper(Document):
        __uid__ = PAPER
        title: str

    @prepare(Paper, on=["create", "update", "clone"], needs=["title", "margin", "writer"])
    async def note(write: Write[Paper]) -> None:
        before = write.before
        shown = before and (before.title, before.margin, (before.writer or {}).get("name"))
        fired.append((write.action, write.locale, shown, write.changed("title")))
        if write.action == "clone":
            write.set(title=f"Copy of {before.title}")

    @prepare(PAPER, on=["update"], order=1)
    def read_what_it_does_not_need(write):
        try:
            write.value("sold")
        except NotLoadedError:
            fired.append("not loaded")

    @prepare("api::masthead.masthead", on=["update"], needs=["motto"])
    def note_motto(write):
        fired.append(write.before and write.before["motto"])
    """
    async with open_extended(tmp_path, kind, code) as office:
        writer = (await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})).data
        data = {"title": "A", "margin": "m", "writer": writer["documentId"]}
        made = (await office.ask("POST", PAPERS, data, token=office.boss)).data
        assert module().fired == [("create", "en", None, True)]
        module().fired.clear()

        path = f"/api/papers/{made['documentId']}?status=draft"
        await office.ask("PUT", path, {"data": {"title": "A"}})
        await office.ask("PUT", f"{path}&locale=fr", {"data": {"title": "B"}})
        assert (await office.ask("PUT", "/api/papers/nowhere", {"data": {}})).status == 404
        assert module().fired == [
            ("update", "en", ("A", "m", "Ada"), False),
            "not loaded",
            ("update", "fr", None, True),
            "not loaded",
            ("update", "en", None, False),
            "not loaded",
        ]
        module().fired.clear()

        at = f"{PAPERS}/clone/{made['documentId']}"
        clone = await office.ask("POST", at, {"title": "Mine"}, token=office.boss)
        assert (clone.status, clone.data["title"]) == (200, "Copy of A")
        ((action, _, before, changed),) = module().fired
        assert (action, before, changed) == ("clone", ("A", "m", "Ada"), True)
        module().fired.clear()

        single = "/content-manager/single-types/api::masthead.masthead"
        for motto in ("One", "Two"):
            await office.ask("PUT", single, {"motto": motto}, token=office.boss)
        assert module().fired == ["One"]


@pytest.mark.parametrize("action", ["publish", "delete"])
async def test_only_what_has_input_can_be_prepared(tmp_path: Path, kind: Kind, action: str) -> None:
    code = f"""
    @prepare(PAPER, on=["{action}"])
    async def nothing(write):
        pass
    """
    with pytest.raises(Exception, match=f'unknown action "{action}" in on'):
        async with open_extended(tmp_path, kind, code):
            pass


async def test_equal_commands_of_a_transaction_are_prepared_one_by_one(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @prepare(PAPER, on=["create"])
    def number(write):
        fired.append(write.document_id)
        write.set(price=len(fired))
    """

    def act(unit: UnitOfWork) -> Program[None]:
        for _ in range(3):
            yield from run_command(unit, CreateDocument(uid=PAPER, data={"title": "Twin"}))

    async with open_extended(tmp_path, kind, code) as office:
        runtime = parts_of(office).worker.runtime
        assert runtime is not None
        await runtime.documents.run(act)
        found = await office.ask("GET", "/api/papers?status=draft&sort=price")
        assert [one["price"] for one in found.data] == [1, 2, 3]
        assert [one["documentId"] for one in found.data] == module().fired


async def test_a_plain_function_that_raises_a_timeout_fails_as_others_do(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @prepare(PAPER, on=["create"])
    def wait_for_a_socket(write):
        raise TimeoutError("the socket")
    """
    async with open_extended(tmp_path, kind, code) as office:
        with capture_logs() as logs:
            reply = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert reply.status == 500
        assert [one["hook"] for one in logs if one["event"] == "a hook failed"] == [
            "wait_for_a_socket"
        ]
