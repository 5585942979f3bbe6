"""Conversion of SQLite's values to JSON, and of bound values."""

import json
from typing import Any

import apsw
import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from quire.database.compile.sql_conditions import like
from quire.database.dialect import Scalar
from quire.database.dialects.sqlite.dialect import (
    SqliteDialect,
    big_text,
    json_value,
    moment_text,
    timestamp_text,
)
from quire.database.execute.row_mappers import build_mapper
from quire.database.program import Value
from quire.schema.attributes.base import StorageKind

DIALECT = SqliteDialect()


def shown(kind: StorageKind, stored: object) -> Any:  # noqa: ANN401 - JSON
    """Return what JSON shows of a stored value, by way of a generated mapper."""
    mapper = build_mapper(DIALECT, [("value", kind, 0)], 1)
    (item,) = mapper([(stored,)])  # type: ignore[list-item]  # values as SQLite gives them
    encoded = msgspec.json.encode(item)
    return json.loads(encoded)["value"]


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        (StorageKind.STRING, "a", "a"),
        (StorageKind.TEXT, "", ""),
        (StorageKind.ID, 7, 7),
        (StorageKind.INTEGER, -5, -5),
        (StorageKind.FLOAT, 1.5, 1.5),
        (StorageKind.FLOAT, 1.0, 1),
        (StorageKind.FLOAT, -0.0, 0),
        (StorageKind.FLOAT, 3, 3),
        (StorageKind.DECIMAL, 9.99, 9.99),
        (StorageKind.DECIMAL, 10.0, 10),
        (StorageKind.BOOLEAN, 1, True),
        (StorageKind.BOOLEAN, 0, False),
        (StorageKind.BOOLEAN, 2, True),
        (StorageKind.DATE, "2024-05-21", "2024-05-21"),
        (StorageKind.TIME, "10:20:30.000", "10:20:30.000"),
        (StorageKind.DATETIME, 0, "1970-01-01T00:00:00.000Z"),
        (StorageKind.DATETIME, 1_716_286_830_123, "2024-05-21T10:20:30.123Z"),
        (StorageKind.DATETIME, -1, "1969-12-31T23:59:59.999Z"),
        (StorageKind.DATETIME, "2024-05-21 10:20:30", "2024-05-21 10:20:30"),
        (StorageKind.DATETIME, 10**18, None),
        (StorageKind.TIMESTAMP, 1_716_286_830_123, "1716286830123"),
        (StorageKind.TIMESTAMP, 5.0, "5"),
        (StorageKind.BIGINTEGER, 5, "5"),
        (StorageKind.BIGINTEGER, 2**53, "9007199254740992"),
        (StorageKind.BIGINTEGER, -(2**53), "-9007199254740992"),
        (StorageKind.BIGINTEGER, 2**63 - 1, "9223372036854776000"),
        (StorageKind.BIGINTEGER, -(2**63), "-9223372036854776000"),
        (StorageKind.BIGINTEGER, 2**53 + 1, "9007199254740992"),
        (StorageKind.BIGINTEGER, 5.0, "5"),
        (StorageKind.BIGINTEGER, 1e21, "1e+21"),
        (StorageKind.BIGINTEGER, "12x", "12x"),
        (StorageKind.JSON, '{"b":1,"a":[null,true,"x"]}', {"b": 1, "a": [None, True, "x"]}),
        (StorageKind.JSON, '"text"', '"text"'),
        (StorageKind.JSON, "null", None),
        (StorageKind.JSON, "12", 12),
        (StorageKind.JSON, "plain text", "plain text"),
        (StorageKind.JSON, "{broken", "{broken"),
        (StorageKind.JSON, 1, 1),
        (StorageKind.JSON, 2.0, 2),
        (StorageKind.JSON, 2.5, 2.5),
    ],
)
def test_a_stored_value_is_shown_as_json(
    kind: StorageKind, stored: object, expected: object
) -> None:
    # Twice, because some values are remembered.
    for _ in range(2):
        value = shown(kind, stored)
        assert value == expected
        assert type(value) is type(expected)


@pytest.mark.parametrize("kind", StorageKind)
def test_null_is_null_in_a_column_of_any_kind(kind: StorageKind) -> None:
    assert shown(kind, None) is None


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (1.5, "1.5"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (1e-7, "1e-7"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_a_double_is_written_as_the_web_does(number: float, text: str) -> None:
    assert big_text(number) == text


def test_moments_that_cannot_be_are_null() -> None:
    for stored in (float("inf"), float("nan"), 10**20, b"x"):
        assert moment_text(stored) is None


def test_what_is_no_text_is_no_json_text() -> None:
    assert json_value(None) is None
    assert timestamp_text(None) is None
    assert big_text(None) is None


def test_a_word_that_looks_like_json_stays_text_when_it_is_none() -> None:
    for text in ("True", "NaN", "1.", "'a'", "[1,]", "\ufeff{}"):
        assert shown(StorageKind.JSON, text) == text


@pytest.mark.parametrize(
    ("kind", "value", "bound"),
    [
        (StorageKind.STRING, "7", "7"),
        (StorageKind.INTEGER, 7, 7),
        (StorageKind.INTEGER, 7.5, 7.5),
        (StorageKind.BOOLEAN, True, 1),
        (StorageKind.BOOLEAN, False, 0),
        (StorageKind.BIGINTEGER, 2**63 - 1, 2**63 - 1),
        (StorageKind.BIGINTEGER, 2**63, float(2**63)),
        (StorageKind.BIGINTEGER, -(10**30), -1e30),
        (StorageKind.INTEGER, None, None),
        (StorageKind.ID, "7", 7),
        (StorageKind.ID, " 0x10 ", 16),
        (StorageKind.ID, "abc", "abc"),
        (StorageKind.ID, "", ""),
        (StorageKind.ID, 8, 8),
        (StorageKind.ID, None, None),
    ],
)
def test_an_operand_is_bound_for_its_column(
    kind: StorageKind,
    value: Scalar,
    bound: Value,
) -> None:
    found = DIALECT.encoder(kind)(value)
    assert found == bound
    assert type(found) is type(bound)


values = st.none() | st.text(st.characters(codec="utf-8")) | st.integers(-(2**63), 2**63 - 1)


@given(st.lists(values, max_size=200))
def test_a_list_of_any_length_is_one_value_and_all_of_it_is_found(listed: list[Value]) -> None:
    bound = DIALECT.encode_list(listed)
    connection = apsw.Connection(":memory:")
    rows = connection.execute("SELECT value FROM json_each(?)", (bound,)).fetchall()
    assert [row[0] for row in rows] == listed


def test_a_list_may_hold_numbers_beyond_64_bits() -> None:
    assert json.loads(str(DIALECT.encode_list([float(2**70), 1]))) == [2.0**70, 1]


@pytest.mark.parametrize(
    ("stored", "moment"), [(5, 5), (5.9, 5), (None, None), (b"x", None), ("1970-01-02", 86_400_000)]
)
def test_a_stored_moment_is_read_as_epoch_milliseconds(stored: Value, moment: int | None) -> None:
    assert DIALECT.epoch_ms(stored) == moment


def held(condition: Any, *bound: Value) -> object:  # noqa: ANN401 - an expression
    """Evaluate a condition of the dialect in a database."""
    compiled = sa.select(condition).compile(dialect=DIALECT.sqlalchemy_dialect())
    return apsw.Connection(":memory:").execute(str(compiled), bound).fetchall()[0][0]


def literal(sql: str) -> Any:  # noqa: ANN401 - an expression
    return sa.literal_column(sql)


def parameter() -> Any:  # noqa: ANN401 - an expression
    return sa.bindparam(None, type_=sa.types.NULLTYPE, required=True)


@pytest.mark.parametrize(
    ("sql", "kind", "text"),
    [
        ("1.0", StorageKind.FLOAT, "1.0"),
        ("0.1 + 0.2", StorageKind.FLOAT, "0.3"),
        ("1e15", StorageKind.DECIMAL, "1.0e+15"),
        ("NULL", StorageKind.FLOAT, None),
        ("5", StorageKind.INTEGER, 5),
        ("'a'", StorageKind.STRING, "a"),
    ],
)
def test_columns_are_read_as_text_with_fifteen_digits(
    sql: str, kind: StorageKind, text: object
) -> None:
    assert held(DIALECT.as_text(literal(sql), kind, fold=False)) == text


@pytest.mark.parametrize(
    ("column", "operand", "equal"),
    [
        ("a", "A", 1),
        ("aB", "Ab", 1),
        ("\u00e9", "\u00c9", 0),
        ("\u0131", "I", 0),
        ("a", "b", 0),
        ("a ", "a", 0),
    ],
)
def test_case_is_folded_for_ascii_alone(column: str, operand: str, equal: int) -> None:
    assert (
        held(sa.func.lower(literal(f"'{column}'")) == sa.func.lower(parameter()), operand) == equal
    )
    for fold in (True, False):
        matched = like(literal(f"'{column}'"), parameter(), fold=fold)
        assert held(matched, operand) == equal


def test_rows_that_are_bound_as_one_value_are_a_table_in_their_order() -> None:
    kinds = {"id": StorageKind.ID, "place": StorageKind.FLOAT, "kind": StorageKind.STRING}
    listed = DIALECT.rows_of(parameter(), kinds)
    select = sa.select(*(listed.c[name] for name in kinds)).order_by(listed.c.position)
    rows: list[list[Value]] = [[7, 1.5, "b"], [3, None, 'a"'], [5, 2, None]]
    compiled = select.compile(dialect=DIALECT.sqlalchemy_dialect())
    connection = apsw.Connection(":memory:")
    found = connection.execute(str(compiled), (DIALECT.encode_rows(rows),)).fetchall()
    connection.close()
    assert [list(row) for row in found] == rows
