"""Turns errors that end a command into one message."""

import os
import sys

from quire.errors import AppError, QuireError, ServiceUnavailableError, os_error_reason


def failure_message(error: QuireError | OSError) -> str:
    """Return what failed, where and why, in one message.

    Messages of `AppError` are those of HTTP responses. Where they hide an error of the database
    driver, the driver's reason is returned.
    """
    if isinstance(error, OSError):
        location = f"{os.fsdecode(error.filename)}: " if error.filename else ""
        return f"{location}{os_error_reason(error)}."
    cause = error.__cause__
    if isinstance(error, AppError) and error.status >= 500:
        if isinstance(cause, Exception) and not isinstance(cause, QuireError):
            return f"The database cannot do this: {cause}."
        if isinstance(error, ServiceUnavailableError):
            return "The database is busy; try again."
    return str(error)


def discard_output() -> None:
    """Keep Python from failing again at exit, when it flushes output that cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
