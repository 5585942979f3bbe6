"""Clients that use the site while its database stops, hangs, and restarts.

They hold every response against what they know. A list that nobody changes is always the same. The
number of tags is at least that of those that were acknowledged before it was requested, and at most
that of all that were tried. One tag is changed again and again, and is never read as it was before
the last change that was acknowledged. What is not answered gets 503 and ``Retry-After``.
At the end every tag that was acknowledged is there.
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
from typing import Literal

from tests.conformance.client import Client, ClientResponse
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
_GOOD = frozenset({200, 201})

ChangeServer = Callable[[Cluster], None]
Answered = Literal["read", "written", "refused"]
"""How a request was answered: well, or with 503 and when to come back."""


class ConnectionLostError(Exception):
    """The server went away after it had been sent a request that it may have carried out."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way in which a server goes away, and comes back."""

    name: str
    leave: ChangeServer
    come_back: ChangeServer


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

    ``reads`` and ``kept`` were answered well, ``refused`` were told to come back, among them
    ``refused_reads``; ``cut_off`` are writes of which nobody knows. ``times`` are the seconds that
    each response took, ``slowest`` those of the slowest one, ``back`` how many after the database
    the site was back. ``pauses`` are the longest times in which nothing was read, and written.
    ``problems`` says in words what was wrong.
    """

    reads: int = 0
    kept: int = 0
    refused: int = 0
    refused_reads: int = 0
    cut_off: int = 0
    times: list[float] = field(default_factory=list)
    slowest: float = 0
    back: float = 0
    pauses: dict[Answered, float] = field(default_factory=lambda: {"read": 0, "written": 0})
    problems: list[str] = field(default_factory=list)


class Users:
    """Several who read and several who write, each with a separate client."""

    def __init__(self, clients: Sequence[Client], token: str, writers: int = 1) -> None:
        """The first ``writers`` clients write; if they are several, the first changes one tag."""
        self.outcome = Outcome()
        self._clients = clients
        self._writers = writers
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._seen: defaultdict[Answered, asyncio.Semaphore]
        self._seen = defaultdict(lambda: asyncio.Semaphore(0))
        self._last: dict[Answered, float] = {}
        """When something was last read, and written."""
        self._kept: set[str] = set()
        self._tried: set[str] = set()
        self._first = 0
        """How many tags there were before."""
        self._changed = ""
        """The path of the tag that is changed."""
        self._change = self._tried_change = 0
        """The numbers of the last change that was acknowledged, and of the last that was tried."""
        self._expected: JSON = None
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """Look what there is, and begin."""
        first = self._clients[0]
        self._expected = (await self._ask(first, "GET", LIST)).json
        made = await self._ask(first, "POST", "/api/tags", _tag("change 0"))
        self._changed = f"/api/tags/{json.loads(made.content)['data']['documentId']}"
        self._first = _total(await self._ask(first, "GET", NUMBER))
        self._last = {"read": monotonic(), "written": monotonic()}
        writing = [self._write] * self._writers
        if self._writers > 1:
            writing[0] = self._write_change
        reading = [self._read, self._count, self._read_change]
        for number, client in enumerate(self._clients):
            kinds = writing if number < self._writers else reading
            self._tasks.append(asyncio.create_task(kinds[number % len(kinds)](client)))

    async def until(self, answered: Answered, count: int) -> None:
        """Wait until so many more were answered in a way. Raises TimeoutError."""
        seen = self._seen[answered] = asyncio.Semaphore(0)
        async with asyncio.timeout(_PATIENCE_S):
            for _ in range(count):
                await seen.acquire()

    def finish_phase(self) -> Outcome:
        """Return what was seen up to now, and begin a new outcome."""
        for kind in self.outcome.pauses:
            self._end_pause(kind, monotonic())
        found, self.outcome = self.outcome, Outcome()
        return found

    async def end(self) -> None:
        """Stop, and look whether all is there that was acknowledged."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        found = await self._labels()
        self.outcome.problems += [f"{label} is lost" for label in sorted(self._kept - found)]

    async def _read(self, client: Client) -> None:
        while True:
            response = await self._response(client, "GET", LIST)
            if response is not None:
                self._require(
                    response.json == self._expected, f"another list: {response.content!r}"
                )

    async def _count(self, client: Client) -> None:
        while True:
            least = self._first + len(self._kept)
            response = await self._response(client, "GET", NUMBER)
            if response is not None:
                most, total = self._first + len(self._tried), _total(response)
                said = f"{total} tags, and not between {least} and {most}"
                self._require(least <= total <= most, said)

    async def _read_change(self, client: Client) -> None:
        while True:
            least = self._change
            response = await self._response(client, "GET", self._changed)
            if response is not None:
                label: str = json.loads(response.content)["data"]["label"]
                said = f"{label}, and not between {least} and {self._tried_change}"
                number = int(label.removeprefix("change "))
                self._require(least <= number <= self._tried_change, said)

    async def _write(self, client: Client) -> None:
        while True:
            label = f"outage {len(self._tried)}"
            self._tried.add(label)
            if await self._response(client, "POST", "/api/tags", _tag(label)) is not None:
                self._kept.add(label)

    async def _write_change(self, client: Client) -> None:
        while True:
            self._tried_change += 1
            body = _tag(f"change {self._tried_change}")
            if await self._response(client, "PUT", self._changed, body) is not None:
                self._change = self._tried_change

    async def _response(
        self, client: Client, method: str, target: str, body: bytes = b""
    ) -> ClientResponse | None:
        """Ask once; returns a good answer, ``None`` when it was rejected as it should be."""
        began = monotonic()
        try:
            response = await self._ask(client, method, target, body)
        except ConnectionLostError:
            self.outcome.cut_off += 1
            return None
        except (OSError, HTTPException) as error:
            self._blame(f"{method} {target}: {type(error).__name__}: {error}")
            await asyncio.sleep(_PAUSE_S)
            return None
        self._note(response, method, began)
        await asyncio.sleep(_PAUSE_S)
        return response if response.status in _GOOD else None

    def _note(self, response: ClientResponse, method: str, began: float) -> None:
        now, outcome = monotonic(), self.outcome
        outcome.times.append(now - began)
        outcome.slowest = max(outcome.slowest, now - began)
        answered: Answered = "read" if method == "GET" else "written"
        if response.status not in _GOOD:
            is_refused = response.status == 503 and "retry-after" in response.headers
            outcome.refused += is_refused
            outcome.refused_reads += is_refused and method == "GET"
            self._require(is_refused, f"{method}: {response.status} {response.content!r}")
            answered = "refused"
        elif method == "GET":
            outcome.reads += 1
            self._end_pause("read", now)
        else:
            outcome.kept += 1
            self._end_pause("written", now)
        self._seen[answered].release()

    def _end_pause(self, kind: Answered, now: float) -> None:
        pauses = self.outcome.pauses
        pauses[kind] = max(pauses[kind], now - self._last[kind])
        self._last[kind] = now

    async def _ask(
        self, client: Client, method: str, target: str, body: bytes = b""
    ) -> ClientResponse:
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

    Raises TimeoutError when no request gets 503, or none succeeds again.
    """
    users = Users(clients, token)
    await users.begin()
    await users.until("written", _FEW)
    await asyncio.sleep(seconds / 10)
    users.outcome.slowest = 0
    began = monotonic()
    await asyncio.to_thread(way.leave, cluster)
    try:
        await users.until("refused", _FEW)
        await asyncio.sleep(max(0, seconds - (monotonic() - began)))
    finally:
        await asyncio.to_thread(way.come_back, cluster)
    began = monotonic()
    await asyncio.gather(users.until("read", 1), users.until("written", 1))
    users.outcome.back = monotonic() - began
    await users.until("written", _FEW)
    await asyncio.sleep(seconds / 10)
    await users.end()
    return users.outcome


def _tag(label: str) -> bytes:
    return json.dumps({"data": {"label": label}}).encode()


def _total(response: ClientResponse) -> int:
    total: int = json.loads(response.content)["meta"]["pagination"]["total"]
    return total
