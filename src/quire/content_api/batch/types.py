"""The types of batches and of their results.

`BatchOperations` checks operations by itself: each error is about one of them.
"""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct, field

from quire.access.ability import Ability
from quire.access.actions import WRITE_ACTIONS
from quire.access.declared_routes import ProjectSchema
from quire.content_api.response_types import FreeObject
from quire.content_api.validators import Range
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import ContentType, Schema

Action = Annotated[str, Meta(extra_json_schema={"enum": [*WRITE_ACTIONS]})]
_TextOrList = str | list[str] | UnsetType


def reachable_types(schema: Schema, ability: Ability) -> list[ContentType]:
    """Return the content types for which the caller has some permission in a batch."""
    return [
        content_type
        for content_type in schema.api_types
        if any(ability.allows(f"{content_type.uid}.{verb}") for verb in WRITE_ACTIONS.values())
    ]


def _names(models: Any) -> JsonSchema:  # noqa: ANN401 - see `ProjectSchema`
    types = reachable_types(models.schema, models.ability)
    return {
        "type": "string",
        "enum": [name for type_ in types for name in (type_.route_name, type_.uid)],
    }


def _documents(models: Any) -> JsonSchema:  # noqa: ANN401 - see `ProjectSchema`
    types = reachable_types(models.schema, models.ability)
    return {"anyOf": [*(models.document(type_.uid) for type_ in types), {"type": "null"}]}


class BatchReference(Struct):
    """The document of an earlier operation, by its place or by its name."""

    reference: int | str = field(name="$ref")


class BatchOperationInput(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """One operation."""

    action: Action
    type: Annotated[str, ProjectSchema(_names)]
    document_id: str | BatchReference | UnsetType = UNSET
    data: Annotated[
        FreeObject | UnsetType,
        Meta(description='As in the single request; `{"$ref": …}` may stand for a document.'),
    ] = UNSET
    locale: str | UnsetType = UNSET
    status: Literal["published", "draft"] | UnsetType = UNSET
    fields: _TextOrList = UNSET
    populate: str | list[str] | FreeObject | UnsetType = UNSET
    name: Annotated[
        str | UnsetType,
        Meta(
            description="A name for later operations to refer to.",
            extra_json_schema={"minLength": 1},
        ),
    ] = field(default=UNSET, name="as")


class BatchResult(Struct, rename="camel"):
    """The result of an operation."""

    action: Action
    type: str
    document_id: str | None
    data: Annotated[Any, ProjectSchema(_documents)]


class BatchResults(Struct):
    """The result of each operation, in their order."""

    data: list[BatchResult]
    meta: FreeObject


def batch_body(limit: int) -> type[Struct]:
    """Return the type of a batch of so many operations at most."""
    operations = Annotated[list[BatchOperationInput], Range(1, limit)]
    return defstruct("Batch", [("operations", operations)])
