"""Schemas of entries in the admin API.

Lists show to-many relations as a count, forms show only counts, and attributes that the caller may
not read are missing: so only ids are required. Requests accept the same as in the content API; the
other members of a form are ignored.
"""

from collections.abc import Callable

from msgspec import Struct

from quire.access.ability import FullAccess
from quire.openapi.document_schemas import Models
from quire.openapi.json_schema import (
    FREE_OBJECT,
    INTEGER,
    MOMENT,
    TEXT,
    any_of,
    array_of,
    nullable,
    one_of_texts,
    record,
)
from quire.openapi.python_types import TypeSchemas
from quire.schema.attributes.base import (
    Attribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import AUTOMATIC_NAMES, ContentType, Model, Schema

_WHEN = nullable(MOMENT)
_VERSION_PROPERTIES: JsonSchema = {
    "id": INTEGER,
    "documentId": TEXT,
    "locale": nullable(TEXT),
    "createdAt": _WHEN,
    "updatedAt": _WHEN,
    "publishedAt": _WHEN,
    "status": one_of_texts(["draft", "published", "modified"]),
}


class ManagedTypes(Struct, frozen=True, kw_only=True):
    """The managed content types, and their attributes that responses never contain.

    Routes refer to an entry of any type by ``entry`` in responses and by ``entry_input`` in
    requests; the other four are types of its members.
    """

    entry: object
    entry_input: object
    creator: type[Struct]
    localization: type[Struct]
    related: type[Struct]
    file: type[Struct]
    schema: Schema
    types: tuple[ContentType, ...]
    hides: Callable[[Model, Attribute], bool]


class Entries:
    """Describes the entries of all managed types."""

    def __init__(self, managed_types: ManagedTypes, types: TypeSchemas) -> None:
        self._managed_types = managed_types
        self._models = Models(managed_types.schema, FullAccess(), types.schemas)
        self._responses = _ResponsePointers(managed_types, self._models, types)

    def response_schema(self) -> JsonSchema:
        """Describe an entry of any of the types, in responses."""
        return _one_of(
            [
                self._responses.document(content_type.uid)
                for content_type in self._managed_types.types
            ]
        )

    def request_schema(self) -> JsonSchema:
        """Describe the writable values of an entry of any of the types."""
        return _one_of([self._input(content_type) for content_type in self._managed_types.types])

    def _input(self, model: ContentType) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("managed input", model.uid),
            f"{models.names[model.uid]}EntryInput",
            lambda: record(models.writable(model), required=(), description=_about(model)),
        )


class _ResponsePointers:
    """The references of entries in responses."""

    def __init__(self, managed_types: ManagedTypes, models: Models, types: TypeSchemas) -> None:
        self._managed_types = managed_types
        self._models = models
        self._types = types
        self.shared = models.schemas.shared

    def document(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("managed", uid), f"{models.names[uid]}Entry", lambda: self._entry(uid)
        )

    def component(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("managed component", uid), models.names[uid], lambda: self._component(uid, {})
        )

    def zone_item(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("managed zone item", uid),
            f"{models.names[uid]}InZone",
            lambda: self._component(uid, {"__component": {"const": uid}}),
        )

    def _entry(self, uid: str) -> JsonSchema:
        model = self._managed_types.schema.content_types[uid]
        creator = nullable(self._types.schema(self._managed_types.creator))
        localizations = array_of(self._types.schema(self._managed_types.localization))
        automatic_members = {
            **_VERSION_PROPERTIES,
            "createdBy": creator,
            "updatedBy": creator,
            "localizations": localizations,
        }
        members = {**automatic_members, **self._attributes(model)}
        return record(members, required=("id", "documentId"), description=_about(model))

    def _component(self, uid: str, extra_members: JsonSchema) -> JsonSchema:
        members = self._attributes(self._managed_types.schema.components[uid])
        return record({"id": INTEGER, **members, **extra_members}, required=("id", *extra_members))

    def _attributes(self, model: Model) -> dict[str, JsonSchema]:
        return {
            attribute.name: self._value(attribute)
            for attribute in model.attributes.values()
            if attribute.name not in AUTOMATIC_NAMES
            and not isinstance(attribute, LocalizationsAttribute)
            and not self._managed_types.hides(model, attribute)
        }

    def _value(self, attribute: Attribute) -> JsonSchema:
        match attribute:
            case RelationAttribute():
                return self._relation_schema(attribute)
            case MediaAttribute(multiple=multiple):
                file = self._types.schema(self._managed_types.file)
                return nullable(array_of(file) if multiple else file)
            case _:
                return nullable(attribute.type.json.response(attribute, self))

    def _relation_schema(self, attribute: RelationAttribute) -> JsonSchema:
        """Describe a relation: its targets or their number."""
        has_target = attribute.target is not None
        entry = self._types.schema(self._managed_types.related) if has_target else FREE_OBJECT
        rows = array_of(entry) if attribute.to_many else entry
        return nullable(any_of(record({"count": INTEGER}, required=()), rows))


def _about(model: ContentType) -> str:
    return f"An entry of the content type {model.uid}."


def _one_of(choices: list[JsonSchema]) -> JsonSchema:
    return any_of(*choices) if choices else FREE_OBJECT
