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
from collections.abc import Coroutine, Generator, Iterable
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from quire.api.content import ContentApi
from quire.api.headers import Header, header_lines
from quire.api.messages import Answer, AsgiReceive, AsgiScope, AsgiSend

_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})


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


class ReadProtocol(HttpToolsProtocol):
    """One connection.

    Behind middleware (trusted proxies, request logs) everything takes the ordinary way.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._application: Any = self.app if hasattr(self.app, "content") else None
        self._date_headers: Iterable[Header] | None = None
        self._date_lines = b""

    def on_headers_complete(self) -> None:
        """Answer a plain GET, or leave the request to the ordinary way."""
        content = None if self._application is None else self._application.content
        if content is None or not self._is_plain_read():
            super().on_headers_complete()
            return
        self._complete_scope()
        scope: Any = self.scope
        answering = content.answer(scope, _no_body)
        try:
            waiting_for = answering.send(None)
        except StopIteration as done:
            answer: Answer | None = done.value
            if answer is None:
                self._go_on(_deliver(content, _finished(None)))
            else:
                self._write(content, answer)
            return
        self._go_on(_deliver(content, _resumed(answering, waiting_for)))

    def _is_plain_read(self) -> bool:
        cycle: Any = self.cycle
        return (
            self.parser.get_method() == b"GET"
            and self.parser.get_http_version() == "1.1"
            and self.parser.should_keep_alive()
            and (cycle is None or cycle.response_complete)
            and not self.pipeline
            and not self.access_log
            and not self.flow.write_paused
            and self.limit_concurrency is None
            and not any(name in _BODY_HEADERS for name, _ in self.headers)
        )

    def _complete_scope(self) -> None:
        url = httptools.parse_url(self.url)
        scope: Any = self.scope
        scope["method"] = "GET"
        scope["path"] = url.path.decode("ascii", "replace")
        scope["raw_path"] = url.path
        scope["query_string"] = url.query or b""

    def _write(self, content: ContentApi, answer: Answer) -> None:
        if self._date_headers is not self.server_state.default_headers:
            self._date_headers = self.server_state.default_headers
            self._date_lines = header_lines(self._date_headers)
        origin = next((value for name, value in self.headers if name == b"origin"), None)
        parts = [STATUS_LINE[answer.status], self._date_lines, content.header_lines(origin)]
        if answer.headers:
            parts.append(header_lines(answer.headers))
        if answer.content_type is not None:
            parts += (b"content-type: ", answer.content_type, b"\r\n")
        if answer.status != 204:  # noqa: PLR2004 - no content, and no word of its length
            parts += (b"content-length: ", str(len(answer.body)).encode(), b"\r\n")
        parts += (b"\r\n", answer.body)
        self.transport.write(b"".join(parts))
        self.cycle = _ANSWERED
        self.on_response_complete()

    def _go_on(self, application: Any) -> None:
        """Let the rest of a request run as an ordinary one."""
        ordinary = self.app
        self.app = application
        try:
            super().on_headers_complete()
        finally:
            self.app = ordinary


def _deliver(content: ContentApi, answering: Coroutine[Any, Any, Answer | None]) -> Any:
    """Return an application that waits for an answer under way and sends it."""

    async def application(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        await content.deliver(await answering, scope, receive, send)

    return application


async def _finished(answer: Answer | None) -> Answer | None:
    return answer


async def _resumed(
    answering: Coroutine[Any, Any, Answer | None], waiting_for: Any
) -> Answer | None:
    return await _resume(answering, waiting_for)


@types.coroutine
def _resume(
    answering: Coroutine[Any, Any, Answer | None], waiting_for: Any
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
