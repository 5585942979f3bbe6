"""The only writer of ``{data, meta, error}``."""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import msgspec

from quire.content_api.messages import NOT_MODIFIED, TEXT, Response
from quire.errors import AppError
from quire.query.resolve import Pagination

_IN_ADDRESSES = "!#$%&'()*+,/:;=?@[]~"
_encode = msgspec.json.Encoder().encode


def respond(data: object, meta: dict[str, Any] | None = None, status: int = 200) -> Response:
    """Answer with documents and what is said about them."""
    return Response(status, _encode(envelope(data, meta)))


def envelope(data: object, meta: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the envelope around documents, for what encodes them."""
    return {"data": data, "meta": meta or {}}


def paged(pagination: Pagination | None) -> Callable[[object, int | None], dict[str, Any]]:
    """Return what puts a list and its total into an envelope."""

    def wrap(data: object, total: int | None) -> dict[str, Any]:
        return envelope(
            data, None if pagination is None else {"pagination": pagination.meta(total)}
        )

    return wrap


def respond_encoded(body: bytes, status: int = 200, *, changed: str | None = None) -> Response:
    """Answer with a body that is encoded; ``changed`` says when its document was changed last."""
    return Response(status, body, tag=None if changed is None else b'"%s"' % changed.encode())


def respond_bare(value: object, status: int = 200) -> Response:
    """Answer with a value that stands alone (end users, files, locales)."""
    return Response(status, _encode(value))


def respond_known(tag: bytes) -> Response:
    """Answer that a client has got what there is, by the tag that it has told."""
    return Response(NOT_MODIFIED, b"", None, tag=tag)


def respond_redirect(address: str) -> Response:
    """Lead a browser on to an address; what no header may hold is escaped."""
    location = quote(address, safe=_IN_ADDRESSES)
    return Response(
        302, f"Redirecting to {location}.".encode(), TEXT, ((b"location", location.encode()),)
    )


def respond_error(error: AppError) -> Response:
    """Answer with an error; what caused it is never shown."""
    body: dict[str, Any] = {"status": error.status, "name": error.name, "message": error.message}
    if error.details is not None:
        body["details"] = error.details
    headers = tuple((k.lower().encode(), v.encode()) for k, v in error.headers.items())
    content = _encode({"data": None, "error": body})
    return Response(error.status, content, headers=headers)
