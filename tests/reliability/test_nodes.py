"""The load balancer of tests sends requests to ready nodes alone, as real ones do."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import cast

import pytest

from tests.reliability import nodes
from tests.reliability.nodes import LoadBalancer, Node


class _UnreadyNode(BaseHTTPRequestHandler):
    """Serves everything, but is never ready."""

    def do_GET(self) -> None:
        self.send_response(503 if self.path == "/_ready" else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def unready_port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _UnreadyNode) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


class _NodeOnPort:
    def __init__(self, port: int) -> None:
        self.port = port


async def test_a_node_that_listens_and_is_not_ready_is_asked_for_nothing(
    unready_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "_PATIENCE_S", 0.5)
    balancer = LoadBalancer([cast("Node", _NodeOnPort(unready_port))])
    async with balancer.watching():
        with pytest.raises(ConnectionRefusedError, match="no node is ready"):
            await balancer.client().request("GET", "/api/tags")
