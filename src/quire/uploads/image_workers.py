"""Threads and temporary files for image processing."""

import asyncio
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


_NICENESS = 5
_ABANDONED_SECONDS = 86_400
REPLACEMENT_FOLDER = "replacing"
"""The temporary folder that is not cleaned up: its files are needed after a crash."""


class ImageWorkers:
    """A bounded number of threads, and a folder for temporary files."""

    def __init__(self, folder: Path, *, threads: int) -> None:
        """``folder`` is created when it is first needed."""
        self.folder = folder
        self._tidied = False
        self._threads = ThreadPoolExecutor(
            threads, thread_name_prefix="quire-picture", initializer=_step_back
        )

    async def run(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function on a thread; raises what it raises."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: act(*args, **kwargs))

    @asynccontextmanager
    async def bench(self) -> AsyncIterator[Path]:
        """Create a temporary folder, which is deleted afterwards with its content."""
        folder = await asyncio.to_thread(self._make)
        try:
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))

    def _make(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not self._tidied:
            self._tidied = True
            self._delete_leftovers()
        return Path(mkdtemp(dir=self.folder))

    def _delete_leftovers(self) -> None:
        """Delete temporary files of servers that crashed."""
        long_ago = time.time() - _ABANDONED_SECONDS  # noqa: TID251 - compared with real moments
        for leftover in self.folder.iterdir():
            with suppress(OSError):
                if leftover.name != REPLACEMENT_FOLDER and leftover.stat().st_mtime < long_ago:
                    shutil.rmtree(leftover, ignore_errors=True)

    def close(self) -> None:
        """Wait for running work, and accept no more."""
        self._threads.shutdown(wait=True, cancel_futures=True)


def _step_back() -> None:
    """Lower the priority of the thread, if threads have their own."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
