"""The schema as frozen values.

A request keeps the `Schema` it started with; a change of the model creates a new one with another
`Schema.version`.
"""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any

from msgspec import Struct, field

from quire.errors import SchemaProblem
from quire.hooks.computed import ComputedFields
from quire.hooks.operators import CustomOperator
from quire.schema.attribute_conditions import Condition, condition_of
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    RelationAttribute,
    ScalarAttribute,
    StorageKind,
)
from quire.schema.attributes.validation import ValueRules
from quire.schema.custom_fields import CustomField

AUTOMATIC_NAMES = frozenset(
    {
        "id",
        "documentId",
        "createdAt",
        "updatedAt",
        "publishedAt",
        "createdBy",
        "updatedBy",
        "locale",
        "localizations",
    }
)
"""Names of attributes whose values the server sets, whatever a payload contains."""

DRAFT_STATUS = "draft"
PUBLISHED_STATUS = "published"

FILE_UID = "plugin::upload.file"
USER_UID = "plugin::users-permissions.user"
ROLE_UID = "plugin::users-permissions.role"
PERMISSION_UID = "plugin::users-permissions.permission"
LOCALE_UID = "plugin::i18n.locale"
ADMIN_USER_UID = "admin::user"


class TypeKind(StrEnum):
    """Whether a content type has many documents or exactly one."""

    COLLECTION = "collectionType"
    SINGLE = "singleType"


class Model(Struct, frozen=True, kw_only=True, dict=True):
    """What content types and components share: a uid, a table and attributes in file order."""

    uid: str
    collection_name: str
    singular_name: str
    display_name: str
    attributes: Mapping[str, Attribute]
    """All attributes by name, including those that the server adds, in the order of columns."""
    file: str = ""
    raw: Mapping[str, object] = field(default_factory=dict)
    """The schema file as it was read, for options that only some packages need."""

    @cached_property
    def scalars(self) -> tuple[ScalarAttribute, ...]:
        """Attributes with their own column, in order."""
        return tuple(
            attribute
            for attribute in self.attributes.values()
            if isinstance(attribute, ScalarAttribute)
        )

    @cached_property
    def relations(self) -> tuple[RelationAttribute, ...]:
        """Relations that have storage, in order."""
        return tuple(
            attribute
            for attribute in self.attributes.values()
            if isinstance(attribute, RelationAttribute)
        )

    @cached_property
    def own_attributes(self) -> tuple[Attribute, ...]:
        """Attributes whose values clients set, in order: without those that the server adds."""
        return tuple(
            attribute
            for attribute in self.attributes.values()
            if attribute.name not in AUTOMATIC_NAMES
        )

    @cached_property
    def expected(self) -> frozenset[str]:
        """Names of own attributes that a new entry has values for even when none are given."""
        return frozenset(
            attribute.name
            for attribute in self.own_attributes
            if attribute.required
            or attribute.default is not None
            or (
                isinstance(attribute, ComponentAttribute | DynamicZoneAttribute)
                and attribute.to_many
            )
        )

    @cached_property
    def unique_names(self) -> frozenset[str]:
        """Names of attributes with unique values; JSON is never compared."""
        unique = (
            attribute for attribute in self.scalars if attribute.unique or attribute.type.unique
        )
        return frozenset(
            attribute.name for attribute in unique if attribute.storage is not StorageKind.JSON
        )

    @cached_property
    def writable_names(self) -> frozenset[str]:
        """Names of the attributes that code may set."""
        return frozenset(
            name
            for name, attribute in self.attributes.items()
            if attribute.writable and name not in AUTOMATIC_NAMES
        )

    @cached_property
    def password_names(self) -> frozenset[str]:
        """Names of passwords, and of components, which may contain passwords."""
        return frozenset(
            name
            for name, attribute in self.attributes.items()
            if isinstance(attribute, ComponentAttribute | DynamicZoneAttribute)
            or (isinstance(attribute, ScalarAttribute) and attribute.secret)
        )

    @cached_property
    def acceptances(self) -> Mapping[str, ValueRules]:
        """The functions that parse and check written values, by attribute with a column."""
        return {attribute.name: attribute.type.accept(attribute) for attribute in self.scalars}

    @cached_property
    def presented(self) -> Mapping[str, Callable[[Any], Any]]:
        """Functions that convert values to their shown form, by name, for types that have one."""
        return {
            attribute.name: attribute.type.present
            for attribute in self.scalars
            if attribute.type.present is not None
        }

    @cached_property
    def conditions(self) -> Mapping[str, Condition]:
        """The conditions of attributes, by name; those without one are always part of an entry."""
        conditions = (
            (attribute.name, condition_of(attribute.raw)) for attribute in self.attributes.values()
        )
        return {name: condition for name, condition in conditions if condition is not None}


class Index(Struct, frozen=True, kw_only=True, dict=True):
    """A database index of a schema file, over physical columns."""

    name: str
    columns: tuple[str, ...]
    unique: bool


class ContentType(Model, frozen=True, kw_only=True, dict=True):
    """A type of document with its own endpoints."""

    kind: TypeKind
    plural_name: str
    draft_and_publish: bool
    localized: bool
    populate_creator_fields: bool
    plugin: str | None = None
    """The plugin of a built-in type (``upload``); ``None`` for a project's own types."""
    indexes: tuple[Index, ...] = ()

    @property
    def is_api(self) -> bool:
        """Whether the type gets endpoints of the content API automatically."""
        return self.uid.startswith("api::")

    @property
    def route_name(self) -> str:
        """The path segment under the API's prefix."""
        return self.singular_name if self.kind is TypeKind.SINGLE else self.plural_name


class Component(Model, frozen=True, kw_only=True, dict=True):
    """A group of attributes that content types and other components use."""

    category: str


class Schema(Struct, frozen=True, kw_only=True, dict=True):
    """All content types and components of a project.

    ``version`` is a digest of everything that was loaded: equal trees have equal versions.
    """

    content_types: Mapping[str, ContentType]
    components: Mapping[str, Component]
    version: str
    operators: Mapping[str, CustomOperator] = {}
    """The filter operators of the project's code, by name."""
    computed: ComputedFields = {}
    """The computed fields of the project's code, by content type and name."""
    custom_fields: tuple[CustomField, ...] = ()
    """The custom fields of all models, with the type that each is stored as."""
    notices: tuple[SchemaProblem, ...] = ()
    """Definitions in the files that have no effect, as in Strapi."""

    def model(self, uid: str) -> Model:
        """Return the content type or component of a uid. Raises KeyError when there is none."""
        model = self.content_types.get(uid) or self.components.get(uid)
        if model is None:
            raise KeyError(uid)
        return model

    def models(self) -> Iterator[Model]:
        """Iterate over all content types, then all components."""
        yield from self.content_types.values()
        yield from self.components.values()

    @cached_property
    def api_types(self) -> tuple[ContentType, ...]:
        """The project's own content types."""
        return tuple(
            content_type for content_type in self.content_types.values() if content_type.is_api
        )
