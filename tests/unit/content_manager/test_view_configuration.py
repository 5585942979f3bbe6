from pathlib import Path

from quire.content_manager.view_configuration import (
    default_view,
    stored_view,
    with_list_main_fields,
)
from quire.content_manager.view_validation import changed_view, problems_of_view
from quire.schema.load import LoadOptions, load_schema
from quire.schema.model import Schema
from tests.unit.schema.trees import type_file, write_tree

STAMP = "api::stamp.stamp"
ATTRIBUTES = {
    "motif": {"type": "string"},
    "value": {"type": "decimal"},
    "story": {"type": "richtext"},
    "printer": {"type": "relation", "relation": "manyToOne", "target": "api::printer.printer"},
    "sheets": {"type": "relation", "relation": "manyToMany", "target": "api::printer.printer"},
}


def album(tmp_path: Path, attributes: dict[str, dict[str, object]] | None = None) -> Schema:
    """The schema of a stamp album."""
    printer = type_file("printer", {"founded": {"type": "date"}, "name": {"type": "string"}})
    write_tree(tmp_path, type_file("stamp", attributes or ATTRIBUTES), printer)
    return load_schema(tmp_path, LoadOptions())


def test_the_first_short_text_stands_for_an_entry(tmp_path: Path) -> None:
    schema = album(tmp_path)
    view = default_view(schema, schema.model(STAMP))
    assert view["settings"]["mainField"] == "motif"
    assert view["metadatas"]["printer"]["edit"]["mainField"] == "name"


def test_without_a_short_text_the_document_id_does(tmp_path: Path) -> None:
    schema = album(tmp_path, {"value": {"type": "decimal"}})
    assert default_view(schema, schema.model(STAMP))["settings"]["mainField"] == "documentId"


def test_a_form_puts_fields_into_rows_of_twelve_columns(tmp_path: Path) -> None:
    schema = album(tmp_path)
    rows = default_view(schema, schema.model(STAMP))["layouts"]["edit"]
    assert [[cell["name"] for cell in row] for row in rows] == [
        ["motif", "value"],
        ["story"],
        ["printer", "sheets"],
    ]


def test_a_list_shows_four_columns_that_have_room_in_one(tmp_path: Path) -> None:
    schema = album(tmp_path)
    view = default_view(schema, schema.model(STAMP))
    assert view["layouts"]["list"] == ["id", "motif", "value", "printer"]


def test_lists_are_sorted_by_what_has_one_value_in_each_entry(tmp_path: Path) -> None:
    schema = album(tmp_path)
    metadatas = default_view(schema, schema.model(STAMP))["metadatas"]
    reported = {name: metadata["list"]["sortable"] for name, metadata in metadatas.items()}
    assert (reported["motif"], reported["printer"], reported["sheets"], reported["story"]) == (
        True,
        True,
        False,
        False,
    )


def test_a_stored_view_loses_attributes_that_are_gone_and_gets_new_ones(tmp_path: Path) -> None:
    before = album(tmp_path / "before", {"motif": {"type": "string"}, "gum": {"type": "string"}})
    stored = default_view(before, before.model(STAMP))
    stored["settings"] |= {"mainField": "gum", "pageSize": 50}
    schema = album(tmp_path / "after")
    view = stored_view(schema, schema.model(STAMP), stored)
    assert view["settings"]["mainField"] == "motif"
    assert view["settings"]["pageSize"] == 50
    assert "gum" not in view["metadatas"]
    assert view["layouts"]["list"] == ["id", "motif", "createdAt"]
    shown = [cell["name"] for row in view["layouts"]["edit"] for cell in row]
    assert shown == ["motif", "value", "story", "printer", "sheets"]


def test_what_is_stored_without_sense_counts_for_nothing(tmp_path: Path) -> None:
    schema = album(tmp_path)
    model = schema.model(STAMP)
    useless: tuple[object, ...] = (
        None,
        [],
        "x",
        {"settings": 1, "metadatas": [], "layouts": None},
    )
    for stored in useless:
        assert stored_view(schema, model, stored) == default_view(schema, model)


def test_the_list_too_says_what_stands_for_related_entries(tmp_path: Path) -> None:
    schema = album(tmp_path)
    view = with_list_main_fields(default_view(schema, schema.model(STAMP)))
    assert view["metadatas"]["printer"]["list"]["mainField"] == "name"
    assert "mainField" not in view["metadatas"]["motif"]["list"]


def test_a_change_replaces_the_sections_that_it_names(tmp_path: Path) -> None:
    schema = album(tmp_path)
    view = default_view(schema, schema.model(STAMP))
    changed = changed_view(view, {"layouts": {"list": ["motif"], "edit": []}})
    assert changed["layouts"] == {"list": ["motif"], "edit": []}
    assert changed["settings"] == view["settings"]


def test_every_error_of_a_change_is_reported(tmp_path: Path) -> None:
    schema = album(tmp_path)
    problems = problems_of_view(
        schema.model(STAMP),
        {
            "settings": {"bulkable": 1, "filterable": True, "searchable": True, "pageSize": 1000},
            "metadatas": {"gum": {}, "motif": {"edit": {"label": 1}, "list": {"mainField": "x"}}},
            "layouts": {"edit": [[{"name": "gum", "size": 6}], 1], "list": ["motif", 1]},
        },
    )
    reported = [problem.split(" must be one of")[0].split(", but")[0] for problem in problems]
    assert reported == [
        "settings.bulkable must be a `boolean` type",
        "settings.pageSize must be less than or equal to 100",
        "metadatas field has unspecified keys: gum",
        "metadatas.motif.edit.label must be a `string` type",
        "metadatas.motif.list field has unspecified keys: mainField",
        "layouts.edit[0][0].name",
        "layouts.edit[1] must be a `array` type",
        "layouts.list[1]",
    ]
