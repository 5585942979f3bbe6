"""Describes the routes of the media library."""

from quire.openapi.content.documents import page_meta
from quire.openapi.content.endpoint import DescriptionContext, Table
from quire.openapi.operations import (
    FORM,
    JSON,
    DescribedBody,
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    path_parameter,
)
from quire.openapi.schemas import FLAG, TEXT, WHOLE, any_of, nullable, record, several
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import FILE_UID, ContentType

_TAG = "Files"
_ID = path_parameter("id", WHOLE, "The id of the file; documentIds are unknown here.")
_PERCENT: JsonSchema = {"type": "number", "minimum": 0, "maximum": 100}
_INFORMATION = record(
    {
        "name": TEXT,
        "alternativeText": nullable(TEXT),
        "caption": nullable(TEXT),
        "focalPoint": nullable(record({"x": _PERCENT, "y": _PERCENT})),
    },
    required=(),
    description="What is said of a file.",
)


def _type(describing: DescriptionContext) -> ContentType:
    return describing.models.schema.content_types[FILE_UID]


def _file(describing: DescriptionContext) -> JsonSchema:
    """Return the reference to a file of these routes, with a flag for signed URLs."""
    model = _type(describing)

    def make() -> JsonSchema:
        members = {**describing.models.shown(model), "isUrlSigned": FLAG}
        return record(members, required=("id", "documentId", "isUrlSigned"))

    return describing.schemas.refer(("library file",), "LibraryFile", make)


def _find(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="listFiles",
        summary="List files",
        tag=_TAG,
        parameters=describing.queries.window(_type(describing)),
        responses=[DescribedResponse(schema=several(_file(describing)), description="All files.")],
    )


def _find_page(describing: DescriptionContext) -> DescribedOperation:
    page = record({"data": several(_file(describing)), "meta": page_meta(describing.schemas)})
    return DescribedOperation(
        id="listFilesInPages",
        summary="List files in pages",
        tag=_TAG,
        parameters=describing.queries.page(_type(describing)),
        responses=[DescribedResponse(schema=page, description="A page of files.")],
    )


def _find_one(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="findFile",
        summary="Show a file",
        tag=_TAG,
        parameters=[_ID, *describing.queries.shape(_type(describing))],
        responses=[DescribedResponse(schema=_file(describing), description="The file.")],
        errors=(400, 401, 403, 404),
    )


def _destroy(describing: DescriptionContext) -> DescribedOperation:
    return DescribedOperation(
        id="deleteFile",
        summary="Delete a file with all its sizes",
        tag=_TAG,
        parameters=[_ID, *describing.queries.shape(_type(describing))],
        responses=[
            DescribedResponse(schema=_file(describing), description="The file that it was.")
        ],
        errors=(400, 401, 403, 404),
    )


def _upload(describing: DescriptionContext) -> DescribedOperation:
    file = _file(describing)
    return DescribedOperation(
        id="uploadFiles",
        summary="Upload files; with `id`, replace one or say something else of it",
        tag=_TAG,
        description="`ref`, `refId` and `field` together attach new files to an entry, which takes "
        "the permission to update it. Without `files`, `fileInfo` is said of the file of `id`.",
        parameters=[DescribedParameter(name="id", schema=WHOLE, description="The file to change.")],
        body=DescribedBody(content={FORM: _form(), JSON: record({"fileInfo": _INFORMATION})}),
        responses=[
            DescribedResponse(
                status=201, schema=several(file), description="The files that were uploaded."
            ),
            DescribedResponse(schema=file, description="The file that was changed."),
        ],
        errors=(400, 401, 403, 404, 413),
    )


def _form() -> JsonSchema:
    file: JsonSchema = {"type": "string", "format": "binary"}
    said = {"description": "JSON, once for each file.", **any_of(TEXT, several(TEXT))}
    return record(
        {
            "files": several(file),
            "fileInfo": said,
            "ref": {**TEXT, "description": "The uid of a content type."},
            "refId": {**WHOLE, "description": "The id of an entry."},
            "field": {**TEXT, "description": "The attribute that holds files."},
        },
        required=(),
    )


FILE_ROUTES: Table = {
    ("GET", "upload/files"): _find,
    ("GET", "upload/files/page"): _find_page,
    ("GET", "upload/files/:id"): _find_one,
    ("DELETE", "upload/files/:id"): _destroy,
    ("POST", "upload"): _upload,
}
