"""Kills and restarts nodes, a PostgreSQL server and its replica while the site is used."""

import asyncio
import json
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic

from bench.measure import percentile
from tests.conformance.corpus import credentials, unpack_project
from tests.databases.environment import write_environment
from tests.reliability.nodes import LoadBalancer, Node
from tests.reliability.outage import Outcome, Users
from tests.reliability.replicas import Pair, started_pair
from tests.unit.cli.processes import QUIRE

_CLIENTS, _WRITERS = 9, 3
_FEW = 6
_SCHEMA = Path("src/api/tag/content-types/tag/schema.json")
_ADDED = "note"


@dataclass(frozen=True, slots=True)
class Phase:
    """What was done, how many seconds it took, and what the clients have seen meanwhile."""

    name: str
    seconds: float
    outcome: Outcome

    @property
    def p99_ms(self) -> float:
        """The 99th percentile of the times that responses took, in milliseconds."""
        return percentile(self.outcome.times, 0.99) * 1000


class FailoverTrial:
    """A site that goes through one phase after the other; ``phases`` is what came of them.

    ``calm`` is for how many seconds it is used after each step, at the least.
    """

    def __init__(
        self, pair: Pair, nodes: Sequence[Node], users: Users, calm: float, stack: ExitStack
    ) -> None:
        """What is started is stopped with ``stack``."""
        self.phases: list[Phase] = []
        self._pair = pair
        self._nodes = nodes
        self._users = users
        self._calm = calm
        self._stack = stack

    async def be_used(self) -> None:
        """Only use it."""
        async with self._phase("nothing"):
            pass

    async def lose_node(self) -> None:
        """Kill a node, and start it again after a while."""
        node = self._nodes[-1]
        async with self._phase("node killed", may_cut_off=True):
            await asyncio.to_thread(node.kill)
            await self._serve_on()
            await asyncio.to_thread(node.start)

    async def lose_server(self, seconds: float) -> None:
        """Stop the server for so many seconds: reads continue, and writes get 503."""
        server = self._pair.server
        async with self._phase("server away", may_refuse=True):
            began = monotonic()
            await asyncio.to_thread(server.halt)
            try:
                await self._users.until("refused", _FEW)
                await self._users.until("read", _FEW)
                await asyncio.sleep(max(0, seconds - (monotonic() - began)))
                await self._users.until("read", _FEW)
            finally:
                await asyncio.to_thread(server.resume)

    async def fail_over(self) -> None:
        """Kill the server and promote the replica; then the former server follows it."""
        async with self._phase("replica promoted", may_refuse=True):
            await asyncio.to_thread(self._pair.server.kill)
            await self._users.until("refused", 1)
            self._pair = await asyncio.to_thread(self._pair.fail_over)
            self._stack.callback(self._pair.replica.stop)

    async def restart_servers(self) -> None:
        """Restart the server, and after it the replica."""
        for name, server in (("server", self._pair.server), ("replica", self._pair.replica)):
            async with self._phase(f"{name} restarted", may_refuse=True):
                await asyncio.to_thread(server.halt)
                await asyncio.to_thread(server.resume)

    async def restart_nodes(self) -> None:
        """Restart one node after the other: no request fails."""
        async with self._phase("nodes restarted"):
            for node in self._nodes:
                await self._restart(node)

    async def upgrade_nodes(self) -> None:
        """Migrate the database, and upgrade one node after the other: no request fails.

        Each gets the new schema files, and the present Quire if it has begun with a former one.
        """
        async with self._phase("nodes upgraded"):
            new = self._nodes[0].folder.with_name("new")
            shutil.copytree(self._nodes[0].folder, new, ignore=shutil.ignore_patterns(".tmp"))
            _add_attribute(new)
            await asyncio.to_thread(_migrate, new)
            await self._serve_on()
            for node in self._nodes:
                _add_attribute(node.folder)
                node.program = QUIRE
                await self._restart(node)
        await self._require_attribute()

    async def downgrade_nodes(self, former: Path) -> None:
        """Return one node after the other to a former Quire: no request fails."""
        async with self._phase("nodes downgraded"):
            for node in self._nodes:
                node.program = former
                await self._restart(node)
        await self._require_attribute()

    async def _require_attribute(self) -> None:
        for node in self._nodes:
            problem = await asyncio.to_thread(_lacks_attribute, node)
            self.phases[-1].outcome.problems += [problem] if problem else []

    async def _restart(self, node: Node) -> None:
        await asyncio.to_thread(node.stop)
        await self._serve_on()
        await asyncio.to_thread(node.start)
        await self._serve_on()

    async def _serve_on(self) -> None:
        await asyncio.gather(self._users.until("read", _FEW), self._users.until("written", _FEW))
        await asyncio.sleep(self._calm)

    @asynccontextmanager
    async def _phase(
        self, name: str, *, may_refuse: bool = False, may_cut_off: bool = False
    ) -> AsyncIterator[None]:
        """Note what is seen, and whether requests may be refused, and writes cut off."""
        began = monotonic()
        yield
        await self._serve_on()
        outcome = self._users.finish_phase()
        if outcome.refused and not may_refuse:
            outcome.problems.append(f"{outcome.refused} requests were told to come back")
        if outcome.cut_off and not may_cut_off:
            outcome.problems.append(f"{outcome.cut_off} writes were cut off")
        self.phases.append(Phase(name, monotonic() - began, outcome))


async def fail_over(
    *,
    nodes: int,
    away: float,
    calm: float,
    brief: bool = False,
    former: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> list[Phase]:
    """Use a site of so many nodes while all of it goes away in turn; returns what was seen.

    The server is away for ``away`` seconds. Each commit is acknowledged when the replica shows it,
    so that none may be lost. The ``brief`` form restarts nodes only to upgrade them. ``former`` is
    the ``quire`` of an earlier version: nodes begin with it, are upgraded, and return to it.
    ``progress`` is given each phase that is done, and its problems.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quire-fail-over-")))
        pair = stack.enter_context(started_pair())
        pair.keep_in_step()
        started = _started_nodes(pair, folder, nodes, former or QUIRE, stack)
        balancer = LoadBalancer(started)
        token = credentials().api_tokens["full"]
        async with balancer.watching():
            users = Users([balancer.client() for _ in range(_CLIENTS)], token, _WRITERS)
            await users.begin()
            trial = FailoverTrial(pair, started, users, calm, stack)
            for step in (
                trial.be_used,
                trial.lose_node,
                partial(trial.lose_server, away),
                trial.fail_over,
                trial.restart_servers,
                *(() if brief else (trial.restart_nodes,)),
                trial.upgrade_nodes,
                *(() if former is None else (partial(trial.downgrade_nodes, former),)),
            ):
                await step()
                phase = trial.phases[-1]
                progress(f"{phase.name}: done")
                for problem in phase.outcome.problems:
                    progress(f"{phase.name}: {problem}")
            await users.end()
        trial.phases[-1].outcome.problems += users.outcome.problems
        return trial.phases


def _started_nodes(
    pair: Pair, folder: Path, count: int, program: Path, stack: ExitStack
) -> list[Node]:
    project = unpack_project(folder / "project")
    write_environment(
        project,
        {
            "DATABASE_CLIENT": "postgres",
            "DATABASE_URL": pair.either_url,
            "DATABASE_REPLICA_URLS": f"{pair.url},{pair.replica_url}",
        },
    )
    started = []
    for number in range(count):
        node = Node(project, folder / f"node-{number + 1}", program)
        stack.callback(node.stop)
        node.start()
        started.append(node)
    return started


def _add_attribute(project: Path) -> None:
    path = project / _SCHEMA
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["attributes"][_ADDED] = {"type": "string"}
    path.write_text(json.dumps(schema, indent=2), encoding="utf-8")


def _migrate(project: Path) -> None:
    subprocess.run([QUIRE, "migrate", project, "--apply"], check=True, capture_output=True)


def _lacks_attribute(node: Node) -> str | None:
    """Return what is wrong if a node does not know the attribute that was added."""
    headers = {"Authorization": f"Bearer {credentials().api_tokens['full']}"}
    with closing(HTTPConnection("127.0.0.1", node.port, timeout=60)) as connection:
        connection.request(
            "GET", f"/api/tags?fields={_ADDED}&pagination[pageSize]=1", None, headers
        )
        response = connection.getresponse()
        content = response.read()
    if response.status == 200 and _ADDED in json.loads(content)["data"][0]:
        return None
    return f"an upgraded node answered {response.status}: {content[:200]!r}"
