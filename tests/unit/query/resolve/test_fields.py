"""The fields of a response and their order."""

import pytest

from tests.library.model import BOOK, PERSON, library_schema
from tests.library.queries import node_of, plan, problem

IDENTITY = ("id", "documentId")
BAD = "Invalid fields parameter. Expected a string or an array of strings"


def fields(query: str, uid: str = BOOK) -> tuple[str, ...]:
    return plan(query, uid).root.fields


def test_everything_public_is_shown_in_the_order_of_the_schema() -> None:
    book = library_schema().content_types[BOOK]
    shown = fields("")
    assert list(shown) == [a.name for a in book.scalars if a.name not in {"code", "remark"}]
    assert shown[:3] == (*IDENTITY, "title")
    assert shown[-4:] == ("createdAt", "updatedAt", "publishedAt", "locale")


def test_types_without_locales_show_none() -> None:
    assert fields("", PERSON) == (*IDENTITY, "name", "age", "createdAt", "updatedAt", "publishedAt")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("fields=title", ("title",)),
        ("fields=rating,title", ("rating", "title")),
        ("fields= rating , title ", ("rating", "title")),
        ("fields[0]=rating&fields[1]=title", ("rating", "title")),
        ("fields=rating&fields=title", ("rating", "title")),
        ("fields[]= title", ("title",)),
        ("fields=title,title", ("title",)),
        ("fields=id", ()),
        ("fields=documentId,id", ()),
        ("fields=title,id", ("title",)),
        ("fields=createdAt,locale", ("createdAt", "locale")),
        ("fields=extra,content", ("extra", "content")),
        ("fields[]", ()),
        ("fields[]=title&fields[]", ("title",)),
        ("&".join(["fields=title"] * 101), ("title",)),
        ("fields[500]=title&fields[100]=rating", ("rating", "title")),
    ],
)
def test_the_ids_come_first_and_then_what_was_asked_for(
    query: str, expected: tuple[str, ...]
) -> None:
    assert fields(query) == (*IDENTITY, *expected)


@pytest.mark.parametrize(
    "query", ["fields", "fields=*", "fields[0]=*", "fields=title&fields=*", "fields=*,title"]
)
def test_a_star_means_everything(query: str) -> None:
    assert fields(query) == fields("")


@pytest.mark.parametrize(
    ("query", "key", "path"),
    [
        ("fields=nope", "nope", None),
        ("fields=title,nope", "nope", None),
        ("fields=Title", "Title", None),
        ("fields[]=", "", None),
        ("fields=title,", "", None),
        ("fields=author.name", "author.name", None),
        ("fields=author", "author", "author"),
        ("fields=seo", "seo", "seo"),
        ("fields=cover", "cover", "cover"),
        ("fields=sections", "sections", "sections"),
        ("fields=code", "code", "code"),
        ("fields=remark", "remark", "remark"),
        ("fields=createdBy", "createdBy", "createdBy"),
        ("fields=localizations", "localizations", "localizations"),
    ],
)
def test_what_is_no_public_scalar_is_named(query: str, key: str, path: str | None) -> None:
    error = problem(query)
    assert error.message == f"Invalid key {key}"
    assert error.details == {"key": key, "path": path, "source": "query", "param": "fields"}


@pytest.mark.parametrize(
    "query",
    [
        "fields[x]=title",
        "fields[0]=title,rating",
        "fields[0][0]=title",
        "fields[0][x]=title",
        "fields=",
    ],
)
def test_a_parameter_of_another_form_is_refused(query: str) -> None:
    error = problem(query)
    assert error.message == BAD
    assert error.details == {}


def test_components_have_no_document_id() -> None:
    assert node_of("populate[seo][fields]=title", "seo").fields == ("id", "title")
    assert node_of("populate=seo", "seo").fields == ("id", "title", "description")


def test_what_related_rows_are_sorted_by_comes_first() -> None:
    node = node_of("populate[author][fields]=name&populate[author][sort]=age", "author")
    assert node.fields == ("age", "id", "documentId", "name")


def test_rows_found_through_others_show_first_what_they_are_sorted_by() -> None:
    through = "filters[author][name]=a&fields=title&sort=rating"
    assert fields(through) == ("rating", *IDENTITY, "title")
    assert fields("filters[title]=a&fields=title&sort=rating") == (*IDENTITY, "title")
    assert fields(f"{through}&sort=author.name") == (*IDENTITY, "title")
