"""Row rules and relations: hidden rows can neither be read nor linked.

What somebody gets who may not see some rows is compared, query by query, with what they get once
these rows have been deleted: there is no difference.
"""

import json
from collections.abc import Mapping

import pytest

from tests.accounts.site import JsonObject, Site, message, tree
from tests.conformance.client import ClientResponse

ARTICLE, AUTHOR, CATEGORY, DESK = (
    f"api::{name}.{name}" for name in ("article", "author", "category", "desk")
)
NOBODY = "zzzzzzzzzzzzzzzzzzzzzzzz"
SEEN_CATEGORIES = {"name": {"$in": ["Sea", "Bay"]}}
SEEN_ARTICLES = {"$or": [{"code": {"$ne": "M-2"}}, {"code": {"$null": True}}]}
ALL_ARTICLES = "articles?sort=id&status=draft&"
TO_CATEGORIES = [
    "categories?sort=id",
    "categories?sort=name:desc&pagination[pageSize]=1",
    "categories?_q=r",
    "categories?populate=*&sort=id",
    "categories?populate[children][count]=true&sort=id",
    "categories?populate[parent][populate]=parent&sort=id",
    "categories?filters[name][$contains]=r",
    "categories?filters[parent][name]=Harbour",
    "categories?filters[parent][$null]=true&sort=id",
    "categories?filters[parent][id][$notNull]=true&sort=id",
    "categories?filters[children][name][$ne]=Reef&sort=id",
    "categories?filters[$not][children][name]=Reef&sort=id",
    "categories?filters[parent][parent][name]=Sea",
    "articles?populate=*&sort=id",
    "articles?populate[category][populate][]=parent&populate[category][populate][]=children&sort=id",
    "articles?populate[category][populate][children][count]=true&sort=id",
    "articles?populate[category][count]=true&sort=id",
    "articles?populate[category][filters][name]=Harbour&sort=id",
    "articles?populate[seo][populate]=topic&sort=id",
    "articles?populate[seo][populate][topic][populate]=parent&sort=id",
    "articles?populate[sections][on][shared.panel][populate][seo][populate]=topic&sort=id",
    "articles?populate[related][populate]=category&sort=id",
    "articles?populate[relatedBy][populate]=category&sort=id",
    *(
        f"{ALL_ARTICLES}filters{filters}"
        for filters in (
            "[category][name]=Harbour",
            "[category][name][$ne]=Sea",
            "[category][name][$notContains]=S",
            "[$not][category][name]=Harbour",
            "[$or][0][category][name]=Harbour&filters[$or][1][category][name]=Sea",
            "[category][$null]=true",
            "[category][$notNull]=true",
            "[category][id][$null]=true",
            "[category][id][$notNull]=true",
            "[category][parent][name]=Sea",
            "[category][parent][$null]=true",
            "[category][children][name]=Reef",
            "[category][articles][code]=M-2",
            "[seo][topic][name]=Harbour",
            "[seo][topic][$null]=true",
            "[$not][seo][topic][name]=Harbour",
            "[related][category][name]=Harbour",
            "[relatedBy][seo][topic][name]=Harbour",
        )
    ),
    "desks?populate=*&sort=id",
    "desks?filters[category][$null]=true&sort=id",
    "desks?filters[$not][category][name]=Sea&sort=id",
]
TO_ARTICLES = [
    "articles?sort=id",
    "articles?sort=id&status=draft",
    "articles?_q=Fish&status=draft",
    "articles?_q=Markets&status=draft",
    "articles?filters[title][$contains]=a&sort=id",
    "articles?locale=de&status=draft&sort=id",
    "articles?publicationFilter=modified&status=draft",
    "articles?pagination[pageSize]=1&sort=id:desc",
    "articles?populate=related,relatedBy&sort=id&status=draft",
    "articles?populate[related][count]=true&sort=id&status=draft",
    "articles?populate[related][populate][relatedBy][populate]=*&sort=id",
    "articles?populate[localizations][populate]=related&sort=id",
    *(
        f"{ALL_ARTICLES}filters{filters}"
        for filters in (
            "[related][code]=M-2",
            "[related][$null]=true",
            "[related][id][$notNull]=true",
            "[relatedBy][related][code]=M-2",
            "[$not][related][code]=M-2",
            "[category][articles][code][$notNull]=true",
        )
    ),
    "categories?populate=articles&sort=id",
    "categories?populate[articles][count]=true&sort=id",
    "categories?populate[articles][filters][code]=M-2&sort=id",
    "categories?filters[articles][code]=M-2",
    "categories?filters[articles][$null]=true&sort=id",
    "categories?filters[$not][articles][code]=M-2&sort=id",
    "authors?populate=articles&sort=id",
    "authors?populate[articles][count]=true&sort=id",
    "authors?filters[articles][rank][$gt]=1&sort=id",
    "authors?filters[articles][$null]=true&sort=id",
]


async def full(site: Site, method: str, target: str, data: object = None) -> JsonObject:
    """Ask with every right; returns what is shown."""
    response = await site.ask(
        method, target, None if data is None else {"data": data}, token="full"
    )
    assert response.status in {200, 201, 204}, response.content
    return {} if response.status == 204 else dict(json.loads(response.content))


async def found(site: Site, target: str) -> str:
    """The id of the one document that a query finds."""
    (entry,) = (await full(site, "GET", target))["data"]
    return str(entry["documentId"])


async def fill(site: Site) -> None:
    """Let more lead to what will be out of sight, and from there to what is in sight."""
    harbour = await found(site, "categories?filters[name]=Harbour")
    await full(site, "POST", "categories", {"name": "Reef", "parent": harbour})
    await full(site, "POST", "categories", {"name": "Bay", "parent": harbour})
    await full(site, "POST", "desks", {"name": "Port", "category": harbour})
    tides = await found(site, "articles?filters[code]=T-1")
    markets = await found(site, "articles?filters[code]=M-2")
    seo = {"metaTitle": "About", "topic": harbour}
    sections = [{"__component": "shared.panel", "heading": "Ships", "seo": seo}]
    data = {"title": "Docks", "code": "D-3", "category": harbour, "seo": seo, "sections": sections}
    await full(site, "POST", "articles", {**data, "related": [tides, markets]})


async def related(site: Site, document_id: str) -> list[str]:
    """What the draft of an article leads to."""
    target = f"articles/{document_id}?status=draft&populate[related][fields]=documentId"
    return [one["documentId"] for one in (await full(site, "GET", target))["data"]["related"]]


async def reader(site: Site, rules: Mapping[str, object], *more: str) -> str:
    """Somebody who may find everything, but some rows; returns their token."""
    uids = (ARTICLE, AUTHOR, CATEGORY, DESK)
    granted = tree(*(f"{uid}.{action}" for uid in uids for action in ("find", "findOne")), *more)
    for uid, rule in rules.items():
        owner, controller = uid.split(".")
        for action in ("find", "findOne"):
            granted[owner]["controllers"][controller][action]["rule"] = rule
    body = {"name": "readers", "permissions": granted}
    assert (await site.post("users-permissions/roles", body, token="full")).status == 200
    await site.make_user("ada", site.role("readers"))
    return await site.sign_in("ada")


@pytest.mark.parametrize(
    ("uid", "rule", "queries", "hidden"),
    [
        (
            CATEGORY,
            SEEN_CATEGORIES,
            TO_CATEGORIES,
            "categories?filters[name][$in][]=Harbour&filters[name][$in][]=Reef",
        ),
        (ARTICLE, SEEN_ARTICLES, TO_ARTICLES, "articles?filters[code]=M-2"),
    ],
)
async def test_rows_out_of_sight_are_read_as_if_they_were_deleted(
    site: Site, uid: str, rule: object, queries: list[str], hidden: str
) -> None:
    await fill(site)
    token = await reader(site, {uid: rule})
    entries = (await full(site, "GET", hidden))["data"]
    plural = hidden.partition("?")[0]
    singles = [f"{plural}/{entry['documentId']}?populate=*" for entry in entries]
    asked = [*queries, *singles]
    before = {query: await site.ask("GET", query, token=token) for query in asked}
    everything = {query: await site.ask("GET", query, token="full") for query in queries}
    for entry in entries:
        await full(site, "DELETE", f"{plural}/{entry['documentId']}")
    for query in asked:
        after = await site.ask("GET", query, token=token)
        assert (query, outcome_of(before[query])) == (query, outcome_of(after))
    assert [query for query in queries if before[query].status != 200] == []
    assert {before[query].status for query in singles} == {404}
    differing = [q for q in queries if outcome_of(before[q]) != outcome_of(everything[q])]
    assert len(differing) > len(queries) * 2 // 3


def outcome_of(response: ClientResponse) -> tuple[int, object]:
    return response.status, json.loads(response.content)


@pytest.mark.parametrize(
    "query",
    [
        "articles?sort=category.name",
        "articles?sort[category][parent][name]=asc",
        "articles?sort=seo.topic.name",
        "categories?sort=parent.name",
        "desks?sort=category.id:desc",
    ],
)
async def test_nobody_sorts_by_what_is_out_of_sight(site: Site, query: str) -> None:
    token = await reader(site, {CATEGORY: SEEN_CATEGORIES})
    response = await site.ask("GET", query, token=token)
    assert (response.status, message(response)[:11]) == (400, "Invalid key")
    assert "Harbour" not in response.content.decode()


def leading(name: str, target: object) -> list[JsonObject]:
    """Every way in which data of an article can name what a relation is to lead to."""
    ways: list[object] = [
        target,
        [target],
        {"set": [target]},
        {"connect": [target]},
        {"connect": [{"documentId" if isinstance(target, str) else "id": target}]},
    ]
    if name == "topic":
        seo: list[JsonObject] = [{"metaTitle": "x", "topic": way} for way in ways]
        zones = [[{"__component": "shared.panel", "seo": one}] for one in seo]
        return [*({"seo": one} for one in seo), *({"sections": zone} for zone in zones)]
    return [{name: way} for way in ways]


@pytest.mark.parametrize(
    ("name", "uid", "plural", "rule", "hidden"),
    [
        ("category", CATEGORY, "categories", SEEN_CATEGORIES, "filters[name]=Harbour"),
        ("topic", CATEGORY, "categories", SEEN_CATEGORIES, "filters[name]=Harbour"),
        ("related", ARTICLE, "articles", SEEN_ARTICLES, "filters[code]=M-2"),
    ],
)
async def test_h041_nothing_that_is_written_leads_to_what_is_out_of_sight(
    site: Site, name: str, uid: str, plural: str, rule: object, hidden: str
) -> None:
    writing = [f"{ARTICLE}.{action}" for action in ("create", "update")]
    token = await reader(site, {uid: rule}, *writing)
    (entry,) = (await full(site, "GET", f"{plural}?{hidden}"))["data"]
    tides = await found(site, "articles?filters[code]=T-1")
    tables = ("articles", "articles_category_lnk", "articles_related_lnk", "articles_cmps")
    before = [site.sql(f"SELECT * FROM {table} ORDER BY id") for table in tables]
    for target, unknown in ((entry["documentId"], NOBODY), (entry["id"], 987_654)):
        for data, same in zip(leading(name, target), leading(name, unknown), strict=True):
            for method, where in (("POST", "articles"), ("PUT", f"articles/{tides}")):
                response = await site.ask(
                    method, where, {"data": {"title": "x", **data}}, token=token
                )
                other = await site.ask(method, where, {"data": {"title": "x", **same}}, token=token)
                assert response.status == 400, data
                text = response.content.decode().replace(str(target), str(unknown))
                assert json.loads(text) == json.loads(other.content), data
    assert [site.sql(f"SELECT * FROM {table} ORDER BY id") for table in tables] == before


async def test_h041_links_to_what_is_out_of_sight_are_neither_cut_nor_stood_beside(
    site: Site,
) -> None:
    writing = [f"{ARTICLE}.{action}" for action in ("create", "update")]
    token = await reader(site, {ARTICLE: SEEN_ARTICLES}, *writing)
    tides = await found(site, "articles?filters[code]=T-1")
    (markets,) = (await full(site, "GET", "articles?filters[code]=M-2&status=draft"))["data"]
    ids = [row[0] for row in site.sql("SELECT id FROM articles WHERE code = 'M-2'")]
    links = await related(site, tides)
    for data in ({"disconnect": ids}, {"disconnect": [{"id": one} for one in ids]}):
        response = await site.ask(
            "PUT", f"articles/{tides}", {"data": {"related": data}}, token=token
        )
        assert response.status == 200, response.content
        assert await related(site, tides) == links != []
    response = await site.ask(
        "PUT",
        f"articles/{tides}",
        {"data": {"related": {"disconnect": [markets["documentId"]]}}},
        token=token,
    )
    assert (response.status, "not found" in message(response)) == (400, True)
    relation = {"connect": [{"documentId": tides, "position": {"after": markets["documentId"]}}]}
    response = await site.ask(
        "PUT", f"articles/{tides}", {"data": {"related": relation}}, token=token
    )
    assert (response.status, "not found" in message(response)) == (400, True)


async def test_registering_is_held_by_no_rule_of_visitors(site: Site) -> None:
    """The server gives new users their role, whether or not visitors may see that."""
    role = "plugin::users-permissions.role.find"
    granted = tree(role, "plugin::users-permissions.auth.register")
    granted["plugin::users-permissions"]["controllers"]["role"]["find"]["rule"] = {"name": "none"}
    body = {"name": "Public", "permissions": granted}
    target = f"users-permissions/roles/{site.role('public')}"
    assert (await site.ask("PUT", target, body, token="full")).status == 200
    new = {"username": "eve", "email": "eve@example.org", "password": "low-Water-at-6"}
    response = await site.post("auth/local/register", new)
    assert response.status == 200, response.content
    user_id = json.loads(response.content)["user"]["id"]
    link = "SELECT role_id FROM up_users_role_lnk WHERE user_id = ?"
    assert site.sql(link, user_id) == [(site.role("authenticated"),)]
