"""Content types change, and what went wrong elsewhere when tables had to follow."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE

from tests.databases.kind import Kind, opened
from tests.reliability.migrating import RENAMED, change_files
from tests.unit.cli.processes import QUIRE

_WRITERS = 0x7175697265
"""The lock that whoever writes to PostgreSQL holds."""
_BEGIN = {"sqlite": "BEGIN IMMEDIATE", "postgresql": f"SELECT pg_advisory_lock({_WRITERS})"}
_END = {"sqlite": "COMMIT", "postgresql": f"SELECT pg_advisory_unlock({_WRITERS})"}
_TYPE = "src/api/{0}/content-types/{0}/schema.json"


@asynccontextmanager
async def quire(*arguments: object) -> AsyncIterator[asyncio.subprocess.Process]:
    """A command as a process of its own."""
    process = await asyncio.create_subprocess_exec(
        QUIRE, *map(str, arguments), stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ended(process: asyncio.subprocess.Process) -> tuple[int, str]:
    """Wait for the end of a command; returns its exit code and what it had to say."""
    output, messages = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode() + messages.decode()


def migration(project: Path, *options: str) -> Sequence[object]:
    return ("migrate", project, "--apply", "--may-lose", "--rename", RENAMED, *options)


async def test_h126_of_several_that_migrate_at_once_one_does_it(
    kind: Kind, own_recorded: Path
) -> None:
    """Each is told that all is well; drafts are made once, and what was changed is said once."""
    change_files(own_recorded)

    async def migrate() -> tuple[int, str]:
        async with quire(*migration(own_recorded)) as process:
            return await ended(process)

    outcomes = await asyncio.gather(*(migrate() for _ in range(4)))
    assert [code for code, _ in outcomes] == [0] * 4, outcomes
    steps = sorted(
        int(re.search(r"(\d+) steps were taken", said)[1])  # type: ignore[index]  # they say so
        for _, said in outcomes
    )
    assert steps[:3] == [0, 0, 0]
    assert steps[3] > 10
    with opened(kind, own_recorded) as rows:
        sql = "SELECT count(*) FROM authors GROUP BY document_id, published_at IS NULL"
        assert {count for (count,) in rows.execute(sql)} == {1}
        for key in ("quire_schema", "quire_schema_version", "strapi_content_types_schema"):
            sql = "SELECT count(*) FROM strapi_core_store_settings WHERE key = ?"
            assert rows.execute(sql, (key,)) == [(1,)]
        assert len(rows.execute("SELECT id FROM quire_aside")) == 1


async def test_h145_a_migration_waits_until_a_slow_database_lets_it(
    kind: Kind, own_recorded: Path
) -> None:
    """It says that it waits, and does not fail."""
    change_files(own_recorded)
    (own_recorded / "quire.toml").write_text("[database]\nbusy_timeout_ms = 20\n")
    with opened(kind, own_recorded) as rows:
        rows.execute(_BEGIN[kind.name])
        async with quire(*migration(own_recorded)) as process:
            assert process.stderr is not None
            said = b""
            while b"waiting" not in said:
                said = await process.stderr.readline()
                assert said, "it has ended"
            rows.execute(_END[kind.name])
            code, _ = await ended(process)
    assert code == 0


async def test_h145_whoever_does_not_want_to_wait_is_told_that_nothing_has_changed(
    kind: Kind, own_recorded: Path
) -> None:
    change_files(own_recorded)
    (own_recorded / "quire.toml").write_text("[database]\nbusy_timeout_ms = 20\n")
    with opened(kind, own_recorded) as rows:
        rows.execute(_BEGIN[kind.name])
        async with quire(*migration(own_recorded, "--wait", "0")) as process:
            code, said = await ended(process)
        rows.execute(_END[kind.name])
    assert code == 2
    assert "Nothing was changed" in said
