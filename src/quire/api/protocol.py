"""HTTP for reads, without the way around: a GET that can be answered at once is answered at once.

uvicorn starts a task for every request, hands messages back and forth and checks each header it
sends. For an answer that takes a few dozen microseconds that is half of the work. Here the answer
to a plain GET is worked out right where its headers were parsed, and written in one piece. As soon
as it has to wait for anything, it goes on as an ordinary request from where it stands; every other
request, and every one behind one that is under way, takes the ordinary way from the beginning.

This builds on the inside of uvicorn's ``HttpToolsProtocol``, whose version is pinned; a test holds
that both ways answer alike.
"""

import types
from asyncio import AbstractEventLoop
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.server import ServerState

from quire.api.connection import Connection
from quire.api.content import ContentApi
from quire.api.headers import Header, header_lines
from quire.api.messages import (
    NO_CONTENT,
    Answer,
    AsgiApp,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    Request,
    credential_of,
)

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})
"""Requests with any of these are more than a plain read."""


class _Answered:
    """Stands for a request that has had its answer; what still arrives of it is passed over."""

    response_complete = True
    keep_alive = True

    class _Event:
        def set(self) -> None:
            """Nobody waits."""

    message_event = _Event()


_ANSWERED: Any = _Answered()


async def _no_body() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


class ReadProtocol(Connection):
    """One connection.

    Behind middleware (trusted proxies, request logs) everything takes the ordinary way.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._application: Any = self.app if hasattr(self.app, "content") else None
        self._plain = self.limit_concurrency is None and not self.access_log
        self._date_headers: Iterable[Header] | None = None
        self._date_lines = b""
        self._last_read = 0.0

    def on_message_begin(self) -> None:
        """Begin a request; the scope of an ordinary one is made when it is known to be one."""
        self.head_begins()
        self.url = b""
        self.expect_100_continue = False
        self.headers = []

    def on_headers_complete(self) -> None:
        """Answer a plain GET, or leave the request to the ordinary way."""
        self.head_ends()
        content = None if self._application is None else self._application.content
        headers = dict(self.headers)
        if content is None or not self._is_plain_read(headers):
            self._go_on(cast("AsgiApp", self.app))
            return
        path, _, query = self.url.partition(b"?")
        credential = credential_of(headers)
        request = Request("GET", path, query, headers, self.client, credential)
        answering = content.answer(request, _no_body)
        try:
            waiting_for = answering.send(None)
        except StopIteration as done:
            answer: Answer | None = done.value
            if answer is None:
                self._go_on(_deliver(content, _nothing))
            else:
                self._write(answer, content.headers.lines(headers.get(b"origin")))
            return
        self._go_on(_deliver(content, partial(_resumed, answering, waiting_for)))

    def _is_plain_read(self, headers: Mapping[bytes, bytes]) -> bool:
        cycle: Any = self.cycle
        parser = self.parser
        return (
            self._plain
            and parser.get_method() == b"GET"
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and (cycle is None or cycle.response_complete)
            and not self.pipeline
            and not self.flow.write_paused
            and _BODY_HEADERS.isdisjoint(headers)
            and self.url[:1] == b"/"
            and b"#" not in self.url
        )

    def _write(self, answer: Answer, common: bytes) -> None:
        if self._date_headers is not self.server_state.default_headers:
            self._date_headers = self.server_state.default_headers
            self._date_lines = header_lines(self._date_headers)
        body = answer.body
        parts = [STATUS_LINE[answer.status], self._date_lines, common]
        if answer.headers:
            parts.append(header_lines(answer.headers))
        if answer.content_type is not None:
            parts += (b"content-type: ", answer.content_type, b"\r\n")
        if answer.status != NO_CONTENT.status:
            parts.append(b"content-length: %d\r\n" % len(body))
        parts += (b"\r\n", body)
        self.transport.write(b"".join(parts))
        self.cycle = _ANSWERED
        self.server_state.total_requests += 1
        self._last_read = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._arm_keep_alive(self.timeout_keep_alive)

    def _arm_keep_alive(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def _unset_keepalive_if_required(self) -> None:
        """Leave alone the timer of a connection that reads: it looks at the time of the last."""
        if self.cycle is not _ANSWERED:
            super()._unset_keepalive_if_required()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that has been idle for long enough, or look again later."""
        self.timeout_keep_alive_task = None
        rest = self._last_read + self.timeout_keep_alive - self.loop.time()
        if rest > 0 and self.cycle is _ANSWERED:
            self._arm_keep_alive(rest)
        else:
            super().timeout_keep_alive_handler()

    def _go_on(self, application: AsgiApp) -> None:
        """Let a request, or the rest of one, run as an ordinary one."""
        super()._unset_keepalive_if_required()
        url, expects, headers, ordinary = self.url, self.expect_100_continue, self.headers, self.app
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        self.app = cast("ASGI3Application", application)
        try:
            super().on_headers_complete()
        finally:
            self.app = ordinary


def _deliver(
    content: ContentApi, answering: Callable[[], Coroutine[Any, Any, Answer | None]]
) -> AsgiApp:
    """Return an application that waits for an answer under way and sends it.

    It is not called at all when uvicorn refuses the request, so nothing may wait for it before.
    """

    async def application(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await content.deliver(await answering(), scope, receive, send)

    return application


async def _nothing() -> None:
    """Stand for the answer to what is a matter of the public folder."""


async def _resumed(
    answering: Coroutine[Any, Any, Answer | None], waiting_for: object
) -> Answer | None:
    return await _resume(answering, waiting_for)


@types.coroutine
def _resume(
    answering: Coroutine[Any, Any, Answer | None], waiting_for: object
) -> Generator[Any, Any, Answer | None]:
    """Go on with a coroutine that was begun outside of a task, from what it waits for."""
    while True:
        try:
            try:
                sent = yield waiting_for
            except BaseException as error:  # noqa: BLE001 - passed on to where it belongs
                waiting_for = answering.throw(error)
            else:
                waiting_for = answering.send(sent)
        except StopIteration as done:
            answer: Answer | None = done.value
            return answer
