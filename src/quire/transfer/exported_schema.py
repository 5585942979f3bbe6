"""The schema of a project as lines of an archive, with the attributes that a server adds."""

from collections.abc import Iterator, Mapping
from typing import Any

from quire.schema.model import ContentType, Model, Schema

_DESCRIBED = ("collectionName", "info", "options", "pluginOptions")


def schema_lines(schema: Schema) -> Iterator[dict[str, Any]]:
    """Return the schema of each content type and component, with what the server adds to it."""
    for model in schema.models():
        yield _schema_line(schema, model)


def _schema_line(schema: Schema, model: Model) -> dict[str, Any]:
    raw = dict(model.raw)
    own = raw.get("attributes")
    attributes = dict(own) if isinstance(own, Mapping) else {}
    line: dict[str, Any] = {key: raw[key] for key in _DESCRIBED if key in raw}
    line.setdefault("options", {})
    content_type = schema.content_types.get(model.uid)
    if content_type is None:
        name = model.uid.partition(".")[2]
        kind = {"modelType": "component", "modelName": name}
        return {**line, "attributes": attributes, **kind, "uid": model.uid}
    attributes |= _system_attributes(content_type)
    plugin = {} if content_type.plugin is None else {"plugin": content_type.plugin}
    return {
        **line,
        "attributes": attributes,
        "kind": str(content_type.kind),
        "modelType": "contentType",
        "modelName": content_type.singular_name,
        "uid": model.uid,
        **plugin,
    }


def _system_attributes(content_type: ContentType) -> dict[str, Any]:
    """Return what a server adds to the attributes of a content type, as archives describe it."""
    private = not content_type.localized
    creator = {
        "type": "relation",
        "relation": "oneToOne",
        "target": "admin::user",
        "configurable": False,
        "writable": False,
        "visible": False,
        "useJoinTable": False,
        "private": not content_type.populate_creator_fields,
    }
    return {
        "createdAt": {"type": "datetime"},
        "updatedAt": {"type": "datetime"},
        "publishedAt": {
            "type": "datetime",
            "configurable": False,
            "writable": True,
            "visible": True,
        },
        "createdBy": creator,
        "updatedBy": creator,
        "locale": {
            "writable": True,
            "private": private,
            "configurable": False,
            "visible": False,
            "type": "string",
        },
        "localizations": {
            "type": "relation",
            "relation": "oneToMany",
            "target": content_type.uid,
            "writable": False,
            "private": private,
            "configurable": False,
            "visible": False,
            "unstable_virtual": True,
            "joinColumn": {
                "name": "document_id",
                "referencedColumn": "document_id",
                "referencedTable": content_type.collection_name,
            },
        },
    }
