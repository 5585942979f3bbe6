"""``quire.http``: requests to other servers, for the code of projects.

No requests are sent within a transaction, which would block other writes. The code of a project is
trusted, and may call any address; addresses from elsewhere are for requests with ``public_only``.
"""

import asyncio
import json as standard_json
import ssl
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from typing import Any

import httpx
import msgspec

from quire.document_service.extension_context import refuse_in_transaction
from quire.hooks.storage_backends import ByteRange
from quire.logging import trace_parent
from quire.network import ForbiddenAddressError, may_be_public, resolve_host
from quire.tracing.trace_context import TRACE_PARENT, present_tracing

_TIMEOUT_SECONDS = 10.0
_MAX_BYTES = 20_000_000
_MAX_REDIRECTS = 5
_PORTS = {"http": 80, "https": 443}
_NOT_PUBLIC = "The address is not on the public internet"


class HttpClient:
    """Sends requests; a status from 400 on raises `httpx.HTTPStatusError`.

    Redirects are followed only with ``follow_redirects``. ``timeout`` is in seconds. With
    ``public_only`` internal addresses are refused: it is for addresses that users or other servers
    have given. ``transport`` replaces the network in tests.
    """

    def __init__(self) -> None:
        self.transport: httpx.AsyncBaseTransport | None = None

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

    async def request(  # noqa: PLR0913 - the options of a request, given by name
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        json: object = None,
        content: bytes | str | AsyncIterable[bytes] | None = None,
        data: Mapping[str, Any] | None = None,
        timeout: float = _TIMEOUT_SECONDS,  # noqa: ASYNC109 - that of the connection, too
        follow_redirects: bool = False,
        public_only: bool = False,
    ) -> httpx.Response:
        """Send a request, and return the response with its body.

        ``json``, ``content`` or the form ``data`` is the body. ``json`` may contain documents,
        shapes and other structs, dates and decimals; pieces of ``content`` are sent as
        they come. With ``follow_redirects`` up to 5 redirects are followed. With ``public_only``
        only public addresses are called, also after redirects, and ``timeout`` is for the whole
        request; any other address raises httpx.TransportError.

        Raises httpx.HTTPStatusError for a status from 400 on, httpx.TransportError without a
        response in time, httpx.TooManyRedirects, ValueError for a response of more than 20 MB, and
        UnitOfWorkError within a transaction in development; in production it logs a warning, once
        per line of code.
        """
        refuse_in_transaction(f"http.{method.lower()}")
        try:
            async with (
                asyncio.timeout(timeout if public_only else None),
                self._client(timeout, follow_redirects, public_only) as client,
            ):
                has_json = json is not None and content is None and data is None
                request = client.build_request(
                    method,
                    _checked_url(url, public_only=public_only),
                    params=params,
                    headers=headers,
                    content=_encode_json(json) if has_json else content,
                    data=data,
                )
                if has_json:
                    request.headers.setdefault("Content-Type", "application/json")
                response = await _send(client, request)
        except TimeoutError as error:
            raise httpx.ReadTimeout(f"no response within {timeout} seconds") from error
        return response.raise_for_status() if response.is_error else response

    async def stream(
        self,
        url: str,
        *,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        part: ByteRange | None = None,
        max_bytes: int | None = _MAX_BYTES,
        timeout: float = _TIMEOUT_SECONDS,  # noqa: ASYNC109 - of each read, not of the whole
        follow_redirects: bool = False,
        public_only: bool = False,
    ) -> AsyncIterator[bytes]:
        """Send a GET request, and iterate over the body of the response while it arrives.

        With ``part`` only these bytes are requested, and returned by whatever the server answers.
        ``timeout`` is how long it may send nothing. ``follow_redirects`` and ``public_only`` are
        those of `request`. Raises as `request` does, at the first piece or later, and ValueError
        for more than ``max_bytes`` (``None`` for any number).
        """
        refuse_in_transaction("http.stream")
        request_headers = dict(headers or {})
        if part is not None:
            # Bytes are counted as they are stored, not as they are compressed on the way.
            request_headers |= {
                "Range": f"bytes={part.start}-{part.end}",
                "Accept-Encoding": "identity",
            }
        async with self._client(timeout, follow_redirects, public_only) as client:
            address = _checked_url(url, public_only=public_only)
            request = client.build_request("GET", address, params=params, headers=request_headers)
            response = await _send(client, request, _begin)
            try:
                if response.is_error:
                    await read_body(response, _MAX_BYTES)
                    response.raise_for_status()
                size = 0
                async for piece in _pieces_of(response, part):
                    size += len(piece)
                    if max_bytes is not None and size > max_bytes:
                        raise ValueError(f"the response of {url} has more than {max_bytes} bytes")
                    yield piece
            finally:
                await response.aclose()

    def _client(
        self,
        timeout: float,
        follow_redirects: bool,  # noqa: FBT001 - as it was passed
        public_only: bool,  # noqa: FBT001 - as it was passed
    ) -> httpx.AsyncClient:
        transport = self.transport
        if public_only:
            transport = _PublicTransport(transport)
        return httpx.AsyncClient(
            verify=_tls(),
            timeout=timeout,
            transport=transport,
            trust_env=False,
            follow_redirects=follow_redirects,
            max_redirects=_MAX_REDIRECTS,
        )


http = HttpClient()


class _PublicTransport(httpx.AsyncBaseTransport):
    """Sends each request, also that of a redirect, to a public address that was checked.

    A name is resolved once, so that it cannot lead elsewhere afterwards. With ``replacement``, the
    transport of a test, there is no network, and names are not resolved.
    """

    def __init__(self, replacement: httpx.AsyncBaseTransport | None) -> None:
        self._inner = replacement or httpx.AsyncHTTPTransport(verify=_tls(), trust_env=False)
        self._resolves = replacement is None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request. Raises httpx.TransportError for an address that is not public."""
        url = request.url
        host = url.raw_host.decode("ascii")
        if url.scheme not in _PORTS:
            message = f"only http and https addresses are called, not {url.scheme}"
            raise httpx.UnsupportedProtocol(message, request=request)
        if not may_be_public(host):
            raise httpx.ConnectError(_NOT_PUBLIC, request=request)
        if not self._resolves:
            return await self._inner.handle_async_request(request)
        try:
            address = await resolve_host(host, url.port or _PORTS[url.scheme])
        except ForbiddenAddressError:
            raise httpx.ConnectError(_NOT_PUBLIC, request=request) from None
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError("The address cannot be found", request=request) from error
        # The header Host still has the name; the certificate is checked for it, too.
        checked_request = httpx.Request(
            request.method,
            url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": host},
        )
        return await self._inner.handle_async_request(checked_request)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


def _encode_json(value: object) -> bytes:
    """Encode a value as httpx does, and shapes, structs, dates and the like as responses do."""
    return standard_json.dumps(
        value,
        default=msgspec.to_builtins,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    ).encode()


def _checked_url(url: str, *, public_only: bool) -> httpx.URL:
    """Parse an address; one from elsewhere that is none is an error of the transport, too."""
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        if not public_only:
            raise
        raise httpx.UnsupportedProtocol(str(error)) from error


_Receive = Callable[[httpx.AsyncClient, httpx.Request], Awaitable[httpx.Response]]


async def _receive(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send a request; return the response with its body."""
    response = await client.send(request, stream=True)
    try:
        await read_body(response, _MAX_BYTES)
    finally:
        await response.aclose()
    return response


async def _begin(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send a request; return the response, whose body has yet to be read."""
    return await client.send(request, stream=True)


async def _send(
    client: httpx.AsyncClient, request: httpx.Request, receive: _Receive = _receive
) -> httpx.Response:
    """Send a request as a part of the current trace, if any; return what ``receive`` returns."""
    tracing = present_tracing.get()
    if tracing is None:
        parent = trace_parent.get()
        if parent is not None:
            request.headers.setdefault(TRACE_PARENT, parent)
        return await receive(client, request)
    with tracing.call(request.method, str(request.url), None) as (span, parent):
        request.headers.setdefault(TRACE_PARENT, parent)
        response = await receive(client, request)
        span.set_attribute("http.response.status_code", response.status_code)
        return response


async def _pieces_of(response: httpx.Response, part: ByteRange | None) -> AsyncIterator[bytes]:
    """Iterate over a body, or over a part of it if the response has the whole body."""
    if part is None or response.status_code == httpx.codes.PARTIAL_CONTENT:
        async for piece in response.aiter_bytes():
            yield piece
        return
    position = 0
    async for piece in response.aiter_bytes():
        overlap = piece[max(part.start - position, 0) : max(part.end + 1 - position, 0)]
        position += len(piece)
        if overlap:
            yield overlap
        if position > part.end:
            return


async def read_body(response: httpx.Response, max_bytes: int) -> None:
    """Read the body of a response, after which it has its content.

    Raises ValueError while reading for one that is too large.
    """
    parts: list[bytes] = []
    size = 0
    async for part in response.aiter_bytes():
        size += len(part)
        if size > max_bytes:
            raise ValueError(f"the response of {response.url} has more than {max_bytes} bytes")
        parts.append(part)
    # The attribute that `aread` sets, which has no size limit.
    response._content = b"".join(parts)  # noqa: SLF001 - httpx has no other way


@cache
def _tls() -> ssl.SSLContext:
    """Return the TLS context; creating one takes longer than a request."""
    return httpx.create_ssl_context()
