"""Errors that the code of a project raises to reject a write, and errors for its misuse of the API.

The first kind is part of the error tree of `quire.errors`: message and path are sent to the client.
The second kind is a mistake in the code: the write is rolled back, the log names the function, and
the client gets a plain 500.
"""

import asyncio
import difflib
from collections.abc import Iterable

from quire.errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    PreconditionFailedError,
    RateLimitError,
    UnauthorizedError,
)

# Code of a project catches with these what it raises itself and what actions on documents raise.
Unauthenticated = UnauthorizedError
Forbidden = ForbiddenError
NotFound = NotFoundError
Conflict = ConflictError
PreconditionFailed = PreconditionFailedError
TooManyRequests = RateLimitError


CODE_ERRORS = (Exception, SystemExit)
"""What functions of a project may raise: `sys.exit` in one must not end the server."""
FAILURES = (*CODE_ERRORS, asyncio.CancelledError)
"""What a request may fail with. Code of a project may raise any of them, see `is_cancelled`."""


def is_cancelled(error: BaseException) -> bool:
    """Tell whether an error is the cancellation of this task, not one by code that it calls."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


class UnitOfWorkError(RuntimeError):
    """`documents`, `principal` or `transaction` was used outside of a unit of work."""


class NotLoadedError(LookupError, AttributeError):
    """A field was read that was not loaded; the message says how to load it."""

    def __str__(self) -> str:
        """Return the plain message; LookupError has subclasses that quote it."""
        return str(self.args[0]) if self.args else ""


class UnknownFieldError(ValueError):
    """A field was named that the content type does not have."""

    def __init__(self, uid: str, name: str, known_names: Iterable[str]) -> None:
        super().__init__(f'{uid} has no field "{name}"{nearest(name, known_names)}')


class HookLoopError(RuntimeError):
    """Hooks have caused each other at too many levels."""


class StatementLimitError(RuntimeError):
    """One transaction of a function has run more statements than the settings allow."""


def nearest(name: str, known_names: Iterable[str]) -> str:
    """Return a suggestion for the end of a message; empty if no name is similar."""
    close = difflib.get_close_matches(name, list(known_names), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""
