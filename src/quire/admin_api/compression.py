"""Compresses what administrators read: the model of a project is 50 kB of JSON, or 5 kB compressed.

Whoever makes a browser send requests cannot read secrets from the size of compressed responses
(BREACH): administrators are identified by a header, which other sites cannot send.
"""

import asyncio
import zlib
from typing import Final

from quire.content_api.http_messages import Request, Response

_MIN_BYTES: Final = 2_000
"""Below this size, a compressed response takes as many packets."""
_MAX_IMMEDIATE: Final = 65_536
"""The most bytes that are compressed on the event loop, which takes a millisecond."""
_GZIP: Final = zlib.MAX_WBITS | 16


async def compress(request: Request, response: Response) -> Response:
    """Return a response, compressed if the client accepts that and it is worth it."""
    body = response.body
    accepted = request.headers.get(b"accept-encoding", b"")
    is_json = response.content_type is not None and b"json" in response.content_type
    if len(body) < _MIN_BYTES or b"gzip" not in accepted or not is_json or response.tag:
        return response
    compressed = (
        zlib.compress(body, wbits=_GZIP)
        if len(body) <= _MAX_IMMEDIATE
        else await asyncio.to_thread(zlib.compress, body, wbits=_GZIP)
    )
    headers = (b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")
    return Response(
        response.status, compressed, response.content_type, (*response.headers, *headers)
    )
