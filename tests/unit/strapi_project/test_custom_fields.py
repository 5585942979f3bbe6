"""Custom fields of plugins: their storage types, and how they are served."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from quire.codegen.model_classes import make_model_classes
from quire.codegen.python_structs import python_models
from quire.runtime.startup_checks import log_notices
from quire.schema.custom_fields import WELL_KNOWN
from quire.schema.describe import describe_content_type
from quire.schema.load import load_schema
from quire.schema.model import Schema
from quire.settings import SettingsError, load_settings
from quire.settings.model import STORAGE_TYPES
from quire.strapi_project.schema import load_project_schema
from tests.databases.kind import Kind
from tests.unit.schema.trees import component_file, type_file, write_tree
from tests.unit.strapi_project.site import serving

NOTE = "api::note.note"


def field(uid: str, **options: object) -> dict[str, object]:
    return {"type": "customField", "customField": uid, **options}


def loaded(project: Path) -> Schema:
    return load_project_schema(load_settings(project, environ={}))


def found(project: Path) -> list[tuple[str, str, str]]:
    """Return each custom field's storage type, what knows it, and the source."""
    return [
        (one.type.name, one.type.origin, one.type.source) for one in loaded(project).custom_fields
    ]


def test_the_table_knows_at_least_forty_fields_with_types_that_may_store_one() -> None:
    assert len(WELL_KNOWN) >= 40
    assert set(WELL_KNOWN.values()) <= set(STORAGE_TYPES)


def test_a_well_known_field_has_the_type_that_its_plugin_registers(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", {"body": field("plugin::ckeditor5.CKEditor")}))

    assert found(tmp_path) == [("richtext", "well known", "the plugin's published code")]
    attribute = loaded(tmp_path).content_types[NOTE].attributes["body"]
    assert attribute.type.name == "richtext"


def test_the_settings_come_before_the_table(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", {"body": field("plugin::ckeditor5.CKEditor")}))
    toml = '[custom_fields]\n"plugin::ckeditor5.CKEditor" = "json"\n'
    (tmp_path / "quire.toml").write_text(toml, encoding="utf-8")

    assert found(tmp_path) == [("json", "settings", "quire.toml")]


def test_the_settings_take_only_types_that_may_store_a_field(tmp_path: Path) -> None:
    toml = '[custom_fields]\n"plugin::x.y" = "relation"\n'
    (tmp_path / "quire.toml").write_text(toml, encoding="utf-8")

    with pytest.raises(
        SettingsError, match=r"custom_fields: 'relation' is none of .* pluginOptions\.quire"
    ):
        load_settings(tmp_path, environ={})


@pytest.mark.parametrize(
    ("path", "source", "uid"),
    [
        (
            "src/index.js",
            (
                "module.exports = { register({ strapi }) { strapi.customFields.register("
                "{ name: 'mood', type: 'integer', inputSize: { default: 4, isResizable: true }}) }}"
            ),
            "global::mood",
        ),
        (
            "src/index.ts",
            (
                "export default { register({ strapi }) { strapi.customFields.register([ "
                "{ name: 'mood', plugin: 'feelings', type: 'integer' } ]) } }"
            ),
            "plugin::feelings.mood",
        ),
        (
            "src/plugins/feelings/server/src/register.ts",
            (
                "import { PLUGIN_ID } from './id';\nexport default ({ strapi }) => {"
                "strapi.customFields.register({name: 'mood', plugin: PLUGIN_ID, type: 'integer'})}"
            ),
            "plugin::feelings.mood",
        ),
        (
            "src/plugins/feelings/server/register.js",
            (
                "const field = 'mood'; module.exports = ({ strapi }) => {"
                "strapi.customFields.register({plugin: 'feelings', name: field, type: 'integer'})}"
            ),
            "plugin::feelings.mood",
        ),
    ],
)
def test_a_registration_in_the_project_tells_the_type(
    path: str, source: str, uid: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, type_file("note", {"mood": field(uid)}), {path: source})

    assert [("integer", "plugin", path)] == found(tmp_path)


def test_an_installed_package_tells_the_type(tmp_path: Path) -> None:
    package = "node_modules/strapi-plugin-feelings"
    code = (
        "module.exports = { register({ strapi }) {"
        "strapi.customFields.register({ name: 'mood', plugin: 'feelings', type: 'json' }) } };"
    )
    write_tree(
        tmp_path,
        type_file("note", {"mood": field("plugin::feelings.mood")}),
        {
            "package.json": {"dependencies": {"strapi-plugin-feelings": "1.0.0"}},
            f"{package}/package.json": {"strapi": {"kind": "plugin", "name": "feelings"}},
            f"{package}/dist/server/index.js": code,
        },
    )

    assert [("json", "plugin", f"{package}/dist/server/index.js")] == found(tmp_path)


def test_a_registration_with_a_type_that_is_no_literal_tells_nothing(tmp_path: Path) -> None:
    code = (
        "module.exports = { register({ strapi }) {"
        "strapi.customFields.register({ name: 'mood', type: chosen() }) } };"
    )
    write_tree(tmp_path, type_file("note", {"mood": field("global::mood")}), {"src/index.js": code})

    assert found(tmp_path) == [("text", "assumed", "nothing that is known of it")]


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("varchar(255)", "string"),
        ("text", "text"),
        ("json", "json"),
        ("integer", "integer"),
        ("bigint", "biginteger"),
        ("float", "float"),
        ("decimal(10,2)", "decimal"),
        ("boolean", "boolean"),
        ("date", "date"),
        ("datetime", "datetime"),
        ("time", "time"),
    ],
)
def test_the_column_of_an_existing_database_tells_the_type(
    column: str, name: str, tmp_path: Path
) -> None:
    write_tree(tmp_path, type_file("note", {"moodOfDay": field("plugin::feelings.mood")}))
    (tmp_path / ".tmp").mkdir()
    with closing(sqlite3.connect(tmp_path / ".tmp" / "data.db")) as database:
        database.execute(f"CREATE TABLE note_rows (id integer, mood_of_day {column})")

    source = f"the column note_rows.mood_of_day ({column})"
    assert [(name, "database", source)] == found(tmp_path)


@pytest.mark.parametrize(("default", "name"), [([], "json"), ({}, "json"), ("", "text")])
def test_a_field_that_nothing_is_known_of_is_text_or_json(
    default: object, name: str, tmp_path: Path
) -> None:
    mood = field("plugin::feelings.mood", default=default)
    write_tree(tmp_path, type_file("note", {"mood": mood}))

    assert [(name, "assumed")] == [one[:2] for one in found(tmp_path)]


def test_options_that_the_storage_type_does_not_take_are_ignored_with_a_notice(
    tmp_path: Path,
) -> None:
    body = field("plugin::ckeditor5.CKEditor", minLength="none", options={"preset": "toolbar"})
    write_tree(tmp_path, type_file("note", {"body": body}))

    notices = [(one.path, one.message) for one in loaded(tmp_path).notices]
    assert notices == [("attributes.body.minLength", "does not fit the storage type; ignored")]


def test_unknown_options_are_ignored_with_a_notice(tmp_path: Path) -> None:
    attributes = {
        "body": {"type": "text", "requierd": True, "pluginOptions": {"anything": {"goes": 1}}},
        "parts": {"type": "component", "component": "a.part", "displayName": "Parts"},
        "next": {
            "type": "relation",
            "relation": "oneToOne",
            "target": NOTE,
            "targetAttribute": "previous",
        },
        "mood": field("global::mood", emojis=True),
    }
    part = component_file("a.part", {"size": {"type": "integer", "maxLength": 3}})
    write_tree(tmp_path, type_file("note", attributes), part)

    notices = sorted((one.path, one.message) for one in loaded(tmp_path).notices)
    effect = "and has no effect"
    assert notices == [
        ("attributes.body.requierd", f'is no option of text, {effect}; did you mean "required"?'),
        (
            "attributes.next.targetAttribute",
            f'is no option of relation, {effect}; in files it is "inversedBy" or "mappedBy"',
        ),
        ("attributes.size.maxLength", f"is no option of integer, {effect}"),
    ]


@pytest.mark.parametrize(("environment", "lines"), [("development", 1), ("production", 0)])
def test_unknown_options_are_logged_in_development(
    environment: str, lines: int, tmp_path: Path
) -> None:
    write_tree(tmp_path, type_file("note", {"body": {"type": "text", "requierd": True}}))
    settings = load_settings(tmp_path, environ={"NODE_ENV": environment})
    with capture_logs() as logged:
        log_notices(settings, load_project_schema(settings))
    assert ["body.requierd" in line["problem"] for line in logged] == [True] * lines


def test_an_enumeration_without_values_is_stored_as_a_string(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", {"level": field("global::level")}))
    toml = '[custom_fields]\n"global::level" = "enumeration"\n'
    (tmp_path / "quire.toml").write_text(toml, encoding="utf-8")

    assert loaded(tmp_path).content_types[NOTE].attributes["level"].type.name == "string"


def test_a_schema_file_keeps_its_custom_field(tmp_path: Path) -> None:
    body = field("plugin::ckeditor5.CKEditor", options={"preset": "toolbar"})
    write_tree(tmp_path, type_file("note", {"body": body}))

    raw = loaded(tmp_path).content_types[NOTE].raw["attributes"]
    assert {"body": body} == raw


def test_another_storage_type_is_another_version_of_the_schema(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", {"mood": field("plugin::feelings.mood")}))
    before = loaded(tmp_path).version
    toml = '[custom_fields]\n"plugin::feelings.mood" = "json"\n'
    (tmp_path / "quire.toml").write_text(toml, encoding="utf-8")

    assert before != loaded(tmp_path).version


def test_a_custom_field_is_typed_like_its_storage_type(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", {"tags": field("plugin::tagsinput.tags")}))
    plain = write_tree(tmp_path / "plain", type_file("note", {"tags": {"type": "json"}}))

    def models(project: Path) -> str:
        schema = load_schema(project)
        found = make_model_classes(schema, drafts=False, reserved=())
        return python_models(found).replace(schema.version, "")

    assert models(plain) == models(tmp_path)


async def test_custom_fields_are_served_as_their_storage_types(kind: Kind, tmp_path: Path) -> None:
    attributes = {
        "title": {"type": "string"},
        "body": field("plugin::ckeditor5.CKEditor"),
        "colour": field("plugin::color-picker.color", regex="^#[0-9a-f]{6}$"),
        "tags": field("plugin::tagsinput.tags"),
        "place": field("plugin::group-sort-strapi-plugin.order", min=1),
    }
    async with serving(kind, tmp_path, type_file("note", attributes)) as site:
        written = {"body": "<p>One</p>", "colour": "#00ff00", "tags": ["a", {"b": 1}], "place": 3}
        note = await site.create("notes", title="One", **written)
        await site.create("notes", title="Two", place=10)
        filtered = await site.data("notes?filters[place][$lt]=5&sort=place")
        refused = await site.send("POST", "notes", {"data": {"place": 0}})
        described = describe_content_type(site.app.schema.content_types[NOTE])
        document = json.loads((await site.get("openapi.json")).content)
    schemas = document["components"]["schemas"].values()
    places = [one["properties"]["place"] for one in schemas if "place" in one.get("properties", {})]

    assert any('"integer"' in json.dumps(place) for place in places)
    assert written == {name: note[name] for name in written}
    assert [one["title"] for one in filtered] == ["One"]
    assert refused.status == 400
    body = described["schema"]["attributes"]["body"]
    assert (body["type"], body["customField"]) == ("richtext", "plugin::ckeditor5.CKEditor")


async def test_what_the_reference_ignores_in_a_schema_file_keeps_no_project_shut(
    kind: Kind, tmp_path: Path
) -> None:
    attributes = {
        "title": {"type": "string"},
        "updatedBy": {"type": "string"},
        "locale": {"type": "string"},
        "level": {"type": "enumeration", "enum": ["low", "high"], "default": "middle"},
        "tokens": {
            "type": "relation",
            "relation": "oneToMany",
            "target": "plugin::refresh-token.token",
            "mappedBy": "note",
        },
        "lost": {
            "type": "relation",
            "relation": "oneToMany",
            "target": "api::tag.tag",
            "mappedBy": "nothing",
        },
        "tags": {
            "type": "relation",
            "relation": "oneToMany",
            "target": "api::tag.tag",
            "mappedBy": "renamed",
        },
    }
    tag = {
        "name": {"type": "string"},
        "note": {
            "type": "relation",
            "relation": "manyToOne",
            "target": NOTE,
            "inversedBy": "tags",
            "mappedBy": "tags",
        },
    }
    files = (type_file("note", attributes), type_file("tag", tag))
    async with serving(kind, tmp_path, *files) as site:
        note = await site.create("notes", title="One")
        await site.create("tags", name="A", note=note["documentId"])
        notes = await site.data("notes?populate=tags")
        lost = await site.get("notes?populate=lost")
        assert site.app.schema.notices

    assert [[tag["name"] for tag in one["tags"]] for one in notes] == [["A"]]
    assert "locale" not in note
    assert lost.status == 400
