"""Orders are total: the same query gives the same rows in the same order, and pages cut it up."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quire.database.compile import compile_read
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.query.querystring import parse
from quire.query.resolve import ResolvedRead
from tests.library.model import BOOK, PERSON, library_schema, library_tables
from tests.library.queries import resolver
from tests.library.rows import LibraryRows, new_connection

CONNECTION = new_connection()
ROWS = LibraryRows(CONNECTION)
DIALECT = SqliteDialect()

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


def fill(written: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for values in written:
        own = {name: value for name, value in values.items() if name != "authors"}
        book = ROWS.add(BOOK, **own)
        editors = [{"name": name, "age": age} for name, age in values["authors"]]
        ROWS.link(BOOK, "editors", book, *(ROWS.add(PERSON, **editor) for editor in editors))
        rows.append({"id": book, **own, "editors": editors})
    return rows


def ids(resolved: ResolvedRead) -> list[int]:
    compiled = compile_read(resolved.plan, library_schema(), library_tables(), DIALECT)
    found = CONNECTION.execute(compiled.page.sql, compiled.page.bind(resolved.values)).fetchall()
    return [int(row[0]) for row in found]  # type: ignore[arg-type]  # ids come first


def listed(query: str) -> list[int]:
    return ids(resolver().list(parse(query)))


def placed(row: dict[str, Any], path: str, *, descending: bool) -> tuple[bool, Any]:
    """Return what a row is sorted by: null comes before everything.

    Of several related rows the one counts that comes first.
    """
    first, _, rest = path.partition(".")
    candidates = [row[first]] if not rest else [related[rest] for related in row[first]]
    ranked = sorted((value is not None, value if value is not None else 0) for value in candidates)
    if not ranked:
        return (False, 0)
    return ranked[-1] if descending else ranked[0]


@settings(max_examples=200)
@given(books, keys)
def test_rows_are_sorted_by_every_key_and_at_last_by_their_id(
    written: list[dict[str, Any]], asked: list[tuple[str, bool]]
) -> None:
    sort = ",".join(f"{path}:{'desc' if descending else 'asc'}" for path, descending in asked)
    CONNECTION.execute("BEGIN")
    try:
        rows = fill(written)
        found = listed(f"fields=id&sort={sort}")
        for path, descending in reversed([*asked, ("id", False)]):
            rows.sort(key=lambda row: placed(row, path, descending=descending), reverse=descending)
        assert found == [row["id"] for row in rows]
    finally:
        CONNECTION.execute("ROLLBACK")


@settings(max_examples=200)
@given(books, keys, st.integers(1, 4))
def test_pages_cut_a_list_without_gaps_and_without_overlaps(
    written: list[dict[str, Any]], asked: list[tuple[str, bool]], size: int
) -> None:
    sort = ",".join(f"{path}:{'desc' if descending else 'asc'}" for path, descending in asked)
    query = f"fields=id&sort={sort}&pagination[pageSize]={size}"
    CONNECTION.execute("BEGIN")
    try:
        fill(written)
        whole = listed(f"fields=id&sort={sort}")
        pages = [listed(f"{query}&pagination[page]={page}") for page in range(1, 12)]
        assert [row for page in pages for row in page] == whole
        assert all(len(page) <= size for page in pages)
    finally:
        CONNECTION.execute("ROLLBACK")
