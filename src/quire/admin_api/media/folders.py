"""Folders, and bulk actions on files and folders."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from quire.admin_api.media.reads import MediaJson, MediaReads
from quire.admin_api.media.request_bodies import (
    FileDeletion,
    FileMove,
    FileUpdate,
    FileUpdates,
    FolderChange,
    MediaFolder,
    NewFolder,
)
from quire.admin_api.response_types import CREATED as STATUS_CREATED
from quire.admin_api.response_types import MEDIA, DataEnvelope, FreeObject, ListQuery
from quire.admin_api.responses import respond_data
from quire.content_api.body_decoding import read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import id_of, ids_of, path_id
from quire.database.program import Program
from quire.database.stores.files import FileRow
from quire.database.stores.folders import all_folders
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate.problems import Problem, validation_error
from quire.schema.attributes.validation import ABSENT, AbsentType
from quire.uploads.file_info import FileInfo, information_of_one
from quire.uploads.folders import (
    UNKNOWN,
    FolderTree,
    change_folder,
    contained_files,
    create_folder,
    delete,
    folder_structure,
    move,
)
from quire.uploads.permissions import CREATE, READ, UPDATE, FilePermissions
from quire.uploads.service import MediaLibrary


class FolderApi:
    """``/upload/folders``, ``/upload/folder-structure`` and ``/upload/actions``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary) -> None:
        self._reads = reads
        self._library = library
        self._documents = library.rows.documents

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(MEDIA, "upload/")
        path = "folders"
        folder_response = DataEnvelope[MediaFolder]
        folders_response, empty_response = DataEnvelope[list[MediaFolder]], DataEnvelope[FreeObject]
        yield route("GET", path, READ, self.find, query=ListQuery, response=folders_response)
        yield route(
            "POST",
            path,
            CREATE,
            self.create,
            body=NewFolder,
            response=folder_response,
            status=STATUS_CREATED,
        )
        path = "folders/:id"
        yield route("GET", path, READ, self.find_one, response=folder_response)
        yield route("PUT", path, UPDATE, self.change, body=FolderChange, response=folder_response)
        path, trees = "folder-structure", DataEnvelope[list[FreeObject]]
        yield route("GET", path, READ, self.structure, response=trees)
        path, body = "actions/bulk-delete", FileDeletion
        yield route("POST", path, UPDATE, self.delete_many, body=body, response=empty_response)
        path = "actions/bulk-move"
        yield route("POST", path, UPDATE, self.move_many, body=FileMove, response=empty_response)
        path, files = "actions/bulk-update", list[FreeObject]
        yield route("POST", path, UPDATE, self.update_many, body=FileUpdates, response=files)

    async def find(self, request: Request) -> Response:
        """List folders, without pages."""
        allowed_creators = await self._visible_creators(request)
        return respond_data(
            await self._reads.folders(request.query, allowed_creators, request.version)
        )

    async def find_one(self, request: Request) -> Response:
        """Show a folder."""
        folder_id = path_id(request, UNKNOWN)
        allowed_creators = await self._visible_creators(request)
        return respond_data(
            await self._reads.one_folder(folder_id, request.query, allowed_creators)
        )

    async def _visible_creators(self, request: Request) -> frozenset[int] | None:
        """Return the administrators whose files the caller may see, ``None`` for all."""
        permissions = FilePermissions(request.administrator.ability, READ)
        rows = self._library.rows
        return await rows.database.read(lambda: permissions.allowed_creators(rows.store))

    async def structure(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all folders as trees."""
        rows = self._library.rows
        branches = await rows.database.read(lambda: folder_structure(rows.store))
        return respond_data([_branch(branch) for branch in branches])

    async def create(self, request: Request) -> Response:
        """Create a folder."""
        body = read_body(request.body, NewFolder)
        editor = request.administrator.id
        name, parent = body.name, id_of(body.parent)

        def act(unit: UnitOfWork) -> Program[MediaJson]:
            folder = yield from create_folder(unit, name=name, parent=parent, by=editor)
            return (yield from self._reads.folder(folder.id))

        return respond_data(await self._documents.run(act), STATUS_CREATED)

    async def change(self, request: Request) -> Response:
        """Rename a folder, or move it."""
        change = read_body(request.body, FolderChange)
        folder_id = id_of(request.parameters["id"])
        editor = request.administrator.id
        name = None if change.name is UNSET else change.name
        parent: int | AbsentType | None = ABSENT if change.parent is UNSET else id_of(change.parent)
        permissions = FilePermissions(request.administrator.ability, UPDATE)

        def act(unit: UnitOfWork) -> Program[MediaJson]:
            folders = yield from all_folders(unit.store)
            moved_ids = [
                folder.id
                for folder in folders
                if folder.id == folder_id and folder.parent != parent
            ]
            if parent is not ABSENT:
                yield from self._check(unit, permissions, [], moved_ids)
            # No folder has the id 0: an invalid id is treated as a missing one.
            yield from change_folder(unit, folder_id or 0, name=name, parent=parent, by=editor)
            return (yield from self._reads.folder(folder_id or 0))

        return respond_data(await self._documents.run(act))

    async def delete_many(self, request: Request) -> Response:
        """Delete files, and folders with everything in them; returns the chosen ones."""
        body = read_body(request.body, FileDeletion)
        files, folders = ids_of(body.file_ids), ids_of(body.folder_ids)
        permissions = FilePermissions(request.administrator.ability, UPDATE)

        def act(
            unit: UnitOfWork,
        ) -> Program[tuple[dict[str, list[MediaJson]], tuple[FileRow, ...]]]:
            rows_and_folders = yield from self._check(unit, permissions, files, folders)
            response = yield from self._serialize_result(*rows_and_folders)
            deletion = yield from delete(unit, files=files, folders=folders)
            return response, deletion.rows

        response, rows = await self._documents.run(act)
        await self._library.forget_bytes_of(rows)
        return respond_data(response)

    async def move_many(self, request: Request) -> Response:
        """Move files and folders into a folder, or to the root."""
        body = read_body(request.body, FileMove)
        files, folders = ids_of(body.file_ids), ids_of(body.folder_ids)
        destination = id_of(body.destination_folder_id)
        permissions = FilePermissions(request.administrator.ability, UPDATE)

        def act(unit: UnitOfWork) -> Program[dict[str, list[MediaJson]]]:
            yield from self._check(unit, permissions, files, folders)
            moved = yield from move(unit, files=files, folders=folders, destination=destination)
            return (yield from self._serialize_result(*moved))

        return respond_data(await self._documents.run(act))

    async def update_many(self, request: Request) -> Response:
        """Change the metadata of several files."""
        updates = read_body(request.body, FileUpdates).updates
        changes = [_change(index, file_update) for index, file_update in enumerate(updates)]
        files = await self._library.describe(
            changes,
            read=self._reads.after_write,
            by=request.administrator.id,
            check=FilePermissions(request.administrator.ability, UPDATE).check,
        )
        return respond_bare(files)

    def _check(
        self, unit: UnitOfWork, permissions: FilePermissions, files: list[int], folders: list[int]
    ) -> Program[tuple[list[int], list[int]]]:
        """Check the permission to change files, including those within folders.

        Returns the ids of the chosen files and folders that exist.
        """
        content = yield from contained_files(unit.store, files=files, folders=folders)
        yield from permissions.check(unit.store, content.all_files)
        return list(content.files), list(content.folders)

    def _serialize_result(
        self, files: list[int], folders: list[int]
    ) -> Program[dict[str, list[MediaJson]]]:
        media: dict[str, list[MediaJson]] = {"files": [], "folders": []}
        for file_id in files:
            media["files"].append((yield from self._reads.stored(file_id)))
        for folder_id in folders:
            media["folders"].append((yield from self._reads.folder(folder_id)))
        return media


def _change(index: int, update: FileUpdate) -> tuple[int, FileInfo]:
    file_id = id_of(update.id)
    if file_id is None:
        message = f"updates[{index}].id must be an id"
        raise validation_error([Problem(("updates", str(index), "id"), message, update.id)])
    return file_id, information_of_one(update.file_info, folders=True)


def _branch(branch: FolderTree) -> dict[str, Any]:
    children = [_branch(child) for child in branch.children]
    return {"id": branch.id, "name": branch.name, "children": children}
