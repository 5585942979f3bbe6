"""Requests of a project's code to other servers, with expected requests and responses."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from quire.document_service.http_client import http


class SentRequest:
    """An expected request: what was sent, once it was sent."""

    def __init__(self, method: str, path: str, response: httpx.Response) -> None:
        self.method = method
        self.path = path
        self.response = response
        self.requests: list[httpx.Request] = []
        """All sent requests, in their order."""

    @property
    def request(self) -> httpx.Request:
        """The last request. Raises LookupError if there is none yet."""
        if not self.requests:
            raise LookupError(f"{self.method} {self.path} was not sent yet")
        return self.requests[-1]

    @property
    def json(self) -> Any:  # noqa: ANN401 - JSON
        """The body of the last one as JSON."""
        return json.loads(self.request.content)

    def matches(self, request: httpx.Request) -> bool:
        """Tell whether a request matches this expectation."""
        return request.method == self.method and request.url.path.endswith(self.path)


class ExpectedRequests(httpx.AsyncBaseTransport):
    """Responds to expected requests, and rejects all others."""

    def __init__(self) -> None:
        self._expected: list[SentRequest] = []

    @contextmanager
    def expect(
        self,
        method: str,
        path: str,
        *,
        status: int = 200,
        json: object = None,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[SentRequest]:
        """Respond to requests within the block whose paths end with ``path``; fails without one.

        ``status``, ``json`` and ``headers`` are those of the response.
        """
        response = httpx.Response(status, json=json, headers=headers)
        expected_request = SentRequest(method.upper(), path, response)
        self._expected.append(expected_request)
        try:
            yield expected_request
        finally:
            self._expected.remove(expected_request)
        if not expected_request.requests:
            raise AssertionError(f"{expected_request.method} …{path} was not sent")

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Respond to a request. Raises httpx.ConnectError for an unexpected one."""
        await request.aread()
        for expected_request in reversed(self._expected):
            if expected_request.matches(request):
                expected_request.requests.append(request)
                response = expected_request.response
                return httpx.Response(
                    response.status_code, headers=response.headers, content=response.content
                )
        message = f"{request.method} {request.url} is not expected: use project.http.expect(…)"
        raise httpx.ConnectError(message, request=request)

    def install(self) -> None:
        """Replace the network for the code of the project."""
        http.transport = self

    def remove(self) -> None:
        """Restore the network."""
        http.transport = None
