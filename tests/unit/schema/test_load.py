"""Loading a schema tree from files."""

import json
from pathlib import Path

import pytest

from quire.errors import SchemaError
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
    StorageKind,
)
from quire.schema.load import LoadOptions, build_schema, load_schema
from quire.schema.model import FILE_UID, Index, TypeKind
from quire.schema.source_files import SchemaFile
from tests.library.model import SOURCES
from tests.unit.schema.trees import component_file, problems, type_file, write_tree

LOCALIZED = {"i18n": {"localized": True}}


def test_the_folders_of_a_file_make_its_uid(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("note"),
        {"src/api/press/content-types/blog-post/schema.json": raw_type("blog-post")},
        {"src/api/myBlog/content-types/bigPost/schema.json": raw_type("big-post")},
        component_file("shared.seo"),
        component_file("deep-parts.metaData"),
    )
    schema = load_schema(tmp_path)
    assert {t.uid for t in schema.api_types} == {
        "api::note.note",
        "api::press.blog-post",
        "api::my-blog.big-post",
    }
    assert set(schema.components) == {"shared.seo", "deep-parts.metaData"}


def raw_type(singular: str) -> dict[str, object]:
    return {
        "info": {
            "singularName": singular,
            "pluralName": f"{singular}s",
            "displayName": singular,
        },
        "attributes": {},
    }


def test_a_project_without_any_file_has_the_built_in_types_alone(tmp_path: Path) -> None:
    schema = load_schema(tmp_path)
    assert schema.api_types == ()
    assert FILE_UID in schema.content_types


def test_files_elsewhere_in_the_tree_do_not_count(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            "src/api/note/content-types/note/lifecycles.js": "module.exports = {}",
            "src/api/note/content-types/schema.json": "{",
            "src/components/README.md": "parts",
            "src/components/shared/notes.txt": "{",
            "schema.json": "{",
        },
    )
    assert problems(tmp_path) == []


def test_what_a_file_says_of_a_content_type_is_taken_over(tmp_path: Path) -> None:
    file = type_file(
        "news-item",
        {"title": {"type": "string"}},
        plural="news",
        kind="singleType",
        collectionName="the_news",
        options={"draftAndPublish": True, "populateCreatorFields": True},
        pluginOptions=LOCALIZED,
        indexes=[
            {"name": "by_title", "columns": ["title"], "type": "unique"},
            {"name": "by_time", "columns": ["created_at", "id"], "type": None},
            "nonsense",
        ],
    )
    schema = load_schema(write_tree(tmp_path, file))
    news = schema.content_types["api::news-item.news-item"]
    assert news.kind is TypeKind.SINGLE
    assert (news.singular_name, news.plural_name) == ("news-item", "news")
    assert (news.display_name, news.collection_name) == ("news-item", "the_news")
    assert news.draft_and_publish
    assert news.localized
    assert news.populate_creator_fields
    assert news.indexes == (
        Index(name="by_title", columns=("title",), unique=True),
        Index(name="by_time", columns=("created_at", "id"), unique=False),
    )
    assert news.file == "src/api/news-item/content-types/news-item/schema.json"
    assert news.raw["collectionName"] == "the_news"


def test_what_a_file_leaves_out_is_the_quieter_choice(tmp_path: Path) -> None:
    path = "src/api/note/content-types/note/schema.json"
    schema = load_schema(write_tree(tmp_path, {path: raw_type("note")}))
    note = schema.content_types["api::note.note"]
    assert note.kind is TypeKind.COLLECTION
    assert note.collection_name == "note"
    assert not note.draft_and_publish
    assert not note.localized
    assert not note.populate_creator_fields
    assert note.indexes == ()
    assert note.plugin is None


def test_a_component_has_a_category_a_table_and_its_attributes(tmp_path: Path) -> None:
    file = component_file("shared.seo", {"title": {"type": "string"}})
    seo = load_schema(write_tree(tmp_path, file)).components["shared.seo"]
    assert (seo.category, seo.singular_name) == ("shared", "seo")
    assert seo.collection_name == "components_shared_seo"
    assert seo.display_name == "seo"
    assert list(seo.attributes) == ["id", "title"]


EVERY_ATTRIBUTE: dict[str, dict[str, object]] = {
    "string": {"type": "string", "minLength": 1, "maxLength": 9, "regex": "^a"},
    "text": {"type": "text", "required": True},
    "richtext": {"type": "richtext"},
    "blocks": {"type": "blocks"},
    "email": {"type": "email", "unique": True},
    "password": {"type": "password", "minLength": 6},
    "uid": {"type": "uid", "targetField": "string", "options": {"separator": "_"}},
    "enumeration": {"type": "enumeration", "enum": ["a", "b"], "default": "a"},
    "integer": {"type": "integer", "min": 0, "max": 9},
    "biginteger": {"type": "biginteger", "max": "9000000000000000000"},
    "float": {"type": "float", "min": -1.5},
    "decimal": {"type": "decimal", "columnName": "the_price"},
    "boolean": {"type": "boolean", "default": False},
    "date": {"type": "date"},
    "time": {"type": "time"},
    "datetime": {"type": "datetime", "private": True},
    "timestamp": {"type": "timestamp"},
    "json": {"type": "json", "searchable": False},
    "media": {"type": "media", "multiple": True, "allowedTypes": ["images", "files"]},
    "relation": {"type": "relation", "relation": "manyToMany", "target": "api::note.note"},
    "component": {"type": "component", "component": "shared.seo", "repeatable": True, "max": 3},
    "dynamiczone": {"type": "dynamiczone", "components": ["shared.seo"], "min": 1},
}


@pytest.fixture(scope="module")
def every_attribute(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    project = write_tree(
        tmp_path_factory.mktemp("every"),
        type_file("note", EVERY_ATTRIBUTE),
        component_file("shared.seo"),
    )
    return dict(load_schema(project).content_types["api::note.note"].attributes)


def test_attributes_keep_the_order_of_the_file(every_attribute: dict[str, object]) -> None:
    names = [name for name in every_attribute if name in EVERY_ATTRIBUTE]
    assert names == list(EVERY_ATTRIBUTE)


@pytest.mark.parametrize(
    ("name", "storage"),
    [
        ("string", StorageKind.STRING),
        ("text", StorageKind.TEXT),
        ("richtext", StorageKind.TEXT),
        ("blocks", StorageKind.JSON),
        ("email", StorageKind.STRING),
        ("password", StorageKind.STRING),
        ("uid", StorageKind.STRING),
        ("enumeration", StorageKind.STRING),
        ("integer", StorageKind.INTEGER),
        ("biginteger", StorageKind.BIGINTEGER),
        ("float", StorageKind.FLOAT),
        ("decimal", StorageKind.DECIMAL),
        ("boolean", StorageKind.BOOLEAN),
        ("date", StorageKind.DATE),
        ("time", StorageKind.TIME),
        ("datetime", StorageKind.DATETIME),
        ("timestamp", StorageKind.TIMESTAMP),
        ("json", StorageKind.JSON),
        ("id", StorageKind.ID),
        ("documentId", StorageKind.STRING),
    ],
)
def test_a_scalar_lives_in_a_column_of_its_kind(
    name: str, storage: StorageKind, every_attribute: dict[str, object]
) -> None:
    attribute = every_attribute[name]
    assert isinstance(attribute, ScalarAttribute)
    assert attribute.storage is storage


def test_options_of_attributes_are_taken_over(every_attribute: dict[str, object]) -> None:
    text, email, choice, price, moment, data = (
        every_attribute[name]
        for name in ("text", "email", "enumeration", "decimal", "datetime", "json")
    )
    for attribute in (text, email, choice, price, moment, data):
        assert isinstance(attribute, ScalarAttribute)
    assert text.required  # type: ignore[attr-defined]
    assert email.unique  # type: ignore[attr-defined]
    assert choice.default == "a"  # type: ignore[attr-defined]
    assert price.column_name == "the_price"  # type: ignore[attr-defined]
    assert moment.private  # type: ignore[attr-defined]
    assert not data.searchable  # type: ignore[attr-defined]


def test_what_leads_to_other_rows_says_where(every_attribute: dict[str, object]) -> None:
    media, part = every_attribute["media"], every_attribute["component"]
    relation, zone = every_attribute["relation"], every_attribute["dynamiczone"]
    assert isinstance(media, MediaAttribute)
    assert (media.to_many, media.allowed_types) == (True, ("images", "files"))
    assert isinstance(part, ComponentAttribute)
    assert (part.component, part.to_many) == ("shared.seo", True)
    assert isinstance(relation, RelationAttribute)
    assert (relation.relation, relation.target) == (Relation.MANY_TO_MANY, "api::note.note")
    assert relation.to_many
    assert isinstance(zone, DynamicZoneAttribute)
    assert (zone.components, zone.to_many) == (("shared.seo",), True)


@pytest.mark.parametrize(
    ("kind", "to_many"),
    [
        ("oneToOne", False),
        ("oneToMany", True),
        ("manyToOne", False),
        ("manyToMany", True),
        ("morphToOne", False),
        ("morphToMany", True),
        ("morphOne", False),
        ("morphMany", True),
    ],
)
def test_every_kind_of_relation_knows_whether_it_is_a_list(kind: str, *, to_many: bool) -> None:
    assert Relation(kind).to_many is to_many


def test_a_localized_attribute_says_so_and_others_do_not(tmp_path: Path) -> None:
    attributes = {
        "title": {"type": "string", "pluginOptions": LOCALIZED},
        "year": {"type": "integer", "pluginOptions": {"i18n": {"localized": False}}},
        "size": {"type": "integer"},
    }
    file = type_file("note", attributes, pluginOptions=LOCALIZED)
    note = load_schema(write_tree(tmp_path, file)).content_types["api::note.note"]
    marked = {name: note.attributes[name].localized for name in attributes}
    assert marked == {"title": True, "year": False, "size": False}


def test_private_attributes_may_be_named_by_the_type_or_by_the_settings(tmp_path: Path) -> None:
    attributes = {name: {"type": "string"} for name in ("a", "b", "c")}
    file = type_file("note", attributes, options={"privateAttributes": ["a"]})
    options = LoadOptions(private_attributes=frozenset({"b", "createdAt"}))
    schema = load_schema(write_tree(tmp_path, file), options)
    note = schema.content_types["api::note.note"]
    private = {name for name, attribute in note.attributes.items() if attribute.private}
    assert {"a", "b", "createdAt"} <= private
    assert not {"c", "updatedAt", "id"} & private
    assert schema.content_types[FILE_UID].attributes["createdAt"].private


def test_the_time_of_first_publication_is_for_types_with_drafts(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", options={"draftAndPublish": True}), type_file("tag"))
    schema = load_schema(tmp_path, LoadOptions(first_published=True))
    assert "firstPublishedAt" in schema.content_types["api::note.note"].attributes
    assert "firstPublishedAt" not in schema.content_types["api::tag.tag"].attributes
    plain = load_schema(tmp_path)
    assert "firstPublishedAt" not in plain.content_types["api::note.note"].attributes


def test_an_extension_replaces_a_built_in_type_key_by_key(tmp_path: Path) -> None:
    role = {
        "type": "relation",
        "relation": "manyToOne",
        "target": "plugin::users-permissions.role",
        "inversedBy": "users",
    }
    attributes = {"name": {"type": "string"}, "points": {"type": "integer"}, "role": role}
    path = "src/extensions/users-permissions/content-types/user/schema.json"
    write_tree(tmp_path, {path: {"attributes": attributes}})
    user = load_schema(tmp_path).content_types["plugin::users-permissions.user"]
    own = [name for name in user.attributes if name in {"name", "points", "username"}]
    assert own == ["name", "points"]
    assert user.collection_name == "up_users"
    assert user.file == path


def test_an_attribute_of_a_file_stands_in_the_place_of_an_automatic_one(tmp_path: Path) -> None:
    path = "src/extensions/upload/content-types/file/schema.json"
    original = json.loads(raw_builtin("plugin.upload.file.json"))
    original["attributes"]["createdAt"] = {"type": "datetime", "private": True}
    write_tree(tmp_path, {path: original})
    file = load_schema(tmp_path).content_types[FILE_UID]
    assert file.attributes["createdAt"].private


def raw_builtin(name: str) -> str:
    from importlib.resources import files  # noqa: PLC0415 - for this helper alone

    return (files("quire.schema.builtin") / name).read_text("utf-8")


def test_equal_trees_have_equal_versions(tmp_path: Path) -> None:
    one = load_schema(write_tree(tmp_path / "a", type_file("note"), type_file("tag")))
    other = load_schema(write_tree(tmp_path / "b", type_file("tag"), type_file("note")))
    assert one.version == other.version


@pytest.mark.parametrize(
    "changed",
    [
        type_file("note", {"title": {"type": "text"}}),
        type_file("note", {"title": {"type": "string", "required": True}}),
        type_file("note", {"title": {"type": "string"}}, options={"draftAndPublish": True}),
        type_file("note", {"title": {"type": "string"}}, collectionName="other"),
        {**type_file("note", {"title": {"type": "string"}}), **component_file("shared.seo")},
    ],
)
def test_another_tree_has_another_version(
    changed: dict[str, dict[str, object]], tmp_path: Path
) -> None:
    first = type_file("note", {"title": {"type": "string"}})
    before = load_schema(write_tree(tmp_path / "a", first)).version
    assert load_schema(write_tree(tmp_path / "b", changed)).version != before


def test_the_settings_that_shape_the_schema_are_part_of_its_version() -> None:
    versions = {
        build_schema(SOURCES, options).version
        for options in (
            LoadOptions(),
            LoadOptions(private_attributes=frozenset({"title"})),
            LoadOptions(first_published=True),
        )
    }
    assert len(versions) == 3


def test_the_order_of_attributes_is_part_of_the_version() -> None:
    def version(*names: str) -> str:
        attributes = {name: {"type": "string"} for name in names}
        raw = {**raw_type("note"), "attributes": attributes}
        return build_schema([SchemaFile("api::note.note", "note.json", raw)]).version

    assert version("a", "b") != version("b", "a")


def test_nothing_is_half_loaded(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note"), {"src/api/a/content-types/a/schema.json": "{"})
    with pytest.raises(SchemaError) as raised:
        load_schema(tmp_path)
    assert [problem.file for problem in raised.value.problems] == [
        "src/api/a/content-types/a/schema.json"
    ]


def test_an_error_is_one_line_with_file_and_place(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("note", {"title": {"type": "nope"}}))
    with pytest.raises(SchemaError) as raised:
        load_schema(tmp_path)
    first, second = str(raised.value).splitlines()
    assert first == "1 problem in the schema tree:"
    assert second.startswith(
        "  src/api/note/content-types/note/schema.json: attributes.title.type: is not an attribute"
    )
