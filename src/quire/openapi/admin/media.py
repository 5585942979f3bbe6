"""The media library."""

from quire.openapi.admin.endpoint import SORTED, Said, Told, named, query
from quire.openapi.schemas import (
    ANYTHING,
    FREE_OBJECT,
    TEXT,
    WHOLE,
    any_of,
    nullable,
    record,
    several,
)

_FILE, _FOLDER = named("MediaFile"), named("MediaFolder")
_BYTES = {"type": "string", "format": "binary"}
_INFO = {"type": "string", "description": "What is said of the files, as JSON."}
_UPLOAD = record({"files": any_of(_BYTES, several(_BYTES)), "fileInfo": _INFO}, required=("files",))
_CHOSEN = {"fileIds": several(WHOLE), "folderIds": several(WHOLE)}
_NEW_FOLDER = {"name": TEXT, "parent": nullable(WHOLE)}

MEDIA: Told = {
    ("POST", "upload"): Said(data=ANYTHING, bare=True, form=_UPLOAD, query=(query("id", WHOLE),)),
    ("POST", "upload/actions/bulk-delete"): Said(body=record(_CHOSEN, required=())),
    ("POST", "upload/actions/bulk-move"): Said(
        body=record({**_CHOSEN, "destinationFolderId": nullable(WHOLE)}, required=())
    ),
    ("POST", "upload/actions/bulk-update"): Said(data=ANYTHING, bare=True, body=FREE_OBJECT),
    ("POST", "upload/actions/generate-ai-metadata"): Said(bare=True),
    ("POST", "upload/actions/upload-from-urls"): Said(
        data=TEXT,
        bare=True,
        media_type="text/event-stream",
        body=record({"urls": several(TEXT), "folderId": nullable(WHOLE)}, required=("urls",)),
    ),
    ("POST", "upload/ai-metadata-jobs"): Said(bare=True),
    ("GET", "upload/ai-metadata-jobs/pending-count"): Said(bare=True),
    ("GET", "upload/configuration"): Said(),
    ("PUT", "upload/configuration"): Said(body=FREE_OBJECT),
    ("GET", "upload/files"): Said(data=FREE_OBJECT, bare=True, query=(*SORTED, query("folder"))),
    ("POST", "upload/files"): Said(data=_FILE, bare=True, form=_UPLOAD),
    ("GET", "upload/files/:id"): Said(data=_FILE, bare=True),
    ("PUT", "upload/files/:id"): Said(data=_FILE, bare=True, body=FREE_OBJECT),
    ("POST", "upload/files/:id/replace"): Said(data=_FILE, bare=True, form=_UPLOAD),
    ("DELETE", "upload/files/:id"): Said(data=_FILE, bare=True),
    ("GET", "upload/folder-structure"): Said(data=several(FREE_OBJECT)),
    ("GET", "upload/folders"): Said(data=several(_FOLDER), query=SORTED),
    ("POST", "upload/folders"): Said(data=_FOLDER, body=record(_NEW_FOLDER, required=("name",))),
    ("GET", "upload/folders/:id"): Said(data=_FOLDER),
    ("PUT", "upload/folders/:id"): Said(data=_FOLDER, body=record(_NEW_FOLDER, required=())),
    ("GET", "upload/settings"): Said(),
    ("PUT", "upload/settings"): Said(body=FREE_OBJECT),
    ("GET", "admin/x/media/:id/usage"): Said(data=several(FREE_OBJECT)),
    ("GET", "admin/x/media/unused"): Said(
        data=several(FREE_OBJECT), query=(query("after", WHOLE), query("limit", WHOLE))
    ),
    ("POST", "admin/x/media/import"): Said(
        data=_FILE,
        bare=True,
        body=record({"url": TEXT, "fileInfo": FREE_OBJECT}, required=("url",)),
    ),
}
