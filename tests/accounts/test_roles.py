"""Roles as data: changed permissions apply to the next request."""

import json

import pytest

from tests.accounts.site import Site, message, open_site, tree

ARTICLES = "api::article.article."
ROLES = "plugin::users-permissions.role."


async def put(site: Site, role: int, *actions: str, token: str = "full") -> int:
    body = {"name": "changed", "permissions": tree(*actions)}
    response = await site.ask("PUT", f"users-permissions/roles/{role}", body, token=token)
    return response.status


async def test_a_grant_and_its_end_hold_on_the_next_request(site: Site) -> None:
    role = await site.make_role("press")
    await site.make_user("ada", role)
    token = await site.sign_in("ada")
    assert (await site.ask("GET", "articles", token=token)).status == 403
    assert await put(site, role, f"{ARTICLES}find") == 200
    assert (await site.ask("GET", "articles", token=token)).status == 200
    assert await put(site, role) == 200
    assert (await site.ask("GET", "articles", token=token)).status == 403


async def test_it_holds_in_every_process(site: Site) -> None:
    role = await site.make_role("press")
    await site.make_user("ada", role)
    token = await site.sign_in("ada")
    async with open_site(site.project, site.inbox) as other:
        assert (await other.ask("GET", "articles", token=token)).status == 403
        await put(site, role, f"{ARTICLES}find")
        assert (await other.ask("GET", "articles", token=token)).status == 200
        await put(site, role)
        assert (await other.ask("GET", "articles", token=token)).status == 403


async def test_permissions_are_one_row_for_each_action(site: Site) -> None:
    role = await site.make_role("press", f"{ARTICLES}find", f"{ARTICLES}findOne")
    sql = (
        "SELECT p.id, p.action FROM up_permissions p JOIN up_permissions_role_lnk l "
        "ON l.permission_id = p.id WHERE l.role_id = ? ORDER BY l.permission_ord"
    )
    (find, _), _ = before = site.sql(sql, role)
    assert [action for _, action in before] == [f"{ARTICLES}find", f"{ARTICLES}findOne"]
    await put(site, role, f"{ARTICLES}find", f"{ARTICLES}create")
    assert site.sql(sql, role) == [(find, f"{ARTICLES}find"), (find + 2, f"{ARTICLES}create")]
    assert not site.sql("SELECT * FROM up_permissions WHERE id = ?", find + 1)


async def test_actions_that_nobody_knows_are_kept_but_not_added(site: Site) -> None:
    role = await site.make_role("press", "api::gone.gone.find")
    assert not site.sql("SELECT * FROM up_permissions WHERE action = 'api::gone.gone.find'")
    own = await site.make_role("own", f"{ARTICLES}find")
    site.execute("UPDATE up_permissions SET action = ? WHERE id = ?", "api::x.x.ring", last(site))
    await put(site, own, "api::x.x.ring", "api::y.y.ring")
    assert last(site, "api::x.x.ring")
    assert not site.sql("SELECT * FROM up_permissions WHERE action = 'api::y.y.ring'")
    await put(site, role)
    await put(site, own)
    assert not site.sql("SELECT * FROM up_permissions WHERE action = 'api::x.x.ring'")


def last(site: Site, action: str = f"{ARTICLES}find") -> int:
    (found,) = site.sql("SELECT max(id) FROM up_permissions WHERE action = ?", action)[0]
    return int(found or 0)


async def test_users_of_a_role_that_is_deleted_become_users_of_the_public_one(site: Site) -> None:
    role = await site.make_role("press", f"{ARTICLES}find")
    for name in ("ada", "eve"):
        await site.make_user(name, role)
    response = await site.ask("DELETE", f"users-permissions/roles/{role}", token="full")
    assert response.status == 200
    users = await site.ask(
        "GET", "users?populate=role&filters[username][$in]=ada,eve", token="full"
    )
    assert {user["role"]["type"] for user in json.loads(users.content)} <= {"public"}
    orders = site.sql(
        "SELECT user_ord FROM up_users_role_lnk WHERE role_id = ?", site.role("public")
    )
    assert len(set(orders)) == len(orders) == 2
    assert not site.sql("SELECT * FROM up_permissions_role_lnk WHERE role_id = ?", role)


async def test_h045_nobody_grants_what_they_may_not_do(site: Site) -> None:
    actions = (f"{ROLES}createRole", f"{ROLES}updateRole", f"{ARTICLES}find")
    role = await site.make_role("granting", *actions)
    await site.make_user("max", role)
    token = await site.sign_in("max")
    rise = (*actions, f"{ARTICLES}delete")
    assert await put(site, role, *rise, token=token) == 403
    body = {"name": "new", "permissions": tree(f"{ARTICLES}delete")}
    assert (await site.post("users-permissions/roles", body, token=token)).status == 403
    assert (await site.ask("DELETE", "articles/x", token=token)).status == 403
    body = {"name": "new", "permissions": tree(f"{ARTICLES}find")}
    assert (await site.post("users-permissions/roles", body, token=token)).status == 200


@pytest.mark.parametrize(
    "body",
    [
        {"name": {"$ne": None}},
        {"name": "a\0b"},
        {"name": "x" * 256},
        {"name": "x", "permissions": []},
        {"name": "x", "permissions": {"api::article": []}},
        {"name": "x", "permissions": {"api::article": {"controllers": 1}}},
        {"name": "x", "permissions": {"api::article": {"controllers": {"article": {"find": 1}}}}},
        [],
        {},
    ],
)
async def test_what_is_no_role_is_refused(shared_site: Site, body: object) -> None:
    before = shared_site.sql("SELECT count(*) FROM up_roles")
    response = await shared_site.post("users-permissions/roles", body, token="full")
    assert response.status == 400
    assert message(response)
    assert shared_site.sql("SELECT count(*) FROM up_roles") == before
