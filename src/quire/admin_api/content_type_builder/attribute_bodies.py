"""Validates the options of attributes in request bodies of the builder.

Each attribute type has a table of its options with their JSON types; other options are accepted, as
in Strapi. These checks give errors in Strapi's format. Whether the schema as a whole is consistent
is checked when it is loaded from the changed files.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.content_api.validators import ValuePath, problem_at
from quire.document_service.validate.problems import Problem, path_of
from quire.javascript.text import length
from quire.schema.attributes.validation import not_of_type
from quire.schema.describe import in_order, relations_allowed
from quire.schema.model import Schema, TypeKind
from quire.schema.name_words import snake_case
from quire.schema.system_attributes import RESERVED_IN_BUILDER

RESERVED_ATTRIBUTES = (
    "id", "document_id", "created_at", "updated_at", "published_at", "created_by_id",
    "updated_by_id", "created_by", "updated_by", "entry_id", "localizations", "meta", "locale",
    "__component", "__contentType", "strapi*", "_strapi*", "__strapi*", "status",
)  # fmt: skip
"""Reserved names of attributes, in the order in which they are reported; a star is a wildcard."""

COMPONENT_TYPES = (
    "media", "string", "text", "richtext", "blocks", "json", "enumeration", "password", "email",
    "integer", "biginteger", "float", "decimal", "date", "time", "datetime", "timestamp",
    "boolean", "relation", "component", "customField",
)  # fmt: skip
TYPES = (*COMPONENT_TYPES[:19], "uid", "component", "dynamiczone", "customField")
RELATIONS = (
    "oneToOne", "oneToMany", "manyToOne", "manyToMany",
    "morphOne", "morphMany", "morphToOne", "morphToMany",
)  # fmt: skip
SINGLE_TYPE_RELATIONS = tuple(name for name in RELATIONS if not name.startswith("manyTo"))
UNIDIRECTIONAL = ("oneToOne", "oneToMany")
NAME = re.compile(r"[A-Za-z][_0-9A-Za-z]*")
NAME_PATTERN = "/^[A-Za-z][_0-9A-Za-z]*$/"
_UID = re.compile(r"[A-Za-z0-9-_.~]*")
_MEDIA_KINDS = ("images", "videos", "files", "audios")
_TARGET_PLACEHOLDERS = ("__self__", "__contentType__")
_STATUS = "status"
_MAX_LENGTH = 10_000

Attribute = Mapping[str, Any]
Check = Callable[[ValuePath, Attribute], Iterator[Problem]]


class AttributeBodies(Struct, frozen=True, kw_only=True):
    """Validates the attributes of one content type or component.

    ``current_attributes`` are the descriptions of its present attributes: unchanged ones are not
    validated. ``more_targets`` are types that relations may lead to besides the present collection
    types.
    """

    schema: Schema
    component: bool
    single_type: bool = False
    current_attributes: Mapping[str, Attribute] = {}
    more_targets: tuple[str, ...] = ()

    def problems(self, path: ValuePath, attributes: Mapping[str, object]) -> Iterator[Problem]:
        """Yield all problems of the attributes."""
        for name, attribute in attributes.items():
            attribute_path = (*path, name)
            if is_reserved(name):
                reserved_names = ", ".join(RESERVED_ATTRIBUTES)
                message = f"Attribute keys cannot be one of {reserved_names}"
                yield Problem(path_of(attribute_path), message, attribute)
            elif not NAME.fullmatch(name):
                message = f"Attribute name '{name}' must match the following regex: {NAME_PATTERN}"
                yield Problem(path_of(attribute_path), message, attribute)
            elif name not in self.current_attributes or attribute != self.current_attributes[name]:
                yield from self._check_attribute(attribute_path, attribute, attributes)

    def _check_attribute(
        self, path: ValuePath, attribute: object, siblings: Mapping[str, object]
    ) -> Iterator[Problem]:
        if not isinstance(attribute, Mapping):
            yield problem_at(path, not_of_type("object", attribute), attribute)
            return
        if "type" not in attribute:
            message = "Attribute must have either a type or a target"
            yield Problem(path_of(path), message, attribute)
            return
        type_name, types = attribute["type"], COMPONENT_TYPES if self.component else TYPES
        if type_name not in types:
            yield _invalid_choice((*path, "type"), type_name, types)
            return
        for option, json_type in {**_SHARED_OPTIONS, **_OPTIONS.get(type_name, {})}.items():
            value = attribute.get(option)
            if value is not None and not _has_type(json_type, value):
                yield problem_at((*path, option), not_of_type(json_type, value), value)
        for check in (_check_columns, *_CHECKS.get(type_name, ())):
            yield from check(path, attribute)
        if type_name == "relation":
            yield from self._check_relation(path, attribute)
        elif type_name == "uid":
            yield from _check_target_field(path, attribute, siblings)

    def _check_relation(self, path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
        relation, target = attribute.get("relation"), attribute.get("target")
        relation_types = self._relations_to(target)
        if relation not in relation_types:
            message = f"must be one of the following values: {', '.join(relation_types)}"
            yield Problem(path_of((*path, "relation")), message, relation)
            return
        if str(relation).startswith("morphTo"):
            return
        if target is None:
            yield problem_at((*path, "target"), "is a required field")
            return
        uids = [*linkable(self.schema), *self.more_targets, *_TARGET_PLACEHOLDERS]
        if target not in uids:
            yield _invalid_choice((*path, "target"), target, uids)

    def _relations_to(self, target: object) -> Sequence[str]:
        if self._allows_unidirectional_only(target):
            return UNIDIRECTIONAL
        return SINGLE_TYPE_RELATIONS if self.single_type else RELATIONS

    def _allows_unidirectional_only(self, target: object) -> bool:
        """Tell whether only unidirectional relations to a type are allowed."""
        if self.component:
            return True
        content_type = self.schema.content_types.get(target) if isinstance(target, str) else None
        return content_type is not None and relations_allowed(content_type) is not None


def is_reserved(name: str) -> bool:
    """Tell whether an attribute name is reserved."""
    snake_name = snake_case(name)
    return (
        snake_name in RESERVED_IN_BUILDER
        or snake_name == _STATUS
        or snake_name.startswith("strapi")
    )


def linkable(schema: Schema) -> list[str]:
    """Return the uids of the possible targets of a relation, in the order of lists."""
    return [
        content_type.uid
        for content_type in in_order(schema)
        if content_type.kind is TypeKind.COLLECTION
    ]


def _invalid_choice(path: ValuePath, value: object, choices: Sequence[object]) -> Problem:
    choices_text = ", ".join(str(choice) for choice in choices)
    return problem_at(path, f"must be one of the following values: {choices_text}", value)


def _has_type(json_type: str, value: object) -> bool:
    match json_type:
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case _:
            return isinstance(value, Mapping)


_SHARED_OPTIONS = {"required": "boolean", "private": "boolean", "pluginOptions": "object"}
_LENGTHS = {"minLength": "number", "maxLength": "number", "unique": "boolean"}
_TEXT = {**_LENGTHS, "default": "string"}
_NUMBER = {"min": "number", "max": "number", "default": "number", "unique": "boolean"}
_DATE_OPTIONS = {"default": "string", "unique": "boolean"}
_COUNT_OPTIONS = {"min": "number", "max": "number"}
_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "string": {**_TEXT, "regex": "string"},
    "text": {**_TEXT, "regex": "string"},
    "richtext": _TEXT,
    "email": _TEXT,
    "password": _LENGTHS,
    "enumeration": {"enum": "array", "enumName": "string"},
    "integer": _NUMBER,
    "float": _NUMBER,
    "decimal": _NUMBER,
    "biginteger": {"unique": "boolean"},
    "date": _DATE_OPTIONS,
    "time": _DATE_OPTIONS,
    "datetime": _DATE_OPTIONS,
    "timestamp": _DATE_OPTIONS,
    "boolean": {"default": "boolean"},
    "media": {"multiple": "boolean", "allowedTypes": "array"},
    "uid": {"targetField": "string", "default": "string", "regex": "string", "options": "object"},
    "component": {"component": "string", "repeatable": "boolean", **_COUNT_OPTIONS},
    "dynamiczone": {"components": "array", **_COUNT_OPTIONS},
    "relation": {"targetAttribute": "string"},
}


def _check_columns(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    """Check column names, which become part of SQL statements."""
    name, column = attribute.get("columnName"), attribute.get("column")
    if name is not None and not (isinstance(name, str) and NAME.fullmatch(name)):
        message = f"must match the following regex: {NAME_PATTERN}"
        yield problem_at((*path, "columnName"), message, name)
    if column is None:
        return
    if not isinstance(column, Mapping):
        yield problem_at((*path, "column"), not_of_type("object", column), column)
        return
    for option, value in column.items():
        if isinstance(value, list | Mapping) and not _are_numbers(value):
            yield problem_at((*path, "column", str(option)), "must be a single value", value)


def _are_numbers(value: object) -> bool:
    return isinstance(value, list) and all(_has_type("number", item) for item in value)


def _check_lengths(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    yield from _check_bounds(path, attribute, "minLength", "maxLength")


def _check_limits(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    yield from _check_bounds(path, attribute, "min", "max")


def _check_bounds(path: ValuePath, attribute: Attribute, low: str, high: str) -> Iterator[Problem]:
    minimum, maximum = attribute.get(low), attribute.get(high)
    if (
        _has_type("number", minimum)
        and _has_type("number", maximum)
        and float(str(maximum)) < float(str(minimum))
    ):
        message = f"{high} must be greater or equal to {low}"
        yield Problem(path_of((*path, high)), message, maximum)


def _check_choices(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    choices = attribute.get("enum")
    enum_path = (*path, "enum")
    if choices is None:
        yield problem_at(enum_path, "is a required field")
    if not isinstance(choices, list):
        return
    if not choices:
        yield problem_at(enum_path, "field must have at least 1 items", choices)
    for index, choice in enumerate(choices):
        if not isinstance(choice, str):
            yield problem_at((*enum_path, index), not_of_type("string", choice), choice)
        elif choice == "":
            yield problem_at((*enum_path, index), "is a required field", choice)
        elif choice[0].isdigit():
            yield problem_at((*enum_path, index), "should not start with number", choice)
    texts = [choice for choice in choices if isinstance(choice, str)]
    if len(set(texts)) != len(texts):
        yield problem_at(enum_path, "cannot contain duplicate values", choices)
    default = attribute.get("default")
    if default is not None and default not in choices:
        yield _invalid_choice((*path, "default"), default, choices)


def _check_media_kinds(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    kinds = attribute.get("allowedTypes")
    for index, kind in enumerate(kinds if isinstance(kinds, list) else ()):
        if kind not in _MEDIA_KINDS:
            yield _invalid_choice((*path, "allowedTypes", index), kind, _MEDIA_KINDS)


def _check_component(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    if attribute.get("component") is None:
        yield problem_at((*path, "component"), "is a required field")


def _check_dynamic_zone(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    components = attribute.get("components")
    if components is None:
        yield problem_at((*path, "components"), "is a required field")
    elif components == []:
        yield problem_at((*path, "components"), "field must have at least 1 items", components)
    for index, component in enumerate(components if isinstance(components, list) else ()):
        if not isinstance(component, str):
            yield problem_at(
                (*path, "components", index), not_of_type("string", component), component
            )


def _check_uid_default(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    default = attribute.get("default")
    if not isinstance(default, str) or not default:
        return
    default_path = (*path, "default")
    if attribute.get("targetField"):
        message = "cannot define a default UID if the targetField is set"
        yield Problem(path_of(default_path), message, default)
    if not attribute.get("regex") and not _UID.fullmatch(default):
        message = 'must match the custom regex or the default one "/^[A-Za-z0-9-_.~]*$/"'
        yield problem_at(default_path, message, default)


def _check_target_field(
    path: ValuePath, attribute: Attribute, siblings: Mapping[str, object]
) -> Iterator[Problem]:
    target = attribute.get("targetField")
    if not isinstance(target, str):
        return
    texts = [
        name
        for name, sibling in siblings.items()
        if isinstance(sibling, Mapping) and sibling.get("type") in {"string", "text"}
    ]
    if target not in texts:
        yield _invalid_choice((*path, "targetField"), target, texts)


def _check_text_lengths(path: ValuePath, attribute: Attribute) -> Iterator[Problem]:
    """Limit the length of texts in schema files and in responses about the model."""
    for option, value in attribute.items():
        if isinstance(value, str) and length(value) > _MAX_LENGTH:
            yield problem_at((*path, option), f"must be at most {_MAX_LENGTH} characters")


_CHECKS: Mapping[str, tuple[Check, ...]] = {
    "string": (_check_lengths, _check_text_lengths),
    "text": (_check_lengths, _check_text_lengths),
    "richtext": (_check_lengths, _check_text_lengths),
    "email": (_check_lengths, _check_text_lengths),
    "password": (_check_lengths,),
    "enumeration": (_check_choices,),
    "media": (_check_media_kinds,),
    "component": (_check_component, _check_limits),
    "dynamiczone": (_check_dynamic_zone, _check_limits),
    "uid": (_check_uid_default, _check_text_lengths),
}
