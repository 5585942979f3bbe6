"""Called for every request after its response: the request log, and metrics.

There is no observer if both are disabled, so that nothing is measured then.
"""

from collections.abc import MutableMapping
from typing import Any

from quire.content_api.http_messages import AsgiSend, Request
from quire.content_api.request_log import RequestLog
from quire.content_api.request_metrics import RequestMetrics


class RequestObserver:
    """Passes requests to the metrics and the log, of which at least one is given.

    ``in_flight`` counts running requests, without those that respond without waiting.
    """

    def __init__(self, metrics: RequestMetrics | None, log: RequestLog | None) -> None:
        self.in_flight = 0
        self.has_log = log is not None
        self._observers = [observer.add for observer in (metrics, log) if observer is not None]

    def add(self, request: Request, status: int, size: int, seconds: float) -> None:
        """Record a completed request, and how many bytes the body of the response has."""
        for observe in self._observers:
            observe(request, status, size, seconds)


class CountedResponse:
    """The response to one ASGI request: its status, and the bytes of its body."""

    def __init__(self, send: AsgiSend) -> None:
        self._send = send
        self.status = 0
        self.size = 0

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Pass on a message, and count it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.size += len(message.get("body", b""))
        await self._send(message)
