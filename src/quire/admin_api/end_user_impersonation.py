"""Requests for content as a role of end users, or as an end user.

``POST /admin/x/end-user-roles/:id/request`` and ``POST /admin/x/end-users/:id/request`` are for
administrators who may change the permissions of these roles. They only read content, and the audit
log names them with the role or the user.
"""

from collections.abc import Iterator
from typing import Protocol

from msgspec import UNSET, Struct, UnsetType

from quire.access.principal import EndUser, Principal
from quire.admin_api.response_types import END_USERS, DataEnvelope, ProjectFunction
from quire.admin_api.responses import respond_data
from quire.admin_api.router import describe_function
from quire.content_api.body_decoding import RequestBody
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of
from quire.errors import ApplicationError, NotFoundError, UnauthorizedError, ValidationError

_ACTION = "plugin::users-permissions.roles.update"
_NO_USER = "There is no such end user, or they are blocked"
_NO_PATH = "path must be a path of the content API, such as /api/articles?sort=title"


class ContentResponder(Protocol):
    """The content API, as far as it responds on behalf of others."""

    async def role_principal(self, role_id: int) -> Principal:
        """Return a principal with a role."""

    async def user_principal(self, user_id: int) -> EndUser:
        """Return an end user. Raises UnauthorizedError for one who may not sign in."""

    async def response_as(self, request: Request, principal: Principal) -> Response:
        """Respond to a GET of content as a principal."""


class InnerRequest(RequestBody, forbid_unknown_fields=False):
    """The path and the query of a request to the content API."""

    path: str


class InnerResponse(Struct):
    """The response, and the role that it was for.

    ``code`` is the function of the project that has failed; ``reason`` tells super admins why
    access was denied.
    """

    status: int
    body: str
    role: int | None
    code: ProjectFunction | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class EndUserImpersonationApi:
    """Sends requests for content as end users."""

    def __init__(self) -> None:
        self._content: ContentResponder | None = None

    def attach(self, content: ContentResponder) -> None:
        """Set the content API, which is created after the admin API that it passes requests to."""
        self._content = content

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, response = RouteGroup(END_USERS, "admin/x/"), DataEnvelope[InnerResponse]
        for path, handler in (
            ("end-user-roles/:id/request", self.as_role),
            ("end-users/:id/request", self.as_user),
        ):
            yield route("POST", path, _ACTION, handler, body=InnerRequest, response=response)

    async def as_role(self, request: Request) -> Response:
        """Return the response for a role, without a particular user."""
        content, number = self._require_responder(request)
        return await _respond(content, request, await content.role_principal(number), number)

    async def as_user(self, request: Request) -> Response:
        """Return the response for an end user.

        Raises ApplicationError for one who may not sign in. A 401 would be about the administrator,
        whose session goes on.
        """
        content, number = self._require_responder(request)
        try:
            user = await content.user_principal(number)
        except UnauthorizedError as error:
            raise ApplicationError(_NO_USER) from error
        return await _respond(content, request, user, user.role_id)

    def _require_responder(self, request: Request) -> tuple[ContentResponder, int]:
        number = id_of(request.parameters["id"])
        if self._content is None or number is None:
            raise NotFoundError
        return self._content, number


async def _respond(
    content: ContentResponder, request: Request, principal: Principal, role_id: int | None
) -> Response:
    path, _, query = _path(request.body_fields.get("path")).partition("?")
    inner_request = Request("GET", path.encode(), query.encode(), {}, request.client, None)
    response = await content.response_as(inner_request, principal)
    inner_response = InnerResponse(response.status, response.body.decode(errors="replace"), role_id)
    administrator = request.administrator
    if inner_request.failure is not None:
        inner_response.code = describe_function(inner_request.failure, administrator)
    elif inner_request.denial is not None and administrator.ability.super_admin:
        inner_response.reason = inner_request.denial
    return respond_data(inner_response)


def _path(path: object) -> str:
    """Return the path and query of the request to send. Raises ValidationError."""
    if not isinstance(path, str) or not path.startswith("/") or not path.isascii():
        raise ValidationError(_NO_PATH)
    return path
