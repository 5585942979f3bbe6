"""Reading lists by what is remembered of them, or asking anew.

A page that can be read in two steps, or by walking through the table, is read so where the database
says that it is costly to find otherwise. Totals and the keys of pages are remembered under the
token of the content that whoever reads has been told. Total and rows may be of two moments with a
commit between them. Keys and rows may not: a row that is shown by keys of another state might be
one that a rule or filter no longer lets through. So rows are read by remembered keys in
`Database.read_at` alone, which returns what it has read only if that is the state of the token. So
are keys that are found from the end of a list by a remembered total.

What is read in the ordinary way may be of a later state, when somebody has committed since the
token was told. It is remembered under that token all the same, which does no harm: states do not
come back, so nothing is read at the state of that token any more.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from msgspec.structs import replace

from quire.database.connection import Database
from quire.database.costs import Costs
from quire.database.list_cache import ListCache
from quire.database.program import Program, Statement
from quire.database.read import BoundKeys, BoundRead, BoundSteps, ListFacts

T = TypeVar("T")

_KEYS = "keys"
"""What tells reads that find keys from those of the same kind that know them."""


async def read_list(
    database: Database,
    cache: ListCache,
    version: int | None,
    bound: BoundRead,
    program: Callable[[ListFacts], Program[T]],
    *,
    key: Hashable,
    snapshot: bool = False,
) -> T:
    """Run a program that reads a list, with what is remembered of it, and remember what it finds.

    ``version`` is the token of the content; ``program`` goes by `read_program` with the facts that
    it is given. ``snapshot`` says that it has more statements than the list; ``key`` is that of
    `Database.read`. Raises what the program and `Database.read` raise.
    """
    page = keyed = None
    if bound.steps is not None:
        page, keyed = await _choose(database, cache.costs, bound.steps)
    lists = cache.at(version)
    known = ListFacts(keyed=keyed) if lists is None else lists.facts(bound, keyed)
    known.page = page
    facts = known

    def begin() -> Program[T]:
        # Whatever is begun again asks again: it is to be of one state as a whole.
        nonlocal facts
        facts = replace(known)
        return program(facts)

    result: T | None = None
    if version is not None and keyed is not None:
        if known.keys is not None:
            result = await database.read_at(version, begin, key=key)
        elif known.total is not None and bound.offset:
            result = await database.read_at(version, begin, key=(_KEYS, key))
    if result is None:
        known.keys, known.is_current = None, False
        several = bound.statements + (keyed is not None) - (known.total is not None) > 1
        result = await database.read(begin, snapshot=snapshot or several, key=key)
    if bound.steps is not None and keyed is not None and known.keys is None:
        cache.slow_lists.count(bound.steps.plan)
    if lists is not None and (facts.total != known.total or facts.keys != known.keys):
        lists.keep(bound, facts)
    return result


async def _choose(
    database: Database, costs: Costs, steps: BoundSteps
) -> tuple[Statement | None, BoundKeys | None]:
    """Choose how a page is read: by another statement than its own, or by its keys.

    Raises what the database raises.
    """
    offset, locale = steps.offset, steps.locale
    if not await costs.is_costly(database, steps.probe, offset, locale):
        return None, None
    if steps.walked is not None:
        page, probe = steps.walked()
        if not await costs.is_costly(database, probe, offset, locale):
            return page, None
    return None, steps.keyed()
