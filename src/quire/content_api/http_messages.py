"""Requests and responses of handlers."""

import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from quire.access.principal import Administrator, Principal
from quire.auth.authenticator import fingerprint
from quire.database.retry_guard import CommitCounter
from quire.errors import ProjectCodeError, ProjectCodeTimeoutError
from quire.ids import new_request_id
from quire.query.python_parameters import read_query
from quire.query.querystring import QueryValue

if TYPE_CHECKING:
    from quire.auth.rate_limit import Allowance
    from quire.content_api.routes import MatchedRoute, RouteTable

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
"""Ids that are accepted from clients: UUIDs, trace ids and the like, without line breaks."""


def credential_of(headers: Mapping[bytes, bytes]) -> bytes | None:
    """Return the cache key of the credential among headers, ``None`` when there is none."""
    header = headers.get(b"authorization")
    return None if header is None else fingerprint(header)


class Request:
    """One request: the transmitted data, and what is determined before the handler.

    ``path`` and ``raw_query`` are percent-encoded; ``headers`` have lower-case names; ``client`` is
    its address and port; ``credential`` is the result of `credential_of`. Then follow the decoded
    path ``parameters``, the ``caller``, the present content version, and the parsed ``body``
    (``None`` without one of a known type). A handler that streams its body uses ``receive``.
    ``commits`` counts the commits of a request that is more than a read. ``found`` is its route,
    with the route table. ``allowance`` is the state of the rate limit of its route once the request
    is counted, which happens once, even if it is repeated.
    """

    __slots__ = (
        "_id",
        "_principal",
        "administrator",
        "allowance",
        "body",
        "caller",
        "client",
        "commits",
        "credential",
        "denial",
        "failure",
        "found",
        "headers",
        "is_guarded",
        "may_wait",
        "method",
        "narrow",
        "parameters",
        "path",
        "raw_query",
        "receive",
        "version",
    )

    parameters: Mapping[str, str]
    caller: Principal
    """The principal as authenticated: its ability is not narrowed by rules of the project."""
    narrow: Callable[[Principal], Principal]
    """Evaluates the rules of the project for a principal."""
    receive: AsgiReceive
    administrator: Administrator
    """The principal of the admin API, if a route is not public."""
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
        self.found: tuple[RouteTable, MatchedRoute | None] | None = None
        self.allowance: Allowance | None = None
        self.denial: str | None = None
        """Why access was denied, for the log."""
        self.failure: ProjectCodeError | ProjectCodeTimeoutError | None = None
        """The function of the project that has failed or taken too long, if one has."""
        self.is_guarded = False
        """Whether code of the project decides about each such request again."""
        self.may_wait = True
        """Whether the handler may wait for a thread or a server; see `Route.is_immediate`."""
        self._id: bytes | None = None
        self._principal: Principal | None = None

    def identify(self, caller: Principal, narrow: Callable[[Principal], Principal]) -> None:
        """Set who asks, and the rules; those of an earlier attempt to respond no longer count."""
        self.caller, self.narrow, self._principal = caller, narrow, None

    @property
    def principal(self) -> Principal:
        """The caller with an ability that is narrowed by all rules of the project.

        They are evaluated when it is first asked for.
        """
        if self._principal is None:
            self._principal = self.narrow(self.caller)
        return self._principal

    @principal.setter
    def principal(self, principal: Principal) -> None:
        self.caller = self._principal = principal

    @property
    def id(self) -> bytes:
        """The id of the request: its ``X-Request-Id`` if that is valid, or a new one."""
        if self._id is None:
            value = self.headers.get(REQUEST_ID)
            is_valid = value is not None and _REQUEST_ID.fullmatch(value)
            self._id = value if value is not None and is_valid else new_request_id()
        return self._id

    @property
    def query(self) -> dict[str, QueryValue]:
        """The parsed query string; it is shared, so do not modify it."""
        return read_query(self.raw_query)

    @property
    def body_fields(self) -> Mapping[str, object]:
        """The fields of a body that is an object; any other body has none."""
        return self.body if isinstance(self.body, Mapping) else {}


class Response:
    """A status, a body of bytes, and additional headers.

    ``tag`` is the ``ETag`` of the response, in quotes. A response that ``is_shared`` is the same
    for all requests with the same permissions, until there is a commit.
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
        """Return the headers of this response only, including those of its body."""
        headers = [*self.headers]
        if self.content_type is not None:
            headers.append((b"content-type", self.content_type))
        if self.status not in _WITHOUT_BODY:
            headers.append((b"content-length", b"%d" % len(self.body)))
        if self.tag is not None:
            headers.append((b"etag", self.tag))
        return headers


NO_CONTENT = Response(204, b"", None)

Handler = Callable[[Request], Awaitable[Response]]
