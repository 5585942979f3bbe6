"""Counters that all processes of a machine share, for rate limits.

Machines tell one another of theirs through the database (`counter_exchange`).

They are stored in a file of a fixed size, a table of slots. A keyed hash of the counted key selects
one of many small groups of slots; the counter is anywhere in its group. Counting locks the group,
reads it and writes one slot: a few system calls, whatever the size of the file. Nothing is ever
removed: a new counter replaces one whose window has ended, or else the smallest. So many new keys
cannot evict a counter near its limit. Only one thread of a process may count.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from struct import Struct as Layout
from typing import Protocol

import structlog
from msgspec import Struct

try:
    import fcntl
except ImportError:  # pragma: no cover - a system without such locks
    fcntl = None  # type: ignore[assignment]  # each process counts for itself there

_log = structlog.get_logger("quire.auth")

_SLOT = Layout("<16sQQ")
_SLOTS = 8
_GROUP = _SLOTS * _SLOT.size
_GROUPS = 8192
_SIZE = (1 + _GROUPS) * _GROUP
"""A header with the size of a group, and the groups: 2 MB."""

_CLOCK_TOLERANCE_MS = 10_000
"""How much later than now plus an interval a window may end.

A process that has read the clock later may have begun it, since the clock is read before the group
is locked.
"""

_MAX_REPORTS = 1000
"""How many windows are reported to other machines at a time."""

_EMPTY_GROUP = bytes(_GROUP)
_HEAD = b"quire calls 1\n".ljust(_GROUP, b"\0")


class CounterWindow(Struct, frozen=True):
    """The calls of an interval that ends at a time (epoch milliseconds)."""

    ends_at: int
    calls: int


class _GroupStore(Protocol):
    """The storage of the groups."""

    def lock(self, offset: int) -> AbstractContextManager[None]:
        """Lock a group."""

    def read(self, offset: int) -> bytes:
        """Return a group."""

    def write(self, offset: int, slot: bytes) -> None:
        """Write a slot."""


class _ProcessGroups:
    """Groups in the memory of this process, only those in which something was counted."""

    def __init__(self) -> None:
        self._groups: dict[int, bytearray] = {}

    def lock(self, offset: int) -> AbstractContextManager[None]:  # noqa: ARG002 - nobody else
        return nullcontext()

    def read(self, offset: int) -> bytes:
        return bytes(self._groups.get(offset, _EMPTY_GROUP))

    def write(self, offset: int, slot: bytes) -> None:
        start = offset % _GROUP
        group = self._groups.setdefault(offset - start, bytearray(_GROUP))
        group[start : start + len(slot)] = slot


class _File:
    """Groups in a file. It is not memory-mapped: a full disk is an error then, not a crash."""

    def __init__(self, file: int) -> None:
        self._file = file
        with self.lock(0):
            if os.pread(file, _GROUP, 0) != _HEAD or os.fstat(file).st_size != _SIZE:
                os.ftruncate(file, 0)
                os.ftruncate(file, _SIZE)
                os.pwrite(file, _HEAD, 0)

    @contextmanager
    def lock(self, offset: int) -> Iterator[None]:
        # The locks of a process are released however it ends.
        fcntl.lockf(self._file, fcntl.LOCK_EX, _GROUP, offset)
        try:
            yield
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, _GROUP, offset)

    def read(self, offset: int) -> bytes:
        group = os.pread(self._file, _GROUP, offset)
        if len(group) < _GROUP:
            raise OSError("the file was truncated")
        return group

    def write(self, offset: int, slot: bytes) -> None:
        os.pwrite(self._file, slot, offset)


class SharedCounters:
    """Counts by key, in windows that begin with their first call."""

    def __init__(self, secret: str = "", file: Path | None = None) -> None:
        """Open the counters in a file, and create it if needed; without one they are in memory.

        They are in memory as well if the file cannot be used, which is logged. ``secret`` is a text
        that all who share them have, so that nobody else can compute which keys share a group.
        """
        self._secret = hashlib.blake2b(f"calls {secret}".encode()).digest()
        self._file: int | None = None
        self._reports: dict[str, CounterWindow] | None = None
        self._place: _GroupStore = _ProcessGroups()
        if file is None or fcntl is None:
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._place = _File(self._file)
        except OSError as error:
            _log_fallback(error)

    def add(
        self, key: str, now: int, interval: int, *, report_from: int | None = None
    ) -> CounterWindow:
        """Count a call now, and return its window.

        A window that has ``report_from`` calls is reported to other machines: see `take_reports`.
        """
        digest, offset = self._find(key)
        try:
            window = _increment(self._place, offset, digest, now, interval)
        except OSError as error:
            _log_fallback(error)
            self._place = _ProcessGroups()
            window = _increment(self._place, offset, digest, now, interval)
        if report_from is not None and window.calls >= report_from:
            # The first report has the calls before it; of several processes one makes it.
            calls = window.calls if window.calls == report_from else 1
            self._report(digest.hex(), CounterWindow(window.ends_at, calls))
        return window

    def take_reports(self) -> dict[str, CounterWindow]:
        """Return the calls to report to other machines, by hashed key, and forget them.

        Nothing is collected before the first call. `return_reports` takes back what could not be
        passed on.
        """
        reports, self._reports = self._reports or {}, {}
        return reports

    def return_reports(self, reports: Mapping[str, CounterWindow]) -> None:
        """Collect reports once more."""
        for key, window in reports.items():
            self._report(key, window)

    def _report(self, key: str, window: CounterWindow) -> None:
        reports = self._reports
        if reports is None or (len(reports) >= _MAX_REPORTS and key not in reports):
            return
        previous_report = reports.get(key)
        previous_calls = (
            previous_report.calls
            if previous_report is not None and previous_report.ends_at == window.ends_at
            else 0
        )
        reports[key] = CounterWindow(window.ends_at, previous_calls + window.calls)

    def raise_to(self, key: str, window: CounterWindow, now: int) -> None:
        """Raise a count, by hashed key, to what all machines have counted."""
        digest = bytes.fromhex(key)
        offset = _offset(digest)
        try:
            with self._place.lock(offset):
                slots = _slots(self._place, offset)
                slot_index = _find_slot(slots, digest, now, window.ends_at - now)
                if slot_index is None:
                    slot_index = min(
                        range(_SLOTS), key=lambda index: _eviction_rank(slots[index], now)
                    )
                elif slots[slot_index][2] >= window.calls:
                    return
                slot = _SLOT.pack(digest, window.ends_at, window.calls)
                self._place.write(offset + slot_index * _SLOT.size, slot)
        except OSError as error:
            _log_fallback(error)
            self._place = _ProcessGroups()

    def window(self, key: str, now: int, interval: int) -> CounterWindow | None:
        """Return the window of a key, ``None`` if nothing was counted in it."""
        digest, offset = self._find(key)
        try:
            slots = _slots(self._place, offset)
        except OSError:
            return None
        slot_index = _find_slot(slots, digest, now, interval)
        return (
            None
            if slot_index is None
            else CounterWindow(slots[slot_index][1], slots[slot_index][2])
        )

    def close(self) -> None:
        """Close the file; the counters stay there."""
        self._place = _ProcessGroups()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _find(self, key: str) -> tuple[bytes, int]:
        key_bytes = key.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(key_bytes, digest_size=16, key=self._secret).digest()
        return digest, _offset(digest)


def _offset(digest: bytes) -> int:
    return _GROUP * (1 + int.from_bytes(digest[:4]) % _GROUPS)


def _increment(
    place: _GroupStore, offset: int, digest: bytes, now: int, interval: int
) -> CounterWindow:
    with place.lock(offset):
        slots = _slots(place, offset)
        present_index = _find_slot(slots, digest, now, interval)
        if present_index is None:
            slot_index = min(range(_SLOTS), key=lambda index: _eviction_rank(slots[index], now))
            window = CounterWindow(now + interval, 1)
        else:
            slot_index = present_index
            window = CounterWindow(slots[present_index][1], slots[present_index][2] + 1)
        slot = _SLOT.pack(digest, window.ends_at, window.calls)
        place.write(offset + slot_index * _SLOT.size, slot)
    return window


def _slots(place: _GroupStore, offset: int) -> list[tuple[bytes, int, int]]:
    return list(_SLOT.iter_unpack(place.read(offset)))


def _find_slot(
    slots: list[tuple[bytes, int, int]], digest: bytes, now: int, interval: int
) -> int | None:
    """Return the slot with the present window of a key.

    A window that ends much later than possible was begun before the clock was set back.
    """
    for number, (owner, ends_at, _) in enumerate(slots):
        if owner == digest and now < ends_at <= now + interval + _CLOCK_TOLERANCE_MS:
            return number
    return None


def _eviction_rank(slot: tuple[bytes, int, int], now: int) -> tuple[bool, int, int]:
    """Rank slots by the damage of losing them."""
    _, ends_at, calls = slot
    return ends_at > now, calls, ends_at


def _log_fallback(error: OSError) -> None:
    _log.warning("calls are counted by each process for itself", reason=str(error))
