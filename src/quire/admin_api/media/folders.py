"""Folders, and bulk actions on files and folders."""

from collections.abc import Iterator, Mapping
from typing import Any

from quire.admin_api.media.bodies import (
    CHANGED_FOLDER,
    DELETED,
    MOVED,
    NEW_FOLDER,
    UPDATED,
)
from quire.admin_api.media.reads import MediaReads, Shown
from quire.admin_api.responses import respond_data
from quire.content_api.envelope import respond_bare
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.content_api.validators import id_of, ids_of, read_body
from quire.database.program import Program
from quire.database.stores.files import FileRow
from quire.database.stores.folders import all_folders
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate.problems import Problem, validation_error
from quire.errors import NotFoundError
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
from quire.uploads.permissions import CREATE, READ, UPDATE, FileRights
from quire.uploads.service import MediaLibrary

CREATED = 201
_ACTIONS = "upload/actions"


class FolderApi:
    """``/upload/folders``, ``/upload/folder-structure`` and ``/upload/actions``."""

    def __init__(self, reads: MediaReads, library: MediaLibrary) -> None:
        self._reads = reads
        self._library = library
        self._documents = library.rows.documents

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        folders = "upload/folders"
        for method, path, action, handler in (
            ("GET", folders, READ, self.find),
            ("GET", f"{folders}/:id", READ, self.find_one),
            ("POST", folders, CREATE, self.create),
            ("PUT", f"{folders}/:id", UPDATE, self.change),
            ("GET", "upload/folder-structure", READ, self.structure),
            ("POST", f"{_ACTIONS}/bulk-delete", UPDATE, self.delete_many),
            ("POST", f"{_ACTIONS}/bulk-move", UPDATE, self.move_many),
            ("POST", f"{_ACTIONS}/bulk-update", UPDATE, self.update_many),
        ):
            yield Route(method=method, path=path, action=action, handler=handler)

    async def find(self, request: Request) -> Response:
        """List folders, without pages."""
        makers = await self._makers(request)
        return respond_data(await self._reads.folders(request.query, makers, request.version))

    async def find_one(self, request: Request) -> Response:
        """Show a folder."""
        folder_id = id_of(request.parameters["id"])
        if folder_id is None:
            raise NotFoundError(UNKNOWN)
        makers = await self._makers(request)
        return respond_data(await self._reads.one_folder(folder_id, request.query, makers))

    async def _makers(self, request: Request) -> frozenset[int] | None:
        """Return the administrators whose files the caller may see, ``None`` for all."""
        rights = FileRights(request.administrator.ability, READ)
        rows = self._library.rows
        return await rows.database.read(lambda: rights.makers(rows.store))

    async def structure(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all folders as trees."""
        rows = self._library.rows
        branches = await rows.database.read(lambda: folder_structure(rows.store))
        return respond_data([_branch(branch) for branch in branches])

    async def create(self, request: Request) -> Response:
        """Make a folder."""
        body = read_body(request.body, NEW_FOLDER)
        by = request.administrator.id
        name, parent = str(body["name"]), id_of(body.get("parent"))

        def act(unit: UnitOfWork) -> Program[Shown]:
            made = yield from create_folder(unit, name=name, parent=parent, by=by)
            return (yield from self._reads.folder(made.id))

        return respond_data(await self._documents.run(act), CREATED)

    async def change(self, request: Request) -> Response:
        """Rename a folder, or put it somewhere else."""
        body = read_body(request.body, CHANGED_FOLDER)
        folder_id = id_of(request.parameters["id"])
        by = request.administrator.id
        name = str(body["name"]) if "name" in body else None
        parent: int | AbsentType | None = id_of(body["parent"]) if "parent" in body else ABSENT
        rights = FileRights(request.administrator.ability, UPDATE)

        def act(unit: UnitOfWork) -> Program[Shown]:
            known = yield from all_folders(unit.store)
            moved = [one.id for one in known if one.id == folder_id and one.parent != parent]
            if parent is not ABSENT:
                yield from self._check(unit, rights, [], moved)
            # No folder has the id 0: what cannot be an id is answered as one that is not there.
            yield from change_folder(unit, folder_id or 0, name=name, parent=parent, by=by)
            return (yield from self._reads.folder(folder_id or 0))

        return respond_data(await self._documents.run(act))

    async def delete_many(self, request: Request) -> Response:
        """Delete files, and folders with everything in them; shows those that were chosen."""
        body = read_body(request.body, DELETED)
        files, folders = ids_of(body.get("fileIds")), ids_of(body.get("folderIds"))
        rights = FileRights(request.administrator.ability, UPDATE)

        def act(unit: UnitOfWork) -> Program[tuple[dict[str, list[Shown]], tuple[FileRow, ...]]]:
            known = yield from self._check(unit, rights, files, folders)
            told = yield from self._told(*known)
            gone = yield from delete(unit, files=files, folders=folders)
            return told, gone.rows

        told, rows = await self._documents.run(act)
        await self._library.forget_bytes_of(rows)
        return respond_data(told)

    async def move_many(self, request: Request) -> Response:
        """Move files and folders into a folder, or to the root."""
        body = read_body(request.body, MOVED)
        files, folders = ids_of(body.get("fileIds")), ids_of(body.get("folderIds"))
        destination = id_of(body["destinationFolderId"])
        rights = FileRights(request.administrator.ability, UPDATE)

        def act(unit: UnitOfWork) -> Program[dict[str, list[Shown]]]:
            yield from self._check(unit, rights, files, folders)
            moved = yield from move(unit, files=files, folders=folders, destination=destination)
            return (yield from self._told(*moved))

        return respond_data(await self._documents.run(act))

    async def update_many(self, request: Request) -> Response:
        """Say something else of several files."""
        updates = read_body(request.body, UPDATED)["updates"]
        given = updates if isinstance(updates, list) else []
        changes = [_change(index, one) for index, one in enumerate(given)]
        told = await self._library.describe(
            changes,
            read=self._reads.written,
            by=request.administrator.id,
            check=FileRights(request.administrator.ability, UPDATE).check,
        )
        return respond_bare(told)

    def _check(
        self, unit: UnitOfWork, rights: FileRights, files: list[int], folders: list[int]
    ) -> Program[tuple[list[int], list[int]]]:
        """Demand the right to change files, those within folders among them.

        Returns the ids of the chosen files and folders that are there.
        """
        contained = yield from contained_files(unit.store, files=files, folders=folders)
        yield from rights.check(unit.store, contained.all_files)
        return list(contained.files), list(contained.folders)

    def _told(self, files: list[int], folders: list[int]) -> Program[dict[str, list[Shown]]]:
        told: dict[str, list[Shown]] = {"files": [], "folders": []}
        for file_id in files:
            told["files"].append((yield from self._reads.stored(file_id)))
        for folder_id in folders:
            told["folders"].append((yield from self._reads.folder(folder_id)))
        return told


def _change(index: int, given: Mapping[str, Any]) -> tuple[int, FileInfo]:
    file_id = id_of(given["id"])
    if file_id is None:
        told = f"updates[{index}].id must be an id"
        raise validation_error([Problem(("updates", str(index), "id"), told, given["id"])])
    return file_id, information_of_one(given["fileInfo"], folders=True)


def _branch(branch: FolderTree) -> dict[str, Any]:
    children = [_branch(child) for child in branch.children]
    return {"id": branch.id, "name": branch.name, "children": children}
