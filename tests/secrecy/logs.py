"""Passes all log lines of a test run to the secret detector."""

import logging
from typing import Any

import structlog

from tests.secrecy.watch import WATCH, Watch

_plain = logging.Formatter()
_Lines: Any = structlog.make_filtering_bound_logger(logging.NOTSET)


class _WatchedLines(_Lines):  # type: ignore[misc]  # structlog makes the class
    """Shows events before anything becomes of them."""

    def _proxy_to_logger(self, method_name: str, event: Any = None, **facts: Any) -> Any:  # noqa: ANN401 - structlog's own signature
        show(WATCH, f"{event} {facts!r}", facts.get("exc_info"))
        return super()._proxy_to_logger(method_name, event, **facts)


def show(watch: Watch, line: str, error: object = None) -> None:
    """Look at a line, and at the traceback that goes with it."""
    watch.look("a log line", line)
    if isinstance(error, BaseException):
        traceback = (type(error), error, error.__traceback__)
        watch.look("a traceback in the log", _plain.formatException(traceback))


def watch_logs() -> None:
    """Look at all lines from now on: those of structlog, and those of the standard library."""
    structlog.configure(wrapper_class=_WatchedLines)
    made = logging.getLogRecordFactory()

    def make(*args: Any, **facts: Any) -> logging.LogRecord:  # noqa: ANN401 - as logging calls it
        record = made(*args, **facts)
        error = record.exc_info[1] if record.exc_info else None
        try:
            line = record.getMessage()
        except (TypeError, ValueError):
            line = f"{record.msg} {record.args!r}"
        show(WATCH, line, error)
        return record

    logging.setLogRecordFactory(make)
