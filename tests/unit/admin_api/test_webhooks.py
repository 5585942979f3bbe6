"""Webhooks are stored, and tested without calls to private addresses."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.databases.kind import Kind, opened
from tests.databases.kinds import rows_of
from tests.unit.admin_api.office import BOSS, Office, office_project, open_office, run_office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.admin_api.test_content_manager import paper

HOOKS = "/admin/webhooks"
HOOK = {
    "name": "Build",
    "url": "https://example.com/build",
    "headers": {"X-Key": "secret"},
    "events": ["entry.create"],
}


@asynccontextmanager
async def listening(response: bytes) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server on this machine that answers anything with these bytes; with what it was sent."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(response)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heard


async def made(office: Office, **changes: object) -> str:
    reply = await office.ask("POST", HOOKS, {**HOOK, **changes}, token=office.boss)
    assert reply.status == 201, reply.json
    return f"{HOOKS}/{reply.data['id']}"


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/x",
        "http://127.0.0.1/x",
        "http://127.1/x",
        "http://2130706433/x",
        "http://0x7f.0.0.1/x",
        "http://10.0.0.1/x",
        "http://169.254.169.254/latest",
        "http://[::1]/x",
        "http://[::ffff:127.0.0.1]/x",
        "http://[fd00::1]/x",
        "http://intranet/x",
        "http://db.internal/x",
        "//example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://example.com/build",
        "ws://example.com/build",
        "",
        5,
        None,
    ],
)
async def test_an_address_that_leads_inside_is_not_kept(shared_office: Office, url: object) -> None:
    hook = {**HOOK, "url": url}
    reply = await shared_office.ask("POST", HOOKS, hook, token=shared_office.boss)

    assert reply.status == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "1\r\nX-B: 2"},
        {"X-A\r\nX-B": "1"},
        {"X A": "1"},
        {"": "1"},
        {"": ""},
        {"Host": "example.com"},
        {"host": "example.com"},
        {"Content-Length": "5"},
        {"CONTENT-LENGTH": "5"},
        {"Transfer-Encoding": "chunked"},
        {"transfer-encoding": "chunked"},
        {"Connection": "keep-alive"},
        {"cOnNeCtIoN": "keep-alive"},
        {"Keep-Alive": "1"},
        {"TE": "trailers"},
        {"Trailer": "X-A"},
        {"Upgrade": "h2c"},
        {"Expect": "100-continue"},
        {"Proxy-Authorization": "Basic x"},
        {"X-A": {"$ne": ""}},
        {"X-A": None},
        {"X-A": "1" * 9000},
        ["X-A"],
    ],
)
async def test_headers_that_would_break_out_are_refused(
    shared_office: Office, headers: object
) -> None:
    office = shared_office
    reply = await office.ask("POST", HOOKS, {**HOOK, "headers": headers}, token=office.boss)
    path = await made(office)
    changed = await office.ask("PUT", path, {**HOOK, "headers": headers}, token=office.boss)

    assert (reply.status, changed.status) == (400, 400)


async def test_values_of_headers_are_masked_for_those_who_only_read(office: Office) -> None:
    path = await made(office)
    _, token = await clerk(office, "admin::webhooks.read")

    own = await office.ask("GET", path, token=office.boss)
    other = await office.ask("GET", path, token=token)
    assert own.data["headers"] == {"X-Key": "secret"}
    assert other.data["headers"] == {"X-Key": "•••"}


async def test_deliveries_are_deleted_with_their_webhook(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project, run_office(project) as office:
        office.boss = (await office.sign_in(BOSS["email"])).data["token"]
        paths = [await made(office, url="https://webhook.invalid/") for _ in range(2)]
        ids = [path.rpartition("/")[2] for path in paths]
        await paper(office)
        with opened(kind, project) as rows:
            before = rows.execute("SELECT count(*) FROM quire_deliveries")
        await office.ask("DELETE", paths[0], token=office.boss)
        await office.ask("POST", f"{HOOKS}/batch-delete", {"ids": ids[1:]}, token=office.boss)
        with opened(kind, project) as rows:
            after = rows.execute("SELECT count(*) FROM quire_deliveries")

    assert (before, after) == ([(2,)], [(0,)])


async def test_a_webhook_test_reports_the_response(tmp_path: Path) -> None:
    private = {"webhooks.private_addresses": True}
    response = b"HTTP/1.1 202 Accepted\r\nContent-Length: 6\r\nX-Id: 7\r\n\r\nqueued and more"
    async with (
        open_office(tmp_path, settings=private) as office,
        listening(response) as (port, heard),
    ):
        path = await made(office, url=f"http://127.0.0.1:{port}/build?x=1")
        reply = await office.ask("POST", f"{path}/trigger", token=office.boss)

    assert reply.data == {
        "statusCode": 202,
        "message": "Accepted",
        "headers": [{"name": "Content-Length", "value": "6"}, {"name": "X-Id", "value": "7"}],
        "body": "queued",
    }
    lines = heard[0].decode().split("\r\n")
    assert lines[0] == "POST /build?x=1 HTTP/1.1"
    assert {"X-Key: secret", "X-Strapi-Event: trigger-test", f"Host: 127.0.0.1:{port}"} <= {*lines}


@pytest.mark.parametrize(
    ("response", "body"),
    [
        (b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde"),
        (b"\r\n" + b"x" * 100_000, "x" * 16_384),
        (b"Content-Length: 9\r\n\r\nshort", "short"),
        (b"\r\n\xff", "\ufffd"),
        (b"Transfer-Encoding: chunked\r\n\r\nno chunk", ""),
    ],
    ids=["chunked", "long", "cut off", "no text", "no HTTP any more"],
)
async def test_the_body_of_a_response_is_shown_as_far_as_it_came(
    tmp_path: Path, response: bytes, body: str
) -> None:
    private = {"webhooks.private_addresses": True}
    whole = b"HTTP/1.1 200 OK\r\n" + response
    async with open_office(tmp_path, settings=private) as office, listening(whole) as (port, _):
        path = await made(office, url=f"http://127.0.0.1:{port}/build")
        reply = await office.ask("POST", f"{path}/trigger", token=office.boss)

    assert (reply.data["statusCode"], reply.data["body"]) == (200, body)


async def test_headers_that_were_stored_earlier_do_not_frame_a_call(tmp_path: Path) -> None:
    private = {"webhooks.private_addresses": True}
    response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    stored = {
        "": "x",
        "host": "other.example",
        "content-length": "1",
        "Transfer-Encoding": "chunked",
        "connection": "keep-alive",
        "content-type": "text/plain",
        "X-Key": "k",
    }
    async with (
        open_office(tmp_path, settings=private) as office,
        listening(response) as (port, heard),
    ):
        path = await made(office, url=f"http://127.0.0.1:{port}/build")
        with rows_of(tmp_path) as rows:
            rows.execute("UPDATE strapi_webhooks SET headers = ?", (json.dumps(stored),))
        await asyncio.sleep(0)  # one round of the event loop reads one state of the database
        reply = await office.ask("POST", f"{path}/trigger", token=office.boss)

    assert (reply.data["statusCode"], reply.data["message"]) == (200, "OK")
    lines = heard[0].decode().lower().split("\r\n")[1:-2]
    fields = [line.partition(": ")[::2] for line in lines]
    names = [name for name, _ in fields]
    assert sorted(names) == sorted(set(names))
    assert {"transfer-encoding", ""}.isdisjoint(names)
    sent = dict(fields)
    assert sent["host"] == f"127.0.0.1:{port}"
    assert sent["connection"] == "close"
    assert sent["content-length"] != "1"
    assert sent["content-type"] == "application/json"
    assert sent["x-key"] == "k"


async def test_a_redirect_is_reported_and_not_followed(tmp_path: Path) -> None:
    private = {"webhooks.private_addresses": True}
    response = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n"
    async with (
        open_office(tmp_path, settings=private) as office,
        listening(response) as (port, heard),
    ):
        path = await made(office, url=f"http://127.0.0.1:{port}/build")
        reply = await office.ask("POST", f"{path}/trigger", token=office.boss)

    assert reply.data["statusCode"] == 302
    assert len(heard) == 1


async def test_an_address_that_leads_inside_is_not_called_either(tmp_path: Path) -> None:
    """A name may lead to another address later than when it was kept, and so may the settings."""
    response = b"HTTP/1.1 200 OK\r\n\r\n"
    async with listening(response) as (port, heard):
        private = {"webhooks.private_addresses": True}
        async with open_office(tmp_path / "before", settings=private) as office:
            path = await made(office, url=f"http://127.0.0.1:{port}/build")
            database = tmp_path / "before" / ".tmp" / "data.db"
        async with open_office(
            tmp_path / "after", settings={"database.filename": database}
        ) as office:
            reply = await office.ask("POST", f"{path}/trigger", token=office.boss)

    assert reply.data["message"] == "The address is not on the public internet"
    assert heard == []


@pytest.mark.parametrize("response", [b"", b"\0" * 100_000, b"SSH-2.0\r\n"])
async def test_a_response_that_is_no_http_is_reported(tmp_path: Path, response: bytes) -> None:
    private = {"webhooks.private_addresses": True}
    async with open_office(tmp_path, settings=private) as office, listening(response) as (port, _):
        path = await made(office, url=f"http://127.0.0.1:{port}/build")
        reply = await office.ask("POST", f"{path}/trigger", token=office.boss)

    assert reply.data["statusCode"] == 500
    assert "no answer in HTTP" in reply.data["message"]
