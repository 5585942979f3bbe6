"""A PostgreSQL server that goes away, and comes back while the site is being used."""

import asyncio
import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials, postgresql_dump, unpack_project
from tests.databases.environment import write_environment
from tests.postgresql.cluster import Cluster
from tests.postgresql.session import Session

LIST = "/api/articles?fields[0]=title&populate[author][fields][0]=name&pagination[pageSize]=5"


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[Cluster, str]]:
    """A server of this module's own, with the recorded rows, and its URL."""
    # Not a folder of pytest's: the server may run as somebody else, who cannot go through those.
    folder = Path(tempfile.mkdtemp(prefix="quire-outage-"))
    server = Cluster(folder)
    try:
        url = server.start()
        session = Session(url)
        session.script(postgresql_dump())
        session.close()
        yield server, url
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def project(cluster: tuple[Cluster, str], tmp_path: Path) -> Path:
    unpacked = unpack_project(tmp_path)
    write_environment(unpacked, {"DATABASE_CLIENT": "postgres", "DATABASE_URL": cluster[1]})
    return unpacked


def authorized() -> dict[str, str]:
    return {
        "Authorization": f"Bearer {credentials().api_tokens['full']}",
        "Content-Type": "application/json",
    }


class Users:
    """Many who read, and one who writes; they note what they are answered."""

    def __init__(self, client: AsgiClient) -> None:
        self._client = client
        self._seen: defaultdict[int, asyncio.Semaphore]
        self._seen = defaultdict(lambda: asyncio.Semaphore(0))
        self.wrong: list[object] = []
        self.kept: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    def begin(self) -> None:
        self._tasks = [asyncio.create_task(self._read()) for _ in range(4)]
        self._tasks.append(asyncio.create_task(self._write()))

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task

    async def until(self, status: int, count: int) -> None:
        """Wait until so many more were answered with a status."""
        seen = self._seen[status] = asyncio.Semaphore(0)
        async with asyncio.timeout(60):
            for _ in range(count):
                await seen.acquire()

    async def _read(self) -> None:
        while True:
            answer = await self._client.request("GET", LIST, authorized())
            self._seen[answer.status].release()
            if answer.status == 200:
                if len(json.loads(answer.content)["data"]) != 5:
                    self.wrong.append(answer.content)
            elif answer.status != 503 or answer.headers.get("retry-after") != "1":
                self.wrong.append(answer)
            await asyncio.sleep(0.01)

    async def _write(self) -> None:
        number = 0
        while True:
            number += 1
            body = json.dumps({"data": {"label": f"tag {number}"}}).encode()
            answer = await self._client.request("POST", "/api/tags", authorized(), body)
            if answer.status == 201:
                self.kept.append(f"tag {number}")
            elif answer.status != 503:
                self.wrong.append(answer)
            await asyncio.sleep(0.01)


async def labels(client: AsgiClient) -> set[str]:
    found: set[str] = set()
    for page in range(1, 100):
        target = f"/api/tags?fields[0]=label&pagination[pageSize]=100&pagination[page]={page}"
        answer = await client.request("GET", target, authorized())
        data = json.loads(answer.content)["data"]
        found |= {tag["label"] for tag in data}
        if len(data) < 100:
            break
    return found


async def test_while_the_database_is_gone_everybody_is_told_to_come_back(
    project: Path, cluster: tuple[Cluster, str]
) -> None:
    server, _ = cluster
    async with running(build_app(load_settings(project, environ={}))) as client:
        users = Users(client)
        users.begin()
        await users.until(200, 20)
        await asyncio.to_thread(server.halt)
        await users.until(503, 20)
        healthy = await client.request("GET", "/_health")
        await asyncio.to_thread(server.resume)
        await users.until(200, 20)
        await users.end()

        assert healthy.status == 204
        assert users.wrong == []
        assert users.kept
        assert set(users.kept) <= await labels(client)
