"""Lists of ids are encoded without change."""

from collections.abc import Sequence

import pytest

from quire.database.dialects.postgresql.driver import PostgresDatabase
from quire.database.dialects.postgresql.id_arrays import NAME, TYPE, pack_ids
from quire.errors import ValidationError
from tests.unit.database.dialects.postgresql.conftest import run

LISTS: list[Sequence[int | None]] = [
    [],
    [1],
    (7, -7, 0),
    [2**31 - 1, -(2**31)],
    [None],
    (1, None, 2, None),
    range(3000),
]


@pytest.mark.parametrize("ids", LISTS, ids=str)
async def test_ids_arrive_as_they_were_sent(
    database: PostgresDatabase, ids: Sequence[int | None]
) -> None:
    sql = "SELECT $1::int[], id FROM unnest($1::int[]) WITH ORDINALITY AS u (id, n) ORDER BY n"
    rows = await database.read(lambda: run(sql, ids))
    found: list[tuple[object, ...]] = [tuple(row) for row in rows]
    assert found == [([*ids], one) for one in ids]


@pytest.mark.parametrize("wrong", [2**31, "1", 1.5, [1]], ids=str)
async def test_what_is_no_id_is_refused_as_a_value_of_another_type(
    database: PostgresDatabase, wrong: object
) -> None:
    with pytest.raises(ValueError, match="32 bits"):
        pack_ids([1, wrong])  # type: ignore[list-item]  # that is what it is about
    for ids in ([1, wrong], [None, wrong]):
        with pytest.raises(ValidationError, match="type of its column"):
            await database.read(lambda ids=ids: run("SELECT $1::int[]", ids))  # type: ignore[misc]


async def test_the_type_has_the_number_that_it_is_known_by(database: PostgresDatabase) -> None:
    rows = await database.read(
        lambda: run("SELECT oid::int, typname FROM pg_type WHERE oid = 1007")
    )
    assert [tuple(row) for row in rows] == [(TYPE, NAME)]
