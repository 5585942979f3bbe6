"""Lends running applications to one test after the other, with what they began with.

Most of what a short test costs is to copy a database and to start an application on it. Between
tests another connection restores the rows: what an application has cached of them has to be
forgotten then. Uploaded files are restored, too.
"""

import shutil
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from quire.app import Application
from tests.databases.kind import RowSnapshot
from tests.databases.kinds import kind_of


class RunningProject(Protocol):
    """A project that is served in this process."""

    @property
    def app(self) -> Application:
        """The application, which is started."""


T = TypeVar("T", bound=RunningProject)


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
        is_reusable = False
        try:
            yield shared.running
            services = shared.running.app.services
            assert services is not None
            await services.services.background_tasks.close(10)
            is_reusable = shared.restore()
        finally:
            if is_reusable:
                self._idle[(project, *key)] = shared
            else:
                await shared.stack.aclose()

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
        return _SharedApplication(running, project, snapshot, stack)


class _SharedApplication(Generic[T]):
    """An application, and what restores and stops it."""

    def __init__(
        self, running: T, project: Path, snapshot: RowSnapshot, stack: AsyncExitStack
    ) -> None:
        self.running = running
        self.stack = stack
        self._project = project
        self._snapshot = snapshot
        self._served = running.app.settings.project
        self._uploads = self._served / running.app.settings.uploads.directory
        self._upload_times = _times(self._uploads)
        self._state = self._present_state()

    def restore(self) -> bool:
        """Restore rows and uploaded files; `False` if other files or types were changed."""
        if _times(self._uploads) != self._upload_times:
            shutil.rmtree(self._uploads, ignore_errors=True)
            original = self._project / self._uploads.relative_to(self._served)
            if original.exists():
                shutil.copytree(original, self._uploads)
            else:
                self._uploads.mkdir()
        if self._present_state() != self._state:
            return False
        self._snapshot.restore()
        return True

    def _present_state(self) -> tuple[object, ...]:
        return self.running.app.runtime, _times(self._served)


def _times(folder: Path) -> Mapping[Path, int]:
    """Return when the files of a folder of a project were changed."""
    return {
        path: path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if ".tmp" not in path.parts and path.is_file()
    }
