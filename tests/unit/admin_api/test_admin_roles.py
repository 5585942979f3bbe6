"""Permissions of roles are written as requested, or not at all."""

import pytest

from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.kiosk import PAPER

READ = "plugin::content-manager.explorer.read"
UPDATE = "plugin::content-manager.explorer.update"


async def role(office: Office, name: str = "Limited") -> str:
    """Make a role; returns the path of its permissions."""
    made = await office.ask("POST", "/admin/roles", {"name": name}, token=office.boss)
    return f"/admin/roles/{made.data['id']}/permissions"


def permission(action: str = READ, **more: object) -> dict[str, object]:
    properties = {"fields": ["title"], "locales": ["en"]}
    return {"action": action, "subject": PAPER, "properties": properties, "conditions": [], **more}


@pytest.mark.parametrize(
    "wrong",
    [
        permission(conditions=["no::such-condition"]),
        permission(conditions="admin::is-creator"),
        permission(action="plugin::unheard.of"),
        permission(subject="api::nowhere.nowhere"),
        permission(subject=None),
        permission(properties={"fields": "title"}),
        permission(properties={"fields": [5]}),
        permission(properties={"fields": ["lines", "lines.text"]}),
        permission(properties={"fields": ["title", "title"]}),
        permission(properties={"locales": "en"}),
        permission(properties={"rows": []}),
        permission(action="admin::users.read"),
        {"action": "admin::users.read", "conditions": ["admin::is-creator"]},
        {"action": "plugin::upload.configure-view", "conditions": ["admin::is-creator"]},
        {"action": "plugin::content-type-builder.read", "conditions": ["admin::is-creator"]},
        permission(action="plugin::content-manager.explorer.delete"),
        {"action": {"$ne": ""}},
        "all",
        None,
    ],
)
async def test_a_permission_that_makes_no_sense_is_refused(office: Office, wrong: object) -> None:
    path = await role(office)
    body = {"permissions": [permission(UPDATE), wrong]}
    refused = await office.ask("PUT", path, body, token=office.boss)

    assert refused.status == 400
    assert (await office.ask("GET", path, token=office.boss)).data == []


async def test_what_a_role_grants_already_keeps_its_row(office: Office) -> None:
    path = await role(office)
    first = await office.ask("PUT", path, {"permissions": [permission()]}, token=office.boss)
    both = {"permissions": [permission(UPDATE), permission()]}
    second = await office.ask("PUT", path, both, token=office.boss)

    assert first.data[0]["id"] in {granted["id"] for granted in second.data}
    assert len(second.data) == 2


async def test_no_role_grows_by_those_who_have_it(office: Office) -> None:
    own, token = await clerk(office, "admin::roles.read", "admin::roles.update")
    mine = (await office.ask("GET", f"/admin/users/{own}", token=office.boss)).data["roles"][0]
    path = f"/admin/roles/{mine['id']}/permissions"
    granted = (await office.ask("GET", path, token=token)).data
    kept = [{"action": one["action"], "subject": None} for one in granted]
    more = [*kept, {"action": "admin::users.create", "subject": None}]

    assert (await office.ask("PUT", path, {"permissions": kept}, token=token)).status == 200
    assert (await office.ask("PUT", path, {"permissions": more}, token=token)).status == 403
    assert len((await office.ask("GET", path, token=token)).data) == 2


async def test_no_role_beyond_ones_own_is_changed_or_deleted(office: Office) -> None:
    _, token = await clerk(office, "admin::roles.update", "admin::roles.delete")

    changed = await office.ask("PUT", "/admin/roles/2", {"name": "Mine"}, token=token)
    emptied = await office.ask(
        "PUT", "/admin/roles/2/permissions", {"permissions": []}, token=token
    )
    deleted = await office.ask("DELETE", "/admin/roles/2", token=token)

    assert (changed.status, emptied.status, deleted.status) == (403, 403, 403)


async def test_what_super_admins_may_do_stays(office: Office) -> None:
    for method, path, body in (
        ("PUT", "/admin/roles/1", {"name": "Mine"}),
        ("PUT", "/admin/roles/1/permissions", {"permissions": []}),
        ("DELETE", "/admin/roles/1", None),
    ):
        assert (await office.ask(method, path, body, token=office.boss)).status == 400


async def test_super_admins_see_all_that_there_is_to_grant(office: Office) -> None:
    listed = (await office.ask("GET", "/admin/roles/1/permissions", token=office.boss)).data

    assert {(one["action"], one["subject"]) for one in listed} >= {
        (READ, PAPER),
        ("admin::users.create", None),
    }


async def test_actions_of_strapi_without_an_effect_are_stored(office: Office) -> None:
    role = (await office.ask("POST", "/admin/roles", {"name": "Ops 2"}, token=office.boss)).data
    path = f"/admin/roles/{role['id']}/permissions"
    names = ["admin::marketplace.read", "admin::transfer.tokens.access", "admin::admin-tokens.read"]
    sent = [{"action": name, "subject": None} for name in names]
    stored = await office.ask("PUT", path, {"permissions": sent}, token=office.boss)
    shown = await office.ask("GET", path, token=office.boss)
    keys = ("action", "subject", "properties", "conditions")
    edited = [{key: permission[key] for key in keys} for permission in shown.data]
    again = await office.ask("PUT", path, {"permissions": edited}, token=office.boss)
    unknown = {"permissions": [{"action": "admin::marketplace.write", "subject": None}]}

    assert role["code"].startswith("ops-2-")
    assert [permission["action"] for permission in stored.data] == names
    assert [permission["action"] for permission in again.data] == names
    assert (await office.ask("PUT", path, unknown, token=office.boss)).status == 400
