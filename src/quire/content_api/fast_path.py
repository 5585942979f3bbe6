"""Fast path for reads: a GET of content is handled where its header was parsed, if possible.

uvicorn starts a task for every request, passes ASGI messages and checks each header that it sends.
For a response that takes a few dozen microseconds that is half of the work. So this protocol calls
`ContentApi.respond_now` first, a function that never waits, and writes its response in one piece. A
read of content that has to wait (mostly for the database) runs in its own task, which writes its
response in one piece, too. Everything else is an ordinary ASGI request, and so are requests that
are pipelined behind a running one.

This uses internals of uvicorn's ``HttpToolsProtocol``, whose version is pinned; a test checks that
a request gets the same response either way.
"""

import asyncio
import re
from asyncio import AbstractEventLoop
from collections.abc import Coroutine, Iterable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.server import ServerState

from quire.content_api.application import ContentApi, respond_cancelled
from quire.content_api.connection_limits import MAX_HEAD, LimitedConnection
from quire.content_api.envelope import respond_error
from quire.content_api.headers import Header, ResponseHeaders, header_lines
from quire.content_api.http_messages import REQUEST_ID, Request, Response, credential_of
from quire.content_api.request_tracing import TRACE_ID, note_response, request_span
from quire.errors import ServiceUnavailableError
from quire.logging import request_id, trace_parent
from quire.tracing.trace_context import trace_parent_of

if TYPE_CHECKING:
    from quire.tracing.otel import RateLimitingSampler, Tracing

_REQUEST_LINE = re.compile(rb"GET (/[!\"$->@-~]*)(?:\?([!\"$-~]*))? HTTP/1\.1")
"""The request line of a plain read: path and query, of printable ASCII without a fragment."""
_MAX_CACHED_REQUEST = 8192
"""How many bytes of a request are stored to compare the next one with."""
_BODY_HEADERS = frozenset({b"content-length", b"transfer-encoding", b"expect", b"upgrade"})
"""Headers of requests with a body or an upgrade, which uvicorn has to handle."""
_CONNECTION_CLOSE = b"connection: close\r\n"
_REQUEST_ID, _END = REQUEST_ID + b": ", b"\r\n"


class _MessageEvent:
    """Replaces the event that wakes an ASGI application which waits for a body."""

    def set(self) -> None:
        """Do nothing: there is no waiting task."""


class _ReadCycle:
    """Replaces uvicorn's ``RequestResponseCycle`` while a read of content runs."""

    __slots__ = ("disconnected", "keep_alive", "more_body", "response_complete", "response_started")

    message_event = _MessageEvent()

    def __init__(self, *, is_complete: bool) -> None:
        self.response_started = self.response_complete = is_complete
        self.keep_alive = True
        self.more_body = False
        self.disconnected = False


_COMPLETED_CYCLE: Any = _ReadCycle(is_complete=True)
"""The cycle after the response; later data of the request are ignored."""


async def _recorded(
    tracing: "Tracing", request: Request, trace_id: int, work: Coroutine[Any, Any, None]
) -> None:
    """Run the work on a request in its span."""
    method, path, query = request.method, request.path, request.raw_query
    with request_span(tracing, method, path, query, request.headers, trace_id):
        await work


async def _receive_no_body() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


class _Head:
    """The header fields of a plain read, and derived values.

    ``common`` are the header lines of its response that are independent of the content, up to the
    id of the request. ``limit`` alone decides whether a request is recorded; without it, the
    sampler has to be asked. ``block`` is everything after the request line in its received form, if
    known.
    """

    __slots__ = ("block", "common", "credential", "fields", "limit", "size", "trace_parent")

    def __init__(
        self,
        fields: Mapping[bytes, bytes],
        headers: ResponseHeaders,
        limit: "RateLimitingSampler | None",
    ) -> None:
        self.fields = fields
        self.credential = credential_of(fields)
        self.trace_parent = trace_parent_of(fields)
        self.limit = limit if self.trace_parent is None else None
        self.common = headers.lines(fields.get(b"origin")) + _REQUEST_ID
        self.block = b""
        self.size = 0

    def remember_block(self, block: bytes) -> None:
        """Store the bytes from which these fields were parsed."""
        self.block = block
        self.size = len(block)


class FastPathProtocol(LimitedConnection):
    """One connection. Behind middleware (trusted proxies) every request is an ordinary one.

    Clients send the same header fields with each request of a connection. So if a plain read
    arrived in one piece and was handled on the fast path, and the next piece is the same except for
    its request line, it is not parsed again.
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
        self._uses_fast_path = self.limit_concurrency is None
        self._date_headers: Iterable[Header] | None = None
        self._date_lines = b""
        self._last_read = 0.0
        """The `perf_counter` of the last response to a read."""
        self._cached_head: _Head | None = None
        """The head of the last request, if the next one may be compared with it."""
        self._head: _Head | None = None
        """The head of the last request in this piece, if it used the fast path."""
        self._messages = 0
        """How many requests began in this piece."""
        self._trace_id: int | None = None
        """The result of `Tracing.sample` for the present request: each is sampled once."""

    def data_received(self, data: bytes) -> None:
        """Respond to a read with known header fields, or parse the data."""
        if self._cached_head is not None and self._respond_with_cached_head(
            data, self._cached_head
        ):
            return
        self._cached_head = self._head = None
        self._messages = 0
        was_at_rest = self._is_between_requests()
        super().data_received(data)
        if was_at_rest and self._messages == 1:
            self._cache_head(data)

    def _respond_with_cached_head(self, data: bytes, head: _Head) -> bool:
        """Respond to a read whose header fields are those of the last one; tell whether it is one.

        The fields are compared as bytes. The request line has to match a strict pattern, because
        the parser, which rejects malformed ones, does not see it.
        """
        if self.cycle is not _COMPLETED_CYCLE or self.flow.write_paused:
            return False
        if not data.endswith(head.block) or len(data) > MAX_HEAD:
            return False
        line = _REQUEST_LINE.fullmatch(data, 0, len(data) - head.size)
        content: ContentApi | None = self._application.content
        if line is None or content is None:
            return False
        return self._respond_to_read(content, line[1], line[2] or b"", head)

    def shutdown(self) -> None:
        """Close the connection after the running request; later ones use the ordinary path."""
        self._uses_fast_path = False
        self._cached_head = None
        super().shutdown()

    def _is_between_requests(self) -> bool:
        """Tell whether the next byte begins a request."""
        cycle: Any = self.cycle
        return not self._in_head and (cycle is None or not cycle.more_body)

    def _cache_head(self, data: bytes) -> None:
        """Keep the head of the only request in a piece, if its response can be reused."""
        head = self._head
        line = _REQUEST_LINE.match(data)
        if head is None or line is None or len(data) > _MAX_CACHED_REQUEST:
            return
        head.remember_block(data[line.end() :])
        self._cached_head = head

    def on_message_begin(self) -> None:
        """Begin a request, without the ASGI scope that uvicorn creates here.

        `_continue_as_ordinary` creates it for requests that need it.
        """
        self.head_begins()
        self._messages += 1
        self.url = b""
        self.expect_100_continue = False
        self.headers = []

    def on_headers_complete(self) -> None:
        """Respond to a read of content, or create an ordinary request."""
        self.head_ends()
        if not self._respond_to_parsed():
            self._continue_as_ordinary()

    def _respond_to_parsed(self) -> bool:
        """Respond to the request that was parsed if it is a read of content."""
        content: ContentApi | None = None
        if self._application is not None:
            content = self._application.content
        fields = dict(self.headers)
        if content is None or not self._is_plain_read(fields):
            return False
        path, _, query = self.url.partition(b"?")
        limit = None if content.tracing is None else content.tracing.limit
        head = _Head(fields, content.headers, limit)
        if not self._respond_to_read(content, path, query, head):
            return False
        self._head = head
        return True

    def _respond_to_read(self, content: ContentApi, path: bytes, query: bytes, head: _Head) -> bool:
        """Respond to a plain read of content, now or in a task; return whether it is one.

        One that is recorded in a trace always has a task.
        """
        tracing, observer = content.tracing, content.observer
        start_time = 0.0 if observer is None and tracing is None else perf_counter()
        if tracing is not None and self._trace_id is None:
            limit = head.limit
            # Its time is compared first: that is all that most requests need.
            if limit is None or start_time >= limit.next_start:
                parent = head.trace_parent
                self._trace_id = tracing.sample("GET", path, parent)
                if self._trace_id == 0 and parent is not None:
                    # It is not recorded, but log lines and calls have the trace of the client.
                    token = trace_parent.set(parent)
                    try:
                        return self._respond_to_read(content, path, query, head)
                    finally:
                        trace_parent.reset(token)
        request = Request("GET", path, query, head.fields, self.client, head.credential)
        trace_id = self._trace_id
        response = None if trace_id else content.respond_now(request)
        if response is not None:
            self._trace_id = None
            self._write(response, head.common + request.id + _END)
            if observer is not None:
                seconds, size = self._last_read - start_time, len(response.body)
                match = None if observer.has_log or request.found is None else request.found[1]
                series = None if match is None else match[0].series.get(response.status)
                if series is None:
                    observer.add(request, response.status, size, seconds)
                else:  # the usual case, for which calls would take most of the time
                    series.size += size
                    series.observe(seconds)
            return True
        if not content.reads_content(request):
            return False
        self._trace_id = None
        cycle: Any = _ReadCycle(is_complete=False)
        self.cycle = cycle
        common = head.common + request.id + _END
        work = self._respond_in_task(content, request, cycle, common, start_time)
        if trace_id and tracing is not None:
            work = _recorded(tracing, request, trace_id, work)
        task = self.loop.create_task(work)
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)
        return True

    async def _respond_in_task(
        self,
        content: ContentApi,
        request: Request,
        read: _ReadCycle,
        common: bytes,
        start_time: float,
    ) -> None:
        """Respond to a read that has to wait or is recorded, in its own task."""
        request_id.set(request.id.decode())
        tracing, observer = content.tracing, content.observer
        if observer is not None:
            observer.in_flight += 1
        try:
            response = await content.response(request, _receive_no_body)
        except asyncio.CancelledError:
            response = respond_cancelled(request)
        finally:
            if observer is not None:
                observer.in_flight -= 1
        if response is None:  # its content type was removed meanwhile; a new request gets 404
            response = respond_error(ServiceUnavailableError())
        if not self.transport.is_closing():
            self._complete(read, response, common)
        if observer is not None:
            seconds = perf_counter() - start_time
            observer.add(request, response.status, len(response.body), seconds)
        if tracing is not None:
            note_response(tracing, request, response.status)

    def _complete(self, read: _ReadCycle, response: Response, common: bytes) -> None:
        """Write the response to a read that had to wait, and process the following data."""
        latest_cycle: Any = self.cycle
        if latest_cycle is read and read.keep_alive:
            self._write(response, common)
            return
        read.response_complete = True
        self._send(response, common + (b"" if read.keep_alive else _CONNECTION_CLOSE))
        if not read.keep_alive:
            self.transport.close()
        self.on_response_complete()

    def _is_plain_read(self, headers: Mapping[bytes, bytes]) -> bool:
        cycle: Any = self.cycle
        parser = self.parser
        return (
            self._uses_fast_path
            and parser.get_method() == b"GET"
            and parser.get_http_version() == "1.1"
            and parser.should_keep_alive()
            and (cycle is None or cycle.response_complete)
            and not self.pipeline
            and not self.flow.write_paused
            and _BODY_HEADERS.isdisjoint(headers)
            # Ordinary requests are checked for a host, and for repeated headers.
            and len(headers) == len(self.headers)
            and b"host" in headers
            and self.url[:1] == b"/"
            and b"#" not in self.url
        )

    def _write(self, response: Response, common: bytes) -> None:
        """Send the response to a read without a pipelined request."""
        self._send(response, common)
        self.cycle = _COMPLETED_CYCLE
        self.server_state.total_requests += 1
        self._last_read = perf_counter()
        if self.timeout_keep_alive_task is None:
            self._start_keep_alive_timer(self.timeout_keep_alive)

    def _send(self, response: Response, common: bytes) -> None:
        if self._date_headers is not self.server_state.default_headers:
            self._date_headers = self.server_state.default_headers
            self._date_lines = header_lines(self._date_headers)
        lines = header_lines(response.described())
        parts = (STATUS_LINE[response.status], self._date_lines, common, lines, b"\r\n")
        self.transport.write(b"".join((*parts, response.body)))

    def _start_keep_alive_timer(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def _unset_keepalive_if_required(self) -> None:
        """Keep the timer of a connection that reads: it checks the time of the last request."""
        cycle: Any = self.cycle
        if not isinstance(cycle, _ReadCycle):
            super()._unset_keepalive_if_required()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that has been idle for long enough, or check again later."""
        self.timeout_keep_alive_task = None
        cycle: Any = self.cycle
        remaining_seconds = self._last_read + self.timeout_keep_alive - perf_counter()
        if not cycle.response_complete:
            self._start_keep_alive_timer(self.timeout_keep_alive)
        elif remaining_seconds > 0 and cycle is _COMPLETED_CYCLE:
            self._start_keep_alive_timer(remaining_seconds)
        else:
            super().timeout_keep_alive_handler()

    def _continue_as_ordinary(self) -> None:
        """Let uvicorn run the application for the request that was parsed."""
        super()._unset_keepalive_if_required()
        url, expects, headers = self.url, self.expect_100_continue, self.headers
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        if self._trace_id is not None:
            scope: Any = self.scope
            scope[TRACE_ID] = self._trace_id
            self._trace_id = None
        super().on_headers_complete()
