"""Outages and other failures of background work are logged once each."""

from structlog.testing import capture_logs

from quire.database.outage_log import OutageLog
from quire.errors import DatabaseBusyError, ServiceUnavailableError


def test_an_error_that_follows_an_outage_is_logged_too() -> None:
    outages = OutageLog("quire.tests", failure="failed", recovery="succeeded", queue="jobs")
    with capture_logs() as lines:
        outages.note_failure(ServiceUnavailableError())
        outages.note_failure(DatabaseBusyError("busy"))
        error = ValueError("a mistake")
        outages.note_failure(error)
        outages.note_failure(ValueError("a mistake"))
        outages.note_success()
        outages.note_success()
    assert [line["event"] for line in lines] == ["failed", "failed", "succeeded"]
    assert "reason" in lines[0]
    assert lines[1]["exc_info"] is error
