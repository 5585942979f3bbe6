"""Sorting: spellings, directions, paths, and invalid keys."""

import pytest

from tests.library.model import HOMEPAGE, NOTE, READER
from tests.library.notation import show_sort
from tests.library.queries import node_of, plan, problem


def order(query: str) -> str:
    return show_sort(plan(query).root.sort)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ""),
        ("sort", ""),
        ("sort=", ""),
        ("sort=title", "title"),
        ("sort=title:asc", "title"),
        ("sort=title:DESC", "title desc"),
        ("sort=title:Desc", "title desc"),
        ("sort=title:desc:asc", "title desc"),
        ("sort=title,rating:desc", "title, rating desc"),
        ("sort= title , rating:desc ", "title, rating desc"),
        ("sort=title,,rating,", "title, rating"),
        ("sort=:desc", ""),
        ("sort[0]=title&sort[1]=rating:desc", "title, rating desc"),
        ("sort=title&sort=rating", "title, rating"),
        ("sort[]", ""),
        ("sort=title: desc", "title desc"),
        ("sort[title]= desc", "title desc"),
        ("sort[title]=desc", "title desc"),
        ("sort[title]=", ""),
        ("sort[title]", ""),
        ("sort[0][title]=desc&sort[1][rating]=asc", "title desc, rating"),
        ("sort[title]=desc&sort[rating]=asc", "title desc, rating"),
        ("sort[0][0]=title", ""),
        ("sort=id:desc", "id desc"),
        ("sort=documentId", "documentId"),
        ("sort=createdAt:desc,publishedAt", "createdAt desc, publishedAt"),
        ("sort=locale", "locale"),
        ("sort=extra", "extra"),
        ("sort=author.name:desc", "author.name desc"),
        ("sort[author][name]=desc", "author.name desc"),
        ("sort=seo.title", "seo.title"),
        ("sort=links.to.title", "links.to.title"),
        ("sort=cover.name", "cover.name"),
        ("sort=author.books.title", "author.books.title"),
        ("sort=localizations.title", "localizations.title"),
        ("sort=toString,title", None),
    ],
)
def test_an_order_is_understood_in_every_spelling(query: str, expected: str | None) -> None:
    if expected is None:
        assert problem(query).message == "Invalid sort query"
    else:
        assert order(query) == expected


@pytest.mark.parametrize(
    ("query", "key", "path"),
    [
        ("sort=nope", "nope", None),
        ("sort=-title", "-title", None),
        ("sort=title asc", "title asc", None),
        ("sort=title :asc", "title ", None),
        ("sort=status", "status", None),
        ("sort=0", "0", None),
        ("sort[]=title&sort[]", "0", None),
        ("sort[]=title&sort[][x]=asc", "0", None),
        ("sort=author.nope", "nope", "author"),
        ("sort[author][nope]=asc", "nope", "author"),
        ("sort=author", "author", "author"),
        ("sort=seo", "seo", "seo"),
        ("sort=cover", "cover", "cover"),
        ("sort=author.books", "books", "author.books"),
        ("sort[author]=asc", "asc", "author"),
        ("sort=code", "code", "code"),
        ("sort=author.pin", "pin", "author.pin"),
        ("sort=remark:desc", "remark", "remark"),
        ("sort=owner.name", "owner", "owner"),
        ("sort=createdBy.id", "createdBy", "createdBy"),
        ("sort=sections", "sections", "sections"),
        ("sort=sections.label", "sections", "sections"),
    ],
)
def test_what_cannot_be_sorted_by_is_named(query: str, key: str, path: str | None) -> None:
    error = problem(query)
    where = "" if path is None or path == key else f" at {path}"
    assert error.message == f"Invalid key {key}{where}"
    assert error.details == {"key": key, "path": path, "source": "query", "param": "sort"}


def test_relations_to_any_type_cannot_be_sorted_by() -> None:
    assert problem("sort=subject.id", NOTE).message == "Invalid key subject"
    assert problem("sort=about.id", NOTE).message == "Invalid key about"


@pytest.mark.parametrize(
    "query",
    ["sort=title:up", "sort=title:", "sort[title]=up", "sort=title: up", "sort=title,rating:"],
)
def test_an_unknown_direction_is_reported(query: str) -> None:
    error = problem(query)
    assert error.message == "Invalid order. order can only be one of asc|desc|ASC|DESC"
    assert error.details == {}


@pytest.mark.parametrize("query", ["sort[title][x]=asc", "sort=title.x", "sort[title][x]=up"])
def test_a_scalar_has_nothing_below_to_sort_by(query: str) -> None:
    assert (problem(query).status, problem(query).name) == (400, "ValidationError")


def test_a_list_of_more_than_a_hundred_names_is_a_list() -> None:
    assert order("&".join(["sort=title"] * 101 + ["sort=rating:desc"])) == "title, rating desc"
    assert order("sort[200]=title&sort[100]=rating") == "rating, title"


def test_a_relation_whose_target_may_not_be_read_cannot_be_sorted_by() -> None:
    error = problem("sort=tags.label", ability=READER)
    assert error.message == "Invalid key tags"
    assert problem("sort=seo.tag.label", ability=READER).message == "Invalid key tag at seo.tag"


def test_creators_can_be_sorted_by_where_the_type_shows_them() -> None:
    assert show_sort(plan("sort=createdBy.firstname", HOMEPAGE).root.sort) == "createdBy.firstname"


def test_related_rows_are_sorted_by_their_own_attributes_alone() -> None:
    node = node_of("populate[author][sort]=name:desc", "author")
    assert show_sort(node.sort) == "name desc"
    assert problem("populate[author][sort]=books.title").status == 400
