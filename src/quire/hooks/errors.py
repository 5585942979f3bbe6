"""Errors that the code of a project raises to reject a write, and errors for its misuse of the API.

The first kind is part of the error tree of `quire.errors`: message and path are sent to the client.
The second kind is a mistake in the code: the write is rolled back, the log names the function, and
the client gets a plain 500.
"""

import difflib
from collections.abc import Iterable, Sequence

from quire import errors

Path = str | Sequence[str | int]
"""The position of an error in the data: ``"title"``, or ``["lines", 2, "product"]``."""


class ValidationError(errors.ValidationError):
    """400: a value is invalid."""

    def __init__(self, message: str, *, path: Path = ()) -> None:
        """``path`` names the attribute, so that a form shows the message at its field."""
        super().__init__(message, _details(self.name, message, path))


class Unauthenticated(errors.UnauthorizedError):
    """401: the client is not authenticated."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute, if any."""
        super().__init__(message, _details(self.name, message, path))


class Forbidden(errors.ForbiddenError):
    """403: the caller may not do this."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute, if any."""
        super().__init__(message, _details(self.name, message, path))


class NotFound(errors.NotFoundError):
    """404: there is no such document."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute, if any."""
        super().__init__(message, _details(self.name, message, path))


class Conflict(errors.ConflictError):
    """409: the state of the content does not allow this."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute, if any."""
        super().__init__(message, _details(self.name, message, path))


class PreconditionFailed(errors.PreconditionFailedError):
    """412: the document has changed since the caller read it."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute, if any."""
        super().__init__(message, _details(self.name, message, path))


class TooManyRequests(errors.RateLimitError):
    """429: the caller does this too often."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute, if any."""
        super().__init__(message, _details(self.name, message, path))


class UnitOfWorkError(RuntimeError):
    """`documents`, `principal` or `transaction` was used outside of a unit of work."""


class NotLoadedError(LookupError, AttributeError):
    """A field was read that was not loaded; the message says how to load it."""

    def __str__(self) -> str:
        """Return the plain message; LookupError has subclasses that quote it."""
        return str(self.args[0]) if self.args else ""


class UnknownFieldError(ValueError):
    """A field was named that the content type does not have."""

    def __init__(self, uid: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f'{uid} has no field "{name}"{nearest(name, known)}')


class HookLoopError(RuntimeError):
    """Hooks have caused each other at too many levels."""


class StatementLimitError(RuntimeError):
    """One transaction of a function has run more statements than the settings allow."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a suggestion for the end of a message; empty if no name is similar."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _details(name: str, message: str | None, path: Path) -> dict[str, object] | None:
    parts = [path] if isinstance(path, str) else [str(part) for part in path]
    if not parts:
        return None
    return {"errors": [{"path": parts, "message": message, "name": name}]}
