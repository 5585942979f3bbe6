"""Encodes entries as JSON, within the budget of a response.

Rows are fetched once for all of their parents, so an entry that is populated in many places is one
object in memory and many in the response: each level of ``populate`` may multiply. The response is
therefore counted level by level, before a level is mapped and before its children are read: a row
occurs in the response as often as all of its parents together.

The number of entries is exact. The number of bytes is estimated from samples at first. It is
measured where entries are repeated often, and where the estimate is close to the limit, so that
no read is refused because of an estimate. The length of the encoded text decides in the end.
Entries are encoded inside the program that reads them, so that the caller of the program chooses
the thread. Long lists are encoded entry by entry, since nothing else runs in the process while the
encoder does.
"""

from collections.abc import Callable, Sequence, Sized
from typing import Any

import msgspec
from msgspec import Raw

from quire.database.compile.compiled_read import CompiledNode
from quire.database.execute.row_mappers import Item
from quire.database.program import LONG_COMPUTATION, Program
from quire.errors import ValidationError

_LONG_ENTRIES = 2000
_LONG_BYTES = 1_000_000
_LONG_LEVELS = 100
"""From so many entries, bytes or levels on, reading, mapping and encoding take milliseconds."""
_FEW_ENTRIES = 256
"""Pages with fewer entries are not measured."""
_SAMPLE_STEP = 64
"""One of so many entries is measured for the estimate."""

encode = msgspec.json.Encoder().encode


class ResponseBudget:
    """Counts the size of one response, which may consist of several reads.

    Each run of a program has its own: a program that is repeated starts with a new one.
    """

    __slots__ = (
        "_encoded",
        "_entries",
        "_estimated",
        "_is_measuring",
        "_left",
        "_levels",
        "_measured",
        "_rows",
        "_size",
    )

    def __init__(self, rows: int, size: int | None = None) -> None:
        """``rows`` is the maximum of rows to fetch and of entries to show.

        ``size`` that of bytes.
        """
        self._rows = self._left = rows
        self._size = size
        self._entries = 0
        self._levels = 0
        self._estimated = 0.0
        self._measured = 0
        """Bytes of the measured levels: a lower bound for the response."""
        self._is_measuring = False
        self._encoded = 0

    @property
    def fetch_limit(self) -> int:
        """How many rows the next statement fetches at most: one more than may be fetched."""
        return self._left + 1

    @property
    def is_long(self) -> bool:
        """Whether reading, mapping and encoding the counted entries takes long."""
        return (
            self._entries > _LONG_ENTRIES
            or self._estimated > _LONG_BYTES
            or self._levels > _LONG_LEVELS
        )

    def fetch(self, rows: Sized, path: str) -> None:
        """Count rows that were fetched for a populated path, ``""`` for the page itself.

        Raises ValidationError when these are more than may be fetched.
        """
        self._left -= len(rows)
        if self._left < 0:
            raise _refusal(path, f"needs more than {self._rows} rows (limits.rows)")

    def add(self, count: int, path: str) -> None:
        """Count the entries of a level. Raises ValidationError when there are too many in total."""
        self._entries += count
        self._levels += 1
        if self._entries > self._rows:
            message = f"makes the response contain more than {self._rows} entries (limits.rows)"
            raise _refusal(path, message)

    def measure(self, items: Sequence[Any], times: Sequence[int] | None, path: str) -> None:
        """Count the bytes of the entries of a level, before anything is attached to them.

        ``times`` says how often each of them occurs in the response, ``None`` means once. Raises
        ValidationError when the response is certain to be too large.
        """
        if self._size is None or self._entries < _FEW_ENTRIES:
            return
        count = len(items) if times is None else sum(times)
        sample = items[self._entries % _SAMPLE_STEP :: _SAMPLE_STEP]
        if sample:
            self._estimated += len(encode(sample)) * _SAMPLE_STEP * count / len(items)
        if self._estimated * 2 > self._size:
            self._is_measuring = True
        if times is not None and (self._is_measuring or count >= _FEW_ENTRIES):
            sizes = [len(encode(item)) for item in items]
            self._measured += sum(map(int.__mul__, sizes, times))
        elif self._is_measuring:
            self._measured += len(encode(items))
        if self._measured > self._size:
            raise self._too_large(path)

    def add_encoded(self, size: int, largest: Callable[[], str]) -> None:
        """Count bytes of an encoded part of the response; raises as `check_encoded` does."""
        self.check_encoded(size, largest)
        self._encoded += size

    def check_encoded(self, size: int, largest: Callable[[], str]) -> None:
        """Check the size of the encoded text of a part of the response.

        ``largest`` names the populated path with the largest share. Raises ValidationError when the
        response is too large.
        """
        if self._size is not None and self._encoded + size > self._size:
            raise self._too_large(largest())

    def _too_large(self, path: str) -> ValidationError:
        message = f"makes the response larger than {self._size} bytes (limits.response_size)"
        return _refusal(path, message)


def _refusal(path: str, message: str) -> ValidationError:
    if not path:
        details = {"source": "query", "param": "pagination"}
        return ValidationError(f"The page {message}; ask for a smaller one", details)
    return ValidationError(
        f"Populating {path} {message}; populate less, or ask for a smaller page",
        {"source": "query", "param": "populate", "path": path},
    )


EntrySerializer = Callable[[Item], object]
"""Converts an entry to the value that is encoded in its place."""

Wrap = Callable[[object], object]
"""Converts the encoded value to the whole that contains it."""


def encode_list(
    node: CompiledNode,
    items: Sequence[Item],
    budget: ResponseBudget,
    serializer: EntrySerializer | None = None,
    wrap: Wrap | None = None,
) -> Program[bytes]:
    """Return the entries of a root node as a JSON array, or its wrapper.

    Raises ValidationError when the budget is exceeded.
    """
    if budget.is_long:
        yield LONG_COMPUTATION
    return encode_items(node, items, budget, serializer, wrap)


def encode_items(
    node: CompiledNode,
    items: Sequence[Item],
    budget: ResponseBudget,
    serializer: EntrySerializer | None = None,
    wrap: Wrap | None = None,
) -> bytes:
    """Return what `encode_list` does, on this thread."""
    if budget.is_long:
        text = _encode_one_by_one(node, items, budget, serializer, wrap)
    else:
        values = items if serializer is None else [serializer(item) for item in items]
        text = encode(values if wrap is None else wrap(values))
    budget.add_encoded(len(text), lambda: _largest_path(node, items))
    return text


def _encode_one_by_one(
    node: CompiledNode,
    items: Sequence[Item],
    budget: ResponseBudget,
    serializer: EntrySerializer | None,
    wrap: Wrap | None,
) -> bytes:
    """Encode a list; raises ValidationError as soon as the budget is exceeded."""
    texts: list[bytes] = []
    size = 0
    for item in items:
        text = encode(item if serializer is None else serializer(item))
        texts.append(text)
        size += len(text)
        budget.check_encoded(size, lambda: _largest_path(node, items[: len(texts)]))
    array = b"[%s]" % b",".join(texts)
    texts.clear()  # they may take the same amount of memory again
    return array if wrap is None else encode(wrap(Raw(array)))


def encode_entry(
    node: CompiledNode,
    item: Item,
    budget: ResponseBudget,
    serializer: EntrySerializer | None = None,
    wrap: Wrap | None = None,
) -> Program[bytes]:
    """Return one entry of a root node as a JSON object, or its wrapper.

    Raises ValidationError when the budget is exceeded.
    """
    if budget.is_long:
        yield LONG_COMPUTATION
    value = item if serializer is None else serializer(item)
    text = encode(value if wrap is None else wrap(value))
    budget.add_encoded(len(text), lambda: _largest_path(node, [item]))
    return text


def encode_result(program: Program[object]) -> Program[bytes]:
    """Return the result of a program as JSON, encoded on the program's thread."""
    return encode((yield from program))


def _largest_path(node: CompiledNode, items: Sequence[Item]) -> str:
    """Return the edge of the root with the largest share of the text, ``""`` for the entries."""
    sizes = {
        edge.path: sum(len(encode(getattr(item, edge.member))) for item in items)
        for edge in node.edges
    }
    sizes[""] = sum(len(encode(item)) for item in items) - sum(sizes.values())
    return max(sizes, key=sizes.__getitem__)
