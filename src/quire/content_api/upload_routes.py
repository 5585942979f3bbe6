"""Files of the media library: list, upload, change, replace, delete."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from quire.access.ability import FullAccess, project_rules_of, rules_of
from quire.access.declared_routes import ProjectSchema, document_fields
from quire.content_api.envelope import paged, respond_bare, respond_encoded
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Authorizer, Route, RouteGroup
from quire.content_api.upload_form import FILE_INFO, FileForm, read_files
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item, members
from quire.database.program import Program
from quire.document_service.read_service import ReadService
from quire.document_service.validate.problems import Problem, validation_error
from quire.errors import ForbiddenError, NotFoundError, ValidationError
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.attributes.validation import ABSENT, AbsentType, not_of_type
from quire.schema.model import FILE_UID
from quire.settings import LimitSettings, UploadSettings
from quire.uploads.file_info import (
    NO_FILE_INFO,
    FileInfo,
    information_of_new,
    information_of_one,
)
from quire.uploads.file_rows import NO_ENTRY, NO_SUCH_FILE, Attachment
from quire.uploads.processing import IncomingFile
from quire.uploads.service import MediaLibrary, Read

NOT_FOUND = "file.notFound"
NO_FILES = "Files are empty"
MULTIPLE_FILES = "Cannot replace a file with multiple ones"
MULTIPLE_IDS = "File id is required and must be a single value"
CREATED = 201
MULTIPART = b"multipart/form-data"
_MAX_ID = 2**53


Percent = Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": 100})]


class FocalPoint(Struct):
    """The point of a picture that is always shown."""

    x: Percent
    y: Percent


class FileInformation(Struct, rename="camel"):
    """Properties of a file."""

    name: str | UnsetType = UNSET
    alternative_text: str | UnsetType | None = UNSET
    caption: str | UnsetType | None = UNSET
    focal_point: FocalPoint | UnsetType | None = UNSET


class FileDescription(Struct, rename="camel"):
    """New properties of the file with the ``id``."""

    file_info: FileInformation


class UploadForm(Struct, rename="camel"):
    """New files; ``ref``, ``refId`` and ``field`` together attach them to an entry.

    That needs the permission to update it. Without ``files``, ``fileInfo`` has new properties of
    the file with the ``id``.
    """

    files: list[bytes] | UnsetType = UNSET
    file_info: Annotated[
        str | list[str] | UnsetType, Meta(description="JSON, once for each file.")
    ] = UNSET
    ref: Annotated[str | UnsetType, Meta(description="The uid of a content type.")] = UNSET
    ref_id: Annotated[int | UnsetType, Meta(description="The id of an entry.")] = UNSET
    field: Annotated[str | UnsetType, Meta(description="The attribute that holds files.")] = UNSET


class LibraryFileFields(Struct, rename="camel"):
    """A file of the media library."""

    schema_name: ClassVar[str] = "LibraryFile"
    is_url_signed: bool


LibraryFile = Annotated[LibraryFileFields, document_fields(FILE_UID)]


def _page_meta(models: Any) -> JsonSchema:  # noqa: ANN401 - see `ProjectSchema`
    from quire.openapi.content.documents import page_meta  # noqa: PLC0415 - to describe alone

    return page_meta(models.schemas)


class UploadQuery(Struct):
    """The file to replace or to update; without it, files are added."""

    id: Annotated[int | UnsetType, Meta(description="The file to change.")] = UNSET


class FilePage(Struct):
    """A page of files."""

    data: list[LibraryFile]
    meta: Annotated[Any, ProjectSchema(_page_meta)]


class FileApi:
    """``/upload`` and ``/upload/files``."""

    def __init__(
        self,
        reader: ReadService,
        library: MediaLibrary,
        authorizer: Authorizer,
        *,
        limits: LimitSettings,
        uploads: UploadSettings,
    ) -> None:
        self._reader = reader
        self._library = library
        self._authorizer = authorizer
        self._limits = limits
        self._uploads = uploads
        self._type = reader.schema.content_types[FILE_UID]

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup("Files", "upload", "plugin::upload.content-api.", FILE_UID)
        file, path = LibraryFile, "/files/:id"
        find, page = self.list_files, self.list_files_in_pages
        yield route("GET", "/files", "find", find, query="window", response=list[LibraryFile])
        yield route("GET", "/files/page", "findPage", page, query="page", response=FilePage)
        yield route("GET", path, "findOne", self.find_file, query="shape", response=file)
        yield route("DELETE", path, "destroy", self.delete_file, query="shape", response=file)
        yield route(
            "POST",
            "",
            "upload",
            self.upload_files,
            body=(UploadForm, FileDescription),
            query=UploadQuery,
            response=Annotated[
                list[LibraryFile], Meta(description="The files that were uploaded.")
            ],
            status=CREATED,
            other_responses={
                200: Annotated[LibraryFile, Meta(description="The file that was changed.")]
            },
            errors=(404,),
            streams=True,
        )

    async def list_files(self, request: Request) -> Response:
        """List files.

        Root ``start`` and ``limit`` cut the list, pages do not exist.
        """
        ability = request.principal.ability
        prepared = await self._reader.prepare(self._type, "window", request.raw_query, ability)
        body = await self._reader.encoded_rows(
            prepared, request.version, serializer=self._serialize_file
        )
        return respond_encoded(body)

    async def list_files_in_pages(self, request: Request) -> Response:
        """List files in pages."""
        ability = request.principal.ability
        prepared = await self._reader.prepare(self._type, "list", request.raw_query, ability)
        body = await self._reader.encoded_rows(
            prepared,
            request.version,
            serializer=self._serialize_file,
            wrap=paged(prepared.pagination),
        )
        return respond_encoded(body)

    async def find_file(self, request: Request) -> Response:
        """Show a file.

        All of the query is checked, but only ``populate`` counts.
        """
        file_id = row_id(request.parameters["id"])
        prepared = await self._prepare(request)
        if file_id is None:
            raise NotFoundError(NOT_FOUND)
        encoded = await self._reader.encoded_row(prepared, file_id, serializer=self._serialize_file)
        if encoded is None:
            raise NotFoundError(NOT_FOUND)
        return respond_encoded(encoded.text)

    async def delete_file(self, request: Request) -> Response:
        """Delete a file with all its sizes, and return it."""
        read = self._file_reader(await self._prepare(request))
        file_id = row_id(request.parameters["id"])
        removed_files = [] if file_id is None else await self._library.remove([file_id], read=read)
        if not removed_files:
            raise NotFoundError(NOT_FOUND)
        return respond_bare(removed_files[0])

    async def upload_files(self, request: Request) -> Response:
        """Upload files; with ``id``, replace the bytes or the metadata of one."""
        content_type = request.headers.get(b"content-type", b"")
        if not content_type.strip().lower().startswith(MULTIPART):
            return await self._describe(request, request.body)
        async with self._library.image_workers.bench() as bench:
            form = await read_files(
                content_type,
                request.receive,
                bench,
                text_limit=self._limits.json_body,
                size_limit=self._uploads.size_limit,
                total_limit=max(self._uploads.size_limit, self._uploads.request_limit),
            )
            if form.files:
                return await self._upload(request, form)
        return await self._describe(request, {FILE_INFO: form.file_info()})

    async def _upload(self, request: Request, form: FileForm) -> Response:
        file_info = form.file_info()
        if _names_file(request):
            return await self._replace(request, form.files, file_info)
        files = await self._library.add(
            form.files,
            lambda rejected: information_of_new(file_info, len(form.files), rejected=rejected),
            read=self._public_data,
            attachment=self._attachment(request, form),
        )
        return respond_bare(files, CREATED)

    async def _replace(
        self, request: Request, files: list[IncomingFile], file_info: object | AbsentType
    ) -> Response:
        if len(files) > 1:
            raise ValidationError(MULTIPLE_FILES)
        new_info = information_of_one(file_info)
        file = await self._library.replace(
            _file_id(request), files[0], new_info, read=self._public_data
        )
        return respond_bare(file)

    async def _describe(self, request: Request, body: object) -> Response:
        """Change the metadata of a file, by a form without files or by JSON."""
        if not _names_file(request):
            raise ValidationError(NO_FILES)
        file_id = _file_id(request)
        files = await self._library.describe(
            [(file_id, _read_file_info(body))], read=self._public_data
        )
        return respond_bare(files[0])

    def _attachment(self, request: Request, form: FileForm) -> Attachment | None:
        """Return where files are attached, if anywhere.

        Attaching a file changes the entry, and requires the permission to update it. Raises
        ForbiddenError, and ValidationError for a missing entry or attribute.
        """
        uid, entry, field = (form.text(name) for name in ("ref", "refId", "field"))
        if not uid or not entry or not field:
            return None
        self._authorizer.require(request.principal, f"{uid}.update", uid)
        ability = request.principal.ability
        hidden = project_rules_of(ability).narrow(uid, "find", "publish")
        if hidden or f"{uid}.update" in rules_of(ability):
            # The request names the entry only by a row; a caller with restricted rules can attach
            # the file with the entry.
            raise ForbiddenError
        entry_id = row_id(entry)
        if entry_id is None or uid not in self._reader.schema.content_types:
            raise ValidationError(NO_ENTRY)
        return Attachment(uid=uid, entry_id=entry_id, field=field)

    async def _prepare(self, request: Request) -> PreparedRead:
        ability = request.principal.ability
        await self._reader.prepare(self._type, "entry", request.raw_query, ability)
        return await self._reader.prepare(self._type, "populated", request.raw_query, ability)

    def _file_reader(self, prepared: PreparedRead) -> Read[Raw]:
        def read(file_id: int) -> Program[Raw]:
            encoded = yield from prepared.encoded_row(file_id, serializer=self._serialize_file)
            if encoded is None:
                raise NotFoundError(NOT_FOUND)
            return Raw(encoded.text)

        return read

    def _serialize_file(self, item: Item) -> dict[str, Any]:
        """Add, as Strapi does, whether the URL of a file is signed."""
        return {**members(item), "isUrlSigned": self._library.links is not None}

    def _public_data(self, file_id: int) -> Program[Raw]:
        """Return the public data of a file that the caller has just written."""
        prepared = self._reader.prepare_small(self._type, "populated", b"", FullAccess())
        return (yield from self._file_reader(prepared)(file_id))


def row_id(text: str) -> int | None:
    """Parse a row id of a path; ``None`` when it is invalid."""
    if not text.isascii() or not text.isdigit():
        return None
    number = int(text) if len(text) <= len(str(_MAX_ID)) else _MAX_ID
    return number if number < _MAX_ID else None


def _names_file(request: Request) -> bool:
    """Tell whether a query has an ``id``, valid or not."""
    return request.query.get("id", "") not in (None, "")  # a list cannot be in a set


def _file_id(request: Request) -> int:
    """Return the file id in a query. Raises ValidationError, or NotFoundError."""
    value = request.query.get("id")
    if not isinstance(value, str):
        raise ValidationError(MULTIPLE_IDS)
    file_id = row_id(value)
    if file_id is None:
        raise NotFoundError(NO_SUCH_FILE)
    return file_id


def _read_file_info(body: object) -> FileInfo:
    """Parse the metadata of a file in a body. Raises ValidationError."""
    if body is None:
        return NO_FILE_INFO
    if not isinstance(body, Mapping):
        message = f"this {not_of_type('object', None, body)}"
        raise validation_error([Problem((), message, None)])
    return information_of_one(body.get(FILE_INFO, ABSENT))
