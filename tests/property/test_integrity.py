"""A repair removes all problems of randomly damaged rows."""

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.database.integrity.findings import DamageKind
from quire.schema.load import load_schema
from quire.schema.model import Schema
from tests.databases.kind import Kind as Database
from tests.examples import examples
from tests.unit.database.integrity.content import Content

GONE = 99_999
TABLES = {
    "articles": ("document_id", "locale", "published_at", "created_by_id"),
    "categories": ("document_id", "published_at", "updated_by_id"),
    "authors": ("document_id", "published_at"),
    "homepages": ("document_id", "locale", "published_at"),
    "tags": ("document_id", "locale"),
    "articles_cmps": ("entity_id", "cmp_id", "component_type", "field"),
    "authors_cmps": ("entity_id", "cmp_id", "component_type", "field"),
    "components_blocks_call_to_actions_cmps": ("entity_id", "cmp_id", "component_type"),
    "components_blocks_call_to_actions": (),
    "components_people_addresss": (),
    "components_shared_links": (),
    "articles_categories_lnk": ("article_id", "category_id"),
    "articles_related_lnk": ("article_id", "inv_article_id"),
    "components_blocks_quotes_by_lnk": ("quote_id", "author_id"),
    "files_related_mph": ("file_id", "related_id", "related_type", "field"),
    "files": ("document_id",),
}
"""Tables, and columns to be emptied or to lead nowhere."""


class Damage(NamedTuple):
    """Something that happens to some rows of a table: to every ``each``-th of them."""

    operation: str
    table: str
    column: str
    each: int

    def sql(self, columns: list[str]) -> str:
        rows = f'FROM "{self.table}" WHERE id % 7 < {self.each}'
        where = f"WHERE id % 7 < {self.each}"
        match self.operation:
            case "empty":
                return f'UPDATE "{self.table}" SET "{self.column}" = NULL {where}'
            case "lose":
                return f'UPDATE "{self.table}" SET "{self.column}" = {GONE} + id {where}'
            case "copy":
                listed = ", ".join(f'"{name}"' for name in columns if name != "id")
                return (
                    f'INSERT INTO "{self.table}" ({listed}) SELECT {listed} {rows}'
                    " ON CONFLICT DO NOTHING"
                )
            case _:
                return f"DELETE {rows}"


@st.composite
def damages(draw: st.DrawFn) -> Damage:
    table = draw(st.sampled_from(sorted(TABLES)))
    references = [name for name in TABLES[table] if name.endswith("_id") and name != "document_id"]
    operations = ["delete", "copy"] + ["empty"] * bool(TABLES[table]) + ["lose"] * bool(references)
    operation = draw(st.sampled_from(operations))
    columns = references if operation == "lose" else TABLES[table] or ("id",)
    return Damage(operation, table, draw(st.sampled_from(columns)), draw(st.integers(1, 6)))


@pytest.fixture(scope="module")
def schema(recorded: Path) -> Schema:
    return load_schema(recorded)


@given(st.lists(damages(), min_size=1, max_size=8), st.booleans())
@settings(max_examples=examples(20))
def test_a_repair_leaves_nothing_to_repair(
    kind: Database,
    recorded: Path,
    schema: Schema,
    damage: list[Damage],
    indexes: bool,  # noqa: FBT001 - whether unique indexes stand in the way of the damage
) -> None:
    content = Content(kind.recorded_store(recorded), schema)
    if not indexes:
        content.damage(*unique_indexes(content))
    content.damage(
        *(one.sql(list(content.layout.existing_tables[one.table].columns)) for one in damage)
    )

    content.repair(duplicates=True)

    left = {finding.kind for finding in content.findings() if finding.repair is not None}
    assert left <= {DamageKind.NO_LOCALE}, "which is kept beside a version in the default locale"
    assert content.store.run(content.store.kind.broken_references(())) == []
    content.store.close()


def unique_indexes(content: Content) -> list[str]:
    """Statements that drop the unique indexes of all tables."""
    drop = content.store.kind.ddl.drop_index
    return [
        drop(index.name, table.name)
        for table in content.layout.existing_tables.values()
        for index in table.indexes.values()
        if index.unique
    ]
