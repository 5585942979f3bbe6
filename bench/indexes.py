"""The secondary indexes that every server of a comparison has.

A read costs what the database costs, first of all: a comparison in which only one side has the
indexes its queries want would measure the indexes. Every server is given a copy of one database,
whose tables and indexes are those that Quire makes for the content model, and two indexes more, as
a project adds them for a sort that it serves often: for visitors, and for administrators.
"""

import sqlite3
from collections.abc import Iterable

# Lists are sorted by id where the sort itself leaves rows equal. Descending as it is, the index
# gives that order too, ids ascending, without sorting anything.
_BY_CREATION = (
    'CREATE INDEX "bench_articles_created_at" ON "articles" ("locale", "created_at" DESC)'
    " WHERE published_at IS NOT NULL"
)

_DRAFTS_BY_CREATION = (
    'CREATE INDEX "bench_articles_drafts_created_at" ON "articles" ("locale", "created_at" DESC)'
    " WHERE published_at IS NULL"
)

ADDED_INDEXES: tuple[str, ...] = (_BY_CREATION, _DRAFTS_BY_CREATION)


def is_strapi_index(name: str) -> bool:
    """Tell whether an index is one that Strapi makes too."""
    return not name.startswith(("quire_", "bench_"))


def add_indexes(connection: sqlite3.Connection, statements: Iterable[str] = ADDED_INDEXES) -> None:
    """Create the indexes given and commit."""
    for statement in statements:
        connection.execute(statement)
    connection.commit()


def declared_indexes(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of all indexes of a database, but for those that constraints bring."""
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
    return frozenset(name for (name,) in found)
