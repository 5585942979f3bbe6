"""An event loop on another thread, in which projects under test run.

Tests may run in whatever loop their plug-in provides, or in none: they wait for results of this
one.
"""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """The loop, which runs from `start` to `stop`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="quire-testing", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the loop, and wait for its thread to end."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop, and wait for it in the calling thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    async def wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop, and await it in another one."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, self._loop))

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
