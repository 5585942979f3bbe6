"""Translation of SQLite's errors."""

import apsw
import pytest

from quire.database.dialects.sqlite.errors import translate
from quire.errors import (
    InternalServerError,
    ServiceUnavailableError,
    StaleSchemaError,
    ValidationError,
)


@pytest.mark.parametrize(
    ("error", "expected", "status"),
    [
        (apsw.BusyError("database is locked"), ServiceUnavailableError, 503),
        (apsw.LockedError("table is locked"), ServiceUnavailableError, 503),
        (apsw.IOError("disk I/O error"), ServiceUnavailableError, 503),
        (apsw.CantOpenError("unable to open"), ServiceUnavailableError, 503),
        (apsw.FullError("disk full"), ServiceUnavailableError, 503),
        (apsw.TooBigError("string or blob too big"), ValidationError, 400),
        (apsw.RangeError("column index out of range"), ValidationError, 400),
        (apsw.SQLError("LIKE or GLOB pattern too complex"), ValidationError, 400),
        (apsw.SQLError("no such column: x"), StaleSchemaError, 500),
        (apsw.SQLError("no such table: x"), StaleSchemaError, 500),
        (apsw.SQLError("table x has no column named y"), StaleSchemaError, 500),
        (apsw.ConstraintError("UNIQUE constraint failed"), InternalServerError, 500),
        (apsw.CorruptError("malformed"), ServiceUnavailableError, 503),
        (apsw.NotADBError("file is not a database"), ServiceUnavailableError, 503),
        (apsw.exception_for(apsw.SQLITE_READONLY_DBMOVED), ServiceUnavailableError, 503),
        (apsw.exception_for(apsw.SQLITE_READONLY), InternalServerError, 500),
    ],
)
def test_an_error_is_answered_by_what_can_be_done_about_it(
    error: apsw.Error, expected: type[Exception], status: int
) -> None:
    found = translate(error)
    assert isinstance(found, expected)
    assert found.status == status


def test_nothing_of_the_drivers_words_is_shown() -> None:
    secret = "near 'SELECT password FROM users'"
    for kind in (apsw.SQLError, apsw.BusyError, apsw.ConstraintError, apsw.TooBigError):
        assert secret not in translate(kind(secret)).message
