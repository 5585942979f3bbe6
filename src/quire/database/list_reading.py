"""Reading lists by what is remembered of them, or asking anew.

A page that can be read in two steps is read so where the database says that it is costly to find.
Totals and the keys of pages are remembered under the token of the content that whoever reads has
been told. Total and rows may be of two moments with a commit between them. Keys and rows may not: a
row that is shown by keys of another state might be one that a rule or filter no longer lets
through. So rows are read by remembered keys in `Database.read_at` alone, which returns what it has
read only if that is the state of the token.

What is read in the ordinary way may be of a later state, when somebody has committed since the
token was told. It is remembered under that token all the same, which does no harm: states do not
come back, so nothing is read at the state of that token any more.
"""

from collections.abc import Callable, Hashable
from typing import TypeVar

from quire.database.connection import Database
from quire.database.list_cache import ListCache
from quire.database.program import Program
from quire.database.read import BoundRead, ListFacts

T = TypeVar("T")


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
    steps, keyed = bound.steps, None
    if steps is not None and await cache.costs.is_costly(database, bound.page, steps.offset):
        keyed = steps.keyed()
    lists = cache.at(version)
    known = ListFacts(keyed=keyed) if lists is None else lists.facts(bound, keyed)
    facts = known

    def begin() -> Program[T]:
        # Whatever is begun again asks again: it is to be of one state as a whole.
        nonlocal facts
        facts = ListFacts(known.total, known.keys, keyed)
        return program(facts)

    result: T | None = None
    if version is not None and known.keys is not None:
        result = await database.read_at(version, begin, key=key)
    if result is None:
        known.keys = None
        several = bound.statements + (keyed is not None) - (known.total is not None) > 1
        result = await database.read(begin, snapshot=snapshot or several, key=key)
    if lists is not None and (facts.total != known.total or facts.keys != known.keys):
        lists.keep(bound, facts)
    return result
