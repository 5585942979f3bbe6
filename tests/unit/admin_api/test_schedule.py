"""Scheduled publishing of entries and releases, as the administrator who scheduled it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quire.clock import iso_from_ms
from tests.databases.kind import Kind
from tests.databases.kinds import rows_of
from tests.extending.background import ended, jobs_of, pass_time, until
from tests.unit.admin_api.office import Office, Reply, SharedOffices, office_project, run_office
from tests.unit.admin_api.test_content_manager import PAPERS, editor, grant, paper
from tests.unit.admin_api.test_releases import MISSING, add, ask, change, entry, live, release
from tests.unit.kiosk import PAPER, WRITER

HOUR = 3_600_000


@pytest.fixture
async def office(kind: Kind, shared_offices: SharedOffices) -> AsyncIterator[Office]:
    async with shared_offices.lend(kind) as lent:
        yield lent


def later(office: Office, hours: float = 1) -> str:
    """Return a moment to come."""
    return iso_from_ms(office.clock.now + round(hours * HOUR))


async def schedule(
    office: Office, document_id: str, token: str | None = None, query: str = "", **body: object
) -> Reply:
    path = f"/admin/x/schedule/{PAPER}/{document_id}{query}"
    return await office.ask("PUT", path, body, token=token or office.boss)


async def scheduled(office: Office, document_id: str) -> Any:  # noqa: ANN401 - JSON
    path = f"/admin/x/schedule/{PAPER}/{document_id}"
    reply = await office.ask("GET", path, token=office.boss)
    assert reply.status == 200, reply.json
    return reply.data


async def pass_hours(office: Office, hours: int) -> None:
    """Let time go by, and sign in again: access tokens do not last that long."""
    pass_time(office, seconds=hours * 3600)
    office.boss = (await office.sign_in("boss@example.com")).data["token"]


async def audited(office: Office) -> list[tuple[str, int]]:
    """Return what the schedule has done, by the audit log."""
    rows = (await office.ask("GET", "/admin/x/audit", token=office.boss)).data
    return [
        (row["action"], row["status"]) for row in rows if row["action"].startswith("schedule: ")
    ]


async def test_an_entry_is_published_and_unpublished_at_its_times(office: Office) -> None:
    document_id = await paper(office)
    publish_at, unpublish_at = later(office, 1), later(office, 2)
    body = {"publishAt": publish_at, "unpublishAt": unpublish_at, "timezone": "Europe/Berlin"}

    made = await schedule(office, document_id, **body)

    assert made.status == 200, made.json
    assert made.data == {**body, "failed": []}
    assert await scheduled(office, document_id) == made.data
    assert await live(office, document_id) is None
    await pass_hours(office, 1)
    await ended(office, 1)
    assert await live(office, document_id) is not None
    assert (await scheduled(office, document_id))["publishAt"] is None
    await pass_hours(office, 1)
    await ended(office, 2)
    assert await live(office, document_id) is None
    assert await audited(office) == [
        (f"schedule: unpublish {PAPER}", 200),
        (f"schedule: publish {PAPER}", 200),
    ]


async def test_what_is_written_until_then_is_published(office: Office) -> None:
    document_id = await paper(office, title="First")
    await schedule(office, document_id, publishAt=later(office))
    await change(office, document_id, title="Last")
    await pass_hours(office, 1)
    await ended(office)
    shown = await live(office, document_id)
    assert shown is not None
    assert shown["title"] == "Last"


async def test_a_new_time_replaces_the_former_one_and_none_cancels_it(office: Office) -> None:
    document_id = await paper(office)
    await schedule(office, document_id, publishAt=later(office, 1))
    await schedule(office, document_id, publishAt=later(office, 3))
    await pass_hours(office, 2)
    await asyncio.sleep(0.2)
    assert await live(office, document_id) is None
    cancelled = await schedule(office, document_id)
    assert cancelled.data["publishAt"] is None
    await pass_hours(office, 2)
    await asyncio.sleep(0.2)
    assert await live(office, document_id) is None
    assert {job.state for job in await jobs_of(office)} == {"cancelled"}


async def test_a_clock_that_is_put_back_publishes_nothing_twice(office: Office) -> None:
    first, second = await paper(office), await paper(office)
    await schedule(office, first, publishAt=later(office))
    await schedule(office, second, publishAt=later(office, 2))
    await pass_hours(office, 1)
    await ended(office)
    path = f"{PAPERS}/{first}/actions/unpublish"
    assert (await office.ask("POST", path, {}, token=office.boss)).status == 200

    pass_time(office, seconds=-1800)
    await pass_hours(office, 2)
    await ended(office, 2)

    assert await live(office, second) is not None
    assert await live(office, first) is None
    assert {job.attempts for job in await jobs_of(office)} == {1}


async def test_what_cannot_be_published_then_is_reported_and_not_tried_again(
    office: Office,
) -> None:
    document_id = await paper(office)
    at = later(office)
    await schedule(office, document_id, publishAt=at)
    await change(office, document_id, title=None)
    await pass_hours(office, 1)
    (job,) = await ended(office)

    assert (job.state, job.attempts) == ("failed", 1)
    shown = await scheduled(office, document_id)
    assert shown["failed"] == [{"action": "publish", "at": at, "message": MISSING}]
    assert shown["publishAt"] is None
    assert await audited(office) == [(f"schedule: publish {PAPER}", 409)]
    await schedule(office, document_id, publishAt=later(office))
    assert (await scheduled(office, document_id))["failed"] == []


async def test_nothing_becomes_of_an_entry_that_was_deleted_since(office: Office) -> None:
    document_id = await paper(office)
    await schedule(office, document_id, publishAt=later(office))
    await office.ask("DELETE", f"{PAPERS}/{document_id}", token=office.boss)
    await pass_hours(office, 1)
    (job,) = await ended(office)

    assert (job.state, job.message) == ("done", None)
    assert await audited(office) == []


async def test_who_has_scheduled_must_still_be_allowed_to_publish(office: Office) -> None:
    document_id = await paper(office)
    grants = grant("read", ["title"]), grant("publish", None)
    token = await editor(office, *grants)
    assert (await schedule(office, document_id, token, publishAt=later(office))).status == 200
    users = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    (person,) = (one for one in users if one["email"] == "ed@example.com")
    path = f"/admin/roles/{person['roles'][0]['id']}/permissions"
    await office.ask("PUT", path, {"permissions": [grants[0]]}, token=office.boss)

    await pass_hours(office, 1)
    await ended(office)

    assert await live(office, document_id) is None
    (failure,) = (await scheduled(office, document_id))["failed"]
    assert failure["message"] == "You may not publish this entry"


async def test_who_may_sign_in_no_more_publishes_nothing(office: Office) -> None:
    document_id = await paper(office)
    token = await editor(office, grant("read", ["title"]), grant("publish", None))
    await schedule(office, document_id, token, publishAt=later(office))
    users = (await office.ask("GET", "/admin/users", token=office.boss)).data["results"]
    (person,) = (one for one in users if one["email"] == "ed@example.com")
    path = f"/admin/users/{person['id']}"
    await office.ask("PUT", path, {"isActive": False}, token=office.boss)

    await pass_hours(office, 1)
    await ended(office)

    assert await live(office, document_id) is None
    (failure,) = (await scheduled(office, document_id))["failed"]
    assert failure["message"] == "The administrator who scheduled this may not sign in any more"


async def test_times_that_cannot_be_are_refused(office: Office) -> None:
    document_id = await paper(office)
    past = iso_from_ms(office.clock.now - 1)
    for body, message in (
        ({"publishAt": past}, "publishAt must be in the future"),
        ({"unpublishAt": past}, "unpublishAt must be in the future"),
        ({"publishAt": "2030-01-01T09:00:00"}, "publishAt must be a moment with its time zone"),
        ({"publishAt": "soon"}, "publishAt must be a moment"),
        ({"publishAt": 5}, "publishAt must be a `string` type"),
        (
            {"publishAt": later(office, 2), "unpublishAt": later(office, 1)},
            "unpublishAt must be after publishAt",
        ),
        ({"publishAt": later(office), "timezone": "My zone"}, "timezone must be the name"),
        ({"publish": later(office)}, "field has unspecified keys: publish"),
    ):
        refused = await schedule(office, document_id, **body)
        assert refused.status == 400, body
        assert message in refused.error, refused.error
    assert (await scheduled(office, document_id))["publishAt"] is None


async def test_who_may_not_publish_an_entry_cannot_schedule_it(office: Office) -> None:
    document_id = await paper(office)
    reader = await editor(office, grant("read", ["title"]), grant("update", ["title"]))
    assert (await schedule(office, document_id, reader, publishAt=later(office))).status == 403
    french = await editor(
        office,
        grant("read", ["title"]),
        grant("publish", None, locales=["fr"]),
        email="fr@example.com",
    )
    assert (await schedule(office, document_id, french, publishAt=later(office))).status == 403
    stranger = await editor(office, grant("read", ["name"], uid=WRITER), email="x@example.com")
    shown = await office.ask("GET", f"/admin/x/schedule/{PAPER}/{document_id}", token=stranger)
    assert shown.status == 403
    assert (await schedule(office, "nobody", publishAt=later(office))).status == 404


async def test_a_release_is_published_at_its_time(office: Office) -> None:
    made = [await paper(office, title=title) for title in ("A", "B")]
    release_id = await release(office, *(entry(one) for one in made))
    at = later(office)
    body = {"scheduledAt": at, "timezone": "Europe/Berlin"}

    planned = await ask(office, "PUT", f"/{release_id}/schedule", body)

    assert planned.data == {"id": release_id, **body}
    shown = (await ask(office, "GET", f"/{release_id}")).data
    assert (shown["scheduledAt"], shown["timezone"]) == (at, "Europe/Berlin")
    await pass_hours(office, 1)
    await ended(office)
    assert (await ask(office, "GET", f"/{release_id}")).data["status"] == "done"
    for document_id in made:
        assert await live(office, document_id) is not None
    assert await audited(office) == [("schedule: publish release", 200)]
    assert (await ask(office, "POST", f"/{release_id}/undo")).status == 200


async def test_a_scheduled_release_that_fails_publishes_nothing_and_says_so(office: Office) -> None:
    good, bad = [await paper(office, title=title) for title in ("A", "B")]
    release_id = await release(office, entry(good), entry(bad))
    await ask(office, "PUT", f"/{release_id}/schedule", {"scheduledAt": later(office)})
    await change(office, bad, title=None)
    await pass_hours(office, 1)
    (job,) = await ended(office)

    assert (job.state, job.message) == ("failed", MISSING)
    shown = (await ask(office, "GET", f"/{release_id}")).data
    assert (shown["status"], shown["scheduledAt"]) == ("failed", None)
    assert await live(office, good) is None


async def test_a_release_that_is_published_by_hand_or_deleted_is_not_published_again(
    office: Office,
) -> None:
    document_id = await paper(office)
    done = await release(office, entry(document_id))
    await ask(office, "PUT", f"/{done}/schedule", {"scheduledAt": later(office)})
    await ask(office, "POST", f"/{done}/publish")
    deleted = await release(office, entry(document_id), name="Deleted")
    await ask(office, "PUT", f"/{deleted}/schedule", {"scheduledAt": later(office)})
    await ask(office, "DELETE", f"/{deleted}")
    moved = await release(office, entry(document_id), name="Moved")
    await ask(office, "PUT", f"/{moved}/schedule", {"scheduledAt": later(office)})
    await ask(office, "PUT", f"/{moved}/schedule", {"scheduledAt": None})
    assert {job.state for job in await jobs_of(office)} == {"cancelled"}
    empty = await release(office, name="Empty")
    body = {"scheduledAt": later(office)}
    assert (await ask(office, "PUT", f"/{empty}/schedule", body)).status == 409
    assert (await ask(office, "PUT", f"/{done}/schedule", body)).status == 409


async def test_only_who_may_publish_an_entry_puts_it_into_a_scheduled_release(
    office: Office,
) -> None:
    first, second = [await paper(office, title=title) for title in ("A", "B")]
    release_id = await release(office, entry(first))
    writer = await editor(
        office, grant("read", ["title"], locales=["en"]), grant("update", ["title"])
    )
    body = {"entries": [entry(second)]}
    added = await ask(office, "POST", f"/{release_id}/items", body, token=writer)
    assert added.status == 200
    item = added.data["items"][-1]["id"]
    await ask(office, "DELETE", f"/{release_id}/items/{item}", token=writer)
    await ask(office, "PUT", f"/{release_id}/schedule", {"scheduledAt": later(office)})
    refused = await ask(office, "POST", f"/{release_id}/items", body, token=writer)
    assert refused.status == 403
    assert (await add(office, release_id, entry(second), action="publish"))["itemCount"] == 2


async def test_what_is_scheduled_is_listed_by_its_time(office: Office) -> None:
    document_id = await paper(office, title="Tide")
    release_id = await release(office, entry(document_id))
    second, first = later(office, 2), later(office, 1)
    await ask(office, "PUT", f"/{release_id}/schedule", {"scheduledAt": second})
    await schedule(office, document_id, publishAt=first, timezone="Europe/Paris")
    listed = (await office.ask("GET", "/admin/x/schedule", token=office.boss)).data
    assert [(one["at"], one["timezone"]) for one in listed] == [
        (first, "Europe/Paris"),
        (second, None),
    ]
    assert listed[0]["entry"]["title"] == "Tide"
    assert listed[1]["release"] == {"id": release_id, "name": "Summer"}
    reader = await editor(office, grant("read", ["title"], "admin::is-creator"))
    seen = (await office.ask("GET", "/admin/x/schedule", token=reader)).data
    assert seen[0]["entry"]["readable"] is False
    assert "title" not in seen[0]["entry"]


@pytest.mark.parametrize("lacks_column", ["", "trace"])
async def test_what_falls_due_while_no_server_runs_is_done_at_the_next_start(
    lacks_column: str, kind: Kind, tmp_path: Path
) -> None:
    async with office_project(tmp_path, kind) as project:
        async with run_office(project) as office:
            office.boss = (await office.sign_in("boss@example.com")).data["token"]
            document_id = await paper(office)
            await schedule(office, document_id, publishAt=later(office))
            clock = office.clock
        if lacks_column:  # as the table of an earlier version
            with rows_of(project) as rows:
                rows.execute(f"ALTER TABLE quire_jobs DROP COLUMN {lacks_column}")
        clock.pass_by(minutes=90)
        async with run_office(project, clock=clock) as again:

            async def is_live() -> bool:
                return await live(again, document_id) is not None

            await until(is_live)


async def test_entries_in_other_locales_have_schedules_of_their_own(office: Office) -> None:
    document_id = await paper(office)
    await change(office, document_id, "?locale=fr", title="Marées")
    await schedule(office, document_id, query="?locale=fr", publishAt=later(office))
    assert (await scheduled(office, document_id))["publishAt"] is None
    await pass_hours(office, 1)
    await ended(office)
    assert await live(office, document_id) is None
    assert await live(office, document_id, "fr") is not None
