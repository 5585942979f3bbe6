"""Limits of an HTTP connection: size of the head, timeouts.

uvicorn has neither. Without the first, endless headers fill the memory; without the second, slow
clients keep connections open for ever.
"""

from asyncio import AbstractEventLoop, CancelledError, TimerHandle, Transport
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, cast

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

from quire.content_api.http_messages import AsgiApp, AsgiReceive, AsgiScope, AsgiSend

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

MAX_HEAD = 16_384
"""Bytes of a request's target and of the names and values of its headers, together."""


class HeadTooLargeError(Exception):
    """Raised out of the parser, which stops there."""


class LimitedConnection(HttpToolsProtocol):
    """One connection, with limits.

    A head beyond `MAX_HEAD` gets a 431, an incomplete request a 408; both responses are empty, and
    the connection is closed after them. Subclasses that do not pass on the parser's callbacks call
    `head_begins` and `head_ends` themselves.
    """

    period: ClassVar[float] = 20.0
    """Seconds between two checks of a connection. A head has to be complete at the second one."""
    least: ClassVar[int] = 10_000
    """Bytes of a body that have to arrive between two checks."""
    first_request_share: ClassVar[float] = 0.1
    """How long a connection waits for its first request when the server stops, of its time-out."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.app = cast("ASGI3Application", _accepting_cancellation(config.loaded_app))
        self._chunk = 0
        self._in_head = False
        self._began_here = False
        self._head_at_least = 0
        self._head_at_most = 0
        self._too_large = False
        self._watch: TimerHandle | None = None
        self._has_request = False
        self._is_new = True
        self._received_bytes = 0
        self._is_stopping = False

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn
        """Start the checks."""
        super().connection_made(transport)
        self._watch = self.loop.call_later(self.period, self._check_progress)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the checks."""
        if self._watch is not None:
            self._watch.cancel()
        super().connection_lost(exc)

    # The size of a head ----------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Parse data; reject a head that is too large."""
        self._chunk = len(data)
        self._began_here = False
        self._received_bytes += self._chunk
        self._head_at_most += self._chunk
        super().data_received(data)
        # A part of a head's first chunk may belong to the previous request.
        if self._in_head and not self._began_here:
            self._head_at_least += self._chunk
            if self._head_at_least > MAX_HEAD and not self.transport.is_closing():
                self._refuse_head()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self.head_begins()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Pass a request to the application."""
        self.head_ends()
        super().on_headers_complete()
        if self._is_stopping:
            self.cycle.keep_alive = False

    def head_begins(self) -> None:
        """Record the start of a head."""
        self._in_head = self._began_here = self._has_request = self._is_new = True
        self._head_at_least = 0
        self._head_at_most = self._chunk

    def head_ends(self) -> None:
        """Record the end of a head. Raises HeadTooLargeError, which stops the parser."""
        self._in_head = False
        if self._head_at_most > MAX_HEAD:
            size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
            if size > MAX_HEAD:
                self._too_large = True
                raise HeadTooLargeError

    def send_400_response(self, msg: str) -> None:
        """Respond to what the parser stopped at."""
        if self._too_large:
            self._refuse_head()
        else:
            super().send_400_response(msg)

    def _refuse_head(self) -> None:
        """Reject a head; earlier responses must not be confused with this one."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            self._response(431)
        self.transport.close()

    def _response(self, status: int) -> None:
        self.transport.write(
            STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n"
        )

    # Its end ---------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """Close the connection after the running request: the server is stopping.

        A request whose head has begun counts as running, and so does the first one of a connection
        for a moment: a new client is about to send it.
        """
        self._is_stopping = True
        if not self._is_idle():
            self.cycle.keep_alive = False
        elif self._has_request:
            # Received data is processed first.
            self.loop.call_soon(self._close_if_idle)
        else:
            timeout = self.config.timeout_graceful_shutdown or 0
            self.loop.call_later(timeout * self.first_request_share, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if self._is_idle() and not self._in_head:
            self.transport.close()

    def _is_idle(self) -> bool:
        """Tell whether there is no running request."""
        cycle: Any = self.cycle
        return cycle is None or cycle.response_complete

    # Its speed -------------------------------------------------------------------------------

    def _check_progress(self) -> None:
        """Close the connection if its data do not arrive; else check again later."""
        if self.transport.is_closing():
            return
        cycle: Any = self.cycle
        is_between_requests = cycle is None or cycle.response_complete
        if self._is_new or not self._is_client_late():
            self._is_new = False
            self._received_bytes = 0
            self._watch = self.loop.call_later(self.period, self._check_progress)
            return
        if (
            self._has_request
            if is_between_requests
            else not cycle.response_started and not self.pipeline
        ):
            self._response(408)
        self.transport.close()

    def _is_client_late(self) -> bool:
        """Tell whether the client has to send data, and has not sent enough."""
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            return self._in_head or not self._has_request
        return bool(
            cycle.more_body and not self.flow.read_paused and self._received_bytes < self.least
        )


def _accepting_cancellation(application: AsgiApp) -> AsgiApp:
    """Return an application that ends when it is cancelled, which uvicorn treats as an error.

    uvicorn cancels requests that exceed the shutdown timeout. They have sent a response when they
    end, so there is nothing to log.
    """

    async def run(scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        with suppress(CancelledError):
            await application(scope, receive, send)

    return run
