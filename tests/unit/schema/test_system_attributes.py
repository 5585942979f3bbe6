"""The attributes that every content type gets."""

import pytest

from quire.schema.model import TypeKind
from quire.schema.system_attributes import leading_attributes, trailing_attributes
from tests.library.model import BOOK, HOMEPAGE, PERSON, SEO, library_schema

TRAILING = [
    "createdAt",
    "updatedAt",
    "publishedAt",
    "createdBy",
    "updatedBy",
    "locale",
    "localizations",
]


def test_an_entry_begins_with_its_row_id_and_document_id_a_component_with_its_row_id() -> None:
    assert [a.name for a in leading_attributes(component=False)] == ["id", "documentId"]
    assert [a.name for a in leading_attributes(component=True)] == ["id"]


def test_times_creators_and_locales_follow_a_types_own_attributes() -> None:
    book = library_schema().content_types[BOOK]
    assert list(book.attributes)[:3] == ["id", "documentId", "title"]
    assert list(book.attributes)[-7:] == TRAILING


def test_a_component_gets_nothing_behind_its_own_attributes() -> None:
    names = list(library_schema().components[SEO].attributes)
    assert names == ["id", "title", "description", "image", "tag"]


@pytest.mark.parametrize("name", ["id", "createdAt", "updatedAt", "createdBy", "localizations"])
def test_what_the_server_sets_cannot_be_written(name: str) -> None:
    assert not library_schema().content_types[BOOK].attributes[name].writable


def test_locales_are_private_in_types_without_them() -> None:
    types = library_schema().content_types
    shown = {uid: not types[uid].attributes["locale"].private for uid in (BOOK, PERSON)}
    assert shown == {BOOK: True, PERSON: False}
    assert types[PERSON].attributes["localizations"].private


def test_creators_are_private_unless_a_type_shows_them() -> None:
    types = library_schema().content_types
    assert types[HOMEPAGE].kind is TypeKind.SINGLE
    assert types[BOOK].attributes["createdBy"].private
    assert not types[HOMEPAGE].attributes["createdBy"].private


def test_the_time_of_first_publication_stands_before_the_locale_when_asked_for() -> None:
    names = [
        attribute.name
        for attribute in trailing_attributes(
            BOOK, localized=True, creators_private=True, first_published=True
        )
    ]
    assert names == [*TRAILING[:5], "firstPublishedAt", *TRAILING[5:]]
