"""Translates errors of PostgreSQL and of connections to it."""

import asyncpg

from quire.errors import (
    AppError,
    DatabaseBusyError,
    InternalServerError,
    ServiceUnavailableError,
    StaleSchemaError,
    ValidationError,
)

TOO_LONG = "Reading this takes longer than the server allows"

_UNAVAILABLE_CLASSES = ("08", "53", "57P", "58")
"""No connection, no resources, a shutdown or start, and disks that fail."""
_UNAVAILABLE = frozenset({"40001", "40P01", "25006", "25P03"})
"""Lost against another transaction, and a server that only reads now."""
_LOCK_TIMEOUT = "55P03"
_CANCELED = "57014"
_MISFIT = "22000"
_TOO_MUCH_CLASS = "54"
_GONE_CLASS, _DENIED = "42", "42501"
"""Statements for tables as they are not: no such table, column or operator for its type."""
_REFUSED = {
    "22001": "The text is too long for its column",
    "22003": "The number is beyond what its column stores",
    "22007": "Invalid date or time",
    "22008": "The date or time is beyond what is stored",
    "22021": "The text holds a character that cannot be stored",
    "22P02": "The value does not have the type of its column",
    "22P05": "The text holds a character that cannot be stored",
    _MISFIT: "The value does not have the type of its column",
    "23502": "A value is missing",
    "23503": "A row that is referred to does not exist",
    "23505": "This attribute must be unique",
    "23514": "The value is not allowed",
}
"""What is wrong with values that only the database looks at, by SQLSTATE."""


DRIVER_ERRORS = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
)
"""What the driver raises, and the network below it."""


def translate(error: Exception) -> AppError:
    """Return what to answer for an error of the driver; the caller keeps it as the cause."""
    if isinstance(error, asyncpg.InvalidCachedStatementError):
        return ServiceUnavailableError()
    if isinstance(error, asyncpg.PostgresError):
        return _of_state(error.sqlstate or "")
    if isinstance(error, ValueError):  # the driver's own, of a value that it cannot send
        return _of_state(_MISFIT)
    if is_disconnection(error):
        return ServiceUnavailableError()
    return InternalServerError()


def _of_state(state: str) -> AppError:
    if state == _CANCELED:
        return ServiceUnavailableError(TOO_LONG)
    if state == _LOCK_TIMEOUT:
        return DatabaseBusyError()
    if state in _UNAVAILABLE or state.startswith(_UNAVAILABLE_CLASSES):
        return ServiceUnavailableError()
    if state.startswith(_TOO_MUCH_CLASS):
        return ValidationError("The query is too large")
    if state.startswith(_GONE_CLASS) and state != _DENIED:
        return StaleSchemaError()
    if state in _REFUSED:
        return ValidationError(_REFUSED[state])
    return InternalServerError()


def is_passing(error: BaseException | None) -> bool:
    """Tell whether the same read will most likely succeed when it is begun again at once.

    That is so when a column has another type than it had when the statement was prepared, which the
    driver has forgotten since, and when others change tables in another order than they are read.
    """
    return isinstance(error, asyncpg.InvalidCachedStatementError | asyncpg.DeadlockDetectedError)


def is_disconnection(error: Exception) -> bool:
    """Tell whether an error says that there is no connection, or none any more."""
    if isinstance(error, asyncpg.PostgresError):
        return (error.sqlstate or "").startswith(("08", "57P"))
    if isinstance(error, ValueError):
        return False
    # The last of these is what the driver falls into when it reads the server's farewell.
    return isinstance(error, OSError | asyncpg.InterfaceError | asyncpg.InternalClientError)
