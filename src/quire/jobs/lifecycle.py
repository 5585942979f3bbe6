"""Runs the functions of a project that belong to the start and the stop of a server process."""

import asyncio
import inspect

import structlog

from quire.document_service.call_context import CallContext
from quire.errors import ConfigurationError
from quire.hooks.lifecycle import LifecycleFunction, Moment
from quire.jobs.worker import JobRuntime

_log = structlog.get_logger("quire.extensions")

_START_SECONDS = 300.0


async def run_start(runtime: JobRuntime) -> None:
    """Run the functions of the start, one after the other.

    Raises ConfigurationError when one fails or takes longer than five minutes.
    """
    for one in _functions(runtime, "on_start"):
        try:
            await _call(runtime, one, _START_SECONDS)
        except Exception as error:
            _log.exception("a function of the start failed", function=one.name, place=one.place)
            reason = f"{type(error).__name__}: {error}"
            raise ConfigurationError(f"{one.place}  on_start: {one.name}: {reason}") from error


async def run_stop(runtime: JobRuntime, seconds: float) -> None:
    """Run the functions of the stop, one after the other; each may take so many seconds."""
    for one in _functions(runtime, "on_stop"):
        try:
            await _call(runtime, one, seconds)
        except Exception:  # noqa: BLE001 - the others of the stop run all the same
            _log.exception("a function of the stop failed", function=one.name, place=one.place)


def _functions(runtime: JobRuntime, moment: Moment) -> list[LifecycleFunction]:
    return [one for one in runtime.lifecycle if one.moment == moment]


async def _call(runtime: JobRuntime, one: LifecycleFunction, seconds: float) -> None:
    context = CallContext(
        one.name, runtime.documents, None, origin=one.moment, find_user=runtime.find_user
    )
    try:
        with context.activate():
            async with asyncio.timeout(seconds):
                if inspect.iscoroutinefunction(one.function):
                    await one.function()
                else:
                    await asyncio.to_thread(one.function)
    finally:
        context.is_ended = True
