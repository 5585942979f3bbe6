"""``/content-type-builder``, for reading: the model as it is, and reserved names."""

from collections.abc import Iterator

from quire.admin_api.model.attribute_bodies import RESERVED_ATTRIBUTES
from quire.admin_api.model.model_bodies import RESERVED_MODELS
from quire.admin_api.responses import respond_data
from quire.content_api.content_type_builder import ModelApi
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.schema.describe import describe_schema
from quire.schema.model import Schema

BUILD = "plugin::content-type-builder.read"
"""The action of all routes of the content-type builder, those that change something included."""

PREFIX = "content-type-builder"


class ModelReadingApi:
    """Shows administrators the model."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._shown = ModelApi(schema)

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for path, handler in (
            ("schema", self.schema),
            ("reserved-names", self.reserved_names),
            ("content-types", self._shown.content_types),
            ("content-types/:uid", self._shown.content_type),
            ("components", self._shown.components),
            ("components/:uid", self._shown.component),
        ):
            yield Route(method="GET", path=f"{PREFIX}/{path}", action=BUILD, handler=handler)

    async def schema(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe all content types and components at once."""
        return respond_data(describe_schema(self._schema))

    async def reserved_names(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List what no content type and no attribute may be called."""
        names = {"models": RESERVED_MODELS, "attributes": RESERVED_ATTRIBUTES}
        return respond_bare(names)
