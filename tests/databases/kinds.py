"""The kinds of database that tests run on."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

from tests.databases.environment import read_environment
from tests.databases.kind import Kind, Rows, opened
from tests.databases.postgresql import Postgresql
from tests.databases.sqlite import Sqlite

SQLITE: Kind = Sqlite()
POSTGRESQL: Kind = Postgresql()
KINDS: Sequence[Kind] = (SQLITE, POSTGRESQL)
"""What tests run on; each of these is one column of all results."""


KindName = Literal["sqlite", "postgresql"]


def kind_of(project: Path) -> Kind:
    """Return the kind of database that a project has."""
    client = read_environment(project).get("DATABASE_CLIENT")
    return POSTGRESQL if client == "postgres" else SQLITE


def rows_of(project: Path) -> AbstractContextManager[Rows]:
    """Open the database of a project, of any kind."""
    return opened(kind_of(project), project)


def kind_called(name: str) -> Kind:
    """Return a kind of database by its name."""
    return next(kind for kind in KINDS if kind.name == name)
