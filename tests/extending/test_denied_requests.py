"""The log of a development server says why requests are denied."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.extending.project import FILE, IMPORTS, write_code
from tests.extending.test_routes import ROLE, role_id
from tests.extending.test_rules_by_principal import user
from tests.unit.admin_api.office import BOSS, office_project, run_office

_FIRST = IMPORTS.count("\n") + 1
DENYING = """
def closed(context):
    return False

@route.get("/papers/vote")
async def vote() -> None: ...

@route.get("/papers/closed", public=True, policies=[closed])
async def shut() -> None: ...

@route.get("/papers/inner", public=True)
async def inner() -> list[Document]:
    return await documents(PAPER).find()
"""


REJECTING = """
@before_write(PAPER, on=["create"])
async def price(write):
    await documents(WRITER).count(filters={"nam": "Ada"})

@route.get("/papers/inner", public=True)
async def inner() -> int:
    return await documents(PAPER).count(filters={"titel": "A"})
"""


@pytest.mark.parametrize("environment", ["development", "production"])
async def test_development_logs_which_function_rejects_a_request(
    tmp_path: Path, kind: Kind, environment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, REJECTING)
        async with run_office(project, settings={"environment": environment}) as office:
            hook = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
            route = await office.ask("GET", "/api/papers/inner")
            client = await office.ask("GET", "/api/papers?filters[titel]=A")
    assert [hook.error, route.error, client.error] == [
        "Invalid key nam",
        "Invalid key titel",
        "Invalid key titel",
    ]
    logged = [line for line in capsys.readouterr().out.splitlines() if "Invalid key" in line]
    if environment == "production":
        assert logged == []
        return
    for line, name, first_line in zip(logged, ("price", "inner"), (1, 5), strict=True):
        assert "a function of the project rejects the request" in line
        assert f"raised by {name} ({FILE}:{_FIRST + first_line})" in line


@pytest.mark.parametrize("environment", ["development", "production"])
async def test_development_logs_why_a_request_is_denied(
    tmp_path: Path, kind: Kind, environment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, DENYING)
        async with run_office(project, settings={"environment": environment}) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            token = await user(office, "ada")
            path = f"{ROLE}/{await role_id(office, 'public')}"
            role = (await office.ask("GET", path, token=office.boss)).json["role"]
            role["permissions"]["api::paper"]["controllers"]["paper"]["find"]["enabled"] = False
            assert (await office.ask("PUT", path, role, token=office.boss)).status == 200
            replies = [
                await office.ask("GET", "/api/papers/vote", token=token),
                await office.ask("GET", "/api/papers/closed"),
                await office.ask("GET", "/api/papers/inner"),
                await office.ask("GET", "/api/papers"),
            ]
            unknown = await office.ask("GET", "/api/papers", token="unknown")
    assert [(reply.status, reply.error) for reply in replies] == [(403, "Forbidden")] * 4
    assert unknown.status == 401
    lines = capsys.readouterr().out.splitlines()
    logged = [line for line in lines if "forbidden" in line or "unauthorized" in line]
    reasons = (
        "the role Authenticated lacks api::paper.paper.vote",
        f"the policy closed ({FILE}:{_FIRST + 1}) denied",
        "the public role lacks api::paper.paper.find, which inner needs for documents()",
        "the public role lacks api::paper.paper.find",
        "the token is neither an API token nor a JWT of this server",
    )
    assert len(logged) == (len(reasons) if environment == "development" else 0)
    for line, reason in zip(logged, reasons, strict=False):
        assert reason in line
