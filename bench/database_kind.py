"""The interface of a kind of database for benchmarks.

One module for each kind: `bench.sqlite` and `bench.postgresql`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from bench.driver import Statement
from bench.measure import Round

Measure = Callable[[], Round]
Requests = Sequence[Sequence[Statement]]
"""The statements of each request."""


class BenchDatabase(Protocol):
    """A kind of database."""

    @property
    def name(self) -> str:
        """Its name as an option."""

    @property
    def floor(self) -> str:
        """The name of what runs the statements alone, the limit of any server, in the tables."""

    @property
    def page_part(self) -> str:
        """The part of the page that holds what was measured on it."""

    def version(self) -> str:
        """Name the database and its version."""

    def give(self, seeded: Path, folder: Path) -> None:
        """Let the project in a folder have a copy of a seeded SQLite database for itself."""

    def leave(self, folder: Path) -> None:
        """Leave the database of a folder as Strapi would: without other indexes, or statistics."""

    def lost_indexes(self, seeded: Path, folder: Path) -> frozenset[str]:
        """Return the names of indexes that the database of a folder has not any more."""

    def floor_measure(self, folder: Path, requests: Requests, seconds: float) -> Measure | None:
        """Return what measures one round of the statements alone; none where it cannot be had."""

    def cpu_seconds(self) -> float | None:
        """Return what the database's own processes have used so far; none where it has none."""

    def clear(self) -> None:
        """Remove the copies that were given."""
