"""The secondary indexes that every server of a comparison is given alike.

A read costs what the database costs, first of all: a comparison in which only one side has the
indexes its queries want would measure the indexes. They are found by their columns, whatever
their names, and only those that are missing are added.
"""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Index:
    """An index on ``columns`` of ``table``, over the rows that satisfy ``where`` if given."""

    table: str
    columns: tuple[str, ...]
    where: str | None = None

    @property
    def name(self) -> str:
        """The name it is made under, when it has to be made."""
        return f"bench_{self.table}_{'_'.join(self.columns)}"


def _content_type(table: str) -> tuple[Index, ...]:
    """Return the indexes of a content type's table: pages and counts, versions of a document."""
    return (
        Index(table, ("locale", "published_at")),
        Index(table, ("document_id", "locale", "published_at")),
    )


def _links(table: str, source: str, target: str, order: str | None = None) -> tuple[Index, ...]:
    """Return the indexes of a link table for following it either way."""
    forward = (source, target) if order is None else (source, order, target)
    return Index(table, forward), Index(table, (target, source))


SHARED_INDEXES: tuple[Index, ...] = (
    *_content_type("articles"),
    *_content_type("authors"),
    *_content_type("categories"),
    *_content_type("tags"),
    *_links("articles_author_lnk", "article_id", "author_id"),
    *_links("articles_categories_lnk", "article_id", "category_id", "category_ord"),
    *_links("articles_tags_lnk", "article_id", "tag_id", "tag_ord"),
    *_links("categories_parent_lnk", "category_id", "inv_category_id"),
    Index("articles_cmps", ("entity_id", "field", "order")),
    # What a project adds for a sort it serves often; no other sort of the workloads has one.
    Index("articles", ("locale", "created_at"), where="published_at IS NOT NULL"),
)


def missing_indexes(connection: sqlite3.Connection) -> list[Index]:
    """Return those of SHARED_INDEXES that the database does not have, under whatever name."""
    tables = {index.table for index in SHARED_INDEXES}
    found = {columns for table in tables for columns in _indexed_columns(connection, table)}
    return [
        index
        for index in SHARED_INDEXES
        if (index.table, index.columns, index.where is not None) not in found
    ]


def add_indexes(connection: sqlite3.Connection, indexes: Iterable[Index]) -> None:
    """Create the indexes given and commit."""
    for index in indexes:
        columns = ", ".join(f'"{column}"' for column in index.columns)
        condition = f" WHERE {index.where}" if index.where else ""
        connection.execute(
            f'CREATE INDEX "{index.name}" ON "{index.table}" ({columns}){condition}'
        )
    connection.commit()


def _indexed_columns(
    connection: sqlite3.Connection, table: str
) -> list[tuple[str, tuple[str, ...], bool]]:
    """Return (table, columns, is partial) of every index that ``table`` has."""
    indexes = connection.execute(
        "SELECT name, partial FROM pragma_index_list(?)", (table,)
    ).fetchall()
    return [
        (
            table,
            tuple(
                column
                for (column,) in connection.execute(
                    "SELECT name FROM pragma_index_info(?) ORDER BY seqno", (name,)
                )
            ),
            bool(partial),
        )
        for name, partial in indexes
    ]
