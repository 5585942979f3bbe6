"""The schema as values."""

import pytest

from quire.schema.model import TypeKind
from tests.library.model import BOOK, HOMEPAGE, NOTE, SEO, library_schema


def test_a_model_is_found_by_its_uid() -> None:
    schema = library_schema()
    assert schema.model(BOOK) is schema.content_types[BOOK]
    assert schema.model(SEO) is schema.components[SEO]
    with pytest.raises(KeyError, match="nope"):
        schema.model("nope")


def test_the_projects_own_types_are_those_of_the_api() -> None:
    uids = [content_type.uid for content_type in library_schema().api_types]
    assert uids == [uid for uid in uids if uid.startswith("api::")]
    assert BOOK in uids


def test_a_collection_is_reached_by_its_plural_name_and_a_single_type_by_its_singular() -> None:
    types = library_schema().content_types
    assert (types[BOOK].kind, types[BOOK].route_name) == (TypeKind.COLLECTION, "books")
    assert (types[HOMEPAGE].kind, types[HOMEPAGE].route_name) == (TypeKind.SINGLE, "homepage")


def test_all_models_are_content_types_and_then_components() -> None:
    schema = library_schema()
    uids = [model.uid for model in schema.models()]
    assert uids == [*schema.content_types, *schema.components]


def test_scalars_and_relations_are_told_apart() -> None:
    note = library_schema().content_types[NOTE]
    assert [a.name for a in note.scalars] == [
        "id",
        "documentId",
        "text",
        "createdAt",
        "updatedAt",
        "publishedAt",
        "locale",
    ]
    assert [a.name for a in note.relations] == ["subject", "about", "createdBy", "updatedBy"]


def test_nothing_of_a_schema_can_be_changed() -> None:
    schema = library_schema()
    with pytest.raises(AttributeError):
        schema.version = ""  # type: ignore[misc]
    with pytest.raises(TypeError):
        schema.content_types["x"] = schema.content_types[BOOK]  # type: ignore[index]
    with pytest.raises(TypeError):
        schema.content_types[BOOK].attributes["x"] = None  # type: ignore[index]
