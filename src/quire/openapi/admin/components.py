"""Named schemas of the admin API."""

from collections.abc import Mapping

from quire.openapi.admin.endpoint import ref
from quire.openapi.schemas import (
    ANYTHING,
    FLAG,
    FREE_OBJECT,
    MOMENT,
    TEXT,
    WHOLE,
    nullable,
    one_of_texts,
    record,
    several,
)
from quire.schema.attributes.json_schema import JsonSchema

_MAYBE, _WHEN = nullable(TEXT), nullable(MOMENT)
_STAMPS: Mapping[str, JsonSchema] = {"createdAt": _WHEN, "updatedAt": _WHEN, "publishedAt": _WHEN}
_STATUS = one_of_texts(["draft", "published", "modified"])
_VERSION: Mapping[str, JsonSchema] = {
    "id": WHOLE,
    "documentId": TEXT,
    "locale": _MAYBE,
    "updatedAt": _WHEN,
}
_RELEASE: Mapping[str, JsonSchema] = {
    "id": WHOLE,
    "name": TEXT,
    "status": one_of_texts(["empty", "ready", "blocked", "failed", "done"]),
    "scheduledAt": _WHEN,
    "timezone": _MAYBE,
    "releasedAt": _WHEN,
    "createdAt": MOMENT,
    "updatedAt": MOMENT,
    "itemCount": WHOLE,
}
_STAGE: Mapping[str, JsonSchema] = {
    "id": WHOLE,
    "name": TEXT,
    "color": TEXT,
    "roles": several(WHOLE),
    "requiredToPublish": FLAG,
}


def _workflow(*, required: tuple[str, ...], stored: bool = True) -> JsonSchema:
    """Describe a review workflow; ``required`` are what each of its stages has."""
    own = {"id": WHOLE} if stored else {}
    stages = several(record(_STAGE, required=required))
    return record({**own, "name": TEXT, "contentTypes": several(TEXT), "stages": stages})


NAMED: Mapping[str, JsonSchema] = {
    "AdminPagination": record(
        {"page": WHOLE, "pageSize": WHOLE, "pageCount": WHOLE, "total": WHOLE}
    ),
    "AdminRoleInShort": record({"id": WHOLE, "name": TEXT, "description": _MAYBE, "code": TEXT}),
    "AdminRole": record(
        {"id": WHOLE, "name": TEXT, "code": TEXT, "description": _MAYBE, "usersCount": WHOLE,
         **_STAMPS},
        required=("id", "name", "code", "description"),
    ),
    "Administrator": record(
        {
            "id": WHOLE,
            "documentId": TEXT,
            "firstname": _MAYBE,
            "lastname": _MAYBE,
            "username": _MAYBE,
            "email": _MAYBE,
            "isActive": nullable(FLAG),
            "blocked": nullable(FLAG),
            "preferedLanguage": _MAYBE,
            "roles": several(ref("AdminRoleInShort")),
            **_STAMPS,
        },
        required=("id", "email"),
    ),
    "SignedIn": record(
        {"token": TEXT, "accessToken": TEXT, "user": ref("Administrator")},
    ),
    "AdminSession": record(
        {"deviceId": _MAYBE, "current": FLAG, "createdAt": _WHEN}, required=()
    ),
    "AdminPermission": record(
        {
            "id": nullable(WHOLE),
            "action": TEXT,
            "actionParameters": ANYTHING,
            "subject": _MAYBE,
            "properties": FREE_OBJECT,
            "conditions": several(TEXT),
        },
        required=("action", "subject", "properties", "conditions"),
    ),
    "AdminApiToken": record(
        {
            "id": WHOLE,
            "name": TEXT,
            "description": _MAYBE,
            "type": one_of_texts(["read-only", "full-access", "custom"]),
            "accessKey": TEXT,
            "permissions": nullable(several(TEXT)),
            "lifespan": {"type": ["integer", "string", "null"]},
            "expiresAt": _WHEN,
            "lastUsedAt": _WHEN,
            "createdAt": _WHEN,
            "updatedAt": _WHEN,
        },
        required=("id", "name", "type"),
    ),
    "Webhook": record(
        {
            "id": TEXT,
            "name": TEXT,
            "url": TEXT,
            "headers": FREE_OBJECT,
            "events": several(TEXT),
            "isEnabled": FLAG,
        }
    ),
    "Delivery": record(
        {
            "id": WHOLE,
            "webhookId": WHOLE,
            "event": TEXT,
            "uid": TEXT,
            "documentId": TEXT,
            "state": one_of_texts(["waiting", "delivered", "failed"]),
            "attempts": WHOLE,
            "createdAt": MOMENT,
            "nextAt": _WHEN,
            "endedAt": _WHEN,
            "statusCode": nullable(WHOLE),
            "message": _MAYBE,
            "payload": FREE_OBJECT,
        },
        required=("id", "webhookId", "event", "state", "attempts", "createdAt"),
    ),
    "Job": record(
        {
            "id": WHOLE,
            "name": TEXT,
            "queue": TEXT,
            "state": one_of_texts(["waiting", "running", "done", "failed", "cancelled"]),
            "attempts": WHOLE,
            "createdAt": MOMENT,
            "startedAt": _WHEN,
            "dueAt": _WHEN,
            "leaseEndsAt": _WHEN,
            "endedAt": _WHEN,
            "message": _MAYBE,
            "arguments": FREE_OBJECT,
            "causes": several(FREE_OBJECT),
        },
        required=("id", "name", "queue", "state", "attempts", "createdAt"),
    ),
    "Schedule": record(
        {
            "name": TEXT,
            "cron": TEXT,
            "timezone": TEXT,
            "missed": one_of_texts(["once", "skip", "all"]),
            "place": TEXT,
            "nextDueAt": _WHEN,
            "lastDueAt": _WHEN,
            "lastJob": nullable(ref("Job")),
        },
        required=("name", "cron", "timezone", "missed", "place"),
    ),
    "OutboxChange": record(
        {
            "id": WHOLE,
            "function": TEXT,
            "action": TEXT,
            "uid": TEXT,
            "documentId": TEXT,
            "locale": _MAYBE,
            "state": one_of_texts(["waiting", "failed"]),
            "attempts": WHOLE,
            "createdAt": MOMENT,
            "dueAt": _WHEN,
            "endedAt": _WHEN,
            "message": _MAYBE,
            "fields": several(TEXT),
            "kept": FREE_OBJECT,
            "causes": several(FREE_OBJECT),
        },
        required=(
            "id",
            "function",
            "action",
            "uid",
            "documentId",
            "state",
            "attempts",
            "createdAt",
        ),
    ),
    "AuditRow": record(
        {
            "id": WHOLE,
            "at": MOMENT,
            "actorId": nullable(WHOLE),
            "actor": TEXT,
            "action": TEXT,
            "target": TEXT,
            "details": nullable(FREE_OBJECT),
            "status": WHOLE,
            "place": TEXT,
        }
    ),
    "AdminLocale": record(
        {"id": WHOLE, "documentId": TEXT, "name": _MAYBE, "code": _MAYBE, "isDefault": FLAG,
         **_STAMPS},
        required=("id", "code", "isDefault"),
    ),
    "SavedView": record(
        {
            "id": WHOLE,
            "uid": TEXT,
            "name": TEXT,
            "shared": FLAG,
            "own": FLAG,
            "state": FREE_OBJECT,
            "updatedAt": MOMENT,
        }
    ),
    "Release": record(_RELEASE),
    "ReleaseInFull": record({**_RELEASE, "items": several(ref("ReleaseItem"))}),
    "ReleaseUndone": record(
        {**_RELEASE, "items": several(ref("ReleaseItem")), "skipped": WHOLE}
    ),
    "ReleaseItem": record(
        {
            "id": WHOLE,
            "action": one_of_texts(["publish", "unpublish"]),
            "contentType": TEXT,
            "exists": FLAG,
            "readable": FLAG,
            "publishable": FLAG,
            "documentId": TEXT,
            "locale": _MAYBE,
            "title": ANYTHING,
            "status": _STATUS,
            "updatedAt": _WHEN,
        },
        required=("id", "action", "contentType", "exists", "readable", "publishable"),
    ),
    "ReviewWorkflow": _workflow(required=tuple(_STAGE)),
    "ReviewWorkflowInput": _workflow(required=("name",), stored=False),
    "Assignee": record({"id": WHOLE, "name": TEXT}),
    "EntryReview": record(
        {
            "workflow": ref("ReviewWorkflow"),
            "stage": WHOLE,
            "assignee": nullable(ref("Assignee")),
            "mayMove": FLAG,
        }
    ),
    "EntrySchedule": record(
        {
            "publishAt": _WHEN,
            "unpublishAt": _WHEN,
            "timezone": _MAYBE,
            "failed": several(
                record(
                    {
                        "action": one_of_texts(["publish", "unpublish"]),
                        "at": MOMENT,
                        "message": TEXT,
                    }
                )
            ),
        }
    ),
    "ScheduledAction": record(
        {
            "at": MOMENT,
            "timezone": _MAYBE,
            "entry": nullable(ref("ReleaseItem")),
            "release": nullable(record({"id": WHOLE, "name": TEXT})),
        }
    ),
    "ReleaseProblem": record({"itemId": WHOLE, "message": TEXT, "path": several(TEXT)}),
    "Localization": record(
        {**_VERSION, "publishedAt": _WHEN, "status": TEXT}, required=("id", "documentId", "locale")
    ),
    "CreatorInShort": record(
        {"id": WHOLE, "firstname": _MAYBE, "lastname": _MAYBE, "username": _MAYBE,
         "email": _MAYBE, "isActive": nullable(FLAG)},
        required=("id",),
    ),
    "Revision": record(
        {
            "id": WHOLE,
            "createdAt": MOMENT,
            "createdBy": nullable(ref("CreatorInShort")),
            "status": one_of_texts(["draft", "published"]),
            "locale": _MAYBE,
        }
    ),
    "EntryMeta": record(
        {"availableLocales": several(FREE_OBJECT), "availableStatus": several(FREE_OBJECT)}
    ),
    "RecentEntry": record(
        {
            "documentId": TEXT,
            "locale": _MAYBE,
            "title": ANYTHING,
            "contentTypeUid": TEXT,
            "contentTypeDisplayName": TEXT,
            "kind": TEXT,
            "updatedAt": _WHEN,
            "publishedAt": _WHEN,
            "status": _STATUS,
        },
        required=("documentId", "contentTypeUid"),
    ),
    "DocumentCounts": record({"draft": WHOLE, "published": WHOLE, "modified": WHOLE}),
    "LocaleCoverage": record(
        {
            "uid": TEXT,
            "displayName": TEXT,
            "kind": TEXT,
            "documents": WHOLE,
            "locales": several(record({"locale": TEXT, "documents": WHOLE, "published": WHOLE})),
        }
    ),
    "RelatedEntry": record(
        {"id": WHOLE, "documentId": TEXT, "locale": _MAYBE, "status": TEXT},
        required=("id", "documentId"),
    ),
    "MediaFile": record(
        {
            "id": WHOLE,
            "documentId": TEXT,
            "name": TEXT,
            "alternativeText": _MAYBE,
            "caption": _MAYBE,
            "url": TEXT,
            "mime": TEXT,
            "size": {"type": "number"},
            "width": nullable(WHOLE),
            "height": nullable(WHOLE),
            "formats": nullable(FREE_OBJECT),
        },
        required=("id", "name", "url", "mime"),
    ),
    "MediaFolder": record(
        {"id": WHOLE, "documentId": TEXT, "name": TEXT, "pathId": WHOLE, "path": TEXT},
        required=("id", "name"),
    ),
}  # fmt: skip
