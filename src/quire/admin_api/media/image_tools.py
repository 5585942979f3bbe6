"""Crops of images, and URLs of images in other sizes."""

from collections.abc import Collection, Iterator
from typing import Annotated
from urllib.parse import quote, urlencode

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.media.reads import MediaJson, MediaReads
from quire.admin_api.media.request_bodies import MediaFile
from quire.admin_api.response_types import CREATED, MEDIA, DataEnvelope
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import Range, path_id
from quire.database.entries.entry_tables import EntryStore
from quire.database.execute.row_mappers import members
from quire.database.program import Program
from quire.database.stores.files import FileRow, find_files
from quire.errors import ConflictError, NotFoundError, ValidationError
from quire.settings import UploadSettings
from quire.uploads.cropping import crop_file, name_of_copy
from quire.uploads.file_info import FileInfo
from quire.uploads.file_rows import NO_SUCH_FILE
from quire.uploads.images import CropArea
from quire.uploads.permissions import CREATE, READ, UPDATE, FilePermissions
from quire.uploads.replacement import state_of
from quire.uploads.service import Check, MediaLibrary
from quire.uploads.storage.open import UPLOADS_PATH
from quire.uploads.transforms import (
    FORMATS,
    MAX_SIDE,
    QUALITIES,
    SIGNATURE,
    TRANSFORM_PARAMETERS,
    TransformRules,
    transform_parameters,
    understand_transform,
)

FILE_CHANGED = "The file was changed meanwhile"
_MAX_PIXELS = 1_000_000
_Offset = Annotated[int, Range(0, _MAX_PIXELS)]
_Length = Annotated[int, Range(1, _MAX_PIXELS)]

_MISSING_PARAMETERS = f"one of {', '.join(TRANSFORM_PARAMETERS)} must be given"


class CropInput(RequestBody):
    """An area of an image, in pixels; without a copy the file itself is cropped."""

    left: _Offset
    top: _Offset
    width: _Length
    height: _Length
    copy: bool = True


class TransformQuery(Struct):
    """The requested transformation of an image."""

    w: int | UnsetType = UNSET
    h: int | UnsetType = UNSET
    fit: str | UnsetType = UNSET
    format: str | UnsetType = UNSET
    q: str | UnsetType = UNSET


class TransformAddress(Struct):
    """The URL of an image in another size."""

    url: str
    signed: bool


class TransformChoices(Struct):
    """The allowed transformations."""

    sizes: list[int]
    qualities: list[int]
    formats: list[str]
    largest: int
    signs: bool


class CropApi:
    """``/admin/x/media/:id/crop``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary) -> None:
        self._reads = reads
        self._library = library

    def routes(self) -> Iterator[Route]:
        """Yield the route; the required permission depends on the body."""
        yield RouteGroup(MEDIA)(
            "POST",
            "admin/x/media/:id/crop",
            SIGNED_IN,
            self.crop,
            body=CropInput,
            response=MediaFile,
            status=CREATED,
        )

    async def crop(self, request: Request) -> Response:
        """Copy an area of an image to a new file, or with ``copy: false`` crop the file itself.

        Raises ConflictError when somebody replaces the file at the same time.
        """
        body = read_body(request.body, CropInput)
        copies = body.copy
        library = self._library
        ability = request.administrator.ability
        read, update = FilePermissions(ability, READ), FilePermissions(ability, UPDATE)
        (FilePermissions(ability, CREATE) if copies else update).require()
        row, file = await _find_file(library, self._reads, request, read if copies else update)
        area = CropArea(left=body.left, top=body.top, width=body.width, height=body.height)
        editor = request.administrator.id
        async with library.image_workers.bench() as bench:
            cropped_file, focus = await crop_file(library, row, area, bench)
            point = None if focus is None else {"x": focus[0], "y": focus[1]}
            if not copies:
                file_info = FileInfo({"focalPoint": point})
                check = _require_unchanged(row, update)
                replaced_file = await library.replace(
                    row.id,
                    cropped_file,
                    file_info,
                    read=self._reads.after_write,
                    by=editor,
                    check=check,
                )
                return respond_bare(replaced_file, CREATED)
            texts = {name: file[name] for name in ("alternativeText", "caption") if file[name]}
            values = {**texts, "name": name_of_copy(row.name), "focalPoint": point}
            folder = file["folder"]
            file_info = FileInfo(values, None if folder is None else members(folder)["id"])
            (copy,) = await library.add(
                [cropped_file],
                lambda _: [file_info],
                read=self._reads.after_write,
                into_api_folder=False,
                by=editor,
            )
        return respond_bare(copy, CREATED)


class TransformApi:
    """``/admin/x/media/transforms`` and ``/admin/x/media/:id/transform``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary, uploads: UploadSettings) -> None:
        self._reads = reads
        self._library = library
        self._rules = TransformRules(
            sizes=frozenset(uploads.transform_sizes), key=uploads.transform_key
        )

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, query = RouteGroup(MEDIA, "admin/x/media/"), TransformQuery
        yield route("GET", "transforms", READ, self.rules, response=DataEnvelope[TransformChoices])
        path, response = ":id/transform", DataEnvelope[TransformAddress]
        yield route("GET", path, READ, self.address, query=query, response=response)

    async def rules(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return the allowed transformations, and whether other sizes can be signed."""
        return respond_data(
            {
                "sizes": sorted(self._rules.sizes),
                "qualities": sorted(QUALITIES),
                "formats": [*FORMATS],
                "largest": MAX_SIDE,
                "signs": self._rules.key is not None,
            }
        )

    async def address(self, request: Request) -> Response:
        """Return the URL of an image in another size, signed if needed.

        Raises ValidationError for invalid parameters, ForbiddenError for a size that is not listed
        if the project has no signing key.
        """
        values: dict[str, str] = {}
        for name in TRANSFORM_PARAMETERS:
            value = request.query.get(name, "")
            if not isinstance(value, str):
                raise ValidationError(f"{name} must be given once")
            if value:
                values[name] = value
        if not values:
            raise ValidationError(_MISSING_PARAMETERS)
        transform = understand_transform(values)
        permissions = FilePermissions(request.administrator.ability, READ)
        row, _ = await _find_file(self._library, self._reads, request, permissions)
        key = row.keys[0]
        path = f"{UPLOADS_PATH}/x/{key}"
        parameters = transform_parameters(transform, path, self._rules)
        links = self._library.links
        signature_query = (
            "" if links is None else "&" + links.sign(f"{UPLOADS_PATH}/{key}").partition("?")[2]
        )
        url = f"{quote(path)}?{urlencode(parameters)}{signature_query}"
        return respond_data({"url": url, "signed": SIGNATURE in parameters})


def _require_unchanged(row: FileRow, permissions: FilePermissions) -> Check:
    """Check that the file may be changed, and is unchanged. Raises ConflictError."""

    def check(store: EntryStore, ids: Collection[int]) -> Program[None]:
        yield from permissions.check(store, ids)
        (current,) = yield from find_files(store, ids)
        if state_of(current) != state_of(row):
            raise ConflictError(FILE_CHANGED)

    return check


async def _find_file(
    library: MediaLibrary, reads: MediaReads, request: Request, permissions: FilePermissions
) -> tuple[FileRow, MediaJson]:
    file_id = path_id(request, NO_SUCH_FILE)
    store = library.rows.store

    def read() -> Program[tuple[FileRow, MediaJson]]:
        rows = yield from find_files(store, [file_id])
        if not rows:
            raise NotFoundError(NO_SUCH_FILE)
        yield from permissions.check(store, [file_id])
        file = yield from reads.file(file_id)
        return rows[0], file

    return await library.rows.database.read(read, snapshot=True)
