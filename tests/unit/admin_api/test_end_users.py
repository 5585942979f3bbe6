"""Administrators manage the roles of end users, and how accounts come to be."""

from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_staff import clerk

OWN = "/users-permissions"


async def test_a_role_of_end_users_grants_from_the_next_request_on(office: Office) -> None:
    def grants(find: bool) -> dict[str, object]:  # noqa: FBT001 - the switch in the tree
        actions = {"find": {"enabled": find}}
        return {
            "name": "Public",
            "permissions": {"api::paper": {"controllers": {"paper": actions}}},
        }

    statuses = []
    for find in (True, False):
        await office.ask("PUT", f"{OWN}/roles/2", grants(find), token=office.boss)
        statuses.append((await office.ask("GET", "/api/papers")).status)

    assert statuses == [200, 401]


async def test_templates_never_compute_anything(office: Office) -> None:
    def template(message: str) -> dict[str, object]:
        return {
            "email-templates": {"reset_password": {"options": {"object": "s", "message": message}}}
        }

    for message in ("<%= process.env %>", "<% while(true){} %>", "${process.env}", "<%- TOKEN %>"):
        reply = await office.ask(
            "PUT", f"{OWN}/email-templates", template(message), token=office.boss
        )
        assert (reply.status, reply.error) == (400, "Invalid template")
    for wrong in ({"email-templates": {"reset_password": "x"}}, {"email-templates": 5}):
        reply = await office.ask("PUT", f"{OWN}/email-templates", wrong, token=office.boss)
        assert reply.status == 400
    good = template("<p><%= URL %>?code=<%= TOKEN %></p>")
    reply = await office.ask("PUT", f"{OWN}/email-templates", good, token=office.boss)
    assert reply.status == 200


async def test_who_may_not_is_refused(office: Office) -> None:
    _, token = await clerk(office, "plugin::users-permissions.roles.read")

    assert (await office.ask("GET", f"{OWN}/roles", token=token)).status == 200
    assert (await office.ask("PUT", f"{OWN}/roles/2", {"name": "x"}, token=token)).status == 403
    for name in ("providers", "email-templates", "advanced"):
        assert (await office.ask("GET", f"{OWN}/{name}", token=token)).status == 403
        assert (await office.ask("PUT", f"{OWN}/{name}", {"x": 1}, token=token)).status == 403
