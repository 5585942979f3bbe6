"""Schemas of documents and components for one caller.

Private attributes, passwords, and relations to forbidden types are in no response; the latter are
not in requests either. Responses with a selection of attributes (``fields``) are valid as well, so
only ids are required in them.
"""

from collections.abc import Iterator, Mapping

from quire.access.ability import Ability, can_find
from quire.openapi.json_schema import TEXT, Schemas, nullable, record
from quire.query.resolve.scope import is_never_populated, may_follow
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema
from quire.schema.class_names import class_names
from quire.schema.model import AUTOMATIC_NAMES, Component, ContentType, Model, Schema

_ALWAYS_SET = frozenset({"id", "documentId", "createdAt", "updatedAt"})
_PUBLISHED_ONLY = "What is published must keep this: {}. Drafts need not."


class Models:
    """Describes the models of a schema for an ability."""

    def __init__(self, schema: Schema, ability: Ability, schemas: Schemas) -> None:
        self.schema = schema
        self.ability = ability
        self.schemas = schemas
        self.names: Mapping[str, str] = class_names(schema)
        self._response_pointers = _ResponsePointers(self)
        self._request_pointers = _RequestPointers(self)

    def document(self, uid: str) -> JsonSchema:
        """Return the reference to the documents of a content type in responses."""
        return self._response_pointers.document(uid)

    def write_body_reference(self, uid: str) -> JsonSchema:
        """Return the reference to the body that updates a document of a content type."""
        return self.schemas.refer(
            ("written", uid), f"{self.names[uid]}Input", lambda: self._input(uid)
        )

    def created(self, uid: str) -> JsonSchema:
        """Return the reference to the body that creates a document, with more required fields."""
        model = self.schema.content_types[uid]
        required = [*self._required_names(model)]
        if not required:
            return self.write_body_reference(uid)
        schema = {"allOf": [self.write_body_reference(uid), {"required": required}]}
        return self.schemas.refer(("created", uid), f"{self.names[uid]}Create", lambda: schema)

    def may_show(self, model: Model, attribute: Attribute) -> bool:
        """Tell whether responses to the caller may have an attribute."""
        if attribute.private or (isinstance(attribute, ScalarAttribute) and attribute.secret):
            return False
        if is_never_populated(model, attribute):
            return False
        return may_follow(self.ability, model, attribute)

    def may_write(self, attribute: Attribute) -> bool:
        """Tell whether requests of the caller may have an attribute that is not ignored."""
        if attribute.name in AUTOMATIC_NAMES or isinstance(attribute, LocalizationsAttribute):
            return False
        if isinstance(attribute, RelationAttribute):
            if attribute.relation is Relation.MORPH_TO_ONE:
                return False
            if attribute.target is not None and not can_find(self.ability, attribute.target):
                return False
        return attribute.writable

    def response_properties(self, model: Model) -> dict[str, JsonSchema]:
        """Describe the attributes of responses."""
        visible_attributes = (
            attribute for attribute in model.attributes.values() if self.may_show(model, attribute)
        )
        properties = {
            attribute.name: self._response_value(model, attribute)
            for attribute in visible_attributes
        }
        for computed_field in self.schema.computed.get(model.uid, {}).values():
            properties[computed_field.name] = {**computed_field.json_schema, "readOnly": True}
        return properties

    def _response_value(self, model: Model, attribute: Attribute) -> JsonSchema:
        schema = attribute.type.json.response(attribute, self._response_pointers)
        always_stored = attribute.required and not _has_drafts(model)
        always_set = attribute.name in _ALWAYS_SET or always_stored
        never_null = isinstance(attribute, ScalarAttribute) and always_set
        return schema if never_null or _is_list(attribute) else nullable(schema)

    def writable(self, model: Model) -> dict[str, JsonSchema]:
        """Describe the attributes of requests."""
        attributes = (
            attribute for attribute in model.attributes.values() if self.may_write(attribute)
        )
        return {attribute.name: self._request_value(model, attribute) for attribute in attributes}

    def _request_value(self, model: Model, attribute: Attribute) -> JsonSchema:
        schema = attribute.type.json.request(attribute, self._request_pointers)
        has_no_drafts = not _has_drafts(model)
        if not has_no_drafts:
            form = attribute.type.json
            schema = _relax_for_drafts(schema, form, required=attribute.required)
        if _is_never_null(attribute) or (
            has_no_drafts and attribute.required and _applies_required(attribute)
        ):
            return schema
        return nullable(schema)

    def _input(self, uid: str) -> JsonSchema:
        model = self.schema.content_types[uid]
        return record(self.writable(model), required=(), closed=True)

    def _required_names(self, model: ContentType) -> Iterator[str]:
        """Yield the required attributes of a new document, whatever its status."""
        for attribute in model.own_attributes:
            if not attribute.required or not self.may_write(attribute):
                continue
            if attribute.default is not None or attribute.name in model.conditions:
                continue
            if _is_never_null(attribute) or (
                not _has_drafts(model) and _applies_required(attribute)
            ):
                yield attribute.name


class _ResponsePointers:
    """The references of responses."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self.shared = models.schemas.shared

    def document(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("document", uid), models.names[uid], lambda: self._document(uid)
        )

    def _document(self, uid: str) -> JsonSchema:
        model = self._models.schema.content_types[uid]
        description = f"A document of the content type {uid}."
        return record(
            self._models.response_properties(model),
            required=("id", "documentId"),
            description=description,
        )

    def component(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("component", uid), models.names[uid], lambda: self._component(uid, {})
        )

    def zone_item(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("zone item", uid),
            f"{models.names[uid]}InZone",
            lambda: self._component(uid, {"__component": {"const": uid}}),
        )

    def _component(self, uid: str, extra_members: Mapping[str, JsonSchema]) -> JsonSchema:
        properties = self._models.response_properties(self._models.schema.components[uid])
        description = f"The component {uid}."
        return record(
            {**properties, **extra_members},
            required=("id", *extra_members),
            description=description,
        )


class _RequestPointers:
    """The references of requests."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self.shared = models.schemas.shared

    def document(self, uid: str) -> JsonSchema:  # noqa: ARG002 - see `Pointers`
        """Refer to a document by its id."""
        return TEXT

    def component(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("component written", uid),
            f"{models.names[uid]}Input",
            lambda: self._component(uid, {}),
        )

    def zone_item(self, uid: str) -> JsonSchema:
        models = self._models
        return models.schemas.refer(
            ("zone item written", uid),
            f"{models.names[uid]}InZoneInput",
            lambda: self._component(uid, {"__component": {"const": uid}}),
        )

    def _component(self, uid: str, extra_members: Mapping[str, JsonSchema]) -> JsonSchema:
        members = {"id": {"type": ["integer", "string"]}, **extra_members}
        properties = self._models.writable(self._models.schema.components[uid])
        return record({**members, **properties}, required=[*extra_members], closed=True)


def _has_drafts(model: Model) -> bool:
    """Tell whether entries of a model, or the entries of a component, may be drafts."""
    return isinstance(model, Component) or (
        isinstance(model, ContentType) and model.draft_and_publish
    )


def _is_list(attribute: Attribute) -> bool:
    return getattr(attribute, "to_many", False) is True


def _is_never_null(attribute: Attribute) -> bool:
    """Tell whether a list is never null, not even in drafts: repeatable components and zones."""
    return _is_list(attribute) and isinstance(attribute, ComponentAttribute | DynamicZoneAttribute)


def _applies_required(attribute: Attribute) -> bool:
    """Tell whether ``required`` applies: relations and files may always be missing."""
    return not isinstance(attribute, RelationAttribute | MediaAttribute)


def _relax_for_drafts(schema: JsonSchema, form: JsonForm, *, required: bool) -> JsonSchema:
    """Describe the rules of drafts, with those of published entries as text."""
    omitted_keywords = {key: value for key, value in schema.items() if key in form.published_only}
    rules = [
        *(["required"] if required else []),
        *(f"{keyword} {value}" for keyword, value in omitted_keywords.items()),
    ]
    if not rules:
        return schema
    other_keywords = {key: value for key, value in schema.items() if key not in omitted_keywords}
    return {**other_keywords, "description": _PUBLISHED_ONLY.format(", ".join(rules))}
