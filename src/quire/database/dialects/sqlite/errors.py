"""Translates errors of SQLite."""

import apsw

from quire.errors import (
    AppError,
    DatabaseBusyError,
    InternalServerError,
    ServiceUnavailableError,
    StaleSchemaError,
    ValidationError,
)

_BUSY = (apsw.BusyError, apsw.LockedError)
_UNAVAILABLE = (
    apsw.IOError,
    apsw.CantOpenError,
    apsw.FullError,
    apsw.CorruptError,
    apsw.NotADBError,
)
_TOO_MUCH = (apsw.TooBigError, apsw.RangeError)
_TOO_MUCH_TEXTS = (
    "Expression tree is too large",
    "parser stack overflow",
    "too many ",
    "tables in a join",
)
"""SQLite's messages about correct statements beyond its limits; they have no code."""
_MISSING_OBJECT_MESSAGES = ("no such table", "no such column", "has no column named")
"""SQLite's messages about missing tables and columns."""


def translate(error: apsw.Error) -> AppError:
    """Return the error to raise for an error of the driver; the caller sets it as the cause."""
    if isinstance(error, _BUSY):
        return DatabaseBusyError()
    if isinstance(error, _UNAVAILABLE) or _has_moved(error):
        return ServiceUnavailableError()
    if isinstance(error, _TOO_MUCH):
        return ValidationError("The query is too large")
    if isinstance(error, apsw.SQLError) and any(text in str(error) for text in _TOO_MUCH_TEXTS):
        return ValidationError("The query is too large")
    if isinstance(error, apsw.SQLError) and any(
        text in str(error) for text in _MISSING_OBJECT_MESSAGES
    ):
        return StaleSchemaError()
    if "pattern too complex" in str(error):
        return ValidationError("The text to look for is too long")
    return InternalServerError()


def _has_moved(error: apsw.Error) -> bool:
    """Tell whether SQLite refuses to write because the file was moved or deleted."""
    # The types of apsw lack the attribute.
    return getattr(error, "extendedresult", None) == apsw.SQLITE_READONLY_DBMOVED
