"""Wraps the server in the ASGI middlewares of a project's code."""

from collections.abc import MutableMapping, Sequence
from typing import Any

import structlog

from quire.content_api.envelope import respond_error
from quire.content_api.http_messages import AsgiApp, AsgiReceive, AsgiScope, AsgiSend
from quire.errors import InternalServerError
from quire.hooks.errors import FAILURES, is_cancelled
from quire.hooks.strategies_and_middlewares import AsgiMiddleware

_log = structlog.get_logger("quire.extensions")


def wrap_app(app: AsgiApp, middlewares: Sequence[AsgiMiddleware]) -> AsgiApp:
    """Return an application wrapped in middlewares, of which the first is the outermost."""
    if not middlewares:
        return app
    for middleware in reversed(middlewares):
        app = middleware.wrap(app)
    return _Guard(app)


class _Guard:
    """Responds with a plain 500 if a middleware raises; the exception is only logged."""

    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        is_started = False

        async def send_and_note(message: MutableMapping[str, Any]) -> None:
            nonlocal is_started
            is_started = True
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except FAILURES as error:
            if is_cancelled(error):
                raise
            _log.exception("a middleware failed")
            if is_started:
                raise
            response = respond_error(InternalServerError())
            headers = response.described()
            await send({"type": "http.response.start", "status": 500, "headers": headers})
            await send({"type": "http.response.body", "body": response.body})
