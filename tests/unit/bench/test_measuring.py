"""The measuring modules, each with a small real example."""

import asyncio
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import cast

import apsw
import pytest

from bench.driver import DriverJob, Statement, cpu_per_request
from bench.load import LoadError, LoadJob, load, run_load
from bench.processes import cpu_seconds, process_tree, resident_megabytes
from bench.servers import Launch, Server, ServerError, fetch, plain, running
from tests.unit.bench.marks import needs_proc

RESPONSES = {"/api/articles?sort=title": '{"data":["é"]}', "/api/tags": '{"data":[]}'}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(plain(tmp_path_factory.mktemp("plain"), RESPONSES), probe="/api/tags") as server:
        yield server


def test_the_plain_server_answers_what_it_was_given(server: Server) -> None:
    for target, body in RESPONSES.items():
        assert fetch(server, target) == (200, body.encode())


def test_the_plain_server_knows_nothing_else(server: Server) -> None:
    assert fetch(server, "/api/articles") == (404, b"")


def test_a_load_is_of_as_many_requests_as_asked(server: Server) -> None:
    """The bytes tell that targets were requested in turn."""
    job = LoadJob(server.port, tuple(RESPONSES), "token", requests=101, concurrency=4)
    result = load(job)
    first, second = (len(body.encode()) for body in RESPONSES.values())
    assert result.requests == 101
    assert result.body_bytes == 51 * first + 50 * second
    assert 0 < result.p50_ms <= result.p99_ms


def test_a_load_of_fewer_requests_than_connections_ends(server: Server) -> None:
    job = LoadJob(server.port, ("/api/tags",), "token", requests=3, concurrency=16)
    assert asyncio.run(run_load(job)).requests == 3


def test_a_load_that_meets_another_status_than_200_fails(server: Server) -> None:
    with pytest.raises(LoadError, match="the server answered 404"):
        load(LoadJob(server.port, ("/nowhere",), "token", requests=10))


class _Moody(asyncio.Protocol):
    """A server that answers a request, or hangs up instead."""

    def __init__(self, responses: Iterator[bool]) -> None:
        self._responses = responses

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        assert data.endswith(b"\r\n\r\n")
        if next(self._responses):
            self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        else:
            self._transport.close()


async def _under_load(responses: Iterator[bool]) -> int:
    """Load such a server; returns how many requests were answered."""
    loop = asyncio.get_running_loop()
    async with await loop.create_server(lambda: _Moody(responses), "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        try:
            job = LoadJob(port, ("/",), "token", requests=12, concurrency=3)
            return (await run_load(job)).requests
        finally:
            await asyncio.sleep(0.05)  # connections end in the rounds of the loop that follow


def test_a_request_whose_connection_is_lost_is_sent_again() -> None:
    assert asyncio.run(_under_load(number % 4 != 3 for number in count())) == 12


def test_a_load_ends_when_connections_are_lost_again_and_again() -> None:
    with pytest.raises(LoadError, match="the server closed a connection"):
        asyncio.run(_under_load(False for _ in count()))


def test_a_server_that_ends_at_once_is_reported_with_its_last_words(tmp_path: Path) -> None:
    launch = Launch("Broken", ("sh", "-c", "echo no such project; exit 3"), tmp_path, 1)
    expected = pytest.raises(ServerError, match=r"Broken ended with 3(?s:.*)no such project")
    with expected, running(launch):
        pass


@needs_proc
def test_a_server_is_gone_after_its_run(tmp_path: Path) -> None:
    with running(plain(tmp_path, RESPONSES), probe="/api/tags") as server:
        assert server.pid in process_tree(server.pid)
    assert process_tree(server.pid) == []


@needs_proc
def test_the_use_of_processor_and_memory_is_read_for_the_whole_tree() -> None:
    assert (cpu_seconds(os.getpid()) or 0) > 0
    assert (resident_megabytes(os.getpid()) or 0) > 5


def test_what_is_not_there_has_used_nothing_that_is_known() -> None:
    assert cpu_seconds(2**30) is None
    assert resident_megabytes(2**30) is None


def test_the_bare_driver_divides_time_by_requests(tmp_path: Path) -> None:
    """The clock advances a second a call: a run of two seconds is one pass over two requests."""
    path = tmp_path / "data.db"
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2)")
    requests: list[list[Statement]] = [
        [("SELECT a FROM t WHERE a = ?", [1])],
        [("SELECT count(*) FROM t", [])],
    ]
    clock = count().__next__
    assert cpu_per_request(DriverJob(str(path), requests, 2.0), clock) == 1_000_000
