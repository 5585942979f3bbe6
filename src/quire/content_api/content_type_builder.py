"""``/content-type-builder`` for clients, read only."""

from collections.abc import Iterator

from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.schema.describe import (
    describe_component,
    describe_content_type,
    describe_content_types,
    is_visible,
)
from quire.schema.model import Schema, TypeKind

_OWNER = "plugin::content-type-builder"
_KINDS = (TypeKind.SINGLE.value, TypeKind.COLLECTION.value)


class ModelApi:
    """``GET /content-type-builder/content-types`` and ``…/components``, all of them or one."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for path, action, handler in (
            ("content-types", "content-types.getContentTypes", self.content_types),
            ("content-types/:uid", "content-types.getContentType", self.content_type),
            ("components", "components.getComponents", self.components),
            ("components/:uid", "components.getComponent", self.component),
        ):
            yield Route(
                method="GET",
                path=f"content-type-builder/{path}",
                action=f"{_OWNER}.{action}",
                handler=handler,
            )

    async def content_types(self, request: Request) -> Response:
        """Describe all content types, or those of one ``kind``."""
        described = describe_content_types(self._schema)
        kind = request.query.get("kind")
        if kind is None:
            return respond_bare({"data": described})
        if kind not in _KINDS:
            return _invalid_kind(kind)
        return respond_bare({"data": [one for one in described if one["schema"]["kind"] == kind]})

    async def content_type(self, request: Request) -> Response:
        """Describe one content type; hidden built-in ones count as unknown."""
        found = self._schema.content_types.get(request.parameters["uid"])
        if found is None or not is_visible(found):
            return _not_found("contentType")
        return respond_bare({"data": describe_content_type(found)})

    async def components(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe all components."""
        described = [describe_component(one) for one in self._schema.components.values()]
        return respond_bare({"data": described})

    async def component(self, request: Request) -> Response:
        """Describe one component."""
        found = self._schema.components.get(request.parameters["uid"])
        if found is None:
            return _not_found("component")
        return respond_bare({"data": describe_component(found)})


def _not_found(what: str) -> Response:
    """Return the response for an unknown uid; these routes have their own error format."""
    return respond_bare({"error": f"{what}.notFound"}, 404)


def _invalid_kind(kind: object) -> Response:
    message = f"this must be one of the following values: {', '.join(_KINDS)}"
    error = {"path": [], "message": message, "name": "ValidationError", "value": kind}
    details = {"errors": [error]}
    return respond_bare(
        {"error": {"name": "ValidationError", "message": message, "details": details}}, 400
    )
