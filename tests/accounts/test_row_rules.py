"""Row rules: permissions of a role that are limited to some rows."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.accounts.site import JsonObject, Site, message, tree

ARTICLE, CATEGORY = "api::article.article", "api::category.category"
EVERYTHING = [f"{ARTICLE}.{verb}" for verb in ("find", "findOne", "create", "update", "delete")]
KEY = "key = 'quire_row_rules'"
OF_THE_SEA = {"category": {"name": {"$eq": "Sea"}}}


def permissions(rules: Mapping[str, object], *more: str) -> JsonObject:
    """All actions on articles, some of them with a rule."""
    found = tree(*EVERYTHING, f"{CATEGORY}.find", *more)
    for action, rule in rules.items():
        owner, controller, name = action.split(".")
        found[owner]["controllers"][controller][name]["rule"] = rule
    return found


async def somebody(site: Site, rules: Mapping[str, object], *more: str) -> str:
    """A user of a role with rules; returns their token."""
    body = {"name": "press", "permissions": permissions(rules, *more)}
    response = await site.post("users-permissions/roles", body, token="full")
    assert response.status == 200, response.content
    await site.make_user("ada", site.role("press"))
    return await site.sign_in("ada")


async def data(site: Site, target: str, token: str = "full") -> Any:  # noqa: ANN401 - as it is
    response = await site.ask("GET", target, token=token)
    assert response.status == 200, response.content
    return json.loads(response.content)["data"]


async def document_id(site: Site, title: str) -> str:
    (found,) = await data(site, f"articles?filters[title]={title}")
    return str(found["documentId"])


async def test_lists_totals_and_single_documents_have_no_other_rows(site: Site) -> None:
    rules = {f"{ARTICLE}.{verb}": OF_THE_SEA for verb in ("find", "findOne")}
    token = await somebody(site, rules)
    response = await site.ask("GET", "articles", token=token)
    found = json.loads(response.content)
    assert [article["title"] for article in found["data"]] == ["Tides"]
    assert found["meta"]["pagination"]["total"] == 1
    assert len(await data(site, "articles")) == 3
    hidden = next(a for a in await data(site, "articles") if a["title"] != "Tides")
    target = f"articles/{hidden['documentId']}"
    assert (await site.ask("GET", target)).status == 200
    assert (await site.ask("GET", target, token=token)).status == 404
    shown = await site.ask("GET", f"articles/{await document_id(site, 'Tides')}", token=token)
    assert shown.status == 200


@pytest.mark.parametrize("query", ["", "?sort=title", "?_q=Mine&pagination[withCount]=false"])
async def test_a_row_that_is_somebody_elses_now_is_not_shown_any_more(
    site: Site, query: str
) -> None:
    """Also after the list was requested before."""
    token = await somebody(site, {f"{ARTICLE}.find": {"code": {"$eq": "$user.username"}}})
    mine = {"data": {"title": "Mine", "code": "ada"}}
    assert (await site.post("articles", mine, token="full")).status == 201
    for _ in range(3):
        assert [found["title"] for found in await data(site, f"articles{query}", token)] == ["Mine"]
    target = f"articles/{await document_id(site, 'Mine')}"
    given = await site.ask("PUT", target, {"data": {"code": "bob"}}, token="full")
    assert given.status == 200
    assert await data(site, f"articles{query}", token) == []


async def test_a_filter_narrows_a_rule_and_never_widens_it(site: Site) -> None:
    token = await somebody(site, {f"{ARTICLE}.find": OF_THE_SEA})
    for query in (
        "filters[$or][0][id][$notNull]=true&filters[$or][1][id][$null]=true",
        "filters[$not][title]=x",
        "filters[category][name]=Harbour",
        "filters[category][name][$ne]=Sea",
        "_q=Fish",
        "locale=*&status=draft",
        "filters[locale]=en",
    ):
        found = await data(site, f"articles?{query}&populate=category", token)
        assert {article["category"]["name"] for article in found} <= {"Sea"}


async def test_hidden_rows_are_neither_populated_nor_counted_nor_filtered_by(site: Site) -> None:
    token = await somebody(site, {f"{CATEGORY}.find": {"name": "Sea"}})
    found = await data(site, "articles?populate=category&sort=id", token)
    shown = {article["title"]: article["category"] for article in found}
    assert shown.pop("Tides")["name"] == "Sea"
    assert list(shown.values()) == [None, None]
    counted = await data(site, "articles?populate[category][count]=true", token)
    assert sum(article["category"]["count"] for article in counted) == 1
    for query, titles in (
        ("filters[category][name]=Harbour", set()),
        ("filters[category][budget][$null]=true", None),
        ("filters[category][id][$notNull]=true", {"Tides"}),
        ("filters[category][id][$null]=true", set(shown)),
        ("filters[$not][category][name]=Harbour", None),
        ("filters[category][parent][name]=Sea", set()),
    ):
        response = await site.ask("GET", f"articles?{query}", token=token)
        if response.status == 200 and titles is not None:
            assert {a["title"] for a in json.loads(response.content)["data"]} == titles, query
        elif titles is not None:
            pytest.fail(f"{query}: {response.content!r}")
    sorted_by = await site.ask("GET", "articles?sort=category.name", token=token)
    assert (sorted_by.status, message(sorted_by)) == (400, "Invalid key category")


async def test_related_articles_keep_the_rule_at_every_level(site: Site) -> None:
    token = await somebody(site, {f"{ARTICLE}.find": OF_THE_SEA})
    (tides,) = await data(site, "articles?populate[related][populate]=relatedBy", token)
    assert tides["related"] == []
    full = await data(site, f"articles/{tides['documentId']}?populate=related")
    assert [a["title"] for a in full["related"]] != []
    found = await data(site, "categories?populate=articles", token)
    titles = [article["title"] for category in found for article in category["articles"]]
    assert titles == ["Tides"]


async def test_a_rule_can_speak_of_who_asks(site: Site) -> None:
    own = {"code": {"$eq": "$user.username"}}
    token = await somebody(site, {action: own for action in EVERYTHING if action.count("find")})
    assert await data(site, "articles", token) == []
    body = {"data": {"title": "Mine", "code": "ada"}}
    assert (await site.post("articles", body, token=token)).status == 201
    assert [article["title"] for article in await data(site, "articles", token)] == ["Mine"]
    role = site.role("press")
    await site.make_user("eve", role)
    assert await data(site, "articles", await site.sign_in("eve")) == []


async def test_visitors_keep_no_rule_that_speaks_of_a_user(site: Site) -> None:
    public = site.role("public")
    rule = {"$or": [{"id": {"$notNull": True}}, {"id": "$user.id"}]}
    granted = permissions({f"{ARTICLE}.find": rule})
    body = {"name": "Public", "permissions": granted}
    response = await site.ask("PUT", f"users-permissions/roles/{public}", body, token="full")
    assert response.status == 200, response.content
    response = await site.ask("GET", "articles")
    assert json.loads(response.content)["data"] == []


async def test_what_is_not_in_reach_is_not_changed(site: Site) -> None:
    rules = {f"{ARTICLE}.{verb}": OF_THE_SEA for verb in ("create", "update", "delete")}
    token = await somebody(site, rules)
    tides = await document_id(site, "Tides")
    other = next(a for a in await data(site, "articles") if a["title"] != "Tides")["documentId"]
    sea = (await data(site, "categories?filters[name]=Sea"))[0]["documentId"]
    harbour = (await data(site, "categories?filters[name]=Harbour"))[0]["documentId"]
    before = site.sql("SELECT * FROM articles ORDER BY id")
    links = site.sql("SELECT * FROM articles_category_lnk ORDER BY id")
    change = {"data": {"kind": "essay"}}
    batch = {
        "operations": [
            {"action": "update", "type": "articles", "documentId": tides, **change},
            {"action": "unpublish", "type": "articles", "documentId": other},
        ]
    }
    for method, target, body in (
        ("PUT", f"articles/{other}", change),
        ("DELETE", f"articles/{other}", None),
        ("PUT", f"articles/{tides}", {"data": {"category": harbour}}),
        ("POST", "articles", {"data": {"title": "New", "category": harbour}}),
        ("POST", "articles", {"data": {"title": "New"}}),
        ("POST", "_batch", batch),
    ):
        response = await site.ask(method, target, body, token=token)
        assert response.status == 403, (method, target, response.content)
    assert site.sql("SELECT * FROM articles ORDER BY id") == before
    assert site.sql("SELECT * FROM articles_category_lnk ORDER BY id") == links

    assert (await site.ask("PUT", f"articles/{tides}", change, token=token)).status == 200
    body = {"data": {"title": "New", "category": sea}}
    assert (await site.post("articles", body, token=token)).status == 201
    assert (await site.ask("PUT", f"articles/{'x' * 24}", change, token=token)).status == 404
    assert (await site.ask("DELETE", f"articles/{tides}", token=token)).status == 204


async def test_a_rule_stays_until_it_is_taken_back(site: Site) -> None:
    token = await somebody(site, {f"{ARTICLE}.find": OF_THE_SEA})
    role = f"users-permissions/roles/{site.role('press')}"
    shown = json.loads((await site.ask("GET", role, token="full")).content)["role"]
    find = shown["permissions"]["api::article"]["controllers"]["article"]["find"]
    assert find == {"enabled": True, "policy": "", "rule": OF_THE_SEA}
    stored = f"SELECT value FROM strapi_core_store_settings WHERE {KEY}"
    assert json.loads(site.sql(stored)[0][0]) == {
        shown["documentId"]: {f"{ARTICLE}.find": OF_THE_SEA}
    }

    for granted, count in (
        (tree(f"{ARTICLE}.find"), 1),
        (permissions({f"{ARTICLE}.find": {"rank": {"$gte": 1}}}), 2),
        (permissions({f"{ARTICLE}.find": None}), 3),
    ):
        body = {"name": "press", "permissions": granted}
        assert (await site.ask("PUT", role, body, token="full")).status == 200
        assert len(await data(site, "articles", token)) == count
    assert json.loads(site.sql(stored)[0][0]) == {}


@pytest.mark.parametrize(
    ("action", "rule", "said"),
    [
        (f"{ARTICLE}.find", {"nope": 1}, "Invalid key nope"),
        (f"{ARTICLE}.find", {"passcode": {"$null": True}}, "Invalid key passcode"),
        (f"{ARTICLE}.find", {"title": {"$nope": 1}}, "Invalid key $nope"),
        (f"{ARTICLE}.find", {"rank": "$user.rank"}, "A rule can speak of"),
        (f"{ARTICLE}.find", "x", "A rule is an object of filters"),
        (f"{ARTICLE}.find", {}, "A rule is an object of filters"),
        (f"{ARTICLE}.find", {"title": "x" * 5000}, "A rule has at most"),
        ("plugin::email.email.send", {"id": 1}, "plugin::email.email.send is not taken on rows"),
    ],
)
async def test_what_is_no_rule_is_refused(site: Site, action: str, rule: object, said: str) -> None:
    body = {"name": "press", "permissions": permissions({action: rule}, action)}
    response = await site.post("users-permissions/roles", body, token="full")
    assert response.status == 400
    assert message(response).startswith(said)


async def test_private_attributes_decide_but_are_not_shown(site: Site) -> None:
    token = await somebody(site, {f"{ARTICLE}.find": {"secret": {"$contains": "one"}}})
    (found,) = await data(site, "articles", token)
    assert found["title"] == "Tides"
    assert "secret" not in found


async def test_a_rule_that_makes_no_sense_any_more_lets_nothing_by(site: Site) -> None:
    token = await somebody(site, {f"{ARTICLE}.find": OF_THE_SEA})
    ((text,),) = site.sql(f"SELECT value FROM strapi_core_store_settings WHERE {KEY}")
    changed = text.replace('"name"', '"gone"')
    site.execute(f"UPDATE strapi_core_store_settings SET value = ? WHERE {KEY}", changed)
    assert await data(site, "articles", token) == []


async def test_who_is_held_by_a_rule_gives_no_role_without_it(site: Site) -> None:
    granting = "plugin::users-permissions.role.updateRole"
    token = await somebody(site, {f"{ARTICLE}.find": OF_THE_SEA}, granting)
    role = f"users-permissions/roles/{site.role('press')}"
    for rule in (None, {"id": {"$notNull": True}}):
        granted = permissions({f"{ARTICLE}.find": rule}, granting)
        response = await site.ask("PUT", role, {"name": "p", "permissions": granted}, token=token)
        assert response.status == 403
    other = await site.make_role("other")
    body = {"name": "other", "permissions": tree(f"{ARTICLE}.find")}
    response = await site.ask("PUT", f"users-permissions/roles/{other}", body, token=token)
    assert response.status == 403
