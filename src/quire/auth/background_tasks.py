"""Background tasks after the response, so that its duration reveals nothing to the client.

Whether there is an account for an address must not be measurable.
"""

import asyncio
from collections.abc import Coroutine

import structlog

from quire.errors import QuireError, ServiceUnavailableError

_MAX_TASKS = 200
_log = structlog.get_logger("quire.auth")


class BackgroundTasks:
    """Runs tasks in the background; the server waits for them when it stops."""

    def __init__(self, limit: int = _MAX_TASKS) -> None:
        self._most = limit
        self._tasks: set[asyncio.Task[None]] = set()

    def require_room(self) -> None:
        """Raise ServiceUnavailableError when too many tasks are waiting."""
        if len(self._tasks) >= self._most:
            raise ServiceUnavailableError

    def put(self, work: Coroutine[object, object, None], name: str) -> None:
        """Add a task; ``name`` names it in the log if it fails."""
        task = asyncio.get_running_loop().create_task(_run_and_log_errors(work, name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self, seconds: float) -> None:
        """Wait until all tasks are done, for a limited number of seconds."""
        if not self._tasks:
            return
        _, unfinished_tasks = await asyncio.wait(self._tasks, timeout=seconds)
        for task in unfinished_tasks:
            task.cancel()
        if unfinished_tasks:
            await asyncio.wait(unfinished_tasks)
            _log.error("not done", what=f"{len(unfinished_tasks)} mails", reason="the server ends")


async def _run_and_log_errors(work: Coroutine[object, object, None], name: str) -> None:
    try:
        await work
    except QuireError as error:
        _log.error("not done", what=name, reason=str(error))
    except Exception as error:  # noqa: BLE001 - nobody else would hear of it
        _log.error("not done", what=name, exc_info=error)
