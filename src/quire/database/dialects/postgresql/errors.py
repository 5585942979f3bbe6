"""Translates errors of PostgreSQL and of connections to it."""

import asyncpg

from quire.errors import (
    AppError,
    ConflictError,
    DatabaseBusyError,
    InternalServerError,
    ServiceUnavailableError,
    StaleSchemaError,
    ValidationError,
)

_DEPENDENT = "Something else in the database depends on what would be dropped: drop it first"
TOO_LONG = "Reading this takes longer than the server allows"

_UNAVAILABLE_CLASSES = ("08", "53", "57P", "58")
"""No connection, no resources, server stopping or starting, failing disks."""
_UNAVAILABLE = frozenset({"40001", "40P01", "25006", "25P03"})
"""Lost against another transaction, and a server that has become read-only."""
_LOCK_TIMEOUT = "55P03"
_QUERY_CANCELED = "57014"
_MISFIT = "22000"
_TOO_MUCH_CLASS = "54"
_GONE_CLASS, _PERMISSION_DENIED = "42", "42501"
"""Statements for former tables: missing table or column, or no operator for its type."""
_INVALID_VALUE_MESSAGES = {
    "22001": "The text is too long for its column",
    "22003": "The number is out of range for its column",
    "22007": "Invalid date or time",
    "22008": "The date or time is out of range",
    "22021": "The text contains a character that cannot be stored",
    "22P02": "The value does not have the type of its column",
    "22P05": "The text contains a character that cannot be stored",
    _MISFIT: "The value does not have the type of its column",
    "23502": "A value is missing",
    "23503": "A row that is referred to does not exist",
    "23505": "This attribute must be unique",
    "23514": "The value is not allowed",
}
"""Messages for values that only the database checks, by SQLSTATE."""


DRIVER_ERRORS = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
"""Errors of the driver and of the network."""


def translate(error: Exception) -> AppError:
    """Return the error to raise for an error of the driver; the caller sets it as the cause."""
    if isinstance(error, asyncpg.InvalidCachedStatementError):
        return ServiceUnavailableError()
    if isinstance(error, asyncpg.DependentObjectsStillExistError):
        return ConflictError(f"{_DEPENDENT} ({' '.join((error.detail or '').split())})")
    if isinstance(error, asyncpg.PostgresError):
        return _translate_state(error.sqlstate or "")
    if isinstance(error, ValueError):  # the driver's own, of a value that it cannot send
        return _translate_state(_MISFIT)
    if is_disconnection(error):
        return ServiceUnavailableError()
    return InternalServerError()


def _translate_state(state: str) -> AppError:
    if state == _QUERY_CANCELED:
        return ServiceUnavailableError(TOO_LONG)
    if state == _LOCK_TIMEOUT:
        return DatabaseBusyError()
    if state in _UNAVAILABLE or state.startswith(_UNAVAILABLE_CLASSES):
        return ServiceUnavailableError()
    if state.startswith(_TOO_MUCH_CLASS):
        return ValidationError("The query is too large")
    if state.startswith(_GONE_CLASS) and state != _PERMISSION_DENIED:
        return StaleSchemaError()
    if state in _INVALID_VALUE_MESSAGES:
        return ValidationError(_INVALID_VALUE_MESSAGES[state])
    return InternalServerError()


def is_passing(error: BaseException | None) -> bool:
    """Tell whether the same read will most likely succeed if it is repeated at once.

    True when the type of a column has changed since the statement was prepared, which the driver
    has forgotten by now, and after a deadlock with a change of tables.
    """
    return isinstance(error, asyncpg.InvalidCachedStatementError | asyncpg.DeadlockDetectedError)


def is_disconnection(error: Exception) -> bool:
    """Tell whether an error says that the connection is lost."""
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "").startswith(("08", "57P"))
    if isinstance(error, ValueError):
        return False
    # The driver raises the last of these when it reads the server's termination message.
    return isinstance(error, OSError | asyncpg.InterfaceError | asyncpg.InternalClientError)
