"""Orders are total: equal queries return the same order, and pages partition it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.database.compile.compiler import compile_read
from quire.database.program import Program, Rows, Statement
from quire.query.querystring import parse_query
from quire.query.resolve import ResolvedRead
from tests.databases.kind import Kind
from tests.databases.store import Store
from tests.examples import examples
from tests.library.model import BOOK, PERSON, library_schema, library_tables
from tests.library.queries import resolver
from tests.library.rows import LibraryRows

texts = st.none() | st.sampled_from(["", "a", "A", "b", "\u00e9", "Z"])
numbers = st.none() | st.integers(-2, 2)
books = st.lists(
    st.fixed_dictionaries(
        {
            "title": texts,
            "rating": numbers,
            "lent": st.none() | st.booleans(),
            "authors": st.lists(st.tuples(texts, numbers), max_size=2),
        }
    ),
    max_size=9,
)
keys = st.lists(
    st.tuples(
        st.sampled_from(["title", "rating", "lent", "editors.name", "editors.age", "id"]),
        st.booleans(),
    ),
    max_size=3,
    unique_by=lambda key: key[0],
)


@pytest.fixture(scope="module")
def library(kind: Kind) -> Iterator[LibraryRows]:
    store = kind.store(library_schema())
    yield LibraryRows(store)
    store.close()


@contextmanager
def filled(library: LibraryRows, written: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Write books for a while; gives them with their editors."""
    library.database.execute("SAVEPOINT empty")
    try:
        yield fill(library, written)
    finally:
        library.database.execute("ROLLBACK TO empty")
        library.database.execute("RELEASE empty")


def fill(library: LibraryRows, written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for values in written:
        own = {name: value for name, value in values.items() if name != "authors"}
        book = library.add(BOOK, **own)
        editors = [{"name": name, "age": age} for name, age in values["authors"]]
        admin_users = [library.add(PERSON, **editor) for editor in editors]
        library.link(BOOK, "editors", book, *admin_users)
        rows.append({"id": book, **own, "editors": editors})
    return rows


def ids(database: Store, resolved: ResolvedRead) -> list[int]:
    compiled = compile_read(resolved.plan, library_schema(), library_tables(), database.dialect)
    page = Statement(compiled.page.sql, compiled.page.bind(resolved.values))
    return [int(row[0]) for row in database.run(response(page))]  # type: ignore[arg-type]  # ids come first


def response(statement: Statement) -> Program[Rows]:
    return (yield statement)


def listed(database: Store, query: str) -> list[int]:
    return ids(database, resolver().list(parse_query(query)))


def placed(
    row: dict[str, Any], path: str, *, descending: bool, null_is_least: bool
) -> tuple[bool, Any]:
    """Return what a row is sorted by: null comes before everything, or behind.

    Of several related rows the one counts that comes first.
    """
    first, _, rest = path.partition(".")
    candidates = [row[first]] if not rest else [related[rest] for related in row[first]]
    ranked = sorted(
        ((value is None) is not null_is_least, 0 if value is None else value)
        for value in candidates or [None]
    )
    return ranked[-1] if descending else ranked[0]


@settings(max_examples=examples(200))
@given(books, keys)
def test_rows_are_sorted_by_every_key_and_at_last_by_their_id(
    kind: Kind,
    library: LibraryRows,
    written: list[dict[str, Any]],
    asked: list[tuple[str, bool]],
) -> None:
    sort = ",".join(f"{path}:{'desc' if descending else 'asc'}" for path, descending in asked)
    least = kind.name == "sqlite"
    with filled(library, written) as rows:
        found = listed(library.database, f"fields=id&sort={sort}")
        for path, desc in reversed([*asked, ("id", False)]):
            rows.sort(
                key=lambda row: placed(row, path, descending=desc, null_is_least=least),
                reverse=desc,
            )
        assert found == [row["id"] for row in rows]


@settings(max_examples=examples(200))
@given(books, keys, st.integers(1, 4))
def test_pages_cut_a_list_without_gaps_and_without_overlaps(
    library: LibraryRows, written: list[dict[str, Any]], asked: list[tuple[str, bool]], size: int
) -> None:
    sort = ",".join(f"{path}:{'desc' if descending else 'asc'}" for path, descending in asked)
    query = f"fields=id&sort={sort}&pagination[pageSize]={size}"
    database = library.database
    with filled(library, written):
        whole = listed(database, f"fields=id&sort={sort}")
        pages = [listed(database, f"{query}&pagination[page]={page}") for page in range(1, 12)]
        assert [row for page in pages for row in page] == whole
        assert all(len(page) <= size for page in pages)
