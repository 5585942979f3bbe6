"""HTTP for reads, without the way around: a GET that can be answered at once is answered at once.

uvicorn starts a task for every request, hands messages back and forth and checks each header it
sends. For an answer that takes a few dozen microseconds that is half of the work. Here the answer
to a plain GET is worked out right where its headers were parsed, and written in one piece. As soon
as it has to wait for anything, a task goes on with it from where it stands; every other request,
and every one behind one that is under way, takes the ordinary way.

This builds on the inside of uvicorn's ``HttpToolsProtocol``, whose version is pinned; a test holds
that both ways answer alike.
"""

import asyncio
import re
import types
from asyncio import AbstractEventLoop
from collections.abc import Awaitable, Coroutine, Generator, Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.server import ServerState

from quire.api.connection import MAX_HEAD, Connection
from quire.api.content import ContentApi, respond_cancelled
from quire.api.envelope import respond_error
from quire.api.headers import AnswerHeaders, Header, header_lines
from quire.api.messages import (
    REQUEST_ID,
    Answer,
    AsgiApp,
    Request,
    credential_of,
)
from quire.errors import ServiceUnavailableError
from quire.logs import request_id

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

_REQUEST_LINE = re.compile(rb"GET (/[!\"$->@-~]*)(?:\?([!\"$-~]*))? HTTP/1\.1")
"""The request line of a plain read: path and query, of printable ASCII without a fragment."""
_LONGEST_KNOWN = 8192
"""How many bytes of a request are kept to compare the next one with."""
_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})
"""Requests with any of these are more than a plain read."""
_CLOSING = b"connection: close\r\n"
_REQUEST_ID, _END = REQUEST_ID + b": ", b"\r\n"


class _Event:
    """Stands for the event that wakes whoever waits for a body."""

    def set(self) -> None:
        """Nobody waits."""


class _Read:
    """Stands for a plain read where uvicorn looks at the request that is under way."""

    __slots__ = ("disconnected", "keep_alive", "more_body", "response_complete", "response_started")

    message_event = _Event()

    def __init__(self, *, answered: bool) -> None:
        self.response_started = self.response_complete = answered
        self.keep_alive = True
        self.more_body = False
        self.disconnected = False


_ANSWERED: Any = _Read(answered=True)
"""A read that has had its answer; what still arrives of it is passed over."""


async def _no_body() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


class _Head:
    """The header fields of a plain read, and what follows from them alone.

    ``common`` are the header lines of its response that are about no content, up to the id of the
    request. ``block`` is everything behind the request line as it was on the wire, if that is
    known.
    """

    __slots__ = ("block", "common", "credential", "fields", "size")

    def __init__(self, fields: Mapping[bytes, bytes], headers: AnswerHeaders) -> None:
        self.fields = fields
        self.credential = credential_of(fields)
        self.common = headers.lines(fields.get(b"origin")) + _REQUEST_ID
        self.block = b""
        self.size = 0

    def stands_behind(self, block: bytes) -> None:
        """Note that these fields are what a block of bytes says."""
        self.block = block
        self.size = len(block)


class ReadProtocol(Connection):
    """One connection.

    Behind middleware (trusted proxies) everything takes the ordinary way.

    Clients send the same header fields with each request of a connection, to the byte. So when a
    plain read arrived in one piece and was answered, and all of the next piece but its request line
    is the same, it is parsed no more: the parser would find what it found before.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        application = config.loaded_app
        self._application: Any = application if hasattr(application, "content") else None
        self._plain = self.limit_concurrency is None
        self._date_headers: Iterable[Header] | None = None
        self._date_lines = b""
        self._last_read = 0.0
        self._known: _Head | None = None
        """The head of the last request, if the next one may be answered by it."""
        self._head: _Head | None = None
        """The head of the last request in this piece, if it was answered right away."""
        self._messages = 0
        """How many requests began in this piece."""
        self._rest: AsgiApp | None = None
        """What goes on with a request whose answer was begun before it was parsed."""

    def data_received(self, data: bytes) -> None:
        """Answer a read whose header fields are known, or parse what came."""
        if self._known is not None and self._is_answered_as_known(data, self._known):
            return
        self._known = self._head = None
        self._messages = 0
        was_at_rest = self._is_at_rest()
        super().data_received(data)
        if was_at_rest and self._messages == 1:
            self._learn(data)

    def _is_answered_as_known(self, data: bytes, known: _Head) -> bool:
        """Answer a piece that is a read with a known head, now or when that has been waited for.

        What is not for the content APIs goes on when the piece was parsed.
        """
        if self.cycle is not _ANSWERED or self.flow.write_paused:
            return False
        if not data.endswith(known.block) or len(data) > MAX_HEAD:
            return False
        line = _REQUEST_LINE.fullmatch(data, 0, len(data) - known.size)
        content: ContentApi | None = self._application.content
        if line is None or content is None:
            return False
        self._rest = self._answer_here(content, line[1], line[2] or b"", known)
        return self._rest is None

    def shutdown(self) -> None:
        """Close the connection after what is under way, which takes the ordinary way from now."""
        self._plain = False
        self._known = None
        super().shutdown()

    def _is_at_rest(self) -> bool:
        """Tell whether the next byte begins a request."""
        cycle: Any = self.cycle
        return not self._in_head and (cycle is None or not cycle.more_body)

    def _learn(self, data: bytes) -> None:
        """Keep the head of the only request in a piece, if another may be answered by it."""
        head = self._head
        line = _REQUEST_LINE.match(data)
        if head is None or line is None or len(data) > _LONGEST_KNOWN:
            return
        head.stands_behind(data[line.end() :])
        self._known = head

    def on_message_begin(self) -> None:
        """Begin a request; the scope of an ordinary one is made when it is known to be one."""
        self.head_begins()
        self._messages += 1
        self.url = b""
        self.expect_100_continue = False
        self.headers = []

    def on_headers_complete(self) -> None:
        """Answer a plain GET, or leave the request to the ordinary way."""
        self.head_ends()
        rest, self._rest = self._rest, None
        if rest is None:
            rest = self._try()
        if rest is not None:
            self._go_on(rest)

    def _try(self) -> AsgiApp | None:
        """Answer the request right away if that can be; else return what goes on with it."""
        content: ContentApi | None = None
        if self._application is not None:
            content = self._application.content
        fields = dict(self.headers)
        if content is None or not self._is_plain_read(fields):
            return cast("AsgiApp", self.app)
        path, _, query = self.url.partition(b"?")
        head = _Head(fields, content.headers)
        rest = self._answer_here(content, path, query, head)
        if rest is None:
            self._head = head
        return rest

    def _answer_here(
        self, content: ContentApi, path: bytes, query: bytes, head: _Head
    ) -> AsgiApp | None:
        """Answer a plain read, now or later; if that is not for it to do, return what does."""
        request = Request("GET", path, query, head.fields, self.client, head.credential)
        started = 0.0 if content.request_log is None else perf_counter()
        answering = content.answer(request, _no_body)
        try:
            waiting_for = answering.send(None)
        except StopIteration as done:
            answer: Answer | None = done.value
            if answer is None:
                return cast("AsgiApp", self.app)
            self._write(answer, head.common + request.id + _END)
            if content.request_log is not None:
                content.request_log.add(request, answer.status, len(answer.body), started)
            return None
        read: Any = _Read(answered=False)
        self.cycle = read
        common = head.common + request.id + _END
        rest = self._finish(request, read, _resume(answering, waiting_for), common)
        task = self.loop.create_task(_logged(rest, content, request, started))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)
        return None

    async def _finish(
        self, request: Request, read: _Read, answering: Awaitable[Answer | None], common: bytes
    ) -> Answer:
        """Answer a read when what it waits for is there, or the server has no time for it."""
        try:
            answer = await answering
        except asyncio.CancelledError:
            answer = respond_cancelled(request)
        if answer is None:  # what it was for went while it waited: another one finds out what is
            answer = respond_error(ServiceUnavailableError())
        if self.transport.is_closing():
            return answer
        latest: Any = self.cycle
        if latest is read and read.keep_alive:
            self._write(answer, common)
            return answer
        read.response_complete = True
        self._send(answer, common + (b"" if read.keep_alive else _CLOSING))
        if not read.keep_alive:
            self.transport.close()
        self.on_response_complete()
        return answer

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
            # Ordinary requests are checked for a host, and for headers that are there twice.
            and len(headers) == len(self.headers)
            and b"host" in headers
            and self.url[:1] == b"/"
            and b"#" not in self.url
        )

    def _write(self, answer: Answer, common: bytes) -> None:
        """Send the answer to a read, behind which no other request waits."""
        self._send(answer, common)
        self.cycle = _ANSWERED
        self.server_state.total_requests += 1
        self._last_read = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._arm_keep_alive(self.timeout_keep_alive)

    def _send(self, answer: Answer, common: bytes) -> None:
        if self._date_headers is not self.server_state.default_headers:
            self._date_headers = self.server_state.default_headers
            self._date_lines = header_lines(self._date_headers)
        described = header_lines(answer.described())
        parts = (STATUS_LINE[answer.status], self._date_lines, common, described, b"\r\n")
        self.transport.write(b"".join((*parts, answer.body)))

    def _arm_keep_alive(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def _unset_keepalive_if_required(self) -> None:
        """Leave alone the timer of a connection that reads: it looks at the time of the last."""
        cycle: Any = self.cycle
        if not isinstance(cycle, _Read):
            super()._unset_keepalive_if_required()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that has been idle for long enough, or look again later."""
        self.timeout_keep_alive_task = None
        cycle: Any = self.cycle
        rest = self._last_read + self.timeout_keep_alive - self.loop.time()
        if not cycle.response_complete:
            self._arm_keep_alive(self.timeout_keep_alive)
        elif rest > 0 and cycle is _ANSWERED:
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


async def _logged(
    answering: Awaitable[Answer], content: ContentApi, request: Request, started: float
) -> None:
    """Go on with a read in a task of its own, and write its line where there is a request log."""
    request_id.set(request.id.decode())
    answer = await answering
    if content.request_log is not None:
        content.request_log.add(request, answer.status, len(answer.body), started)


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
