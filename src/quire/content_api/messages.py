"""Requests and responses, as handlers see them."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from quire.access.principal import Administrator, Principal
from quire.auth.authenticate import fingerprint
from quire.database.retry_guard import CommitCounter
from quire.ids import new_request_id
from quire.query.parameters import read_query
from quire.query.querystring import QueryValue

if TYPE_CHECKING:
    from quire.auth.rate_limit import Allowance
    from quire.content_api.routes import Found, RouteTable

AsgiScope = MutableMapping[str, Any]
AsgiReceive = Callable[[], Awaitable[MutableMapping[str, Any]]]
AsgiSend = Callable[[MutableMapping[str, Any]], Awaitable[None]]
AsgiApp = Callable[[AsgiScope, AsgiReceive, AsgiSend], Awaitable[None]]

JSON = b"application/json; charset=utf-8"
TEXT = b"text/plain; charset=utf-8"

NOT_MODIFIED = 304
_WITHOUT_BODY = (204, NOT_MODIFIED)

REQUEST_ID = b"x-request-id"
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._:/+=-]{1,128}")
"""Ids that are taken from clients: UUIDs, trace ids and the like, and nothing that ends a line."""

RawHeaders = Iterable[tuple[bytes, bytes]]


def credential_of(headers: Mapping[bytes, bytes]) -> bytes | None:
    """Return what the credential among headers is remembered by, ``None`` when there is none."""
    header = headers.get(b"authorization")
    return None if header is None else fingerprint(header)


class Request:
    """One request: what the wire says, and what is found out on its way to the handler.

    ``path`` and ``raw_query`` are percent-encoded; ``headers`` have lower-case names; ``client`` is
    the address and port it came from; ``credential`` is what `credential_of` says of the headers.
    Then follow the decoded path ``parameters``, who asks, the
    database's token of the present content, and the parsed ``body`` (``None`` when there is none or
    it is of no known type). A body that a handler reads itself is had from ``receive``. ``commits``
    counts what a request that is more than a read has written. ``found`` is its route, with the
    table in which it was looked for. ``allowance`` is what is left of the limit of its route once
    the request is counted, which it is once, even if it is answered anew.
    """

    __slots__ = (
        "_id",
        "administrator",
        "allowance",
        "body",
        "client",
        "commits",
        "credential",
        "found",
        "headers",
        "is_guarded",
        "may_wait",
        "method",
        "parameters",
        "path",
        "principal",
        "raw_query",
        "receive",
        "version",
    )

    parameters: Mapping[str, str]
    principal: Principal
    receive: AsgiReceive
    administrator: Administrator
    """Who asks the admin API, where a route is not open to everybody."""
    version: int | None

    def __init__(
        self,
        method: str,
        path: bytes,
        raw_query: bytes,
        headers: Mapping[bytes, bytes],
        client: tuple[str, int] | None,
        credential: bytes | None,
    ) -> None:
        self.method = method
        self.path = path
        self.raw_query = raw_query
        self.headers = headers
        self.client = client
        self.credential = credential
        self.body: object = None
        self.commits: CommitCounter | None = None
        self.found: tuple[RouteTable, Found | None] | None = None
        self.allowance: Allowance | None = None
        self.is_guarded = False
        """Whether code of the project decides about each such request anew."""
        self.may_wait = True
        """Whether the handler may wait for a thread or a server; see `Route.is_immediate`."""
        self._id: bytes | None = None

    @property
    def id(self) -> bytes:
        """The id of the request: its ``X-Request-Id``, if that is a sound one, or a new one."""
        if self._id is None:
            given = self.headers.get(REQUEST_ID)
            sound = given is not None and _REQUEST_ID.fullmatch(given)
            self._id = given if given is not None and sound else new_request_id()
        return self._id

    @property
    def query(self) -> dict[str, QueryValue]:
        """The parsed query string; shared between requests, so not to be changed."""
        return read_query(self.raw_query)


class Response:
    """A status, a body of bytes, and headers beyond those that every answer carries.

    ``tag`` is what a client may tell by later which answer it has got, in quotes: ``ETag``.
    What ``is_shared`` is the same for all who ask the same with the same permissions, whenever they
    ask, until something is committed.
    """

    __slots__ = ("body", "content_type", "headers", "is_shared", "status", "tag")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        content_type: bytes | None = JSON,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        *,
        tag: bytes | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers
        self.tag = tag
        self.is_shared = False

    def described(self) -> list[tuple[bytes, bytes]]:
        """Return the headers that are of this answer alone, those of its body among them."""
        found = [*self.headers]
        if self.content_type is not None:
            found.append((b"content-type", self.content_type))
        if self.status not in _WITHOUT_BODY:
            found.append((b"content-length", b"%d" % len(self.body)))
        if self.tag is not None:
            found.append((b"etag", self.tag))
        return found


NO_CONTENT = Response(204, b"", None)

Handler = Callable[[Request], Awaitable[Response]]
