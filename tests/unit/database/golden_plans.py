"""SQLite's plans for reads of many books: ``tests/golden/plans/<name>.txt``.

They are those of databases with the reference's indexes alone, with one over locale and publication
as well, and with Quire's; without statistics and with them. After a wanted change, or with another
SQLite, ``python -m tests.unit.database.golden_plans`` writes the files again; the commit says why
they changed.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from quire.database.compile.compiler import compile_read
from quire.database.dialect import Dialect
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.entries.entry_tables import open_store
from quire.database.entries.lookup import is_taken
from quire.database.execute.prepared_read import PreparedRead, bind_read
from quire.database.program import Statement
from quire.document_service.read_planner import DocumentQuery, ReadPlanner
from quire.query.querystring import parse_query
from quire.query.resolve.scope import ReadLimits
from tests.databases.sqlite_store import SqliteStore
from tests.library.model import BOOK, library_schema, library_tables
from tests.library.queries import resolver
from tests.unit.database.many_books import Indexes, fill, leave

FOLDER = Path(__file__).parents[2] / "golden" / "plans"

READS: Mapping[str, str] = {
    "list": "",
    "list-of-drafts": "status=draft",
    "list-of-locales": "locale=en&locale=fr",
    "list-of-a-rare-locale": "locale=fr",
    "list-deep": "pagination[start]=2000",
    "sort": "sort=rating:desc",
    "sort-deep": "sort=rating:desc&pagination[start]=2000",
    "value": "filters[kind]=novel",
    "unique-value": "filters[slug]=slug-7",
    "relation": "filters[author][name]=persons 7",
    "relation-several": "filters[tags][label][$in][0]=tags 3&filters[tags][label][$in][1]=tags 4",
    "relation-contains": "filters[author][name][$contains]=7",
    "relation-excluded": "filters[author][name][$ne]=persons 7",
    "relation-present": "filters[author][id][$notNull]=true",
    "relation-missing": "filters[author][id][$null]=true",
    "relation-sorted": "filters[author][name]=persons 7&sort=title",
    "relation-of-drafts": "filters[author][name]=persons 7&status=draft",
    "file": "filters[cover][name]=a.png",
}


COUNTS: Mapping[str, Mapping[str, object]] = {
    "counts-of-values": {"slug": {"$in": ["slug-7", "slug-8", "slug-9"]}},
    "counts-of-targets": {"author": {"documentId": {"$in": ["persons7", "persons8"]}}},
    "counts-of-documents": {"documentId": {"$in": ["book7", "book8"]}},
}
"""Filters by which books are counted."""


class Variant(NamedTuple):
    """A database: its indexes, and whether it has statistics."""

    indexes: Indexes
    statistics: bool

    def __str__(self) -> str:
        """A heading."""
        return f"{self.indexes} and statistics" if self.statistics else str(self.indexes)


VARIANTS = [Variant(indexes, statistics) for indexes in Indexes for statistics in (False, True)]


@contextmanager
def open_variants() -> Iterator[Mapping[Variant, SqliteStore]]:
    """Make all databases, and let go of them at the end."""
    with ExitStack() as opened:
        stores = {variant: opened.enter_context(closing(SqliteStore())) for variant in VARIANTS}
        for variant, store in stores.items():
            store.make_tables(library_schema())
            fill(store)
            leave(store, variant.indexes)
            if variant.statistics:
                store.execute("ANALYZE")
        yield stores


def statements(name: str, dialect: Dialect) -> Mapping[str, Statement]:
    """Return the statements that may be run for a read, by what they are for."""
    if name == "unique":
        store = open_store(library_schema(), library_tables(), dialect)
        asked = next(
            is_taken(store, BOOK, (), "slug", "slug-7", except_document_id="book7", locale="en")
        )
        return {"whether it is taken": asked}
    if name in COUNTS:
        return {"counts": counts(COUNTS[name], dialect)}
    bound = bound_list(READS[name], dialect)
    assert bound.total_statement is not None
    found = {"page": bound.page_statement, "total": bound.total_statement}
    if bound.pages is not None:
        if bound.id_scan is not None:
            found["page, walked to"] = bound.id_scan.page
        found["keys"] = bound.keys
        if bound.offset:
            found["keys, from the end"] = bound.keys_from_end(25, 500)
    return found


def counts(group: Mapping[str, object], dialect: Dialect) -> Statement:
    """Return the statement that counts the published books with each of some values."""
    planner = ReadPlanner(
        library_schema(), library_tables(), dialect, ReadLimits(), default_locale="en"
    )
    return next(planner.counts(DocumentQuery(uid=BOOK, counts=True), group))


def bound_list(query: str, dialect: Dialect) -> PreparedRead:
    """Return the read of a list of books."""
    resolved = resolver(BOOK).list(parse_query(query))
    compiled = compile_read(resolved.plan, library_schema(), library_tables(), dialect)
    return bind_read(compiled, resolved, ReadLimits(rows=1000))


def plan_of(store: SqliteStore, statement: Statement) -> list[str]:
    """Return what SQLite says that it does for a statement."""
    sql = f"EXPLAIN QUERY PLAN {statement.sql}"
    return [str(text) for *_, text in store.execute(sql, statement.values)]


def golden(name: str, stores: Mapping[Variant, SqliteStore]) -> str:
    """Write the plans of a read on all databases."""
    return "\n".join(_lines(name, stores)) + "\n"


def _lines(name: str, stores: Mapping[Variant, SqliteStore]) -> Iterator[str]:
    yield f"# {READS.get(name, name)}"
    for what, statement in statements(name, SqliteDialect()).items():
        yield f"\n## {what}"
        plans: dict[tuple[str, ...], list[Variant]] = {}
        for variant, store in stores.items():
            plans.setdefault(tuple(plan_of(store, statement)), []).append(variant)
        for plan, variants in plans.items():
            yield ""
            if len(variants) == len(stores):
                yield "on every database:"
            else:
                yield from (f"{variant}:" for variant in variants)
            yield from (f"    {line}" for line in plan)


def names() -> list[str]:
    """Return the names of all that is written down."""
    return [*READS, *COUNTS, "unique"]


def write() -> None:
    """Write all files again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open_variants() as stores:
        for name in names():
            (FOLDER / f"{name}.txt").write_text(golden(name, stores), "utf-8")


if __name__ == "__main__":
    write()
