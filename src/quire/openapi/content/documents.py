"""Describes the routes of every content type."""

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from quire.openapi.document_schemas import Models
from quire.openapi.json_schema import FREE_OBJECT, INTEGER, TEXT, Schemas, any_of, array_of, record
from quire.openapi.operations import (
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    json_body,
    path_parameter,
)
from quire.openapi.python_types import TypeSchemas
from quire.openapi.query_parameters import PageLimits, Queries
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import class_name
from quire.schema.model import ContentType, TypeKind


class DescriptionContext:
    """The models, queries and types of one document."""

    def __init__(self, models: Models, pages: PageLimits) -> None:
        self.models = models
        self.schemas = models.schemas
        self.queries = Queries(models, pages)
        self.types = TypeSchemas(models.schemas, models=models)


_ID = path_parameter("documentId", description="The document, the same in all locales.")
_IF_MATCH = DescribedParameter(
    name="If-Match",
    place="header",
    schema=TEXT,
    description="The `ETag` of a response: 412 if the document has changed since.",
)
_DOCUMENT_ETAG = {"ETag": "The state of the document, where `updatedAt` is shown."}
_IF_NONE_MATCH = DescribedParameter(
    name="If-None-Match",
    place="header",
    schema=TEXT,
    description="The `ETag` of an earlier response: 304 if it is unchanged.",
)
_LIST_ETAG = {"ETag": "Identifies the bytes of a cached response."}
_META = "meta"


def describe_document_route(
    context: DescriptionContext,
    content_type: ContentType,
    action: str,
    path_names: Iterable[str],
) -> DescribedOperation:
    """Describe the route of an action of a content type; ``path_names`` are its parameters."""
    describe = _ACTIONS.get(action)
    if action == "find" and _is_single(content_type):
        describe = _find_one
    if describe is None:
        operation = _describe_project_action(content_type, action)
    else:
        operation = describe(context, content_type)
    in_path = [_ID if name == _ID.name else path_parameter(name) for name in path_names]
    return replace(operation, parameters=[*in_path, *operation.parameters])


def _describe_project_action(content_type: ContentType, action: str) -> DescribedOperation:
    """Describe a route to an action in the project's JavaScript, without its response body."""
    return DescribedOperation(
        id=action,
        summary=f"{action} of {content_type.display_name}",
        tag=content_type.display_name,
        responses=[DescribedResponse(schema={})],
    )


def _find(context: DescriptionContext, model: ContentType) -> DescribedOperation:
    data = array_of(context.models.document(model.uid))
    page = record({"data": data, _META: page_meta(context.schemas)})
    return DescribedOperation(
        id=f"list{class_name(model.plural_name)}",
        summary=f"List documents of {model.display_name}",
        tag=model.display_name,
        parameters=[*context.queries.page(model), _IF_NONE_MATCH],
        responses=[
            DescribedResponse(schema=page, description="A page of documents.", headers=_LIST_ETAG),
            DescribedResponse(
                status=304, description="The client has this page already.", headers=_LIST_ETAG
            ),
        ],
    )


def _find_one(context: DescriptionContext, model: ContentType) -> DescribedOperation:
    return DescribedOperation(
        id=f"find{_name(context, model)}",
        summary=f"Show a document of {model.display_name}",
        tag=model.display_name,
        parameters=context.queries.document(model),
        responses=[_document_response(context, model)],
        errors=(400, 401, 403, 404),
    )


def _create(context: DescriptionContext, model: ContentType) -> DescribedOperation:
    return DescribedOperation(
        id=f"create{_name(context, model)}",
        summary=f"Make a document of {model.display_name}",
        tag=model.display_name,
        description=_draft_note(model),
        parameters=context.queries.write_parameters(model),
        body=json_body(record({"data": context.models.created(model.uid)})),
        responses=[_document_response(context, model, status=201)],
        errors=(400, 401, 403, 413),
    )


def _update(context: DescriptionContext, model: ContentType) -> DescribedOperation:
    summary_end = ", or make it" if _is_single(model) else ""
    return DescribedOperation(
        id=f"update{_name(context, model)}",
        summary=f"Change a document of {model.display_name}{summary_end}",
        tag=model.display_name,
        description=_draft_note(model),
        parameters=[_IF_MATCH, *context.queries.write_parameters(model)],
        body=json_body(record({"data": context.models.write_body_reference(model.uid)})),
        responses=[_document_response(context, model)],
        errors=(400, 401, 403, 404, 412, 413),
    )


def _delete(context: DescriptionContext, model: ContentType) -> DescribedOperation:
    return DescribedOperation(
        id=f"delete{_name(context, model)}",
        summary=f"Delete a document of {model.display_name}",
        tag=model.display_name,
        parameters=[
            _IF_MATCH,
            *context.queries.removed(model),
            *context.queries.narrowing(model),
        ],
        responses=[DescribedResponse(status=204, description="It is gone, or was not there.")],
        errors=(400, 401, 403, 412),
    )


def _document_response(
    context: DescriptionContext, model: ContentType, *, status: int = 200
) -> DescribedResponse:
    document = context.models.document(model.uid)
    envelope = record({"data": document, _META: {**FREE_OBJECT, "maxProperties": 0}})
    return DescribedResponse(
        status=status, schema=envelope, description="The document.", headers=_DOCUMENT_ETAG
    )


def _draft_note(model: ContentType) -> str:
    if not model.draft_and_publish:
        return ""
    return "What is written is published at once, unless `status` is `draft`."


def _name(context: DescriptionContext, model: ContentType) -> str:
    return context.models.names[model.uid]


def page_meta(schemas: Schemas) -> JsonSchema:
    """Describe ``meta`` of a page."""
    counts = {"pageCount": INTEGER, "total": INTEGER}
    pages = record(
        {"page": INTEGER, "pageSize": INTEGER, **counts},
        required=("page", "pageSize"),
        closed=True,
    )
    offsets = record(
        {"start": INTEGER, "limit": INTEGER, "total": INTEGER},
        required=("start", "limit"),
        closed=True,
    )
    pagination = any_of(schemas.shared("PagesMeta", pages), schemas.shared("OffsetsMeta", offsets))
    return schemas.shared("PageMeta", record({"pagination": pagination}))


def _is_single(model: ContentType) -> bool:
    return model.kind is TypeKind.SINGLE


_ACTIONS: Mapping[str, Callable[[DescriptionContext, ContentType], DescribedOperation]] = {
    "find": _find,
    "findOne": _find_one,
    "create": _create,
    "update": _update,
    "delete": _delete,
}
