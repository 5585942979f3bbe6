"""Rows of a table as Structs, by conditions, on both databases."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest
from msgspec import Struct, structs

from quire.app import Application, build_app
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.stores.queue_table import QueueTable
from quire.database.stores.quire_tables import QuireTable, QuireTables
from quire.database.stores.row_conditions import (
    Condition,
    all_of,
    any_of,
    eq,
    ge,
    gt,
    in_list,
    is_id_of,
    is_no_id_of,
    is_null,
    le,
    lt,
    no_other,
    none_earlier,
    not_in_list,
    not_null,
    one_of,
    starts_with,
)
from quire.database.stores.row_types import (
    BigInt,
    EmptyText,
    JsonMapping,
    JsonTexts,
    LongText,
    row_columns,
)
from quire.database.stores.table import Table
from quire.schema.attributes.base import StorageKind
from quire.settings import load_settings
from tests.conformance.client import running
from tests.databases.kind import Kind
from tests.shared_applications import SharedApplications
from tests.unit.kiosk import make_kiosk

T = TypeVar("T")
LARGE = 1_700_000_000_000


class Parcel(Struct, frozen=True, kw_only=True):
    id: int = 0
    name: str
    text: LongText | None = None
    locale: EmptyText = None
    count: int | None = None
    due: BigInt = LARGE
    attempts: int = 0
    ended_at: BigInt | None = None
    holder: str | None = None
    is_open: bool = False
    options: JsonMapping = {}
    tags: JsonTexts = ()


PARCELS = QuireTable(
    name="quire_parcels",
    row=Parcel,
    indexes={"quire_parcels_name": ("name", "locale")},
    unique=("quire_parcels_name",),
)


class Depot:
    """A database with the table of parcels."""

    def __init__(self, app: Application, database: Database) -> None:
        self.app = app
        self.database = database
        self.writes = Writes(database.dialect)
        self.table = QueueTable(self.writes, PARCELS.name, Parcel)

    async def add(self, *parcels: Parcel) -> None:
        await self.database.write(self.table.insert_many(parcels))

    async def write(self, program: Program[T]) -> T:
        return await self.database.write(program)

    async def read(self, make: Callable[[], Program[T]]) -> T:
        return await self.database.read(make)

    async def names(self, *where: Condition) -> list[str]:
        return [one.name for one in await self.read(lambda: self.table.select(*where))]


@asynccontextmanager
async def serve_depot(project: Path) -> AsyncIterator[Depot]:
    app = build_app(load_settings(project, environ={}))
    async with running(app):
        database = app.database
        assert database is not None
        await QuireTables(database, target_of(app.settings).kind).ensure(PARCELS)
        yield Depot(app, database)


@pytest.fixture(scope="module")
async def project(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    """A kiosk, which is copied."""
    project = tmp_path_factory.mktemp("depot") / "kiosk"
    project.mkdir()
    kind.settle(project)
    await make_kiosk(project)
    kind.cipher(project)
    yield project
    kind.release(project)


@pytest.fixture(scope="module")
async def shared_depots(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[SharedApplications[Depot]]:
    depots = SharedApplications[Depot](tmp_path_factory.mktemp)
    yield depots
    await depots.close()


@pytest.fixture
async def depot(project: Path, shared_depots: SharedApplications[Depot]) -> AsyncIterator[Depot]:
    async with shared_depots.lend(project, serve_depot) as depot:
        yield depot


def test_the_types_of_fields_say_the_kinds_of_columns() -> None:
    kinds = {name: column.kind for name, column in row_columns(Parcel).items()}
    assert kinds == {
        "id": StorageKind.ID,
        "name": StorageKind.STRING,
        "text": StorageKind.TEXT,
        "locale": StorageKind.STRING,
        "count": StorageKind.INTEGER,
        "due": StorageKind.BIGINTEGER,
        "attempts": StorageKind.INTEGER,
        "ended_at": StorageKind.BIGINTEGER,
        "holder": StorageKind.STRING,
        "is_open": StorageKind.BOOLEAN,
        "options": StorageKind.JSON,
        "tags": StorageKind.JSON,
    }


def test_a_field_that_no_column_can_hold_is_an_error() -> None:
    class Odd(Struct):
        parts: list[list[object]]

    with pytest.raises(TypeError, match=r"Odd\.parts"):
        row_columns(Odd)


async def test_rows_come_back_as_they_were_inserted(depot: Depot) -> None:
    whole = Parcel(
        name="a",
        text="long",
        locale="en",
        count=3,
        ended_at=LARGE + 1,
        holder="me",
        is_open=True,
        options={"depth": {"levels": [1, 2.5, None]}},
        tags=("x", "y"),
    )
    row_id = await depot.write(depot.table.insert(whole))
    assert await depot.read(lambda: depot.table.get(row_id)) == structs.replace(whole, id=row_id)
    await depot.add(Parcel(name="bare"))
    found = await depot.read(lambda: depot.table.first(eq("name", "bare")))
    assert found is not None
    assert structs.replace(found, id=0) == Parcel(name="bare")
    assert await depot.read(lambda: depot.table.get(row_id + 100)) is None


CONDITIONS: dict[str, tuple[tuple[Condition, ...], list[str]]] = {
    "none": ((), ["a", "ab", "b%"]),
    "equal": ((eq("name", "ab"),), ["ab"]),
    "equal to nothing": ((eq("count", None),), ["b%"]),
    "equal to an empty text": ((eq("locale", None),), ["a", "b%"]),
    "less": ((lt("count", 5),), ["a"]),
    "less or equal": ((le("count", 5),), ["a", "ab"]),
    "more": ((gt("count", 3),), ["ab"]),
    "more or equal": ((ge("count", 3),), ["a", "ab"]),
    "null": ((is_null("count"),), ["b%"]),
    "not null": ((not_null("count"),), ["a", "ab"]),
    "not an empty text": ((not_null("locale"),), ["ab"]),
    "listed": ((in_list("name", ["a", "b%", "c"]),), ["a", "b%"]),
    "listed in nothing": ((in_list("name", []),), []),
    "not listed": ((not_in_list("name", ["a", "b%", "c"]),), ["ab"]),
    "one of": ((one_of("name", "a", "ab"),), ["a", "ab"]),
    "beginning": ((starts_with("name", "a"),), ["a", "ab"]),
    "beginning with a sign of patterns": ((starts_with("name", "b%"),), ["b%"]),
    "a sign of patterns is none": ((starts_with("name", "%"),), []),
    "both": ((eq("count", 3), eq("name", "ab")), []),
    "any": ((any_of(eq("count", 3), eq("name", "ab")),), ["a", "ab"]),
    "all within any": (
        (any_of(all_of(eq("count", 3), eq("name", "ab")), is_null("count")),),
        ["b%"],
    ),
    "boolean": ((eq("is_open", True),), ["b%"]),
    "no earlier one": ((none_earlier(not_null("count"), equal_columns=("text",)),), ["a", "b%"]),
    "no other one": ((no_other(equal_columns={"text": "name"}),), ["ab", "b%"]),
    "an id of another table": ((is_id_of("count", PARCELS.name),), ["a"]),
    "no id of another table": ((is_no_id_of("count", PARCELS.name),), ["ab"]),
}


@pytest.mark.parametrize("case", CONDITIONS)
async def test_conditions_choose_rows(depot: Depot, case: str) -> None:
    await depot.add(
        Parcel(name="a", text="t", count=3),
        Parcel(name="ab", text="t", count=5, locale="en"),
        Parcel(name="b%", text="a", is_open=True),
    )
    where, expected = CONDITIONS[case]
    assert await depot.names(*where) == expected
    assert await depot.read(lambda: depot.table.count(*where)) == len(expected)


async def test_a_column_that_is_not_there_is_an_error(depot: Depot) -> None:
    with pytest.raises(KeyError, match="weight"):
        await depot.names(eq("weight", 1))


async def test_rows_are_ordered_limited_counted_and_summed_up(depot: Depot) -> None:
    await depot.add(
        Parcel(name="a", count=2, due=30),
        Parcel(name="b", count=1, due=20),
        Parcel(name="c", count=2, due=10),
    )
    table = depot.table
    found = await depot.read(lambda: table.select(order=("-count", "name"), limit=2))
    assert [one.name for one in found] == ["a", "c"]
    assert await depot.read(lambda: table.count_by(("count",))) == {(1,): 1, (2,): 2}
    by_two = await depot.read(lambda: table.count_by(("count", "name"), eq("count", 2)))
    assert by_two == {(2, "a"): 1, (2, "c"): 1}
    assert await depot.read(lambda: table.lowest("due", eq("count", 2))) == 10
    assert await depot.read(lambda: table.lowest("due", eq("count", 9))) is None
    assert await depot.read(lambda: table.count_and_lowest("due", gt("due", 10))) == (2, 20)
    assert await depot.read(lambda: table.values("due", eq("count", 2))) == [30, 10]
    assert await depot.read(lambda: table.due_texts("name", now=20, limit=9)) == ["c", "b"]


async def test_rows_are_changed_and_deleted_by_conditions(depot: Depot) -> None:
    await depot.add(*(Parcel(name=name, count=1) for name in "abc"))
    await depot.write(depot.table.update({"count": 2, "tags": ["x"]}, eq("name", "a")))
    changed = await depot.write(depot.table.changed({"count": None}, one_of("name", "b", "z")))
    assert len(changed) == 1
    assert await depot.names(eq("count", 2)) == ["a"]
    assert await depot.names(eq("count", None)) == ["b"]
    assert await depot.write(depot.table.deleted(eq("count", 9))) == []
    assert len(await depot.write(depot.table.deleted(eq("count", 1)))) == 1
    assert await depot.names() == ["a", "b"]
    await depot.write(depot.table.delete(eq("name", "c")))
    await depot.write(depot.table.delete_ids(changed))
    assert await depot.names() == ["a"]


async def test_an_upsert_inserts_or_changes(depot: Depot) -> None:
    by = PARCELS.indexes["quire_parcels_name"]
    for parcel in (
        Parcel(name="a", count=1, text="t"),
        Parcel(name="a", count=2),  # `None` as a locale is a value of the unique index
        Parcel(name="a", count=3, locale="en"),
    ):
        await depot.write(depot.table.upsert(parcel, by=by))
    rows = await depot.read(depot.table.select)
    assert [(row.locale, row.count, row.text) for row in rows] == [(None, 2, None), ("en", 3, None)]


async def test_rows_of_another_type_may_leave_out_columns(depot: Depot) -> None:
    class Name(Struct, frozen=True):
        name: str

    await depot.add(Parcel(name="a", count=1))
    short = Table(depot.writes, PARCELS.name, Name)
    assert await depot.read(short.select) == [Name("a")]


async def test_nothing_and_odd_values_become_the_defaults_of_fields(depot: Depot) -> None:
    def spoil() -> Program[None]:
        yield Statement("UPDATE quire_parcels SET options = NULL, tags = '{}', is_open = NULL")

    await depot.add(Parcel(name="a", tags=("x",), is_open=True, options={"a": 1}))
    await depot.write(spoil())
    (row,) = await depot.read(depot.table.select)
    assert (row.options, row.tags, row.is_open) == ({}, (), False)


async def test_a_claim_takes_what_is_due_once(depot: Depot) -> None:
    await depot.add(*(Parcel(name=name, due=due) for name, due in (("a", 3), ("b", 1), ("c", 9))))

    def claim(most: int) -> Program[list[Parcel]]:
        return depot.table.claim(
            is_null("holder"), now=5, until=50, limit=most, changes={"holder": "me"}
        )

    (first,) = await depot.write(claim(1))
    assert (first.name, first.due, first.attempts, first.holder) == ("b", 50, 1, "me")
    assert [one.name for one in await depot.write(claim(5))] == ["a"]
    assert await depot.write(claim(5)) == []
    assert await depot.write(depot.table.settle(first.id, {"due": 1}, eq("holder", "me")))
    assert not await depot.write(depot.table.settle(first.id, {"due": 1}, eq("holder", "you")))


async def test_what_ended_long_ago_or_before_the_last_rows_is_pruned(depot: Depot) -> None:
    ended = ((f"old{n}", n) for n in range(4))
    await depot.add(*(Parcel(name=name, ended_at=100 + at) for name, at in ended))
    await depot.add(Parcel(name="open"))
    await depot.write(depot.table.prune(before=101, limit=2))
    assert await depot.names() == ["old3", "open"]
