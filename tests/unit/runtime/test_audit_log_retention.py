"""Old rows of the audit log are deleted if the settings limit their age or their number."""

from pathlib import Path
from typing import TypeVar

import pytest

from quire.database.compile.writes import Writes
from quire.database.interface import Database, DatabaseWrapper
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.audit_log import AuditLog, AuditQuery, AuditRow
from quire.database.stores.quire_tables import QuireTables
from quire.runtime.audit_log_retention import AUDIT_LOG_JOB, SystemRowCleanup
from tests.databases.kind import Kind
from tests.extending.background import ended, until
from tests.library.statements import log_statements
from tests.unit.admin_api.office import BOSS, Office
from tests.unit.runtime.scheduled_servers import pass_to, servers

T = TypeVar("T")

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


def _system_row(number: int) -> AuditRow:
    return _row(number, actor_id=None, actor="system: import", action="documents.update")


def _row(number: int, *, actor_id: int | None, actor: str, action: str) -> AuditRow:
    return AuditRow(
        at=number,
        actor_id=actor_id,
        actor=actor,
        action=action,
        target=str(number),
        details="",
        status=200,
        place="",
    )


@pytest.mark.parametrize("writer", ["server", "script"])
async def test_the_last_rows_of_writes_as_the_system_are_kept(
    tmp_path: Path, kind: Kind, writer: str
) -> None:
    """What administrators did is kept, however much code writes."""
    settings = "[audit]\nsystem_rows = 3"
    async with servers(tmp_path, kind, settings, 1) as (_, offices):
        (office,) = offices
        services, database = office.app.services, office.app.database
        assert services is not None
        assert database is not None
        audit = services.audit
        rows = [_system_row(number) for number in range(2500)]
        # Whoever signs in may give any name, even one that looks like the system's.
        rows.insert(0, _row(-1, actor_id=None, actor="system: import", action="POST /admin/login"))
        writing = audit if writer == "server" else _other_log(database, office)
        await database.write(writing.add_in_transaction(rows))

        limit = SystemRowCleanup(office.app.settings.audit, audit, pause_seconds=0.01)
        limit.start()

        async def is_limited() -> bool:
            found = await audit.find(AuditQuery(values={}, limit=5000))
            return len(found) < 10

        try:
            await until(is_limited)
        finally:
            await limit.stop()
        found = await audit.find(AuditQuery(values={}, limit=5000))
        assert [(row.action, row.target) for row in found] == [
            ("documents.update", "2499"),
            ("documents.update", "2498"),
            ("documents.update", "2497"),
            ("POST /admin/login", "-1"),
            ("POST /admin/register-admin", ""),
        ]
        with log_statements() as log:
            await audit.limit_system_rows(3)  # deleting has changed the log
            before = len(log.statements)
            await audit.limit_system_rows(3)
            assert log.since(before) == []


def _other_log(database: Database, office: Office) -> AuditLog:
    """Return an object for the log of an office, as another process has it."""
    tables = QuireTables(database, target_of(office.app.settings).kind)
    return AuditLog(database, Writes(database.dialect), tables)


async def test_old_rows_are_deleted_in_several_transactions(tmp_path: Path, kind: Kind) -> None:
    """Other writers of SQLite wait for each of them."""
    async with servers(tmp_path, kind, "", 1) as (_, offices):
        (office,) = offices
        services, database = office.app.services, office.app.database
        assert services is not None
        assert database is not None
        await database.write(
            services.audit.add_in_transaction([_system_row(number) for number in range(2500)])
        )
        writes = 0

        class CountingDatabase(DatabaseWrapper):
            async def write(self, program: Program[T]) -> T:
                nonlocal writes
                writes += 1
                return await super().write(program)

        audit = _other_log(CountingDatabase(database), office)
        await audit.ready()
        await audit.delete_before(2400)
        assert writes == 3
        assert len(await audit.find(AuditQuery(values={}, limit=5000))) == 101
