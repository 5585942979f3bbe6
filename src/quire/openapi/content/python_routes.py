"""Describes the routes of a project's Python code by the types of their functions."""

from collections.abc import Mapping
from typing import get_args, get_origin

import msgspec

from quire.hooks.document import Document, Page
from quire.hooks.routes import CustomRoute, RouteParameter
from quire.hooks.shape import Shape
from quire.openapi.content.documents import DescriptionContext, page_meta
from quire.openapi.json_schema import FREE_OBJECT, array_of, record
from quire.openapi.operations import (
    FAILURES,
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    json_body,
)
from quire.schema.attributes.json_schema import JsonSchema

_REFERENCE = "#/components/schemas/{name}"


def describe_custom_route(context: DescriptionContext, route: CustomRoute) -> DescribedOperation:
    """Describe a route. The response is described as far as its annotation allows."""
    body = next(
        (parameter for parameter in route.parameters.values() if parameter.source == "body"), None
    )
    returns = _response_schema(context, route)
    return DescribedOperation(
        id=route.name,
        summary=route.summary or route.name,
        tag=route.action.split(".")[1],
        parameters=[
            _parameter(context, parameter)
            for parameter in route.parameters.values()
            if parameter is not body
        ],
        body=None
        if body is None
        else json_body(_schema(context, body.type), required=body.required),
        responses=[
            DescribedResponse(status=204) if returns is None else DescribedResponse(schema=returns),
        ],
        errors=sorted(_statuses(route) & {*FAILURES}),
    )


def _statuses(route: CustomRoute) -> set[int]:
    """Return the error statuses of a route: those of every route, and declared ones."""
    declared = {error.status for error in route.errors}
    return {400, 401, 403} | declared | ({429} if route.rate is not None else set())


def _parameter(context: DescriptionContext, parameter: RouteParameter) -> DescribedParameter:
    return DescribedParameter(
        name=parameter.name,
        schema=_schema(context, parameter.type),
        place=parameter.source,
        required=parameter.required,
    )


def _schema(context: DescriptionContext, hint: object) -> JsonSchema:
    """Return the schema of a type; structs and the like are components of the document."""
    (schema,), components = msgspec.json.schema_components([hint], ref_template=_REFERENCE)
    for name, component in components.items():
        context.schemas.shared(name, component)
    return dict(schema)


def _response_schema(context: DescriptionContext, route: CustomRoute) -> JsonSchema | None:
    """Return the schema of the response, ``None`` for a function that returns nothing."""
    hint = route.returns
    if hint is type(None):
        return None
    if hint is None:
        return {}
    document = _document(context, hint)
    if document is not None:
        is_page = get_origin(hint) is Page
        meta = page_meta(context.schemas) if is_page else FREE_OBJECT
        return record({"data": document, "meta": meta})
    try:
        return _schema(context, hint)
    except TypeError:  # only Python code knows the form of this type
        return {}


def _document(context: DescriptionContext, hint: object) -> JsonSchema | None:
    """Return the schema of a document or of a list of documents; ``None`` for other types."""
    if isinstance(hint, type) and issubclass(hint, Document):
        uid = hint.__uid__
        is_model = uid is not None and uid in context.models.schema.content_types
        return context.models.document(str(uid)) if is_model else FREE_OBJECT
    if isinstance(hint, type) and issubclass(hint, Shape):
        return _schema(context, hint)
    origin = get_origin(hint)
    if origin in {dict, Mapping}:
        return None
    for argument in get_args(hint):
        document = _document(context, argument)
        if document is not None:
            is_list = isinstance(origin, type) and issubclass(origin, list | tuple)
            return array_of(document) if is_list else document
    return None
