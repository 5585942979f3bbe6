"""Creates and drops databases of a PostgreSQL server."""

import asyncpg

from quire.database.dialects.postgresql.ddl import quote


async def create_database(url: str, name: str, *, template: str | None = None) -> None:
    """Create a database, empty or as a copy of another one that has no connections.

    ``url`` leads to a database whose user may create others.
    """
    template_clause = "" if template is None else f" TEMPLATE {quote(template)}"
    await _execute(url, f"CREATE DATABASE {quote(name)}{template_clause}")


async def drop_database(url: str, name: str) -> None:
    """Drop a database if it exists, and end its connections."""
    await _execute(url, f"DROP DATABASE IF EXISTS {quote(name)} WITH (FORCE)")


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
