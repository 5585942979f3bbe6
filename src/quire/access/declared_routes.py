"""Declarations of routes: permissions, and the types of requests and responses.

`openapi` generates descriptions from them. Types that depend on a project's models are annotated
with `ProjectSchema` or `ProjectFields`.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET, Struct

from quire.hooks.routes import CustomRoute
from quire.schema.attributes.json_schema import JsonSchema

QueryTypes = type[Struct] | tuple[type[Struct], ...] | str
"""A struct whose fields are the parameters of a query, or several; or the kind of a read of the
route's content type, as `quire.openapi.query_parameters.Queries.of_kind` names them."""


class DeclaredRoute(Struct, frozen=True, kw_only=True):
    """A method and a path below the API's prefix, with the data of its description.

    ``action`` is the required permission; ``None`` needs no permission. ``uid`` is the content type
    that the route belongs to, if any. ``custom`` is the corresponding route of the project's Python
    code. The name and the docstring of the ``handler`` are those of the operation.

    ``body``, ``query`` and ``response`` are types; a ``response`` of ``None`` has no body. The
    handler of a route that ``streams`` reads forms itself, after the permission check: ``body`` is
    then a form, or a form and an alternative JSON body. ``status`` is that of a successful
    response; ``other_responses`` are further responses by status, ``errors`` additional statuses of
    errors. Routes with the same ``tag`` are described together.
    """

    method: str
    path: str
    action: str | None
    handler: Callable[..., Any]
    uid: str | None = None
    streams: bool = False
    custom: CustomRoute | None = None
    tag: str = ""
    body: object = None
    query: QueryTypes | None = None
    response: object = UNSET
    status: int = 200
    other_responses: Mapping[int, object] = {}
    errors: tuple[int, ...] = ()
    is_described: bool = True


class ProjectSchema(Struct, frozen=True):
    """Notes that values are described by the project.

    ``make`` takes `quire.openapi.document_schemas.Models` and returns the schema.
    """

    make: Callable[[Any], JsonSchema]


class ProjectFields(Struct, frozen=True):
    """Notes that a struct has fields of the project's models before its own.

    ``make`` takes `quire.openapi.document_schemas.Models` and returns their schemas by name;
    ``required`` are the names of those that are always there.
    """

    make: Callable[[Any], Mapping[str, JsonSchema]]
    required: tuple[str, ...] = ()


def document_fields(uid: str, *required: str) -> ProjectFields:
    """Note that a struct has the fields that documents of a content type show."""
    return ProjectFields(
        lambda models: models.response_properties(models.schema.content_types[uid]),
        ("id", "documentId", *required),
    )


class MediaType(Struct, frozen=True):
    """The media type of a response that is no JSON, noted beside its type."""

    name: str

    @property
    def json_schema(self) -> JsonSchema:
        """See `quire.openapi.python_types`."""
        return {"x-media-type": self.name}


_PATHS = {
    "GET": "auth/:provider/callback auth/email-confirmation auth/sessions connect/:provider "
    "connect/:provider/callback content-type-builder/components "
    "content-type-builder/components/:uid content-type-builder/content-types "
    "content-type-builder/content-types/:uid i18n/locales openapi.json upload/files "
    "upload/files/:id upload/files/page users users/:id users/count users/me "
    "users-permissions/permissions users-permissions/roles users-permissions/roles/:id",
    "POST": "_batch auth/change-password auth/forgot-password auth/local auth/local/register "
    "auth/logout auth/refresh auth/reset-password auth/send-email-confirmation email upload "
    "users users-permissions/roles",
    "PUT": "users/:id users-permissions/roles/:id",
    "DELETE": "auth/sessions/:sessionId upload/files/:id users/:id users-permissions/roles/:id",
}
SERVER_PATHS = frozenset((method, path) for method, row in _PATHS.items() for path in row.split())
"""The routes of the content API that every project has, which those of its code cannot take."""
