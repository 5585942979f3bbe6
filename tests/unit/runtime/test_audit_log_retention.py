"""Old rows of the audit log are deleted if the settings limit their age."""

from pathlib import Path

from quire.runtime.audit_log_retention import AUDIT_LOG_JOB
from tests.databases.kind import Kind
from tests.extending.background import ended
from tests.unit.admin_api.office import BOSS, Office
from tests.unit.runtime.scheduled_servers import pass_to, servers

SIGN_IN = ["POST /admin/login"]


async def logged_actions(office: Office) -> list[str]:
    """Sign in, since tokens have expired meanwhile, and return the logged actions."""
    signed_in = await office.sign_in(BOSS["email"])
    reply = await office.ask("GET", "/admin/x/audit", token=signed_in.data["token"])
    return [row["action"] for row in reply.data]


async def test_rows_that_are_too_old_are_deleted_once_a_day(tmp_path: Path, kind: Kind) -> None:
    async with servers(tmp_path, kind, "[audit]\nlog_days = 3", 1) as (_, offices):
        (office,) = offices
        assert await logged_actions(office) == [*SIGN_IN, "POST /admin/register-admin"]

        await pass_to(offices, "2027-01-20T03:40:01+00:00")
        (job,) = await ended(office)
        assert (job.name, job.state) == (AUDIT_LOG_JOB, "done")
        assert await logged_actions(office) == SIGN_IN

        await pass_to(offices, "2027-01-21T03:40:01+00:00")
        assert len(await ended(office, 2)) == 2
        assert await logged_actions(office) == SIGN_IN * 2
