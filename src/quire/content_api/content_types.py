"""``/content-type-builder`` for clients, read only."""

from collections.abc import Iterator
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.response_types import DataEnvelope
from quire.content_api.routes import Route, RouteGroup
from quire.schema.describe import (
    describe_component,
    describe_content_type,
    describe_content_types,
    is_visible,
)
from quire.schema.model import Schema, TypeKind

_OWNER = "plugin::content-type-builder"
_KINDS = (TypeKind.SINGLE.value, TypeKind.COLLECTION.value)


class DescribedAttribute(Struct):
    """An attribute, with options of its type."""

    type: str


class DescribedModel(Struct, rename="camel"):
    """The declaration of a model."""

    display_name: str
    attributes: dict[str, DescribedAttribute]


class DescribedContentType(Struct):
    """A content type."""

    uid: str
    api_id: str = field(name="apiID")
    described: DescribedModel = field(name="schema")


class DescribedComponent(Struct):
    """A component."""

    uid: str
    category: str
    api_id: str = field(name="apiId")
    described: DescribedModel = field(name="schema")


class UnknownModel(Struct):
    """The error for a model that does not exist, which has its own form."""

    error: str


class KindQuery(Struct):
    """Which content types are described."""

    kind: Literal["singleType", "collectionType"] | UnsetType = UNSET


class ModelApi:
    """``GET /content-type-builder/content-types`` and ``…/components``, all of them or one."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup("Model", "content-type-builder/", f"{_OWNER}.")
        not_found = {404: UnknownModel}
        types, components = "content-types", "components"
        yield route(
            "GET",
            types,
            f"{types}.getContentTypes",
            self.list_content_types,
            query=KindQuery,
            response=DataEnvelope[list[DescribedContentType]],
        )
        yield route(
            "GET",
            f"{types}/:uid",
            f"{types}.getContentType",
            self.find_content_type,
            response=DataEnvelope[DescribedContentType],
            other_responses=not_found,
        )
        yield route(
            "GET",
            components,
            f"{components}.getComponents",
            self.list_components,
            response=DataEnvelope[list[DescribedComponent]],
        )
        yield route(
            "GET",
            f"{components}/:uid",
            f"{components}.getComponent",
            self.find_component,
            response=DataEnvelope[DescribedComponent],
            other_responses=not_found,
        )

    async def list_content_types(self, request: Request) -> Response:
        """Describe all content types, or those of one ``kind``."""
        descriptions = describe_content_types(self._schema)
        kind = request.query.get("kind")
        if kind is None:
            return respond_bare({"data": descriptions})
        if kind not in _KINDS:
            return _invalid_kind(kind)
        return respond_bare(
            {
                "data": [
                    description
                    for description in descriptions
                    if description["schema"]["kind"] == kind
                ]
            }
        )

    async def find_content_type(self, request: Request) -> Response:
        """Describe one content type.

        Those of the server's own that are hidden count as unknown.
        """
        content_type = self._schema.content_types.get(request.parameters["uid"])
        if content_type is None or not is_visible(content_type):
            return _not_found("contentType")
        return respond_bare({"data": describe_content_type(content_type)})

    async def list_components(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe all components."""
        descriptions = [
            describe_component(component) for component in self._schema.components.values()
        ]
        return respond_bare({"data": descriptions})

    async def find_component(self, request: Request) -> Response:
        """Describe one component."""
        component = self._schema.components.get(request.parameters["uid"])
        if component is None:
            return _not_found("component")
        return respond_bare({"data": describe_component(component)})


def _not_found(name: str) -> Response:
    """Return the response for an unknown uid; these routes have their own error format."""
    return respond_bare({"error": f"{name}.notFound"}, 404)


def _invalid_kind(kind: object) -> Response:
    message = f"this must be one of the following values: {', '.join(_KINDS)}"
    error = {"path": [], "message": message, "name": "ValidationError", "value": kind}
    details = {"errors": [error]}
    return respond_bare(
        {"error": {"name": "ValidationError", "message": message, "details": details}}, 400
    )
