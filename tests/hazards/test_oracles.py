"""No response reveals whether a guess about hidden data was right.

Each question is asked with a right guess, a wrong one and an empty one. All three must get the same
answer: status, body, totals and order.
"""

from itertools import product

import pytest

from tests.conformance.client import ClientResponse
from tests.hazards.newsroom import AUTHOR_WORD, DESK_WORD, PASSCODE_HASH, RESET_TOKEN, SECRET
from tests.hazards.visitors import (
    ANON,
    CLERK,
    EVERYBODY,
    FULL,
    READONLY,
    Visitor,
    Who,
    error,
    total,
)

RIGHT = (
    SECRET,
    PASSCODE_HASH[:4],
    RESET_TOKEN[:3],
    AUTHOR_WORD[:2],
    DESK_WORD[:2],
    "a",
    "1",
    "true",
)
WRONG = "zzzz"
"""Fits nothing in the project."""


async def ask_alike(ask: Visitor, guess_query: str, right: str, who: Who = ANON) -> ClientResponse:
    """Send a right, a wrong and an empty guess; return all three responses."""
    responses = [await ask(guess_query.format(guess), who) for guess in (right, WRONG, "")]
    seen = {(response.status, response.content) for response in responses}
    assert len(seen) == 1, (guess_query, [response.content for response in responses])
    return responses[0]


@pytest.mark.parametrize("name", ["resetPasswordToken", "password", "email"])
@pytest.mark.parametrize("letter", ["t", "$2", SECRET])
async def test_h001_conditions_of_the_database_cannot_be_asked_for(
    ask: Visitor, name: str, letter: str
) -> None:
    """``where`` is not a parameter and has no effect."""
    response = await ask_alike(ask, f"articles?where[updatedBy][{name}][$startsWith]={{}}", letter)
    assert response.content == (await ask("articles")).content


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    ("filters", "path"),
    [
        ("[createdBy][email][$contains]={}", "createdBy"),
        ("[updatedBy][password][$startsWith]={}", "updatedBy.password"),
        ("[updatedBy][resetPasswordToken][$startsWith]={}", "updatedBy"),
        ("[createdBy][id]={}", "createdBy"),
        ("[createdBy][$null]={}", "createdBy"),
        ("[updatedBy]={}", "updatedBy"),
    ],
)
async def test_h002_who_made_a_document_cannot_be_filtered_by(
    ask: Visitor, filters: str, path: str, who: Who
) -> None:
    """A filter through the makers of a document names the key that is not allowed."""
    for right in RIGHT:
        response = await ask_alike(ask, f"articles?filters{filters}", right, who)
        found = error(response)
        assert (response.status, found["name"]) == (400, "ValidationError")
        assert found["message"].startswith("Invalid key ")
        assert found["details"] == {
            "key": path.rpartition(".")[2],
            "path": path,
            "source": "query",
            "param": "filters",
        }


@pytest.mark.parametrize(
    "guess_query",
    [
        "filters[createdBy][email][$contains]={}",
        "filters[createdBy][password][$startsWith]={}",
        "filters[createdBy][resetPasswordToken][$startsWith]={}",
        "filters[createdBy][roles][code]={}",
        "filters[updatedBy][apiTokens][accessKey][$startsWith]={}",
        "populate[createdBy][filters][email][$startsWith]={}",
        "populate[createdBy][populate][roles][filters][code]={}",
        "populate[createdBy][fields][0]=email&x={}",
        "populate[updatedBy][populate][apiTokens]=true&x={}",
        "populate=createdBy.roles&x={}",
        "sort=createdBy.email&x={}",
    ],
)
async def test_h002_creators_that_are_shown_are_shown_by_name_alone(
    ask: Visitor, guess_query: str
) -> None:
    """Where a type shows who made a document, what is private of them stays so."""
    response = await ask_alike(ask, f"masthead?{guess_query}", SECRET, FULL)
    assert response.status == 400
    assert error(response)["message"].startswith("Invalid key ")
    shown = await ask("masthead?populate[createdBy][populate]=*", FULL)
    assert shown.status == 200
    assert SECRET not in shown.content.decode()


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    "filters",
    [
        "[secret][$contains]={}",
        "[secret]={}",
        "[secret][$null]={}",
        "[secret][$in][0]={}",
        "[secret][$not][$eq]={}",
        "[secret][0]={}",
        "[passcode][$startsWith]={}",
        "[passcode][$notNull]={}",
        "[hiddenRelated][id]={}",
        "[seo][note][$startsWith]={}",
    ],
)
async def test_h003_private_attributes_cannot_be_filtered_by(
    ask: Visitor, filters: str, who: Who
) -> None:
    """Private attributes and passwords are no filters for anybody, not even for full access."""
    for right in RIGHT:
        response = await ask_alike(ask, f"articles?filters{filters}", right, who)
        assert response.status == 400
        assert error(response)["message"].startswith("Invalid key ")


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    "sort",
    [
        "sort=secret",
        "sort=secret:desc",
        "sort[0]=title&sort[1]=secret",
        "sort[secret]=asc",
        "sort[0][passcode]=desc",
        "sort=passcode",
        "sort=updatedBy.email",
        "sort=createdBy.id",
        "sort[0][updatedBy][email]=asc",
        "sort[updatedBy][resetPasswordToken]=asc",
        "sort=seo.note",
        "sort=title,secret",
    ],
)
async def test_h004_private_attributes_cannot_be_sorted_by(
    ask: Visitor, sort: str, who: Who
) -> None:
    """An order by something hidden would tell it by bisection, so it is rejected."""
    response = await ask(f"articles?{sort}", who)
    assert response.status == 400
    found = error(response)
    assert found["message"].startswith("Invalid key ")
    assert found["details"]["param"] == "sort"


@pytest.mark.parametrize(
    "name",
    [
        "lookup",
        "select",
        "where",
        "orderBy",
        "joins",
        "scope",
        "first",
        "having",
        "data",
        "files",
        "params",
        "_where",
        "_sort",
        "offset",
        "groupBy",
        "populateAll",
    ],
)
async def test_h005_words_of_the_inside_mean_nothing_outside(ask: Visitor, name: str) -> None:
    """What servers call their own options inside is no parameter, or is rejected."""
    everything = await ask("articles")
    for shape, right in product(
        (f"{name}[updatedBy][password][$startsWith]={{}}", f"{name}[secret]={{}}", f"{name}=x{{}}"),
        ("$2", SECRET, "secret"),
    ):
        response = await ask_alike(ask, f"articles?{shape}", right)
        assert response.status == 400 or response.content == everything.content


@pytest.mark.parametrize(
    "query",
    [
        "filters[t0.passcode][$contains]={}",
        "filters[t1.secret]={}",
        "filters[articles.secret]={}",
        "filters[%22t1%22.%22secret%22][$startsWith]={}",
        "filters[`secret`]={}",
        "filters[createdBy.email]={}",
        "sort=t1.secret&x={}",
        "sort=t1.email&x={}",
        "sort=articles.secret&x={}",
        "fields[0]=t0.secret&x={}",
        "fields[0]=secret%20as%20title&x={}",
        "populate=t1.author&x={}",
    ],
)
async def test_h006_names_of_tables_are_no_names(ask: Visitor, query: str) -> None:
    """Neither the alias of a table nor quoted names lead past the check of a name."""
    watched = ask.watch()
    try:
        response = await ask_alike(ask, f"articles?{query}", SECRET)
    finally:
        ask.unwatch(watched)
    assert error(response)["message"].startswith("Invalid key ")
    assert watched.statements == []


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize(
    "right", [SECRET, f"{SECRET} one", SECRET.upper(), SECRET[:1] + "_" + SECRET[2:]]
)
async def test_h007_search_does_not_look_where_the_caller_may_not(
    ask: Visitor, right: str, who: Who
) -> None:
    """A search for the exact value of a private string finds nothing."""
    response = await ask(f"articles?_q={right.replace(' ', '%20')}", who)
    if response.status == 200:
        assert total(response) == 0


@pytest.mark.parametrize("right", ["$2a$10", PASSCODE_HASH, PASSCODE_HASH[7:]])
async def test_h008_search_does_not_look_into_hashes(ask: Visitor, right: str) -> None:
    """A search for the hash of a password finds nothing, among articles and among end users."""
    assert total(await ask(f"articles?_q={right}")) == 0
    assert total(await ask(f"articles?_q={right}", FULL)) == 0
    users = await ask(f"users?_q={right}", FULL)
    assert (users.status, users.json) == (200, [])


@pytest.mark.parametrize("right", [RESET_TOKEN, RESET_TOKEN[:5]])
async def test_h020_search_does_not_look_into_tokens(ask: Visitor, right: str) -> None:
    """A search for a token that an end user has got by e-mail finds nobody."""
    users = await ask(f"users?_q={right}", FULL)
    assert (users.status, users.json) == (200, [])


@pytest.mark.parametrize("who", [ANON, FULL])
@pytest.mark.parametrize(
    "filters",
    [
        "[$not][secret][$contains]={}",
        "[$or][0][$and][0][secret][$null]={}",
        "[$or][0][title]=Tides&filters[$or][1][secret][$contains]={}",
        "[$and][0][$or][0][$not][$and][0][passcode][$startsWith]={}",
        "[$not][$not][secret]={}",
        "[title][$eq]=Tides&filters[$not][$or][0][secret][$eq]={}",
        "[related][$or][0][secret]={}",
        "[$not][related][secret]={}",
        "[category][articles][$and][0][passcode][$contains]={}",
    ],
)
async def test_h009_logical_operators_hide_nothing(ask: Visitor, filters: str, who: Who) -> None:
    """A private attribute is rejected at any depth of ``$and``, ``$or`` and ``$not``."""
    response = await ask_alike(ask, f"articles?filters{filters}", SECRET, who)
    assert response.status == 400
    assert error(response)["message"].startswith("Invalid key ")


@pytest.mark.parametrize(
    ("guess_query", "param"),
    [
        ("filters[author][name][$startsWith]={}", "filters"),
        ("filters[author][id][$eq]={}", "filters"),
        ("filters[author][$null]={}", "filters"),
        ("filters[author][$notNull]={}", "filters"),
        ("filters[author]={}", "filters"),
        ("filters[author][documentId]={}", "filters"),
        ("filters[$not][author][name]={}", "filters"),
        ("filters[related][author][name]={}", "filters"),
        ("filters[seo][owner][name][$startsWith]={}", "filters"),
        ("sort=author.name&x={}", "sort"),
        ("sort[author][name]=asc&x={}", "sort"),
        ("sort=related.author.id&x={}", "sort"),
    ],
)
async def test_h010_relations_to_what_one_may_not_find_are_no_filters(
    ask: Visitor, guess_query: str, param: str
) -> None:
    """Filters and orders through a relation need the right to find what it leads to."""
    for who, right in product((ANON, CLERK), ("Z", "1", "true")):
        response = await ask_alike(ask, f"articles?{guess_query}", right, who)
        found = error(response)
        assert found["details"]["key"] in {"author", "owner"}
        assert found["details"]["param"] == param
    assert (await ask(f"articles?{guess_query.format('1')}", READONLY)).status == 200


@pytest.mark.parametrize(
    "guess_query",
    [
        "populate[category][populate][articles][filters][author][name][$startsWith]={}",
        "populate[related][filters][author][name][$startsWith]={}",
        "populate[related][filters][author][$notNull]={}",
        "populate[related][filters][$not][author][name][$startsWith]={}",
        "populate[seo][filters][owner][name][$startsWith]={}",
        "populate[sections][on][shared.quote][filters][speaker][name][$startsWith]={}",
        "populate[related][filters][secret][$startsWith]={}",
        "populate[related][sort]=author.name&x={}",
        "populate[cover][populate][related][on][api::author.author][filters][name][$startsWith]={}",
        "populate[cover][filters][related][name][$startsWith]={}",
    ],
)
async def test_h010_filters_of_populated_relations_reveal_nothing_either(
    ask: Visitor, guess_query: str
) -> None:
    """A filter inside ``populate`` through what is closed to the caller tells nothing."""
    for right in ("Z", SECRET[:2], "true"):
        await ask_alike(ask, f"articles?{guess_query}", right)


@pytest.mark.parametrize(
    "guess_query",
    [
        "filters[desk][category][name][$eq]={}",
        "filters[desk][category][id]={}",
        "filters[$not][desk][category][name]={}",
        "filters[category][articles][desk][category][name]={}",
        "sort=desk.category.name&x={}",
        "sort[desk][category][name]=asc&x={}",
    ],
)
async def test_h011_every_step_of_a_way_needs_its_own_permission(
    ask: Visitor, guess_query: str
) -> None:
    """What may be found is no filter when the way to it leads through what may not."""
    response = await ask_alike(ask, f"articles?{guess_query}", "Sea")
    assert response.status == 400
    assert error(response)["details"]["key"] == "desk"


@pytest.mark.parametrize("guess", [("1", "0"), ("true", "false"), ("2030-01-01", "1990-01-01")])
async def test_h019_there_are_no_aggregates_to_ask_for_hidden_values(
    ask: Visitor, guess: tuple[str, str]
) -> None:
    """Words that elsewhere count, group or compare change nothing here."""
    everything = (await ask("articles")).content
    for name in ("aggregate", "group", "min", "max", "distinct", "facets"):
        for value in guess:
            for shape in (f"{name}[secret]={value}", f"{name}=secret", f"{name}[min][0]=secret"):
                response = await ask(f"articles?{shape}")
                assert response.status == 400 or response.content == everything


@pytest.mark.parametrize("name", ["password", "resetPasswordToken", "confirmationToken"])
async def test_h017_end_users_cannot_be_distinguished_by_hidden_attributes(
    ask: Visitor, name: str
) -> None:
    """Filters and orders by the secrets of end users are rejected even to full access."""
    for guess_query in (
        f"users?filters[{name}][$startsWith]={{}}",
        f"users/count?filters[{name}]={{}}",
    ):
        response = await ask_alike(ask, guess_query, PASSCODE_HASH[:3], FULL)
        assert response.status == 400
    assert (await ask(f"users?sort={name}", FULL)).status == 400


async def test_h008_a_token_is_compared_and_not_filtered_by(ask: Visitor) -> None:
    """A token in a query is text: operators in its place find nobody."""
    for operand in ("[$ne]=x", "[$startsWith]=t", "[$notNull]=true", "[0]=x", "="):
        response = await ask(f"auth/email-confirmation?confirmation{operand}")
        assert (response.status, error(response)["name"]) == (400, "ValidationError")
