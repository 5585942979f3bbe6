"""Describes the routes of the content manager."""

from quire.openapi.admin.endpoint import (
    DOCUMENT_IDS,
    LOCALE,
    PAGES,
    SORTED,
    STATUS,
    RouteDescription,
    Told,
    page_of,
    query,
    ref,
)
from quire.openapi.schemas import (
    FLAG,
    FREE_OBJECT,
    MOMENT,
    TEXT,
    WHOLE,
    any_of,
    nullable,
    one_of_texts,
    record,
    several,
)
from quire.schema.attributes.json_schema import JsonSchema

_ENTRY, _INPUT = ref("ManagedEntry"), ref("EntryInput")
_NONE = record({}, closed=True)
_SHOWN = record({"data": any_of(_ENTRY, _NONE), "meta": ref("EntryMeta")}, required=())
_COUNT = record({"count": WHOLE})
_COLLECTION, _SINGLE = "content-manager/collection-types/:uid", "content-manager/single-types/:uid"
_ONE = (LOCALE, STATUS, query("populate"))
_RECENT = several(ref("RecentEntry"))
_DISCARDING = record({"discardDraft": FLAG}, required=())
_CONFIGURATION = record(
    {"settings": FREE_OBJECT, "metadatas": FREE_OBJECT, "layouts": FREE_OBJECT}, required=()
)

_URLS: JsonSchema = {"type": "object", "additionalProperties": TEXT}
_PREVIEWS = record({"previews": _URLS, "frameSources": several(TEXT)})


def _written(body: JsonSchema = _INPUT) -> RouteDescription:
    return RouteDescription(data=_SHOWN, bare=True, body=body, query=(LOCALE,))


def _many() -> RouteDescription:
    return RouteDescription(data=_COUNT, bare=True, body=DOCUMENT_IDS, query=(LOCALE,))


MODELS: Told = {
    ("GET", "content-manager/init"): RouteDescription(),
    ("GET", "content-manager/components"): RouteDescription(data=several(FREE_OBJECT)),
    ("GET", "content-manager/components/:uid/configuration"): RouteDescription(),
    ("PUT", "content-manager/components/:uid/configuration"): RouteDescription(body=_CONFIGURATION),
    ("GET", "content-manager/content-types"): RouteDescription(
        data=several(FREE_OBJECT),
        query=(query("kind", one_of_texts(["collectionType", "singleType"])),),
    ),
    ("GET", "content-manager/content-types-settings"): RouteDescription(data=several(FREE_OBJECT)),
    ("GET", "content-manager/content-types/:uid/configuration"): RouteDescription(),
    ("PUT", "content-manager/content-types/:uid/configuration"): RouteDescription(
        body=_CONFIGURATION
    ),
    ("GET", "content-manager/homepage/count-documents"): RouteDescription(
        data=ref("DocumentCounts")
    ),
    ("GET", "content-manager/homepage/recent-documents"): RouteDescription(
        data=_RECENT, query=(query("action", one_of_texts(["update", "publish"])),)
    ),
}

ENTRIES: Told = {
    ("GET", _COLLECTION): RouteDescription(
        data=page_of(_ENTRY),
        bare=True,
        query=(
            *SORTED,
            LOCALE,
            STATUS,
            query("fields"),
            query("columns"),
            query("populate"),
            query("missingLocale"),
            query("reviewStage", WHOLE),
            query("reviewAssignee", WHOLE),
        ),
    ),
    ("POST", _COLLECTION): RouteDescription(
        data=any_of(_SHOWN, _ENTRY), bare=True, body=_INPUT, query=(LOCALE,)
    ),
    ("GET", f"{_COLLECTION}/:id"): RouteDescription(data=_SHOWN, bare=True, query=_ONE),
    ("PUT", f"{_COLLECTION}/:id"): _written(),
    ("DELETE", f"{_COLLECTION}/:id"): RouteDescription(bare=True, query=(LOCALE,)),
    ("GET", f"{_COLLECTION}/:id/actions/countDraftRelations"): RouteDescription(query=(LOCALE,)),
    ("POST", f"{_COLLECTION}/:id/actions/publish"): _written(),
    ("POST", f"{_COLLECTION}/:id/actions/unpublish"): _written(_DISCARDING),
    ("POST", f"{_COLLECTION}/:id/actions/discard"): _written(),
    ("POST", f"{_COLLECTION}/actions/publish"): _written(),
    ("POST", f"{_COLLECTION}/actions/bulkPublish"): _many(),
    ("POST", f"{_COLLECTION}/actions/bulkUnpublish"): _many(),
    ("POST", f"{_COLLECTION}/actions/bulkDelete"): _many(),
    ("POST", f"{_COLLECTION}/actions/bulkFindForValidation"): RouteDescription(
        data=record({"results": several(_ENTRY)}),
        bare=True,
        body=DOCUMENT_IDS,
        query=(LOCALE,),
    ),
    ("GET", f"{_COLLECTION}/actions/countManyEntriesDraftRelations"): RouteDescription(
        data=WHOLE, query=(query("documentIds", several(TEXT)), LOCALE)
    ),
    ("POST", f"{_COLLECTION}/clone/:id"): _written(),
    ("POST", f"{_COLLECTION}/auto-clone/:id"): _written(),
    ("GET", _SINGLE): RouteDescription(data=_SHOWN, bare=True, query=_ONE),
    ("PUT", _SINGLE): _written(),
    ("DELETE", _SINGLE): RouteDescription(bare=True, query=(LOCALE,)),
    ("GET", f"{_SINGLE}/actions/countDraftRelations"): RouteDescription(query=(LOCALE,)),
    ("POST", f"{_SINGLE}/actions/publish"): _written(),
    ("POST", f"{_SINGLE}/actions/unpublish"): _written(_DISCARDING),
    ("POST", f"{_SINGLE}/actions/discard"): _written(),
    ("GET", "content-manager/relations/:model/:field"): RouteDescription(
        data=page_of(ref("RelatedEntry")),
        bare=True,
        query=(*PAGES, query("_q"), query("id"), query("idsToOmit", several(TEXT)), LOCALE),
    ),
    ("GET", "content-manager/relations/:model/:id/:field"): RouteDescription(
        data=record({"results": several(ref("RelatedEntry"))}, required=()),
        bare=True,
        query=(*PAGES, LOCALE, STATUS),
    ),
    ("POST", "content-manager/uid/generate"): RouteDescription(
        data=TEXT,
        body=record({"contentTypeUID": TEXT, "field": TEXT, "data": _INPUT}),
        query=(LOCALE,),
    ),
    ("POST", "content-manager/uid/check-availability"): RouteDescription(
        data=record({"isAvailable": FLAG, "suggestion": nullable(TEXT)}),
        bare=True,
        body=record({"contentTypeUID": TEXT, "field": TEXT, "value": TEXT}),
        query=(LOCALE,),
    ),
    ("GET", "i18n/content-manager/get-fill-from-locale/:model"): RouteDescription(
        query=(
            query("documentId"),
            query("sourceLocale"),
            query("targetLocale"),
            query("collectionType", one_of_texts(["collection-types", "single-types"])),
        )
    ),
    ("POST", "i18n/content-manager/actions/get-non-localized-fields"): RouteDescription(
        data=record({"nonLocalizedFields": FREE_OBJECT, "localizations": several(FREE_OBJECT)}),
        bare=True,
        body=record({"model": TEXT, "id": {"type": ["integer", "string"]}, "locale": TEXT}),
    ),
}

_RELEASES, _REVIEW = "admin/x/releases", "admin/x/review"
_RELEASE = RouteDescription(data=ref("ReleaseInFull"))
_NAMED = record({"name": TEXT})
_ACTION = one_of_texts(["publish", "unpublish"])
_CHANGES = several(record({"documentId": TEXT, "fields": FREE_OBJECT}))
_VIEW = {"uid": TEXT, "name": TEXT, "shared": FLAG, "state": FREE_OBJECT}

OWN: Told = {
    ("GET", "admin/x/home"): RouteDescription(
        data=record(
            {
                "edited": _RECENT,
                "published": _RECENT,
                "documents": ref("DocumentCounts"),
                "types": several(
                    record({"uid": TEXT, "displayName": TEXT, "kind": TEXT, "count": WHOLE})
                ),
                "failingWebhooks": nullable(
                    several(record({"id": TEXT, "name": TEXT, "count": WHOLE}))
                ),
            }
        )
    ),
    ("GET", "admin/x/locale-coverage"): RouteDescription(data=several(ref("LocaleCoverage"))),
    ("GET", "admin/x/locale-coverage/:uid"): RouteDescription(data=ref("LocaleCoverage")),
    ("GET", "admin/x/entry/:uid/:id"): RouteDescription(
        data=record(
            {
                "entry": any_of(_ENTRY, _NONE),
                "meta": ref("EntryMeta"),
                "published": nullable(_ENTRY),
                "references": WHOLE,
            }
        ),
        query=(LOCALE,),
    ),
    ("GET", "admin/x/references/:uid/:id"): RouteDescription(
        data=several(
            record(
                {"uid": TEXT, "attribute": TEXT, "count": WHOLE, "entries": several(FREE_OBJECT)}
            )
        )
    ),
    ("GET", "admin/x/difference/:uid/:id"): RouteDescription(
        data=record({"documentId": TEXT, "locale": nullable(TEXT), "fields": FREE_OBJECT}),
        query=(LOCALE,),
    ),
    ("POST", "admin/x/publish-check/:uid/:id"): RouteDescription(
        data=record(
            {
                "documentId": TEXT,
                "locale": nullable(TEXT),
                "problems": several(record({"path": several(TEXT), "message": TEXT})),
            }
        ),
        query=(LOCALE,),
    ),
    ("POST", "admin/x/bulk-edit/:uid"): RouteDescription(
        data=record({"preview": FLAG, "count": WHOLE, "changes": _CHANGES}),
        body=record(
            {"documentIds": several(TEXT), "data": _INPUT, "preview": FLAG},
            required=("documentIds", "data"),
        ),
        query=(LOCALE,),
    ),
    ("GET", "admin/x/previews"): RouteDescription(data=_PREVIEWS),
    ("PUT", "admin/x/previews"): RouteDescription(
        data=_PREVIEWS, body=record({"previews": _URLS}, required=("previews",))
    ),
    ("POST", "admin/x/samples/:uid"): RouteDescription(
        data=record({"count": WHOLE, "documentIds": several(TEXT)}),
        body=record(
            {"count": {**WHOLE, "minimum": 1, "maximum": 100, "default": 10}, "publish": FLAG},
            required=(),
        ),
        query=(LOCALE,),
    ),
    ("GET", "admin/x/revisions/:uid/:id"): RouteDescription(
        data=several(ref("Revision")), query=(LOCALE,)
    ),
    ("GET", "admin/x/revisions/:uid/:id/:revision"): RouteDescription(
        data={"allOf": [ref("Revision"), record({"data": FREE_OBJECT, "fields": FREE_OBJECT})]},
        query=(LOCALE,),
    ),
    ("POST", "admin/x/revisions/:uid/:id/:revision/restore"): RouteDescription(
        data=record(
            {
                "data": any_of(_ENTRY, _NONE),
                "meta": ref("EntryMeta"),
                "missing": several(record({"field": TEXT, "documentId": TEXT})),
            }
        ),
        bare=True,
        query=(LOCALE,),
    ),
    ("POST", "admin/x/export/:uid"): RouteDescription(
        data=record(
            {"data": several(_ENTRY), "meta": record({"pagination": ref("AdminPagination")})}
        ),
        bare=True,
        body=record(
            {"format": one_of_texts(["json", "csv"]), "documentIds": several(TEXT)}, required=()
        ),
        query=(*SORTED, LOCALE, STATUS),
    ),
    ("GET", _RELEASES): RouteDescription(
        data=record(
            {
                "data": several(ref("Release")),
                "meta": record({"pagination": ref("AdminPagination")}),
            }
        ),
        bare=True,
        query=(query("state", one_of_texts(["open", "done"])), *PAGES),
    ),
    ("POST", _RELEASES): RouteDescription(data=ref("ReleaseInFull"), body=_NAMED),
    ("GET", f"{_RELEASES}/:id"): _RELEASE,
    ("PUT", f"{_RELEASES}/:id"): RouteDescription(data=ref("ReleaseInFull"), body=_NAMED),
    ("DELETE", f"{_RELEASES}/:id"): _RELEASE,
    ("POST", f"{_RELEASES}/:id/items"): RouteDescription(
        data=ref("ReleaseInFull"),
        body=record(
            {
                "entries": several(
                    record(
                        {"contentType": TEXT, "documentId": TEXT, "locale": nullable(TEXT)},
                        required=("contentType", "documentId"),
                    )
                ),
                "action": _ACTION,
            },
            required=("entries",),
        ),
    ),
    ("PUT", f"{_RELEASES}/:id/items/:item"): RouteDescription(
        data=ref("ReleaseInFull"), body=record({"action": _ACTION})
    ),
    ("DELETE", f"{_RELEASES}/:id/items/:item"): _RELEASE,
    ("POST", f"{_RELEASES}/:id/check"): RouteDescription(
        data=record({"id": WHOLE, "problems": several(ref("ReleaseProblem"))})
    ),
    ("POST", f"{_RELEASES}/:id/publish"): _RELEASE,
    ("POST", f"{_RELEASES}/:id/undo"): RouteDescription(
        data=ref("ReleaseUndone"),
        body=record({"skipChanged": FLAG}, required=()),
    ),
    ("PUT", f"{_RELEASES}/:id/schedule"): RouteDescription(
        data=record({"id": WHOLE, "scheduledAt": nullable(MOMENT), "timezone": nullable(TEXT)}),
        body=record({"scheduledAt": nullable(MOMENT), "timezone": nullable(TEXT)}, required=()),
    ),
    ("GET", f"{_REVIEW}/workflows"): RouteDescription(data=several(ref("ReviewWorkflow"))),
    ("POST", f"{_REVIEW}/workflows"): RouteDescription(
        data=ref("ReviewWorkflow"), body=ref("ReviewWorkflowInput")
    ),
    ("PUT", f"{_REVIEW}/workflows/:id"): RouteDescription(
        data=ref("ReviewWorkflow"), body=ref("ReviewWorkflowInput")
    ),
    ("DELETE", f"{_REVIEW}/workflows/:id"): RouteDescription(data=ref("ReviewWorkflow")),
    ("GET", f"{_REVIEW}/entries/:uid/:id"): RouteDescription(
        data=nullable(ref("EntryReview")), query=(LOCALE,)
    ),
    ("PUT", f"{_REVIEW}/entries/:uid/:id"): RouteDescription(
        data=ref("EntryReview"),
        body=record({"stage": WHOLE, "assignee": nullable(WHOLE)}, required=()),
        query=(LOCALE,),
    ),
    ("GET", f"{_REVIEW}/assignees/:uid"): RouteDescription(data=several(ref("Assignee"))),
    ("GET", "admin/x/schedule"): RouteDescription(data=several(ref("ScheduledAction"))),
    ("GET", "admin/x/schedule/:uid/:id"): RouteDescription(
        data=ref("EntrySchedule"), query=(LOCALE,)
    ),
    ("PUT", "admin/x/schedule/:uid/:id"): RouteDescription(
        data=ref("EntrySchedule"),
        body=record(
            {
                "publishAt": nullable(MOMENT),
                "unpublishAt": nullable(MOMENT),
                "timezone": nullable(TEXT),
            },
            required=(),
        ),
        query=(LOCALE,),
    ),
    ("GET", "admin/x/entry-releases/:uid/:id"): RouteDescription(
        data=several(record({"id": WHOLE, "name": TEXT, "itemId": WHOLE, "action": _ACTION})),
        query=(LOCALE,),
    ),
    ("GET", "admin/x/views"): RouteDescription(
        data=several(ref("SavedView")), query=(query("uid"),)
    ),
    ("POST", "admin/x/views"): RouteDescription(
        data=ref("SavedView"), body=record(_VIEW, required=("uid", "name", "state"))
    ),
    ("PUT", "admin/x/views/:id"): RouteDescription(
        data=ref("SavedView"),
        body=record({"name": TEXT, "shared": FLAG, "state": FREE_OBJECT}, required=()),
    ),
    ("DELETE", "admin/x/views/:id"): RouteDescription(data=ref("SavedView")),
}
