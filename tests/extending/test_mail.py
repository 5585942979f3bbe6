"""``quire.mail`` sends mails through the configured server; ``quire.wait`` runs coroutines."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

import quire
from quire.mail.message import Mail
from quire.testing.project import RecordingSender
from tests.databases.kind import Kind
from tests.extending.project import module, open_extended, titles, write_code
from tests.unit.admin_api.office import office_project, run_office

CODE = """
@route.post("/mail", public=True)
async def post(to: list[str], inside: bool = False) -> dict[str, str]:
    try:
        if inside:
            async with transaction():
                await mail.send(to, subject="Inside", text="A")
        await mail.send(to, subject="Line\\r\\nBcc: eve@example.org", html="<p>B</p>",
                        sender="Shop <shop@example.org>", reply_to="r@example.org",
                        cc=["c@example.org"])
    except MailError as error:
        return {"error": str(error)}
    return {}

@route.post("/empty", public=True)
async def empty(to: list[str]) -> None:
    await mail.send(to, subject="Nothing")
"""


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> list[Mail]:
    """The mails that were sent."""
    found: list[Mail] = []
    monkeypatch.setattr(quire.mail, "sender", RecordingSender(found))
    return found


async def test_mails_are_handed_over_and_errors_can_be_caught(
    tmp_path: Path, kind: Kind, mails: list[Mail]
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        sent = await office.ask("POST", "/api/mail?to=Ann%20%3Ca@example.org%3E&to=b@example.org")
        wrong = await office.ask("POST", "/api/mail?to=nobody")
        empty = await office.ask("POST", "/api/empty?to=a@example.org")
    assert (sent.json, empty.status) == ({}, 500)
    assert wrong.json == {"error": "an address is not an e-mail address"}
    (mail,) = mails
    assert mail.to == ("Ann <a@example.org>", "b@example.org")
    assert (mail.sender, mail.reply_to, mail.cc) == (
        "Shop <shop@example.org>",
        "r@example.org",
        ("c@example.org",),
    )


async def test_without_a_server_nothing_is_sent(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        reply = await office.ask("POST", "/api/mail?to=a@example.org")
    assert reply.json["error"].startswith("no mail can be sent")


@pytest.mark.parametrize(("environment", "status"), [("development", 500), ("production", 200)])
async def test_within_a_transaction_it_is_an_error_in_development(
    tmp_path: Path, kind: Kind, mails: list[Mail], environment: str, status: int
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings={"environment": environment}) as office:
            with capture_logs() as logs:
                reply = await office.ask("POST", "/api/mail?to=a@example.org&inside=true")
    assert reply.status == status
    assert len(mails) == (0 if status == 500 else 2)
    warned = [one for one in logs if one["event"] == "a request is sent within a transaction"]
    assert len(warned) == (0 if status == 500 else 1)


async def test_a_plain_function_waits_for_coroutines_where_it_has_a_thread(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @route.post("/plain", public=True)
    def plain() -> dict[str, object]:
        made = wait(documents(PAPER).create({"title": "A"}))
        with as_system("a test"):
            kept = wait(documents(PAPER).find_one(made.documentId, status="draft"))

        async def both():
            async with transaction():
                await documents(PAPER).create({"title": "B"})
                raise Conflict("undone")
        try:
            wait(both())
        except Conflict as error:
            return {"kept": "margin" in kept, "error": str(error)}

    @route.post("/async", public=True)
    async def in_the_loop() -> dict[str, str]:
        try:
            wait(documents(PAPER).find())
        except UnitOfWorkError as error:
            return {"error": str(error)}

    @before_write(WRITER, on=["create"])
    def in_a_hook(write):
        try:
            wait(documents(PAPER).find())
        except UnitOfWorkError as error:
            fired.append(str(error))
    """
    async with open_extended(tmp_path, kind, code) as office:
        plain = await office.ask("POST", "/api/plain")
        loop = await office.ask("POST", "/api/async")
        await office.ask("POST", "/api/writers", {"data": {"name": "Ann"}})
        assert plain.json == {"kept": True, "error": "undone"}
        advice = "does not run in a thread of its own: make it an async def"
        assert loop.json == {"error": f"in_the_loop {advice}"}
        assert module().fired == [f"in_a_hook {advice}"]
        assert await titles(office) == ["A"]


def test_outside_of_a_call_there_is_nothing_to_wait_in() -> None:
    with pytest.raises(quire.UnitOfWorkError):
        quire.wait(quire.documents("api::paper.paper").count())
