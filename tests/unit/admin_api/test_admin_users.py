"""Administrators are invited, changed and deleted, with the right permissions."""

import pytest

from quire.auth.passwords import verify_password
from tests.unit.admin_api.office import PASSWORD, Office

READ = "plugin::content-manager.explorer.read"


async def invited(office: Office, email: str, *roles: int, token: str | None = None) -> int:
    """Invite an administrator, by default as the super admin; returns the id."""
    body = {"email": email, "firstname": "Ned", "roles": list(roles)}
    reply = await office.ask("POST", "/admin/users", body, token=token or office.boss)
    assert reply.status == 201, reply.json
    return int(reply.data["id"])


async def clerk(
    office: Office, *actions: str | dict[str, object], email: str = "clerk@example.com"
) -> tuple[int, str]:
    """Create an administrator with a role of these actions; returns id and access token.

    An action with a subject is given as a permission.
    """
    role = (await office.ask("POST", "/admin/roles", {"name": email}, token=office.boss)).data["id"]
    permissions = [
        {"action": action, "subject": None} if isinstance(action, str) else action
        for action in actions
    ]
    granted = await office.ask(
        "PUT", f"/admin/roles/{role}/permissions", {"permissions": permissions}, token=office.boss
    )
    assert granted.status == 200, granted.json
    admin_user = await invited(office, email, role)
    change = {"password": PASSWORD, "isActive": True}
    await office.ask("PUT", f"/admin/users/{admin_user}", change, token=office.boss)
    return admin_user, (await office.sign_in(email)).data["token"]


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n"])
async def test_a_name_or_e_mail_with_a_line_break_is_refused(
    office: Office, line_break: str
) -> None:
    admin_user, token = await clerk(office)
    email = f"nina@example.com{line_break}"
    invitation = {"email": email, "firstname": "Nina", "roles": [2]}
    for method, path, body, by in (
        ("POST", "/admin/users", invitation, office.boss),
        ("PUT", f"/admin/users/{admin_user}", {"email": email}, office.boss),
        ("PUT", f"/admin/users/{admin_user}", {"username": f"n{line_break}a"}, office.boss),
        ("PUT", "/admin/users/me", {"email": email}, token),
        ("PUT", "/admin/users/me", {"username": f"n{line_break}a"}, token),
    ):
        assert (await office.ask(method, path, body, token=by)).status == 400, (method, path)
    users = "/content-manager/collection-types/plugin::users-permissions.user"
    account = {"username": "nina", "email": "nina@example.com", "password": PASSWORD, "role": 1}
    for wrong in ({"username": f"n{line_break}ina"}, {"email": email}):
        made = await office.ask("POST", users, {**account, **wrong}, token=office.boss)
        assert made.status == 400


async def test_an_invitation_is_accepted_once(office: Office) -> None:
    body = {"email": "Nina@example.com", "firstname": "Nina", "roles": [2]}
    made = await office.ask("POST", "/admin/users", body, token=office.boss)
    token = made.data["registrationToken"]
    shown = await office.ask("GET", f"/admin/registration-info?registrationToken={token}")
    form = {
        "registrationToken": token,
        "userInfo": {"firstname": "N", "lastname": None, "password": PASSWORD},
    }
    accepted = await office.ask("POST", "/admin/register", form)
    again = await office.ask("POST", "/admin/register", form)

    assert shown.data["email"] == "nina@example.com"
    assert accepted.data["user"]["isActive"] is True
    assert (again.status, again.error) == (400, "Invalid registration info")
    assert (await office.sign_in("nina@example.com")).status == 200


async def test_an_invitation_is_void_when_somebody_else_activated_the_account(
    office: Office,
) -> None:
    body = {"email": "nina@example.com", "firstname": "Nina", "roles": [2]}
    made = (await office.ask("POST", "/admin/users", body, token=office.boss)).data
    await office.ask("PUT", f"/admin/users/{made['id']}", {"isActive": True}, token=office.boss)
    form = {
        "registrationToken": made["registrationToken"],
        "userInfo": {"firstname": "N", "password": PASSWORD},
    }

    assert (await office.ask("POST", "/admin/register", form)).status == 400


async def test_the_token_of_an_invitation_is_shown_once(office: Office) -> None:
    admin_user = await invited(office, "nina@example.com", 2)
    one = await office.ask("GET", f"/admin/users/{admin_user}", token=office.boss)
    many = await office.ask("GET", "/admin/users", token=office.boss)

    assert "registrationToken" not in one.data
    assert all("registrationToken" not in shown for shown in many.data["results"])


@pytest.mark.parametrize(
    "query",
    [
        "filters[password][$startsWith]=$2",
        "filters[registrationToken][$null]=true",
        "filters[resetPasswordToken][$notNull]=true",
        "filters[createdBy][password][$startsWith]=$2",
        "filters[roles][name]=x",
        "filters[$or][0][$and][0][password][$notNull]=true",
        "sort=password",
        "sort=createdBy.password",
        "fields[0]=password",
    ],
)
async def test_secrets_are_no_attributes_of_lists(office: Office, query: str) -> None:
    reply = await office.ask("GET", f"/admin/users?{query}", token=office.boss)

    assert reply.status == 400


async def test_searching_for_a_hash_finds_nobody(office: Office) -> None:
    reply = await office.ask("GET", "/admin/users?_q=$2a$10", token=office.boss)

    assert reply.data["results"] == []


async def test_nobody_gives_a_role_that_goes_beyond_their_own(office: Office) -> None:
    _, token = await clerk(office, "admin::users.create", "admin::users.update")
    body = {"email": "self@example.com", "firstname": "S", "roles": [1]}

    assert (await office.ask("POST", "/admin/users", body, token=token)).status == 403
    editor = {**body, "roles": [2]}
    assert (await office.ask("POST", "/admin/users", editor, token=token)).status == 403


async def test_nobody_changes_or_deletes_those_who_may_do_more(office: Office) -> None:
    own, token = await clerk(office, "admin::users.update", "admin::users.delete")
    stolen = {"password": "Stolen1234"}

    assert (await office.ask("PUT", "/admin/users/1", stolen, token=token)).status == 403
    assert (
        await office.ask("PUT", f"/admin/users/{own}", {"roles": [1]}, token=token)
    ).status == 403
    assert (await office.ask("DELETE", "/admin/users/1", token=token)).status == 403
    many = {"ids": [1]}
    assert (await office.ask("POST", "/admin/users/batch-delete", many, token=token)).status == 403
    assert (await office.sign_in("boss@example.com")).status == 200


async def test_somebody_with_the_same_rights_can_be_managed(office: Office) -> None:
    own, token = await clerk(office, "admin::users.create", "admin::users.update")
    role = (await office.ask("GET", f"/admin/users/{own}", token=office.boss)).data["roles"][0]
    other = await invited(office, "other@example.com", role["id"], token=token)
    reply = await office.ask("PUT", f"/admin/users/{other}", {"firstname": "O"}, token=token)

    assert reply.data["firstname"] == "O"


async def test_one_super_admin_who_can_sign_in_stays(office: Office) -> None:
    await invited(office, "idle@example.com", 1)

    for method, body in (("PUT", {"isActive": False}), ("PUT", {"roles": [2]}), ("DELETE", None)):
        reply = await office.ask(method, "/admin/users/1", body, token=office.boss)
        assert (reply.status, reply.error) == (
            400,
            "You must have at least one user with super admin role.",
        )


async def test_roles_that_are_not_there_are_refused_and_nothing_is_kept(office: Office) -> None:
    body = {"email": "x@example.com", "firstname": "X", "roles": [2, 99]}
    reply = await office.ask("POST", "/admin/users", body, token=office.boss)
    listed = await office.ask("GET", "/admin/users", token=office.boss)

    assert reply.status == 400
    assert listed.data["pagination"]["total"] == 1


async def test_another_password_signs_one_out_everywhere(office: Office) -> None:
    admin_user, token = await clerk(office, "admin::users.read")
    change = {"password": "Another1horse"}
    await office.ask("PUT", f"/admin/users/{admin_user}", change, token=office.boss)

    assert (await office.ask("GET", "/admin/users/me", token=token)).status == 401


async def test_whoever_is_not_active_any_more_is_out_at_once(office: Office) -> None:
    admin_user, token = await clerk(office, "admin::users.read")
    change = {"isActive": False}
    await office.ask("PUT", f"/admin/users/{admin_user}", change, token=office.boss)

    assert (await office.ask("GET", "/admin/users/me", token=token)).status == 401
    assert (await office.sign_in("clerk@example.com")).error == "User not active"


async def test_a_right_that_is_taken_away_is_gone_with_the_next_request(office: Office) -> None:
    admin_user, token = await clerk(office, "admin::users.read")
    role = (await office.ask("GET", f"/admin/users/{admin_user}", token=office.boss)).data["roles"][
        0
    ]
    assert (await office.ask("GET", "/admin/users", token=token)).status == 200
    none: dict[str, object] = {"permissions": []}
    await office.ask("PUT", f"/admin/roles/{role['id']}/permissions", none, token=office.boss)

    reply = await office.ask("GET", "/admin/users", token=token)
    assert (reply.status, reply.error) == (403, "Policy Failed")


async def test_an_own_password_is_changed_with_the_present_one_only(office: Office) -> None:
    change = {"password": "Another1horse"}
    without = await office.ask("PUT", "/admin/users/me", change, token=office.boss)
    wrong = await office.ask(
        "PUT", "/admin/users/me", {**change, "currentPassword": "x"}, token=office.boss
    )
    right = await office.ask(
        "PUT", "/admin/users/me", {**change, "currentPassword": PASSWORD}, token=office.boss
    )

    assert without.status == wrong.status == 400
    assert right.status == 200
    assert (await office.sign_in("boss@example.com", "Another1horse")).status == 200


async def test_a_password_is_not_changed_with_one_that_is_not_the_present_one_any_more(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, change = "/admin/users/me", {"password": "Another1horse", "currentPassword": PASSWORD}

    async def verify_slowly(password: str, hashed: str | None) -> bool:
        monkeypatch.undo()
        assert await verify_password(password, hashed)
        assert (await office.ask("PUT", path, change, token=office.boss)).status == 200
        return True

    monkeypatch.setattr("quire.admin_api.admin_users.verify_password", verify_slowly)
    late = {**change, "password": "Late1horse"}
    reply = await office.ask("PUT", path, late, token=office.boss)

    assert (reply.status, reply.json["error"]["details"]) == (
        400,
        {"currentPassword": ["Invalid credentials"]},
    )
    assert (await office.sign_in("boss@example.com", "Another1horse")).status == 200


async def test_nobody_signs_in_with_a_password_that_is_being_changed(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of the password ends all sessions: none may begin with the old one afterwards."""
    change = {"password": "Another1horse", "currentPassword": PASSWORD}

    async def verify_slowly(password: str, hashed: str | None) -> bool:
        monkeypatch.undo()
        assert await verify_password(password, hashed)
        changed = await office.ask("PUT", "/admin/users/me", change, token=office.boss)
        assert changed.status == 200
        return True

    monkeypatch.setattr("quire.auth.admin.sign_in.verify_password", verify_slowly)
    reply = await office.sign_in("boss@example.com")
    assert (reply.status, reply.json["error"]["message"]) == (400, "Invalid credentials")
    assert (await office.sign_in("boss@example.com", "Another1horse")).status == 200


async def test_a_lost_invitation_is_replaced_until_somebody_has_registered(office: Office) -> None:
    _, clerk_token = await clerk(office, "admin::users.read")
    _, outranked = await clerk(
        office, "admin::users.read", "admin::users.update", email="under@example.com"
    )
    roles = (await office.ask("GET", "/admin/roles", token=office.boss)).data
    [highest] = [role["id"] for role in roles if role["code"] == "strapi-super-admin"]
    person = {"email": "late@example.com", "firstname": "Late", "roles": [highest]}
    invited = (await office.ask("POST", "/admin/users", person, token=office.boss)).data
    path = f"/admin/x/users/{invited['id']}/invitation"

    assert (await office.ask("GET", path, token=clerk_token)).data == {"pending": True}
    for token in (clerk_token, outranked):
        assert (await office.ask("POST", path, token=token)).status == 403
    renewed = await office.ask("POST", path, token=office.boss)
    assert renewed.status == 201
    assert renewed.data["registrationToken"] != invited["registrationToken"]

    def registration(token: str) -> dict[str, object]:
        info = {"firstname": "Late", "lastname": "", "password": PASSWORD}
        return {"registrationToken": token, "userInfo": info}

    lost = registration(invited["registrationToken"])
    assert (await office.ask("POST", "/admin/register", lost)).status == 400
    found = registration(renewed.data["registrationToken"])
    assert (await office.ask("POST", "/admin/register", found)).status == 200
    assert (await office.ask("GET", path, token=office.boss)).data == {"pending": False}
    again = await office.ask("POST", path, token=office.boss)
    assert (again.status, again.error) == (400, "This administrator has registered already")


@pytest.mark.parametrize("body", [{"roles": [1]}, {"isActive": True}, {"id": 5}])
async def test_nobody_changes_their_own_rights_in_their_profile(
    office: Office, body: dict[str, object]
) -> None:
    _, token = await clerk(office)

    assert (await office.ask("PUT", "/admin/users/me", body, token=token)).status == 400
