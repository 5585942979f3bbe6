"""Single files: list, upload, describe, replace, delete."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import PUBLISH
from quire.access.admin_actions import UPDATE as UPDATE_ENTRY
from quire.access.principal import Administrator
from quire.admin_api.media.reads import MediaJson, MediaReads
from quire.admin_api.media.request_bodies import FileDescription, MediaFile, UploadForm
from quire.admin_api.response_types import CREATED, MEDIA, OK, FreeObject, ListQuery
from quire.admin_api.router import SIGNED_IN
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.upload_form import FILE_INFO, FileForm, read_files
from quire.content_api.validators import id_of, path_id
from quire.content_manager.entry_status import is_published
from quire.content_manager.permissions import TypePermissions, covers
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import entry_origin
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.document_service.validate.problems import Problem, validation_error
from quire.errors import ApplicationError, ForbiddenError, NotFoundError
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, ReadPlan
from quire.query.resolve.scope import Slots
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.settings import LimitSettings, UploadSettings
from quire.uploads.file_info import (
    NO_FILE_INFO,
    FileInfo,
    information_of_new,
    information_of_one,
)
from quire.uploads.file_rows import NO_ENTRY, NO_SUCH_FILE, Attachment
from quire.uploads.permissions import CREATE, READ, UPDATE, FilePermissions
from quire.uploads.processing import IncomingFile
from quire.uploads.service import MediaLibrary


def require_attaching(
    engine: WriteEngine, ability: AdminAbility, uid: str, entry_id: int, field: str
) -> Program[None]:
    """Check that a principal may update an attribute of an entry.

    Published entries may be changed with the permission to publish. Raises ForbiddenError. A
    missing entry is no reason to refuse a principal who may update all of them.
    """
    content_type = engine.schema.content_types.get(uid)
    if content_type is None or not ability.allows(UPDATE_ENTRY, uid):
        raise ForbiddenError
    if ability.project_rules.narrow(uid, "find", "update", "publish"):
        # The request names the entry only by a row; a principal with restricted rules can name it
        # with the entry.
        raise ForbiddenError
    permissions = TypePermissions(ability, UPDATE_ENTRY, content_type)
    planner = Planner(engine)
    slots = Slots()
    id_filter = Comparison("id", Predicate.IN, (slots.add([entry_id]),))
    root = replace(planner.version_node(permissions), filter=id_filter)
    entries, _ = yield from planner.planned(ReadPlan(root=root), slots, ability).entries()
    if not entries:
        if permissions.row_filter(None) is not None:
            raise ForbiddenError
        return
    entry = entries[0]
    if not covers(permissions.require_on(entry_origin(entry)), field):
        raise ForbiddenError
    if content_type.draft_and_publish and is_published(entry):
        replace(permissions, action=PUBLISH).require_on(entry_origin(entry))


NO_FILES = "Files are empty"
MULTIPLE_FILES = "Cannot replace a file with multiple ones"
_MULTIPART = b"multipart/form-data"


class FileListQuery(ListQuery, kw_only=True):
    """Which files are listed."""

    folder: str | UnsetType = UNSET


class ChangedFileQuery(Struct):
    """The file to replace or to describe."""

    id: int | UnsetType = UNSET


class MediaFileApi:
    """``/upload`` and ``/upload/files``."""

    def __init__(
        self,
        reads: MediaReads,
        library: MediaLibrary,
        engine: WriteEngine,
        *,
        limits: LimitSettings,
        uploads: UploadSettings,
    ) -> None:
        self._reads = reads
        self._library = library
        self._engine = engine
        self._limits = limits
        self._uploads = uploads

    def routes(self) -> Iterator[Route]:
        """Yield the routes; more permissions may depend on the file."""
        route, file_response = RouteGroup(MEDIA, "upload"), MediaFile
        path, query, body = "/files", FileListQuery, FileDescription
        yield route("GET", path, READ, self.find, query=query, response=FreeObject)
        yield from self._upload_routes(route)
        path = "/files/:id"
        yield route("GET", path, READ, self.find_one, response=file_response)
        yield route("PUT", path, SIGNED_IN, self.describe_one, body=body, response=file_response)
        yield route("DELETE", path, UPDATE, self.delete, response=file_response)

    def _upload_routes(self, route: RouteGroup) -> Iterator[Route]:
        yield route(
            "POST",
            "",
            SIGNED_IN,
            self.upload,
            body=UploadForm,
            query=ChangedFileQuery,
            response=object,
            status=CREATED,
            streams=True,
        )
        for path, handler, status in (
            ("/files", self.upload_one, CREATED),
            ("/files/:id/replace", self.replace_one, OK),
        ):
            yield route(
                "POST",
                path,
                SIGNED_IN,
                handler,
                body=UploadForm,
                response=MediaFile,
                status=status,
                streams=True,
            )

    async def find(self, request: Request) -> Response:
        """List files."""
        permissions = FilePermissions(request.administrator.ability, READ)
        database, store = self._library.rows.database, self._library.rows.store
        allowed_creators = await database.read(lambda: permissions.allowed_creators(store))
        return respond_bare(
            await self._reads.files(request.query, allowed_creators, request.version)
        )

    async def find_one(self, request: Request) -> Response:
        """Show a file."""
        file_id = path_id(request, NO_SUCH_FILE)
        permissions = FilePermissions(request.administrator.ability, READ)
        rows = self._library.rows

        def read() -> Program[MediaJson]:
            file = yield from self._reads.file(file_id)
            yield from permissions.check(rows.store, [file_id])
            return file

        return respond_bare(await rows.database.read(read, snapshot=True))

    async def upload(self, request: Request) -> Response:
        """Upload files; with ``id``, replace the bytes or the metadata of one."""
        requested_id = request.query.get("id", "")
        if requested_id == "":
            return respond_bare(await self._upload(request), CREATED)
        file_id = id_of(requested_id)
        if file_id is None:
            raise NotFoundError(NO_SUCH_FILE)
        if not _is_form(request):
            return await self._describe(request.administrator, file_id, request.body)
        async with self._library.image_workers.bench() as bench:
            form = await self._form(request, bench)
            if form.files:
                return await self._replace(request.administrator, file_id, form)
        body = {FILE_INFO: form.file_info()}
        return await self._describe(request.administrator, file_id, body)

    async def upload_one(self, request: Request) -> Response:
        """Upload a file."""
        return respond_bare((await self._upload(request))[0], CREATED)

    async def describe_one(self, request: Request) -> Response:
        """Change the metadata of a file."""
        return await self._describe(
            request.administrator, path_id(request, NO_SUCH_FILE), request.body
        )

    async def replace_one(self, request: Request) -> Response:
        """Replace the bytes of a file."""
        file_id = path_id(request, NO_SUCH_FILE)
        if not _is_form(request):
            raise ApplicationError(NO_FILES)
        async with self._library.image_workers.bench() as bench:
            form = await self._form(request, bench)
            if not form.files:
                raise ApplicationError(NO_FILES)
            return await self._replace(request.administrator, file_id, form)

    async def delete(self, request: Request) -> Response:
        """Delete a file with all its sizes, and return it."""
        file_id = path_id(request, NO_SUCH_FILE)
        permissions = FilePermissions(request.administrator.ability, UPDATE)
        files = await self._library.remove(
            [file_id], read=self._reads.file, check=permissions.check
        )
        if not files:
            raise NotFoundError(NO_SUCH_FILE)
        return respond_bare(files[0])

    async def _upload(self, request: Request) -> list[MediaJson]:
        administrator = request.administrator
        FilePermissions(administrator.ability, CREATE).require()
        if not _is_form(request):
            raise ApplicationError(NO_FILES)
        async with self._library.image_workers.bench() as bench:
            form = await self._form(request, bench)
            if not form.files:
                raise ApplicationError(NO_FILES)
            file_info, count = form.file_info(), len(form.files)
            return await self._library.add(
                form.files,
                lambda rejected: information_of_new(
                    file_info, count, rejected=rejected, folders=True
                ),
                read=self._reads.after_write,
                attachment=self._attachment(administrator.ability, form),
                into_api_folder=False,
                by=administrator.id,
            )

    async def _replace(
        self, administrator: Administrator, file_id: int, form: FileForm
    ) -> Response:
        if len(form.files) > 1:
            raise ApplicationError(MULTIPLE_FILES)
        incoming_file: IncomingFile = form.files[0]
        file = await self._library.replace(
            file_id,
            incoming_file,
            information_of_one(form.file_info(), folders=True),
            read=self._reads.after_write,
            by=administrator.id,
            check=FilePermissions(administrator.ability, UPDATE).check,
        )
        return respond_bare(file)

    async def _describe(self, administrator: Administrator, file_id: int, body: object) -> Response:
        files = await self._library.describe(
            [(file_id, _information(body))],
            read=self._reads.after_write,
            by=administrator.id,
            check=FilePermissions(administrator.ability, UPDATE).check,
        )
        return respond_bare(files[0])

    async def _form(self, request: Request, bench: Path) -> FileForm:
        return await read_files(
            request.headers[b"content-type"],
            request.receive,
            bench,
            text_limit=self._limits.json_body,
            size_limit=self._uploads.size_limit,
            total_limit=max(self._uploads.size_limit, self._uploads.request_limit),
        )

    def _attachment(self, ability: AdminAbility, form: FileForm) -> Attachment | None:
        """Return the attribute to which files should be attached, if any.

        Raises ForbiddenError, and ValidationError if the attribute does not exist.
        """
        uid, entry, field = (form.text(name) for name in ("ref", "refId", "field"))
        if not uid or not entry or not field:
            return None
        entry_id = id_of(entry)
        if entry_id is None:
            raise ApplicationError(NO_ENTRY)
        return Attachment(
            uid=uid,
            entry_id=entry_id,
            field=field,
            require=lambda: require_attaching(self._engine, ability, uid, entry_id, field),
        )


def _is_form(request: Request) -> bool:
    return request.headers.get(b"content-type", b"").strip().lower().startswith(_MULTIPART)


def _information(body: object) -> FileInfo:
    """Parse the metadata of a file in a body. Raises ValidationError."""
    if body is None:
        return NO_FILE_INFO
    if not isinstance(body, Mapping):
        raise validation_error([Problem((), f"this {not_of_type('object', body)}", body)])
    return information_of_one(body.get(FILE_INFO, ABSENT), folders=True)
