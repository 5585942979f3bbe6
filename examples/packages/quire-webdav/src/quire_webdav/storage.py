"""The storage backend ``webdav``."""

from collections.abc import AsyncIterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cached_property
from http import HTTPStatus
from secrets import token_hex
from typing import NamedTuple
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET

import httpx
from msgspec import Struct

from quire import ByteRange, FileMeta, StorageBackend, StoredFile, settings, storage_backend

_MISSING = {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
_HIDDEN = "."
_WANTED = """<?xml version="1.0"?>
<D:propfind xmlns:D="DAV:"><D:prop>
<D:getcontentlength/><D:getlastmodified/>
</D:prop></D:propfind>"""


class WebDavSettings(Struct):
    """``[extensions.config.webdav]``: the folder of the files, and who signs in."""

    url: str
    username: str = ""
    password: str = ""
    timeout: float = 30


webdav = settings("webdav", WebDavSettings)


class _Properties(NamedTuple):
    """The properties of a member of the folder."""

    name: str
    size: str | None
    changed: str | None


@storage_backend("webdav")
class WebDav(StorageBackend):
    """A folder of a WebDAV server."""

    transport: httpx.AsyncBaseTransport | None = None
    """Takes the place of the network, in tests."""

    async def put(self, key: str, content: AsyncIterator[bytes], meta: FileMeta) -> None:
        """Store a file: under a hidden name, until it is complete."""
        part = self._address(f"{_HIDDEN}{token_hex(8)}.part")
        headers = {"Content-Type": meta.type, "Content-Length": str(meta.size)}
        target = {"Destination": self._address(key), "Overwrite": "T"}
        async with self._client() as client:
            try:
                sent = await client.put(part, content=content, headers=headers)
                sent.raise_for_status()
                (await client.request("MOVE", part, headers=target)).raise_for_status()
            except BaseException:
                await client.delete(part)
                raise

    async def open(self, key: str, part: ByteRange | None = None) -> AsyncIterator[bytes]:
        """Yield the content of a file, or a part of it."""
        headers = {"Accept-Encoding": "identity"}
        if part is not None:
            headers["Range"] = f"bytes={part.start}-{part.end}"
        async with (
            self._client() as client,
            client.stream("GET", self._address(key), headers=headers) as response,
        ):
            if response.status_code in _MISSING:
                raise FileNotFoundError(key)
            response.raise_for_status()
            if part is not None and response.status_code != HTTPStatus.PARTIAL_CONTENT:
                message = "the server does not send parts of files"
                raise OSError(message)
            async for piece in response.aiter_bytes():
                yield piece

    async def size(self, key: str) -> int | None:
        """Return the size of a file, for parts of it; ``None`` if the server sends none."""
        async with self._client() as client:
            response = await client.head(self._address(key))
        if response.status_code in _MISSING:
            return None
        headers = response.raise_for_status().headers
        sends_parts = headers.get("accept-ranges") == "bytes" and "content-length" in headers
        return int(headers["content-length"]) if sends_parts else None

    async def delete(self, key: str) -> None:
        """Delete a file."""
        async with self._client() as client:
            response = await client.delete(self._address(key))
        if response.status_code not in _MISSING:
            response.raise_for_status()

    async def version(self, key: str) -> str | None:
        """Return the tag of a file, or what stands in for it."""
        async with self._client() as client:
            response = await client.head(self._address(key))
        if response.status_code in _MISSING:
            return None
        headers = response.raise_for_status().headers
        tag = headers.get("etag")
        return tag or f"{headers.get('last-modified')} {headers.get('content-length')}"

    async def list(self) -> AsyncIterator[StoredFile]:
        """Yield all files of the folder."""
        async with self._client() as client:
            headers = {"Depth": "1", "Content-Type": "application/xml"}
            address = f"{self._base}/"
            response = await client.request("PROPFIND", address, headers=headers, content=_WANTED)
        response.raise_for_status()
        for name, size, changed in _members(response.content):
            if size is not None and changed is not None and not name.startswith(_HIDDEN):
                at = parsedate_to_datetime(changed).astimezone(UTC)
                yield StoredFile(key=name, size=int(size), stored_at=at)

    @cached_property
    def _base(self) -> str:
        return webdav.url.rstrip("/")

    def _address(self, key: str) -> str:
        return f"{self._base}/{quote(key)}"

    def _client(self) -> httpx.AsyncClient:
        auth = (webdav.username, webdav.password) if webdav.username else None
        return httpx.AsyncClient(auth=auth, timeout=webdav.timeout, transport=self.transport)


def _members(body: bytes) -> list[_Properties]:
    """Return the members of a folder, of a response to PROPFIND."""
    return [
        _Properties(
            unquote(response.findtext("{DAV:}href", "")).rstrip("/").rpartition("/")[2],
            response.findtext(".//{DAV:}getcontentlength"),
            response.findtext(".//{DAV:}getlastmodified"),
        )
        for response in ET.fromstring(body).iter("{DAV:}response")  # noqa: S314 - the server of the project itself
    ]
