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
"""What SQLite says of statements that are correct but beyond its bounds; they have no code."""
_GONE_TEXTS = ("no such table", "no such column", "has no column named")
"""What it says of statements for tables as they are not."""


def translate(error: apsw.Error) -> AppError:
    """Return what to answer for an error of the driver; the caller keeps it as the cause."""
    if isinstance(error, _BUSY):
        return DatabaseBusyError()
    if isinstance(error, _UNAVAILABLE) or _has_moved(error):
        return ServiceUnavailableError()
    if isinstance(error, _TOO_MUCH):
        return ValidationError("The query is too large")
    if isinstance(error, apsw.SQLError) and any(text in str(error) for text in _TOO_MUCH_TEXTS):
        return ValidationError("The query is too large")
    if isinstance(error, apsw.SQLError) and any(text in str(error) for text in _GONE_TEXTS):
        return StaleSchemaError()
    if "pattern too complex" in str(error):
        return ValidationError("The text to look for is too long")
    return InternalServerError()


def _has_moved(error: apsw.Error) -> bool:
    """Tell whether SQLite refuses to write because the file was moved or deleted."""
    # The types of apsw do not mention the attribute.
    return getattr(error, "extendedresult", None) == apsw.SQLITE_READONLY_DBMOVED
