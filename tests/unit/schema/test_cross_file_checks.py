"""Problems of a schema tree are reported together, each with file and path."""

from pathlib import Path

import pytest

from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.load import load_schema
from quire.schema.system_attributes import RESERVED_NAMES
from tests.unit.schema.trees import (
    Json,
    attribute_problems,
    component_file,
    problems,
    type_file,
    write_tree,
)

NOTE = "src/api/note/content-types/note/schema.json"
TAG = "src/api/tag/content-types/tag/schema.json"


def note(**changes: object) -> dict[str, object]:
    (raw,) = type_file("note").values()
    return {**raw, **changes}


INFO = {"singularName": "note", "pluralName": "notes", "displayName": "Note"}


@pytest.mark.parametrize(
    ("content", "path", "message"),
    [
        ('{"kind": ', "", "is not JSON: "),
        ("", "", "is not JSON: "),
        ("[]", "", "must hold a JSON object"),
        ('"text"', "", "must hold a JSON object"),
        (note(info=None), "info", "is missing"),
        (note(info=[]), "info", "is missing"),
        (
            note(info={**INFO, "singularName": "bigNote"}),
            "info.singularName",
            "expected a name in kebab-case",
        ),
        (note(info={**INFO, "pluralName": ""}), "info.pluralName", "expected a name in kebab-case"),
        (note(info={**INFO, "pluralName": 5}), "info.pluralName", "expected a name in kebab-case"),
        (
            note(info={**INFO, "pluralName": "note"}),
            "info.pluralName",
            "must differ from the singular name",
        ),
        (note(info={**INFO, "displayName": None}), "info.displayName", "is missing"),
        (note(kind="manyType"), "kind", "expected collectionType or singleType"),
        (note(kind=["singleType"]), "kind", "expected collectionType or singleType"),
        (note(collectionName=""), "collectionName", "expected a name"),
        (note(collectionName=7), "collectionName", "expected a name"),
        (note(options=[]), "options", "must be an object"),
        (
            note(options={"draftAndPublish": "yes"}),
            "options.draftAndPublish",
            "expected true or false",
        ),
        (note(attributes=[]), "attributes", "must be an object"),
        (note(attributes={"a": "string"}), "attributes.a", "must be an object"),
        (note(attributes={"a": {}}), "attributes.a.type", "is not an attribute type"),
        (
            note(attributes={"a": {"type": "money"}}),
            "attributes.a.type",
            "is not an attribute type (known: string, text, ",
        ),
    ],
)
def test_an_error_of_a_file_is_reported_with_its_path(
    content: str | Json, path: str, message: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, {NOTE: content})
    ((file, where, what),) = problems(tmp_path)
    assert (file, where) == (NOTE, path)
    assert what.startswith(message)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("strng", '; did you mean "string"?'),
        (
            "isbn",
            'such as "string", and "pluginOptions": {"quire": {"type": "isbn"}}',
        ),
    ],
)
def test_an_unknown_attribute_type_is_reported_with_a_hint(
    name: str, hint: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, {NOTE: note(attributes={"a": {"type": name}})})
    ((_, _, message),) = problems(tmp_path)
    assert message.endswith(hint)


def test_a_component_needs_a_table(tmp_path: Path) -> None:
    write_tree(tmp_path, {"src/components/shared/seo.json": {"attributes": {}}})
    assert problems(tmp_path) == [
        ("src/components/shared/seo.json", "collectionName", "is missing (components need one)")
    ]


@pytest.mark.parametrize(
    ("attribute", "option", "message"),
    [
        ({"type": "string", "maxLength": -1}, "maxLength", "expected a whole number, zero or more"),
        ({"type": "string", "minLength": 1.5}, "minLength", "expected a whole number"),
        ({"type": "string", "minLength": True}, "minLength", "expected a whole number"),
        ({"type": "string", "regex": 5}, "regex", "expected a string"),
        ({"type": "string", "required": "yes"}, "required", "expected true or false"),
        ({"type": "string", "private": None}, "private", "expected true or false"),
        ({"type": "string", "pluginOptions": []}, "pluginOptions", "expected an object"),
        ({"type": "string", "columnName": ""}, "columnName", "expected a name"),
        ({"type": "integer", "min": "low"}, "min", "expected a number"),
        ({"type": "integer", "max": False}, "max", "expected a number"),
        ({"type": "biginteger", "max": []}, "max", "expected a number"),
        ({"type": "uid", "targetField": ""}, "targetField", "expected a name"),
        ({"type": "uid", "options": "x"}, "options", "expected an object"),
        ({"type": "enumeration"}, "enum", "is missing"),
        ({"type": "enumeration", "enum": []}, "enum", "needs at least one value"),
        ({"type": "enumeration", "enum": "a"}, "enum", "expected a list of names"),
        ({"type": "enumeration", "enum": ["a", 1]}, "enum", "expected a list of names"),
        ({"type": "enumeration", "enum": ["a", ""]}, "enum", "expected a list of names"),
        ({"type": "enumeration", "enum": ["a", "a"]}, "enum", "lists a value twice"),
        ({"type": "media", "multiple": "yes"}, "multiple", "expected true or false"),
        ({"type": "component"}, "component", "is missing"),
        ({"type": "component", "component": "a.b"}, "component", "there is no component a.b"),
        (
            {"type": "component", "component": "api::note.note"},
            "component",
            "there is no component api::note.note",
        ),
        (
            {"type": "component", "component": "shared.seo", "min": "1"},
            "min",
            "expected a whole number",
        ),
        ({"type": "dynamiczone"}, "components", "is missing"),
        ({"type": "dynamiczone", "components": "shared.seo"}, "components", "expected a list"),
        (
            {"type": "dynamiczone", "components": ["shared.seo", "a.b"]},
            "components",
            "there is no component a.b",
        ),
        ({"type": "relation"}, "relation", "is missing"),
        ({"type": "relation", "relation": "many"}, "relation", "expected one of oneToOne, "),
        ({"type": "relation", "relation": ["oneToOne"]}, "relation", "expected one of oneToOne, "),
        ({"type": "relation", "relation": "oneToOne"}, "target", "is missing"),
        (
            {"type": "relation", "relation": "oneToOne", "target": "api::nope.nope"},
            "target",
            "there is no content type api::nope.nope",
        ),
        (
            {"type": "relation", "relation": "oneToOne", "target": "shared.seo"},
            "target",
            "there is no content type shared.seo",
        ),
        (
            {"type": "relation", "relation": "morphMany", "target": "api::tag.tag"},
            "morphBy",
            "is missing",
        ),
        (
            {
                "type": "relation",
                "relation": "morphMany",
                "target": "api::tag.tag",
                "morphBy": "nope",
            },
            "morphBy",
            "api::tag.tag has no attribute nope",
        ),
        (
            {
                "type": "relation",
                "relation": "morphOne",
                "target": "api::tag.tag",
                "morphBy": "note",
            },
            "morphBy",
            "api::tag.tag.note is not a relation to any content type",
        ),
        (
            {
                "type": "relation",
                "relation": "oneToMany",
                "target": "api::tag.tag",
                "inversedBy": "note",
            },
            "inversedBy",
            "a oneToMany relation is owned by the other side: mappedBy",
        ),
        (
            {
                "type": "relation",
                "relation": "oneToOne",
                "target": "api::tag.tag",
                "inversedBy": "nope",
            },
            "inversedBy",
            "api::tag.tag has no attribute nope",
        ),
        (
            {
                "type": "relation",
                "relation": "oneToOne",
                "target": "api::tag.tag",
                "inversedBy": "label",
            },
            "inversedBy",
            "api::tag.tag.label is not a relation to api::note.note",
        ),
    ],
)
def test_an_error_of_an_attribute_is_reported_with_its_option(
    attribute: Json, option: str, message: str, tmp_path: Path
) -> None:
    tag = type_file("tag", {"label": {"type": "string"}, "note": to("api::note.note")})
    found = attribute_problems(tmp_path, {"field": attribute}, tag, component_file("shared.seo"))
    reported = [(path, what) for path, what in found if path == f"field.{option}"]
    assert len(reported) == 1, found
    assert reported[0][1].startswith(message)


def to(target: str, kind: str = "oneToOne", **more: object) -> dict[str, object]:
    return {"type": "relation", "relation": kind, "target": target, **more}


def test_a_relation_has_to_agree_with_the_one_that_it_names(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("note", {"tags": to("api::tag.tag", "manyToMany", mappedBy="notes")}),
        type_file("tag", {"notes": to("api::note.note", "manyToMany")}),
        type_file("other", {"tags": to("api::tag.tag", "manyToMany", inversedBy="notes")}),
    )
    other = "src/api/other/content-types/other/schema.json"
    assert problems(tmp_path) == [
        (NOTE, "attributes.tags.mappedBy", "api::tag.tag.notes must say inversedBy"),
        (
            other,
            "attributes.tags.inversedBy",
            "api::tag.tag.notes is not a relation to api::other.other",
        ),
    ]


@pytest.mark.parametrize("name", sorted(RESERVED_NAMES - {"locale", "localizations"}))
def test_the_servers_own_names_are_reserved(name: str, tmp_path: Path) -> None:
    assert attribute_problems(tmp_path, {name: {"type": "string"}}) == [
        (name, "the name is reserved")
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("documentId", "the name is reserved"),
        ("__component", "the name is reserved"),
        ("__contentType", "the name is reserved"),
        ("strapi_secret", "the name is reserved"),
        ("_strapiId", "the name is reserved"),
        ("??", "the name has no letter or digit"),
        ("日本", "the name has no letter or digit"),
        ("", "the name has no letter or digit"),
        ('quo"te', "the name has a quotation mark, a backslash or a control character"),
        ("back\\slash", "the name has a quotation mark, a backslash or a control character"),
        ("line\nbreak", "the name has a quotation mark, a backslash or a control character"),
    ],
)
def test_some_names_cannot_be_given_to_attributes(name: str, message: str, tmp_path: Path) -> None:
    assert attribute_problems(tmp_path, {name: {"type": "string"}}) == [(name, message)]


def test_attributes_named_like_the_creators_with_a_capital_are_not_theirs(
    tmp_path: Path,
) -> None:
    names = ("CreatedBy", "UpdatedBy")
    write_tree(tmp_path, type_file("note", {name: {"type": "string"} for name in names}))
    note = load_schema(tmp_path).content_types["api::note.note"]
    assert [note.attributes[name].type.name for name in names] == ["string", "string"]
    assert note.attributes["createdBy"].type.name == note.attributes["updatedBy"].type.name
    assert note.attributes["createdBy"].type.name == "relation"


@pytest.mark.parametrize("name", ["createdBy", "updatedBy", "CreatedAt", "Id", "Locale"])
def test_names_with_capitals_are_reserved_if_their_columns_are(name: str, tmp_path: Path) -> None:
    write_tree(tmp_path, component_file("shared.seo", {name: {"type": "string"}}))
    assert problems(tmp_path) == [
        ("src/components/shared/seo.json", f"attributes.{name}", "the name is reserved")
    ]


def test_a_relation_that_is_mapped_by_something_else_is_not_served(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("note", {"tags": to("api::tag.tag", "oneToMany", mappedBy="label")}),
        type_file("tag", {"label": {"type": "string"}}),
    )
    schema = load_schema(tmp_path)
    assert "tags" not in schema.content_types["api::note.note"].attributes
    assert [(one.path, one.message) for one in schema.notices] == [
        (
            "attributes.tags",
            "mappedBy: api::tag.tag.label is not a relation; the attribute is not served",
        )
    ]


def test_a_component_may_not_have_reserved_names_either(tmp_path: Path) -> None:
    write_tree(tmp_path, component_file("shared.seo", {"id": {"type": "string"}}))
    assert problems(tmp_path) == [
        ("src/components/shared/seo.json", "attributes.id", "the name is reserved")
    ]


AUTHOR = {"type": "relation", "relation": "oneToOne", "target": "api::note.note"}


@pytest.mark.parametrize(
    "attributes",
    [
        {"short_title": {"type": "string"}, "shortTitle": {"type": "text"}},
        {"title": {"type": "string"}, "Title": {"type": "text"}},
        {"title": {"type": "string"}, "other": {"type": "text", "columnName": "title"}},
        {"line1": {"type": "string"}, "line-1": {"type": "integer"}},
        {"by": {**AUTHOR, "useJoinTable": False}, "byId": {"type": "integer"}},
    ],
)
def test_two_attributes_cannot_share_a_column(attributes: dict[str, Json], tmp_path: Path) -> None:
    first, second = attributes
    ((path, message),) = attribute_problems(tmp_path, attributes)
    assert path == second
    assert message.startswith(f"has the same column as {first}: ")


def test_what_has_no_column_may_be_called_alike(tmp_path: Path) -> None:
    attributes = {
        "cover": {"type": "media"},
        "Cover": {"type": "string"},
        "by": AUTHOR,
        "byId": {"type": "integer"},
        "of": {**AUTHOR, "useJoinTable": False, "mappedBy": "by"},
        "ofId": {"type": "integer"},
    }
    assert attribute_problems(tmp_path, attributes) == []


def test_a_name_belongs_to_one_content_type(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("note", plural="news"),
        type_file("news", plural="newses"),
        type_file("letter", plural="note"),
    )
    # Files are read in the order of their paths: letter, news, note.
    assert problems(tmp_path) == [
        (NOTE, "info.pluralName", "news is taken by api::news.news"),
        (NOTE, "info.singularName", "note is taken by api::letter.letter"),
    ]


def test_a_table_belongs_to_one_model(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("note", collectionName="files"),
        component_file("shared.seo", collectionName="the_rows"),
        component_file("shared.tag", collectionName="the_rows"),
    )
    assert problems(tmp_path) == [
        (NOTE, "collectionName", "files is the table of plugin::upload.file"),
        (
            "src/components/shared/tag.json",
            "collectionName",
            "the_rows is the table of shared.seo",
        ),
    ]


def test_without_a_table_of_its_own_a_type_takes_its_singular_name(tmp_path: Path) -> None:
    tag = type_file("tag", collectionName="note")
    raw = note()
    del raw["collectionName"]
    write_tree(tmp_path, {NOTE: raw}, tag)
    assert problems(tmp_path) == [(TAG, "collectionName", "note is the table of api::note.note")]


def test_a_component_cannot_require_itself(tmp_path: Path) -> None:
    def part(component: str, **more: object) -> Json:
        return {"inner": {"type": "component", "component": component, **more}}

    write_tree(
        tmp_path,
        component_file("a.self", part("a.self", required=True)),
        component_file("a.one", part("a.two", required=True)),
        component_file("a.two", part("a.one", required=True)),
        component_file("a.leads-in", part("a.one", required=True)),
        component_file("a.free", part("a.free")),
    )
    sentence = "a component cannot require itself"
    assert problems(tmp_path) == [
        ("src/components/a/one.json", "attributes.inner", sentence),
        ("src/components/a/self.json", "attributes.inner", sentence),
        ("src/components/a/two.json", "attributes.inner", sentence),
    ]


def test_the_error_names_the_attribute_that_closes_the_circle(tmp_path: Path) -> None:
    def part(component: str) -> Json:
        return {"type": "component", "component": component, "required": True}

    write_tree(
        tmp_path,
        component_file("a.leaf"),
        component_file("a.self", {"harmless": part("a.leaf"), "inner": part("a.self")}),
    )
    assert problems(tmp_path) == [
        ("src/components/a/self.json", "attributes.inner", "a component cannot require itself")
    ]


def test_a_component_attribute_may_lack_its_component_and_be_required_too(tmp_path: Path) -> None:
    write_tree(tmp_path, component_file("a.b", {"c": {"type": "component", "required": True}}))
    assert problems(tmp_path) == [
        ("src/components/a/b.json", "attributes.c.component", "is missing")
    ]


def test_two_folders_cannot_make_one_uid(tmp_path: Path) -> None:
    (raw,) = type_file("note").values()
    write_tree(
        tmp_path,
        {"src/api/big-note/content-types/note/schema.json": raw},
        {"src/api/bigNote/content-types/note/schema.json": raw},
    )
    assert (
        "src/api/bigNote/content-types/note/schema.json",
        "",
        "api::big-note.note is the uid of src/api/big-note/content-types/note/schema.json already",
    ) in problems(tmp_path)


def test_all_errors_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {NOTE: "{"},
        type_file(
            "tag", {"a": {"type": "nope"}, "b": to("api::nope.nope"), "id": {"type": "text"}}
        ),
        component_file("shared.seo", {"c": {"type": "component", "component": "x.y"}}),
    )
    assert [(file, path) for file, path, _ in problems(tmp_path)] == [
        (NOTE, ""),
        (TAG, "attributes.a.type"),
        (TAG, "attributes.b.target"),
        (TAG, "attributes.id"),
        ("src/components/shared/seo.json", "attributes.c.component"),
    ]


def test_all_errors_of_one_attribute_are_reported_at_once(tmp_path: Path) -> None:
    attribute = {"type": "enumeration", "required": 1, "default": "x"}
    assert attribute_problems(tmp_path, {"a": attribute}) == [
        ("a.enum", "is missing"),
        ("a.required", "expected true or false"),
    ]


def test_an_extension_is_checked_like_a_file_of_the_project(tmp_path: Path) -> None:
    path = "src/extensions/upload/content-types/folder/schema.json"
    write_tree(tmp_path, {path: {"attributes": {"name": {"type": "nope"}}}})
    found = problems(tmp_path)
    assert (path, "attributes.name.type") in [(file, where) for file, where, _ in found]


def test_extensions_of_plugins_that_are_not_there_are_left_alone(tmp_path: Path) -> None:
    path = "src/extensions/navigation/content-types/menu/schema.json"
    write_tree(tmp_path, {path: {"attributes": {"name": {"type": "nope"}}}})
    assert problems(tmp_path) == []


def test_a_file_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / NOTE).mkdir(parents=True)
    assert problems(tmp_path) == [(NOTE, "", "cannot be read: Is a directory")]


def test_the_built_in_types_may_use_names_that_are_reserved(tmp_path: Path) -> None:
    assert problems(tmp_path) == []


def test_every_attribute_type_is_known_by_its_name() -> None:
    assert all(name == type_.name for name, type_ in ATTRIBUTE_TYPES.items())
