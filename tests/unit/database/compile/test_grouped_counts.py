"""Counts of rows for each of some values, for every kind of column."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from quire.database.tables.table_map import map_tables
from quire.document_service.read_planner import DocumentQuery, ReadPlanner
from quire.query.resolve import ReadLimits, grouping_filter
from quire.schema.model import Schema
from tests.databases.store import Store
from tests.unit.database.running import content_type, schema_of

SAMPLE = "api::sample.sample"
VALUES: Mapping[str, tuple[list[Any], Any]] = {
    "text": (["long " * 100, "Ä"], "long " * 99),
    "uid": (["a-b", "c"], "a"),
    "enumeration": (["one", "two"], "three"),
    "integer": ([0, -5], 5),
    "biginteger": (["9007199254740993", "1"], "9007199254740992"),
    "float": ([0.1, -2.5], 0.2),
    "decimal": ([0.1, 12345678.25], 0.104),
    "boolean": ([True, False], None),
    "date": (["2024-02-29", "1999-12-31"], "2000-01-01"),
    "time": (["10:00:00.000", "23:59:59.999"], "10:00:00.001"),
    "datetime": (["2024-02-03T04:05:06.789Z", "1969-12-31T23:59:59.999Z"], "2024-02-03T04:05:06Z"),
}
"""Two values of each type, and one that no row has."""


@pytest.fixture
def store(open_store: Callable[[Schema], Store]) -> Store:
    return open_store(schema())


def schema() -> Schema:
    attributes = {name: {"type": name, "enum": ["one", "two"]} for name in VALUES}
    return schema_of(content_type("sample", attributes))


def add_row(store: Store, document_id: str, **values: Any) -> None:  # noqa: ANN401 - any value
    """Insert a row with values as filters have them."""
    found = schema().content_types[SAMPLE]
    row: dict[str, object] = {"document_id": document_id}
    for name, value in values.items():
        attribute = next(one for one in found.scalars if one.name == name)
        cast = attribute.type.cast(str(value).lower() if isinstance(value, bool) else str(value))
        row[name] = store.dialect.encoder(attribute.storage)(cast)
    marks = ", ".join("?" for _ in row)
    store.execute(f"INSERT INTO samples ({', '.join(row)}) VALUES ({marks})", list(row.values()))


@pytest.mark.parametrize("name", VALUES)
def test_values_of_every_type_are_counted(store: Store, name: str) -> None:
    (first, second), other = VALUES[name]
    for number, value in enumerate((first, second, second)):
        add_row(store, f"row{number}", **{name: value})
    add_row(store, "without")
    planner = ReadPlanner(
        schema(), map_tables(schema()), store.dialect, ReadLimits(), default_locale=None
    )
    attribute = schema().content_types[SAMPLE].attributes[name]
    for _ in range(2):
        group = grouping_filter(attribute, [other, second, first, None, second])
        found = store.run(planner.counts(DocumentQuery(uid=SAMPLE, counts=True), group))
        assert found == {1: 2, 2: 1, 4: 2}
