"""Errors that the code of a project raises to refuse a write, and those that it gets for misuse.

The first kind is part of the error tree of `quire.errors`: message and path reach the client. The
second kind is a mistake in the code: the write is rolled back, the log names the function, and the
client gets a plain 500.
"""

import difflib
from collections.abc import Iterable, Sequence

from quire import errors

Path = str | Sequence[str | int]
"""Where in the data an error is: ``"title"``, or ``["lines", 2, "product"]``."""


class ValidationError(errors.ValidationError):
    """400: a value is not acceptable."""

    def __init__(self, message: str, *, path: Path = ()) -> None:
        """``path`` names the attribute, so that a form shows the message beside its field."""
        super().__init__(message, _details(self.name, message, path))


class Unauthenticated(errors.UnauthorizedError):
    """401: it is not known who sends the request."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names what it is about, if anything."""
        super().__init__(message, _details(self.name, message, path))


class Forbidden(errors.ForbiddenError):
    """403: the caller may not do this."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute that it is about, if any."""
        super().__init__(message, _details(self.name, message, path))


class NotFound(errors.NotFoundError):
    """404: there is no such document."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute that it is about, if any."""
        super().__init__(message, _details(self.name, message, path))


class Conflict(errors.ConflictError):
    """409: the state of the content does not allow this."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute that it is about, if any."""
        super().__init__(message, _details(self.name, message, path))


class PreconditionFailed(errors.PreconditionFailedError):
    """412: the document has changed since the caller read it."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute that it is about, if any."""
        super().__init__(message, _details(self.name, message, path))


class TooManyRequests(errors.RateLimitError):
    """429: the caller does this too often."""

    def __init__(self, message: str | None = None, *, path: Path = ()) -> None:
        """``path`` names the attribute that it is about, if any."""
        super().__init__(message, _details(self.name, message, path))


class UnitOfWorkError(RuntimeError):
    """`documents`, `principal` or `transaction` was used outside of a unit of work."""


class NotLoadedError(LookupError, AttributeError):
    """A field was read that was not loaded; the message says how to load it."""

    def __str__(self) -> str:
        """Return the message as it is; LookupError has subclasses that quote it."""
        return str(self.args[0]) if self.args else ""


class UnknownFieldError(ValueError):
    """A field was named that the content type does not have."""

    def __init__(self, uid: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f'{uid} has no field "{name}"{nearest(name, known)}')


class HookLoopError(RuntimeError):
    """Hooks have caused one another more deeply than is allowed."""


class StatementLimitError(RuntimeError):
    """One transaction of a function has run more statements than the settings allow."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that names what was probably meant; empty if nothing is near."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


def _details(name: str, message: str | None, path: Path) -> dict[str, object] | None:
    parts = [path] if isinstance(path, str) else [str(part) for part in path]
    if not parts:
        return None
    return {"errors": [{"path": parts, "message": message, "name": name}]}
