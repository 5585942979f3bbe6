"""Known vulnerabilities of webhooks: lost calls, private addresses, leaked secrets."""

import asyncio
import base64
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from quire.database.program import Program
from quire.webhooks.http_client import DeliveryResponse
from quire.webhooks.worker import DELAYS, WebhookWorker
from tests.databases.kind import Kind
from tests.unit.admin_api.office import BOSS, Clock, Office, office_project, open_office, run_office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.admin_api.test_content_manager import PAPERS, paper

HOOKS = "/admin/webhooks"
PRIVATE: Mapping[str, object] = {"webhooks.private_addresses": True}
EVENTS = ["entry.create", "entry.update", "entry.publish", "entry.delete"]


class Receiver:
    """A server that records calls, and returns the next status, by default 200."""

    def __init__(self) -> None:
        self.port = 0
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self.slow = asyncio.Event()
        self.slow.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def received(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.heard]

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[1:-2]
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head)
        }
        body = await reader.readexactly(int(headers["content-length"]))
        self.heard.append((headers, body))
        await self.slow.wait()
        status = self.statuses.pop(0) if self.statuses else 200
        writer.write(f"HTTP/1.1 {status} Said\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    found = Receiver()
    server = await asyncio.start_server(found.hear, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    async with server:
        yield found


@pytest.fixture
async def office(kind: Kind, tmp_path: Path) -> AsyncIterator[Office]:
    async with open_office(tmp_path, settings=PRIVATE, kind=kind) as opened:
        yield opened


async def hook(office: Office, url: str, events: list[str] | None = None) -> str:
    body = {"name": "Build", "url": url, "headers": {"X-Key": "k"}, "events": events or EVENTS}
    reply = await office.ask("POST", HOOKS, body, token=office.boss)
    assert reply.status == 201, reply.json
    made: str = reply.data["id"]
    return made


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that happens in the background."""
    async with asyncio.timeout(60):
        while not await true():  # noqa: ASYNC110 - it is asked over HTTP
            await asyncio.sleep(0.02)


async def deliveries(office: Office, hook_id: str, query: str = "") -> list[dict[str, Any]]:
    path = f"/admin/x/webhooks/{hook_id}/deliveries?{query}"
    reply = await office.ask("GET", path, token=office.boss)
    assert reply.status == 200, reply.json
    found: list[dict[str, Any]] = reply.data
    return found


async def settled(office: Office, hook_id: str, count: int = 1) -> list[dict[str, Any]]:
    """Wait until so many attempts were written down; returns what is known of them."""

    async def enough() -> bool:
        found = await deliveries(office, hook_id)
        tried = [int(one["attempts"]) for one in found if one["message"] is not None]
        return sum(tried) >= count and not worker_of(office).is_sending

    await until(enough)
    return await deliveries(office, hook_id)


def worker_of(office: Office) -> WebhookWorker:
    assert office.app.webhooks is not None
    return office.app.webhooks.worker


async def time_passes(office: Office) -> None:
    """Advance the clock by a day: all waiting work is due, sessions have ended."""
    office.clock.pass_by(minutes=24 * 60)
    office.boss = (await office.sign_in(BOSS["email"])).data["token"]
    worker_of(office).wake()


async def test_a_webhook_gets_events_in_the_standard_format(
    office: Office, receiver: Receiver
) -> None:
    hook_id = await hook(office, receiver.url)
    document_id = await paper(office, title="Tide", margin="secret", lock="secret")
    (delivery,) = await settled(office, hook_id)

    (reported,) = receiver.received
    assert list(reported) == ["event", "createdAt", "model", "uid", "entry"]
    assert (reported["event"], reported["model"]) == ("entry.create", "paper")
    assert (reported["entry"]["documentId"], reported["entry"]["title"]) == (document_id, "Tide")
    assert "margin" not in reported["entry"]
    assert "secret" not in json.dumps(reported)
    headers, body = receiver.heard[0]
    assert headers["x-strapi-event"] == "entry.create"
    assert headers["x-key"] == "k"
    assert headers["content-type"] == "application/json"
    assert (delivery["state"], delivery["statusCode"], delivery["attempts"]) == (
        "delivered",
        200,
        1,
    )
    secret = await office.ask("GET", f"/admin/x/webhooks/{hook_id}/secret", token=office.boss)
    key = base64.b64decode(secret.data["secret"].removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{digest}"


async def test_only_what_a_webhook_wants_is_reported(office: Office, receiver: Receiver) -> None:
    hook_id = await hook(office, receiver.url, ["entry.publish"])
    document_id = await paper(office)
    path = f"{PAPERS}/{document_id}/actions/publish"
    assert (await office.ask("POST", path, {}, token=office.boss)).status == 200
    await settled(office, hook_id)
    assert [one["event"] for one in receiver.received] == ["entry.publish"]

    disabled = {"name": "Build", "url": receiver.url, "headers": {}, "events": EVENTS}
    await office.ask(
        "PUT", f"{HOOKS}/{hook_id}", {**disabled, "isEnabled": False}, token=office.boss
    )
    await paper(office)
    assert len(await deliveries(office, hook_id)) == 1


async def test_h141_rolled_back_changes_are_not_delivered(
    office: Office, receiver: Receiver
) -> None:
    hook_id = await hook(office, receiver.url)
    good, bad = await paper(office), await paper(office, title=None)
    body = {"documentIds": [good, bad]}
    failed = await office.ask("POST", f"{PAPERS}/actions/bulkPublish", body, token=office.boss)
    assert failed.status == 400
    assert {one["event"] for one in await deliveries(office, hook_id)} == {"entry.create"}


async def test_h141_a_process_that_ends_forgets_nothing(
    kind: Kind, tmp_path: Path, receiver: Receiver
) -> None:
    clock = Clock()
    async with office_project(tmp_path, kind) as project:
        async with run_office(project, settings=PRIVATE, clock=clock) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            hook_id = await hook(office, receiver.url)
            # The commit is done, and nothing was sent: as if the process had ended in between.
            await worker_of(office).stop()
            document_id = await paper(office)
            assert receiver.heard == []
        clock.pass_by(minutes=10)
        async with run_office(project, settings=PRIVATE, clock=clock) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            (delivery,) = await settled(office, hook_id)
    assert delivery["documentId"] == document_id
    assert [one["entry"]["documentId"] for one in receiver.received] == [document_id]


async def test_h141_a_receiver_that_is_down_gets_events_later_and_in_order(
    office: Office, receiver: Receiver
) -> None:
    receiver.statuses = [503, 500]
    hook_id = await hook(office, receiver.url)
    document_id = await paper(office, title="One")
    await settled(office, hook_id)
    changed = {"title": "Two"}
    await office.ask("PUT", f"{PAPERS}/{document_id}", changed, token=office.boss)
    found = await deliveries(office, hook_id)
    assert [(one["event"], one["state"]) for one in found] == [
        ("entry.update", "waiting"),
        ("entry.create", "waiting"),
    ]
    assert (found[1]["statusCode"], found[1]["attempts"]) == (503, 1)

    for attempts in (2, 3):
        await time_passes(office)
        await settled(office, hook_id, attempts)

    async def all_received() -> bool:
        return all(one["state"] == "delivered" for one in await deliveries(office, hook_id))

    await until(all_received)
    reported = [one["entry"]["title"] for one in receiver.received]
    assert reported == ["One", "One", "One", "Two"]


async def test_h141_a_delivery_that_fails_too_often_is_given_up_and_can_be_redelivered(
    office: Office, receiver: Receiver
) -> None:
    attempts = len(DELAYS) + 1
    receiver.statuses = [500] * attempts
    hook_id = await hook(office, receiver.url)
    await paper(office)
    for attempt in range(1, attempts + 1):
        await settled(office, hook_id, attempt)
        await time_passes(office)
    (failed,) = await deliveries(office, hook_id, "state=failed")
    assert failed["attempts"] == attempts
    together = await office.ask("GET", "/admin/x/deliveries?state=failed", token=office.boss)
    assert together.data == [failed]
    other = await hook(office, receiver.url, ["media.create"])
    assert await deliveries(office, other) == []
    await office.ask("DELETE", f"{HOOKS}/{other}", token=office.boss)
    query = f"/admin/x/deliveries?limit=1&before={failed['id']}"
    assert (await office.ask("GET", query, token=office.boss)).data == []

    again = f"/admin/x/webhooks/{hook_id}/deliveries/{failed['id']}/redeliver"
    assert (await office.ask("POST", again, token=office.boss)).status == 202
    await settled(office, hook_id, attempts + 1)
    (delivered,) = await deliveries(office, hook_id, "state=delivered")
    path = f"/admin/x/webhooks/{hook_id}/deliveries/{delivered['id']}"
    shown = await office.ask("GET", path, token=office.boss)
    assert shown.data["payload"] == receiver.received[-1]


async def test_h141_nobody_waits_for_a_receiver_that_is_slow(
    office: Office, receiver: Receiver
) -> None:
    receiver.slow.clear()
    hook_id = await hook(office, receiver.url)
    for number in range(5):
        await paper(office, title=f"Paper {number}")
    found = await deliveries(office, hook_id)
    assert [one["state"] for one in found] == ["waiting"] * 5
    receiver.slow.set()
    found = await settled(office, hook_id, 5)
    assert {one["state"] for one in found} == {"delivered"}


async def test_h141_outcomes_that_wait_for_the_database_are_written_down_together(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the queue grows where content is written as fast as the database bears."""
    count, worker, database = 20, worker_of(office), office.app.database
    assert database is not None
    hook_id = await hook(office, receiver.url)
    await worker.stop()
    for number in range(count):
        await paper(office, title=f"Tide {number}")
    write, is_free = database.write, asyncio.Event()
    written: list[str] = []

    async def wait_and_write(program: Program[Any]) -> object:
        name = getattr(program, "__name__", "")
        if name == "_recording_program":
            await is_free.wait()
            written.append(name)
        return await write(program)

    monkeypatch.setattr(database, "write", wait_and_write)
    worker.start()

    async def all_called() -> bool:
        return len(worker._outcomes) == count  # noqa: SLF001 - nobody else is told

    await until(all_called)
    is_free.set()
    found = await settled(office, hook_id, count)
    assert [one["state"] for one in found] == ["delivered"] * count
    assert len(written) == 1


async def test_h141_what_waits_is_bounded(kind: Kind, tmp_path: Path, receiver: Receiver) -> None:
    settings = {**PRIVATE, "webhooks.queue": 3}
    async with open_office(tmp_path, settings=settings, kind=kind) as office:
        await worker_of(office).stop()
        hook_id = await hook(office, receiver.url)
        assert office.app.webhooks is not None
        for _ in range(5):
            await paper(office)
            await office.app.webhooks.outbox.refresh()
        assert len(await deliveries(office, hook_id)) == 3


async def test_h103_an_address_that_leads_inside_later_is_not_called(
    kind: Kind, tmp_path: Path, receiver: Receiver
) -> None:
    async with office_project(tmp_path, kind) as project:
        async with run_office(project, settings=PRIVATE) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            hook_id = await hook(office, receiver.url)
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            await paper(office)
            (delivery,) = await settled(office, hook_id)
    assert receiver.heard == []
    assert (delivery["state"], delivery["message"]) == (
        "waiting",
        "The address is not on the public internet",
    )


async def test_h103_a_redirect_is_not_followed(office: Office, receiver: Receiver) -> None:
    receiver.statuses = [302]
    hook_id = await hook(office, receiver.url)
    await paper(office)
    (delivery,) = await settled(office, hook_id)
    assert (delivery["state"], delivery["statusCode"]) == ("waiting", 302)
    assert len(receiver.heard) == 1


async def test_h104_who_only_reads_webhooks_learns_no_secret(
    office: Office, receiver: Receiver
) -> None:
    hook_id = await hook(office, receiver.url)
    await paper(office)
    (delivery,) = await settled(office, hook_id)
    _, reader = await clerk(office, "admin::webhooks.read")
    _, other = await clerk(office, "admin::users.read", email="other@example.com")
    below = f"/admin/x/webhooks/{hook_id}"
    for path in (HOOKS, f"{HOOKS}/{hook_id}", f"{below}/deliveries", "/admin/x/deliveries"):
        reply = await office.ask("GET", path, token=reader)
        assert reply.status == 200
        assert '"k"' not in json.dumps(reply.json)
        assert (await office.ask("GET", path, token=other)).status == 403
    again = f"{below}/deliveries/{delivery['id']}/redeliver"
    assert (await office.ask("GET", f"{below}/secret", token=reader)).status == 403
    assert (await office.ask("POST", again, token=reader)).status == 403
    assert (await office.ask("POST", again, token=None)).status == 401


async def test_h105_a_failed_response_reveals_nothing_of_the_server(
    office: Office, receiver: Receiver
) -> None:
    for path in (
        "/admin/x/webhooks/1/deliveries",
        "/admin/x/webhooks/x/deliveries",
        "/admin/x/webhooks/1/deliveries/1",
        "/admin/x/webhooks/1/deliveries?state=%00",
        "/admin/x/deliveries?state=%00",
        "/admin/x/webhooks/1/deliveries?limit=9999999999999999999999",
        "/admin/webhooks/99999999999999999999",
    ):
        reply = await office.ask("GET", path, token=office.boss)
        assert 400 <= reply.status < 500, path
        assert set(reply.json) == {"data", "error"}
        assert set(reply.json["error"]) <= {"status", "name", "message", "details"}
    hook_id = await hook(office, "http://127.0.0.1:1/")
    tried = await office.ask("POST", f"{HOOKS}/{hook_id}/trigger", token=office.boss)
    assert tried.data == {
        "statusCode": 500,
        "message": "The call failed: there was no answer in HTTP",
    }


async def test_h125_an_error_in_between_does_not_end_the_courier(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert office.app.webhooks is not None
    hook_id = await hook(office, receiver.url)
    outbox, problems = office.app.webhooks.outbox, 0

    async def fails() -> None:
        nonlocal problems
        problems += 1
        raise RuntimeError("an unexpected error")

    async def failed() -> bool:
        return problems > 1

    with monkeypatch.context() as patched:
        patched.setattr(outbox, "refresh", fails)
        await paper(office)
        await until(failed)
    worker_of(office).wake()
    (delivery,) = await settled(office, hook_id)
    assert delivery["state"] == "delivered"


async def test_h125_a_body_that_cannot_be_sent_stops_nothing(
    office: Office, receiver: Receiver
) -> None:
    broken = await hook(office, "http://127.0.0.1:1/")
    working = await hook(office, receiver.url)
    await paper(office)
    await settled(office, broken)
    (reported,) = await settled(office, working)
    assert reported["state"] == "delivered"


async def test_h125_a_delivery_that_cannot_be_made_is_given_up(
    office: Office, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected error counts as a failed attempt."""
    hook_id = await hook(office, receiver.url)

    async def fail(_: object) -> DeliveryResponse:
        raise LookupError("sesame")

    monkeypatch.setattr(worker_of(office), "_call", fail)
    await paper(office)
    with capture_logs() as logs:
        for count in range(len(DELAYS) + 1):
            (delivery,) = await settled(office, hook_id, count + 1)
            assert delivery["message"] == "The call cannot be made: LookupError"
            assert delivery["state"] == ("waiting" if count < len(DELAYS) else "failed")
            await time_passes(office)
    failures = [one for one in logs if one["event"] == "a webhook delivery cannot be made"]
    assert {str(one["webhook"]) for one in failures} == {hook_id}
    assert receiver.heard == []


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        (b"HTTP/1.1 500 O\0h \x85no", 500, "Oh no"),
        (b"HTTP/1.1 500", 500, ""),
        (b"HTTP/1.1 99999999999 Huge", None, "The call failed: there was no answer in HTTP"),
        (b"HTTP/1.1 5 Five", None, "The call failed: there was no answer in HTTP"),
        (b"HTTP/1.1 \xb2\xb2\xb2 Raised", None, "The call failed: there was no answer in HTTP"),
    ],
    ids=["control", "short", "huge", "single", "raised"],
)
async def test_h125_the_outcome_of_any_response_is_written_down(
    office: Office, line: bytes, status: int | None, message: str
) -> None:
    """Otherwise it is lost with those of other webhooks that are recorded with it."""

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(line + b"\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(respond, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        hook_id = await hook(office, f"http://127.0.0.1:{port}/hook")
        await paper(office, title="Tide")
        (delivery,) = await settled(office, hook_id)
    assert (delivery["state"], delivery["statusCode"]) == ("waiting", status)
    assert delivery["message"] == message
