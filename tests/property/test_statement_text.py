"""Input of clients is bound to statements and never part of their text."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from quire.database.compile.compiled_read import CompiledNode, CompiledRead
from quire.database.compile.compiler import compile_read
from quire.database.dialect import Dialect
from quire.database.dialects.postgresql.dialect import PostgresDialect
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.errors import AppError
from quire.query.plan import ReadPlan
from quire.query.querystring import QueryValue
from quire.query.resolve import ResolvedRead
from tests.examples import examples
from tests.library.model import library_schema, library_tables
from tests.library.queries import resolver

DIALECTS: tuple[Dialect, ...] = (SqliteDialect(), PostgresDialect())
HOSTILE = ["'", '"', "\\", "`", ";", "--", "/*", "?", "?1", ":p0", "%s", "$1", "{}", "' OR 1=1 --"]

texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=12))


def statements(compiled: CompiledRead) -> list[str]:
    """Return the text of every statement of a read."""
    found = [compiled.page.sql]
    if compiled.pages is not None:
        keyed = compiled.pages.keys()
        found += [keyed.keys.sql, keyed.rows.sql]
    if compiled.count is not None:
        found.append(compiled.count.sql)
    return [*found, *_below(compiled.node)]


def _below(node: CompiledNode) -> list[str]:
    found = [query.sql for query in node.union_queries]
    for edge in node.edges:
        if edge.links is not None:
            found.append(edge.links.sql)
        for below in edge.nodes:
            found += [] if below.query is None else [below.query.sql]
            found += _below(below)
    return found


def compiled(plan: ReadPlan) -> list[str]:
    return [
        sql
        for dialect in DIALECTS
        for sql in statements(compile_read(plan, library_schema(), library_tables(), dialect))
    ]


def query(text: str, number: str, several: list[str]) -> dict[str, QueryValue]:
    """Put values wherever a query can hold one."""
    listed: list[QueryValue] = [*several]
    return {
        "filters": {
            "title": {"$eq": text, "$ne": text, "$containsi": text, "$in": listed},
            "rating": {"$between": [number, number], "$notIn": [number]},
            "author": {"name": {"$startsWith": text}, "books": {"slug": text}},
            "$or": [{"seo": {"title": text}}, {"cover": {"name": {"$eqi": text}}}],
        },
        "populate": {
            "tags": {"filters": {"label": {"$contains": text}}},
            "links": {"populate": {"to": {"filters": {"title": {"$in": listed}}}}},
        },
        "_q": f"x{text}",
        "locale": text or "en",
        "pagination": {"start": "1", "limit": number.lstrip("-")},
    }


PLAIN = resolver().list(query("a", "1", ["a"]))
TEXTS = compiled(PLAIN.plan)


@settings(max_examples=examples(100))
@given(texts, st.integers(-(2**40), 2**40).map(str), st.lists(texts, min_size=1, max_size=150))
@example("'; DROP TABLE books; --", "0", ["') OR 1=1"] * 101)
def test_values_change_neither_the_plan_nor_the_text_of_its_statements(
    text: str, number: str, several: list[str]
) -> None:
    found = resolver().list(query(text, number, several))
    assert found.plan == PLAIN.plan
    assert hash(found.plan) == hash(PLAIN.plan)
    assert compiled(found.plan) == TEXTS


@given(texts)
def test_names_come_from_the_schema_alone(text: str) -> None:
    queries: list[dict[str, QueryValue]] = [
        {"filters": {text: "1"}},
        {"filters": {"title": {text: "1"}}},
        {"sort": [text]},
        {"sort": {text: "asc"}},
        {"sort": f"title:{text}"},
        {"fields": [text]},
        {"populate": [text]},
        {"populate": {text: "true"}},
        {"populate": {"sections": {"on": {text: "true"}}}},
        {"status": text},
        {"publicationFilter": text},
    ]
    for asked in queries:
        found = understood(asked)
        if found is not None and text in HOSTILE:
            assert not any(text in sql for sql in compiled(found.plan) if text not in PUNCTUATION)


PUNCTUATION = {'"', "?", "\\", "'", "{}", "$1"}
"""What statements hold by themselves."""


def understood(asked: dict[str, QueryValue]) -> ResolvedRead | None:
    try:
        return resolver().list(asked)
    except AppError:
        return None


def everything(plan: ReadPlan) -> list[Any]:
    """Return what binding a compiled plan twice gives, for comparison."""
    reads = [compile_read(plan, library_schema(), library_tables(), each) for each in DIALECTS]
    return [(statements(r), len(r.queries), r.page.bind(PLAIN.values)) for r in reads]


def test_a_plan_compiled_twice_is_the_same() -> None:
    assert everything(PLAIN.plan) == everything(PLAIN.plan)
