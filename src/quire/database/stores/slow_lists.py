"""Slow lists, recorded so that indexes can be recommended.

Every process counts them, and stores the numbers in the core store when there is a new one. As a
commit this invalidates cached values, so it happens seldom.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec
import structlog
from msgspec import Struct

from quire.clock import Clock
from quire.database.compile.sql_conditions import demanded_values
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.outage_log import describe_failure
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting
from quire.query.plan import ReadPlan, Status

KEY = "plugin_quire_slow_lists"
"""The key of the core store."""
_MAX_LISTS = 100
_PAUSE_SECONDS = 60.0

_log = structlog.get_logger("quire.database")


class SlowList(Struct, frozen=True, kw_only=True):
    """A kind of list: its conditions and order, without values.

    ``equal`` are attributes that are compared with values; ``sort`` has attributes, and whether
    they are descending.
    """

    uid: str
    status: Status | None = None
    equal: tuple[str, ...] = ()
    sort: tuple[tuple[str, bool], ...] = ()


class SlowListCount(Struct, frozen=True, kw_only=True):
    """How often a list was slow, at least, and when last (epoch milliseconds)."""

    list: SlowList
    times: int
    last: int


def slow_list_of(plan: ReadPlan) -> SlowList:
    """Describe the list that a plan reads.

    An order by related entries is left out, and so are conditions that no index serves.
    """
    root = plan.root
    by_own = not any(key.path for key in root.sort)
    sort = tuple((key.attribute, key.descending) for key in root.sort if key.attribute != "id")
    return SlowList(
        uid=root.uid,
        status=root.status,
        equal=demanded_values(root.filter),
        sort=sort if by_own else (),
    )


class SlowLists:
    """Counts slow lists in this process, and stores the numbers.

    For use on the event loop only.
    """

    def __init__(self, *, pause_seconds: float = _PAUSE_SECONDS) -> None:
        """``pause_seconds`` is the time between two checks for new lists."""
        self._pause_seconds = pause_seconds
        self.counts: Counter[SlowList] = Counter()
        """How often each list was slow since the numbers were last stored."""
        self._stored: set[SlowList] = set()
        self._task: asyncio.Task[None] | None = None

    def count(self, plan: ReadPlan) -> None:
        """Count a list whose page was searched for among many rows."""
        slow_list = slow_list_of(plan)
        has_room = len(self.counts) < _MAX_LISTS or slow_list in self.counts
        if has_room and (slow_list.equal or slow_list.sort):
            self.counts[slow_list] += 1

    @property
    def has_news(self) -> bool:
        """Whether there is a list that was not stored before."""
        return not self.counts.keys() <= self._stored

    def start(self, database: Database, writes: Writes, clock: Clock) -> None:
        """Store numbers from now on, whenever there are new lists."""
        self._task = asyncio.get_running_loop().create_task(self._run(database, writes, clock))

    async def stop(self) -> None:
        """Stop storing. Unstored numbers are lost."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self, database: Database, writes: Writes, clock: Clock) -> None:
        while True:
            await asyncio.sleep(self._pause_seconds)
            if self.has_news:
                try:
                    await self.store(database, writes, clock)
                except Exception as error:  # noqa: BLE001 - tried again after the pause
                    _log.warning("slow lists are not stored", **describe_failure(error))

    async def store(self, database: Database, writes: Writes, clock: Clock) -> None:
        """Add the numbers to the stored ones. Raises what `Database.write` raises."""
        counts = dict(self.counts)
        await database.write(add_slow_lists(writes, counts, clock()))
        self._stored |= counts.keys()
        self.counts.subtract(counts)


def stored_slow_lists(writes: Writes) -> Program[list[SlowListCount]]:
    """Return the numbers of all processes, the most frequent list first."""
    setting = yield from read_setting(writes, KEY)
    try:
        counts = msgspec.convert(setting or [], list[SlowListCount])
    except msgspec.ValidationError:  # of another version of Quire
        return []
    return sorted(counts, key=lambda count: count.times, reverse=True)


def add_slow_lists(writes: Writes, counts: Mapping[SlowList, int], now: int) -> Program[None]:
    """Add numbers of slow lists to the stored ones; the oldest lists are dropped."""
    counts_by_list = {count.list: count for count in (yield from stored_slow_lists(writes))}
    for slow_list, times in counts.items():
        if times:
            former_times = counts_by_list[slow_list].times if slow_list in counts_by_list else 0
            counts_by_list[slow_list] = SlowListCount(
                list=slow_list, times=former_times + times, last=now
            )
    latest_counts = sorted(counts_by_list.values(), key=lambda count: count.last, reverse=True)[
        :_MAX_LISTS
    ]
    yield from write_setting(writes, KEY, _as_builtins(latest_counts))


def _as_builtins(counts: Iterable[SlowListCount]) -> object:
    return msgspec.to_builtins(list(counts))
