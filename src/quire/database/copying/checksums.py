"""Checksums of tables, to verify a copy."""

from collections.abc import Awaitable, Callable
from hashlib import blake2b

from msgspec import Struct

from quire.database.copying.pages import TablePages
from quire.database.copying.values import Common, canonical, canonical_number, reducer
from quire.database.dialect import Dialect
from quire.database.program import Program, Rows, Value
from quire.schema.attributes.base import StorageKind

PAGE_ROWS = 1000

Run = Callable[[Program[Rows]], Awaitable[Rows]]


class TableChecksum(Struct, frozen=True):
    """How many rows there are, and a checksum of their values in the order of their ids."""

    rows: int
    checksum: str


async def table_checksum(
    run: Run, pages: TablePages, dialect: Dialect, *, exact: bool, advance: Callable[[int], None]
) -> TableChecksum:
    """Read a table from the first row to the last.

    With ``exact`` values count as they are stored, for databases of one kind; else in their common
    form, in which JSON counts always: a database may have put its keys in another order.
    ``advance`` is told how many rows were read.
    """
    copied = pages.copied
    reduce: list[Callable[[Value], Common]] = [
        _as_stored
        if exact and kind is not StorageKind.JSON
        else _common(dialect, kind, exact=name in copied.exact)
        for name, kind in copied.columns.items()
    ]
    checksum, count = blake2b(digest_size=16), 0
    unordered: list[bytes] = []
    after: int | None = None
    while True:
        rows = await run(pages.read(after, PAGE_ROWS))
        for row in rows:
            values = repr([form(value) for form, value in zip(reduce, row, strict=True)])
            if pages.copied.identified:
                checksum.update(values.encode("utf-8", "surrogatepass"))
            else:
                unordered.append(values.encode("utf-8", "surrogatepass"))
        count += len(rows)
        advance(len(rows))
        after = pages.last_id(rows)
        if after is None or len(rows) < PAGE_ROWS:
            break
    for line in sorted(unordered):
        checksum.update(line)
    return TableChecksum(count, checksum.hexdigest())


def _as_stored(value: Value) -> Common:
    return value


def _common(dialect: Dialect, kind: StorageKind, *, exact: bool) -> Callable[[Value], Common]:
    if exact:
        return canonical_number
    reduce, form = reducer(dialect, kind), canonical(kind)
    return lambda stored: form(reduce(stored))
