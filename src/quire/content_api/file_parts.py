"""Parts of files that are read from a storage only as far as they are requested."""

import re
from collections.abc import AsyncIterator, Mapping
from mimetypes import guess_type

from starlette.responses import Response, StreamingResponse

from quire.errors import StorageError
from quire.hooks.storage_backends import ByteRange

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_MAX_DIGITS = 18
_PARTIAL_CONTENT, _NOT_SATISFIABLE = 206, 416


class FilePartResponse(StreamingResponse):
    """The response with a part of a file."""


def requested_part(headers: Mapping[bytes, bytes], *, tag: str, size: int) -> ByteRange | None:
    """Return the part of a file that a request is for, ``None`` for the whole file.

    That is also what a request gets for several parts, for a part of another version of the file
    than that with the ``tag``, and for what is no part at all. The part begins beyond the end of
    the file if there is no such part.
    """
    found = _RANGE.fullmatch(headers.get(b"range", b"").decode("latin-1").replace(" ", ""))
    if found is None or headers.get(b"if-range", tag.encode()) != tag.encode():
        return None
    first, last = found.groups()
    if not (first or last) or len(first) > _MAX_DIGITS or len(last) > _MAX_DIGITS:
        return None
    if not first:
        start, end = max(size - int(last), 0), size - 1
        return ByteRange(start=start if int(last) else size, end=end)
    start, end = int(first), min(int(last or size), size - 1)
    return None if last and int(last) < start else ByteRange(start=start, end=end)


async def part_response(
    name: str, pieces: AsyncIterator[bytes], part: ByteRange, *, tag: str, size: int
) -> Response:
    """Return the response with a part of a file, whose first piece is read before.

    Raises what reading it raises.
    """
    headers = {"etag": tag, "accept-ranges": "bytes"}
    if part.start >= size:
        headers["content-range"] = f"bytes */{size}"
        return Response(status_code=_NOT_SATISFIABLE, headers=headers)
    first = await anext(pieces, b"")
    length = part.end + 1 - part.start
    headers |= {
        "content-range": f"bytes {part.start}-{part.end}/{size}",
        "content-length": str(length),
    }
    return FilePartResponse(
        _exactly(first, pieces, length),
        _PARTIAL_CONTENT,
        headers,
        guess_type(name)[0] or "application/octet-stream",
    )


async def _exactly(first: bytes, pieces: AsyncIterator[bytes], length: int) -> AsyncIterator[bytes]:
    """Yield pieces. Raises StorageError if they have not the length that was announced."""
    rest = length - len(first)
    yield first
    async for piece in pieces:
        rest -= len(piece)
        if rest < 0:
            break
        yield piece
    if rest:
        raise StorageError
