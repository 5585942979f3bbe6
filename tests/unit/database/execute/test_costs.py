"""Estimates of statement costs are cached for some time."""

import pytest

from quire.database.dialects.sqlite.driver import SqliteDatabase
from quire.database.execute.cached_lists import StatementCosts
from quire.database.interface import Database
from quire.database.program import Statement


class Asked:
    """Answers as a database does, and counts how often it was asked."""

    def __init__(self) -> None:
        self.times = 0
        self.is_costly: bool | None = False
        self.now = 0.0

    async def __call__(self, database: Database, statement: Statement) -> bool | None:
        """Return the configured estimate."""
        assert database is NOBODY
        assert statement.sql
        self.times += 1
        return self.is_costly

    def clock(self) -> float:
        """Return the configured time."""
        return self.now


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def costs(asked: Asked) -> StatementCosts:
    return StatementCosts(asked, asked.clock)


NOBODY: Database = SqliteDatabase.__new__(SqliteDatabase)
"""A database that nothing is asked of."""


async def cost_of(costs: StatementCosts, sql: str, *values: int, depth: int = 0) -> bool:
    statement = Statement(sql, values)
    known = costs.estimate(statement, depth)
    return await costs.ask(NOBODY, statement, depth) if known is None else known


async def test_a_statement_is_asked_for_once_whatever_its_values(
    asked: Asked, costs: StatementCosts
) -> None:
    assert [await cost_of(costs, "SELECT 1", value) for value in range(5)] == [False] * 5
    assert asked.times == 1
    await cost_of(costs, "SELECT 2")
    assert asked.times == 2


async def test_what_was_not_asked_for_is_not_known(asked: Asked, costs: StatementCosts) -> None:
    statement = Statement("SELECT 1")
    assert costs.estimate(statement, 0) is None
    asked.is_costly = True
    await cost_of(costs, "SELECT 1")
    assert costs.estimate(statement, 0) is True
    asked.now = 61
    assert costs.estimate(statement, 0) is None


async def test_a_response_is_gone_by_for_a_minute(asked: Asked, costs: StatementCosts) -> None:
    await cost_of(costs, "SELECT 1")
    asked.is_costly, asked.now = True, 60
    assert not await cost_of(costs, "SELECT 1")
    asked.now = 61
    assert await cost_of(costs, "SELECT 1")
    assert asked.times == 2


async def test_what_cannot_be_told_is_asked_for_again(asked: Asked, costs: StatementCosts) -> None:
    asked.is_costly = None
    assert not await cost_of(costs, "SELECT 1")
    asked.is_costly = True
    assert await cost_of(costs, "SELECT 1")
    assert asked.times == 2


async def test_pages_of_very_different_depth_are_asked_for_apart(
    asked: Asked, costs: StatementCosts
) -> None:
    for depth in (0, 100, 120, 5000, 5100):
        await cost_of(costs, "SELECT 1", depth=depth)
    assert asked.times == 3
