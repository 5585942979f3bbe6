"""Reads: their results, and the number of statements."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from quire.document_service.read_service import ReadService
from tests.databases.kind import Kind
from tests.databases.tables import lay_tables, open_database
from tests.library.model import BOOK, HOMEPAGE, LINK, NOTE, PERSON, QUOTE, SEO, library_schema
from tests.library.reading import read_list, reader
from tests.library.rows import LibraryRows
from tests.library.shelf import fill_shelf
from tests.library.statements import StatementLog, assert_statements, log_statements

COUNTS = [1, 4]
"""How many books there are: the number of statements must not depend on it."""


@pytest.fixture(scope="module", params=COUNTS, ids=lambda count: f"{count} books")
async def shelf(
    request: pytest.FixtureRequest, kind: Kind, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[ReadService, StatementLog, int]]:
    count: int = request.param
    project = await lay_tables(kind, tmp_path_factory.mktemp("shelf"), library_schema())
    store = kind.store_of(project)
    fill_shelf(LibraryRows(store), count)
    store.close()
    with log_statements() as log:
        database = await open_database(project, slow_query_ms=60_000)
        yield reader(database), log, count
        await database.close()
    kind.release(project)


Books = list[dict[str, Any]]

STATEMENTS = [
    ("", BOOK, 1),
    ("pagination[withCount]=false", BOOK, 1),
    ("pagination[pageSize]=1", BOOK, 2),
    ("populate=author", BOOK, 2),
    ("populate=editors", BOOK, 2),
    ("populate=sequel", BOOK, 2),
    ("populate=prequel", BOOK, 2),
    ("populate=tags", BOOK, 2),
    ("populate=cover", BOOK, 2),
    ("populate=pictures", BOOK, 2),
    ("populate=seo", BOOK, 2),
    ("populate=links", BOOK, 2),
    ("populate=localizations", BOOK, 2),
    ("populate=notes", BOOK, 2),
    ("populate=marginal", BOOK, 2),
    # One for each kind of component in the zone, and one that asks for kinds it does not list.
    ("populate=sections", BOOK, 4),
    (f"populate[sections][on][{QUOTE}]=true", BOOK, 2),
    ("populate=books", PERSON, 2),
    ("populate=edited", PERSON, 2),
    ("populate=createdBy", HOMEPAGE, 2),
    ("populate=featured", HOMEPAGE, 2),
    ("populate[tags][count]=true", BOOK, 2),
    ("populate[author][count]=true", BOOK, 2),
    ("populate[links][count]=true", BOOK, 2),
    ("populate=author.books.tags", BOOK, 4),
    ("populate=seo.image,links.to.author", BOOK, 6),
    ("populate[sections][populate]=*", BOOK, 7),
    # The links, and one for each type that occurs among them.
    ("populate=about", NOTE, 4),
    # One for each type that occurs.
    ("populate=subject", NOTE, 3),
    ("populate=author,editors,tags,cover,pictures,seo", BOOK, 7),
    ("filters[author][name][$startsWith]=author&filters[tags][label][$contains]=tag", BOOK, 1),
    ("sort=author.name,seo.title:desc", BOOK, 1),
    ("_q=book", BOOK, 1),
    ("_q=book&populate=author", BOOK, 2),
    ("pagination[start]=100", BOOK, 2),
    ("publicationFilter=modified", BOOK, 1),
    ("publicationFilter=unmodified", BOOK, 1),
    ("sort=id:desc", BOOK, 1),
    ("filters[slug]=nope&sort=title", BOOK, 1),
]

TOGETHER = {
    "populate=sections": 3,
    "populate=seo.image,links.to.author": 5,
    "populate[sections][populate]=*": 5,
    "populate=author,editors,tags,cover,pictures,seo": 2,
}
"""The reads for which a database needs fewer that reads the edges of a node together."""


@pytest.mark.parametrize(("query", "uid", "expected"), STATEMENTS)
async def test_there_is_one_statement_for_an_edge_however_many_rows_there_are(
    query: str, uid: str, expected: int, shelf: tuple[ReadService, StatementLog, int]
) -> None:
    asked, log, _ = shelf
    if asked.database.dialect.unites_edges:
        expected = TOGETHER.get(query, expected)
    # The rows of a page that is not full are counted by it. A total that is known already would be
    # one statement less for any other.
    asked_anew = reader(asked.database)
    with assert_statements(log, expected):
        await read_list(asked_anew, query, uid)


async def test_nothing_is_populated_below_no_rows(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, log, _ = shelf
    query = "filters[title]=nope&populate=author.books.tags,sections&pagination[withCount]=f"
    with assert_statements(log, 1):
        assert await read_list(asked, query) == []


def of(books: Books, name: str) -> list[Any]:
    return [book[name] for book in books]


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("populate[author][fields]=name", "author", lambda n: one("name", f"author {n}")),
        (
            "populate[editors][fields]=name",
            "editors",
            lambda n: [one("name", f"editor {n}.{i}") for i in (2, 1)],
        ),
        (
            "populate[tags][fields]=label",
            "tags",
            lambda n: [one("label", f"tag {n}.{i}") for i in (2, 1)],
        ),
        (
            "populate[tags][fields]=label&populate[tags][sort]=label",
            "tags",
            lambda n: [one("label", f"tag {n}.{i}") for i in (1, 2)],
        ),
        (
            "populate[tags][fields]=label&populate[tags][filters][label][$endsWith]=.1",
            "tags",
            lambda n: [one("label", f"tag {n}.1")],
        ),
        ("populate[tags][filters][label]=nope", "tags", lambda _: []),
        ("populate[author][filters][name]=nope", "author", lambda _: None),
        ("populate[cover][fields]=name", "cover", lambda n: one("name", f"cover {n}")),
        (
            "populate[pictures][fields]=name",
            "pictures",
            lambda n: [one("name", f"picture {n}.{i}") for i in (2, 1)],
        ),
        ("populate[seo][fields]=title", "seo", lambda n: one("title", f"seo {n}")),
        (
            "populate[links][fields]=label",
            "links",
            lambda n: [one("label", f"link {n}.{i}") for i in (1, 2)],
        ),
        (
            "populate[localizations][fields]=title",
            "localizations",
            lambda n: [one("title", f"livre {n}")],
        ),
        (
            "populate[notes][fields]=text",
            "notes",
            lambda n: [one("text", f"note {n}.{i}") for i in (2, 1)],
        ),
        ("populate[marginal][fields]=text", "marginal", lambda n: one("text", f"note {n}.2")),
        ("populate[tags][count]=true", "tags", lambda _: {"count": 2}),
        ("populate[author][count]=true", "author", lambda _: {"count": 1}),
        ("populate[links][count]=true", "links", lambda _: {"count": 2}),
        ("populate[owner]=true", "owner", None),
    ],
)
async def test_every_row_gets_what_is_its_own(
    query: str,
    name: str,
    expected: Any,  # noqa: ANN401 - a function from the number of a book
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    if expected is None:
        with pytest.raises(Exception, match="Invalid key owner"):
            await read_list(asked, query)
        return
    books = await read_list(asked, f"fields=title&sort=id&{query}")
    assert [without_ids(book[name]) for book in books] == [
        expected(number) for number in range(1, count + 1)
    ]


def one(name: str, value: str) -> dict[str, str]:
    return {name: value}


def without_ids(value: Any) -> Any:  # noqa: ANN401 - JSON
    match value:
        case dict():
            return {
                name: without_ids(inner)
                for name, inner in value.items()
                if name not in {"id", "documentId"}
            }
        case list():
            return [without_ids(inner) for inner in value]
        case _:
            return value


async def test_relations_of_one_type_lead_both_ways(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    query = "fields=title&sort=id&populate[sequel][fields]=title&populate[prequel][fields]=title"
    books = await read_list(asked, query)
    titles = [f"book {number}" for number in range(1, count + 1)]
    assert [title_of(book["sequel"]) for book in books] == [*titles[1:], None]
    assert [title_of(book["prequel"]) for book in books] == [None, *titles[:-1]]


def title_of(book: dict[str, Any] | None) -> str | None:
    return None if book is None else book["title"]


async def test_the_other_side_of_a_relation_is_sorted_by_the_side_that_owns_it(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    query = "filters[name][$startsWith]=author&sort=id&populate[books][fields]=title"
    admin_users = await read_list(asked, query, PERSON)
    assert [without_ids(admin_user["books"]) for admin_user in admin_users] == [
        [{"title": f"book {number}"}] for number in range(1, count + 1)
    ]


async def test_a_zone_is_in_the_order_of_its_links_and_tells_the_kinds(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    books = await read_list(asked, "fields=title&sort=id&populate[sections][populate]=*")
    for number, sections in enumerate(of(books, "sections"), start=1):
        assert [section["__component"] for section in sections] == [LINK, QUOTE, LINK]
        assert [list(section)[-1] for section in sections] == ["__component"] * 3
        assert sections[0]["label"] == f"first {number}"
        assert sections[1]["source"]["label"] == f"source {number}"
        assert sections[2]["label"] == f"last {number}"
    assert len(books) == count


async def test_what_is_populated_below_what_is_populated_belongs_to_its_own_row(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    books = await read_list(asked, "fields=title&sort=id&populate=links.to.author,seo.image")
    numbers = list(range(1, count + 1))
    links = of(books, "links")
    assert [[link["to"]["author"]["name"] for link in row] for row in links] == [
        [f"author {number}"] * 2 for number in numbers
    ]
    assert [seo["image"]["name"] for seo in of(books, "seo")] == [f"image {n}" for n in numbers]


async def test_rows_of_any_type_come_in_the_order_of_their_links(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, _ = shelf
    notes = await read_list(asked, "sort=id&populate=about&pagination[pageSize]=1", NOTE)
    (about,) = of(notes, "about")
    assert [entry["__type"] for entry in about] == [BOOK, PERSON]
    assert (about[0]["title"], about[1]["name"]) == ("book 1", "author 1")


async def test_a_row_of_any_type_is_that_of_the_type_in_the_link(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    notes = await read_list(asked, "sort=id&populate=subject", NOTE)
    assert [
        (note["subject"]["__type"], note["subject"].get("title") or note["subject"]["name"])
        for note in notes
    ] == [
        subject
        for number in range(1, count + 1)
        for subject in ((BOOK, f"book {number}"), (PERSON, f"author {number}"))
    ]


@pytest.mark.parametrize(
    ("filters", "title"),
    [
        ("[notes][text]=note 1.1", "book 1"),
        ("[notes][text][$endsWith]=1.2", "book 1"),
        ("[marginal][text]=note 1.2", "book 1"),
        ("[marginal][text]=note 1.1", None),
        ("[notes][$null]=true", None),
        ("[marginal][$notNull]=true", "book 1"),
        ("[author][books][notes][text]=note 1.1", "book 1"),
    ],
)
async def test_rows_are_found_by_what_leads_to_rows_of_any_type(
    shelf: tuple[ReadService, StatementLog, int], filters: str, title: str | None
) -> None:
    asked, _, _ = shelf
    query = f"sort=id&fields=title&pagination[pageSize]=1&locale=en&filters{filters}"
    books = await read_list(asked, query)
    assert [book["title"] for book in books] == ([] if title is None else [title])


async def test_drafts_and_other_locales_are_other_rows_of_a_document(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, count = shelf
    numbers = range(1, count + 1)
    drafts = await read_list(asked, "fields=title&sort=id&status=draft")
    assert of(drafts, "title") == [f"draft {number}" for number in numbers]
    french = await read_list(asked, "fields=title&sort=id&locale=fr")
    assert of(french, "title") == [f"livre {number}" for number in numbers]
    both = await read_list(asked, "fields=title&sort=id&locale=*")
    assert len(both) == 2 * count


async def test_creators_are_shown_without_their_secrets(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, _ = shelf
    (home,) = await read_list(asked, "populate=createdBy", HOMEPAGE)
    assert home["createdBy"]["firstname"] == "Ada"
    assert not {"password", "resetPasswordToken", "registrationToken"} & set(home["createdBy"])


async def test_components_are_found_by_their_field_and_kind(
    shelf: tuple[ReadService, StatementLog, int],
) -> None:
    asked, _, _ = shelf
    (home,) = await read_list(asked, "populate=seo", HOMEPAGE)
    assert home["seo"] is None
    assert asked.schema.components[SEO].singular_name == "seo"
