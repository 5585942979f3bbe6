"""Describes the routes for tokens, webhooks, locales, end users and the audit log."""

from quire.openapi.admin.endpoint import IDS, RouteDescription, Told, query, ref
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

_TOKEN, _WEBHOOK, _LOCALE = ref("AdminApiToken"), ref("Webhook"), ref("AdminLocale")
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

_JOB_STATES = ["waiting", "running", "done", "failed", "cancelled"]
_JOBS = (
    query("state", one_of_texts(_JOB_STATES)),
    query("name"),
    query("before", WHOLE, "The id of the last row that is known."),
    query("limit", WHOLE),
)
_OUTBOX = (query("state", one_of_texts(["waiting", "failed"])), *_JOBS[2:])

PROJECT: Told = {
    ("GET", "admin/information"): RouteDescription(),
    ("GET", "admin/homepage/key-statistics"): RouteDescription(),
    ("GET", "admin/homepage/layout"): RouteDescription(data=ANYTHING),
    ("GET", "admin/content-api/permissions"): RouteDescription(),
    ("GET", "admin/content-api/routes"): RouteDescription(),
    ("GET", "admin/x/audit"): RouteDescription(data=several(ref("AuditRow")), query=_AUDIT),
    ("GET", "admin/x/audit/export"): RouteDescription(
        data=TEXT, bare=True, query=_AUDIT, media_type="application/x-ndjson"
    ),
    ("GET", "admin/x/openapi.json"): RouteDescription(bare=True),
    ("GET", "admin/x/jobs"): RouteDescription(
        data=record(
            {
                "jobs": several(ref("Job")),
                "counts": record(dict.fromkeys(_JOB_STATES, WHOLE), required=tuple(_JOB_STATES)),
                "names": {"type": "object", "additionalProperties": WHOLE},
            },
            required=("jobs", "counts", "names"),
        ),
        query=_JOBS,
    ),
    ("GET", "admin/x/jobs/:id"): RouteDescription(data=ref("Job")),
    ("POST", "admin/x/jobs/:id/retry"): RouteDescription(data=ref("Job")),
    ("POST", "admin/x/jobs/:id/cancel"): RouteDescription(data=ref("Job")),
    ("GET", "admin/x/schedules"): RouteDescription(data=several(ref("Schedule"))),
    ("POST", "admin/x/schedules/:name/run"): RouteDescription(data=ref("Job")),
    ("GET", "admin/x/outbox/:id"): RouteDescription(data=ref("OutboxChange")),
    ("DELETE", "admin/x/outbox/:id"): RouteDescription(),
    ("GET", "admin/x/outbox"): RouteDescription(data=several(ref("OutboxChange")), query=_OUTBOX),
    ("POST", "admin/x/outbox/:id/replay"): RouteDescription(),
}

TOKENS: Told = {
    ("GET", "admin/api-tokens"): RouteDescription(data=several(_TOKEN)),
    ("POST", "admin/api-tokens"): RouteDescription(
        data=_TOKEN, body=record(_NEW_TOKEN, required=("name", "type"))
    ),
    ("GET", "admin/api-tokens/:id"): RouteDescription(data=_TOKEN),
    ("PUT", "admin/api-tokens/:id"): RouteDescription(
        data=_TOKEN, body=record(_NEW_TOKEN, required=())
    ),
    ("DELETE", "admin/api-tokens/:id"): RouteDescription(data=nullable(FREE_OBJECT)),
    ("POST", "admin/api-tokens/:id/regenerate"): RouteDescription(
        data=record({"accessKey": TEXT}, required=("accessKey",))
    ),
}

WEBHOOKS: Told = {
    ("GET", "admin/webhooks"): RouteDescription(data=several(_WEBHOOK)),
    ("POST", "admin/webhooks"): RouteDescription(data=_WEBHOOK, body=record(_NEW_WEBHOOK)),
    ("POST", "admin/webhooks/batch-delete"): RouteDescription(data=several(ANYTHING), body=IDS),
    ("GET", "admin/webhooks/:id"): RouteDescription(data=_WEBHOOK),
    ("PUT", "admin/webhooks/:id"): RouteDescription(
        data=_WEBHOOK,
        body=record({**_NEW_WEBHOOK, "isEnabled": FLAG}, required=tuple(_NEW_WEBHOOK)),
    ),
    ("DELETE", "admin/webhooks/:id"): RouteDescription(data=_WEBHOOK),
    ("POST", "admin/webhooks/:id/trigger"): RouteDescription(
        data=record({"statusCode": WHOLE, "message": TEXT})
    ),
    ("GET", "admin/x/deliveries"): RouteDescription(
        data=several(ref("Delivery")), query=_DELIVERIES_QUERY
    ),
    ("GET", f"{_BELOW}/deliveries"): RouteDescription(
        data=several(ref("Delivery")), query=_DELIVERIES_QUERY
    ),
    ("GET", f"{_BELOW}/deliveries/:delivery"): RouteDescription(data=ref("Delivery")),
    ("POST", f"{_BELOW}/deliveries/:delivery/redeliver"): RouteDescription(),
    ("GET", f"{_BELOW}/secret"): RouteDescription(data=record({"secret": nullable(TEXT)})),
}

LOCALES: Told = {
    ("GET", "i18n/iso-locales"): RouteDescription(
        data=several(record({"code": TEXT, "name": TEXT})), bare=True
    ),
    ("GET", "i18n/locales"): RouteDescription(data=several(_LOCALE), bare=True),
    ("POST", "i18n/locales"): RouteDescription(data=_LOCALE, bare=True, body=record(_NEW_LOCALE)),
    ("PUT", "i18n/locales/:id"): RouteDescription(
        data=_LOCALE, bare=True, body=record({"name": TEXT, "isDefault": FLAG}, required=())
    ),
    ("DELETE", "i18n/locales/:id"): RouteDescription(data=_LOCALE, bare=True),
}

_ROLE = record(
    {"name": TEXT, "description": TEXT, "permissions": FREE_OBJECT},
    required=("name", "permissions"),
)

_AS_END_USER = RouteDescription(
    data=record({"status": WHOLE, "body": TEXT, "role": nullable(WHOLE)}),
    body=record({"path": TEXT}, required=("path",)),
)

END_USERS: Told = {
    ("GET", "users-permissions/advanced"): RouteDescription(bare=True),
    ("PUT", "users-permissions/advanced"): RouteDescription(bare=True, body=FREE_OBJECT),
    ("GET", "users-permissions/email-templates"): RouteDescription(bare=True),
    ("PUT", "users-permissions/email-templates"): RouteDescription(bare=True, body=FREE_OBJECT),
    ("POST", "admin/x/mail-test"): RouteDescription(
        data=record({"to": TEXT}, required=("to",)),
        body=record({"template": FREE_OBJECT}, required=("template",)),
    ),
    ("GET", "users-permissions/providers"): RouteDescription(bare=True),
    ("PUT", "users-permissions/providers"): RouteDescription(bare=True, body=FREE_OBJECT),
    ("GET", "users-permissions/permissions"): RouteDescription(bare=True),
    ("POST", "admin/x/end-user-roles/:id/request"): _AS_END_USER,
    ("POST", "admin/x/end-users/:id/request"): _AS_END_USER,
    ("GET", "users-permissions/policies"): RouteDescription(bare=True),
    ("GET", "users-permissions/routes"): RouteDescription(bare=True),
    ("GET", "users-permissions/roles"): RouteDescription(bare=True),
    ("POST", "users-permissions/roles"): RouteDescription(bare=True, body=_ROLE),
    ("GET", "users-permissions/roles/:id"): RouteDescription(bare=True),
    ("PUT", "users-permissions/roles/:id"): RouteDescription(bare=True, body=_ROLE),
    ("DELETE", "users-permissions/roles/:id"): RouteDescription(bare=True),
}
