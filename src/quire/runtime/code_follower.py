"""Follows changes of a project's Python files in development: imports them, and adopts the code."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

import structlog

from quire.errors import QuireError
from quire.extension_loading import ImportedModules, import_modules, python_files
from quire.settings import Settings

_POLL_SECONDS = 0.05

_log = structlog.get_logger("quire.extensions")


class RestartRequiredError(QuireError):
    """The changed code can be used by a server that starts with it only."""


class CodeFollower:
    """Checks twenty times a second whether a Python file of a project has changed.

    ``adopt`` handles new requests by the imported modules. Code with a mistake is reported and not
    used: the present code stays until a file changes again. ``restart`` is called when the server
    has to be started again to use the code.
    """

    def __init__(
        self,
        settings: Settings,
        adopt: Callable[[ImportedModules], Awaitable[None]],
        restart: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._adopt = adopt
        self._restart = restart
        self._times = _times_of(settings.project)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start to check."""
        self._task = asyncio.get_running_loop().create_task(self._follow())

    async def stop(self) -> None:
        """Stop to check."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            times = await asyncio.to_thread(_times_of, self._settings.project)
            changed = {path for path, _ in times.items() ^ self._times.items()}
            if changed:
                self._times = times
                _forget_bytecode(changed)
                await self._load()

    async def _load(self) -> None:
        try:
            project, settings = self._settings.project, self._settings
            await self._adopt(await asyncio.to_thread(import_modules, project, settings))
        except RestartRequiredError as error:
            _log.info(f"the server restarts, because {error}")
            self._restart()
        except QuireError as error:
            _log.error(f"The former code stays in use. {error}")
        except Exception:  # noqa: BLE001 - imported code may raise anything
            _log.exception("the changed code cannot be used: the former code stays in use")
        else:
            _log.info("the changed code is in use")


def _forget_bytecode(paths: Collection[Path]) -> None:
    """Delete the cached bytecode of files.

    Python takes it for that of the changed file if that has the same size, in the same second.
    """
    for path in paths:
        with suppress(OSError):  # whoever may not delete it has not written it
            Path(cache_from_source(path)).unlink()


def _times_of(project: Path) -> dict[Path, int]:
    """Return when each Python file of a project was last changed, in nanoseconds."""
    times = {}
    for path in python_files(project):
        try:
            times[path] = path.stat().st_mtime_ns
        except OSError:  # it was deleted since it was listed
            continue
    return times
