"""Describes the routes of the content-type builder."""

from quire.openapi.admin.endpoint import RouteDescription, Told, query
from quire.openapi.schemas import (
    FLAG,
    FREE_OBJECT,
    TEXT,
    WHOLE,
    nullable,
    one_of_texts,
    record,
    several,
)
from quire.schema.attributes.json_schema import JsonSchema

_BUILDER = "content-type-builder"
_UID = record({"uid": TEXT})
_NAME = record({"name": TEXT})
_ATTRIBUTES: JsonSchema = {"type": "object", "additionalProperties": FREE_OBJECT}
_CONSENT = (
    query("mayLose", FLAG, "Whether rows and values may be taken away; they are archived."),
    query("plan", TEXT, "The digest of a plan: nothing else is done than what it tells."),
)
_TYPE = record(
    {
        "contentType": record(
            {
                "displayName": TEXT,
                "singularName": TEXT,
                "pluralName": TEXT,
                "kind": one_of_texts(["collectionType", "singleType"]),
                "draftAndPublish": FLAG,
                "collectionName": TEXT,
                "description": nullable(TEXT),
                "options": FREE_OBJECT,
                "pluginOptions": FREE_OBJECT,
                "attributes": _ATTRIBUTES,
            },
            required=("displayName", "singularName", "pluralName", "attributes"),
        ),
        "components": several(FREE_OBJECT),
    },
    required=("contentType",),
)
_COMPONENT = record(
    {
        "component": record(
            {
                "category": TEXT,
                "displayName": TEXT,
                "icon": nullable(TEXT),
                "description": nullable(TEXT),
                "attributes": _ATTRIBUTES,
            },
            required=("category", "displayName", "attributes"),
        ),
        "components": several(FREE_OBJECT),
    },
    required=("component",),
)
_UPDATE = record(
    {
        "data": record(
            {"contentTypes": several(FREE_OBJECT), "components": several(FREE_OBJECT)}, required=()
        )
    }
)
_PLAN = record(
    {
        "digest": TEXT,
        "version": TEXT,
        "steps": several(
            record({"step": TEXT, "text": TEXT, "rowsLost": WHOLE, "details": FREE_OBJECT})
        ),
        "losses": several(TEXT),
        "notices": several(
            record({"text": TEXT, "uid": TEXT, "attribute": TEXT, "rows": WHOLE, "rule": TEXT})
        ),
        "files": several(record({"path": TEXT, "before": nullable(TEXT), "after": nullable(TEXT)})),
    }
)
_ARCHIVE = record({"id": WHOLE, "title": TEXT, "madeAt": TEXT, "tables": several(TEXT)})

MODEL: Told = {
    ("GET", f"{_BUILDER}/schema"): RouteDescription(
        data=record({"contentTypes": FREE_OBJECT, "components": FREE_OBJECT})
    ),
    ("GET", f"{_BUILDER}/reserved-names"): RouteDescription(
        data=record({"models": several(TEXT), "attributes": several(TEXT)}), bare=True
    ),
    ("GET", f"{_BUILDER}/content-types"): RouteDescription(
        data=several(FREE_OBJECT),
        query=(query("kind", one_of_texts(["collectionType", "singleType"])),),
    ),
    ("GET", f"{_BUILDER}/content-types/:uid"): RouteDescription(),
    ("POST", f"{_BUILDER}/content-types"): RouteDescription(data=_UID, body=_TYPE, query=_CONSENT),
    ("PUT", f"{_BUILDER}/content-types/:uid"): RouteDescription(
        data=_UID, body=_TYPE, query=_CONSENT
    ),
    ("DELETE", f"{_BUILDER}/content-types/:uid"): RouteDescription(data=_UID, query=_CONSENT),
    ("GET", f"{_BUILDER}/components"): RouteDescription(data=several(FREE_OBJECT)),
    ("GET", f"{_BUILDER}/components/:uid"): RouteDescription(),
    ("POST", f"{_BUILDER}/components"): RouteDescription(
        data=_UID, body=_COMPONENT, query=_CONSENT
    ),
    ("PUT", f"{_BUILDER}/components/:uid"): RouteDescription(
        data=_UID, body=_COMPONENT, query=_CONSENT
    ),
    ("DELETE", f"{_BUILDER}/components/:uid"): RouteDescription(data=_UID, query=_CONSENT),
    ("PUT", f"{_BUILDER}/component-categories/:name"): RouteDescription(
        data=_NAME, bare=True, body=_NAME, query=_CONSENT
    ),
    ("DELETE", f"{_BUILDER}/component-categories/:name"): RouteDescription(
        data=_NAME, bare=True, query=_CONSENT
    ),
    ("POST", f"{_BUILDER}/update-schema"): RouteDescription(
        bare=True, body=_UPDATE, query=_CONSENT
    ),
    ("GET", f"{_BUILDER}/update-schema-status"): RouteDescription(
        data=record({"isUpdating": FLAG})
    ),
    ("POST", "admin/x/model/plan"): RouteDescription(data=_PLAN, body=_UPDATE),
    ("GET", "admin/x/model/state"): RouteDescription(
        data=record({"writable": FLAG, "reason": nullable(TEXT)})
    ),
    ("GET", "admin/x/model/archive"): RouteDescription(data=several(_ARCHIVE)),
    ("POST", "admin/x/model/archive/:id/restore"): RouteDescription(data=record({"count": WHOLE})),
    ("DELETE", "admin/x/model/archive/:id"): RouteDescription(data=_ARCHIVE),
}
