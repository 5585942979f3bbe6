"""Validates content types, components and categories in request bodies of the builder."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from quire.admin_api.content_type_builder.attribute_bodies import Attribute, AttributeBodies
from quire.admin_api.response_types import FreeObject
from quire.content_api.body_decoding import RequestBody
from quire.content_api.validators import (
    Fields,
    Flag,
    FullMessage,
    MinLength,
    OneOf,
    Rule,
    Text,
    Validator,
    ValuePath,
    problem_at,
    required,
)
from quire.document_service.validate.problems import Problem, path_of
from quire.schema.attributes.validation import ABSENT
from quire.schema.model import ContentType, Schema, TypeKind
from quire.schema.name_words import snake_case

RESERVED_MODELS = (
    "boolean", "date", "date_time", "time", "upload", "document", "then",
    "strapi*", "_strapi*", "__strapi*",
)  # fmt: skip
"""Reserved names of content types, in the order in which they are reported.

A star is a wildcard.
"""

KINDS = ("singleType", "collectionType")
_NAMES_EQUAL = "contentType: singularName and pluralName should be different"
_NAME_IN_USE = "contentType: name `{}` is already being used by another content type."
_NAME_RESERVED = FullMessage(f"Content Type name cannot be one of {', '.join(RESERVED_MODELS)}")
_NOT_KEBAB = "is not in kebab case (an-example-of-kebab-case)"
_TABLE_PATTERN = "must match the following regex: /^[A-Za-z][-_0-9A-Za-z]*$/"
_CATEGORY_PATTERN = (
    "must start with a letter and only contain letters, numbers, dashes and underscores"
)
_KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_TABLE = re.compile(r"[A-Za-z][-_0-9A-Za-z]*")
MAX_ATTRIBUTES = 1000


class CheckedText(Struct, frozen=True):
    """A text with rules; all violations are reported."""

    rules: tuple[Rule, ...]
    nullable: bool = False

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if self.nullable and (value is None or value is ABSENT):
            return
        type_problems = list(Text().problems(path, value))
        yield from type_problems
        for rule in () if type_problems else self.rules:
            if (message := rule(value)) is not None:
                yield problem_at(path, message, value)


class Attributes(Struct, frozen=True):
    """The attributes of a model by name."""

    forms: AttributeBodies

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is ABSENT or value is None:
            yield Problem(path_of(path), "attributes.required", value)
        elif isinstance(value, Mapping) and len(value) <= MAX_ATTRIBUTES:
            yield from self.forms.problems(path, value)
        else:
            yield from Fields(closed=False, rules=(_limit_members,)).problems(path, value)


class AnyObject(Struct, frozen=True):
    """An object with any content."""

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is not None:
            yield from Fields(closed=False).problems(path, value)


class ContentTypeValidator(Struct, frozen=True, kw_only=True):
    """A content type: a new one, or the changed ``current_type`` one.

    ``current_attributes`` are its present attributes, in the form of the builder.
    """

    schema: Schema
    current_attributes: Mapping[str, Attribute]
    current_type: ContentType | None = None

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        kind = value.get("kind") if isinstance(value, Mapping) else None
        validator = Fields(closed=False, fields=self._fields(kind))
        yield from validator.problems(path, value)
        if isinstance(value, Mapping) and value.get("singularName") == value.get("pluralName"):
            yield Problem(path_of(path), _NAMES_EQUAL, value)

    def _fields(self, kind: object) -> dict[str, Validator]:
        forms = AttributeBodies(
            schema=self.schema,
            component=False,
            single_type=kind == TypeKind.SINGLE.value,
            current_attributes=self.current_attributes,
        )
        other_types = [
            content_type
            for content_type in self.schema.content_types.values()
            if content_type is not self.current_type
        ]
        names = {
            name
            for content_type in other_types
            for name in (content_type.singular_name, content_type.plural_name)
        }
        tables = {content_type.collection_name for content_type in other_types}
        if self.current_type is not None:
            current_names = {self.current_type.singular_name, self.current_type.plural_name}
            names, tables = names - current_names, tables - current_names
        name_rules: tuple[Rule, ...] = (
            _require_kebab_case,
            _check_reserved,
            required,
        )
        return {
            "attributes": Attributes(forms),
            "displayName": CheckedText((MinLength(1), required)),
            "description": CheckedText((), nullable=True),
            "options": AnyObject(),
            "pluginOptions": AnyObject(),
            "kind": CheckedText((OneOf((*KINDS,)),), nullable=True),
            "collectionName": CheckedText((_table_name,), nullable=True),
            "singularName": CheckedText(
                (MinLength(1), _require_unused(names), *name_rules, self._check_unchanged),
            ),
            "pluralName": CheckedText(
                (
                    MinLength(1),
                    _require_unused(names),
                    _require_unused(tables),
                    *name_rules,
                )
            ),
            "draftAndPublish": Flag(),
        }

    def _check_unchanged(self, value: object) -> str | None:
        """Require the name that the uid is derived from; another one is another type."""
        if self.current_type is None or value == self.current_type.singular_name:
            return None
        return "cannot be changed"


class ComponentValidator(Struct, frozen=True, kw_only=True):
    """A component: a new or a changed one; see `ContentTypeValidator`."""

    schema: Schema
    current_attributes: Mapping[str, Attribute]

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        forms = AttributeBodies(
            schema=self.schema, component=True, current_attributes=self.current_attributes
        )
        validator = Fields(
            closed=False,
            rules=(required,),
            fields={
                "attributes": Attributes(forms),
                "displayName": CheckedText((MinLength(1), _require_value("displayName.required"))),
                "description": CheckedText((), nullable=True),
                "icon": CheckedText((), nullable=True),
                "options": AnyObject(),
                "pluginOptions": AnyObject(),
                "category": CheckedText((_require_value("category.required"), _category)),
            },
        )
        yield from validator.problems(path, value)


def _require_value(message: str) -> Rule:
    return lambda value: None if required(value) is None else FullMessage(message)


def _require_unused(names: Collection[str]) -> Rule:
    return lambda value: FullMessage(_NAME_IN_USE.format(value)) if value in names else None


def _limit_members(value: object) -> str | None:
    too_many = isinstance(value, Mapping) and len(value) > MAX_ATTRIBUTES
    return f"field must have at most {MAX_ATTRIBUTES} members" if too_many else None


def _require_kebab_case(value: object) -> str | None:
    return None if _is_empty(value) or is_kebab(str(value)) else _NOT_KEBAB


def _check_reserved(value: object) -> str | None:
    return _NAME_RESERVED if not _is_empty(value) and is_reserved_model(str(value)) else None


def _table_name(value: object) -> str | None:
    return None if _is_empty(value) or _TABLE.fullmatch(str(value)) else _TABLE_PATTERN


def _category(value: object) -> str | None:
    return None if _is_empty(value) or _TABLE.fullmatch(str(value)) else _CATEGORY_PATTERN


def _is_empty(value: object) -> bool:
    return value is ABSENT or value == ""


class CategoryName(RequestBody, forbid_unknown_fields=False):
    """The new name of a category of components."""

    name: Annotated[
        str,
        CheckedText((MinLength(3), _require_value("name.required"), _category)),
    ]


class ContentTypeFields(RequestBody, forbid_unknown_fields=False, kw_only=True):
    """The requested definition of a content type."""

    display_name: str
    singular_name: str
    plural_name: str
    kind: Literal["collectionType", "singleType"] | UnsetType = UNSET
    draft_and_publish: bool | UnsetType = UNSET
    collection_name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    options: FreeObject | UnsetType = UNSET
    plugin_options: FreeObject | UnsetType = UNSET
    attributes: dict[str, FreeObject]


class ContentTypeRequest(RequestBody, forbid_unknown_fields=False):
    """A content type, and the components that the request creates with it."""

    content_type: ContentTypeFields
    components: list[FreeObject] | UnsetType = UNSET


class ComponentFields(RequestBody, forbid_unknown_fields=False, kw_only=True):
    """The requested definition of a component."""

    category: str
    display_name: str
    icon: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    attributes: dict[str, FreeObject]


class ComponentRequest(RequestBody, forbid_unknown_fields=False):
    """A component, and those that the request creates with it."""

    component: ComponentFields
    components: list[FreeObject] | UnsetType = UNSET


class SchemaChanges(RequestBody, forbid_unknown_fields=False):
    """Content types and components, each with its action."""

    content_types: list[FreeObject] | UnsetType = UNSET
    components: list[FreeObject] | UnsetType = UNSET


class SchemaRequest(RequestBody, forbid_unknown_fields=False):
    """Several changes of the model at once."""

    data: SchemaChanges


class ConsentQuery(Struct, rename="camel"):
    """The consent to a change."""

    may_lose: (
        Annotated[
            bool,
            Meta(description="Whether rows and values may be taken away; they are archived."),
        ]
        | UnsetType
    ) = UNSET
    plan: (
        Annotated[
            str,
            Meta(description="The digest of a plan: nothing else is done than what it tells."),
        ]
        | UnsetType
    ) = UNSET


class ModelUid(Struct):
    """The uid of a content type or a component."""

    uid: str


class SchemaStatus(Struct, rename="camel"):
    """Whether the model is being changed."""

    is_updating: bool


def is_reserved_model(name: str) -> bool:
    """Tell whether a name of a content type is reserved."""
    snake_name = snake_case(name)
    return snake_name in RESERVED_MODELS or snake_name.startswith("strapi")


def is_kebab(name: str) -> bool:
    """Tell whether a name is in kebab case."""
    return _KEBAB.fullmatch(name) is not None
