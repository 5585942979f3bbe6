"""Preview URLs: permissions, and valid URLs."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import Office, SharedOffices
from tests.unit.admin_api.test_content_manager import editor, grant
from tests.unit.kiosk import PAPER, WRITER

PREVIEWS = "/admin/x/previews"
SITE = "https://site.example/{locale}/papers/{slug}?status={status}"


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


async def put(office: Office, previews: object) -> Any:  # noqa: ANN401 - as JSON gives it
    return await office.ask("PUT", PREVIEWS, {"previews": previews}, token=office.boss)


async def test_preview_urls_are_replaced_as_a_whole(office: Office) -> None:
    first = await office.ask("GET", PREVIEWS, token=office.boss)
    assert first.data == {"previews": {}, "frameSources": ["'self'"]}
    both = await put(office, {PAPER: SITE, WRITER: "/writers/{documentId}"})
    assert both.data["previews"] == {PAPER: SITE, WRITER: "/writers/{documentId}"}
    assert (await put(office, {PAPER: SITE, WRITER: ""})).data["previews"] == {PAPER: SITE}
    found = await office.ask("GET", PREVIEWS, token=office.boss)
    assert found.data["previews"] == {PAPER: SITE}


async def test_one_sees_those_of_types_that_one_may_read_and_sets_none(office: Office) -> None:
    await put(office, {PAPER: SITE, WRITER: "/writers/{documentId}"})
    token = await editor(office, grant("read", None))
    found = await office.ask("GET", PREVIEWS, token=token)
    refused = await office.ask("PUT", PREVIEWS, {"previews": {}}, token=token)

    assert found.data["previews"] == {PAPER: SITE}
    assert refused.status == 403
    assert (await office.ask("GET", PREVIEWS)).status == 401


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("javascript:alert(1)", "must be an http or https URL"),
        ("//site.example/", "must be an http or https URL"),
        ("site.example", "must be an http or https URL"),
        ("https://site.example/a b", "must be an http or https URL"),
        ("https://site.example/{slug", "must be an http or https URL"),
        ("https://ada@site.example/", "must be an http or https URL"),
        ("https://site.example:port/", "must be an http or https URL"),
        ("/\\site.example", "must be an http or https URL"),
        ("https://site.example/{title}", "unknown placeholder {title}"),
        ("https://{slug}.example/", "must not have {slug} in the name of the host"),
        (f"/{'a' * 2000}", "at most 2000 characters"),
        (5, "must be a `string` type"),
    ],
)
async def test_what_leads_nowhere_is_refused(office: Office, url: object, problem: str) -> None:
    refused = await put(office, {PAPER: url})

    assert refused.status == 400
    assert problem in refused.error
    assert (await office.ask("GET", PREVIEWS, token=office.boss)).data["previews"] == {}


async def test_the_locale_may_be_in_the_name_of_the_host(office: Office) -> None:
    url = "https://{locale}.site.example:8080/{documentId}"
    assert (await put(office, {PAPER: url})).data["previews"] == {PAPER: url}


async def test_bodies_of_another_shape_are_refused(office: Office) -> None:
    bodies: list[dict[str, object]] = [
        {},
        {"previews": []},
        {"previews": {"api::none.none": "/"}},
        {"other": 1},
    ]
    for body in bodies:
        refused = await office.ask("PUT", PREVIEWS, body, token=office.boss)
        assert refused.status == 400, body
