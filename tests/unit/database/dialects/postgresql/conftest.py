"""A separate database for each test."""

from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

import pytest

from quire.database.dialects.postgresql.connection import PostgresOptions
from quire.database.dialects.postgresql.driver import PostgresDatabase, connect
from quire.database.program import Operand, Program, Rows, Statement
from tests.postgresql.databases import drop_database, new_database, url_of


def run(sql: str, *values: Operand, most: int | None = None) -> Program[Rows]:
    """A program of one statement."""
    rows = yield Statement(sql, values, most)
    return rows


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    name = new_database()
    yield url_of(name)
    drop_database(name)


@pytest.fixture
def options(url: str) -> PostgresOptions:
    assert urlsplit(url).scheme.startswith("postgres")
    return PostgresOptions(dsn=url, connections=4, lock_timeout_ms=300, queue_timeout_ms=1000)


@pytest.fixture
async def database(options: PostgresOptions) -> AsyncIterator[PostgresDatabase]:
    opened = await connect(options)
    yield opened
    await opened.close()
