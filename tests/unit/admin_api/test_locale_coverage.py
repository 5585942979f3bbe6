"""Translation coverage: documents missing in a locale, and numbers by locale."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import Office, SharedOffices
from tests.unit.admin_api.test_content_manager import PAPERS, editor, paper, titles
from tests.unit.kiosk import PAPER, WRITER

EXPLORER = "plugin::content-manager.explorer"
COVERAGE = "/admin/x/locale-coverage"


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def translate(office: Office, document_id: str, title: str) -> None:
    path = f"{PAPERS}/{document_id}?locale=fr"
    assert (await office.ask("PUT", path, {"title": title}, token=office.boss)).status == 200


async def publish(office: Office, document_id: str, locale: str) -> None:
    path = f"{PAPERS}/{document_id}/actions/publish?locale={locale}"
    assert (await office.ask("POST", path, {}, token=office.boss)).status == 200


async def three_papers(office: Office) -> None:
    """Make "One" in English, "Two" in both locales, and "Trois" in French."""
    await paper(office, title="One")
    two = await paper(office, title="Two")
    await translate(office, two, "Deux")
    await publish(office, two, "fr")
    path = f"{PAPERS}?locale=fr"
    made = await office.ask("POST", path, {"title": "Trois"}, token=office.boss)
    assert made.status == 201


async def coverage(office: Office, token: str) -> Any:  # noqa: ANN401 - JSON
    reply = await office.ask("GET", f"{COVERAGE}/{PAPER}", token=token)
    assert reply.status == 200, reply.json
    return reply.data


async def test_a_list_is_narrowed_to_documents_without_a_version_in_a_locale(
    office: Office,
) -> None:
    await three_papers(office)
    for query, expected in (
        ("missingLocale=fr", ["One"]),
        ("missingLocale=fr&filters[title][$startsWith]=T", []),
        ("missingLocale=en&locale=fr", ["Trois"]),
        ("missingLocale=en", []),
        ("missingLocale=fr&locale=*", ["One"]),
        ("missingLocale=fr&publicationFilter=never-published", ["One"]),
        ("missingLocale=de", ["One", "Two"]),
    ):
        assert await titles(office, office.boss, f"{query}&sort=id:asc") == expected, query
    page = await office.ask("GET", f"{PAPERS}?missingLocale=fr&pageSize=1", token=office.boss)
    assert page.json["pagination"]["total"] == 1


async def test_a_document_that_is_translated_leaves_the_list(office: Office) -> None:
    one = await paper(office, title="One")
    assert await titles(office, office.boss, "missingLocale=fr") == ["One"]
    await translate(office, one, "Un")
    assert await titles(office, office.boss, "missingLocale=fr") == []


async def test_what_is_exported_is_what_the_list_shows(office: Office) -> None:
    await three_papers(office)
    path = f"/admin/x/export/{PAPER}?missingLocale=fr"
    exported = await office.ask("POST", path, {"format": "json"}, token=office.boss)
    assert [one["title"] for one in exported.data] == ["One"]


@pytest.mark.parametrize("wrong", ["missingLocale[a]=fr", "missingLocale=", "missingLocale=%00"])
async def test_what_is_no_locale_is_refused(office: Office, wrong: str) -> None:
    reply = await office.ask("GET", f"{PAPERS}?{wrong}", token=office.boss)
    assert (reply.status, reply.error.startswith(("missingLocale", "Invalid input"))) == (400, True)


async def test_types_without_locales_know_no_missing_ones(office: Office) -> None:
    writers = f"/content-manager/collection-types/{WRITER}?missingLocale=fr"
    reply = await office.ask("GET", writers, token=office.boss)
    assert (reply.status, reply.error) == (400, f"{WRITER} has no locales")
    assert (await office.ask("GET", f"{COVERAGE}/{WRITER}", token=office.boss)).status == 404


async def test_documents_are_counted_by_locale(office: Office) -> None:
    await three_papers(office)
    found = await coverage(office, office.boss)
    assert (found["documents"], found["locales"]) == (
        3,
        [
            {"locale": "en", "documents": 2, "published": 0},
            {"locale": "fr", "documents": 2, "published": 1},
        ],
    )
    every = await office.ask("GET", COVERAGE, token=office.boss)
    assert [one["uid"] for one in every.data] == [PAPER]


async def test_nothing_is_reported_of_unreadable_locales_and_entries(
    office: Office,
) -> None:
    await three_papers(office)
    properties = {"fields": ["title"], "locales": ["en"]}
    token = await editor(
        office, {"action": f"{EXPLORER}.read", "subject": PAPER, "properties": properties}
    )
    assert await titles(office, token, "missingLocale=en") == []
    refused = await office.ask("GET", f"{PAPERS}?missingLocale=fr", token=token)
    assert refused.status == 403
    found = await coverage(office, token)
    assert (found["documents"], found["locales"]) == (
        2,
        [{"locale": "en", "documents": 2, "published": 0}],
    )


async def test_only_entries_that_one_may_read_are_counted(office: Office) -> None:
    await three_papers(office)
    rule = {"subject": PAPER, "properties": {"fields": ["title"], "locales": ["en", "fr"]}}
    own = {"action": f"{EXPLORER}.read", "conditions": ["admin::is-creator"], **rule}
    token = await editor(office, own, {"action": f"{EXPLORER}.create", **rule})
    made = await office.ask("POST", PAPERS, {"title": "Own"}, token=token)
    assert made.status == 201
    found = await coverage(office, token)
    assert (found["documents"], found["locales"]) == (
        1,
        [
            {"locale": "en", "documents": 1, "published": 0},
            {"locale": "fr", "documents": 0, "published": 0},
        ],
    )
    assert await titles(office, token, "missingLocale=fr") == ["Own"]


async def test_a_list_with_named_columns_has_the_status_of_other_locales(
    office: Office,
) -> None:
    await three_papers(office)
    query = "filters[title]=Two"
    (plain,) = (await office.ask("GET", f"{PAPERS}?{query}", token=office.boss)).json["results"]
    assert "status" not in plain["localizations"][0]

    path = f"{PAPERS}?{query}&columns=title"
    (two,) = (await office.ask("GET", path, token=office.boss)).json["results"]
    assert [(one["locale"], one["status"]) for one in two["localizations"]] == [("fr", "published")]
    await translate(office, two["documentId"], "Deux fois")
    (two,) = (await office.ask("GET", path, token=office.boss)).json["results"]
    assert two["localizations"][0]["status"] == "modified"
