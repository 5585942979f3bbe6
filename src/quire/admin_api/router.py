"""The route table of the admin API, and the handling of a request.

Permissions are checked here, before a handler runs: a route is public, open to signed-in
administrators, or requires an action. Permissions on content depend on more than the route, so its
handlers check more.
"""

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from quire.access.admin_ability import AdminAbility
from quire.access.principal import Administrator
from quire.admin_api.response_types import FailedReadRule, ProjectFunction
from quire.auth.admin.authenticate import AdminAuthenticator
from quire.content_api.accept_encoding import GZIP, IDENTITY, accepts_encoding
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteTable
from quire.content_manager.content_version import ContentVersion
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import (
    AccessDeniedError,
    AppError,
    PolicyError,
    ProjectCodeError,
    ProjectCodeTimeoutError,
)
from quire.hooks.principal import Principal
from quire.schema.model import ContentType

_MIN_BYTES: Final = 2_000
"""Below this size, a compressed response takes as many packets."""
_MAX_IMMEDIATE: Final = 65_536
"""The most bytes that are compressed on the event loop, which takes a millisecond."""
_GZIP_FORMAT: Final = zlib.MAX_WBITS | 16
_VARY: Final = (b"vary", b"Accept-Encoding")


SIGNED_IN = "signed in"
"""The action of routes for all signed-in administrators."""


SUPER_ADMINS = "super admins"
"""The action of routes for super admins only, which cannot be granted."""

RequestListener = Callable[[Request, Route], Awaitable[None]]
"""Called for each request to a route before its handler runs."""

ResponseListener = Callable[[Request, Route, int], Awaitable[None]]
"""Called for each request to a route, with the status of its response."""

_READ_METHODS = frozenset({"GET", "HEAD"})


async def compress(request: Request, response: Response) -> Response:
    """Return a response, compressed if the client accepts that and it is worth it.

    One that is not compressed names the header as well, so that caches do not take it for the
    response to every client. Whoever makes a browser send requests cannot read secrets from the
    size of compressed responses (BREACH): administrators are identified by a header, which other
    sites cannot send.
    """
    is_json = response.content_type is not None and b"json" in response.content_type
    if not is_json or response.tag:
        return response
    body, headers = response.body, (*response.headers, _VARY)
    accepted = request.headers.get(b"accept-encoding", b"")
    is_worth_it = len(body) >= _MIN_BYTES or not accepts_encoding(accepted, IDENTITY)
    if is_worth_it and accepts_encoding(accepted, GZIP):
        headers = (*headers, (b"content-encoding", GZIP))
        body = (
            zlib.compress(body, wbits=_GZIP_FORMAT)
            if len(body) <= _MAX_IMMEDIATE
            else await asyncio.to_thread(zlib.compress, body, wbits=_GZIP_FORMAT)
        )
    return Response(response.status, body, response.content_type, headers)


class AdminApi:
    """Handles the routes of administrators."""

    def __init__(
        self,
        routes: Iterable[Route],
        content_version: ContentVersion,
        authenticator: AdminAuthenticator,
        engine: WriteEngine,
        begin: RequestListener,
        on_response: ResponseListener,
    ) -> None:
        self.routes = RouteTable(routes)
        self._content_version = content_version
        self._authenticator = authenticator
        self._rules = engine.rules
        self._policies = engine.policies
        self._on_request = begin
        self._on_response = on_response

    def streams(self, method: str, raw_path: bytes) -> bool:
        """Tell whether the handler of a request reads forms itself."""
        match = self.routes.find(method, raw_path)
        return match is not None and match[0].streams

    def methods(self, raw_path: bytes) -> frozenset[str]:
        """Return the methods of the routes at a path."""
        return self.routes.methods(raw_path)

    async def __call__(self, request: Request) -> Response | None:
        """Handle a request whose body has been read; ``None`` when it has no route here.

        Raises UnauthorizedError, PolicyError, and what handlers raise.
        """
        verb = "GET" if request.method == "HEAD" else request.method
        match = self.routes.find(verb, request.path)
        if match is None:
            return None
        request.found = self.routes, match
        route, request.parameters = match
        request.version = version = await self._content_version.current()
        if route.action is not None:
            header = request.headers.get(b"authorization")
            administrator = await self._authenticator.administrator(
                header, request.credential, version
            )
            administrator = self._rules.narrow_administrator(administrator)
            request.administrator = administrator
            if not _may_call(administrator.ability, route.action):
                request.denial = f"the administrator {administrator.id} lacks {route.action}"
                await self._on_response(request, route, PolicyError.status)
                raise PolicyError
            try:
                self._require_policies(request, administrator)
            except AccessDeniedError as error:
                _add_cause(error, administrator)
                raise
        await self._on_request(request, route)
        try:
            response = await route.handler(request)
        except AppError as error:
            await self._on_response(request, route, error.status)
            if route.action is not None:
                _add_cause(error, request.administrator)
            raise
        await self._on_response(request, route, response.status)
        return response if route.action is None else await compress(request, response)

    def _require_policies(self, request: Request, administrator: Administrator) -> None:
        """Check the policies on reading documents of a content type.

        Raises ForbiddenError. Those on writing are checked where documents are written.
        """
        uid = request.parameters.get("uid")
        if self._policies.is_empty or uid is None or request.method not in _READ_METHODS:
            return
        document_id = request.parameters.get("id")
        action = "find" if document_id is None else "findOne"
        self._policies.require_read(
            f"{uid}.{action}",
            Principal(kind="admin", id=administrator.id),
            document_id=document_id,
            query=request.query,
        )


def _may_call(ability: AdminAbility, action: str) -> bool:
    if action == SUPER_ADMINS:
        return ability.super_admin
    return action == SIGNED_IN or ability.allows(action)


def _add_cause(error: AppError, administrator: Administrator) -> None:
    """Say that code of the project has failed or denied the request; to super admins, which.

    What the exception says is in the log alone: it may contain secrets.
    """
    if isinstance(error, ProjectCodeError | ProjectCodeTimeoutError):
        error.details = {"code": describe_function(error, administrator)}
    elif isinstance(error, AccessDeniedError) and administrator.ability.super_admin:
        error.details = {**(error.details or {}), "reason": error.reason}


def describe_error(error: AppError, administrator: Administrator) -> dict[str, object]:
    """Return why a part of a response is missing: a message, or the code that has failed."""
    if isinstance(error, ProjectCodeError | ProjectCodeTimeoutError):
        return {"code": describe_function(error, administrator)}
    return {"message": error.message}


def describe_failed_rules(
    administrator: Administrator, content_types: Iterable[ContentType]
) -> list[FailedReadRule]:
    """Return which content types an administrator is shown no entries of, as rules have failed."""
    types_by_uid = {content_type.uid: content_type for content_type in content_types}
    errors = administrator.ability.project_rules.failed_reads(types_by_uid)
    return [
        FailedReadRule(uid, types_by_uid[uid].display_name, describe_function(error, administrator))
        for uid, error in errors.items()
    ]


def describe_function(
    error: ProjectCodeError | ProjectCodeTimeoutError, administrator: Administrator
) -> ProjectFunction:
    """Return the function that has failed, and its place, for super admins; nothing for others."""
    if not administrator.ability.super_admin:
        return ProjectFunction()
    return ProjectFunction(error.function, error.place)
