"""Describes batches, locales, mail, the content-type builder, and the document itself."""

from quire.access.actions import WRITING
from quire.openapi.content.endpoint import DescriptionContext, Table
from quire.openapi.models import Models
from quire.openapi.operations import (
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    json_body,
    path_parameter,
)
from quire.openapi.schemas import (
    FLAG,
    FREE_OBJECT,
    TEXT,
    any_of,
    nullable,
    one_of_texts,
    record,
    several,
)
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import LOCALE_UID, PUBLISHED_STATUS, ContentType

_MODEL = "Model"
_UID = path_parameter("uid", description="Uid, such as `api::article.article` or `shared.seo`.")
_ADDRESSES = any_of(TEXT, several(TEXT))


def _batch(describing: DescriptionContext) -> DescribedOperation:
    models = describing.models
    reachable = batched_types(models)
    names = [name for t in reachable for name in (t.route_name, t.uid)]
    reference = models.schemas.shared(
        "BatchReference", record({"$ref": {"type": ["integer", "string"]}})
    )
    operation = record(
        {
            "action": one_of_texts([*WRITING]),
            "type": one_of_texts(names) if names else TEXT,
            "documentId": any_of(TEXT, reference),
            "data": {
                **FREE_OBJECT,
                "description": 'As in the single request; `{"$ref": …}` may stand for a document.',
            },
            "locale": TEXT,
            "status": one_of_texts([PUBLISHED_STATUS, "draft"]),
            "fields": any_of(TEXT, several(TEXT)),
            "populate": any_of(TEXT, several(TEXT), FREE_OBJECT),
            "as": {
                "type": "string",
                "minLength": 1,
                "description": "A name for later operations to refer to.",
            },
        },
        required=("action", "type"),
        closed=True,
    )
    result = record(
        {
            "action": one_of_texts([*WRITING]),
            "type": TEXT,
            "documentId": nullable(TEXT),
            "data": any_of(*(models.document(t.uid) for t in reachable), {"type": "null"}),
        }
    )
    operations = {
        **several(operation),
        "minItems": 1,
        "maxItems": describing.facts.batch_operations,
    }
    return DescribedOperation(
        id="runBatch",
        summary="Write several documents, all of them or none",
        tag="Batches",
        body=json_body(record({"operations": operations})),
        responses=[
            DescribedResponse(
                schema=record({"data": several(result), "meta": FREE_OBJECT}),
                description="The result of each operation, in their order.",
            )
        ],
        errors=(400, 401, 403, 404, 413),
    )


def batched_types(models: Models) -> list[ContentType]:
    """Return the content types that the caller may write in a batch."""
    allows = models.ability.allows
    return [
        content_type
        for content_type in models.schema.api_types
        if any(allows(f"{content_type.uid}.{verb}") for verb in WRITING.values())
    ]


def _locales(describing: DescriptionContext) -> DescribedOperation:
    model = describing.models.schema.content_types[LOCALE_UID]
    members = {**describing.models.shown(model), "isDefault": FLAG}
    locale = record(members, required=("id", "documentId", "code", "isDefault"))
    return DescribedOperation(
        id="listLocales",
        summary="List the locales of the project",
        tag="Locales",
        responses=[DescribedResponse(schema=several(locale), description="All locales.")],
        errors=(401, 403),
    )


def _mail(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    form = record(
        {
            "to": _ADDRESSES,
            "cc": _ADDRESSES,
            "bcc": _ADDRESSES,
            "from": TEXT,
            "replyTo": TEXT,
            "subject": TEXT,
            "text": TEXT,
            "html": TEXT,
        },
        required=("to",),
    )
    return DescribedOperation(
        id="sendMail",
        summary="Send a mail",
        tag="Mails",
        body=json_body(form),
        responses=[DescribedResponse(schema=FREE_OBJECT)],
    )


def _described_model(*, component: bool) -> JsonSchema:
    attributes = {"type": "object", "additionalProperties": record({"type": TEXT})}
    about = record({"displayName": TEXT, "attributes": attributes})
    own = {"category": TEXT, "apiId": TEXT} if component else {"apiID": TEXT}
    return record({"uid": TEXT, **own, "schema": about})


def _models(
    operation_id: str, summary: str, data: JsonSchema, *parameters: DescribedParameter
) -> DescribedOperation:
    return DescribedOperation(
        id=operation_id,
        summary=summary,
        tag=_MODEL,
        parameters=parameters,
        responses=[
            DescribedResponse(schema=record({"data": data}), description="The description.")
        ],
        errors=(400, 401, 403),
    )


def _one_model(operation_id: str, summary: str, data: JsonSchema) -> DescribedOperation:
    # Unknown uids have their own error format here.
    unknown = DescribedResponse(
        status=404, schema=record({"error": TEXT}), description="There is none."
    )
    shown = DescribedResponse(schema=record({"data": data}), description="The description.")
    return DescribedOperation(
        id=operation_id,
        summary=summary,
        tag=_MODEL,
        parameters=[_UID],
        responses=[shown, unknown],
        errors=(401, 403),
    )


def _content_types(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    kind = DescribedParameter(name="kind", schema=one_of_texts(["singleType", "collectionType"]))
    types = several(_described_model(component=False))
    return _models("listContentTypes", "Describe all content types", types, kind)


def _content_type(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    described = _described_model(component=False)
    return _one_model("findContentType", "Describe one content type", described)


def _components(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    components = several(_described_model(component=True))
    return _models("listComponents", "Describe all components", components)


def _component(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return _one_model("findComponent", "Describe one component", _described_model(component=True))


def _document(describing: DescriptionContext) -> DescribedOperation:  # noqa: ARG001 - a `Describe`
    return DescribedOperation(
        id="describeApi",
        summary="Describe what the caller may do, as this document does",
        tag=_MODEL,
        responses=[
            DescribedResponse(
                schema=record({"openapi": TEXT, "info": FREE_OBJECT, "paths": FREE_OBJECT}),
                description="An OpenAPI document.",
            )
        ],
        errors=(401,),
    )


BATCH = ("POST", "_batch")

FURTHER_ROUTES: Table = {
    BATCH: _batch,
    ("GET", "i18n/locales"): _locales,
    ("POST", "email"): _mail,
    ("GET", "content-type-builder/content-types"): _content_types,
    ("GET", "content-type-builder/content-types/:uid"): _content_type,
    ("GET", "content-type-builder/components"): _components,
    ("GET", "content-type-builder/components/:uid"): _component,
    ("GET", "openapi.json"): _document,
}
