"""Mapping rows to records: names, order, types, and populated attributes."""

import json
from typing import Any

import msgspec

from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.execute.row_mappers import Item, RowMapper, build_mapper, member, members
from quire.schema.attributes.base import StorageKind

DIALECT = SqliteDialect()
TEXT, NUMBER = StorageKind.STRING, StorageKind.INTEGER


def one(mapper: RowMapper, *row: Any) -> Item:  # noqa: ANN401 - a row
    (item,) = mapper([row])
    return item


def encoded(item: Item) -> str:
    return msgspec.json.encode(item).decode()


def test_members_are_in_the_order_of_the_plan_wherever_their_columns_stand() -> None:
    mapper = build_mapper(DIALECT, [("title", TEXT, 2), ("id", NUMBER, 0)], 4)
    assert encoded(one(mapper, 7, "hidden", "a", "hidden")) == '{"title":"a","id":7}'


def test_a_column_may_be_shown_twice_and_another_not_at_all() -> None:
    mapper = build_mapper(DIALECT, [("a", TEXT, 0), ("b", TEXT, 0)], 2)
    assert encoded(one(mapper, "x", "y")) == '{"a":"x","b":"x"}'


def test_names_need_not_be_names_of_python() -> None:
    names = ["class", "with space", "1st", "a-b", "\u00e9t\u00e9", "it's", "__init__", "m0"]
    shown = [(name, TEXT, position) for position, name in enumerate(names)]
    item = one(build_mapper(DIALECT, shown, len(names)), *names)
    assert json.loads(encoded(item)) == {name: name for name in names}
    assert members(item) == {name: name for name in names}


def test_what_is_populated_comes_after_the_fields_and_is_left_out_until_it_is_set() -> None:
    item = one(build_mapper(DIALECT, [("id", NUMBER, 0)], 1, edges=["tags", "author"]), 1)
    assert encoded(item) == '{"id":1}'
    setattr(item, member(2), None)
    assert encoded(item) == '{"id":1,"author":null}'
    setattr(item, member(1), ())
    assert encoded(item) == '{"id":1,"tags":[],"author":null}'
    assert members(item) == {"id": 1, "tags": (), "author": None}


def test_the_kind_of_a_row_stands_last() -> None:
    mapper = build_mapper(
        DIALECT, [("id", NUMBER, 0)], 1, edges=["to"], kind=("__component", "shared.link")
    )
    item = one(mapper, 1)
    setattr(item, member(1), None)
    assert encoded(item) == '{"id":1,"to":null,"__component":"shared.link"}'


def test_nothing_may_be_shown_at_all() -> None:
    assert encoded(one(build_mapper(DIALECT, [], 0))) == "{}"
    assert encoded(one(build_mapper(DIALECT, [], 2), 1, 2)) == "{}"


def test_every_row_becomes_a_record_of_its_own() -> None:
    items = build_mapper(DIALECT, [("id", NUMBER, 0)], 1, edges=["tags"])([(1,), (2,), (1,)])
    setattr(items[0], member(1), ["a"])
    assert [members(item) for item in items] == [{"id": 1, "tags": ["a"]}, {"id": 2}, {"id": 1}]


def test_values_are_decoded_by_the_kind_of_their_column() -> None:
    kinds = [
        ("flag", StorageKind.BOOLEAN, 0),
        ("moment", StorageKind.DATETIME, 1),
        ("data", StorageKind.JSON, 2),
        ("big", StorageKind.BIGINTEGER, 3),
    ]
    mapper = build_mapper(DIALECT, kinds, 4)
    assert encoded(one(mapper, 1, 0, '{"a": 1}', 5)) == (
        '{"flag":true,"moment":"1970-01-01T00:00:00.000Z","data":{"a": 1},"big":"5"}'
    )
