"""Log lines of work that is tried again and again while the database is lost.

An outage hits every attempt, and its tracebacks would be equal: it has one line when it begins, and
one when the work succeeds again.
"""

import logging
from typing import Any

import structlog

from quire.errors import ServiceUnavailableError


def describe_failure(error: BaseException) -> dict[str, object]:
    """Return the fields of a log line: the reason of an outage, the traceback of other errors."""
    if isinstance(error, ServiceUnavailableError):
        return {"reason": repr(error.__cause__ or error)}
    return {"exc_info": error}


class OutageLog:
    """Logs the first of several failures for the same cause, and the first success after them.

    All outages count as the same cause, and so do other errors of one class.

    ``failure`` and ``recovery`` are the events, ``level`` is that of the former (see `logging`),
    ``fields`` are those of both.
    """

    def __init__(
        self,
        logger: str,
        *,
        failure: str,
        recovery: str,
        level: int = logging.WARNING,
        **fields: Any,  # noqa: ANN401 - as in structlog
    ) -> None:
        self._log = structlog.get_logger(logger)
        self._failure = failure
        self._recovery = recovery
        self._level = level
        self._fields = fields
        self._cause: type[BaseException] | None = None

    def note_failure(self, error: BaseException) -> None:
        """Log an error, unless the last attempt has failed for the same cause."""
        is_outage = isinstance(error, ServiceUnavailableError)
        cause = ServiceUnavailableError if is_outage else type(error)
        if cause is not self._cause:
            fields = {**self._fields, **describe_failure(error)}
            self._log.log(self._level, self._failure, **fields)
        self._cause = cause

    def note_success(self) -> None:
        """Log that the work succeeds again, if it has failed."""
        if self._cause is not None:
            self._log.info(self._recovery, **self._fields)
        self._cause = None
