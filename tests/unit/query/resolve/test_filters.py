"""Filters: from the query to resolved conditions."""

import pytest

from quire.access.ability import NO_PERMISSIONS, Granted
from quire.query.plan import Comparison, ConstantCondition, Junction, RelatedCondition
from quire.query.resolve import ReadLimits
from tests.library.model import BOOK, HOMEPAGE, NOTE, PERSON, READER, TAG
from tests.library.notation import shown_filter
from tests.library.queries import filter_of, node_of, problem, resolve


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("", ""),
        ("filters", ""),
        ("filters[title]=x", "title = 'x'"),
        ("filters[title]=", "title = ''"),
        ("filters[title]", "title is null"),
        ("filters[title][0]=x&filters[title][1]=y", "title in ['x', 'y']"),
        ("filters[title][]=x&filters[title][]", "title in ['x', None]"),
        ("filters[title]=x&filters[rating]=3", "all (title = 'x', rating = 3)"),
        ("filters[rating][$gt]=3&filters[rating][$lt]=5", "all (rating > 3, rating < 5)"),
        ("filters[id]=7", "id = '7'"),
        ("filters[documentId]=abc", "documentId = 'abc'"),
        ("filters[locale]=fr", "locale = 'fr'"),
        ("filters[createdAt][$gt]=1970-01-01T00:00:01Z", "createdAt > 1000"),
        ("filters[printed][$lte]=2024-05-21T10:00", "printed <= '2024-05-21'"),
        ("filters[opens]=10:00:00", "opens = '10:00:00.000'"),
        ("filters[lent]=yes", "lent = True"),
        ("filters[copies][$gte]=9007199254740993", "copies >= 9007199254740993"),
        ("filters[kind]=unlisted", "kind = 'unlisted'"),
        ("filters[extra]={}", "extra = '{}'"),
        ("filters[title][$null]=true", "title is null"),
        ("filters[title][$null]=t", "title is null"),
        ("filters[title][$null]=FALSE", "title is null"),
        ("filters[title][$null]=anything", "title is null"),
        ("filters[title][$null][x]=1", "title is null"),
        ("filters[title][$null]=false", "not title is null"),
        ("filters[title][$null]=f", "not title is null"),
        ("filters[title][$null]=0", "not title is null"),
        ("filters[title][$null]=", "not title is null"),
        ("filters[title][$null]", "not title is null"),
        ("filters[title][$notNull]=false", "title is null"),
        ("filters[title][$in]=a,b", "title in ['a,b']"),
        ("filters[title][$in]=a&filters[title][$in]", "title in ['a', None]"),
        ("filters[title][$in]=", "title in ['']"),
        ("filters[rating][$between]=1&filters[rating][$between]=2", "rating between 1 and 2"),
        ("filters[title][$contains]=%25", "title contains '%'"),
    ],
)
def test_an_attribute_is_compared(query: str, meaning: str) -> None:
    assert shown_filter(resolve(query)) == meaning


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("filters[$and][0][title]=a&filters[$and][1][title]=b", "all (title = 'a', title = 'b')"),
        ("filters[$or][0][title]=a&filters[$or][1][title]=b", "any (title = 'a', title = 'b')"),
        ("filters[$or][][title]=a&filters[$or][][kind]=b", "all (title = 'a', kind = 'b')"),
        ("filters[$or][0][title]=a", "title = 'a'"),
        (
            "filters[$or][0][title]=a&filters[$or][0][kind]=b&filters[$or][1][rating]=1",
            "any (all (title = 'a', kind = 'b'), rating = 1)",
        ),
        (
            "filters[title]=a&filters[$or][0][kind]=b&filters[$or][1][kind]=c",
            "all (title = 'a', any (kind = 'b', kind = 'c'))",
        ),
        (
            "filters[$and][0][$or][0][title]=a&filters[$and][0][$or][1][title]=b",
            "any (title = 'a', title = 'b')",
        ),
        # An array under an operator that takes one value asks for either.
        ("filters[title][$eq][0]=a&filters[title][$eq][1]=b", "any (title = 'a', title = 'b')"),
        (
            "filters[title][$ne][0]=a&filters[title][$ne][1]=b",
            "any (not title = 'a', not title = 'b')",
        ),
        (
            "filters[title][$contains][0]=a&filters[title][$contains][1]=b",
            "any (title contains 'a', title contains 'b')",
        ),
    ],
)
def test_filters_are_joined(query: str, meaning: str) -> None:
    assert shown_filter(resolve(query)) == meaning


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("filters[$not][title]=a", "not title = 'a'"),
        ("filters[title][$not]=a", "not title = 'a'"),
        ("filters[title][$not]", "not title is null"),
        ("filters[$not]", ""),
        ("filters[$not][title]=a&filters[$not][kind]=b", "any (not title = 'a', not kind = 'b')"),
        (
            "filters[$not][0][title]=a&filters[$not][1][kind]=b",
            "any (not title = 'a', not kind = 'b')",
        ),
        (
            "filters[$not][$or][0][title]=a&filters[$not][$or][1][kind]=b",
            "all (not title = 'a', not kind = 'b')",
        ),
        (
            "filters[$not][$and][0][title]=a&filters[$not][$and][1][kind]=b",
            "any (not title = 'a', not kind = 'b')",
        ),
        (
            "filters[rating][$not][$gt]=1&filters[rating][$not][$lt]=0",
            "any (not rating > 1, not rating < 0)",
        ),
        (
            "filters[title][$not][0]=a&filters[title][$not][1]=b",
            "any (not title = 'a', not title = 'b')",
        ),
        ("filters[$not][title][$null]=true", "not title is null"),
        ("filters[$not][title][$notNull]=true", "title is null"),
        ("filters[$not][title][$in]=a", "not title in ['a']"),
        ("filters[$not][author][name]=a", "some author (not name = 'a')"),
        (
            "filters[$not][author][name]=a&filters[$not][author][age]=1",
            "some author (any (not name = 'a', not age = 1))",
        ),
        # Nothing is less than null, and nothing is not less than null.
        ("filters[rating][$lt]", "false"),
        ("filters[$not][rating][$lt]", "false"),
    ],
)
def test_a_negation_is_pushed_down_to_the_comparisons(query: str, meaning: str) -> None:
    assert shown_filter(resolve(query)) == meaning


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("filters[author][name]=a", "some author (name = 'a')"),
        ("filters[author]=7", "some author (id = '7')"),
        ("filters[author][$eq]=7", "some author (id = '7')"),
        ("filters[author][$in]=7", "some author (id in ['7'])"),
        ("filters[author][0]=7&filters[author][1]=8", "some author (id in ['7', '8'])"),
        ("filters[$not][tags][0]=7&filters[$not][tags][1]=8", "some tags (not id in ['7', '8'])"),
        ("filters[author][]", "some author (id in [None])"),
        ("filters[author][id]=7", "some author (id = '7')"),
        ("filters[author][documentId]=a", "some author (documentId = 'a')"),
        ("filters[author]", "some or no author (id is null)"),
        ("filters[author][$null]=true", "some or no author (id is null)"),
        ("filters[author][$notNull]=true", "some author (not id is null)"),
        ("filters[author][$null]=false", "some author (not id is null)"),
        ("filters[author][name][$null]=true", "some or no author (name is null)"),
        ("filters[author][name][$notNull]=true", "some author (not name is null)"),
        ("filters[author][name][$ne]=a", "some author (not name = 'a')"),
        ("filters[author][name]=a&filters[author][age]=1", "some author (all (name = 'a', age"),
        (
            "filters[author][name][$null]=true&filters[author][age]=1",
            "some author (all (name is null, age = 1))",
        ),
        (
            "filters[author][name][$null]=true&filters[author][age][$null]=true",
            "some or no author (all (name is null, age is null))",
        ),
        (
            "filters[author][$or][0][name][$null]=true&filters[author][$or][1][age]=1",
            "some or no author (any (name is null, age = 1))",
        ),
        ("filters[author][books][title]=x", "some author (some books (title = 'x'))"),
        (
            "filters[author][books][title][$null]=true",
            "some or no author (some or no books (title is null))",
        ),
        (
            "filters[$and][0][tags][label]=a&filters[$and][1][tags][label]=b",
            "all (some tags (label = 'a'), some tags (label = 'b'))",
        ),
        ("filters[cover][name]=a", "some cover (name = 'a')"),
        ("filters[pictures][$null]=true", "some or no pictures (id is null)"),
        ("filters[seo][title]=a", "some seo (title = 'a')"),
        ("filters[seo][id]=3", "some seo (id = '3')"),
        ("filters[links][to][title]=a", "some links (some to (title = 'a'))"),
        ("filters[seo][image][name]=a", "some seo (some image (name = 'a'))"),
        ("filters[localizations][locale]=fr", "some localizations (locale = 'fr')"),
        ("filters[localizations][id][$notNull]=true", "some localizations (not id is null)"),
    ],
)
def test_a_filter_goes_through_relations_components_and_files(query: str, meaning: str) -> None:
    assert shown_filter(resolve(query)).startswith(meaning)


def test_conditions_in_one_object_are_about_one_related_row() -> None:
    together = filter_of("filters[tags][label]=a&filters[tags][id]=1")
    apart = filter_of("filters[$and][0][tags][label]=a&filters[$and][1][tags][id]=1")
    assert isinstance(together, RelatedCondition)
    assert isinstance(together.part, Junction)
    assert isinstance(apart, Junction)
    assert [type(part) for part in apart.parts] == [RelatedCondition, RelatedCondition]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filters[$or]", "$or expects an array of filters"),
        ("filters[title][$eq][x]=1", "$eq cannot compare with an object"),
        ("filters[title][$contains][x]=1", "$contains cannot compare with an object"),
        ("filters[title][$in][x]=1", "$in cannot compare with an object"),
        ("filters[title][$notIn][x]=1", "$notIn cannot compare with an object"),
        ("filters[title][$between][x]=1", "$between cannot compare with an object"),
        ("filters[title][$in][0]=a&filters[title][$in][x]=b", "$in cannot compare with an object"),
        ("filters[$or][x]=1", "$or expects an array of filters"),
        ("filters[$and][x]=1", "$and expects an array of filters"),
        ("filters[$and][a][title]=1", "$and expects an array of filters"),
        ("filters[kind]=a&filters[title][$eq][x]=1", "$eq cannot compare with an object"),
        (
            "filters[$or][0][kind]=a&filters[$or][1][title][$eq][x]=1",
            "$eq cannot compare with an object",
        ),
        ("filters[$not][title][$eq][x]=1", "$eq cannot compare with an object"),
        ("filters[author][name][$eq][x]=1", "$eq cannot compare with an object"),
        ("filters[author][$eq][x]=1", "$eq cannot compare with an object"),
        ("populate[author][filters][name][$in][x]=1", "$in cannot compare with an object"),
        ("filters[title][0][$eq]=a", "$in cannot compare with an object"),
        ("filters[title][0][x]=a&filters[title][1]=b", "$in cannot compare with an object"),
        ("filters[$not][title][0][$eq]=a", "$in cannot compare with an object"),
        ("filters[lent][0][$eq]=1&filters[lent][1]=0", "$in cannot compare with an object"),
        ("filters[title][$in][0][$eq]=a", "$in cannot compare with an object"),
        ("filters[title][$notIn][0][$eq]=a", "$notIn cannot compare with an object"),
        ("filters[author][0][name]=a", "$in cannot compare with an object"),
        ("filters[author][0][$eq]=1", "$in cannot compare with an object"),
        ("filters[$not][author][0][name]=a", "$in cannot compare with an object"),
    ],
)
def test_an_object_in_the_place_of_a_value_or_list_is_refused(query: str, message: str) -> None:
    error = problem(query)
    assert (error.status, error.message) == (400, message)


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("filters[title][$contains][0][$eq]=a", "title contains '[object Object]'"),
        # A list in a list is the text that the web writes for it.
        ("filters[title][0][0]=a", "title in ['a']"),
        ("filters[title][0][0]=a&filters[title][0][1]=b", "title in ['a,b']"),
        ("filters[title][$in][0][0]=a&filters[title][$in][0][1]=b", "title in ['a,b']"),
        ("filters[author][0][0]=7", "some author (id in ['7'])"),
    ],
)
def test_an_object_or_list_among_texts_is_the_text_that_the_web_writes_for_it(
    query: str, meaning: str
) -> None:
    assert shown_filter(resolve(query)) == meaning


@pytest.mark.parametrize(
    ("query", "meaning"),
    [
        ("filters[title][$in][100]=a&filters[title][$in][7]=b", "title in ['b', 'a']"),
        ("filters[title][100]=a", "title in ['a']"),
        (
            "filters[rating][$between][500]=2&filters[rating][$between][400]=1",
            "rating between 1 and 2",
        ),
        ("filters[$or][100][title]=a&filters[$or][0][title]=b", "any (title = 'b', title = 'a')"),
        ("filters[$and][1000][title]=a", "title = 'a'"),
        ("filters[$not][100][title]=a", "not title = 'a'"),
        (
            "filters[title][$ne][100]=a&filters[title][$ne][101]=b",
            "any (not title = 'a', not title = 'b')",
        ),
        ("filters[author][100]=7", "some author (id in ['7'])"),
    ],
)
def test_an_index_may_be_any_number(query: str, meaning: str) -> None:
    assert shown_filter(resolve(query)) == meaning


@pytest.mark.parametrize(
    "name",
    ["filters[id][$in]", "filters[id][$notIn][]", "filters[id]", "populate[author][filters][id]"],
)
def test_a_list_of_more_values_than_the_limit_is_refused(name: str) -> None:
    limits = ReadLimits(filter_values=120)
    queries = ["&".join([f"{name}=1"] * count) for count in (120, 121)]
    resolve(queries[0], limits=limits)
    error = problem(queries[1], limits=limits)
    assert error.status == 400
    assert error.message == "Cannot filter by a list of more than 120 values (limits.filter_values)"


@pytest.mark.parametrize(
    ("query", "message", "path"),
    [
        ("filters[title][$eq][0][nope]=a", "Invalid key nope at title", "title"),
        ("filters[title][$eq][0][nope]=a&filters[title][$eq][1]=b", "Invalid key nope at", "title"),
        ("filters[rating][$gt][0][nope]=1", "Invalid key nope at rating", "rating"),
        ("filters[title][$contains][0][nope]=a", "Invalid key nope at title", "title"),
        ("filters[title][$in][0][nope]=a", "Invalid key nope at title", "title"),
        ("filters[title][$null][0][nope]=a", "Invalid key nope at title", "title"),
        ("filters[author][0][nope]=1", "Invalid key nope at author", "author"),
        ("filters[author][$in][0][nope]=1", "Invalid key nope at author", "author"),
    ],
)
def test_an_unknown_key_among_values_never_widens_the_response(
    query: str, message: str, path: str
) -> None:
    error = problem(query)
    assert error.message.startswith(message)
    assert (error.details or {}).get("path") == path


@pytest.mark.parametrize(
    ("query", "message", "path"),
    [
        ("filters[nope]=1", "Invalid key nope", None),
        ("filters[title][nope]=1", "Invalid key nope at title", "title"),
        ("filters[title][$or2]=1", "Invalid key $or2 at title", "title"),
        ("filters[author][nope]=1", "Invalid key nope at author", "author"),
        ("filters[author][books][nope]=1", "Invalid key nope at author.books", "author.books"),
        ("filters[author][name][nope]=1", "Invalid key nope at author.name", "author.name"),
        ("filters[$or][0][nope]=1", "Invalid key nope", None),
        ("filters[author.name]=1", "Invalid key author.name", None),
        ("filters[$OR][0][title]=1", "Invalid key $OR", None),
        ("filters[code]=1", "Invalid key code", "code"),
        ("filters[author][pin]=1", "Invalid key pin at author.pin", "author.pin"),
        ("filters[remark]=1", "Invalid key remark", "remark"),
        ("filters[owner][name]=1", "Invalid key owner", "owner"),
        ("filters[createdBy][id]=1", "Invalid key createdBy", "createdBy"),
        ("filters[updatedBy]=1", "Invalid key updatedBy", "updatedBy"),
        ("filters[sections]=1", "Invalid key sections", "sections"),
        ("filters[sections][label]=1", "Invalid key sections", "sections"),
        ("filters[__proto__x]=1", "Invalid key __proto__x", None),
        ("filters[extra][a]=1", "Invalid key a at extra", "extra"),
    ],
)
def test_a_key_that_is_not_there_or_not_for_this_caller_is_named(
    query: str, message: str, path: str | None
) -> None:
    error = problem(query)
    assert (error.status, error.name, error.message) == (400, "ValidationError", message)
    key = message.removeprefix("Invalid key ").split(" at ")[0]
    assert error.details == {"key": key, "path": path, "source": "query", "param": "filters"}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filters[documentId][title]=1", "documentId has no attribute title"),
        ("filters[documentId][$or]=1", "$or cannot stand at documentId"),
        ("filters[id][$eq][0][title]=1", "id has no attribute title"),
        ("filters[title][rating]=1", "title has no attribute rating"),
    ],
)
def test_an_operand_that_is_no_value_is_named_by_its_attribute(query: str, message: str) -> None:
    assert problem(query).message == message


@pytest.mark.parametrize("attribute", ["subject", "about"])
def test_relations_to_any_type_cannot_be_filtered(attribute: str) -> None:
    assert problem(f"filters[{attribute}]=1", NOTE).message == f"Invalid key {attribute}"


@pytest.mark.parametrize(
    "query",
    [
        "filters[$eq]=1",
        "filters[$in][0]=1",
        "filters[$null]=true",
        "filters[0][title]=a",
        "filters[]=a",
        "filters[$and]=a",
        "filters[$or]=a",
        "filters[$or]",
        "filters[$or][0]=a",
        "filters[$or][0]",
        "filters[$and][title]=a",
        "filters[$not]=a",
        "filters[$not][0]=a",
        "filters[title][$or][0]=a",
        "filters[title][$and][0][$eq]=a",
        "filters[title][summary]=a",
        "filters[title][$eq][$eq]=a",
        "filters[title][$eq][$not]=a",
        "filters[rating]=",
        "filters[rating]=abc",
        "filters[rating][$in]=1&filters[rating][$in]=x",
        "filters[copies]=1.5",
        "filters[copies][$gt]=abc",
        "filters[rating][$between]=1",
        "filters[rating][$between]",
        "filters[rating][$between][0]=1&filters[rating][$between][1]=2&filters[rating][$between][2]=3",
        "filters[rating][$between][0]=1&filters[rating][$between][1]",
        "filters[title][0][rating]=1",
        "filters[title][$eq][0][$eq]=a",
        "filters[rating][0][0]=3",
        "filters[author][$eq]=1&filters[author][name]=a",
        "filters[author][$not][name]=a",
        "filters[author][$or][0][name]=a&filters[author][name]=b&filters[author][$eq]=1",
    ],
)
def test_what_makes_no_sense_is_a_validation_error(query: str) -> None:
    error = problem(query)
    assert (error.status, error.name) == (400, "ValidationError")


@pytest.mark.parametrize("query", ["filters=", "filters=abc"])
def test_text_is_no_filter(query: str) -> None:
    error = problem(query)
    assert error.message == "The filters parameter must be an object or an array"
    assert error.details == {}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("filters[printed]=2024-13-01", "Invalid format, expected yyyy-MM-dd"),
        ("filters[printed]=2024-02-30", "Invalid date"),
        ("filters[opens]=10:00", "Invalid time format, expected HH:mm:ss.SSS"),
        ("filters[happens]=soon", "Invalid format, expected a timestamp or an ISO date"),
        ("filters[stamped]=soon", "Invalid format, expected a timestamp or an ISO date"),
    ],
)
def test_an_operand_of_the_wrong_type_is_reported_in_the_words_of_the_format(
    query: str, message: str
) -> None:
    assert problem(query).message == message


def test_a_relation_whose_target_may_not_be_read_cannot_be_filtered() -> None:
    error = problem("filters[tags][label]=a", ability=READER)
    assert error.message == "Invalid key tags"
    assert error.details == {
        "key": "tags",
        "path": "tags",
        "source": "query",
        "param": "filters",
    }
    deep = problem("filters[seo][tag][label]=a", ability=READER)
    assert deep.message == "Invalid key tag at seo.tag"
    assert shown_filter(resolve("filters[author][name]=a", ability=READER))


def test_components_and_files_need_no_permission() -> None:
    alone = Granted(frozenset({f"{BOOK}.find"}))
    for name in ("notes", "marginal"):
        assert problem(f"filters[{name}][text]=a", ability=alone).message == f"Invalid key {name}"
    assert shown_filter(resolve("filters[seo][image][name]=a", ability=alone))


def test_creators_can_be_filtered_where_the_type_shows_them() -> None:
    query = "filters[createdBy][firstname]=a"
    assert shown_filter(resolve(query, HOMEPAGE, ability=NO_PERMISSIONS)) == (
        "some createdBy (firstname = 'a')"
    )
    assert problem("filters[createdBy][password]=a", HOMEPAGE).message == (
        "Invalid key password at createdBy.password"
    )


def test_locales_cannot_be_filtered_in_types_without_them() -> None:
    assert problem("filters[locale]=en", PERSON).message == "Invalid key locale"
    assert problem("filters[localizations][id]=1", TAG).message == "Invalid key localizations"


def test_inside_populate_a_forbidden_relation_tells_nothing() -> None:
    query = "populate[author][filters][books][tags][label]=a"
    (edge,) = resolve(query, ability=READER).plan.root.edges
    (node,) = edge.nodes
    assert isinstance(node.filter, RelatedCondition)
    assert node.filter.part == ConstantCondition(holds=False)


def test_a_filter_inside_populate_is_one_of_the_related_rows() -> None:
    node = node_of("populate[author][filters][name]=a", "author")
    assert isinstance(node.filter, Comparison)
    assert node.filter.attribute == "name"


def test_the_values_of_a_filter_are_in_slots_and_not_in_the_plan() -> None:
    first = resolve("filters[title]=a&filters[rating][$in]=1")
    second = resolve("filters[title]=b&filters[rating][$in]=2&filters[rating][$in]=3")
    assert first.plan == second.plan
    assert hash(first.plan) == hash(second.plan)
    assert first.values != second.values
