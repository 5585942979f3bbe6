"""Gives each request a span, which is the parent of its statements and calls."""

from typing import TYPE_CHECKING

from quire.content_api.http_messages import AsgiApp, AsgiReceive, AsgiScope, AsgiSend, Request
from quire.content_api.request_log import mask_query
from quire.content_api.request_metrics import method_label, route_pattern

if TYPE_CHECKING:
    from quire.tracing.otel import Tracing

TRACE_ID = "quire.trace_id"
"""The key of a scope with the result of `Tracing.sample`, if the server has asked for it."""


class TracedApp:
    """An ASGI application around another one."""

    def __init__(self, app: AsgiApp, tracing: "Tracing") -> None:
        self._app = app
        self._tracing = tracing

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Respond to one HTTP request."""
        trace_id = scope.get(TRACE_ID)
        if trace_id == 0:
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        path = scope["raw_path"].decode("latin-1")
        query = mask_query(scope["query_string"])
        method = method_label(scope["method"])
        with self._tracing.request(method, path, query, headers, trace_id=trace_id):
            await self._app(scope, receive, send)


def note_response(tracing: "Tracing", request: Request, status: int) -> None:
    """Add route and status to the span of a request, if it is recorded."""
    if tracing.is_recording():
        tracing.note_response(route_pattern(request), method_label(request.method), status)
