"""``quire.http``: requests to other servers, for the code of projects.

No requests are sent within a transaction, which would block other writes.
"""

import ssl
import sys
from collections.abc import Mapping
from functools import cache
from types import FrameType
from typing import Any

import httpx
import structlog

from quire.document_service.extension_context import optional_context
from quire.hooks.errors import UnitOfWorkError

_log = structlog.get_logger("quire.extensions")

_SECONDS = 10.0
_MOST_PLACES = 1000
_LARGEST = 20_000_000
_OWN = "quire."


class HttpClient:
    """Sends requests; a status from 400 on raises `httpx.HTTPStatusError`.

    Redirects are not followed. ``timeout`` is in seconds. ``transport`` replaces the network in
    tests.
    """

    def __init__(self) -> None:
        self.transport: httpx.AsyncBaseTransport | None = None
        self._reported: set[str] = set()

    async def get(self, url: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of request
        """Send a GET request; ``options`` are those of `request`."""
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of request
        """Send a POST request; ``options`` are those of `request`."""
        return await self.request("POST", url, **options)

    async def put(self, url: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of request
        """Send a PUT request; ``options`` are those of `request`."""
        return await self.request("PUT", url, **options)

    async def patch(self, url: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of request
        """Send a PATCH request; ``options`` are those of `request`."""
        return await self.request("PATCH", url, **options)

    async def delete(self, url: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - those of request
        """Send a DELETE request; ``options`` are those of `request`."""
        return await self.request("DELETE", url, **options)

    async def request(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        json: object = None,
        content: bytes | str | None = None,
        data: Mapping[str, Any] | None = None,
        timeout: float = _SECONDS,  # noqa: ASYNC109 - that of the connection, too
    ) -> httpx.Response:
        """Send a request, and return the response with its body.

        ``json``, ``content`` or the form ``data`` is the body. Raises httpx.HTTPStatusError for a
        status from 400 on, httpx.TransportError without a response in time, ValueError for a
        response of more than 20 MB, and UnitOfWorkError within a transaction in development; in
        production it logs a warning, once per line of code.
        """
        self._refuse_transaction(method)
        async with httpx.AsyncClient(
            verify=_tls(), timeout=timeout, transport=self.transport, trust_env=False
        ) as client:
            request = client.build_request(
                method, url, params=params, headers=headers, json=json, content=content, data=data
            )
            response = await client.send(request, stream=True)
            try:
                await _read(response)
            finally:
                await response.aclose()
        return response.raise_for_status() if response.is_error else response

    def _refuse_transaction(self, method: str) -> None:
        context = optional_context()
        if context is None or not context.is_in_transaction:
            return
        message = (
            f"http.{method.lower()} within a transaction: nobody else can write while it waits. "
            "Send it from a job, or from a function marked with @after_commit"
        )
        if context.engine.is_development:
            raise UnitOfWorkError(message)
        place = _caller()
        if place not in self._reported and len(self._reported) < _MOST_PLACES:
            self._reported.add(place)
            _log.warning("a request is sent within a transaction", place=place, code=context.name)


http = HttpClient()


async def _read(response: httpx.Response) -> None:
    """Read the body of a response. Raises ValueError for one that is too large."""
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > _LARGEST:
            raise ValueError(f"the response of {response.url} has more than {_LARGEST} bytes")
        parts.append(part)
    # The attribute that `aread` sets, which has no size limit.
    response._content = b"".join(parts)  # noqa: SLF001 - httpx has no other way


@cache
def _tls() -> ssl.SSLContext:
    """Return the TLS context; creating one takes longer than a request."""
    return httpx.create_ssl_context()


def _caller() -> str:
    """Return the file and line of the project's code that sends a request."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the stack has no other way in
    while frame is not None:
        if not str(frame.f_globals.get("__name__", "")).startswith(_OWN):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"
