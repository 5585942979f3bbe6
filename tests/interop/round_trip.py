"""One server writes all recorded scenarios, the other opens what is left and answers the same."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.servers import Launch, make_strapi_application, quire, running, strapi
from tests.conformance.client import Answer, Authorization
from tests.conformance.corpus import (
    ReadCase,
    Step,
    credentials,
    read_cases,
    write_scenarios,
)
from tests.conformance.deviations import read_deviations
from tests.conformance.over_socket import SocketClient, connected
from tests.conformance.scenarios import filled, send
from tests.databases.environment import write_environment
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE, kind_of
from tests.databases.kinds import rows_of as database_of
from tests.databases.sqlite import file_of
from tests.interop.rows import Rows, differences, rows_of

READY = "/_health"
_ANSWERS = frozenset({200, 204})
_COMPLAINTS = ("error", "warn")
_GROUPS = frozenset({"auth", "users", "roles", "tokens", "upload"})
"""Scenarios about accounts and files, which are not about documents."""
_ACCOUNTS = ("/api/auth", "/api/users", "/api/users-permissions", "/api/upload")
"""Steps about accounts and files in other scenarios: they would change who may read what."""
_SHOWN = 20

Told = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Trip:
    """What a round trip has shown: nothing when all is well.

    Attributes:
        complaints: Lines of the reference's log when it opened what Quire had written.
        changed: Tables whose rows the second server changed by opening the database.
        answers: Requests that the two servers answer differently.
    """

    complaints: tuple[str, ...]
    changed: tuple[str, ...]
    answers: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        """Whether the database was opened as it is and is read alike."""
        return not (self.complaints or self.changed or self.answers)


async def there_and_back(folder: Path, installed: Path, kind: Kind, told: Told) -> dict[str, Trip]:
    """Let each server write and the other read; ``installed`` has the reference's packages.

    ``kind`` is that of the database. What has shown itself stands under a sentence that says which
    way it was. Raises ServerError when one does not start.
    """
    trips: dict[str, Trip] = {}
    for name, ours_first in (
        ("Quire writes, Strapi goes on", True),
        ("Strapi writes, Quire goes on", False),
    ):
        told(name)
        place = folder / ("there" if ours_first else "back")
        shutil.rmtree(place, ignore_errors=True)
        trips[name] = await _trip(place, installed, kind, told, ours_first=ours_first)
    return trips


async def _trip(folder: Path, installed: Path, kind: Kind, told: Told, *, ours_first: bool) -> Trip:
    project = kind.recorded(folder / "first")
    application = _application_of(project, folder / "strapi-first", installed)
    told("writing the scenarios")
    with _serving(quire(project) if ours_first else application) as client:
        await _write_all(client)
    kind.seal(project)
    copied = kind.copy(project, folder / "second")
    reader = _application_of(copied, folder / "strapi-second", installed)
    before = _rows(copied)
    with (
        _serving(reader if ours_first else quire(copied)) as second,
        _serving(quire(project) if ours_first else application) as first,
    ):
        after = _rows(copied)
        # Before any request: some of the reads are meant to be complained about.
        complaints = _complaints(reader.folder) if ours_first else ()
        told("comparing answers")
        ours, theirs = (first, second) if ours_first else (second, first)
        answers = await _compare(ours, theirs)
    for one in (project, copied):
        kind.release(one)
    return Trip(complaints, tuple(differences(before, after)), tuple(answers))


def _application_of(project: Path, folder: Path, installed: Path) -> Launch:
    """Make a Strapi application that serves the project's own database; returns its launch."""
    make_strapi_application(folder, project, installed)
    shutil.copytree(
        project / "public" / "uploads", folder / "public" / "uploads", dirs_exist_ok=True
    )
    if kind_of(project) is SQLITE:
        file = os.path.relpath(file_of(project), folder)
        write_environment(folder, {"DATABASE_FILENAME": file})
    return strapi(folder)


def _rows(project: Path) -> Rows:
    with database_of(project) as database:
        return rows_of(database)


@contextmanager
def _serving(launch: Launch) -> Iterator[SocketClient]:
    with running(launch, READY, _ANSWERS) as server, connected(server.port) as client:
        yield client


async def _write_all(client: SocketClient) -> None:
    """Send the requests of all scenarios, one after the other, whatever is answered."""
    authorization = Authorization(client, credentials())
    for scenario in write_scenarios():
        if scenario.group in _GROUPS or any(map(_is_about_accounts, scenario.steps)):
            continue
        answers: list[Answer] = []
        for recorded in scenario.steps:
            answers.append(await send(filled(recorded, answers), client, authorization))


def _is_about_accounts(step: Step) -> bool:
    return step.path.startswith(_ACCOUNTS)


async def _compare(quire_client: SocketClient, strapi_client: SocketClient) -> list[str]:
    """Ask both servers the recorded reads, and say which they answer differently.

    Where the reference fails, on whatever database, anything else is better.
    """
    ours, theirs = (Authorization(one, credentials()) for one in (quire_client, strapi_client))
    told: list[str] = []
    rows = read_deviations()
    cases = [
        case
        for case in read_cases()
        if not (case.status == 500 or case.deviation or any(row.covers(case) for row in rows))
    ]
    for case in cases:
        one = await _ask(quire_client, ours, case)
        other = await _ask(strapi_client, theirs, case)
        failed = other.status >= 500 > one.status
        if not failed and (one.status, one.json) != (other.status, other.json):
            told.append(f"{case.method} {case.path}: {one.status}, Strapi {other.status}")
    return _bounded(told)


async def _ask(client: SocketClient, authorization: Authorization, case: ReadCase) -> Answer:
    headers = {**await authorization.headers(case.auth), **case.headers}
    return await client.request(case.method, case.path, headers)


def _complaints(folder: Path) -> tuple[str, ...]:
    log = (folder / "server.log").read_text(encoding="utf-8", errors="replace")
    return tuple(
        line.strip()
        for line in log.splitlines()
        if any(word in line.lower() for word in _COMPLAINTS) and "http" not in line
    )


def _bounded(found: Sequence[str]) -> list[str]:
    more = len(found) - _SHOWN
    return [*found[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]
