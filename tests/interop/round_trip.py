"""One server writes all recorded scenarios, the other reads the result."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.servers import quire
from tests.databases.kind import Kind
from tests.interop.accounts import make_accounts, recorded_users, use_accounts
from tests.interop.administrators import make_administrators, use_administrators
from tests.interop.open_order import lay_in_order, settled
from tests.interop.responses import Side, differing
from tests.interop.rows import differences
from tests.interop.sites import application_of, complaints, rows, serving, write_all

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Trip:
    """What a round trip has shown: nothing when all is well.

    Attributes:
        complaints: Lines of the reference's log when it opened what Quire had written.
        changed: Tables whose rows the second server changed by opening the database.
        answers: Requests that the two servers answer differently.
        accounts: Who, of those that the first server let in, the second one did not.
    """

    complaints: tuple[str, ...]
    changed: tuple[str, ...]
    responses: tuple[str, ...]
    accounts: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether the database was opened as it is and is read alike."""
        return not (self.complaints or self.changed or self.responses or self.accounts)


async def there_and_back(
    folder: Path, installed: Path, kind: Kind, report: Report
) -> dict[str, Trip]:
    """Let each server write and the other read; ``installed`` has the reference's packages.

    ``kind`` is that of the database. What has shown itself stands under a sentence that says which
    way it was. Raises ServerError when one does not start.
    """
    trips: dict[str, Trip] = {}
    for name, ours_first in (
        ("Quire writes, Strapi goes on", True),
        ("Strapi writes, Quire goes on", False),
    ):
        report(name)
        place = folder / ("there" if ours_first else "back")
        shutil.rmtree(place, ignore_errors=True)
        trips[name] = await _trip(place, installed, kind, report, ours_first=ours_first)
    return trips


async def _trip(
    folder: Path, installed: Path, kind: Kind, report: Report, *, ours_first: bool
) -> Trip:
    project = kind.recorded(folder / "first")
    application = application_of(project, folder / "strapi-first", installed)
    report("writing the scenarios")
    with serving(quire(project) if ours_first else application) as client:
        await write_all(client)
        report("making accounts")
        made = await make_accounts(client)
        administrators = await make_administrators(client)
    lay_in_order(project)
    kind.cipher(project)
    copied = kind.copy(project, folder / "second")
    reader = application_of(copied, folder / "strapi-second", installed)
    before = rows(copied)
    with (
        serving(reader if ours_first else quire(copied)) as second,
        serving(quire(project) if ours_first else application) as first,
    ):
        after = rows(copied)
        # Before any request: some of the reads are meant to be complained about.
        complained = complaints(reader) if ours_first else ()
        report("comparing answers")
        ours, theirs = (first, second) if ours_first else (second, first)
        responses = await differing(
            Side("Quire", ours), Side("Strapi", theirs), lambda body: settled(body, kind.name)
        )
        report("using the accounts")
        accounts = [*await use_accounts(second, made), *await recorded_users(second)]
        accounts += await use_administrators(second, administrators)
    for one in (project, copied):
        kind.release(one)
    return Trip(complained, tuple(differences(before, after)), responses, tuple(accounts))
