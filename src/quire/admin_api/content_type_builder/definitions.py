"""Converts valid request bodies to definitions (`quire.builder.definitions`)."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, UnsetType

from quire.builder.definitions import ComponentDefinition, TypeDefinition, component_uid
from quire.schema.slugs import slug_of

Body = Mapping[str, Any]
_TOP_LEVEL_OPTIONS = frozenset({"draftAndPublish"})


def type_definition(
    body: Body, attributes: Mapping[str, Any], former: Mapping[str, str]
) -> TypeDefinition:
    """Return the definition of a content type in a body.

    ``former`` maps later names of attributes to present ones.
    """
    return TypeDefinition(
        display_name=body["displayName"],
        singular_name=body["singularName"],
        plural_name=body["pluralName"],
        attributes=attributes,
        kind=_option(body, "kind"),
        draft_and_publish=_option(body, "draftAndPublish"),
        collection_name=_option(body, "collectionName"),
        description=_option(body, "description"),
        options=_options(body),
        plugin_options=_option(body, "pluginOptions"),
        former_names=former,
    )


def component_definition(
    body: Body, attributes: Mapping[str, Any], former: Mapping[str, str]
) -> ComponentDefinition:
    """Return the definition of a component in a body; see `type_definition`."""
    return ComponentDefinition(
        category=slug_of(body["category"]),
        display_name=body["displayName"],
        attributes=attributes,
        icon=_option(body, "icon"),
        description=_option(body, "description"),
        options=_options(body),
        plugin_options=_option(body, "pluginOptions"),
        former_names=former,
    )


def uid_of_component(body: Body) -> str:
    """Return the uid of a new component in a body."""
    return component_uid(body["category"], body["displayName"])


def uid_of_type(body: Body) -> str:
    """Return the uid of a new content type in a body."""
    name = body["singularName"]
    return f"api::{name}.{name}"


def resolve_names(attributes: Body, uids: Mapping[str, str]) -> dict[str, Any]:
    """Return attributes in which placeholders are replaced by uids."""
    return {name: _resolve_attribute(attribute, uids) for name, attribute in attributes.items()}


def component_uids(attributes: Body) -> set[str]:
    """Return the uids of all components of attributes."""
    uids: set[str] = set()
    for attribute in attributes.values():
        if attribute.get("type") == "component":
            uids.add(attribute["component"])
        elif attribute.get("type") == "dynamiczone":
            uids |= set(attribute["components"])
    return uids


def former_names(body: Body) -> dict[str, str]:
    """Return the present names of renamed attributes in a body.

    This is Quire's own: ``{"attributes": {"headline": {…, "formerName": "title"}}}``.
    """
    current_names = {
        name: attribute["formerName"]
        for name, attribute in body["attributes"].items()
        if isinstance(attribute.get("formerName"), str)
    }
    return {name: former_name for name, former_name in current_names.items() if former_name != name}


def _resolve_attribute(attribute: Body, uids: Mapping[str, str]) -> dict[str, Any]:
    definition = dict(attribute)
    for option in ("component", "target"):
        if isinstance(definition.get(option), str):
            definition[option] = uids.get(definition[option], definition[option])
    if isinstance(definition.get("components"), list):
        definition["components"] = [uids.get(uid, uid) for uid in definition["components"]]
    return definition


def _option(body: Body, name: str) -> Any | UnsetType:  # noqa: ANN401 - as the form has checked it
    value = body.get(name)
    return UNSET if value is None else value


def _options(body: Body) -> Mapping[str, Any] | UnsetType:
    options = _option(body, "options")
    if options is UNSET:
        return UNSET
    return {name: value for name, value in options.items() if name not in _TOP_LEVEL_OPTIONS}
