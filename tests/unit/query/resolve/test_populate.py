"""Populate: spellings, omitted relations, counts, and invalid keys."""

import pytest

from quire.access.ability import NO_PERMISSIONS, Granted
from quire.query.plan import EdgeKind, PlanEdge
from quire.schema.model import FILE_UID, ROLE_UID, USER_UID
from tests.library.model import BOOK, HOMEPAGE, LINK, NOTE, PERSON, QUOTE, READER, SEO
from tests.library.notation import show_edges, show_filter, show_sort
from tests.library.queries import edges_of, node_of, problem, resolve

EVERYTHING_OF_A_BOOK = (
    "author, editors, sequel, prequel, tags, cover, pictures, seo, links, notes, marginal, "
    "localizations, sections"
)


def populated(query: str, uid: str = BOOK) -> str:
    return show_edges(edges_of(query, uid))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ""),
        ("populate", ""),
        ("populate=", ""),
        ("populate[]=", ""),
        ("populate=author", "author"),
        ("populate=author,tags", "author, tags"),
        ("populate= author , tags ", "author, tags"),
        ("populate=tags,author", "tags, author"),
        ("populate=author,author", "author"),
        ("populate[0]=author&populate[1]=tags", "author, tags"),
        ("populate[]=author&populate[]=tags", "author, tags"),
        ("populate[200]=author&populate[100]=tags", "tags, author"),
        ("populate=author&populate=tags", "author, tags"),
        ("populate[author]=true&populate[tags]=t", "author, tags"),
        ("populate[author]=1&populate[tags]=0", "author"),
        ("populate[author]=false&populate[tags]=f", ""),
        ("populate[author][populate]", "author"),
        ("populate[]=author,tags", "author, tags"),
        ("populate[]=author,tags&populate[]=seo", "author, tags, seo"),
        ("populate[]=author.books,author", "author (books)"),
        ("populate=author.books,author", "author (books)"),
        # In a list, a later path takes the place of an earlier one that goes further.
        ("populate[]=author.books&populate[]=author", "author"),
        ("populate[]=author&populate[]=author.books", "author (books)"),
        ("populate[]=author.books&populate[]=author&populate[]=author.photo", "author (photo)"),
        # A path is followed up to where it makes no sense.
        ("populate=author..books", "author"),
        ("populate=author. books", "author"),
        ("populate=author .books", ""),
        ("populate=.author", "author"),
        ("populate=author.", "author"),
        ("populate[]=&populate[]=author", "author"),
        ("populate=,", ""),
        # Options that stand where attributes are expected have no effect.
        ("populate[populate]=author", ""),
        ("populate[populate][author]=true&populate[tags]=true", "tags"),
        ("populate[filters][title]=a&populate[sort]=title&populate[fields]=title", ""),
        ("populate[filters]=x&populate[count]=true", ""),
        ("populate[author][populate][populate]=books", "author"),
        ("populate[author][populate][count]=true", "author"),
        ("populate=author.books", "author (books)"),
        ("populate=author.books.tags", "author (books (tags))"),
        ("populate=author.books,author.photo", "author (books, photo)"),
        ("populate[author][populate]=books", "author (books)"),
        (
            "populate[author][populate][0]=books&populate[author][populate][1]=photo",
            "author (books, photo)",
        ),
        ("populate[author][populate][books]=true", "author (books)"),
        ("populate[author][populate][books][populate]=tags", "author (books (tags))"),
        ("populate[author][populate]=books.tags", "author (books (tags))"),
        ("populate=seo.image", "seo (image)"),
        ("populate=links.to.author", "links (to (author))"),
        ("populate=cover", "cover"),
        ("populate=localizations", "localizations"),
        ("populate=localizations.author", "localizations (author)"),
        ("populate=sections", "sections"),
        ("populate[sections]=true", "sections"),
        ("populate[sections][populate]=*", "sections (to | by, source)"),
        ("populate=sections.by", "sections (by)"),
        ("populate=sections.to,sections.by", "sections (to | by)"),
        ("populate=sections.source.to", "sections (source (to))"),
        ("populate[author][populate]=*", "author (books, edited, photo)"),
        ("populate=*", EVERYTHING_OF_A_BOOK),
        ("populate[0]=author&populate[tags]=true", "tags"),
        ("populate=notes,marginal", "notes, marginal"),
    ],
)
def test_what_leads_to_rows_is_populated_in_every_spelling(query: str, expected: str) -> None:
    assert populated(query) == expected


def test_dynamic_zones_come_last_whatever_the_order() -> None:
    assert populated("populate=sections,author") == "author, sections"
    assert populated("populate[sections]=true&populate[author]=true") == "author, sections"


def test_related_rows_show_everything_public_by_default() -> None:
    assert node_of("populate=author", "author").fields == (
        "id",
        "documentId",
        "name",
        "age",
        "createdAt",
        "updatedAt",
        "publishedAt",
    )
    assert "remark" not in node_of("populate=sequel", "sequel").fields


def test_related_rows_are_cut_filtered_and_sorted_as_asked() -> None:
    query = (
        "populate[tags][fields]=label&populate[tags][filters][label][$ne]=a"
        "&populate[tags][sort]=label:desc"
    )
    found = resolve(query)
    (edge,) = found.plan.root.edges
    (node,) = edge.nodes
    assert node.fields == ("label", "id", "documentId")
    assert show_filter(node.filter, found.values) == "not label = 'a'"
    assert show_sort(node.sort) == "label desc"


def test_a_star_inside_fields_of_related_rows_means_everything() -> None:
    assert node_of("populate[author][fields]=*", "author") == node_of("populate=author", "author")


@pytest.mark.parametrize("word", ["true", "t", "1"])
@pytest.mark.parametrize("attribute", ["tags", "author", "seo", "links"])
def test_relations_and_components_can_be_counted(attribute: str, word: str) -> None:
    (edge,) = edges_of(f"populate[{attribute}][count]={word}")
    assert (edge.attribute, edge.kind) == (attribute, EdgeKind.COUNT)


@pytest.mark.parametrize("attribute", ["cover", "pictures", "localizations"])
def test_files_and_localizations_are_shown_and_not_counted(attribute: str) -> None:
    (edge,) = edges_of(f"populate[{attribute}][count]=true")
    assert edge.kind is EdgeKind.ROWS


@pytest.mark.parametrize("word", ["false", "f", "0"])
def test_what_is_not_to_be_counted_is_shown(word: str) -> None:
    (edge,) = edges_of(f"populate[tags][count]={word}")
    assert edge.kind is EdgeKind.ROWS


@pytest.mark.parametrize("value", ["=yes", "=", "", "[]=true"])
def test_counting_takes_a_flag(value: str) -> None:
    error = problem(f"populate[tags][count]{value}")
    assert error.message == "Invalid key count at tags"


def test_counting_and_zones_are_two_things() -> None:
    assert populated("populate[sections][count]=true") == "sections"


def zone(query: str) -> PlanEdge:
    (edge,) = edges_of(query)
    return edge


def test_a_zone_shows_all_of_its_components() -> None:
    assert [node.uid for node in zone("populate=sections").nodes] == [LINK, QUOTE]


def test_fragments_show_only_the_components_that_they_list() -> None:
    listed = f"populate[sections][on][{QUOTE}]"
    assert [node.uid for node in zone(f"{listed}=true").nodes] == [QUOTE]
    (node,) = zone(f"{listed}[fields]=text&{listed}[populate]=by").nodes
    assert node.fields == ("id", "text")
    assert show_edges(node.edges) == "by"
    both = zone(f"{listed}[populate]=*&populate[sections][on][{LINK}]=true")
    assert [(node.uid, show_edges(node.edges)) for node in both.nodes] == [
        (QUOTE, "by, source"),
        (LINK, ""),
    ]


def test_fragments_may_list_nothing() -> None:
    assert zone("populate[sections][on]=").nodes == ()


def test_a_fragment_that_says_false_is_listed_all_the_same() -> None:
    (node,) = zone(f"populate[sections][on][{LINK}]=false").nodes
    assert node.uid == LINK


def test_a_fragment_of_a_component_that_is_not_there_is_reported() -> None:
    error = problem("populate[sections][on][shared.nope]=true")
    assert error.message == "Invalid key shared.nope at sections.on.shared.nope"


def test_fragments_are_for_zones() -> None:
    error = problem(f"populate[author][on][{PERSON}]=true")
    assert error.message == (f'Using fragments is not permitted to populate "author" in "{BOOK}"')
    assert problem("populate[author][on]=x").message == "Invalid key on at author.on"


@pytest.mark.parametrize(
    ("query", "message", "path"),
    [
        ("populate=nope", "Invalid key nope", "nope"),
        ("populate[nope]=true", "Invalid key nope", None),
        ("populate=author.nope", "Invalid key nope at author.nope", "author.nope"),
        ("populate[author][populate]=nope", "Invalid key nope", "nope"),
        ("populate[author][populate][nope]=true", "Invalid key nope at author", "author"),
        ("populate=title", "Invalid key title", "title"),
        ("populate[title]=true", "Invalid key title", "title"),
        ("populate=id", "Invalid key id", "id"),
        ("populate=true", "Invalid key true", "true"),
        ("populate=deep", "Invalid key deep", "deep"),
        ("populate=author,*", "Invalid key *", "*"),
        ("populate[0]=*", "Invalid key *", "*"),
        ("populate=author.*", "Invalid key * at author.*", "author.*"),
        ("populate=code", "Invalid key code", "code"),
        ("populate=owner", "Invalid key owner", "owner"),
        ("populate[owner]=true", "Invalid key owner", "owner"),
        ("populate=createdBy", "Invalid key createdBy", "createdBy"),
        ("populate[updatedBy]=true", "Invalid key updatedBy", "updatedBy"),
        ("populate=cover.formats", "Invalid key cover", "cover"),
        ("populate=cover.related", "Invalid key cover", "cover"),
        ("populate=sections.nope", "Invalid key nope at sections.nope", "sections.nope"),
        ("populate=author..name", "Invalid key name at author.name", "author.name"),
        ("populate[]=author,nope", "Invalid key nope", "nope"),
        ("populate[author][populate][]=books,photo", "Invalid key books,photo at author", "author"),
        ("populate[populate]=nope", "Invalid key nope", "nope"),
        ("populate[populate][nope]=true", "Invalid key nope", None),
        ("populate[filters][nope]=1", "Invalid key nope", None),
        ("populate[sort]=nope", "Invalid key nope", None),
        ("populate[count]=yes", "Invalid key count", None),
        ("populate[limit]=1", "Invalid key limit", None),
        ("populate[author]=foo", "Invalid key foo at author", "author"),
        ("populate[author]=", "Invalid key  at author", "author"),
        ("populate[author][0]=books", "Invalid key books at author.books", "author.books"),
        ("populate[tags][limit]=1", "Invalid key limit at tags", "tags"),
        ("populate[tags][start]=1", "Invalid key start at tags", "tags"),
        ("populate[tags][pagination][page]=1", "Invalid key pagination at tags", "tags"),
        ("populate[tags][status]=draft", "Invalid key status at tags", "tags"),
        ("populate[tags][_q]=a", "Invalid key _q at tags", "tags"),
        ("populate[sequel][locale]=fr", "Invalid key locale at sequel.locale", "sequel.locale"),
        ("populate[author][populate]=books,photo", "Invalid key books,photo at author", "author"),
        ("populate[author][populate]=", "Invalid key  at author", "author"),
        ("populate[sections][populate]=to", "Invalid key populate at sections", "sections"),
        ("populate[author][fields]=nope", "Invalid key nope", None),
        ("populate[author][fields]=pin", "Invalid key pin", "pin"),
        ("populate[author][sort]=nope", "Invalid key nope", None),
        ("populate[author][filters][nope]=1", "Invalid key nope", None),
    ],
)
def test_what_cannot_be_populated_is_named(query: str, message: str, path: str | None) -> None:
    error = problem(query)
    assert (error.status, error.message) == (400, message)
    details = error.details or {}
    assert details["path"] == path
    assert (details["source"], details["param"]) == ("query", "populate")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("populate[0][author]=true", "Invalid populate parameter. Expected a string, an array"),
        ("populate[sections][fields]=x", "Invalid nested populate for book.sections"),
        ("populate[sections]=*", 'Expected a fragment ("on") or "count" but found "*"'),
        ("populate[author][sort]=name:up", "Invalid order. order can only be one of"),
        ("populate[author][filters]=a", "The filters parameter must be an object or an array"),
        ("populate[author]", "populate expects a value at author"),
        ("&".join(["populate=author"] * 101), "Too many populate entries (101). The maximum"),
    ],
)
def test_a_parameter_of_another_form_is_refused(query: str, message: str) -> None:
    error = problem(query)
    assert error.status == 400
    assert message in error.message


def test_a_star_stands_inside_populate_and_not_in_its_place() -> None:
    assert problem("populate[author]=*").status == 400
    assert populated("populate[author][populate]=*")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("populate=tags", ""),
        ("populate=author,tags", "author"),
        ("populate[0]=tags&populate[1]=author", "author"),
        ("populate[tags]=true&populate[author]=true", "author"),
        ("populate[tags][count]=true", ""),
        ("populate=author.books.tags", ""),
        ("populate=author.books.tags,seo", "author (books), seo"),
        ("populate[author][populate][books][populate]=tags", "author (books)"),
        ("populate=seo.tag", ""),
        ("populate[seo][populate]=tag", "seo"),
        ("populate[seo][populate]=*", "seo (image)"),
        ("populate=*", EVERYTHING_OF_A_BOOK.replace("tags, ", "")),
    ],
)
def test_what_may_not_be_read_is_left_out_without_a_word(query: str, expected: str) -> None:
    assert show_edges(edges_of(query, ability=READER)) == expected


def test_a_forbidden_relation_tells_nothing_of_what_it_leads_to() -> None:
    query = "populate[tags][filters][label]=a&populate[tags][sort]=label"
    assert edges_of(query, ability=READER) == ()


def test_files_components_and_zones_need_no_permission() -> None:
    assert show_edges(edges_of("populate=cover,seo,sections", ability=NO_PERMISSIONS)) == (
        "cover, seo, sections"
    )


def test_creators_are_shown_where_the_type_says_so_without_their_secrets() -> None:
    (edge,) = edges_of("populate=createdBy", HOMEPAGE, ability=NO_PERMISSIONS)
    (node,) = edge.nodes
    assert {"password", "resetPasswordToken", "registrationToken"}.isdisjoint(node.fields)
    for inner in ("roles", "apiTokens"):
        assert problem(f"populate[createdBy][populate]={inner}", HOMEPAGE).status == 400


def test_the_users_of_a_role_are_never_shown() -> None:
    assert edges_of("populate=users", ROLE_UID) == ()
    assert "users" not in populated("populate[role][populate]=*", USER_UID)


def test_relations_to_any_type_show_what_may_be_linked_and_read() -> None:
    (edge,) = edges_of("populate=about", NOTE, ability=READER)
    assert {BOOK, PERSON} <= {node.uid for node in edge.nodes}
    assert all(node.status is None for node in edge.nodes)
    # Strapi leaves out drafts in paths that are separated by commas.
    (edge,) = edges_of("populate=about,about", NOTE, ability=READER)
    assert {node.uid: node.status for node in edge.nodes}[BOOK] == "published"
    reader_of_books = Granted(frozenset({f"{BOOK}.find"}))
    (edge,) = edges_of("populate=about", NOTE, ability=reader_of_books)
    assert [node.uid for node in edge.nodes] == [BOOK]


def test_the_related_entries_of_files_are_of_any_type() -> None:
    (edge,) = edges_of("populate=related", FILE_UID, ability=READER)
    assert {BOOK, PERSON} <= {node.uid for node in edge.nodes}


def test_components_know_no_versions_and_their_relations_do() -> None:
    seo = node_of("populate=seo", "seo")
    assert (seo.uid, seo.status) == (SEO, None)
    link = node_of("populate=links.to", "links")
    assert link.edges[0].nodes[0].status == "published"


def test_both_spellings_are_one_plan() -> None:
    first = resolve("populate=author.books.tags,cover").plan
    second = resolve(
        "populate[author][populate][books][populate][tags]=true&populate[cover]=true"
    ).plan
    assert first == second
