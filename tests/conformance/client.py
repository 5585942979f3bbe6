"""Sends requests to an ASGI app in process, with the bytes that a server would pass."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias
from urllib.parse import unquote

import httptools

from tests.conformance.corpus import JSON, Credentials
from tests.secrecy.watch import WATCH

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
AsgiApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS_WITH_LENGTH = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class ClientResponse:
    """A response; header names are in lower case, repeated headers are joined."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def media_type(self) -> str:
        """The content type without its parameters; empty if there is none."""
        return media_type(self.headers.get("content-type"))

    @property
    def json(self) -> JSON:
        """The body as JSON; None if there is no body or it is something else."""
        return self._decoded()[0]

    @property
    def text(self) -> str | None:
        """The body that is not JSON, in the form of the corpus; None if there is none."""
        return self._decoded()[1]

    def _decoded(self) -> tuple[JSON, str | None]:
        if not self.content:
            return None, None
        if "json" in self.media_type:
            with suppress(ValueError):
                return json.loads(self.content), None
        try:
            return None, self.content.decode()
        except UnicodeDecodeError:
            return None, "base64:" + base64.b64encode(self.content).decode()


def media_type(content_type: str | None) -> str:
    """Return a content type without its parameters, in lower case."""
    return (content_type or "").split(";")[0].strip().lower()


class Client(Protocol):
    """What recorded requests are sent with."""

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        """Send one request without any encoding or normalization, and return the whole response."""
        ...


class AsgiClient:
    """Asks one app that is running, from an address that may be changed."""

    def __init__(self, app: AsgiApp, address: str = "127.0.0.1") -> None:
        self.app = app
        self.address = address

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        """Send one request and return the whole response.

        Args:
            method: Any method, known or not.
            raw_target: Path and query string; sent as they stand, nothing is encoded or tidied.
            headers: In addition to Host and, where a client would send it, Content-Length.
            body: Sent in one piece.

        Raises:
            Whatever the app raises: a server would have to answer 500 then.
        """
        sent = {"host": "127.0.0.1:1337", **{k.lower(): v for k, v in (headers or {}).items()}}
        if body or method in METHODS_WITH_LENGTH:
            sent.setdefault("content-length", str(len(body)))
        WATCH.sent(sent, body)
        exchange = _Exchange(body)
        scope = _http_scope(method, raw_target, sent, self.address)
        # As in a server, where a request has no context of another one.
        await asyncio.create_task(self._call(scope, exchange), context=Context())
        # Whatever the app gives, a server sends no body after HEAD.
        response = exchange.response(with_body=method != "HEAD")
        WATCH.record(raw_target, response.headers, response.content, body)
        return response

    async def _call(self, scope: Scope, exchange: "_Exchange") -> None:
        await self.app(scope, exchange.receive, exchange.send)


def _http_scope(method: str, raw_target: str, headers: Mapping[str, str], address: str) -> Scope:
    url = httptools.parse_url(raw_target.encode("ascii"))
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(url.path.decode("ascii")),
        "raw_path": url.path,
        "query_string": url.query or b"",
        "root_path": "",
        "headers": [(k.encode("latin-1"), v.encode("latin-1")) for k, v in headers.items()],
        "client": (address, 50_000),
        "server": ("127.0.0.1", 1337),
        "state": {},
    }


@dataclass(slots=True)
class _Exchange:
    """The two ends of one request."""

    body: bytes
    received: bool = False
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    complete: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> Message:
        if not self.received:
            self.received = True
            return {"type": "http.request", "body": self.body, "more_body": False}
        await self.complete.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for raw_name, raw_value in message.get("headers", ()):
                name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
                present = self.headers.get(name)
                self.headers[name] = value if present is None else f"{present}, {value}"
        elif message["type"] == "http.response.body":
            self.chunks.append(message.get("body", b""))
            if not message.get("more_body", False):
                self.complete.set()

    def response(self, *, with_body: bool) -> ClientResponse:
        assert self.complete.is_set(), "the app returned without finishing its answer"
        return ClientResponse(
            self.status, self.headers, b"".join(self.chunks) if with_body else b""
        )


@asynccontextmanager
async def running(app: AsgiApp) -> AsyncIterator[AsgiClient]:
    """Start the app by the lifespan protocol, and shut it down afterwards.

    Raises:
        RuntimeError: The application could not start or shut down.
    """
    WATCH.learn(getattr(app, "settings", None))
    to_app: asyncio.Queue[Message] = asyncio.Queue()
    from_app: asyncio.Queue[Message] = asyncio.Queue()
    scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": {}}

    async def lifespan() -> None:
        try:
            await app(scope, to_app.get, from_app.put)
        finally:
            from_app.put_nowait({"type": "end", "message": "the app ended"})

    async def pass_through(phase: str) -> None:
        to_app.put_nowait({"type": f"lifespan.{phase}"})
        message = await from_app.get()
        if message["type"] != f"lifespan.{phase}.complete":
            await task
            raise RuntimeError(f"{phase} failed: {message.get('message', '')}")

    task = asyncio.create_task(lifespan())
    await pass_through("startup")
    try:
        yield AsgiClient(app)
    finally:
        await pass_through("shutdown")
        await task


class Authorization:
    """Turns the `auth` of a case into headers; signs each end user in once."""

    def __init__(self, client: Client, credentials: Credentials) -> None:
        self.client = client
        self.credentials = credentials
        self.session_tokens: dict[str, str] = {}

    async def headers(self, auth: str | None) -> dict[str, str]:
        """Return the Authorization header for a case, or none."""
        if auth is None:
            return {}
        kind, _, rest = auth.partition(":")
        if kind == "raw":
            return {"Authorization": rest}
        if kind == "bearer":
            return {"Authorization": f"Bearer {rest}"}
        token = await self._session_token(rest) if kind == "user" else None
        return {"Authorization": f"Bearer {token or self.credentials.api_tokens[auth]}"}

    async def _session_token(self, user: str) -> str:
        if user not in self.session_tokens:
            credentials = {"identifier": user, "password": self.credentials.passwords[user]}
            response = await self.client.request(
                "POST",
                "/api/auth/local",
                {"Content-Type": "application/json"},
                json.dumps(credentials).encode(),
            )
            if response.status != 200:
                raise RuntimeError(f"{user} cannot sign in: {response.status} {response.content!r}")
            self.session_tokens[user] = json.loads(response.content)["jwt"]
        return self.session_tokens[user]
