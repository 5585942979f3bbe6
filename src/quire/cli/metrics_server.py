"""Serves metrics on a separate port, those of several processes combined.

A single server process serves its own. With several, the first process, which only starts the
others, serves them: it requests the values of each over a pipe, and keeps the last counters of
those that have ended, so that counters do not go back.
"""

import asyncio
import hmac
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from multiprocessing import Pipe

import msgspec
import structlog
import uvicorn
from uvicorn.server import ServerState

from quire.content_api.connection_limits import LimitedConnection
from quire.content_api.http_messages import AsgiReceive, AsgiScope, AsgiSend
from quire.metrics.families import (
    Families,
    MetricFamily,
    decode_families,
    encode_families,
    merge_families,
    without_gauges,
)

_PATH = "/metrics"
_CHALLENGE = (b"www-authenticate", b"Bearer")
_RESPONSE_SECONDS = 3.0
"""Timeout for the values of a process; without them those of the others are served."""
_COLLECT_STATE = "collect_metrics"
"""The key in the lifespan state with the function that collects the metrics."""

Collect = Callable[[], Awaitable[Families]]

_log = structlog.get_logger("quire.metrics")


class MetricsServer:
    """An HTTP server for metrics, in the event loop that starts it."""

    def __init__(self, listener: socket.socket, collect: Collect, token: str | None = None) -> None:
        """``token`` is the bearer token that requests must carry, if any."""
        self._authorization = None if token is None else f"Bearer {token}".encode()
        self._listener = listener
        self._collect = collect
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Start to serve."""
        loop = asyncio.get_running_loop()
        config = uvicorn.Config(
            self._respond, loop="none", http=LimitedConnection, ws="none", log_config=None,
            access_log=False, server_header=False, interface="asgi3",
        )  # fmt: skip
        config.load()
        state = ServerState()
        self._server = await loop.create_server(
            lambda: LimitedConnection(config, state, {}, loop), sock=self._listener
        )

    async def stop(self) -> None:
        """Accept no more connections; open ones end with the process."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _respond(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        del receive
        if scope["path"] != _PATH or scope["method"] not in {"GET", "HEAD"}:
            await _send(send, 404, b"Not Found\n", "text/plain; charset=utf-8")
            return
        if not self._is_authorized(scope):
            await _send(send, 401, b"Unauthorized\n", "text/plain; charset=utf-8", _CHALLENGE)
            return
        accept = b",".join(value for name, value in scope["headers"] if name == b"accept")
        families = merge_families([await self._collect()])
        text, media_type = await asyncio.to_thread(_render, families, accept.decode("latin-1"))
        body = b"" if scope["method"] == "HEAD" else text
        await _send(send, 200, body, media_type, length=len(text))

    def _is_authorized(self, scope: AsgiScope) -> bool:
        expected_credential = self._authorization
        credentials = [value for name, value in scope["headers"] if name == b"authorization"]
        return expected_credential is None or (
            len(credentials) == 1
            and hmac.compare_digest(credentials[0].strip(), expected_credential)
        )


async def _send(
    send: AsgiSend,
    status: int,
    body: bytes,
    media_type: str,
    *more: tuple[bytes, bytes],
    length: int | None = None,
) -> None:
    headers = [
        *more,
        (b"content-type", media_type.encode()),
        (b"content-length", b"%d" % (len(body) if length is None else length)),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _render(families: Families, accept: str) -> tuple[bytes, str]:
    # Imported by the first request, to keep the start fast.
    from quire.metrics.exposition import render

    return render(families, accept)


class MetricsThread:
    """A metrics server on another thread with its own event loop."""

    def __init__(self, server: MetricsServer) -> None:
        self._server = server
        self._thread = threading.Thread(target=self._run, name="quire-metrics", daemon=True)

    def start(self) -> None:
        """Start to serve; the thread ends with the process."""
        self._thread.start()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        await self._server.start()
        await asyncio.Event().wait()


class MetricsChannel:
    """A pipe between the first process and a server process, over which metrics are requested.

    It is created in the first process and passed to the other one, so it can be pickled.
    """

    def __init__(self) -> None:
        self._asking, self._answering = Pipe()
        self._number = 0

    def handed_over(self) -> None:
        """Close the end of the server process, which has its own copy by now."""
        self._answering.close()

    def ask(self) -> list[MetricFamily] | None:
        """Return the metrics of the process, ``None`` if it does not respond in time."""
        self._number += 1
        latest = time.monotonic() + _RESPONSE_SECONDS
        try:
            self._asking.send_bytes(b"%d" % self._number)
            while self._asking.poll(max(0.0, latest - time.monotonic())):
                number, families = _decode(self._asking.recv_bytes())
                if number == self._number:  # others are replies to requests that timed out
                    return families
        except (OSError, EOFError):
            return None
        return None

    def respond_from_thread(self, server: "MeasuredServer") -> None:
        """Respond in the server process from now on."""
        self._asking.close()
        threading.Thread(target=self._respond, args=(server,), daemon=True).start()

    def _respond(self, server: "MeasuredServer") -> None:
        while True:
            try:
                number = int(self._answering.recv_bytes())
                self._answering.send_bytes(_encode(number, server.collect_from_thread()))
            except (OSError, EOFError):  # the first process has ended
                return


def _encode(number: int, families: Families) -> bytes:
    return msgspec.msgpack.encode((number, encode_families(families)))


def _decode(data: bytes) -> tuple[int, list[MetricFamily]]:
    number, families = msgspec.msgpack.decode(data, type=tuple[int, bytes])
    return number, decode_families(families)


class MeasuredServer(uvicorn.Server):
    """A server from which another thread can request the metrics of its application."""

    _loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, then handle requests."""
        await super().startup(sockets)
        self._loop = asyncio.get_running_loop()

    def collect_from_thread(self) -> Families:
        """Return the present metrics; none before the application has started, or if it fails."""
        collect: Collect | None = self.lifespan.state.get(_COLLECT_STATE) if self._loop else None
        if self._loop is None or collect is None or self._loop.is_closed():
            return []
        future = asyncio.run_coroutine_threadsafe(_collect(collect), self._loop)
        try:
            return future.result(_RESPONSE_SECONDS)
        except Exception as error:  # noqa: BLE001 - the next request gets what is available
            future.cancel()
            _log.warning("metrics cannot be collected", exc_info=error)
            return []


async def _collect(collect: Collect) -> Families:
    return await collect()


class WorkerMetrics:
    """Combines the metrics of several processes."""

    def __init__(self) -> None:
        self._last: dict[int, Families] = {}
        """The last metrics of each process, by its id."""
        self._ended: list[MetricFamily] = []
        """The counters of processes that have ended."""
        self._lock = asyncio.Lock()

    async def collect(self, channels: Mapping[int, MetricsChannel]) -> list[MetricFamily]:
        """Request the metrics of all processes, given by id, and return them combined."""
        async with self._lock:
            reports = await asyncio.gather(
                *(asyncio.to_thread(channel.ask) for channel in channels.values())
            )
            for process in self._last.keys() - channels.keys():
                last = without_gauges(self._last.pop(process))
                self._ended = merge_families([self._ended, last])
            process_families: list[Families] = [self._ended]
            for process, report in zip(channels, reports, strict=True):
                if report:
                    self._last[process] = report
                    process_families.append(report)
                else:
                    process_families.append(without_gauges(self._last.get(process, [])))
            return merge_families(process_families)
