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
