"""HTTP requests to providers: TLS only, with time-out and size limit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import orjson

from quire.auth.oauth.providers import ProviderError, is_safe
from quire.document_service.http_client import read_body

_TIMEOUT_S = 10.0

_MAX_BYTES = 1_000_000

_HEADERS = {"Accept": "application/json", "User-Agent": "Quire"}


@asynccontextmanager
async def provider_client() -> AsyncIterator[httpx.AsyncClient]:
    """Return the HTTP client for a provider.

    Raises ProviderError when it cannot be reached, and for a large body.
    """
    client = httpx.AsyncClient(
        timeout=_TIMEOUT_S,
        follow_redirects=False,
        headers=_HEADERS,
        trust_env=False,
        event_hooks={"response": [_read_limited]},
    )
    try:
        async with client:
            yield client
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ProviderError(f"the provider cannot be reached: {type(error).__name__}") from None


async def _read_limited(response: httpx.Response) -> None:
    """Read the body of a response. Raises ProviderError for a large one."""
    try:
        await read_body(response, _MAX_BYTES)
    except ValueError:
        raise ProviderError("the response of the provider is too large") from None


def check_address(url: str) -> str:
    """Check that secrets may be sent to a URL, and return it. Raises ProviderError."""
    if not is_safe(url):
        raise ProviderError("the provider has an address without TLS")
    return url


def read_response(response: httpx.Response) -> bytes:
    """Return the body of a response. Raises ProviderError for an error status."""
    if not response.is_success:
        raise ProviderError(f"the provider answered {response.status_code}")
    return response.content


def read_json(response: httpx.Response) -> object:
    """Return the JSON of a response. Raises ProviderError."""
    try:
        body: object = orjson.loads(read_response(response))
    except orjson.JSONDecodeError:
        raise ProviderError("the response of the provider is not JSON") from None
    return body
