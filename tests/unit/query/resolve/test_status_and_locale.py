"""Versions of documents: status, locale, publication filters."""

import pytest

from quire.query.plan import LocaleScope, PublicationFilter
from quire.query.resolve import ResolvedRead
from tests.library.model import BOOK, HOMEPAGE, PERSON
from tests.library.queries import node_of, plan, problem, resolve, resolver


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", "published"),
        ("status=published", "published"),
        ("status=draft", "draft"),
        ("status=", "draft"),
        ("status", "draft"),
        ("status=Published", "draft"),
        ("status=anything", "draft"),
        ("status=published&status=published", "draft"),
        ("status[x]=published", "draft"),
    ],
)
def test_whatever_is_not_published_is_a_draft(query: str, status: str) -> None:
    assert plan(query).root.status == status


def test_types_without_drafts_know_no_status() -> None:
    assert plan("status=draft", PERSON).root.status is None


def test_related_rows_have_the_status_of_the_root_where_they_know_one() -> None:
    query = "status=draft&populate[author][populate]=books"
    author = node_of(query, "author")
    assert author.status is None
    (books,) = author.edges
    assert books.nodes[0].status == "draft"


def locale(resolved: ResolvedRead) -> tuple[LocaleScope, object]:
    slot = resolved.plan.locale_slot
    return resolved.plan.locale, None if slot is None else resolved.values[slot]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", (LocaleScope.ONE, "en")),
        ("locale", (LocaleScope.ONE, "en")),
        ("locale=", (LocaleScope.ONE, "en")),
        ("locale=fr", (LocaleScope.ONE, "fr")),
        ("locale=FR", (LocaleScope.ONE, "FR")),
        ("locale=all", (LocaleScope.ONE, "all")),
        ("locale=*", (LocaleScope.ALL, None)),
        ("locale=en&locale=fr", (LocaleScope.SOME, ["en", "fr"])),
        ("locale[]=en", (LocaleScope.SOME, ["en"])),
        ("locale[]=*", (LocaleScope.SOME, ["*"])),
        ("locale[]", (LocaleScope.SOME, [])),
    ],
)
def test_a_locale_is_one_or_some_or_all(query: str, expected: tuple[LocaleScope, object]) -> None:
    assert locale(resolve(query)) == expected


def test_types_without_locales_ignore_the_parameter() -> None:
    assert locale(resolve("locale=fr", PERSON)) == (LocaleScope.IGNORED, None)
    assert locale(resolve("locale[x]=fr", PERSON)) == (LocaleScope.IGNORED, None)


def test_a_locale_is_no_object() -> None:
    assert problem("locale[x]=fr").message == (
        "The locale parameter must be a string or an array of strings"
    )


def test_without_a_default_locale_all_are_read() -> None:
    assert locale(resolve("", default_locale=None)) == (LocaleScope.ALL, None)


def test_a_filter_by_locale_stands_in_the_place_of_the_parameter() -> None:
    assert locale(resolve("filters[locale]=fr"))[0] is LocaleScope.ALL
    assert locale(resolve("filters[locale]=fr&locale=en"))[0] is LocaleScope.ALL
    # Only at the root: below a group it is a filter like any other.
    assert locale(resolve("filters[$or][0][locale]=fr"))[0] is LocaleScope.ONE


def test_one_document_is_not_read_in_all_locales_at_once() -> None:
    found = resolver().document({"locale": "*"}, "abc")
    assert locale(found) == (LocaleScope.SOME, [])


@pytest.mark.parametrize("mode", PublicationFilter, ids=lambda mode: mode.value)
def test_every_publication_filter_is_known_by_its_name(mode: PublicationFilter) -> None:
    assert plan(f"publicationFilter={mode.value}").root.publication is mode
    assert plan(f"publicationFilter={mode.value}", PERSON).root.publication is None


@pytest.mark.parametrize(
    ("query", "mode"),
    [
        ("", None),
        ("publicationFilter", None),
        ("hasPublishedVersion", None),
        ("hasPublishedVersion=true", PublicationFilter.HAS_PUBLISHED_VERSION_DOCUMENT),
        ("hasPublishedVersion=false", PublicationFilter.NEVER_PUBLISHED_DOCUMENT),
        (
            "publicationFilter=modified&hasPublishedVersion=true",
            PublicationFilter.MODIFIED,
        ),
    ],
)
def test_the_older_spelling_gives_way(query: str, mode: PublicationFilter | None) -> None:
    assert plan(query).root.publication is mode


@pytest.mark.parametrize(
    "value", ["", "Modified", "published", "modified&publicationFilter=modified"]
)
def test_another_publication_filter_is_reported_with_all_that_there_are(value: str) -> None:
    error = problem(f"publicationFilter={value}")
    assert error.message == (
        "Invalid value for 'publicationFilter'. Expected one of: never-published, "
        "has-published-version, modified, unmodified, never-published-document, "
        "has-published-version-document, published-without-draft, published-with-draft."
    )
    assert error.details == {"source": "query", "param": "publicationFilter"}


@pytest.mark.parametrize("value", ["", "1", "TRUE", "yes"])
def test_the_older_spelling_takes_true_or_false(value: str) -> None:
    error = problem(f"hasPublishedVersion={value}")
    assert error.message == (
        "Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string."
    )
    assert error.details == {}


def test_publication_filters_hold_for_related_rows_too() -> None:
    query = "publicationFilter=modified&populate=sequel,author"
    assert node_of(query, "sequel").publication is PublicationFilter.MODIFIED
    assert node_of(query, "author").publication is None


def test_a_single_type_may_have_drafts_too() -> None:
    found = resolver(HOMEPAGE).single({"status": "draft"})
    assert (found.plan.root.uid, found.plan.root.status) == (HOMEPAGE, "draft")
    assert BOOK != HOMEPAGE
