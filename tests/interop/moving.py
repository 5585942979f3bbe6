"""Databases moved by `quire copy` to another kind and back, opened by the reference."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from bench.servers import Launch, ServerError, quire
from tests.databases.kind import Kind
from tests.databases.kinds import POSTGRESQL
from tests.databases.kinds import rows_of as database_of
from tests.interop.open_order import settled
from tests.interop.responses import Side, differing
from tests.interop.round_trip import Report, Trip
from tests.interop.rows import differences
from tests.interop.sites import application_of, complaints, rows, serving, write_all

_REFUSED = re.compile(
    r"(?:(?P<column>\w+) in )?row (?P<row>\d+) of (?P<table>\w+) cannot be copied"
)
_TEXTS = "SELECT name FROM pragma_table_info(?) WHERE type LIKE 'varchar%'"
_MOST_MENDED = 50
"""How many values of the recorded scenarios there may be that one kind stores, the other not."""


async def there_and_back_again(
    folder: Path, installed: Path, kind: Kind, other: Kind, report: Report
) -> dict[str, Trip]:
    """Move a database of one kind to the other and back; ``installed`` as for `there_and_back`.

    Quire writes the recorded scenarios first; what the other kind does not store is mended. Strapi
    has to answer as Quire does on the other kind, and on the first kind again. From PostgreSQL it
    has to answer there as it does on the database that was never moved as well: what PostgreSQL
    stores SQLite stores too, but not the other way round.
    Raises ServerError when a server does not start, or the database is not copied.
    """
    first = kind.recorded(folder / "first")
    with serving(quire(first)) as client:
        await write_all(client)
    moved, last = folder / "moved", folder / "last"
    trips: dict[str, Trip] = {}
    for source, copied, target in ((first, moved, other), (moved, last, kind)):
        report(f"to {target.name}")
        _move(source, copied, target)
        application = application_of(copied, folder / f"strapi-{copied.name}", installed)
        trips[f"Moved to {target.name}: Quire and Strapi"] = await _alike(
            copied, application, target
        )
    if kind is POSTGRESQL:
        report("before and after")
        name = "Moved from PostgreSQL and back to it: Strapi before and after"
        trips[name] = await _unchanged(first, last, folder, installed)
    for owner, project in ((kind, first), (other, moved), (kind, last)):
        owner.release(project)
    return trips


def _move(project: Path, folder: Path, kind: Kind) -> None:
    """Copy a project to a folder, and its database to an empty one of a kind."""
    copied = shutil.copytree(project, folder, ignore=shutil.ignore_patterns(".tmp"))
    address = kind.spare(folder)
    for _ in range(_MOST_MENDED):
        said = _copy(project, address)
        if said is None:
            kind.point(copied, address)
            return
        refused = _REFUSED.search(said)
        if refused is None:
            break
        _repair(project, **refused.groupdict())
    raise ServerError(f"quire copy: {said}")


def _copy(project: Path, address: str) -> str | None:
    """Copy a project's database; returns the error message on one line, if it failed."""
    program = Path(sys.executable).with_name("quire")
    command = [str(program), "copy", str(project), "--to", address]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode == 0:
        return None
    return " ".join(f"{finished.stdout}{finished.stderr}".split())


def _repair(project: Path, column: str | None, row: str, table: str) -> None:
    """Empty or shorten what SQLite alone stores, as the message asks its reader to."""
    with database_of(project) as database:
        if column is not None:
            database.execute(f'UPDATE "{table}" SET "{column}" = NULL WHERE id = ?', (int(row),))
            return
        for (name,) in database.execute(_TEXTS, (table,)):
            shortened = f'"{name}" = substr("{name}", 1, 255)'
            database.execute(f'UPDATE "{table}" SET {shortened} WHERE id = ?', (int(row),))


async def _alike(project: Path, application: Launch, kind: Kind) -> Trip:
    """Let the reference and Quire serve one database; the reference opens it first."""
    before = rows(project)
    with serving(application) as theirs, serving(quire(project)) as ours:
        after = rows(project)
        complained = complaints(application)
        responses = await differing(
            Side("Quire", ours), Side("Strapi", theirs), lambda body: settled(body, kind.name)
        )
    return Trip(complained, tuple(differences(before, after)), responses)


async def _unchanged(first: Path, last: Path, folder: Path, installed: Path) -> Trip:
    """Let the reference serve two databases that should be the same."""
    launches = [
        application_of(project, folder / f"strapi-again-{project.name}", installed)
        for project in (first, last)
    ]
    with serving(launches[0]) as one, serving(launches[1]) as other:
        # Before any request: some of the reads are meant to be complained about.
        complained = complaints(launches[1])
        responses = await differing(
            Side("before", one), Side("after", other), lambda body: settled(body, POSTGRESQL.name)
        )
    return Trip(complained, (), responses)
