"""The recorded project on a real server, and a client that sends raw requests."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

from quire.app import build_app
from quire.cli.serve import Server, listen
from quire.settings import load_settings
from tests.conformance.client import METHODS_WITH_LENGTH, ClientResponse
from tests.secrecy.watch import WATCH

_START_SECONDS = 60


class SocketClient:
    """Asks one server over one connection."""

    def __init__(self, connection: HTTPConnection) -> None:
        self.connection = connection

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        """Send one request, byte for byte as given, and return the whole response."""
        return await asyncio.to_thread(self._request, method, raw_target, headers or {}, body)

    def _request(
        self, method: str, raw_target: str, headers: Mapping[str, str], body: bytes
    ) -> ClientResponse:
        sent = {"host": "127.0.0.1:1337", **{k.lower(): v for k, v in headers.items()}}
        if body or method in METHODS_WITH_LENGTH:
            sent.setdefault("content-length", str(len(body)))
        self.connection.putrequest(method, raw_target, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            self.connection.putheader(name, value)
        self.connection.endheaders(body or None)
        response = self.connection.getresponse()
        content = response.read()
        received: dict[str, str] = {}
        for raw_name, value in response.getheaders():
            name = raw_name.lower()
            received[name] = f"{received[name]}, {value}" if name in received else value
        WATCH.sent(sent, body)
        WATCH.record(raw_target, received, content, body)
        return ClientResponse(response.status, received, content)


@contextmanager
def served(project: Path) -> Iterator[int]:
    """Serve the project in a folder on a separate port, on a thread; gives the port."""
    settings = load_settings(
        project, environ={}, overrides={"server.host": "127.0.0.1", "server.port": 0}
    )
    ready = threading.Event()
    with closing(listen(settings)) as listener:
        server = Server(settings, build_app(settings), ready.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            assert ready.wait(_START_SECONDS), "the server did not start"
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(_START_SECONDS)


@contextmanager
def connected(port: int, patience: float = 30) -> Iterator[SocketClient]:
    """Connect to a server on this machine, which has so many seconds for each response."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=patience)) as connection:
        yield SocketClient(connection)
