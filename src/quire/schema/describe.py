"""Content types and components as clients read about them: the ``content-type-builder`` format.

Only what a schema file says is described, with the defaults of relations and media spelled out;
attributes that the server adds by itself are left out (wire.md §1).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from quire.schema.automatic import RESERVED_NAMES
from quire.schema.model import ADMIN_USER_UID, Component, ContentType, Model, Schema

_BUILDER = "content-type-builder"
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
    """Return all content types as lists show them: of plugins, the project's, of the admin."""
    return sorted(schema.content_types.values(), key=_place)


def describe_content_type(content_type: ContentType) -> dict[str, Any]:
    """Describe one content type; types that no project owns also name their ``plugin``."""
    raw = content_type.raw
    namespace, _, name = content_type.uid.partition("::")
    visible = is_visible(content_type)
    described: dict[str, Any] = {"uid": content_type.uid}
    if namespace != "api":
        described["plugin"] = name.partition(".")[0] if namespace == "plugin" else namespace
    described["apiID"] = content_type.singular_name
    described["schema"] = {
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
        "restrictRelationsTo": _relations_allowed(content_type, visible=visible),
    }
    return described


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


def is_visible(content_type: ContentType) -> bool:
    """Tell whether a type is shown where the model is edited, and described by itself."""
    builder = _mapping(_mapping(content_type.raw, "pluginOptions"), _BUILDER)
    return builder.get("visible") is not False


def _place(content_type: ContentType) -> tuple[int, int, str]:
    namespace, _, name = content_type.uid.partition("::")
    if namespace == "plugin":
        return 0, _rank(name.partition(".")[0], _PLUGINS), name
    if namespace == "admin":
        return 2, _rank(name, _ADMIN), name
    return 1, 0, name


def _rank(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)


def _relations_allowed(content_type: ContentType, *, visible: bool) -> list[str] | None:
    """Return which relations a new attribute may have to a type; ``None`` stands for all."""
    if content_type.uid == ADMIN_USER_UID:
        return ["oneWay", "manyWay"]
    return None if visible else []


def _attributes(model: Model) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, raw in _mapping(model.raw, "attributes").items():
        if name not in RESERVED_NAMES and isinstance(raw, Mapping):
            yield name, _attribute(raw)


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
