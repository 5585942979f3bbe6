"""The secret detector finds secrets in output."""

import logging
from collections.abc import Callable, Mapping

import orjson
import pytest
import structlog

from tests.conformance.client import AsgiClient, Message, Scope
from tests.hazards.newsroom import ENVIRONMENT, PASSCODE_HASH
from tests.secrecy.logs import show
from tests.secrecy.watch import WATCH, Watch

PASSWORD = "Under-the-bridge-7"
TOKEN = "0123456789abcdef" * 8
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJpZCI6MX0.c2lnbmVk"
LOGIN = orjson.dumps({"identifier": "ada", "password": PASSWORD})


WAYS: Mapping[str, Callable[[str], None]] = {
    "an event": lambda text: structlog.get_logger("quire.test").info(text),
    "a fact": lambda text: structlog.get_logger("quire.test").warning("x", fact={"a": [text]}),
    "an error": lambda text: structlog.get_logger("quire.test").error("x", exc_info=failing(text)),
    "a library's line": lambda text: logging.getLogger("library").warning("%s", text),
    "its error": lambda text: logging.getLogger("library").warning("x", exc_info=failing(text)),
}


@pytest.fixture
def watch() -> Watch:
    """A watch of the test's own, that knows a password and two tokens."""
    watch = Watch()
    watch.sent({"Authorization": f"Bearer {TOKEN}"}, LOGIN)
    watch.record("/api/auth/local", {}, orjson.dumps({"jwt": JWT, "user": {}}), LOGIN)
    assert watch.leaks == []
    return watch


def failing(secret: str) -> ValueError:
    return ValueError(f"not {secret}")


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN, JWT, PASSCODE_HASH])
def test_secrets_are_seen_in_lines_tracebacks_headers_and_responses(
    watch: Watch, secret: str
) -> None:
    show(watch, f"GET /api/users?token={secret} 200")
    show(watch, "request failed", failing(secret))
    watch.record("/api/articles", {"location": f"/?t={secret}"}, b"{}", b"")
    watch.record("/api/articles", {}, orjson.dumps({"data": [{"x": f"a {secret}"}]}), b"")
    watch.record("/api/articles", {}, f"<p>{secret}</p>".encode(), b"")
    watch.record("/api/auth/local", {}, orjson.dumps({"user": {"x": secret}}), LOGIN)
    assert len(watch.leaks) == 6
    assert not any(secret in leak for leak in watch.leaks)


def test_responses_may_give_tokens_out_where_that_is_what_they_are_for(watch: Watch) -> None:
    given = orjson.dumps({"jwt": JWT, "refreshToken": TOKEN})
    watch.record("/api/auth/refresh", {"set-cookie": f"t={TOKEN}"}, given, b"")
    assert watch.leaks == []
    watch.record("/api/users/me", {}, given, b"")
    assert len(watch.leaks) == 1


def test_an_error_may_show_a_value_that_it_refuses_but_not_what_else_was_sent(
    watch: Watch,
) -> None:
    refused = {"path": ["password"], "value": PASSWORD}
    response = orjson.dumps({"error": {"details": {"errors": [refused]}}})
    watch.record("/api/auth/local/register", {}, response, LOGIN)
    assert watch.leaks == []
    watch.record("/api/auth/local/register", {}, response, b"{}")
    whole = {"path": [], "value": {"password": PASSWORD}}
    response = orjson.dumps({"error": {"details": {"errors": [whole]}}})
    watch.record("/api/auth/local/register", {}, response, LOGIN)
    assert len(watch.leaks) == 2


def test_files_that_come_with_the_server_show_nobodys_secrets(watch: Watch) -> None:
    reported = orjson.dumps({"a": PASSWORD})
    watch.record("/docs/swagger-ui-bundle.js", {}, reported, b"")
    assert watch.leaks == []
    watch.record("/docs", {}, reported, b"")
    assert len(watch.leaks) == 1


def test_what_is_no_secret_is_none() -> None:
    watch = Watch()
    watch.sent({"Authorization": "Bearer x"}, b'{"password": "password", "code": "1234567"}')
    watch.sent({}, b'{"data": {"code": "AB-1234567"}, "password": "xxxxxxxxxxx"}')
    watch.record("/api/articles", {}, b'{"a": "password 1234567 AB-1234567 xxxxxxxxxxx"}', b"")
    show(watch, "a password is a required field", failing(TOKEN))
    assert watch.leaks == []


class TestThisRun:
    """The watch of the run itself."""

    @pytest.fixture(autouse=True)
    def _forgets(self) -> None:
        """Let the run go on: what these tests leak is no error of the server."""
        WATCH.keep(PASSWORD)
        assert WATCH.leaks == []

    def leaks(self) -> list[str]:
        found = list(WATCH.leaks)
        WATCH.leaks.clear()
        return found

    @pytest.mark.parametrize("write", WAYS.values(), ids=WAYS)
    def test_it_sees_all_log_lines(self, write: Callable[[str], None]) -> None:
        write("nothing special")
        assert self.leaks() == []
        write(f"signed in with {PASSWORD}")
        assert len(self.leaks()) >= 1

    async def test_it_sees_all_responses(self) -> None:
        async def leaking(scope: Scope, receive: object, send: object) -> None:
            assert callable(send)
            start: Message = {"type": "http.response.start", "status": 200, "headers": []}
            await send(start)
            await send({"type": "http.response.body", "body": scope["path"].encode()})

        client = AsgiClient(leaking)
        await client.request("GET", "/fine")
        assert self.leaks() == []
        await client.request("GET", f"/{PASSWORD}")
        assert len(self.leaks()) == 1

    def test_it_knows_the_secrets_of_the_projects_that_are_served(self) -> None:
        for secret in ENVIRONMENT.values():
            WATCH.keep(secret)
        WATCH.look("here", f"key {ENVIRONMENT['JWT_SECRET']}")
        assert len(self.leaks()) == 1
