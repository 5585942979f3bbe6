"""SQL finds the same rows for a filter as the evaluator."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.database.compile.compiler import compile_read
from quire.database.program import Program, Rows, Statement
from quire.database.tables.table_map import map_tables
from quire.errors import ValidationError
from quire.query.filter_operators import OPERATORS, Operand
from quire.query.plan import ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.load import build_schema
from tests.databases.kind import Kind
from tests.databases.store import Store
from tests.examples import examples
from tests.library.model import Attributes, component, content_type, relation
from tests.library.queries import resolver
from tests.library.rows import LibraryRows
from tests.property.evaluator import IN_POSTGRESQL, IN_SQLITE, Row, Texts, Tree, found, refused
from tests.property.strategies import ITEM, PART, TAG, VALUES, below, filters, items, tags, texts

ITEM_UID, TAG_UID, PART_UID = "api::item.item", "api::tag.tag", "shared.part"


def attributes(kinds: Any) -> Attributes:  # noqa: ANN401 - kinds, recursive
    return {
        name: {"type": kind, **({"enum": ["red", "green"]} if kind == "enumeration" else {})}
        for name, kind in kinds.items()
        if isinstance(kind, str) and kind != "id"
    }


SCHEMA = build_schema(
    [
        content_type(
            "item",
            {
                **attributes(ITEM),
                "tags": relation("manyToMany", TAG_UID),
                "owner": relation("manyToOne", TAG_UID),
                "part": {"type": "component", "component": PART_UID},
                "parts": {"type": "component", "component": PART_UID, "repeatable": True},
            },
        ),
        content_type("tag", attributes(TAG)),
        component(PART_UID, attributes(PART)),
    ]
)
TABLES = map_tables(SCHEMA)


@pytest.fixture(scope="module")
def database(kind: Kind) -> Iterator[Store]:
    store = kind.store(SCHEMA)
    yield store
    store.close()


@pytest.fixture(scope="module")
def texts_there(kind: Kind) -> Texts:
    """What text is in the database."""
    return {"sqlite": IN_SQLITE, "postgresql": IN_POSTGRESQL}[kind.name]


@contextmanager
def filled(
    database: Store, written: list[Any], labels: list[dict[str, Any]]
) -> Iterator[list[Row]]:
    """Write rows into the database for a while; gives them as the evaluator sees them."""
    database.execute("SAVEPOINT empty")
    try:
        yield fill(database, written, labels)
    finally:
        database.execute("ROLLBACK TO empty")
        database.execute("RELEASE empty")


def fill(database: Store, written: list[Any], labels: list[dict[str, Any]]) -> list[Row]:
    """Write rows into the empty database."""
    rows = LibraryRows(database, SCHEMA)
    known = {
        position: {"id": rows.add(TAG_UID, id=position, **label), **label}
        for position, label in enumerate(labels, start=1)
    }
    found_rows: list[Row] = []
    for values, related in written:
        item = rows.add(ITEM_UID, **values)
        parts: dict[str, list[Row]] = {}
        for name in ("part", "parts"):
            parts[name] = [
                {"id": rows.component(ITEM_UID, name, item, PART_UID, order=order, **part), **part}
                for order, part in enumerate(related[name], start=1)
            ]
        for name in ("tags", "owner"):
            rows.link(ITEM_UID, name, item, *related[name])
        links = {name: [known[tag] for tag in related[name]] for name in ("tags", "owner")}
        found_rows.append({"id": item, **values, **links, **parts})
    return found_rows


def selected(database: Store, resolved: ResolvedRead) -> list[int]:
    """Run a plan; returns the ids of the rows of its page, and checks its count against them."""
    compiled = compile_read(counted(resolved.plan), SCHEMA, TABLES, database.dialect)
    assert compiled.count is not None
    page = Statement(compiled.page.sql, compiled.page.bind(resolved.values))
    count = Statement(compiled.count.sql, compiled.count.bind(resolved.values))
    rows, counts = database.run(responses(page, count))
    assert [tuple(row) for row in counts] == [(len(rows),)]
    return [int(row[0]) for row in rows]  # type: ignore[arg-type]  # ids come first


def responses(page: Statement, count: Statement) -> Program[tuple[Rows, Rows]]:
    """Run two statements."""
    rows = yield page
    return rows, (yield count)


def check(database: Store, texts: Texts, tree: Tree, written: list[Any], labels: list[Any]) -> None:
    """Fail unless the rows that are found are those that the rules name."""
    resolved = resolver(ITEM_UID, schema=SCHEMA).window({"filters": tree})
    if refused(tree, ITEM, texts):
        with pytest.raises(ValidationError, match="cannot be searched for text"):
            compile_read(counted(resolved.plan), SCHEMA, TABLES, database.dialect)
        return
    with filled(database, written, labels) as rows:
        expected = [row["id"] for row in rows if found(tree, row, ITEM, texts)]
        assert sorted(selected(database, resolved)) == expected


def counted(plan: ReadPlan) -> ReadPlan:
    return ReadPlan(root=plan.root, search=plan.search, count=True)


@settings(max_examples=examples(400))
@given(items, tags, filters(ITEM))
def test_a_filter_finds_the_rows_that_the_rules_name(
    database: Store,
    texts_there: Texts,
    written: list[Any],
    labels: list[dict[str, Any]],
    tree: Tree,
) -> None:
    check(database, texts_there, tree, written, labels)


UNRELATED: Mapping[str, list[Any]] = {"tags": [], "owner": [], "part": [], "parts": []}
SCALARS = sorted(name for name, kind in ITEM.items() if isinstance(kind, str) and kind != "id")


@st.composite
def compared(draw: st.DrawFn) -> tuple[str, list[Any], Tree]:
    """Draw an attribute, values of it, and what stands below it in a filter."""
    name = draw(st.sampled_from(SCALARS))
    kind = ITEM[name]
    assert isinstance(kind, str)
    written = draw(st.lists(st.none() | VALUES[kind], min_size=3, max_size=6))
    return name, written, draw(below(kind))


@settings(max_examples=examples(1000))
@given(compared())
def test_a_comparison_finds_the_values_that_the_rules_name(
    database: Store, texts_there: Texts, drawn: tuple[str, list[Any], Tree]
) -> None:
    name, values, tree = drawn
    written = [({name: value}, UNRELATED) for value in values]
    check(database, texts_there, {name: tree}, written, [])


TEXT_OPERATORS = sorted(name for name, row in OPERATORS.items() if row.operand is Operand.TEXT)


@st.composite
def looked_for(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw a text, an operator on texts, and an operand that is a piece of the text or similar."""
    value, operator = draw(texts), draw(st.sampled_from(TEXT_OPERATORS))
    start, end = draw(st.integers(0, len(value))), draw(st.integers(0, len(value)))
    pieces = [value, value[:end], value[start:], value[start:end]]
    piece = draw(st.sampled_from(pieces) | texts)
    return value, operator, draw(st.sampled_from([piece, piece.swapcase(), piece.upper()]))


@settings(max_examples=examples(400))
@given(looked_for())
def test_a_text_is_looked_for_as_the_rules_say(
    database: Store, texts_there: Texts, drawn: tuple[str, str, str]
) -> None:
    value, operator, operand = drawn
    tree: Tree = {"name": {operator: operand}}
    check(database, texts_there, tree, [({"name": value}, UNRELATED)], [])
