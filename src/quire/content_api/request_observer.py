"""What is done with every request that was answered: the request log, and metrics.

There is no observer where neither is wanted, so that nothing is measured then.
"""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from quire.content_api.messages import AsgiSend, Request

Observe = Callable[[Request, int, int, float], None]


class RequestObserver:
    """Tells the log and the metrics of requests. ``in_flight`` counts those under way.

    Requests that are answered without waiting are never under way for anybody who looks.
    """

    def __init__(self, observers: Sequence[Observe]) -> None:
        """There is at least one."""
        self.in_flight = 0
        self._observers = tuple(observers)
        self.add: Observe = observers[0] if len(observers) == 1 else self._add
        """Notes a request that has been answered: the request, the status, how many bytes the body
        of the response has, and the `perf_counter` of its beginning."""

    def _add(self, request: Request, status: int, size: int, started: float) -> None:
        for observe in self._observers:
            observe(request, status, size, started)


class CountedResponse:
    """What is sent as the response to one ASGI request: its status, and the bytes of its body."""

    def __init__(self, send: AsgiSend) -> None:
        self._send = send
        self.status = 0
        self.size = 0

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a message on, and count it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.size += len(message.get("body", b""))
        await self._send(message)
