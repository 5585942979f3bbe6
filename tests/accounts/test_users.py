"""Management of end users by other end users."""

import json

import pytest

from tests.accounts.site import ADVANCED, PASSWORD, JsonObject, Site, message

USERS = "plugin::users-permissions.user"
MANAGING = tuple(f"{USERS}.{action}" for action in ("create", "update", "destroy", "find"))


async def manager(site: Site, *actions: str) -> str:
    """Create a user with these actions besides managing users; returns the token."""
    role = await site.make_role("manager", *MANAGING, *actions)
    await site.make_user("max", role)
    return await site.sign_in("max")


def body(**more: object) -> dict[str, object]:
    return {"username": "ada", "email": "ada@example.org", "password": PASSWORD, **more}


async def test_a_role_is_given_by_id_or_by_document(site: Site) -> None:
    role = site.role("authenticated")
    (document,) = site.sql("SELECT document_id FROM up_roles WHERE id = ?", role)[0]
    for number, given in enumerate(
        (role, str(role), {"connect": [{"id": role}]}, {"connect": [{"documentId": document}]})
    ):
        user = body(username=f"ada{number}", email=f"ada{number}@example.org", role=given)
        response = await site.post("users", user, token="full")
        assert response.status == 201, response.content
        assert json.loads(response.content)["role"]["id"] == role


@pytest.mark.parametrize(
    ("role", "said"),
    [
        ({"connect": []}, "Users must have a role"),
        ({}, "role.connect is a required field"),
        ({"connect": [{}]}, "Relation entry must include an id or documentId"),
        ([], "role must be a `object` type, but the final value was: `[]`."),
        (True, "role must be a `strapiID` type, but the final value was: `true`."),
    ],
)
async def test_a_user_is_not_made_without_a_role(site: Site, role: object, said: str) -> None:
    response = await site.post("users", body(role=role), token="full")
    assert (response.status, message(response)) == (400, said)


@pytest.mark.parametrize("role", ["", 0])
async def test_a_blank_role_is_the_default_one(site: Site, role: object) -> None:
    site.set(ADVANCED, default_role="public")
    response = await site.post("users", body(role=role), token="full")
    assert response.status == 201, response.content
    assert json.loads(response.content)["role"]["type"] == "public"
    site.set(ADVANCED, default_role="nope")
    other = body(username="eve", email="eve@example.org", role=role)
    refused = await site.post("users", other, token="full")
    assert (refused.status, message(refused)) == (400, "Impossible to find the default role")


async def test_a_role_can_be_replaced_but_not_taken_away(site: Site) -> None:
    user = await site.make_user("ada")
    role = site.role("authenticated")
    gone = {"role": {"disconnect": [{"id": role}]}}
    response = await site.ask("PUT", f"users/{user['id']}", gone, token="full")
    assert (response.status, message(response)) == (400, "Cannot remove role")
    other = {"role": {"connect": [{"id": site.role("public")}], **gone["role"]}}
    response = await site.ask("PUT", f"users/{user['id']}", other, token="full")
    assert json.loads(response.content)["role"]["type"] == "public"


async def test_h037_codes_and_what_the_server_writes_are_not_set_from_outside(site: Site) -> None:
    more: JsonObject = {"resetPasswordToken": "f" * 128, "confirmationToken": "c" * 40}
    user = await site.make_user("ada", **more, documentId="a" * 24, createdBy=1)
    assert user["documentId"] != "a" * 24
    await site.ask("PUT", f"users/{user['id']}", more, token="full")
    found = site.sql(
        "SELECT reset_password_token, confirmation_token, created_by_id FROM up_users WHERE id = ?",
        user["id"],
    )
    assert found == [(None, None, None)]


async def test_h037_who_manages_users_gives_no_role_beyond_their_own(site: Site) -> None:
    token = await manager(site, "api::article.article.find")
    strong = await site.make_role("strong", "api::article.article.delete")
    weak = await site.make_role("weak", "api::article.article.find")
    refused = await site.post("users", body(role=strong), token=token)
    assert refused.status == 403
    assert not site.sql("SELECT id FROM up_users WHERE username = 'ada'")
    made = await site.post("users", body(role=weak), token=token)
    assert made.status == 201
    user = json.loads(made.content)["id"]
    raised = await site.ask("PUT", f"users/{user}", {"role": strong}, token=token)
    assert raised.status == 403
    me = json.loads((await site.ask("GET", "users?filters[username]=max", token="full")).content)
    raised = await site.ask("PUT", f"users/{me[0]['id']}", {"role": strong}, token=token)
    assert raised.status == 403


async def test_h037_who_manages_users_leaves_those_alone_who_may_do_more(site: Site) -> None:
    token = await manager(site)
    strong = await site.make_role("strong", "api::article.article.delete")
    boss = await site.make_user("boss", strong)
    before = site.sql("SELECT * FROM up_users WHERE id = ?", boss["id"])
    for method, change in (("PUT", {"password": "another-Pass-1"}), ("DELETE", None)):
        response = await site.ask(method, f"users/{boss['id']}", change, token=token)
        assert response.status == 403
    assert site.sql("SELECT * FROM up_users WHERE id = ?", boss["id"]) == before


async def test_relations_to_what_the_caller_may_not_find_are_not_written(site: Site) -> None:
    token = await manager(site)
    response = await site.post(
        "users", body(role=site.role("authenticated"), localizations=["x"]), token=token
    )
    assert response.status == 201


async def test_a_user_that_is_gone_takes_its_token_along(site: Site) -> None:
    user = await site.make_user("ada")
    token = await site.sign_in("ada")
    assert (await site.ask("DELETE", f"users/{user['id']}", token="full")).status == 200
    again = await site.make_user("eve")
    assert again["id"] != user["id"]
    response = await site.ask("GET", "users/me", token=token)
    assert (response.status, message(response)) == (401, "Invalid credentials")


async def test_nobody_gets_a_name_with_which_another_user_signs_in(site: Site) -> None:
    """Nobody takes the e-mail of another user as a name, or their name as an e-mail."""
    token = await manager(site)
    me = json.loads((await site.ask("GET", "users?filters[username]=max", token="full")).content)
    role = site.role("authenticated")
    await site.make_user("ada")
    await site.make_user("eve@example.com", email="eve@example.org")
    for values in ({"username": "ada@example.org"}, {"email": "eve@example.com"}):
        changed = await site.ask("PUT", f"users/{me[0]['id']}", values, token=token)
        made = await site.post(
            "users",
            {**body(username="new", email="new@example.org", role=role), **values},
            token=token,
        )
        assert (changed.status, made.status) == (400, 400)
    await site.sign_in("ada@example.org")
    await site.sign_in("eve@example.com")
    registered = await site.post(
        "auth/local/register",
        {"username": "Ada@example.org", "email": "new@example.org", "password": PASSWORD},
    )
    assert registered.status == 400
    own = {"username": "max@example.org"}
    assert (await site.ask("PUT", f"users/{me[0]['id']}", own, token=token)).status == 200
