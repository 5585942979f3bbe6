"""Conversion of values for PostgreSQL, without a server."""

from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.errors import ValidationError
from quire.schema.attributes.base import StorageKind

DIALECT = PostgresDialect()


def shown(kind: StorageKind, stored: object) -> Any:  # noqa: ANN401 - JSON
    """What JSON shows of a stored value."""
    source = DIALECT.decode_expression(kind, "stored")
    value = eval(source, {**DIALECT.decode_names(), "stored": stored})  # noqa: S307
    return msgspec.json.decode(msgspec.json.encode(value))


def sql(expression: sa.ClauseElement) -> str:
    return str(expression.compile(dialect=DIALECT.sqlalchemy_dialect()))


@pytest.mark.parametrize(
    ("kind", "value", "bound"),
    [
        (StorageKind.ID, "7", 7),
        (StorageKind.ID, 7.0, 7),
        (StorageKind.INTEGER, -(2**31), -(2**31)),
        (StorageKind.BIGINTEGER, 2**63 - 1, 2**63 - 1),
        (StorageKind.FLOAT, 3, 3.0),
        (StorageKind.DECIMAL, 2.675, "2.675"),
        (StorageKind.BOOLEAN, 1, True),
        (StorageKind.DATE, "2024-02-29", "2024-02-29"),
        (StorageKind.DATETIME, 946_684_800_001, 1000),
        (StorageKind.TIMESTAMP, 946_684_800_001, 1000),
        (StorageKind.STRING, "a", "a"),
        (StorageKind.JSON, '{"a": 1}', '{"a": 1}'),
        (StorageKind.JSON, 5, "5"),
    ],
)
def test_operands_get_the_type_of_their_column(
    kind: StorageKind, value: str | float, bound: object
) -> None:
    encoded = DIALECT.encoder(kind)(value)

    assert encoded == bound
    assert type(encoded) is type(bound)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (StorageKind.ID, "abc"),
        (StorageKind.ID, ""),
        (StorageKind.INTEGER, 5.5),
        (StorageKind.INTEGER, 2**31),
        (StorageKind.BIGINTEGER, 2**63),
        (StorageKind.FLOAT, 10**400),
        (StorageKind.JSON, "plain text"),
    ],
)
def test_operands_that_no_row_could_have_are_refused(kind: StorageKind, value: str | int) -> None:
    with pytest.raises(ValidationError):
        DIALECT.encoder(kind)(value)


@pytest.mark.parametrize("kind", list(StorageKind))
def test_null_is_null(kind: StorageKind) -> None:
    assert DIALECT.encoder(kind)(None) is None
    assert DIALECT.decode_value(kind, None) is None
    assert shown(kind, None) is None


@pytest.mark.parametrize(
    ("kind", "stored", "value"),
    [
        (StorageKind.BIGINTEGER, 9_007_199_254_740_993, "9007199254740993"),
        (StorageKind.FLOAT, 3.0, 3),
        (StorageKind.DECIMAL, 1.24, 1.24),
        (StorageKind.DATETIME, 1999, "2000-01-01T00:00:00.001Z"),
        (StorageKind.TIMESTAMP, 1999, "946684800001"),
        (StorageKind.DATETIME, 2**63 - 1, None),
        (StorageKind.TIME, "09:30:00.5", "09:30:00.5"),
        (StorageKind.JSON, '{"a": [1, true]}', {"a": [1, True]}),
        (StorageKind.JSON, "true", True),
        (StorageKind.JSON, '"plain"', '"plain"'),
        (StorageKind.JSON, '"{\\"a\\":1}"', {"a": 1}),
    ],
)
def test_stored_values_are_shown_as_the_reference_shows_them(
    kind: StorageKind, stored: object, value: object
) -> None:
    assert shown(kind, stored) == value


@pytest.mark.parametrize(
    ("value", "stored"),
    [(None, None), (True, "true"), (5, "5"), ([1, {"a": None}], '[1,{"a":null}]'), ('"a"', '"a"')],
)
def test_json_is_stored_as_its_text(value: object, stored: str | None) -> None:
    assert DIALECT.encode_json(value) == stored


def test_a_text_that_is_no_json_is_refused_where_the_reference_fails() -> None:
    with pytest.raises(ValidationError, match="is not JSON"):
        DIALECT.encode_json("plain text")


def test_a_list_is_one_array_whatever_its_length() -> None:
    member = DIALECT.member_of(sa.column("id"), sa.bindparam("ids"))

    assert sql(member) == "id = ANY ($1)"
    assert sql(sa.not_(member)) == "NOT (id = ANY ($1))"
    assert DIALECT.encode_list([1, 2]) == (1, 2)


def test_only_text_is_looked_into_unless_case_is_disregarded() -> None:
    column: sa.ColumnElement[Any] = sa.column("rating")

    assert sql(DIALECT.as_text(column, StorageKind.STRING, fold=False)) == "rating"
    assert sql(DIALECT.as_text(column, StorageKind.DECIMAL, fold=True)) == (
        "CAST(rating AS VARCHAR)"
    )
    with pytest.raises(ValidationError, match="the kind decimal cannot be searched"):
        DIALECT.as_text(column, StorageKind.DECIMAL, fold=False)
