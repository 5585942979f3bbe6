"""Private data, and rows that the caller may not find, are in no response."""

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

from quire.schema.model import Schema
from quire.settings import Settings, load_settings
from quire.strapi_project.schema import load_project_schema
from tests.conformance.client import ClientResponse
from tests.hazards.newsroom import (
    ARTICLE,
    AUTHOR,
    AUTHOR_WORD,
    CATEGORY,
    DESK_WORD,
    MASTHEAD,
    PASSCODE_HASH,
    RESET_TOKEN,
    SECRET,
    JsonObject,
    write_json,
)
from tests.hazards.response_schema import problems
from tests.hazards.visitors import (
    ANON,
    CLERK,
    EVERYBODY,
    FULL,
    READER,
    READONLY,
    Visitor,
    Who,
    error,
    rows,
    serving,
    total,
)

GOLDEN = Path(__file__).with_name("hidden_attributes.json")
USER = "plugin::users-permissions.user"

DEEP = (
    "populate[cover][populate]=*"
    "&populate[author][populate]=*"
    "&populate[category][populate][articles][populate]=*"
    "&populate[category][populate][children][populate]=*"
    "&populate[desk][populate]=*"
    "&populate[related][populate]=*"
    "&populate[relatedBy][populate][author][populate]=*"
    "&populate[localizations][populate]=*"
    "&populate[seo][populate]=*"
    "&populate[sections][populate]=*"
)
QUERIES = [
    "articles",
    "articles?populate=*",
    f"articles?{DEEP}",
    f"articles?{DEEP}&status=draft&locale=*",
    "articles?fields=*&populate[sections][on][shared.panel][populate]=*",
    "articles?populate=author,category,desk,related,seo.owner,sections.speaker,sections.seo.owner",
    "articles?populate[0]=seo.topic.articles.author&populate[1]=category.articles.desk",
    "categories?populate=*",
    "categories?populate=articles.author.articles,articles.cover,children.parent",
    "upload/files?populate=*",
    "users?populate=*",
    "users?populate[role][populate]=*",
    "masthead?populate=*",
    "i18n/locales",
    "users/me?populate=*",
]
FINDABLE: Mapping[Who, frozenset[str]] = {
    ANON: frozenset({ARTICLE, CATEGORY}),
    READER: frozenset({ARTICLE, AUTHOR}),
    CLERK: frozenset({ARTICLE}),
}
TYPES = {
    "articles": ARTICLE,
    "categories": CATEGORY,
    "upload": "plugin::upload.file",
    "users": USER,
    "masthead": MASTHEAD,
    "i18n": "plugin::i18n.locale",
}


def entries(response: ClientResponse) -> list[object]:
    """What a response shows, whatever its form."""
    found = json.loads(response.content)
    if isinstance(found, dict) and "data" in found:
        found = found["data"]
    if isinstance(found, list):
        # Locales say of themselves which is the default one.
        return [{k: v for k, v in item.items() if k != "isDefault"} for item in found]
    return [found]


def all_uids(schema: Schema) -> frozenset[str]:
    return frozenset(schema.content_types)


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("query", QUERIES)
async def test_h012_responses_show_what_the_schema_and_the_permissions_allow(
    ask: Visitor, query: str, who: Who
) -> None:
    """Every member of a response is an attribute that is not hidden, of a type one may find."""
    response = await ask(query, who)
    if response.status != 200:
        assert response.status in {401, 403}
        return
    schema = ask.application.schema
    findable = FINDABLE.get(who, all_uids(schema))
    uid = TYPES[query.partition("?")[0].partition("/")[0]]
    assert [f for entry in entries(response) for f in problems(schema, uid, entry, findable)] == []


@pytest.mark.parametrize("who", EVERYBODY)
@pytest.mark.parametrize("query", QUERIES)
async def test_h018_no_response_contains_a_secret(ask: Visitor, query: str, who: Who) -> None:
    """The words of private values are in no response, not even in one to full access."""
    for headers in ({}, {"Strapi-Response-Format": "v4"}):
        text = (await ask(query, who, headers)).content.decode()
        for secret in (SECRET, PASSCODE_HASH, RESET_TOKEN, "$2a$"):
            assert secret not in text


@pytest.mark.parametrize("query", QUERIES)
async def test_h012_what_visitors_may_not_find_is_left_out(ask: Visitor, query: str) -> None:
    """Populating what one may not find is no error, and shows nothing of it."""
    response = await ask(query)
    text = response.content.decode()
    assert AUTHOR_WORD not in text
    assert DESK_WORD not in text


async def test_h012_a_forbidden_relation_is_absent_and_not_empty(ask: Visitor) -> None:
    """Whether there is an author at all is not revealed either."""
    for populate in ("author", "*", "author,category", "author.articles"):
        for row in rows(await ask(f"articles?populate={populate}")):
            assert "author" not in row
    refused = await ask("articles?populate[author][populate][0]=createdBy")
    assert (refused.status, error(refused)["name"]) == (400, "ValidationError")


async def test_h012_relations_to_any_type_show_types_that_one_may_find(ask: Visitor) -> None:
    """Naming a type in a fragment is no permission to find it."""
    fragment = "articles?populate[cover][populate][related][on]"
    for listed in (f"[{AUTHOR}]=true", f"[{AUTHOR}][fields]=name", f"[{AUTHOR}][populate]=*"):
        assert AUTHOR_WORD not in (await ask(fragment + listed)).content.decode()
        assert AUTHOR_WORD in (await ask(fragment + listed, READONLY)).content.decode()


def hidden_attributes(schema: Schema) -> dict[str, list[str]]:
    """The private and secret attributes of every model."""
    return {
        model.uid: [
            name
            for name, attribute in model.attributes.items()
            if attribute.private or getattr(attribute, "secret", False)
        ]
        for model in schema.models()
    }


def test_h018_what_is_private_stays_private(newsroom: Settings) -> None:
    """The hidden attributes of all types, built-in ones included, are exactly the listed ones."""
    listed = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert hidden_attributes(load_project_schema(newsroom)) == listed


@pytest.mark.parametrize("with_all_options", [True, False])
def test_h018_an_extension_hides_what_it_was_given_to_hide(
    tmp_path: Path, newsroom: Settings, *, with_all_options: bool
) -> None:
    """A built-in type that is extended keeps its hidden attributes hidden."""
    builtin = load_project_schema(newsroom).content_types[USER]
    attributes = {
        name: dict(attribute.raw)
        for name, attribute in builtin.attributes.items()
        if name in _own_attributes(builtin.raw)
    }
    extended: JsonObject = {"attributes": {**attributes, "nickname": {"type": "string"}}}
    if with_all_options:
        extended = {**builtin.raw, **extended}
    write_json(
        tmp_path / "src/extensions/users-permissions/content-types/user/schema.json", extended
    )
    schema = load_project_schema(load_settings(tmp_path, environ={}))
    listed = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert "nickname" in schema.content_types[USER].attributes
    assert hidden_attributes(schema)[USER] == listed[USER]


def _own_attributes(raw: Mapping[str, object]) -> frozenset[str]:
    attributes = raw["attributes"]
    assert isinstance(attributes, dict)
    return frozenset(attributes)


async def test_h018_a_setting_hides_an_attribute_everywhere(newsroom: Settings) -> None:
    """What the settings call private is hidden in every type, and no parameter reaches it."""
    async with serving(newsroom.project, api__private_attributes=("name", "updatedAt")) as ask:
        text = (await ask("articles?populate=*", FULL)).content.decode()
        assert AUTHOR_WORD not in text
        assert "updatedAt" not in json.loads(text)["data"][0]
        for query in ("filters[category][name]=Sea", "sort=category.name", "fields=updatedAt"):
            assert (await ask(f"articles?{query}", FULL)).status == 400


@pytest.mark.parametrize("who", [ANON, FULL])
async def test_h018_a_column_without_an_attribute_is_not_shown(
    own_newsroom: Settings, who: Who
) -> None:
    """What the database holds beyond the schema is in no response, and no parameter reaches it."""
    file = own_newsroom.project / "src/api/article/content-types/article/schema.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    del schema["attributes"]["secret"]
    write_json(file, schema)
    async with serving(own_newsroom.project) as ask:
        assert SECRET not in (await ask("articles?populate=*&fields=*", who)).content.decode()
        assert total(await ask(f"articles?_q={SECRET}", who)) == 0
        for query in (f"filters[secret]={SECRET}", "sort=secret", "fields=secret"):
            assert (await ask(f"articles?{query}", who)).status == 400


async def test_h021_rights_are_those_of_one_role(ask: Visitor) -> None:
    """An end user has the rights of the own role alone, not those of visitors on top."""
    assert (await ask("categories")).status == 200
    assert (await ask("categories", READER)).status == 403
    assert (await ask("authors", READER)).status == 200
    assert (await ask("authors", CLERK)).status == 403
    assert "category" not in rows(await ask("articles?populate=*", CLERK))[0]


async def test_h028_errors_reveal_no_existing_names(ask: Visitor) -> None:
    """What one may not find is rejected alike, whether or not it exists."""
    author = rows(await ask("authors", FULL))[0]["documentId"]
    refusals = [await ask(target) for target in (f"authors/{author}", f"authors/{'a' * 24}")]
    assert [response.status for response in refusals] == [403, 403]
    assert refusals[0].content == refusals[1].content
    assert (await ask("authors")).content == refusals[0].content

    unknown = [await ask(target) for target in ("nothing", "author", "authorz", "articles/x/y")]
    assert {(response.status, response.content) for response in unknown} == {
        (404, unknown[0].content),
    }
    missing = await ask(f"articles/{'a' * 24}")
    assert (missing.status, error(missing)["message"]) == (404, "Not Found")


@pytest.mark.parametrize(
    "query",
    [
        "filters[authr][name]=x",
        "filters[secrt]=x",
        "sort=secre",
        "fields=passcod",
        "populate=desc",
        "populate=autho",
        "filters[title][$contain]=x",
    ],
)
async def test_h028_nothing_hidden_is_proposed(ask: Visitor, query: str) -> None:
    """An error names the key that was requested, and proposes no other."""
    response = await ask(f"articles?{query}")
    asked = query.partition("=")[0] + query.partition("=")[2]
    assert response.status == 400
    for hidden in ("secret", "passcode", "author", "desk", "createdBy"):
        assert hidden not in response.content.decode() or hidden in asked


async def test_h029_responses_do_not_name_the_software(ask: Visitor) -> None:
    """No version, engine or path of the server is in what visitors can reach."""
    reported = (
        "quire",
        "sqlite",
        "python",
        "uvicorn",
        "strapi/",
        "5.54",
        str(Path.home()),
        "/src/",
    )
    targets = ["/", "/_health", "/api/nothing", "/api/articles/x", "/api/authors", "/%ff", "//x"]
    targets += ["/api/openapi.json", "/api/documentation", "/openapi.json", "/api/articles?sort=x"]
    targets += ["/uploads/nothing", "/favicon.ico", "/robots.txt", "/admin", "/api"]
    for method, target in product(("GET", "HEAD", "POST", "OPTIONS", "TRACE"), targets):
        response = await ask.send(method, target)
        shown = f"{response.headers} {response.content.decode()}".lower().replace("require", "")
        assert [word for word in reported if word in shown] == []
        assert not {"server", "x-powered-by", "via"} & response.headers.keys()
