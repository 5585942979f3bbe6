"""Nodes of one site, each a process with its own folder, behind a load balancer."""

import asyncio
import os
import select
import shutil
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from bench.servers import Server, quire, running
from tests.conformance.client import Client, ClientResponse
from tests.conformance.over_socket import SocketClient
from tests.reliability.outage import ConnectionLostError

_PROBE = "/_ready"
_PROBE_EVERY = 0.05
_PROBE_PATIENCE_S = 5
_PATIENCE_S = 60
_SETTINGS = """
[server]
drain_timeout = "2s"

[database]
busy_timeout_ms = 60000
"""
"""So the balancer notices when a node is about to stop, and writes wait for a migration."""


class Node:
    """One process, which is started and stopped again and again, each time on another port."""

    def __init__(self, project: Path, folder: Path, program: Path) -> None:
        """It serves a copy of ``project`` in ``folder``; ``program`` is the ``quire`` to start."""
        self.folder = folder
        self.program = program
        shutil.copytree(project, folder, ignore=shutil.ignore_patterns(".tmp", "uploads"))
        with (folder / "quire.toml").open("a", encoding="utf-8") as file:
            file.write(_SETTINGS)
        self._stack = ExitStack()
        self._server: Server | None = None

    @property
    def port(self) -> int | None:
        """Where it listens; ``None`` while it is stopped."""
        return None if self._server is None else self._server.port

    @property
    def pid(self) -> int:
        """The id of its process. Raises ValueError while it is stopped."""
        if self._server is None:
            raise ValueError("the node is stopped")
        return self._server.pid

    def start(self) -> None:
        """Start it, and wait until it is ready. Raises ServerError when it does not get so."""
        self._server = self._stack.enter_context(
            running(quire(self.folder, program=self.program), _PROBE)
        )

    def stop(self) -> None:
        """Stop it by SIGTERM, and wait for its end."""
        self._stack.close()
        self._server = None

    def kill(self) -> None:
        """End it at once, as an error does."""
        os.killpg(self.pid, signal.SIGKILL)
        self.stop()


class LoadBalancer:
    """Sends requests in turn to the nodes that say that they are ready.

    Without such a node requests wait for one. A request that a node was not sent, or that only
    reads, is sent to the next one when that node goes away; any other one is cut off.
    """

    def __init__(self, nodes: list[Node]) -> None:
        self.nodes = nodes
        self._ready: set[int] = set()
        self._turn = 0
        self._clients: list[_BalancedClient] = []

    @asynccontextmanager
    async def watching(self) -> AsyncIterator[None]:
        """Look all the time which nodes are ready; at the end clients lose their connections."""
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            for client in self._clients:
                client.close()

    async def ready_ports(self) -> list[int]:
        """Return the ports of the ready nodes in the order in which the next request tries them.

        Waits for the first one. Raises ConnectionRefusedError when none gets ready in time.
        """
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while not (ports := self._known_ready()):  # noqa: ASYNC110 - nodes tell nobody
                    await asyncio.sleep(_PROBE_EVERY)
        except TimeoutError:
            raise ConnectionRefusedError("no node is ready") from None
        self._turn = (self._turn + 1) % len(ports)
        return ports[self._turn :] + ports[: self._turn]

    def _known_ready(self) -> list[int]:
        known = (node.port for node in self.nodes)
        return [port for port in known if port is not None and port in self._ready]

    def leave(self, port: int) -> None:
        """Send nothing to a node until it says again that it is ready."""
        self._ready.discard(port)

    def client(self) -> Client:
        """Return a client with connections of its own."""
        self._clients.append(_BalancedClient(self))
        return self._clients[-1]

    async def _watch(self) -> None:
        while True:
            ports = [node.port for node in self.nodes if node.port is not None]
            states = await asyncio.gather(*(asyncio.to_thread(_is_ready, port) for port in ports))
            self._ready = {port for port, is_ready in zip(ports, states, strict=True) if is_ready}
            await asyncio.sleep(_PROBE_EVERY)


class _BalancedClient:
    """Sends requests one after the other (a `Client`)."""

    def __init__(self, balancer: LoadBalancer) -> None:
        self._balancer = balancer
        self._connections: dict[int, HTTPConnection] = {}

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        """Send one request to a node.

        Raises ConnectionLostError, and OSError when no node is ready.
        """
        refused: Exception = ConnectionRefusedError("no node listens")
        for port in await self._balancer.ready_ports():
            connection = self._connection(port)
            client = SocketClient(connection)
            try:
                return await client.request(method, raw_target, headers, body)
            except ConnectionRefusedError as error:
                self._balancer.leave(port)
                refused = error
            except (OSError, HTTPException) as error:
                self._balancer.leave(port)
                connection.close()
                if method != "GET":
                    raise ConnectionLostError from error
                refused = error
        raise refused

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()

    def _connection(self, port: int) -> HTTPConnection:
        """Return a connection to a node; one that the node has closed is opened again."""
        found = self._connections.get(port)
        if found is None:
            found = self._connections[port] = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
        elif found.sock is not None and select.select([found.sock], [], [], 0)[0]:
            found.close()
        return found


def _is_ready(port: int) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=_PROBE_PATIENCE_S)
    try:
        connection.request("GET", _PROBE)
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
