"""Content types and components in the format of the content-type builder.

The attributes of schema files are described, with the defaults of relations and media; attributes
that the server adds are left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from quire.schema.class_names import class_name
from quire.schema.custom_fields import CUSTOM_FIELD
from quire.schema.model import ADMIN_USER_UID, Component, ContentType, Model, Schema
from quire.schema.system_attributes import RESERVED_NAMES

_BUILDER = "content-type-builder"
_GLOBAL_IDS = {"plugin::i18n.locale": "I18NLocale"}
"""Names that Strapi writes with other capitals."""
_MEDIA_FIRST = ("type", "multiple", "required", "private", "allowedTypes")
_PLUGINS = ("upload", "i18n", "content-releases", "review-workflows", "users-permissions")
_ADMIN = (
    "permission",
    "user",
    "role",
    "api-token",
    "api-token-permission",
    "transfer-token",
    "transfer-token-permission",
    "session",
)


def describe_content_types(schema: Schema) -> list[dict[str, Any]]:
    """Describe all content types: those of plugins, the project's own, those of the admin."""
    return [describe_content_type(content_type) for content_type in in_order(schema)]


def in_order(schema: Schema) -> list[ContentType]:
    """Return all content types in the order of lists: of plugins, the project's, of the admin."""
    return sorted(schema.content_types.values(), key=_sort_key)


def describe_content_type(content_type: ContentType) -> dict[str, Any]:
    """Describe one content type; types that no project owns also name their ``plugin``."""
    raw = content_type.raw
    namespace, _, name = content_type.uid.partition("::")
    visible = is_visible(content_type)
    description: dict[str, Any] = {"uid": content_type.uid}
    if namespace != "api":
        description["plugin"] = name.partition(".")[0] if namespace == "plugin" else namespace
    description["apiID"] = content_type.singular_name
    description["schema"] = {
        **_mapping(raw, "options"),
        "draftAndPublish": content_type.draft_and_publish,
        "displayName": content_type.display_name,
        "singularName": content_type.singular_name,
        "pluralName": content_type.plural_name,
        "description": _mapping(raw, "info").get("description", ""),
        **_present(raw, "pluginOptions"),
        "kind": content_type.kind.value,
        "collectionName": content_type.collection_name,
        "attributes": dict(_attributes(content_type)),
        "visible": visible,
        "restrictRelationsTo": relations_allowed(content_type),
    }
    return description


def describe_component(component: Component) -> dict[str, Any]:
    """Describe one component."""
    info = _mapping(component.raw, "info")
    return {
        "uid": component.uid,
        "category": component.category,
        "apiId": component.uid.partition(".")[2],
        "schema": {
            "displayName": component.display_name,
            "description": info.get("description", ""),
            **_present(info, "icon"),
            "collectionName": component.collection_name,
            **_present(component.raw, "pluginOptions"),
            "attributes": dict(_attributes(component)),
        },
    }


def describe_schema(schema: Schema) -> dict[str, Any]:
    """Describe all content types and components by uid, attributes as lists (``/schema``)."""
    return {
        "contentTypes": {
            content_type.uid: _listed_type(content_type) for content_type in in_order(schema)
        },
        "components": {
            uid: _listed_component(component) for uid, component in schema.components.items()
        },
    }


def _listed_type(content_type: ContentType) -> dict[str, Any]:
    namespace, _, name = content_type.uid.partition("::")
    plugin = name.partition(".")[0] if namespace == "plugin" else namespace
    owner = "" if namespace == "api" else plugin
    raw = content_type.raw
    description: dict[str, Any] = {
        "uid": content_type.uid,
        "modelName": content_type.singular_name,
        "kind": content_type.kind.value,
        "globalId": _GLOBAL_IDS.get(content_type.uid)
        or class_name(f"{owner}-{content_type.singular_name}"),
        "options": {
            **_mapping(raw, "options"),
            "draftAndPublish": content_type.draft_and_publish,
        },
        **_present(raw, "pluginOptions"),
    }
    if owner:
        description["plugin"] = owner
    return {
        **description,
        "collectionName": content_type.collection_name,
        "info": _mapping(raw, "info"),
        "modelType": "contentType",
        "attributes": list(_listed_attributes(content_type)),
        "visible": is_visible(content_type),
        "restrictRelationsTo": relations_allowed(content_type),
    }


def _listed_component(component: Component) -> dict[str, Any]:
    return {
        "uid": component.uid,
        "modelName": component.singular_name,
        "globalId": class_name(f"component-{component.uid}".replace(".", "-")),
        "modelType": "component",
        "collectionName": component.collection_name,
        "category": component.category,
        "info": _mapping(component.raw, "info"),
        **_present(component.raw, "pluginOptions"),
        "attributes": list(_listed_attributes(component)),
    }


def _listed_attributes(model: Model) -> Iterator[dict[str, Any]]:
    for name, raw in _own_attributes(model):
        other: Mapping[str, object] = {}
        if raw.get("type") == "relation":
            other = {"targetAttribute": raw.get("inversedBy") or raw.get("mappedBy")}
        yield {**raw, **other, "name": name}


def is_visible(content_type: ContentType) -> bool:
    """Tell whether a type is shown in the content-type builder."""
    builder = _mapping(_mapping(content_type.raw, "pluginOptions"), _BUILDER)
    return builder.get("visible") is not False


def _sort_key(content_type: ContentType) -> tuple[int, int, list[str]]:
    namespace, _, name = content_type.uid.partition("::")
    names = name.split(".")
    if namespace == "plugin":
        return 0, _rank(names[0], _PLUGINS), names
    if namespace == "admin":
        return 2, _rank(name, _ADMIN), names
    return 1, 0, names


def _rank(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)


def relations_allowed(content_type: ContentType) -> list[str] | None:
    """Return which relations a new attribute may have to a type; ``None`` means all."""
    if content_type.uid == ADMIN_USER_UID:
        return ["oneWay", "manyWay"]
    return None if is_visible(content_type) else []


def _attributes(model: Model) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, raw in _own_attributes(model):
        yield name, _attribute(raw)


def _own_attributes(model: Model) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield attributes as the file has them, custom fields with the type they are stored as."""
    for name, raw in _mapping(model.raw, "attributes").items():
        if name in RESERVED_NAMES or not isinstance(raw, Mapping):
            continue
        attribute = model.attributes.get(name)
        if raw.get("type") == CUSTOM_FIELD and attribute is not None:
            yield name, {**raw, "type": attribute.type.name}
        else:
            yield name, raw


def _attribute(raw: Mapping[str, object]) -> dict[str, Any]:
    match raw.get("type"):
        case "relation":
            other = raw.get("inversedBy") or raw.get("mappedBy")
            return {
                **raw,
                "targetAttribute": other,
                "required": raw.get("required", False),
                "private": raw.get("private", False),
            }
        case "media":
            full = {"multiple": False, "required": False, "private": False, **raw}
            return {name: full[name] for name in _MEDIA_FIRST if name in full} | full
        case _:
            return dict(raw)


def _present(raw: Mapping[str, object], name: str) -> dict[str, object]:
    return {name: raw[name]} if name in raw else {}


def _mapping(raw: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = raw.get(name)
    return value if isinstance(value, Mapping) else {}
