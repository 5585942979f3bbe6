"""Gives each recorded request a span, which is the parent of its statements and calls."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from quire.content_api.http_messages import AsgiApp, AsgiReceive, AsgiScope, AsgiSend, Request
from quire.content_api.request_log import mask_query
from quire.content_api.request_metrics import method_label, route_pattern
from quire.tracing.trace_context import trace_parent_of

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
        """Handle one HTTP request."""
        method, path = method_label(scope["method"]), scope["raw_path"]
        headers = dict(scope["headers"])
        parent = trace_parent_of(headers)
        trace_id: int | None = scope.get(TRACE_ID)
        if trace_id is None:
            trace_id = self._tracing.sample(method, path, parent)
        with (
            request_span(self._tracing, method, path, scope["query_string"], headers, trace_id)
            if trace_id
            else self._tracing.unrecorded(parent)
        ):
            await self._app(scope, receive, send)


def request_span(
    tracing: "Tracing",
    method: str,
    path: bytes,
    raw_query: bytes,
    headers: Mapping[bytes, bytes],
    trace_id: int,
) -> AbstractContextManager[object]:
    """Return the span of a recorded request; ``trace_id`` is the result of `Tracing.sample`."""
    query = mask_query(raw_query) if raw_query else ""
    return tracing.request(method, path, query, headers, trace_id)


def note_response(tracing: "Tracing", request: Request, status: int) -> None:
    """Add route and status to the span of a request, if it is recorded."""
    if tracing.is_recording():
        tracing.note_response(route_pattern(request), method_label(request.method), status)
