"""Requested definitions of content types and components.

Attributes are as the builder describes them: of a relation ``targetAttribute`` names the attribute
on the other side, ``null`` for none.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

Wanted = Mapping[str, Any]
"""An attribute as the builder describes it."""

SELF = "__self__"
"""Stands for the type itself where a relation says what it leads to."""


class ComponentDefinition(Struct, frozen=True, kw_only=True):
    """A component as it is to be.

    ``attributes`` are all that it is to have. ``former_names`` maps later names of attributes to
    what they are called now. What is not set stays as it is.
    """

    category: str
    display_name: str
    attributes: Mapping[str, Wanted]
    icon: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    options: Mapping[str, Any] | UnsetType = UNSET
    plugin_options: Mapping[str, Any] | UnsetType = UNSET
    former_names: Mapping[str, str] = field(default_factory=dict)


class TypeDefinition(Struct, frozen=True, kw_only=True):
    """A content type as it is to be; see `ComponentDefinition`."""

    display_name: str
    singular_name: str
    plural_name: str
    attributes: Mapping[str, Wanted]
    kind: str | UnsetType = UNSET
    draft_and_publish: bool | UnsetType = UNSET
    collection_name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    options: Mapping[str, Any] | UnsetType = UNSET
    plugin_options: Mapping[str, Any] | UnsetType = UNSET
    former_names: Mapping[str, str] = field(default_factory=dict)


class DefinitionProblem(Struct, frozen=True):
    """Something of a wish that cannot be: of which model, at which path of its attributes."""

    uid: str
    path: Sequence[str]
    message: str
