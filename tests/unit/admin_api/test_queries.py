"""Query parameters and bodies of administrators' lists have the reference's meaning.

What is expected here was asked of the reference, on the recorded project.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization, sign_in

ARTICLE = "api::article.article"
APPLE = "kvs6ljh4bigue2ssvg2vmk14"
CAPITALS = "ctwz165unnvcn25xzvaf4p3k"
PIE = "sk3386umdznugwtoreni4k2j"
WITH_AUTHOR = "idv9evzehd13skdphs9yegnj"
PASSWORD = "Correct1horse"


class Manager:
    """Sends requests of one administrator."""

    def __init__(self, client: AsgiClient, token: str) -> None:
        self._client = client
        self._headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}

    async def __call__(self, method: str, target: str, body: object = None) -> tuple[int, Any]:
        content = b"" if body is None else json.dumps(body).encode()
        response = await self._client.request(method, target, self._headers, content)
        return response.status, response.json

    async def ok(self, method: str, target: str, body: object = None) -> Any:  # noqa: ANN401 - any JSON
        status, response = await self(method, target, body)
        assert status in {200, 201}, (target, response)
        return response


@asynccontextmanager
async def served(project: Path) -> AsyncIterator[AsgiClient]:
    overrides = {"admin.rate_limit.enabled": False}
    async with running(
        build_app(load_settings(project, environ={}, overrides=overrides))
    ) as client:
        yield client


async def manager(client: AsgiClient) -> Manager:
    """Sign in whoever may do everything."""
    headers = await AdminAuthorization(client, credentials()).headers("admin")
    return Manager(client, headers["Authorization"].removeprefix("Bearer "))


@pytest.fixture(scope="module")
async def manage(shared_recorded: Path) -> AsyncIterator[Manager]:
    """For tests that only read: they share a site."""
    async with served(shared_recorded) as client:
        yield await manager(client)


@pytest.fixture
async def own_client(own_recorded: Path) -> AsyncIterator[AsgiClient]:
    async with served(own_recorded) as client:
        yield client


@pytest.fixture
async def own_manage(own_client: AsgiClient) -> Manager:
    return await manager(own_client)


async def limited(client: AsgiClient, manage: Manager, permissions: list[object]) -> Manager:
    """Return an administrator with exactly these permissions."""
    role = (await manage.ok("POST", "/admin/roles", {"name": "Limited", "description": ""}))["data"]
    await manage.ok("PUT", f"/admin/roles/{role['id']}/permissions", {"permissions": permissions})
    admin_user = {
        "firstname": "L",
        "lastname": "M",
        "email": "l@example.com",
        "roles": [role["id"]],
    }
    token = (await manage.ok("POST", "/admin/users", admin_user))["data"]["registrationToken"]
    own = {"firstname": "L", "lastname": "M", "password": PASSWORD}
    await manage.ok("POST", "/admin/register", {"registrationToken": token, "userInfo": own})
    signed_in = {"email": admin_user["email"], "password": PASSWORD}
    return Manager(
        client, await sign_in(client, {name: str(signed_in[name]) for name in signed_in})
    )


# Relations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("", "Ada Lovelace"),
        ("?sort=id:desc", "No Articles"),
        ("?sort[0]=name:desc", "村上春樹"),
        ("?sort[name]=desc", "村上春樹"),
        ("?filters[nope]=1", "Ada Lovelace"),
        ("?filters[$or][0][nope]=1&filters[$or][1][name][$contains]=Articles", "No Articles"),
    ],
)
async def test_what_a_relation_may_lead_to_can_be_sorted(
    manage: Manager, query: str, first: str
) -> None:
    found = await manage.ok("GET", f"/content-manager/relations/{ARTICLE}/author{query}")
    assert found["results"][0]["name"] == first


async def test_an_order_by_what_is_no_attribute_is_400(manage: Manager) -> None:
    status, _ = await manage("GET", f"/content-manager/relations/{ARTICLE}/author?sort=nope")
    assert status == 400


@pytest.mark.parametrize("query", ["?pageSize=3", "?page=2", "?page=2&pageSize=1"])
async def test_a_relation_to_one_has_no_pages(manage: Manager, query: str) -> None:
    path = f"/content-manager/relations/{ARTICLE}/{WITH_AUTHOR}/author"
    usual = await manage.ok("GET", path)
    assert await manage.ok("GET", path + query) == usual
    assert usual["pagination"] == {"page": 1, "pageSize": 10, "pageCount": 1, "total": 1}


# Roles and administrators ------------------------------------------------------------------------


async def test_roles_are_listed_with_the_fields_that_are_asked_for(manage: Manager) -> None:
    found = (await manage.ok("GET", "/admin/roles?fields=name"))["data"]
    assert {frozenset(role) for role in found} == {
        frozenset({"id", "documentId", "name", "usersCount"})
    }
    every = (await manage.ok("GET", "/admin/roles"))["data"]
    assert (await manage.ok("GET", "/admin/roles?fields=*"))["data"] == every
    assert (await manage("GET", "/admin/roles?fields[0]=name&fields[1]=nope"))[0] == 400


async def test_roles_are_listed_from_a_start_to_a_limit(manage: Manager) -> None:
    every = (await manage.ok("GET", "/admin/roles"))["data"]
    assert (await manage.ok("GET", "/admin/roles?start=1&limit=1"))["data"] == every[1:2]


@pytest.mark.parametrize(
    "filters",
    [
        "filters[nope]=1",
        "filters[nope][$eq]=1",
        "filters[$and][0][nope]=1",
        "filters[$not][nope]=1",
        "filters[$nope]=1",
        "filters[id][$nope]=1",
        "filters[id][nope]=1",
    ],
)
@pytest.mark.parametrize(
    "path", ["/admin/users", "/admin/roles", "/upload/files", "/upload/folders"]
)
async def test_unknown_keys_in_filters_count_for_nothing(
    manage: Manager, path: str, filters: str
) -> None:
    assert await manage.ok("GET", f"{path}?{filters}") == await manage.ok("GET", path)


async def test_what_remains_of_a_filter_with_an_unknown_key_holds(manage: Manager) -> None:
    filters = "filters[$or][0][nope]=1&filters[$or][1][name]=Editor"
    found = (await manage.ok("GET", f"/admin/roles?{filters}"))["data"]
    assert [role["name"] for role in found] == ["Editor"]


@pytest.mark.parametrize("filters", ["filters[password]=x", "filters[roles][nope]=x"])
async def test_filters_by_secrets_of_administrators_are_400(manage: Manager, filters: str) -> None:
    assert (await manage("GET", f"/admin/users?{filters}"))[0] == 400


# Permission checks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        (
            {"permissions": [{"action": "admin::users.read", "nope": 1, "other": 2}], "more": 1},
            ["permissions[0] field has unspecified keys: nope, other"],
        ),
        (
            {"permissions": [{"nope": 1}]},
            [
                "permissions[0].action is a required field",
                "permissions[0] field has unspecified keys: nope",
            ],
        ),
        (
            {"permissions": [{"action": "admin::users.read", "field": None}]},
            ["permissions[0].field must be a `string` type, but the final value was: `null`."],
        ),
    ],
)
async def test_a_check_of_permissions_refuses_unknown_keys(
    manage: Manager, body: object, messages: list[str]
) -> None:
    status, response = await manage("POST", "/admin/permissions/check", body)
    found = [error["message"] for error in response["error"]["details"]["errors"]]
    assert (status, found) == (400, messages)


async def test_a_check_of_permissions_passes_over_keys_beside_the_list(manage: Manager) -> None:
    body = {"permissions": [{"action": "admin::users.read", "subject": None}], "more": 1}
    assert (await manage.ok("POST", "/admin/permissions/check", body))["data"] == [True]


# Folders -----------------------------------------------------------------------------------------


async def test_a_folder_is_shown_with_everything_that_is_asked_for(manage: Manager) -> None:
    folder = (await manage.ok("GET", "/upload/folders/1?populate=*"))["data"]
    files = (await manage.ok("GET", "/upload/files?filters[folder][id]=1&pageSize=100"))["results"]
    assert sorted(file["id"] for file in folder["files"]) == sorted(file["id"] for file in files)
    assert (folder["children"], folder["parent"], folder["localizations"]) == ([], None, [])
    assert "folder" not in folder["files"][0]


@pytest.mark.parametrize(
    ("populate", "children", "files"),
    [
        ("", {"count": 0}, {"count": 14}),
        ("?populate=parent", None, None),
        ("?populate=nope", None, None),
        ("?populate=children", [], None),
        ("?populate[parent]=true", {"count": 0}, {"count": 14}),
        ("?populate[children]=true", [], {"count": 14}),
        ("?populate[files][count]=true", {"count": 0}, {"count": 14}),
    ],
)
async def test_what_a_folder_holds_is_counted_unless_it_is_asked_for(
    manage: Manager, populate: str, children: object, files: object
) -> None:
    folder = (await manage.ok("GET", f"/upload/folders/1{populate}"))["data"]
    assert (folder.get("children"), folder.get("files")) == (children, files)


async def test_filters_hold_for_a_single_folder(manage: Manager) -> None:
    assert (await manage("GET", "/upload/folders/1?filters[name]=x"))[0] == 404


async def test_a_folder_shows_only_files_that_may_be_seen(
    own_client: AsgiClient, own_manage: Manager
) -> None:
    own = {"action": "plugin::upload.read", "conditions": ["admin::is-creator"]}
    admin_user = await limited(own_client, own_manage, [own])
    assert (await admin_user.ok("GET", "/upload/folders/1?populate=*"))["data"]["files"] == []


# Before publishing -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({}, [(CAPITALS, "en"), (APPLE, "en"), (PIE, "en")]),
        ({"sort": "title:desc"}, [(PIE, "en"), (APPLE, "en"), (CAPITALS, "en")]),
        ({"sort": {"id": "desc"}}, [(CAPITALS, "en"), (PIE, "en"), (APPLE, "en")]),
        ({"locale": "fr"}, [(APPLE, "fr")]),
        (
            {"locale": ["en", "fr"]},
            [(CAPITALS, "en"), (APPLE, "en"), (APPLE, "fr"), (PIE, "en")],
        ),
    ],
)
async def test_entries_to_check_come_in_the_order_and_the_locales_of_the_body(
    manage: Manager, body: dict[str, object], found: list[tuple[str, str]]
) -> None:
    path = f"/content-manager/collection-types/{ARTICLE}/actions/bulkFindForValidation"
    response = await manage.ok("POST", path, {"documentIds": [PIE, APPLE, CAPITALS], **body})
    assert [(entry["documentId"], entry["locale"]) for entry in response["results"]] == found


@pytest.mark.parametrize("body", [{"locale": "zz"}, {"locale": 5}, {"sort": "nope"}])
async def test_entries_to_check_in_what_is_no_locale_or_order_are_400(
    manage: Manager, body: dict[str, object]
) -> None:
    path = f"/content-manager/collection-types/{ARTICLE}/actions/bulkFindForValidation"
    assert (await manage("POST", path, {"documentIds": [PIE], **body}))[0] == 400


# Components in part ------------------------------------------------------------------------------


async def test_who_may_read_a_part_of_a_component_can_change_it_in_place(
    own_client: AsgiClient, own_manage: Manager
) -> None:
    granted = {"fields": ["title", "seo.metaTitle", "links.url"], "locales": ["en"]}
    admin_user = await limited(
        own_client,
        own_manage,
        [
            {
                "action": f"plugin::content-manager.explorer.{action}",
                "subject": ARTICLE,
                "properties": granted,
                "conditions": [],
            }
            for action in ("read", "update")
        ],
    )
    list_path = f"/content-manager/collection-types/{ARTICLE}"
    whole = {
        "title": "Whole",
        "seo": {"metaTitle": "m", "metaDescription": "stays"},
        "links": [{"text": "stays", "url": "/a"}],
    }
    path = f"{list_path}/{(await own_manage.ok('POST', list_path, whole))['data']['documentId']}"
    seen = (await admin_user.ok("GET", path))["data"]
    assert (seen["seo"].keys(), seen["links"][0].keys()) == (
        {"id", "metaTitle"},
        {"id", "url"},
    )
    changed = {
        "seo": {**seen["seo"], "metaTitle": "n"},
        "links": [{**seen["links"][0], "url": "/b"}],
    }
    await admin_user.ok("PUT", path, changed)
    after = (await own_manage.ok("GET", path))["data"]
    assert (after["seo"]["metaTitle"], after["seo"]["metaDescription"]) == ("n", "stays")
    assert (after["links"][0]["url"], after["links"][0]["text"]) == ("/b", "stays")
    listed = (await admin_user.ok("GET", f"{list_path}?filters[title]=Whole"))["results"]
    assert listed[0]["seo"] == {"id": seen["seo"]["id"], "metaTitle": "n"}
