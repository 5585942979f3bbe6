"""Lists that the reference reads without a defined order.

What a file is used by (``related``) it sorts by the links' place in *their* lists, which is the
first for nearly all of them; entries in other locales (``localizations``) it does not sort at all.
SQLite reads both in the order of the rows, and so does Quire there, to the letter. PostgreSQL gives
rows as they lie in its files, which is otherwise after every change of a row and in every copy of
a database. So on PostgreSQL these two lists are compared without their order, and no others.

The list of end users it does not sort either, whose pages have other members then. There the rows
are laid in order before anybody reads them.
"""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.conformance.corpus import JSON
from tests.databases.kinds import POSTGRESQL, kind_of, rows_of

_UNSORTED: Mapping[str, Collection[str]] = MappingProxyType(
    {"postgresql": frozenset({"related", "localizations"})}
)
"""Names of such lists, by kind of database."""


def lay_in_order(project: Path) -> None:
    """Let the rows of end users lie in the order of their ids, as long as nobody changes them."""
    if kind_of(project) is POSTGRESQL:
        with rows_of(project) as database:
            database.execute("CLUSTER up_users USING up_users_pkey")


def settled(value: JSON, database: str) -> JSON:
    """Return a response with the lists that have no order on a kind of database in a fixed one."""
    unsorted = _UNSORTED.get(database, ())
    return _settled(value, unsorted) if unsorted else value


def _settled(value: JSON, unsorted: Collection[str]) -> JSON:
    match value:
        case dict():
            return {name: _member(name, inner, unsorted) for name, inner in value.items()}
        case list():
            return [_settled(inner, unsorted) for inner in value]
        case _:
            return value


def _member(name: str, value: JSON, unsorted: Collection[str]) -> JSON:
    inner = _settled(value, unsorted)
    if name in unsorted and isinstance(inner, list):
        return sorted(inner, key=lambda item: json.dumps(item, sort_keys=True))
    return inner
