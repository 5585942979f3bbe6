"""Requests to a project under test, passed to the application without a socket."""

from collections.abc import Mapping
from typing import Any

import httpx

from quire.app import Application
from quire.clock import Clock
from quire.content_api.server_timing import Timings, collect_timings
from quire.hooks.time import use_clock
from quire.testing.loop import LoopThread

ADDRESS = "http://127.0.0.1:1337"


class Client:
    """A client: a visitor, a user, an administrator, or a program.

    ``id`` is the row of the user, administrator or token; ``None`` for a visitor.
    """

    def __init__(
        self,
        app: Application,
        loop: LoopThread,
        timings: Timings,
        clock: Clock,
        *,
        token: str | None = None,
        id: int | None = None,
    ) -> None:
        self.id = id
        self.token = token
        """The ``Authorization`` header of the requests, if any."""
        self._loop = loop
        self._timings = timings
        self._clock = clock
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self._http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url=ADDRESS,
            headers=headers,
        )

    async def get(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a GET request; ``options`` are those of `httpx.AsyncClient.request`."""
        return await self.request("GET", path, **options)

    async def post(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a POST request: ``json=`` is its body."""
        return await self.request("POST", path, **options)

    async def put(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a PUT request: ``json=`` is its body."""
        return await self.request("PUT", path, **options)

    async def patch(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a PATCH request: ``json=`` is its body."""
        return await self.request("PATCH", path, **options)

    async def delete(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of httpx
        """Send a DELETE request."""
        return await self.request("DELETE", path, **options)

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: object = None,
        headers: Mapping[str, str] | None = None,
        **options: Any,  # noqa: ANN401 - those of httpx
    ) -> httpx.Response:
        """Send a request, and return the complete response."""
        if json is not None:
            options["json"] = json

        async def send() -> httpx.Response:
            with collect_timings(self._timings), use_clock(self._clock):
                return await self._http.request(
                    method, path, params=params, headers=headers, **options
                )

        return await self._loop.wait_for(send())
