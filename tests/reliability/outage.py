"""Clients that go on using the site while its database goes away, hangs, and comes back.

They hold every answer against what they know. A list that nobody changes is always the same. The
number of tags is at least that of those that were acknowledged before it was asked for, and at most
that of all that were tried. What is not answered is refused with 503 and ``Retry-After``. At the
end every tag that was acknowledged is there.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from time import monotonic
from types import MappingProxyType

from tests.conformance.client import Answer, Client
from tests.conformance.corpus import JSON
from tests.postgresql.cluster import Cluster

LIST = (
    "/api/articles?fields[0]=title&populate[author][fields][0]=name&sort=id&pagination[pageSize]=5"
)
NUMBER = "/api/tags?fields[0]=label&pagination[pageSize]=1"
_PAUSE_S = 0.01
_FEW = 6
_PATIENCE_S = 120
_SHOWN = 5

Act = Callable[[Cluster], None]


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a server goes away, and comes back."""

    name: str
    leave: Act
    come_back: Act


WAYS: Mapping[str, Way] = MappingProxyType(
    {
        way.name: way
        for way in (
            Way("stop", Cluster.halt, Cluster.resume),
            Way("kill", Cluster.kill, Cluster.resume),
            Way("hang", Cluster.freeze, Cluster.thaw),
        )
    }
)


@dataclass(slots=True)
class Outcome:
    """What the clients have seen.

    ``reads`` and ``kept`` were answered well, ``refused`` were told to come back. ``slowest`` is
    how many seconds the slowest answer took while the database was away, ``back`` how many after
    the database the site was back. ``problems`` says in words what was wrong.
    """

    reads: int = 0
    kept: int = 0
    refused: int = 0
    slowest: float = 0
    back: float = 0
    problems: list[str] = field(default_factory=list)


class Users:
    """Several who read, and one who writes, each with a client of its own."""

    def __init__(self, clients: Sequence[Client], token: str) -> None:
        self.outcome = Outcome()
        self._clients = clients
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._seen: defaultdict[int, asyncio.Semaphore]
        self._seen = defaultdict(lambda: asyncio.Semaphore(0))
        self._kept: set[str] = set()
        self._tried: set[str] = set()
        self._first = 0
        """How many tags there were before."""
        self._expected: JSON = None
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """Look what there is, and begin."""
        writer, *readers = self._clients
        self._expected = (await self._ask(writer, "GET", LIST)).json
        self._first = _total(await self._ask(writer, "GET", NUMBER))
        self._tasks = [asyncio.create_task(self._write(writer))]
        for number, client in enumerate(readers):
            reading = self._count(client) if number % 2 else self._read(client)
            self._tasks.append(asyncio.create_task(reading))

    async def until(self, status: int, count: int) -> None:
        """Wait until so many more were answered with a status. Raises TimeoutError."""
        seen = self._seen[status] = asyncio.Semaphore(0)
        async with asyncio.timeout(_PATIENCE_S):
            for _ in range(count):
                await seen.acquire()

    async def end(self) -> None:
        """Stop, and look whether all is there that was acknowledged."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        found = await self._labels()
        self.outcome.problems += [f"{label} is lost" for label in sorted(self._kept - found)]
        self.outcome.kept = len(self._kept)

    async def _read(self, client: Client) -> None:
        while True:
            response = await self._response(client, "GET", LIST, 200)
            if response is not None:
                self.outcome.reads += 1
                self._require(
                    response.json == self._expected, f"another list: {response.content!r}"
                )

    async def _count(self, client: Client) -> None:
        while True:
            least = self._first + len(self._kept)
            response = await self._response(client, "GET", NUMBER, 200)
            if response is not None:
                self.outcome.reads += 1
                most, total = self._first + len(self._tried), _total(response)
                said = f"{total} tags, and not between {least} and {most}"
                self._require(least <= total <= most, said)

    async def _write(self, client: Client) -> None:
        while True:
            label = f"outage {len(self._tried)}"
            self._tried.add(label)
            body = json.dumps({"data": {"label": label}}).encode()
            response = await self._response(client, "POST", "/api/tags", 201, body)
            if response is not None:
                self._kept.add(label)

    async def _response(
        self, client: Client, method: str, target: str, good: int, body: bytes = b""
    ) -> Answer | None:
        """Ask once; returns a good answer, ``None`` when it was refused as it should be."""
        began = monotonic()
        try:
            response = await self._ask(client, method, target, body)
        except (OSError, HTTPException) as error:
            self._blame(f"{method} {target}: {type(error).__name__}: {error}")
            return None
        self.outcome.slowest = max(self.outcome.slowest, monotonic() - began)
        self._seen[response.status].release()
        await asyncio.sleep(_PAUSE_S)
        if response.status == good:
            return response
        refused = response.status == 503 and "retry-after" in response.headers
        self.outcome.refused += refused
        self._require(refused, f"{method} {target}: {response.status} {response.content!r}")
        return None

    async def _ask(self, client: Client, method: str, target: str, body: bytes = b"") -> Answer:
        return await client.request(method, target, self._headers, body)

    def _require(self, condition: object, problem: str) -> None:
        if not condition:
            self._blame(problem)

    def _blame(self, problem: str) -> None:
        if len(self.outcome.problems) < _SHOWN:
            self.outcome.problems.append(problem[:500])

    async def _labels(self) -> set[str]:
        found: set[str] = set()
        page = pages = 1
        while page <= pages:
            query = f"fields[0]=label&sort=id&pagination[pageSize]=100&pagination[page]={page}"
            response = await self._ask(self._clients[0], "GET", f"/api/tags?{query}")
            body = json.loads(response.content)
            found |= {tag["label"] for tag in body["data"]}
            page, pages = page + 1, body["meta"]["pagination"]["pageCount"]
        return found


async def live_through(
    way: Way, cluster: Cluster, clients: Sequence[Client], token: str, seconds: float
) -> Outcome:
    """Let clients use the site while its database is away for so many seconds at the least.

    Raises TimeoutError when nobody is told to come back, or nobody is served again.
    """
    users = Users(clients, token)
    await users.begin()
    await users.until(201, _FEW)
    await asyncio.sleep(seconds / 10)
    users.outcome.slowest = 0
    began = monotonic()
    await asyncio.to_thread(way.leave, cluster)
    try:
        await users.until(503, _FEW)
        await asyncio.sleep(max(0, seconds - (monotonic() - began)))
    finally:
        await asyncio.to_thread(way.come_back, cluster)
    began = monotonic()
    await asyncio.gather(users.until(200, 1), users.until(201, 1))
    users.outcome.back = monotonic() - began
    await users.until(201, _FEW)
    await asyncio.sleep(seconds / 10)
    await users.end()
    return users.outcome


def _total(response: Answer) -> int:
    total: int = json.loads(response.content)["meta"]["pagination"]["total"]
    return total
