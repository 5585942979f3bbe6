"""``/content-type-builder``, for reading: the present model, and reserved names."""

from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.content_type_builder.attribute_bodies import RESERVED_ATTRIBUTES
from quire.admin_api.content_type_builder.type_bodies import RESERVED_MODELS
from quire.admin_api.response_types import CONTENT_TYPES, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.content_api.content_types import KindQuery, ModelApi
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.schema.describe import describe_schema
from quire.schema.model import Schema

BUILD = "plugin::content-type-builder.read"
"""The action of all routes of the content-type builder, including those that write."""

PREFIX = "content-type-builder"


class SchemaDescription(Struct, rename="camel"):
    """All content types and components."""

    content_types: FreeObject
    components: FreeObject


class ReservedNames(Struct):
    """Reserved names of content types and attributes."""

    models: list[str]
    attributes: list[str]


class ModelReadingApi:
    """Shows administrators the model."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._handlers = ModelApi(schema)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, handlers = RouteGroup(CONTENT_TYPES, f"{PREFIX}/"), self._handlers
        response, list_response = DataEnvelope[FreeObject], DataEnvelope[list[FreeObject]]
        yield route("GET", "schema", BUILD, self.schema, response=DataEnvelope[SchemaDescription])
        yield route("GET", "reserved-names", BUILD, self.reserved_names, response=ReservedNames)
        types = handlers.list_content_types
        yield route("GET", "content-types", BUILD, types, query=KindQuery, response=list_response)
        yield route(
            "GET", "content-types/:uid", BUILD, handlers.find_content_type, response=response
        )
        yield route("GET", "components", BUILD, handlers.list_components, response=list_response)
        yield route("GET", "components/:uid", BUILD, handlers.find_component, response=response)

    async def schema(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe all content types and components at once."""
        return respond_data(describe_schema(self._schema))

    async def reserved_names(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List what no content type and no attribute may be called."""
        names = {"models": RESERVED_MODELS, "attributes": RESERVED_ATTRIBUTES}
        return respond_bare(names)
