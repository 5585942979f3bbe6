"""Administrators of end-user roles send requests for content as an end user."""

from typing import Any

import orjson

from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_admin_users import clerk

OWN = "/admin/x"
USERS = "/content-manager/collection-types/plugin::users-permissions.user"
PUBLIC = 2
AUTHENTICATED = 1


async def grant(office: Office, role: int, *actions: str) -> None:
    body = {
        "name": "Role",
        "permissions": {
            "api::paper": {"controllers": {"paper": {name: {"enabled": True} for name in actions}}}
        },
    }
    reply = await office.ask("PUT", f"/users-permissions/roles/{role}", body, token=office.boss)
    assert reply.status == 200


async def ask_as(office: Office, who: str, path: str) -> tuple[int, dict[str, Any], Any]:
    reply = await office.ask("POST", f"{OWN}/{who}/request", {"path": path}, token=office.boss)
    assert reply.status == 200
    return reply.data["status"], orjson.loads(reply.data["body"]), reply.data["role"]


async def end_user(office: Office, **changed: object) -> int:
    values = {
        "username": "ada",
        "email": "ada@example.org",
        "password": "Secret123!pass",
        "confirmed": True,
        "blocked": False,
        "role": {"connect": [{"id": AUTHENTICATED}]},
        **changed,
    }
    reply = await office.ask("POST", USERS, values, token=office.boss)
    assert reply.status == 201
    return int(reply.json["id"])


async def test_a_role_is_answered_by_what_it_grants(office: Office) -> None:
    await grant(office, AUTHENTICATED, "find")

    status, body, role = await ask_as(
        office, f"end-user-roles/{AUTHENTICATED}", "/api/papers?pagination[pageSize]=1"
    )
    assert (status, role) == (200, AUTHENTICATED)
    assert body["meta"]["pagination"]["pageSize"] == 1
    status, body, _ = await ask_as(office, f"end-user-roles/{AUTHENTICATED}", "/api/papers/abc")
    assert (status, body["error"]["name"]) == (403, "ForbiddenError")
    await grant(office, PUBLIC)
    status, _, _ = await ask_as(office, f"end-user-roles/{PUBLIC}", "/api/papers")
    assert status in {401, 403}


async def test_only_content_is_read(office: Office) -> None:
    for path in ("/api/auth/email-confirmation?confirmation=x", "/api/users/me", "/admin/users"):
        status, _, _ = await ask_as(office, f"end-user-roles/{AUTHENTICATED}", path)
        assert status == 404
    for wrong in ({}, {"path": "papers"}, {"path": 5}):
        reply = await office.ask(
            "POST", f"{OWN}/end-user-roles/1/request", wrong, token=office.boss
        )
        assert reply.status == 400


async def test_an_end_user_is_answered_unless_blocked(office: Office) -> None:
    await grant(office, AUTHENTICATED, "find")
    user = await end_user(office)

    status, _, role = await ask_as(office, f"end-users/{user}", "/api/papers")
    assert (status, role) == (200, AUTHENTICATED)
    blocked = await end_user(office, username="bob", email="b@example.org", blocked=True)
    reply = await office.ask(
        "POST", f"{OWN}/end-users/{blocked}/request", {"path": "/api/papers"}, token=office.boss
    )
    assert reply.status == 400


async def test_it_is_audited_and_for_those_who_manage_roles(office: Office) -> None:
    await ask_as(office, f"end-user-roles/{PUBLIC}", "/api/papers")
    [row, *_] = (await office.ask("GET", f"{OWN}/audit", token=office.boss)).data
    assert (row["action"], row["target"]) == (
        "POST /admin/x/end-user-roles/:id/request",
        str(PUBLIC),
    )
    _, token = await clerk(office, "plugin::users-permissions.roles.read")
    reply = await office.ask(
        "POST", f"{OWN}/end-user-roles/1/request", {"path": "/api/papers"}, token=token
    )
    assert reply.status == 403
