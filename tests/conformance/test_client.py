"""The in-process client sends and receives the same bytes as a server."""

import json
from contextvars import ContextVar

import pytest

from tests.conformance.client import (
    AsgiClient,
    Authorization,
    Message,
    Receive,
    Scope,
    Send,
    running,
)
from tests.conformance.corpus import Credentials


class Recorder:
    """An app that keeps what it was asked and always returns the same response."""

    def __init__(self, *chunks: bytes, status: int = 200, starts: bool = True) -> None:
        self.chunks = chunks
        self.status = status
        self.starts = starts
        self.scopes: list[Scope] = []
        self.bodies: list[bytes] = []
        self.phases: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.lifespan(receive, send)
            return
        self.scopes.append(scope)
        self.bodies.append((await receive())["body"])
        headers = [(b"Vary", b"Origin"), (b"Content-Type", b"application/json"), (b"vary", b"A")]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        for chunk in self.chunks:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body"})

    async def lifespan(self, receive: Receive, send: Send) -> None:
        for phase in ("startup", "shutdown"):
            message: Message = await receive()
            self.phases.append(message["type"])
            outcome = "complete" if self.starts else "failed"
            await send({"type": f"lifespan.{phase}.{outcome}", "message": "no database"})
            if not self.starts:
                return


async def test_the_target_reaches_the_app_byte_for_byte() -> None:
    app = Recorder(b"{}")
    await AsgiClient(app).request("GET", "/api/%C3%A9%2Fx//?filters[a]=1&b=%zz&c=%e9")
    (scope,) = app.scopes
    assert scope["raw_path"] == b"/api/%C3%A9%2Fx//"
    assert scope["path"] == "/api/é/x//"
    assert scope["query_string"] == b"filters[a]=1&b=%zz&c=%e9"


async def test_the_method_headers_and_body_reach_the_app() -> None:
    app = Recorder(b"{}")
    await AsgiClient(app).request("PURGE", "/", {"X-Key": "ü"})
    await AsgiClient(app).request("POST", "/", {"Content-Type": "application/json"}, b"[1]")
    await AsgiClient(app).request("DELETE", "/")
    purge, post, delete = app.scopes
    assert purge["method"] == "PURGE"
    assert purge["headers"] == [(b"host", b"127.0.0.1:1337"), (b"x-key", b"\xfc")]
    assert (b"content-length", b"3") in post["headers"]
    assert (b"content-length", b"0") in delete["headers"]
    assert app.bodies == [b"", b"[1]", b""]


async def test_the_response_is_put_together() -> None:
    response = await AsgiClient(Recorder(b'{"a":', b"1}", status=404)).request("GET", "/")
    assert response.status == 404
    assert response.headers == {"vary": "Origin, A", "content-type": "application/json"}
    assert response.json == {"a": 1}
    assert response.text is None


async def test_nothing_follows_the_headers_after_head() -> None:
    response = await AsgiClient(Recorder(b"{}")).request("HEAD", "/")
    assert response.content == b""


async def test_the_app_is_started_and_shut_down() -> None:
    app = Recorder()
    async with running(app):
        assert app.phases == ["lifespan.startup"]
    assert app.phases == ["lifespan.startup", "lifespan.shutdown"]


async def test_an_app_that_does_not_start_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="startup failed: no database"):
        async with running(Recorder(starts=False)):
            pass


async def test_an_app_that_breaks_while_it_starts_says_so_itself() -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise LookupError("no such table")

    with pytest.raises(LookupError, match="no such table"):
        async with running(broken):
            pass


async def test_an_app_that_does_not_wait_for_its_end_is_an_error() -> None:
    async def hasty(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()

    with pytest.raises(RuntimeError, match="startup failed: the app ended"):
        async with running(hasty):
            pass


async def test_requests_are_authorized_as_the_corpus_says_and_users_sign_in_once() -> None:
    app = Recorder(json.dumps({"jwt": "a.b.c"}).encode())
    authorization = Authorization(
        AsgiClient(app), Credentials({"full": "key"}, {"alice": "secret"})
    )
    assert await authorization.headers(None) == {}
    assert await authorization.headers("full") == {"Authorization": "Bearer key"}
    assert await authorization.headers("raw:Basic a:b") == {"Authorization": "Basic a:b"}
    for _ in range(2):
        assert await authorization.headers("user:alice") == {"Authorization": "Bearer a.b.c"}
    assert [json.loads(body) for body in app.bodies] == [
        {"identifier": "alice", "password": "secret"}
    ]


async def test_a_user_who_cannot_sign_in_is_an_error() -> None:
    client = AsgiClient(Recorder(b"{}", status=400))
    with pytest.raises(RuntimeError, match="alice cannot sign in: 400"):
        await Authorization(client, Credentials({}, {"alice": "x"})).headers("user:alice")


async def test_a_request_leaves_nothing_in_the_context_of_the_next_one() -> None:
    """As in a server, where each request has its own."""
    seen: ContextVar[str | None] = ContextVar("seen", default=None)
    found: list[str | None] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append(seen.get())
        seen.set(scope["path"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    client = AsgiClient(app)
    await client.request("GET", "/first")
    await client.request("GET", "/second")
    assert found == [None, None]
    assert seen.get() is None
