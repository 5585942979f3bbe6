"""Requested definitions of content types and components.

Attributes have the form of the content-type builder: ``targetAttribute`` of a relation names the
attribute on the other side, ``null`` for none.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType, field

from quire.schema.slugs import slug_of
from quire.schema.source_files import EXTENSION

_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_SIBILANT_ENDING = re.compile(r"(s|x|z|ch|sh)$")

AttributeDefinition = Mapping[str, Any]
"""An attribute in the form of the content-type builder."""

SELF = "__self__"
"""Stands for the new type itself as the target of a relation."""


def component_uid(category: str, display_name: str) -> str:
    """Return the uid of a new component."""
    return f"{slug_of(category)}.{slug_of(display_name)}"


def collection_name(plural_name: str) -> str:
    """Return the table of a new content type."""
    return _table_name(plural_name)


def component_collection_name(uid: str) -> str:
    """Return the table of a new component."""
    category, _, name = uid.partition(".")
    return f"components_{_table_name(category)}_{_plural(_table_name(name))}"


def file_of(uid: str) -> str:
    """Return the path of the schema file of a model, from the project's folder."""
    if uid.startswith(EXTENSION):
        plugin, _, name = uid.removeprefix(f"{EXTENSION}plugin::").partition(".")
        return f"src/extensions/{plugin}/content-types/{name}/schema.json"
    if "::" in uid:
        api, _, name = uid.partition("::")[2].partition(".")
        return f"src/api/{api}/content-types/{name}/schema.json"
    category, _, name = uid.partition(".")
    return f"src/components/{category}/{name}.json"


def _table_name(name: str) -> str:
    return slug_of(name).replace("-", "_")


def _plural(name: str) -> str:
    if _CONSONANT_Y.search(name):
        return f"{name[:-1]}ies"
    return f"{name}es" if _SIBILANT_ENDING.search(name) else f"{name}s"


class ComponentDefinition(Struct, frozen=True, kw_only=True):
    """The requested definition of a component.

    ``attributes`` are all of its attributes. ``former_names`` maps later names of attributes to the
    present ones. Unset fields are unchanged.
    """

    category: str
    display_name: str
    attributes: Mapping[str, AttributeDefinition]
    icon: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    options: Mapping[str, Any] | UnsetType = UNSET
    plugin_options: Mapping[str, Any] | UnsetType = UNSET
    former_names: Mapping[str, str] = field(default_factory=dict)


class TypeDefinition(Struct, frozen=True, kw_only=True):
    """The requested definition of a content type; see `ComponentDefinition`."""

    display_name: str
    singular_name: str
    plural_name: str
    attributes: Mapping[str, AttributeDefinition]
    kind: str | UnsetType = UNSET
    draft_and_publish: bool | UnsetType = UNSET
    collection_name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    options: Mapping[str, Any] | UnsetType = UNSET
    plugin_options: Mapping[str, Any] | UnsetType = UNSET
    former_names: Mapping[str, str] = field(default_factory=dict)


class DefinitionProblem(Struct, frozen=True):
    """A problem of a definition: the model, and the path in its attributes."""

    uid: str
    path: Sequence[str]
    message: str
