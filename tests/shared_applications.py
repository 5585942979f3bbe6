"""Lends running applications to one test after the other, with the rows that they began with.

Most of what a short test costs is to copy a database and to start an application on it. Between
tests another connection restores the rows: what an application has cached of them has to be
forgotten then.
"""

from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from quire.app import Application
from tests.databases.kind import RowSnapshot
from tests.databases.kinds import kind_of


class Running(Protocol):
    """A project that is served in this process."""

    @property
    def app(self) -> Application:
        """The application, which is started."""


T = TypeVar("T", bound=Running)


class SharedApplications(Generic[T]):
    """Keeps applications running between tests."""

    def __init__(self, make_folder: Callable[[str], Path]) -> None:
        """Each application has a folder of its own; nothing is started before it is wanted."""
        self._make_folder = make_folder
        self._idle: dict[Hashable, _SharedApplication[T]] = {}

    @asynccontextmanager
    async def lend(
        self, project: Path, serve: Callable[[Path], AbstractAsyncContextManager[T]], *key: Hashable
    ) -> AsyncIterator[T]:
        """Lend an application that serves a copy of a project with its sealed database.

        It is one that was lent before, if there is one for the same project and key.
        """
        shared = self._idle.pop((project, *key), None) or await self._start(project, serve)
        yield shared.running
        services = shared.running.app.services
        assert services is not None
        await services.services.background_tasks.close(10)
        if not shared.is_as_before():
            await shared.stack.aclose()
            return
        shared.snapshot.restore()
        self._idle[(project, *key)] = shared

    async def close(self) -> None:
        """Stop all of them."""
        for shared in self._idle.values():
            await shared.stack.aclose()

    async def _start(
        self, project: Path, serve: Callable[[Path], AbstractAsyncContextManager[T]]
    ) -> "_SharedApplication[T]":
        kind, stack = kind_of(project), AsyncExitStack()
        copy = kind.copy(project, self._make_folder("shared") / project.name)
        stack.callback(kind.release, copy)
        running = await stack.enter_async_context(serve(copy))
        database = running.app.settings.database
        file = copy / database.filename
        snapshot = kind.snapshot({"database.filename": file, "database.url": database.url})
        stack.callback(snapshot.close)
        return _SharedApplication(running, snapshot, stack)


class _SharedApplication(Generic[T]):
    """An application, and what restores and stops it."""

    def __init__(self, running: T, snapshot: RowSnapshot, stack: AsyncExitStack) -> None:
        self.running = running
        self.snapshot = snapshot
        self.stack = stack
        self._state = self._present_state()

    def is_as_before(self) -> bool:
        """Tell whether neither files nor types were changed: that is not restored."""
        return self._present_state() == self._state

    def _present_state(self) -> tuple[object, ...]:
        files = [
            (path, path.stat().st_mtime_ns)
            for path in self.running.app.settings.project.rglob("*")
            if ".tmp" not in path.parts
        ]
        return self.running.app.runtime, sorted(files)
