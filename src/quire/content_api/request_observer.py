"""Called for every request after its response: the request log, and metrics.

There is no observer if both are disabled, so that nothing is measured then.
"""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from quire.content_api.http_messages import AsgiSend, Request

Observe = Callable[[Request, int, int, float], None]


class RequestObserver:
    """Passes requests to the log and the metrics.

    ``in_flight`` counts running requests, without those that respond without waiting.
    """

    def __init__(self, observers: Sequence[Observe]) -> None:
        """At least one is given."""
        self.in_flight = 0
        self._observers = tuple(observers)
        self.add: Observe = observers[0] if len(observers) == 1 else self._add
        """Records a completed request: the request, the status, how many bytes the body
        of the response has, and how many seconds it took."""

    def _add(self, request: Request, status: int, size: int, seconds: float) -> None:
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
