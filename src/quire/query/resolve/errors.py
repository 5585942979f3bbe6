"""Problems of a query, collected while it is resolved; the first in Strapi's order is raised.

Strapi checks a query in passes: all keys for being known, then for being secret, private,
permitted; filters before sort before fields before populate; and only when every key is valid are
the locale, orders, pagination and operands read. Here a query is traversed once. Every error is
recorded with its rank, and the one that the passes would have met first is raised.
"""

from enum import IntEnum

from quire.errors import AppError

Rank = tuple[int, ...]


class CheckStage(IntEnum):
    """The stages in which Strapi checks a query; an error in one ends the request."""

    KEYS = 0
    VERSIONS = 1
    CONVERSION = 2
    OPERANDS = 3
    COUNTING = 4


class Param(IntEnum):
    """The order in which parameters are checked."""

    PUBLICATION = 0
    STRICT = 1
    FILTERS = 2
    SORT = 3
    FIELDS = 4
    POPULATE = 5
    LOCALE = 6
    PAGINATION = 7
    SEARCH = 8
    HAS_PUBLISHED = 9


class Pass(IntEnum):
    """Strapi's passes over the keys of one parameter, each of which rejects one kind of key."""

    UNKNOWN = 0
    SHAPE = 1
    SECRET = 2
    PRIVATE = 3
    FORBIDDEN = 4


class Findings:
    """All errors of one query."""

    def __init__(self) -> None:
        self._problems: list[tuple[Rank, AppError]] = []

    def add(self, rank: Rank, error: AppError) -> None:
        """Record an error; among equal ranks the first recorded comes first."""
        self._problems.append(((*rank, len(self._problems)), error))

    @property
    def count(self) -> int:
        """The number of recorded errors, which ranks the following ones."""
        return len(self._problems)

    def raise_first(self) -> None:
        """Raise the error that the passes would have met first, if there is any."""
        if self._problems:
            raise min(self._problems, key=lambda problem: problem[0])[1]
