"""Reads from a replica are never older than seen content, and work without the primary."""

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from quire.database.dialects.postgresql.connection import PostgresConnection
from quire.database.dialects.postgresql.pool import Pool
from tests.conformance.client import AsgiClient
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.postgresql.session import Session
from tests.reliability.outage import WAYS, Users
from tests.reliability.replicas import HEADERS, TOKEN, Pair, following, served, started_pair
from tests.unit.database.dialects.postgresql.conftest import run


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with started_pair() as found:
        yield found


async def write(client: AsgiClient, label: str) -> int:
    body = json.dumps({"data": {"label": label}}).encode()
    return (await client.request("POST", "/api/tags", HEADERS, body)).status


async def count(client: AsgiClient, label: str) -> int:
    target = f"/api/tags?filters[label]={quote(label)}&pagination[pageSize]=1"
    response = await client.request("GET", target, HEADERS, b"")
    assert response.status == 200, response.content
    total: int = json.loads(response.content)["meta"]["pagination"]["total"]
    return total


@pytest.fixture
def lent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of the servers to which connections were lent, one after the other."""
    addresses: list[str] = []
    acquire = Pool.acquire

    async def counted(self: Pool) -> PostgresConnection:
        connection = await acquire(self)
        addresses.append(":".join(map(str, connection._addr)))  # type: ignore[attr-defined]  # noqa: SLF001 - the driver tells nobody
        return connection

    monkeypatch.setattr(Pool, "acquire", counted)
    return addresses


def address(url: str) -> str:
    """Return the host and port of a server."""
    return url.partition("@")[2].partition("/")[0]


async def read_until_lent(client: AsgiClient, lent: list[str], replica: str) -> None:
    """Read until the replica is asked: not before the log is marked.

    Each time something else, since a repeated read may be answered from the cache of responses.
    """
    async with asyncio.timeout(60):
        for number in itertools.count():
            if replica in lent:
                return
            await count(client, f"read {number}")


async def test_reads_go_to_the_replica(pair: Pair, tmp_path: Path, lent: list[str]) -> None:
    async with served(pair, tmp_path, replica_wait_ms=60_000) as (app, client):
        assert app.database is not None
        assert [one.name for one in app.database.pools()][-1] == "replica 1"
        await count(client, "first")
        server, replica = address(pair.url), address(pair.replica_url)
        await read_until_lent(client, lent, replica)
        lent.clear()
        for number in range(20):
            assert await count(client, f"{number}") == 0

    assert lent.count(replica) >= 20
    assert lent.count(server) >= 20  # the questions for the version
    assert {*lent} == {server, replica}


async def test_whoever_writes_reads_it_although_the_replica_does_not_follow(
    pair: Pair, tmp_path: Path
) -> None:
    async with served(pair, tmp_path, replica_wait_ms=20) as (_, client):
        await count(client, "warm")
        pair.pause()
        try:
            for number in range(10):
                assert await write(client, f"paused {number}") == 201
                assert await count(client, f"paused {number}") == 1
        finally:
            pair.follow()


async def test_what_others_have_committed_is_seen_at_once(pair: Pair, tmp_path: Path) -> None:
    session = Session(pair.url)
    async with served(pair, tmp_path, replica_wait_ms=20) as (_, client):
        for number in range(10):
            assert await count(client, f"other {number}") == 0
            if number % 2:
                await asyncio.to_thread(pair.pause)
            session.execute(
                "INSERT INTO tags (document_id, label, published_at, locale)"
                " SELECT $1, $2, published_at, locale FROM tags WHERE published_at IS NOT NULL"
                " LIMIT 1",
                [f"other{number:019d}", f"other {number}"],
            )
            found = await count(client, f"other {number}")
            if number % 2:
                await asyncio.to_thread(pair.follow)
            assert found == 1, number
    session.close()


async def wait_for_replica(pair: Pair) -> None:
    """Wait until the replica shows everything that the server has committed."""
    server, replica = Session(pair.url), Session(pair.replica_url)
    try:
        ((position,),) = server.execute("SELECT pg_current_wal_lsn()::text")
        reached = "SELECT pg_last_wal_replay_lsn() >= $1::text::pg_lsn"
        async with asyncio.timeout(60):
            while replica.execute(reached, [position]) != [(True,)]:  # noqa: ASYNC110 - a server
                await asyncio.sleep(0.01)
    finally:
        server.close()
        replica.close()


async def test_requests_that_may_write_and_background_work_read_the_server(
    pair: Pair, tmp_path: Path, lent: list[str]
) -> None:
    server, replica = address(pair.url), address(pair.replica_url)
    async with served(pair, tmp_path, replica_wait_ms=60_000) as (app, client):
        await read_until_lent(client, lent, replica)
        lent.clear()
        sign_in = json.dumps({"identifier": "nobody", "password": "Incorrect1"}).encode()
        response = await client.request("POST", "/api/auth/local", HEADERS, sign_in)
        assert response.status == 400
        assert server in lent
        assert replica not in lent
        database = app.database
        assert database is not None
        await database.read(lambda: run("SELECT 1"))
        assert replica not in lent


async def test_bytes_of_a_file_that_was_deleted_elsewhere_are_removed_although_the_replica_has_it(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(pair, tmp_path, replica_wait_ms=60_000) as (app, client):
        headers = {**HEADERS, "Content-Type": FORM_TYPE}
        old = FilePart("note.txt", b"Stop bath.", "text/plain")
        response = await client.request("POST", "/api/upload", headers, form([old]))
        (uploaded,) = json.loads(response.content)
        assert app.library is not None
        storage = app.library.storage
        put = storage.put

        async def put_and_delete(key: str, path: Path, *, type_: str) -> None:
            await put(key, path, type_=type_)
            patch.undo()  # what follows is undone
            await wait_for_replica(pair)
            await asyncio.to_thread(pair.pause)
            session = Session(pair.url)
            session.execute("DELETE FROM files WHERE id = $1", [uploaded["id"]])
            session.close()

        with monkeypatch.context() as patch:
            patch.setattr(storage, "put", put_and_delete)
            new = FilePart("note.txt", b"Rinse for two minutes.", "text/plain")
            target = f"/api/upload?id={uploaded['id']}"
            try:
                response = await client.request("POST", target, headers, form([new]))
            finally:
                await asyncio.to_thread(pair.follow)
        assert response.status == 404
        assert (await client.request("GET", uploaded["url"], {}, b"")).status == 404


@pytest.mark.parametrize("way", WAYS)
async def test_reads_go_on_while_the_server_is_gone(way: str, pair: Pair, tmp_path: Path) -> None:
    with pair.in_step():
        await use_without_server(way, pair, tmp_path)


async def use_without_server(way: str, pair: Pair, folder: Path) -> None:
    """Use the site while the server goes away and comes back."""
    async with served(pair, folder, connect_timeout_ms=300) as (_, client):
        users = Users([client] * 6, TOKEN)
        await users.begin()
        await users.until("written", 6)
        await asyncio.to_thread(WAYS[way].leave, pair.server)
        try:
            await users.until("refused", 2)
            await users.until("read", 20)
            ready = await client.request("GET", "/_ready")
            assert (ready.status, json.loads(ready.content)["status"]) == (200, "ready")
        finally:
            await asyncio.to_thread(WAYS[way].come_back, pair.server)
        await asyncio.gather(users.until("written", 6), users.until("read", 6))
        await users.end()

    assert users.outcome.problems == []
    assert users.outcome.kept


async def test_a_server_that_is_back_is_read_as_soon_as_its_replica_goes(
    pair: Pair, tmp_path: Path
) -> None:
    async with served(pair, tmp_path) as (_, client):
        await asyncio.to_thread(pair.server.halt)
        try:
            await until_read(client)
        finally:
            await asyncio.to_thread(pair.server.resume)
        await asyncio.to_thread(pair.replica.halt)
        try:
            assert await count(client, "nothing") == 0
            assert await write(client, "with the server alone") == 201
        finally:
            await asyncio.to_thread(pair.replica.resume)


async def until_read(client: AsgiClient) -> None:
    """Read until that is answered."""
    status = 0
    async with asyncio.timeout(60):
        while status != 200:
            status = (await client.request("GET", "/api/tags", HEADERS, b"")).status


@pytest.mark.parametrize("way", ["stop", "hang"])
async def test_without_the_replica_everything_goes_to_the_server(
    way: str, pair: Pair, tmp_path: Path
) -> None:
    async with served(pair, tmp_path, connect_timeout_ms=300) as (_, client):
        assert await count(client, "nothing") == 0
        await asyncio.to_thread(WAYS[way].leave, pair.replica)
        try:
            for number in range(5):
                assert await write(client, f"{way} {number}") == 201
                assert await count(client, f"{way} {number}") == 1
        finally:
            await asyncio.to_thread(WAYS[way].come_back, pair.replica)
        assert await count(client, f"{way} 0") == 1


async def test_a_replica_that_is_promoted_takes_writes(tmp_path: Path) -> None:
    with started_pair() as pair:
        async with served(pair, tmp_path, pair.either_url) as (_, client):
            for number in range(5):
                assert await write(client, f"before {number}") == 201
            await asyncio.to_thread(pair.server.halt)  # which sends what is left
            await asyncio.to_thread(pair.promote)
            statuses = [await write(client, f"after {number}") for number in range(200)]
            assert [await count(client, f"before {number}") for number in range(5)] == [1] * 5
            assert await count(client, f"after {len(statuses) - 1}") == 1
            assert statuses[-1] == 201
            assert set(statuses) <= {201, 503}


async def test_what_follows_a_former_server_is_not_read(tmp_path: Path, lent: list[str]) -> None:
    with started_pair() as pair, following(pair.url) as left_behind:
        await asyncio.to_thread(pair.promote)
        # The log of the former server has come farther than that of the new one.
        session = Session(pair.url)
        for _ in range(3):
            session.execute("SELECT pg_logical_emit_message(false, 'test', 'lost')")
            session.execute("SELECT pg_switch_wal()")
        session.close()
        with following(pair.replica_url) as follower:
            replicas = (pair.url, left_behind, follower)
            async with served(
                pair, tmp_path, pair.replica_url, replicas=replicas, replica_wait_ms=60_000
            ) as (_, client):
                for number in range(10):
                    assert await write(client, f"new {number}") == 201
                    assert await count(client, f"new {number}") == 1
            assert address(follower) in lent


async def test_what_follows_a_standby_that_was_promoted_independently_is_not_read(
    tmp_path: Path, lent: list[str]
) -> None:
    with started_pair() as pair, following(pair.url) as twin:
        await asyncio.to_thread(pair.server.halt)
        await asyncio.to_thread(pair.promote)
        # Its timeline has the same number, and its log comes farther.
        session = Session(twin)
        session.execute("SELECT pg_promote()")
        for _ in range(3):
            session.execute("SELECT pg_logical_emit_message(false, 'test', 'twin')")
            session.execute("SELECT pg_switch_wal()")
        session.close()
        with following(twin) as other, following(pair.replica_url) as follower:
            async with served(
                pair,
                tmp_path,
                pair.replica_url,
                replicas=(other, follower),
                replica_wait_ms=60_000,
            ) as (_, client):
                for number in range(20):
                    assert await write(client, f"new {number}") == 201
                    assert await count(client, f"new {number}") == 1
                async with asyncio.timeout(60):
                    while lent.count(address(follower)) < 10:
                        lent.clear()
                        for number in range(10):
                            assert await count(client, f"new {number}") == 1
                # Nor while the server is lost.
                await asyncio.to_thread(pair.replica.halt)
                await until_read(client)
                assert await count(client, "new 19") == 1
