"""A proxy in front of a server, which holds responses back."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Event, Thread
from urllib.parse import urlsplit

_CHUNK = 65_536


class SlowProxy:
    """Holds back the responses to requests that begin with some bytes, until they are released."""

    def __init__(self, address: str, request: bytes) -> None:
        self._target = urlsplit(address)
        self._request = request
        self._loop = asyncio.new_event_loop()
        self._released, self._stopped = asyncio.Event(), asyncio.Event()
        self.is_answered = Event()
        """Set when the server has answered such a request."""

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Give the address of the proxy."""
        port: Future[int] = Future()

        def run() -> None:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._listen(port))

        thread = Thread(target=run)
        thread.start()
        try:
            yield f"http://127.0.0.1:{port.result()}"
        finally:
            self._loop.call_soon_threadsafe(self._stopped.set)
            thread.join()

    def release(self) -> None:
        """Send the responses that were held back."""
        self._loop.call_soon_threadsafe(self._released.set)

    async def _listen(self, port: Future[int]) -> None:
        async with await asyncio.start_server(self._forward, "127.0.0.1", 0) as listening:
            port.set_result(int(listening.sockets[0].getsockname()[1]))
            await self._stopped.wait()

    async def _forward(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        server, to_server = await asyncio.open_connection(self._target.hostname, self._target.port)
        held = asyncio.Event()
        directions = [
            asyncio.create_task(self._forward_requests(client, to_server, held)),
            asyncio.create_task(self._forward_responses(server, to_client, held)),
        ]
        try:
            await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for direction in directions:
                direction.cancel()
            await asyncio.gather(*directions, return_exceptions=True)
            to_client.close()
            to_server.close()

    async def _forward_requests(
        self, client: asyncio.StreamReader, to_server: asyncio.StreamWriter, held: asyncio.Event
    ) -> None:
        while data := await client.read(_CHUNK):
            if data.startswith(self._request):
                held.set()
            to_server.write(data)

    async def _forward_responses(
        self, server: asyncio.StreamReader, to_client: asyncio.StreamWriter, held: asyncio.Event
    ) -> None:
        while data := await server.read(_CHUNK):
            if held.is_set():
                self.is_answered.set()
                await self._released.wait()
            to_client.write(data)
