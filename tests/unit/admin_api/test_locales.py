"""Locales are added, made the default one, and deleted with their entries."""

from tests.unit.admin_api.office import Office
from tests.unit.admin_api.test_admin_users import clerk

LOCALES = "/i18n/locales"


async def publish(office: Office, locale: str) -> str:
    """Publish a paper in a locale, by a token; returns its document id."""
    token = await full_access(office)
    body = {"data": {"title": f"in {locale}"}}
    made = await office.ask("POST", f"/api/papers?locale={locale}", body, token=token)
    return str(made.data["documentId"])


async def full_access(office: Office) -> str:
    body = {"name": f"{office.clock()}", "type": "full-access"}
    made = await office.ask("POST", "/admin/api-tokens", body, token=office.boss)
    return str(made.data["accessKey"])


async def test_another_default_locale_holds_from_the_next_request_on(office: Office) -> None:
    document = await publish(office, "fr")
    token = await full_access(office)
    before = await office.ask("GET", f"/api/papers/{document}", token=token)
    await office.ask("PUT", f"{LOCALES}/2", {"isDefault": True}, token=office.boss)
    after = await office.ask("GET", f"/api/papers/{document}", token=token)
    made = await office.ask("POST", "/api/papers", {"data": {"title": "neuf"}}, token=token)
    managed = await office.ask(
        "POST",
        "/content-manager/collection-types/api::paper.paper",
        {"title": "neuf aussi"},
        token=office.boss,
    )

    assert (before.status, after.status) == (404, 200)
    assert made.data["locale"] == managed.data["locale"] == "fr"


async def test_a_locale_goes_with_its_entries_and_leaves_the_others(office: Office) -> None:
    french, english = await publish(office, "fr"), await publish(office, "en")
    gone = await office.ask("DELETE", f"{LOCALES}/2", token=office.boss)
    token = await full_access(office)

    assert gone.status == 200
    for document, locale, status in ((french, "fr", 404), (english, "en", 200)):
        target = f"/api/papers/{document}?locale={locale}"
        assert (await office.ask("GET", target, token=token)).status == status


async def test_the_default_locale_stays(office: Office) -> None:
    reply = await office.ask("DELETE", f"{LOCALES}/1", token=office.boss)

    assert (reply.status, reply.error) == (400, "Cannot delete the default locale")


async def test_only_known_locales_are_added_and_each_once(office: Office) -> None:
    body = {"code": "es", "name": "Spanish", "isDefault": False}
    statuses = [
        (await office.ask("POST", LOCALES, given, token=office.boss)).status
        for given in (body, body, {**body, "code": "xx-nope"}, {**body, "code": {"$ne": ""}})
    ]

    assert statuses == [200, 400, 400, 400]


async def test_everybody_who_is_signed_in_reads_locales_and_only_some_change_them(
    office: Office,
) -> None:
    _, token = await clerk(office)
    body = {"code": "es", "isDefault": False}

    assert (await office.ask("GET", LOCALES, token=token)).status == 200
    assert (await office.ask("POST", LOCALES, body, token=token)).status == 403
    assert (await office.ask("DELETE", f"{LOCALES}/2", token=token)).status == 403
