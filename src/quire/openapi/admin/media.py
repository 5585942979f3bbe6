"""Describes the routes of the media library."""

from quire.openapi.admin.endpoint import SORTED, RouteDescription, Told, query, ref
from quire.openapi.schemas import (
    ANYTHING,
    FLAG,
    FREE_OBJECT,
    TEXT,
    WHOLE,
    any_of,
    nullable,
    record,
    several,
)

_FILE, _FOLDER = ref("MediaFile"), ref("MediaFolder")
_BYTES = {"type": "string", "format": "binary"}
_INFO = {"type": "string", "description": "What is said of the files, as JSON."}
_UPLOAD = record({"files": any_of(_BYTES, several(_BYTES)), "fileInfo": _INFO}, required=("files",))
_CHOSEN = {"fileIds": several(WHOLE), "folderIds": several(WHOLE)}
_AREA = ("left", "top", "width", "height")
_NEW_FOLDER = {"name": TEXT, "parent": nullable(WHOLE)}

MEDIA: Told = {
    ("POST", "upload"): RouteDescription(
        data=ANYTHING, bare=True, form=_UPLOAD, query=(query("id", WHOLE),)
    ),
    ("POST", "upload/actions/bulk-delete"): RouteDescription(body=record(_CHOSEN, required=())),
    ("POST", "upload/actions/bulk-move"): RouteDescription(
        body=record({**_CHOSEN, "destinationFolderId": nullable(WHOLE)}, required=())
    ),
    ("POST", "upload/actions/bulk-update"): RouteDescription(
        data=ANYTHING, bare=True, body=FREE_OBJECT
    ),
    ("POST", "upload/actions/generate-ai-metadata"): RouteDescription(bare=True),
    ("POST", "upload/actions/upload-from-urls"): RouteDescription(
        data=TEXT,
        bare=True,
        media_type="text/event-stream",
        body=record({"urls": several(TEXT), "folderId": nullable(WHOLE)}, required=("urls",)),
    ),
    ("POST", "upload/ai-metadata-jobs"): RouteDescription(bare=True),
    ("GET", "upload/ai-metadata-jobs/pending-count"): RouteDescription(bare=True),
    ("GET", "upload/configuration"): RouteDescription(),
    ("PUT", "upload/configuration"): RouteDescription(body=FREE_OBJECT),
    ("GET", "upload/files"): RouteDescription(
        data=FREE_OBJECT, bare=True, query=(*SORTED, query("folder"))
    ),
    ("POST", "upload/files"): RouteDescription(data=_FILE, bare=True, form=_UPLOAD),
    ("GET", "upload/files/:id"): RouteDescription(data=_FILE, bare=True),
    ("PUT", "upload/files/:id"): RouteDescription(data=_FILE, bare=True, body=FREE_OBJECT),
    ("POST", "upload/files/:id/replace"): RouteDescription(data=_FILE, bare=True, form=_UPLOAD),
    ("DELETE", "upload/files/:id"): RouteDescription(data=_FILE, bare=True),
    ("GET", "upload/folder-structure"): RouteDescription(data=several(FREE_OBJECT)),
    ("GET", "upload/folders"): RouteDescription(data=several(_FOLDER), query=SORTED),
    ("POST", "upload/folders"): RouteDescription(
        data=_FOLDER, body=record(_NEW_FOLDER, required=("name",))
    ),
    ("GET", "upload/folders/:id"): RouteDescription(data=_FOLDER),
    ("PUT", "upload/folders/:id"): RouteDescription(
        data=_FOLDER, body=record(_NEW_FOLDER, required=())
    ),
    ("GET", "upload/settings"): RouteDescription(),
    ("PUT", "upload/settings"): RouteDescription(body=FREE_OBJECT),
    ("GET", "admin/x/media/:id/usage"): RouteDescription(data=several(FREE_OBJECT)),
    ("POST", "admin/x/media/:id/crop"): RouteDescription(
        data=_FILE,
        bare=True,
        body=record({**dict.fromkeys(_AREA, WHOLE), "copy": FLAG}, required=_AREA),
    ),
    ("GET", "admin/x/media/:id/transform"): RouteDescription(
        data=record({"url": TEXT, "signed": FLAG}),
        query=(query("w", WHOLE), query("h", WHOLE), *map(query, ("fit", "format", "q"))),
    ),
    ("GET", "admin/x/media/transforms"): RouteDescription(
        data=record(
            {
                "sizes": several(WHOLE),
                "qualities": several(WHOLE),
                "formats": several(TEXT),
                "largest": WHOLE,
                "signs": FLAG,
            }
        )
    ),
    ("GET", "admin/x/media/unused"): RouteDescription(
        data=several(FREE_OBJECT), query=(query("after", WHOLE), query("limit", WHOLE))
    ),
    ("POST", "admin/x/media/import"): RouteDescription(
        data=_FILE,
        bare=True,
        body=record({"url": TEXT, "fileInfo": FREE_OBJECT}, required=("url",)),
    ),
}
