"""Administrators manage the roles of end users, and the settings of accounts."""

from pathlib import Path

from tests.accounts.site import receiving
from tests.unit.admin_api.office import BOSS, Office, open_office, run_office
from tests.unit.admin_api.test_admin_users import clerk

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
    for good in ("<p><%= URL %>?code=<%= TOKEN %></p>", "a <% b ${ c"):
        reply = await office.ask("PUT", f"{OWN}/email-templates", template(good), token=office.boss)
        assert reply.status == 200


async def test_who_may_not_is_refused(office: Office) -> None:
    _, token = await clerk(office, "plugin::users-permissions.roles.read")

    assert (await office.ask("GET", f"{OWN}/roles", token=token)).status == 200
    assert (await office.ask("PUT", f"{OWN}/roles/2", {"name": "x"}, token=token)).status == 403
    for name in ("providers", "email-templates", "advanced"):
        assert (await office.ask("GET", f"{OWN}/{name}", token=token)).status == 403
        assert (await office.ask("PUT", f"{OWN}/{name}", {"x": 1}, token=token)).status == 403


async def test_a_template_is_tried_out_on_whoever_asks(tmp_path: Path) -> None:
    options = {
        "from": {"name": "Desk", "email": "desk@example.org"},
        "object": "Code for <%= USER.email %>",
        "message": "<p><%= URL %>?code=<%= TOKEN %></p>",
    }
    body = {"template": {"options": options}}
    target = "/admin/x/mail-test"
    async with receiving() as inbox:
        mail = {"mail.host": "127.0.0.1", "mail.port": inbox.port, "mail.security": "none"}
        async with open_office(tmp_path, settings=mail) as office:
            reply = await office.ask("POST", target, body, token=office.boss)
            assert (reply.status, reply.data) == (200, {"to": BOSS["email"]})
            (sent,) = inbox.mails
            assert inbox.recipients == [[BOSS["email"]]]
            assert (sent["from"], sent["subject"]) == (
                "Desk <desk@example.org>",
                f"Code for {BOSS['email']}",
            )
            inbox.refusing = True
            reply = await office.ask("POST", target, body, token=office.boss)
            assert reply.status == 400
            assert reply.error.startswith("Couldn't send email: the SMTP server took no mail")
            for template in ("x", {"options": {**options, "message": "<% 1 %>"}}):
                reply = await office.ask("POST", target, {"template": template}, token=office.boss)
                assert reply.status == 400
            _, token = await clerk(office, "plugin::users-permissions.email-templates.read")
            assert (await office.ask("POST", target, body, token=token)).status == 403
        limited = {**mail, "admin.rate_limit.enabled": True, "admin.rate_limit.max": 1}
        async with run_office(tmp_path, settings=limited) as office:
            token = (await office.sign_in(BOSS["email"])).data["token"]
            inbox.refusing = False
            statuses = [
                (await office.ask("POST", target, body, token=token)).status for _ in range(2)
            ]
            assert statuses == [200, 429]


async def test_redirect_urls_of_providers_are_those_of_the_content_api(tmp_path: Path) -> None:
    settings = {"api.prefix": "/content", "server.url": "https://example.com"}
    async with open_office(tmp_path, settings=settings) as office:
        providers = (await office.ask("GET", f"{OWN}/providers", token=office.boss)).json

    redirect = "https://example.com/content/connect/github/callback"
    assert providers["github"]["redirectUri"] == redirect


async def test_a_provider_with_an_invalid_url_is_disabled(office: Office) -> None:
    for name in ("issuer", "callback"):
        options = {"enabled": True, "key": "k", "secret": "s", name: "https://["}
        body = {"providers": {"github": options, "own": options}}
        stored = await office.ask("PUT", f"{OWN}/providers", body, token=office.boss)
        visited = await office.ask("GET", "/api/connect/own")
        assert (stored.status, visited.status) == (200, 400)
