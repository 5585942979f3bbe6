"""The only writer of ``{data, meta, error}``, and of the ``ETag`` of responses."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from quire.content_api.http_messages import NOT_MODIFIED, TEXT, Response
from quire.errors import AppError
from quire.query.resolve import Pagination

_DIGEST_BYTES = 16


def tag_of(body: bytes) -> bytes:
    """Return the tag of a body: equal bytes have equal tags, in every process."""
    digest = hashlib.blake2b(body, digest_size=_DIGEST_BYTES, usedforsecurity=False)
    return b'"%s"' % digest.hexdigest().encode()


def tags_known(headers: Mapping[bytes, bytes]) -> frozenset[bytes] | None:
    """Return the tags of a client's cached responses, ``None`` without the header.

    Weak tags are treated as strong ones: tags are equal only if bytes are.
    """
    header = headers.get(b"if-none-match")
    if header is None:
        return None
    tags = (tag.strip().removeprefix(b"W/") for tag in header.split(b","))
    return frozenset(tag for tag in tags if tag)


def is_known(tag: bytes, known_tags: frozenset[bytes]) -> bool:
    """Tell whether a client has the response of a tag; ``*`` matches any."""
    return tag in known_tags or b"*" in known_tags


_IN_ADDRESSES = "!#$%&'()*+,/:;=?@[]~"
_encode = msgspec.json.Encoder().encode


def respond(data: object, meta: dict[str, Any] | None = None, status: int = 200) -> Response:
    """Respond with documents and their metadata."""
    return Response(status, _encode(envelope(data, meta)))


def envelope(data: object, meta: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the envelope of documents, before encoding."""
    return {"data": data, "meta": meta or {}}


def paged(pagination: Pagination | None) -> Callable[[object, int | None], dict[str, Any]]:
    """Return a function that wraps a list and its total in an envelope."""

    def wrap(data: object, total: int | None) -> dict[str, Any]:
        return envelope(
            data, None if pagination is None else {"pagination": pagination.meta(total)}
        )

    return wrap


def respond_encoded(body: bytes, status: int = 200, *, changed: str | None = None) -> Response:
    """Respond with an encoded body; ``changed`` is the time of its document's last change."""
    return Response(status, body, tag=None if changed is None else b'"%s"' % changed.encode())


def respond_bare(value: object, status: int = 200) -> Response:
    """Respond with a value without an envelope (end users, files, locales)."""
    return Response(status, _encode(value))


def respond_known(tag: bytes) -> Response:
    """Respond with 304: the client has the present response, by its tag."""
    return Response(NOT_MODIFIED, b"", None, tag=tag)


def respond_unless_known(response: Response, headers: Mapping[bytes, bytes]) -> Response:
    """Return the response to a request, or a 304 if the client has it already."""
    known_tags = tags_known(headers)
    if known_tags is None or response.tag is None or not is_known(response.tag, known_tags):
        return response
    not_modified = respond_known(response.tag)
    not_modified.headers = response.headers
    not_modified.is_shared = response.is_shared
    return not_modified


def respond_redirect(address: str) -> Response:
    """Redirect a browser; characters that headers cannot contain are escaped."""
    location = quote(address, safe=_IN_ADDRESSES)
    return Response(
        302, f"Redirecting to {location}.".encode(), TEXT, ((b"location", location.encode()),)
    )


def respond_error(error: AppError) -> Response:
    """Respond with an error, without its cause."""
    body: dict[str, Any] = {"status": error.status, "name": error.name, "message": error.message}
    if error.details is not None:
        body["details"] = error.details
    headers = tuple(
        (name.lower().encode(), value.encode()) for name, value in error.headers.items()
    )
    content = _encode({"data": None, "error": body})
    return Response(error.status, content, headers=headers)
