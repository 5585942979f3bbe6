"""Quire's tables created by an earlier version."""

from pathlib import Path

import pytest
from msgspec import Struct

from quire.database.program import Program, Rows, Statement
from quire.database.settings_target import target_of
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.errors import AppError
from tests.databases.kind import Kind
from tests.unit.kiosk import open_kiosk


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
