"""The format of log lines, and where they go.

Modules log through ``structlog.get_logger()`` with an event and its fields; libraries log through
the standard library's ``logging``. Both produce the same lines: JSON for machines or coloured text
for people. This module does not decide what is logged.
"""

import logging
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from itertools import groupby
from pathlib import Path
from typing import TextIO

import orjson
import structlog
from structlog.typing import EventDict, ExcInfo, Processor

_LIBRARIES = ("uvicorn", "uvicorn.error", "asyncio", "pyvips")

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The id of the current request, for all lines that are logged meanwhile."""

trace_parent: ContextVar[str | None] = ContextVar("trace_parent", default=None)
"""The ``traceparent`` of the current request, if traces are enabled."""
_TRACE_ID = slice(3, 35)
_DIRECT_CAUSE = "The above exception was the direct cause of the following exception:"
_IN_HANDLER = "During handling of the above exception, another exception occurred:"
_OWN_FOLDER = f"{Path(__file__).parent}{os.sep}"


def present_trace_id() -> str | None:
    """Return the trace id of the current request."""
    parent = trace_parent.get()
    return None if parent is None else parent[_TRACE_ID]


def configure_logging(
    *,
    level: str,
    as_json: bool,
    code: Path | None = None,
    code_errors: tuple[type[Exception], ...] = (),
) -> None:
    """Set up logging for this process.

    ``code`` is the folder of a project's code: tracebacks for people that show functions there, or
    ``code_errors``, which say that a function has failed, leave out the frames of Quire.
    ``level`` is the minimum level: ``debug``, ``info``, ``warning`` or ``error``. Messages of the
    HTTP server at ``info`` (processes, connections) are left out, and so are those of libraries
    below ``warning``.
    """
    threshold = _threshold(level)
    shared = _facts(structlog.stdlib.add_logger_name)
    ending = _json_ending() if as_json else _console_ending(code, code_errors)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *ending],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(threshold)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))
    # Requests have their own lines (`quire.content_api.request_log`), without secrets.
    logging.getLogger("uvicorn.access").setLevel(logging.CRITICAL)


def log_to_stderr(*, level: str, as_json: bool) -> None:
    """Write log lines of a command or script to standard error: its output may be read by others.

    Does nothing if the script has configured structlog. Lines of libraries are left as they are.
    """
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[*_facts(), *(_json_ending() if as_json else _console_ending())],
        wrapper_class=structlog.make_filtering_bound_logger(_threshold(level)),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def is_json(form: str, *, development: bool) -> bool:
    """Tell whether a format (``auto``, ``json``, ``console``) means JSON here."""
    if form == "auto":
        return not development and not sys.stderr.isatty()
    return form == "json"


def _threshold(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]


def _facts(*more: Processor) -> list[Processor]:
    """Return what adds the fields of every line."""
    return [
        structlog.contextvars.merge_contextvars,
        _add_ids,
        *more,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _add_ids(_: object, __: str, event: EventDict) -> EventDict:
    present = request_id.get()
    if present is not None:
        event.setdefault("request_id", present)
    trace_id = present_trace_id()
    if trace_id is not None:
        event.setdefault("trace_id", trace_id)
    return event


def _json_ending() -> Sequence[Processor]:
    return (
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(serializer=_dump),
    )


def _console_ending(
    code: Path | None = None, code_errors: tuple[type[Exception], ...] = ()
) -> Sequence[Processor]:
    # Without the local variables of each frame, which may contain secrets.
    formatter = (
        structlog.dev.plain_traceback if code is None else _TracebackFormatter(code, code_errors)
    )
    colors = sys.stderr.isatty()
    return (structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=formatter),)


class _TracebackFormatter:
    """Writes tracebacks, without the frames of Quire if the project's code has failed."""

    def __init__(self, code: Path, code_errors: tuple[type[Exception], ...]) -> None:
        self._code_errors = code_errors
        self._code = f"{code.absolute()}{os.sep}"

    def __call__(self, stream: TextIO, exc_info: ExcInfo) -> None:
        """Write the traceback of an exception."""
        chain = [*_chain(traceback.TracebackException(*exc_info))]
        has_code = any(
            # A function that has returned something wrong has no frames any more.
            one.exc_type in self._code_errors or any(map(self._is_of_project, one.stack))
            for one, _ in chain
        )
        if not has_code or any(one.exceptions for one, _ in chain):
            structlog.dev.plain_traceback(stream, exc_info)
            return
        for exception, link in chain:
            stream.write(f"{link}\nTraceback (most recent call last):\n")
            stream.writelines(self._lines(exception.stack))
            stream.write("".join(exception.format_exception_only()).rstrip("\n"))

    def _lines(self, stack: traceback.StackSummary) -> Iterator[str]:
        """Yield the project's frames, and those that they have called, except for Quire's."""
        is_shown = False

        def is_visible(frame: traceback.FrameSummary) -> bool:
            nonlocal is_shown
            is_shown = self._is_of_project(frame) or (
                is_shown and not frame.filename.startswith(_OWN_FOLDER)
            )
            return is_shown

        # Several frames at once, so that those of a recursion are shortened.
        for shown, group in groupby(stack, is_visible):
            frames = list(group)
            yield from traceback.format_list(frames) if shown else _hidden_frames(frames)

    def _is_of_project(self, frame: traceback.FrameSummary) -> bool:
        return frame.filename.startswith(self._code)


def _chain(
    exception: traceback.TracebackException,
) -> Iterator[tuple[traceback.TracebackException, str]]:
    """Yield an exception after those that led to it, each with the text before it."""
    if exception.__cause__ is not None:
        yield from _chain(exception.__cause__)
        yield exception, f"\n\n{_DIRECT_CAUSE}\n"
    elif exception.__context__ is not None and not exception.__suppress_context__:
        yield from _chain(exception.__context__)
        yield exception, f"\n\n{_IN_HANDLER}\n"
    else:
        yield exception, ""


def _hidden_frames(frames: Sequence[traceback.FrameSummary]) -> Iterator[str]:
    yield f"  ({len(frames)} frame{'s' if len(frames) > 1 else ''} of Quire)\n"


def _dump(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()
