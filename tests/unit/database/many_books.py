"""A library of some thousand books in a database as Strapi would leave it.

Its tables have the indexes of the reference alone, or those of Quire too, with statistics or
without: what the planner of a database goes by.
"""

from enum import StrEnum

from tests.databases.store import Store

BOOKS = 3000
PERSONS = 100
TAGS = 40
FRENCH = 40
"""How many of the books, the last ones, are in French. All others are in English."""

_NUMBERS = (
    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
)


class Indexes(StrEnum):
    """The indexes of a database."""

    REFERENCE = "indexes of the reference"
    VERSIONS = "indexes of the reference, one over locale and publication"
    ALL = "all indexes"


def fill(store: Store) -> None:
    """Insert the rows: of each book a draft, with an odd id, and the published version after it."""
    now, summary = store.moment(1_700_000_000_000), "s" * 400
    with store.transaction(), store.unwatched():
        for table, count, name in (("persons", PERSONS, "name"), ("tags", TAGS, "label")):
            store.execute(
                f"{_NUMBERS.format(count)} INSERT INTO {table} (id, document_id, {name})"
                f" SELECT n, '{table}' || n, '{table} ' || n FROM numbers"
            )
        for offset, published_at in ((1, "NULL"), (0, now)):
            store.execute(
                f"{_NUMBERS.format(BOOKS)} INSERT INTO books"
                " (id, document_id, title, slug, summary, rating, kind, locale, published_at)"
                f" SELECT 2 * n - {offset}, 'book' || n, 'title ' || (n * 7919 % {BOOKS}),"
                f" 'slug-' || n, '{summary}', n * 31 % 10, 'novel',"
                f" CASE WHEN n > {BOOKS - FRENCH} THEN 'fr' ELSE 'en' END, {published_at}"
                " FROM numbers"
            )
        store.execute(
            f"{_NUMBERS.format(2 * BOOKS)} INSERT INTO books_author_lnk"
            f" (id, book_id, person_id, book_ord) SELECT n, n, (n * 37 / 2) % {PERSONS} + 1, n"
            " FROM numbers"
        )
        for step in (0, 1):
            store.execute(
                f"{_NUMBERS.format(2 * BOOKS)} INSERT INTO books_tags_lnk"
                " (book_id, tag_id, tag_ord)"
                f" SELECT n, (n * 11 + {step}) % {TAGS} + 1, {step + 1} FROM numbers"
            )


def leave(store: Store, indexes: Indexes) -> None:
    """Take away the indexes that a database is to be without."""
    if indexes is Indexes.ALL:
        return
    found = store.run(store.kind.inspector.tables())
    for name in (name for table in found.values() for name in table.indexes):
        if name.startswith("quire"):
            store.execute(f'DROP INDEX "{name}"')
    if indexes is Indexes.VERSIONS:
        store.execute("CREATE INDEX own_versions ON books (locale, published_at)")
