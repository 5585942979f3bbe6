"""The expected tables compared with those of the reference, and read indexes."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from sqlalchemy import Index, MetaData

from quire.database.tables.inspection import FoundTable
from quire.database.tables.metadata import (
    gain_of,
    is_read_index,
    sorted_indexes,
    tables_with_read_indexes,
)
from quire.errors import SchemaError
from quire.schema.load import LoadOptions, build_schema, load_schema
from quire.schema.model import Schema
from tests.conformance.corpus import unpack_project
from tests.library.model import library_schema
from tests.unit.database.running import (
    awkward_schema,
    component,
    content_type,
    found_in,
    golden_tables,
    new_database,
    schema_of,
    tables_of,
)


def read_indexes(metadata: MetaData) -> Iterator[Index]:
    """Quire's own read indexes, by table and name."""
    for table in metadata.tables.values():
        yield from filter(is_read_index, sorted_indexes(table))


def described(table: FoundTable, *, without: set[str]) -> dict[str, object]:
    """Write a found table as the golden file does."""
    columns = {}
    for column in table.columns.values():
        not_null = "" if column.nullable or column.name == "id" else " not null"
        default = "" if column.default is None else f" default {column.default}"
        columns[column.name] = f"{column.type}{not_null}{default}"
    indexes = {
        index.name: ("unique " if index.unique else "") + ", ".join(index.columns)
        for index in table.indexes.values()
        if index.name not in without
    }
    return {"columns": columns, "indexes": indexes}


def test_columns_and_indexes_are_those_of_the_reference() -> None:
    _, metadata = tables_of(awkward_schema())
    own = {str(index.name) for index in read_indexes(metadata)}
    found = found_in(new_database(metadata))
    golden = {
        name: {"columns": table["columns"], "indexes": table["indexes"]}
        for name, table in golden_tables().items()
    }
    assert {name: described(table, without=own) for name, table in found.items()} == golden


def test_columns_stand_in_the_order_of_the_reference() -> None:
    found = found_in(new_database(tables_of(awkward_schema())[1]))
    for name, table in golden_tables().items():
        assert list(found[name].columns) == list(table["columns"])


def test_foreign_keys_are_those_of_the_reference() -> None:
    _, metadata = tables_of(awkward_schema())
    keys = {
        table.name: {
            str(key.name): f"{key.columns[0].name} -> {key.referred_table.name}.id"
            f" on delete {key.ondelete}"
            for key in table.foreign_key_constraints
        }
        for table in metadata.tables.values()
    }
    assert keys == {name: table["foreignKeys"] for name, table in golden_tables().items()}


def test_the_recorded_project_wants_what_its_database_has(tmp_path: Path) -> None:
    project = unpack_project(tmp_path)
    _, metadata = tables_of(load_schema(project))
    own = {str(index.name) for index in read_indexes(metadata)}
    wanted = found_in(new_database(metadata))
    recorded = found_in(apsw.Connection(str(project / ".tmp" / "data.db")))
    assert wanted.keys() == recorded.keys()
    for name, table in recorded.items():
        assert described(wanted[name], without=own) == described(table, without=own)
        assert wanted[name].foreign_keys == table.foreign_keys


def test_the_time_of_first_publication_stands_before_the_locale() -> None:
    source = content_type("note", {}, options={"draftAndPublish": True})
    schema = build_schema([source], LoadOptions(first_published=True))
    _, metadata = tables_of(schema)
    names = [column.name for column in metadata.tables["notes"].columns]
    assert names[-2:] == ["first_published_at", "locale"]


def test_read_indexes_serve_lists_links_and_components_of_the_project() -> None:
    schema = schema_of(
        content_type(
            "note",
            {
                "tags": {
                    "type": "relation",
                    "relation": "manyToMany",
                    "target": "api::tag.tag",
                    "inversedBy": "notes",
                },
                "owner": {"type": "relation", "relation": "oneToOne", "target": "api::tag.tag"},
                "parts": {"type": "component", "component": "part.text", "repeatable": True},
            },
            options={"draftAndPublish": True},
        ),
        content_type(
            "tag",
            {
                "notes": {
                    "type": "relation",
                    "relation": "manyToMany",
                    "target": "api::note.note",
                    "mappedBy": "tags",
                }
            },
            pluginOptions={"i18n": {"localized": True}},
        ),
        component("part.text", {"text": {"type": "text"}}),
    )
    _, metadata = tables_of(schema)
    found = {
        str(index.name): [column.name for column in index.columns]
        for index in read_indexes(metadata)
    }
    assert found == {
        "quire_notes_status": ["locale", "published_at"],
        "quire_notes_published": ["locale"],
        "quire_tags_locale": ["locale"],
        "quire_notes_tags_lnk_targets": ["note_id", "tag_ord", "tag_id"],
        "quire_notes_tags_lnk_sources": ["tag_id", "note_ord", "note_id"],
        "quire_notes_owner_lnk_sources": ["tag_id", "note_id"],
        "quire_notes_cmps_fields": ["entity_id", "field", "order"],
        "quire_files_related_mph_related": ["related_id", "related_type", "field", "order"],
    }


def test_a_single_type_needs_no_index_for_lists() -> None:
    _, metadata = tables_of(schema_of(content_type("home", {}, kind="singleType")))
    names = {str(index.name) for index in metadata.tables["homes"].indexes}
    assert not any(name.startswith("quire") for name in names)


def test_no_read_index_has_a_name_that_the_reference_would_make() -> None:
    _, metadata = tables_of(awkward_schema())
    own = [str(index.name) for index in read_indexes(metadata)]
    theirs = {
        str(index.name)
        for table in metadata.tables.values()
        for index in table.indexes
        if not is_read_index(index)
    }
    assert len(set(own)) == len(own) > 0
    assert set(own).isdisjoint(theirs)
    assert all(name.startswith("quire_") and len(name) <= 55 for name in own)


@pytest.mark.parametrize("schema", [awkward_schema(), library_schema()], ids=["awkward", "library"])
def test_tables_with_read_indexes_are_known_without_describing_them(schema: Schema) -> None:
    table_map, metadata = tables_of(schema)
    described = {index.table.name for index in read_indexes(metadata) if index.table is not None}
    assert tables_with_read_indexes(schema, table_map) == described


def test_every_read_index_says_what_it_is_good_for() -> None:
    _, metadata = tables_of(awkward_schema())
    assert all(len(gain_of(index)) > 20 for index in read_indexes(metadata))


def test_an_index_over_a_column_that_is_not_there_is_an_error_of_the_schema() -> None:
    index = {"name": "notes_own", "columns": ["nowhere"], "type": None}
    schema = schema_of(content_type("note", {}, indexes=[index]))
    with pytest.raises(SchemaError, match=r"note\.json: indexes: notes_own names a column"):
        tables_of(schema)


@pytest.mark.parametrize("name", ["quire_jobs", "QUIRE_Jobs", "Strapi_Webhooks", "SQLITE_x"])
def test_a_table_of_the_server_is_no_table_of_a_content_type_in_any_case(name: str) -> None:
    schema = schema_of(content_type("tag", {}, collectionName=name))
    with pytest.raises(SchemaError, match=f"{name} would be a table of the server"):
        tables_of(schema)


def test_two_tables_of_one_name_are_an_error_of_the_schema() -> None:
    relation = {"type": "relation", "relation": "oneToOne", "target": "api::tag.tag"}
    schema = schema_of(
        content_type("tag", {}),
        content_type("one", {"twoThree": relation}, collectionName="a"),
        content_type("two", {"three": relation}, collectionName="a_two"),
    )
    with pytest.raises(SchemaError, match="a_two_three_lnk would be a table of two"):
        tables_of(schema)
