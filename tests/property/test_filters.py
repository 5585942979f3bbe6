"""The rows that SQL finds for a filter are those that the rules name."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quire.database.compile import compile_read
from quire.database.dialects.sqlite.dialect import SqliteDialect
from quire.database.mapping import map_tables
from quire.query.operators import OPERATORS, Operand
from quire.query.plan import ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.load import build_schema
from tests.library.model import Attributes, component, content_type, relation
from tests.library.queries import resolver
from tests.library.rows import LibraryRows, new_connection
from tests.property.evaluator import Row, Tree, found
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
DIALECT = SqliteDialect()
CONNECTION = new_connection(schema=SCHEMA)


@contextmanager
def filled(written: list[Any], labels: list[dict[str, Any]]) -> Iterator[list[Row]]:
    """Write rows into the database for a while; gives them as the evaluator sees them."""
    CONNECTION.execute("BEGIN")
    try:
        yield fill(written, labels)
    finally:
        CONNECTION.execute("ROLLBACK")


def fill(written: list[Any], labels: list[dict[str, Any]]) -> list[Row]:
    """Write rows into the empty database."""
    rows = LibraryRows(CONNECTION, SCHEMA)
    known = {
        position: {"id": rows.add(TAG_UID, **label), **label}
        for position, label in enumerate(labels, start=1)
    }
    assert list(known) == [tag["id"] for tag in known.values()]
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


def selected(resolved: ResolvedRead) -> list[int]:
    """Run a plan; returns the ids of the rows of its page, and checks its count against them."""
    compiled = compile_read(counted(resolved.plan), SCHEMA, TABLES, DIALECT)
    assert compiled.count is not None
    rows = CONNECTION.execute(compiled.page.sql, compiled.page.bind(resolved.values)).fetchall()
    count = CONNECTION.execute(compiled.count.sql, compiled.count.bind(resolved.values)).fetchall()
    assert count == [(len(rows),)]
    return [int(row[0]) for row in rows]  # type: ignore[arg-type]  # ids come first


def counted(plan: ReadPlan) -> ReadPlan:
    return ReadPlan(root=plan.root, search=plan.search, count=True)


@settings(max_examples=400)
@given(items, tags, filters(ITEM))
def test_a_filter_finds_the_rows_that_the_rules_name(
    written: list[Any], labels: list[dict[str, Any]], tree: Tree
) -> None:
    resolved = resolver(ITEM_UID, schema=SCHEMA).window({"filters": tree})
    with filled(written, labels) as rows:
        expected = [row["id"] for row in rows if found(tree, row, ITEM)]
        assert sorted(selected(resolved)) == expected


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


@settings(max_examples=1000)
@given(compared())
def test_a_comparison_finds_the_values_that_the_rules_name(
    drawn: tuple[str, list[Any], Tree],
) -> None:
    name, written, tree = drawn
    resolved = resolver(ITEM_UID, schema=SCHEMA).window({"filters": {name: tree}})
    with filled([({name: value}, UNRELATED) for value in written], []) as rows:
        expected = [row["id"] for row in rows if found({name: tree}, row, ITEM)]
        assert sorted(selected(resolved)) == expected


TEXT_OPERATORS = sorted(name for name, row in OPERATORS.items() if row.operand is Operand.TEXT)


@st.composite
def looked_for(draw: st.DrawFn) -> tuple[str, str, str]:
    """Draw a text, an operator on texts, and an operand that is a piece of the text or near it."""
    value, operator = draw(texts), draw(st.sampled_from(TEXT_OPERATORS))
    start, end = draw(st.integers(0, len(value))), draw(st.integers(0, len(value)))
    pieces = [value, value[:end], value[start:], value[start:end]]
    piece = draw(st.sampled_from(pieces) | texts)
    return value, operator, draw(st.sampled_from([piece, piece.swapcase(), piece.upper()]))


@settings(max_examples=400)
@given(looked_for())
def test_a_text_is_looked_for_as_the_rules_say(drawn: tuple[str, str, str]) -> None:
    value, operator, operand = drawn
    tree: Tree = {"name": {operator: operand}}
    resolved = resolver(ITEM_UID, schema=SCHEMA).window({"filters": tree})
    with filled([({"name": value}, UNRELATED)], []) as rows:
        expected = [row["id"] for row in rows if found(tree, row, ITEM)]
        assert selected(resolved) == expected
