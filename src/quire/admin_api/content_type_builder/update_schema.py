"""``update-schema``: many changes of the model in one body (wire: builder).

::

    {"data": {"contentTypes": [
        {"action": "create", "uid": "api::memo.memo", "displayName": "Memo", …,
         "attributes": [{"action": "create", "name": "title", "properties": {"type": "string"}}]},
        {"action": "delete", "uid": "api::note.note"}],
     "components": […]}}

An attribute with ``formerName``, and a model with ``formerUid``, is renamed, and keeps what is
stored. Strapi does not have these members: there a renamed attribute is a deleted and a new one.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from quire.admin_api.content_type_builder.attribute_bodies import (
    NAME,
    NAME_PATTERN,
    Attribute,
    AttributeBodies,
    is_reserved,
)
from quire.admin_api.content_type_builder.definitions import (
    Body,
    component_definition,
    type_definition,
    uid_of_type,
)
from quire.admin_api.content_type_builder.errors import (
    COMPONENT_EXISTS,
    COMPONENT_NOT_FOUND,
    CONTENT_TYPE_EXISTS,
    CONTENT_TYPE_NOT_FOUND,
    BuilderError,
)
from quire.admin_api.content_type_builder.type_bodies import (
    KINDS,
    MAX_ATTRIBUTES,
    is_kebab,
    is_reserved_model,
)
from quire.builder.schema_files import SchemaFiles
from quire.document_service.validate.problems import Problem
from quire.schema.describe import describe_component, describe_content_type, is_visible
from quire.schema.model import Model, Schema, TypeKind
from quire.schema.slugs import slug_of

INVALID = "Invalid input"
_UNEXPECTED_TYPE = "Invalid input: expected {}, received {}"
_TOO_SMALL = "Too small: expected {} to have >=1 {}"
_TOO_BIG = "Too big: expected array to have <={} items"
_BAD_NAME = f"Invalid string: must match pattern {NAME_PATTERN}"
_RESERVED_NAME = "Attribute name is reserved"
_RESERVED_MODEL = "Model name is reserved"
_NOT_KEBAB = "Must be kebab case"
_SAME_NAMES = "Singular and plural names must be different"
_INVALID_UID = "{}.invalidUID"
_NO_TARGET = "Content type {} not found"
_READ_ONLY_TYPE = "{} comes with the server and cannot be changed"
_MAX_CHANGES = 500
_ACTIONS = ("create", "update", "delete")
_JSON_TYPES = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}


class AttributeEntry(Struct, frozen=True, kw_only=True):
    """The change of an attribute; ``former`` is its present name."""

    action: str
    name: str
    properties: Attribute
    former: str | None


class ModelEntry(Struct, frozen=True, kw_only=True):
    """The change of a content type or component; ``former`` is its present uid."""

    action: str
    uid: str
    is_component: bool
    body: Body
    attributes: tuple[AttributeEntry, ...]
    former: str | None

    @property
    def present_uid(self) -> str:
        """The uid before the change."""
        return self.former or self.uid


class SchemaUpdate:
    """The changes of a body, checked against the present schema."""

    def __init__(self, schema: Schema, body: object) -> None:
        """Raises BuilderError for invalid changes, in Strapi's format."""
        self._schema = schema
        data = body.get("data") if isinstance(body, Mapping) else None
        if not isinstance(data, Mapping):
            raise BuilderError(_UNEXPECTED_TYPE.format("object", _json_type_of(body, "data")))
        self.entries = [
            *_entries(data, "components", is_component=True),
            *_entries(data, "contentTypes", is_component=False),
        ]
        uids = [*(entry.uid for entry in self.entries), *self._former_uids()]
        if len(set(uids)) < len(uids):
            raise BuilderError(INVALID)
        self._new_uids = frozenset(entry.uid for entry in self.entries if entry.action == "create")
        renamed_uids = frozenset(entry.uid for entry in self.entries if entry.former is not None)
        self._future_uids = self._new_uids | renamed_uids
        for entry in self.entries:
            self._check_entry(entry)

    def _former_uids(self) -> Iterator[str]:
        """Yield the present uids of models that get another one."""
        for entry in self.entries:
            if entry.former is not None:
                yield entry.former

    @property
    def title(self) -> str:
        """Which models are changed, as a text."""
        return ", ".join(entry.uid for entry in self.entries)

    def problems(self) -> Iterator[Problem]:
        """Yield the problems of attributes, with paths that begin with the uid."""
        future_types = (uid for uid in self._future_uids if "::" in uid)
        targets = (*self._schema.content_types, *future_types)
        for entry in self.entries:
            if entry.action != "delete":
                bodies = AttributeBodies(
                    schema=self._schema,
                    component=entry.is_component,
                    single_type=entry.body.get("kind") == TypeKind.SINGLE.value,
                    current_attributes=self._current_attributes(entry),
                    more_targets=targets,
                )
                attributes = self._merged_attributes(entry, self._stored_attributes(entry))
                yield from bodies.problems((entry.uid, "attributes"), attributes)

    def check_attributes(self) -> None:
        """Raise BuilderError for invalid attributes, in Strapi's format."""
        for problem in self.problems():
            if "must have at least 1 items" in problem.message:
                raise BuilderError(_TOO_SMALL.format("array", "items"))
            raise BuilderError(INVALID)

    def __call__(self, schema_files: SchemaFiles) -> None:
        """Apply the changes to `SchemaFiles`. Raises InvalidDefinitionError."""
        changed_entries = [entry for entry in self.entries if entry.action != "delete"]
        for entry in changed_entries:
            if entry.former is not None and entry.is_component:
                schema_files.rename_component(entry.former, entry.uid)
            elif entry.former is not None:
                schema_files.rename_type(entry.former, entry.uid)
            elif entry.action == "create":
                self._add(schema_files, entry)
        for entry in changed_entries:
            self._change(schema_files, entry)
        for entry in self.entries:
            if entry.action == "delete" and entry.is_component:
                schema_files.remove_component(entry.uid)
            elif entry.action == "delete":
                schema_files.remove_type(entry.uid)

    def _add(self, schema_files: SchemaFiles, entry: ModelEntry) -> None:
        if entry.is_component:
            schema_files.add_component(entry.uid, component_definition(entry.body, {}, {}))
        else:
            schema_files.add_type(entry.uid, type_definition(entry.body, {}, {}))

    def _change(self, schema_files: SchemaFiles, entry: ModelEntry) -> None:
        uid = entry.uid
        if uid.startswith("plugin::"):
            uid = schema_files.extend(uid)
        definition = schema_files.raw(uid) or {}
        attributes = self._merged_attributes(entry, definition.get("attributes", {}))
        former_names = {
            attribute.name: attribute.former
            for attribute in entry.attributes
            if attribute.former is not None
        }
        if entry.is_component:
            schema_files.change_component(
                uid, component_definition(entry.body, attributes, former_names)
            )
        else:
            schema_files.change_type(uid, type_definition(entry.body, attributes, former_names))

    def _merged_attributes(
        self, entry: ModelEntry, attributes: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return all attributes of a model after the change, in their new order.

        The body may have only some attributes. They take the positions that they had together, in
        the order of the body; the others keep theirs.
        """
        new_names = {
            attribute.former: attribute.name
            for attribute in entry.attributes
            if attribute.former is not None
        }
        merged = {new_names.get(name, name): value for name, value in attributes.items()}
        for attribute in entry.attributes:
            if attribute.action == "delete":
                merged.pop(attribute.name, None)
            else:
                merged[attribute.name] = attribute.properties
        requested_names = [
            attribute.name for attribute in entry.attributes if attribute.name in merged
        ]
        next_names = iter(dict.fromkeys(requested_names))
        moved_names = set(requested_names)
        ordered_names = [next(next_names) if name in moved_names else name for name in merged]
        return {name: merged[name] for name in ordered_names}

    def _current_model(self, entry: ModelEntry) -> Model | None:
        models: Mapping[str, Model] = (
            self._schema.components if entry.is_component else self._schema.content_types
        )
        return models.get(entry.present_uid)

    def _stored_attributes(self, entry: ModelEntry) -> Mapping[str, Any]:
        model = self._current_model(entry)
        attributes = {} if model is None else model.raw.get("attributes")
        return attributes if isinstance(attributes, Mapping) else {}

    def _current_attributes(self, entry: ModelEntry) -> Mapping[str, Any]:
        """Return the present attributes: those that are sent unchanged are not validated.

        Attributes of schema files may violate rules of the builder, which must not block other
        changes.
        """
        attributes = dict(self._stored_attributes(entry))
        if entry.is_component:
            component = self._schema.components.get(entry.present_uid)
            description = {} if component is None else describe_component(component)
        else:
            content_type = self._schema.content_types.get(entry.present_uid)
            description = {} if content_type is None else describe_content_type(content_type)
        current_attributes: Mapping[str, Any] = description.get("schema", {}).get("attributes", {})
        entries = {attribute.name: attribute for attribute in entry.attributes}
        return {
            name: current_attributes.get(name, attribute)
            if name in entries and entries[name].properties == current_attributes.get(name)
            else attribute
            for name, attribute in attributes.items()
        }

    def _check_entry(self, entry: ModelEntry) -> None:
        model = self._current_model(entry)
        message_prefix = "component" if entry.is_component else "contentType"
        if entry.action == "create" and entry.former is None:
            if model is not None:
                raise BuilderError(COMPONENT_EXISTS if entry.is_component else CONTENT_TYPE_EXISTS)
        elif model is None:
            raise BuilderError(
                COMPONENT_NOT_FOUND if entry.is_component else CONTENT_TYPE_NOT_FOUND
            )
        if entry.action == "delete":
            _reject_foreign(entry.uid)
            return
        if not _has_valid_uid(entry):
            raise BuilderError(_INVALID_UID.format(message_prefix))
        content_type = self._schema.content_types.get(entry.present_uid)
        if content_type is not None and not is_visible(content_type):
            raise BuilderError(_READ_ONLY_TYPE.format(entry.uid))
        for attribute in entry.attributes:
            target = attribute.properties.get("target")
            exists = target in self._schema.content_types or target in self._future_uids
            if isinstance(target, str) and not exists and not target.startswith("__"):
                raise BuilderError(_NO_TARGET.format(target))


def _reject_foreign(uid: str) -> None:
    if "::" in uid and not uid.startswith("api::"):
        raise BuilderError(_READ_ONLY_TYPE.format(uid))


def _has_valid_uid(entry: ModelEntry) -> bool:
    if entry.uid.startswith("plugin::"):
        return entry.action == "update" and entry.former is None
    if not entry.is_component:
        if entry.action == "update" and entry.former is None:
            return entry.uid.rpartition(".")[2] == str(entry.body["singularName"])
        return entry.uid == uid_of_type(entry.body)
    category, dot, name = entry.uid.partition(".")
    return bool(dot) and category == slug_of(entry.body["category"]) and is_kebab(name)


def _entries(data: Body, name: str, *, is_component: bool) -> Iterator[ModelEntry]:
    entries = data.get(name, [])
    if not isinstance(entries, list):
        raise BuilderError(_UNEXPECTED_TYPE.format("array", _json_type_of(data, name)))
    if len(entries) > _MAX_CHANGES:
        raise BuilderError(_TOO_BIG.format(_MAX_CHANGES))
    for entry in entries:
        yield _entry(entry, is_component=is_component)


def _entry(value: object, *, is_component: bool) -> ModelEntry:
    if not isinstance(value, Mapping) or value.get("action") not in _ACTIONS:
        raise BuilderError(INVALID)
    uid, former_uid = value.get("uid"), value.get("formerUid")
    if not isinstance(uid, str) or not isinstance(former_uid, str | None):
        raise BuilderError(INVALID)
    attributes: tuple[AttributeEntry, ...] = ()
    if value["action"] != "delete":
        _check_head(value, is_component=is_component)
        items = value.get("attributes")
        if not isinstance(items, list):
            raise BuilderError(INVALID)
        if len(items) > MAX_ATTRIBUTES:
            raise BuilderError(_TOO_BIG.format(MAX_ATTRIBUTES))
        attributes = tuple(_attribute(item) for item in items)
    return ModelEntry(
        action=value["action"],
        uid=uid,
        is_component=is_component,
        body=value,
        attributes=attributes,
        former=None if former_uid == uid else former_uid,
    )


def _check_head(body: Body, *, is_component: bool) -> None:
    names = ("displayName", "category") if is_component else (
        "displayName", "singularName", "pluralName",
    )  # fmt: skip
    for name in names:
        if not isinstance(body.get(name), str):
            raise BuilderError(INVALID)
        if not body[name]:
            raise BuilderError(_TOO_SMALL.format("string", "characters"))
    for name in ("description", "icon", "collectionName"):
        if not isinstance(body.get(name), str | None):
            raise BuilderError(INVALID)
    for name in ("options", "pluginOptions"):
        if not isinstance(body.get(name), Mapping | None):
            raise BuilderError(INVALID)
    if not is_component:
        _check_type_head(body)


def _check_type_head(body: Body) -> None:
    if body.get("kind") not in KINDS or not isinstance(body.get("draftAndPublish"), bool):
        raise BuilderError(INVALID)
    singular, plural = body["singularName"], body["pluralName"]
    if not is_kebab(singular) or not is_kebab(plural):
        raise BuilderError(_NOT_KEBAB)
    if is_reserved_model(singular) or is_reserved_model(plural):
        raise BuilderError(_RESERVED_MODEL)
    if singular == plural:
        raise BuilderError(_SAME_NAMES)


def _attribute(value: object) -> AttributeEntry:
    if not isinstance(value, Mapping) or value.get("action") not in _ACTIONS:
        raise BuilderError(INVALID)
    name, former_name = value.get("name"), value.get("formerName")
    if not isinstance(name, str) or not isinstance(former_name, str | None):
        raise BuilderError(INVALID)
    properties: Attribute = {}
    if value["action"] != "delete":
        if not NAME.fullmatch(name):
            raise BuilderError(_BAD_NAME)
        if is_reserved(name):
            raise BuilderError(_RESERVED_NAME)
        properties_value = value.get("properties")
        if not isinstance(properties_value, Mapping):
            raise BuilderError(INVALID)
        properties = properties_value
    return AttributeEntry(
        action=value["action"],
        name=name,
        properties=properties,
        former=None if former_name == name else former_name,
    )


def _json_type_of(body: object, name: str) -> str:
    """Return the kind of a member in messages."""
    if not isinstance(body, Mapping) or name not in body:
        return "undefined"
    value = body[name]
    return "null" if value is None else _JSON_TYPES.get(type(value), "object")
