"""Settings of the project in the admin panel of Strapi: mails, locales, home page, logos."""

import json
from pathlib import Path

from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.admin_api.test_recovery import office_with_mail

LOGO = {"name": "logo.png", "url": "/uploads/logo.png", "width": 20, "ext": ".png", "hash": "l"}


async def test_a_test_mail_is_sent_to_any_address(tmp_path: Path) -> None:
    async with office_with_mail(tmp_path) as (office, inbox):
        settings = await office.ask("GET", "/email/settings", token=office.boss)
        refused = await office.ask("POST", "/email/test", {}, token=office.boss)
        body = {"to": "ops@example.com"}
        sent = await office.ask("POST", "/email/test", body, token=office.boss)
        await office.mails_are_sent()
        recipients = [mail["To"] for mail in inbox.mails]

    assert settings.json == {
        "config": {"provider": "smtp", "settings": {"defaultFrom": "no-reply@localhost"}},
        "supportsVerify": False,
    }
    assert (refused.status, refused.error) == (400, "No recipient(s) are given")
    assert (sent.status, sent.json) == (200, {})
    assert recipients == ["ops@example.com"]


async def test_a_mail_that_cannot_be_sent_says_why(office: Office) -> None:
    reply = await office.ask("POST", "/email/test", {"to": "ops@example.com"}, token=office.boss)
    assert reply.status == 400
    assert "mail.host" in reply.error


async def test_test_mails_need_the_permission_and_are_limited(tmp_path: Path) -> None:
    settings = {"admin.rate_limit.enabled": True, "admin.rate_limit.max": 2}
    async with office_with_mail(tmp_path, **settings) as (office, _):
        _, token = await clerk(office, "admin::users.read")
        body = {"to": "ops@example.com"}
        refused = await office.ask("POST", "/email/test", body, token=token)
        replies = [await office.ask("POST", "/email/test", body, token=office.boss) for _ in "123"]

    assert refused.status == 403
    assert [reply.status for reply in replies] == [200, 200, 429]


async def test_options_of_locales_are_stored(office: Office) -> None:
    path = "/i18n/settings"
    assert (await office.ask("GET", path, token=office.boss)).json == {"data": None}
    stored = await office.ask("PUT", path, {"aiLocalizations": True}, token=office.boss)
    assert stored.json == {"data": {"aiLocalizations": True}}
    assert (await office.ask("GET", path, token=office.boss)).data == {"aiLocalizations": True}
    wrong = await office.ask("PUT", path, {"aiLocalizations": "yes"}, token=office.boss)
    assert wrong.status == 400
    _, token = await clerk(office, "plugin::i18n.locale.read")
    assert (await office.ask("PUT", path, {}, token=token)).status == 403


async def test_each_administrator_has_a_home_page(office: Office) -> None:
    path, widgets = "/admin/homepage/layout", [{"uid": "plugin::a.b", "width": 6}]
    stored = await office.ask("PUT", path, {"widgets": widgets}, token=office.boss)
    _, other = await clerk(office)

    assert stored.data["version"] == 1
    assert stored.data["widgets"] == widgets
    assert (await office.ask("GET", path, token=office.boss)).data == stored.data
    assert (await office.ask("GET", path, token=other)).data is None
    bad_widgets = ('"x"', '[{"uid":"","width":6}]', '[{"uid":"a","width":13}]', "[{}]", "null")
    for text in bad_widgets:
        body = {"widgets": json.loads(text)}
        assert (await office.ask("PUT", path, body, token=office.boss)).status == 400, text


async def test_logos_of_strapi_are_shown(office: Office) -> None:
    path = "/admin/project-settings"
    empty = await office.ask("GET", path, token=office.boss)
    value = json.dumps({"menuLogo": LOGO, "authLogo": None})
    with rows_of(office.app.settings.project) as rows:
        rows.execute(
            "INSERT INTO strapi_core_store_settings (key, value, type)"
            f" VALUES ('core_admin_project-settings', '{value}', 'object')"
        )
    shown = await office.ask("GET", path, token=office.boss)
    init = await office.ask("GET", "/admin/init")

    assert empty.json == {"menuLogo": None, "authLogo": None}
    described = {name: LOGO[name] for name in ("name", "url", "width", "ext")}
    assert shown.json == {"menuLogo": described, "authLogo": None}
    assert (init.data["menuLogo"], init.data["authLogo"]) == ("/uploads/logo.png", None)


async def test_there_is_no_telemetry(office: Office) -> None:
    reply = await office.ask("GET", "/admin/telemetry-properties", token=office.boss)
    assert reply.status == 204
