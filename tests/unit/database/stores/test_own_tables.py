"""Quire's tables created by an earlier version, which may serve the same database at the same time.

``golden/quire_tables.txt`` has a line for each column and index. Lines are added to it; none is
changed or removed, as no version renames or removes tables and columns.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

import quire
from quire.database.program import Program, Rows, Statement
from quire.database.settings_target import target_of
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.errors import AppError
from tests.databases.kind import Kind
from tests.unit.kiosk import open_kiosk

GOLDEN = Path(__file__).parent / "golden" / "quire_tables.txt"
SOURCES = Path(quire.__file__).parent


class Thing(Struct, frozen=True):
    name: str


class TracedThing(Thing, frozen=True):
    trace: str | None = None


EARLIER = QuireTable(name="quire_things", row=Thing)
LATER = QuireTable(name="quire_things", row=TracedThing)
LATEST = QuireTable(
    name="quire_things",
    row=TracedThing,
    indexes={"quire_things_name": ("name",), "quire_things_trace": ("trace",)},
    unique=("quire_things_trace",),
)


async def test_columns_that_a_table_lacks_are_added_to_its_rows(kind: Kind, tmp_path: Path) -> None:
    def fill() -> Program[None]:
        yield Statement("INSERT INTO quire_things (name) VALUES ('before')")

    def rows() -> Program[Rows]:
        return (yield Statement("SELECT name, trace FROM quire_things ORDER BY name"))

    kind.settle(tmp_path)
    async with open_kiosk(tmp_path) as kiosk:
        database = kiosk.app.database
        assert database is not None
        kind_of_database = target_of(kiosk.app.settings).kind
        await QuireTables(database, kind_of_database).ensure(EARLIER)
        await database.write(fill())
        for _ in range(2):  # a second server finds it done
            await QuireTables(database, kind_of_database).ensure(LATER)
        # A server of the earlier version goes on to use it.
        assert await database.read(lambda: QuireTables(database, kind_of_database).exists(EARLIER))
        await database.write(fill())
        assert await database.read(rows) == [("before", None)] * 2


@pytest.mark.parametrize("former", [EARLIER, LATER], ids=["lacks a column", "lacks indexes"])
@pytest.mark.parametrize("is_within", [True, False], ids=["in a transaction", "before one"])
async def test_indexes_that_a_table_lacks_are_added(
    kind: Kind, tmp_path: Path, former: QuireTable[Thing], *, is_within: bool
) -> None:
    def fill() -> Program[None]:
        yield Statement("INSERT INTO quire_things (name) VALUES ('twice'), ('twice')")

    def add_traced() -> Program[None]:
        if is_within:
            yield from QuireTables(database, kind_of_database).ensure_in_transaction(LATEST)
        yield Statement("INSERT INTO quire_things (name, trace) VALUES ('other', 'one')")

    kind.settle(tmp_path)
    async with open_kiosk(tmp_path) as kiosk:
        assert kiosk.app.database is not None
        database = kiosk.app.database
        kind_of_database = target_of(kiosk.app.settings).kind
        await QuireTables(database, kind_of_database).ensure(former)
        await database.write(fill())
        if not is_within:
            for _ in range(2):  # a second server finds it done
                await QuireTables(database, kind_of_database).ensure(LATEST)
        await database.write(add_traced())
        with pytest.raises(AppError):
            await database.write(add_traced())
        inspector = kind_of_database.inspector
        assert await database.read(lambda: inspector.index_names_of("quire_things")) >= {
            "quire_things_name",
            "quire_things_trace",
        }


def test_columns_and_indexes_are_only_added() -> None:
    recorded = GOLDEN.read_text(encoding="utf-8").splitlines()
    present = sorted({line for table in all_tables() for line in lines_of(table)})
    assert [line for line in recorded if line not in present] == []
    assert present == recorded, "add the new lines to the golden file"


def all_tables() -> Iterator[QuireTable[Any]]:
    """Yield the tables of all modules that define some."""
    for path in SOURCES.rglob("*.py"):
        defined = path.read_text(encoding="utf-8").count("= QuireTable(")
        if defined:
            name = ".".join(path.relative_to(SOURCES.parent).with_suffix("").parts)
            tables = [
                value
                for value in vars(import_module(name)).values()
                if isinstance(value, QuireTable)
            ]
            assert len(tables) >= defined
            yield from tables


def lines_of(table: QuireTable[Any]) -> Iterator[str]:
    for name, kind in table.columns.items():
        yield f"{table.name} column {name}: {kind.name}"
    for name, columns in table.indexes.items():
        unique = " (unique)" if name in table.unique else ""
        yield f"{table.name} index {name}: {', '.join(columns)}{unique}"
