"""Authentication strategies and ASGI middlewares of a project's code."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from quire.cli import run
from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.project import module, open_extended, schema_in, write_code
from tests.unit.admin_api.office import Office

CODE = """
from urllib.parse import unquote

@auth_strategy("second", order=2)
async def by_id(request: Request):
    fired.append("second")
    found = request.headers.get("x-id")
    return None if found is None else Credential(user_id=int(found))

@auth_strategy("first", order=1)
async def by_email(request: Request):
    fired.append("first")
    match request.headers.get("x-email"):
        case None: return None
        case "raise": raise RuntimeError("hush: " + request.path)
        case "refuse": raise Unauthenticated("Sign in again")
        case "wrong": return "ada@example.com"
        case "empty": return Credential()
        case email: return Credential(user_email=unquote(email))

@asgi_middleware(order=5)
class Inner:
    def __init__(self, app):
        self.app = app
    async def __call__(self, scope, receive, send):
        fired.append("inner")
        if scope["path"] == "/broken":
            raise RuntimeError("hush")
        await self.app(scope, receive, send)

@asgi_middleware()
def outer(app):
    async def wrapped(scope, receive, send):
        fired.append("outer")
        async def send_marked(message):
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"x-marked", b"yes")]
            await send(message)
        await app(scope, receive, send_marked)
    return wrapped

@route.get("/who", public=True)
async def who() -> dict[str, object]:
    return {"kind": principal().kind, "id": principal().id}
"""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory, kind: Kind) -> AsyncIterator[Office]:
    """An office with three end users, for tests that only read."""
    async with open_extended(tmp_path_factory.mktemp("requests"), kind, CODE) as opened:
        for name in ("ada", "ben", "kim"):
            body = {
                "username": name,
                "email": f"{name}@example.com",
                "password": "Correct1horse",
                "confirmed": True,
                "blocked": name == "ben",
                "role": 1,
            }
            target = "/content-manager/collection-types/plugin::users-permissions.user"
            made = await opened.ask("POST", target, body, token=opened.boss)
            assert made.status == 201, made.json
        yield opened


async def test_the_first_strategy_that_knows_a_request_says_who_sends_it(office: Office) -> None:
    email = {"x-email": "Ada@example.com"}
    by_email = (await office.ask("GET", "/api/who", headers=email)).json
    by_id = (await office.ask("GET", "/api/who", headers={"x-id": str(by_email["id"])})).json
    assert by_email["kind"] == "user"
    assert by_id == by_email
    assert (await office.ask("GET", "/api/who")).json == {"kind": "anonymous", "id": None}
    me = await office.ask("GET", "/api/users/me", headers=email)
    assert (me.status, me.json["username"]) == (200, "ada")


async def test_no_shared_cache_stores_a_response_that_a_strategy_may_have_changed(
    office: Office,
) -> None:
    """Its key has none of the headers that the strategies read."""
    for headers in ({}, {"x-email": "ada@example.com"}, {"x-email": "refuse"}):
        reply = await office.ask("GET", "/api/papers", headers=headers)
        assert reply.headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"x-email": "raise"},
        {"x-email": "refuse"},
        {"x-email": "wrong"},
        {"x-email": "empty"},
        {"x-email": "nobody@example.com"},
        {"x-email": "ben@example.com"},
        {"x-email": "%E2%84%AAim@example.com"},  # begins with the Kelvin sign
        {"x-id": "999"},
    ],
)
async def test_whatever_goes_wrong_denies(office: Office, headers: dict[str, str]) -> None:
    refused = await office.ask("GET", "/api/papers", headers=headers)
    assert refused.status == 401
    assert "hush" not in str(refused.json)
    assert (await office.ask("GET", "/api/papers")).status == 200


async def test_middlewares_wrap_the_server_the_lowest_order_outermost(office: Office) -> None:
    module().fired.clear()
    reply = await office.ask("GET", "/api/papers")
    assert module().fired == ["outer", "inner", "first", "second"]
    assert reply.headers["x-marked"] == "yes"
    admin = await office.ask("GET", "/admin/users/me", token=office.boss)
    assert admin.headers["x-marked"] == "yes"


async def test_what_a_middleware_raises_stays_in_the_log(office: Office) -> None:
    broken = await office.ask("GET", "/broken")
    assert broken.status == 500
    assert broken.json["error"]["message"] == "Internal Server Error"
    assert "hush" not in str(broken.json)


def test_strategies_and_middlewares_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, CODE)
    assert run(["hooks", str(tmp_path)]) == 0
    listed = capsys.readouterr().out
    assert listed.index("asgi_middleware outer") < listed.index("asgi_middleware Inner")
    assert listed.index('auth_strategy "first"') < listed.index('auth_strategy "second"')
    run(["check", str(tmp_path)])
    assert 'auth_strategy "first" says who sends requests' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('@auth_strategy("a")\ndef f(request): ...', "f must be an async def"),
        ('@auth_strategy("a")\nasync def f(): ...', "must take one argument, the request"),
        ('@auth_strategy("")\nasync def f(request): ...', "the name must be a text"),
        ('@auth_strategy("a", order="1")\nasync def f(request): ...', "order must be an integer"),
        (
            '@auth_strategy("a")\nasync def f(r): ...\n@auth_strategy("a")\nasync def g(r): ...',
            "there is a strategy of this name already",
        ),
        ("@asgi_middleware()\nclass A: ...", "A must take one argument, the application"),
        (
            "@asgi_middleware()\nclass A:\n    def __init__(self, app): ...",
            "A must have a method __call__(self, scope, receive, send)",
        ),
        ("@asgi_middleware()\nasync def f(app): ...", "f must be a class or a function"),
    ],
)
def test_a_mistake_is_reported(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    with pytest.raises(ExtensionError, match="1 problem") as caught:
        load_extensions(tmp_path, schema)
    assert message in str(caught.value)
