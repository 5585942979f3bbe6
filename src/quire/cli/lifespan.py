"""Starts and stops an ASGI application, and passes start-up errors to the caller."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from quire.errors import QuireError

Message = MutableMapping[str, Any]
Application = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]


class LifespanError(QuireError):
    """The application failed to start or to stop without a reason."""


class Lifespan:
    """The lifespan of an application, in one event loop.

    The server's own class prints a traceback for every error at the start; this one raises the
    error where :meth:`startup` is awaited.
    """

    def __init__(self, application: Application) -> None:
        """Nothing happens until :meth:`startup`."""
        self._application = application
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._responses: asyncio.Queue[Message] = asyncio.Queue()
        self._task: asyncio.Future[None] | None = None
        self.state: dict[str, Any] = {}
        self.should_exit = False

    async def startup(self) -> None:
        """Start the application. Raises what it raised."""
        scope = {
            "type": "lifespan",
            "asgi": {"version": "3.0", "spec_version": "2.0"},
            "state": self.state,
        }
        coroutine = self._application(scope, self._inbox.get, self._responses.put)
        self._task = asyncio.ensure_future(coroutine)
        await self._phase("startup")

    async def shutdown(self) -> None:
        """Stop the application and wait for its end. Raises what it raised."""
        if self._task is None or self._task.done():
            return
        await self._phase("shutdown")
        await self._task

    async def _phase(self, name: str) -> None:
        if self._task is None:
            return
        await self._inbox.put({"type": f"lifespan.{name}"})
        response = asyncio.ensure_future(self._responses.get())
        awaitables: set[asyncio.Future[Any]] = {response, self._task}
        await asyncio.wait(awaitables, return_when=asyncio.FIRST_COMPLETED)
        if not response.done():
            response.cancel()
            await self._task
            return
        message = response.result()
        if message["type"] == f"lifespan.{name}.failed":
            await self._task
            raise LifespanError(message.get("message") or f"The application's {name} failed.")
