"""The project: tokens, webhooks, locales, end users, and what was done."""

from quire.openapi.admin.endpoint import IDS, Said, Told, named, query
from quire.openapi.schemas import (
    ANYTHING,
    FLAG,
    FREE_OBJECT,
    TEXT,
    WHOLE,
    nullable,
    one_of_texts,
    record,
    several,
)

_TOKEN, _WEBHOOK, _LOCALE = named("AdminApiToken"), named("Webhook"), named("AdminLocale")
_NEW_TOKEN = {
    "name": TEXT,
    "description": nullable(TEXT),
    "type": one_of_texts(["read-only", "full-access", "custom"]),
    "lifespan": {"type": ["integer", "null"]},
    "permissions": nullable(several(TEXT)),
}
_NEW_WEBHOOK = {"name": TEXT, "url": TEXT, "headers": FREE_OBJECT, "events": several(TEXT)}
_NEW_LOCALE = {"name": TEXT, "code": TEXT, "isDefault": FLAG}
_BELOW = "admin/x/webhooks/:id"
_DELIVERIES_QUERY = (
    query("state", one_of_texts(["waiting", "delivered", "failed"])),
    query("before", WHOLE),
    query("limit", WHOLE),
)
_AUDIT = (
    query("actor"),
    query("action"),
    query("target"),
    query("type", about="The uid of a content type: what was done to it and its entries."),
    query("since", WHOLE, "Milliseconds since 1970."),
    query("until", WHOLE, "Milliseconds since 1970."),
    query("before", WHOLE, "The id of the last row that is known."),
    query("limit", WHOLE),
)

PROJECT: Told = {
    ("GET", "admin/information"): Said(),
    ("GET", "admin/homepage/key-statistics"): Said(),
    ("GET", "admin/homepage/layout"): Said(data=ANYTHING),
    ("GET", "admin/content-api/permissions"): Said(),
    ("GET", "admin/content-api/routes"): Said(),
    ("GET", "admin/x/audit"): Said(data=several(named("AuditRow")), query=_AUDIT),
    ("GET", "admin/x/audit/export"): Said(
        data=TEXT, bare=True, query=_AUDIT, media_type="application/x-ndjson"
    ),
    ("GET", "admin/x/openapi.json"): Said(bare=True),
}

TOKENS: Told = {
    ("GET", "admin/api-tokens"): Said(data=several(_TOKEN)),
    ("POST", "admin/api-tokens"): Said(
        data=_TOKEN, body=record(_NEW_TOKEN, required=("name", "type"))
    ),
    ("GET", "admin/api-tokens/:id"): Said(data=_TOKEN),
    ("PUT", "admin/api-tokens/:id"): Said(data=_TOKEN, body=record(_NEW_TOKEN, required=())),
    ("DELETE", "admin/api-tokens/:id"): Said(data=nullable(FREE_OBJECT)),
    ("POST", "admin/api-tokens/:id/regenerate"): Said(
        data=record({"accessKey": TEXT}, required=("accessKey",))
    ),
}

WEBHOOKS: Told = {
    ("GET", "admin/webhooks"): Said(data=several(_WEBHOOK)),
    ("POST", "admin/webhooks"): Said(data=_WEBHOOK, body=record(_NEW_WEBHOOK)),
    ("POST", "admin/webhooks/batch-delete"): Said(data=several(ANYTHING), body=IDS),
    ("GET", "admin/webhooks/:id"): Said(data=_WEBHOOK),
    ("PUT", "admin/webhooks/:id"): Said(
        data=_WEBHOOK,
        body=record({**_NEW_WEBHOOK, "isEnabled": FLAG}, required=tuple(_NEW_WEBHOOK)),
    ),
    ("DELETE", "admin/webhooks/:id"): Said(data=_WEBHOOK),
    ("POST", "admin/webhooks/:id/trigger"): Said(
        data=record({"statusCode": WHOLE, "message": TEXT})
    ),
    ("GET", "admin/x/deliveries"): Said(data=several(named("Delivery")), query=_DELIVERIES_QUERY),
    ("GET", f"{_BELOW}/deliveries"): Said(data=several(named("Delivery")), query=_DELIVERIES_QUERY),
    ("GET", f"{_BELOW}/deliveries/:delivery"): Said(data=named("Delivery")),
    ("POST", f"{_BELOW}/deliveries/:delivery/redeliver"): Said(),
    ("GET", f"{_BELOW}/secret"): Said(data=record({"secret": nullable(TEXT)})),
}

LOCALES: Told = {
    ("GET", "i18n/iso-locales"): Said(
        data=several(record({"code": TEXT, "name": TEXT})), bare=True
    ),
    ("GET", "i18n/locales"): Said(data=several(_LOCALE), bare=True),
    ("POST", "i18n/locales"): Said(data=_LOCALE, bare=True, body=record(_NEW_LOCALE)),
    ("PUT", "i18n/locales/:id"): Said(
        data=_LOCALE, bare=True, body=record({"name": TEXT, "isDefault": FLAG}, required=())
    ),
    ("DELETE", "i18n/locales/:id"): Said(data=_LOCALE, bare=True),
}

_ROLE = record(
    {"name": TEXT, "description": TEXT, "permissions": FREE_OBJECT},
    required=("name", "permissions"),
)

END_USERS: Told = {
    ("GET", "users-permissions/advanced"): Said(bare=True),
    ("PUT", "users-permissions/advanced"): Said(bare=True, body=FREE_OBJECT),
    ("GET", "users-permissions/email-templates"): Said(bare=True),
    ("PUT", "users-permissions/email-templates"): Said(bare=True, body=FREE_OBJECT),
    ("POST", "admin/x/mail-test"): Said(
        data=record({"to": TEXT}, required=("to",)),
        body=record({"template": FREE_OBJECT}, required=("template",)),
    ),
    ("GET", "users-permissions/providers"): Said(bare=True),
    ("PUT", "users-permissions/providers"): Said(bare=True, body=FREE_OBJECT),
    ("GET", "users-permissions/permissions"): Said(bare=True),
    ("GET", "users-permissions/policies"): Said(bare=True),
    ("GET", "users-permissions/routes"): Said(bare=True),
    ("GET", "users-permissions/roles"): Said(bare=True),
    ("POST", "users-permissions/roles"): Said(bare=True, body=_ROLE),
    ("GET", "users-permissions/roles/:id"): Said(bare=True),
    ("PUT", "users-permissions/roles/:id"): Said(bare=True, body=_ROLE),
    ("DELETE", "users-permissions/roles/:id"): Said(bare=True),
}
