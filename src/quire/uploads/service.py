"""The media library: upload, replace, change and delete files.

Bytes are kept before the row that tells of them is written, and forgotten after it is deleted: a
crash in between leaves bytes without a row, which `sweep` finds, and never a row without its bytes.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import structlog
from msgspec import Struct
from msgspec.structs import replace

from quire.database.connection import Database
from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.database.stores.core_store import read_setting
from quire.database.stores.files import FileRow, find_files
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, NotFoundError, QuireError, UncertainOutcomeError
from quire.uploads.allowed_types import AllowedTypes
from quire.uploads.context import UploadContext
from quire.uploads.file_info import FileInfo
from quire.uploads.file_rows import (
    NO_SUCH_FILE,
    Attachment,
    attach_record,
    change_record,
    insert_record,
    replaced_values,
    require_records,
)
from quire.uploads.names import StoredName, check_name, stored_name
from quire.uploads.processing import (
    ImageRules,
    IncomingFile,
    PreparedFile,
    RecognisedFile,
    prepare,
    recognize_file,
)
from quire.uploads.removal import delete_records
from quire.uploads.stored_settings import SETTINGS_KEY, image_rules, library_settings

T = TypeVar("T")

Read = Callable[[int], Program[T]]
"""Reads what is told of a file, by its row id, within the transaction that wrote it."""

Check = Callable[[EntryStore, Collection[int]], Program[None]]
"""Demands that somebody may change files, by their row ids. Raises ForbiddenError."""

_log = structlog.get_logger("quire.uploads")


class FileRowAccess(Struct, frozen=True, kw_only=True):
    """Where the rows of files are: read from a database, written by the document service."""

    database: Database
    store: EntryStore
    documents: DocumentService


class LibraryLimits(Struct, frozen=True, kw_only=True):
    """What is made of pictures, and which types of files are let in."""

    boxes: Mapping[str, int]
    variants: tuple[str, ...] = ()
    most_pixels: int
    types: AllowedTypes


class MediaLibrary:
    """Writes files with their rows; callers have checked the permissions.

    ``by`` is the row id of an administrator, where one did it.
    """

    def __init__(
        self, rows: FileRowAccess, upload_context: UploadContext, limits: LibraryLimits
    ) -> None:
        self.rows = rows
        self.links = upload_context.links
        self.storage = upload_context.storage
        self.image_workers = upload_context.image_workers
        self._replacements = upload_context.replacements
        self._upload_context = upload_context
        self._documents = rows.documents
        self._limits = limits

    @property
    def most_pixels(self) -> int:
        """The pixels that an image may have to be decoded."""
        return self._limits.most_pixels

    def through(self, database: Database) -> "MediaLibrary":
        """Return the same library, whose rows go another way to the database."""
        documents = self.rows.documents.through(database)
        rows = replace(self.rows, database=database, documents=documents)
        return MediaLibrary(rows, self._upload_context, self._limits)

    async def add(
        self,
        files: Sequence[IncomingFile],
        information: Sequence[FileInfo],
        *,
        read: Read[T],
        attachment: Attachment | None = None,
        into_api_folder: bool = True,
        by: int | None = None,
    ) -> list[T]:
        """Add files to the library; returns what ``read`` returns for each, in their order.

        Files that may not come in are left out as long as others may. Raises ApplicationError for
        names, types and pictures that are refused, ValidationError for a folder or an entry that
        is not there, and what the attachment demands; then nothing is kept.
        """
        chosen = await self._let_in(files, information)
        rules = await self._rules()
        prepared = await _all(
            self._prepare(file, said, stored_name(said.name or file.incoming.name, file.ext), rules)
            for file, said in chosen
        )

        def act(unit: UnitOfWork) -> Program[list[T]]:
            told = []
            for made, (_, said) in zip(prepared, chosen, strict=True):
                row_id = yield from insert_record(unit, made, said, api=into_api_folder, by=by)
                if attachment is not None:
                    yield from attach_record(unit, attachment, row_id)
                told.append((yield from read(row_id)))
            return told

        keys = [piece.key for made in prepared for piece in made.pieces]
        try:
            await self._keep(prepared)
        except BaseException:
            await asyncio.shield(self._forget(keys))
            raise
        try:
            return await self._documents.run(act)
        except UncertainOutcomeError:
            raise  # there may be rows by now; bytes without one are found by a sweep
        except Exception:
            await asyncio.shield(self._forget(keys))
            raise

    async def replace(
        self,
        file_id: int,
        incoming: IncomingFile,
        information: FileInfo,
        *,
        read: Read[T],
        by: int | None = None,
        check: Check | None = None,
    ) -> T:
        """Give a file other bytes, under the address that it has.

        Raises NotFoundError, whatever ``check`` raises before anything else is done, and whatever
        `add` raises; then all is as it was. Raises ServiceUnavailableError when somebody else
        replaces it for too long.
        """
        async with self._replacements.alone(file_id) as place:
            await self._settle(file_id, place)
            present = await self._row(file_id, check)
            return await self._replace(present, incoming, information, place, read, by)

    async def _replace(
        self,
        present: FileRow,
        incoming: IncomingFile,
        information: FileInfo,
        place: Path,
        read: Read[T],
        by: int | None,
    ) -> T:
        file_id = present.id
        ((file, _),) = await self._let_in([incoming], [information])
        kept = StoredName(present.hash, present.ext)
        prepared = await self._prepare(file, information, kept, await self._rules())
        values = replaced_values(prepared, information)

        def act(unit: UnitOfWork) -> Program[T]:
            yield from require_records(unit, [file_id])
            yield from change_record(unit, file_id, values, information, by=by)
            return (yield from read(file_id))

        note = await self._replacements.begin(place, present, prepared)
        try:
            await self._keep([prepared])
            told = await self._documents.run(act)
        except UncertainOutcomeError:
            raise  # who finds the note later sees what became of the row
        except Exception:
            await asyncio.shield(self._replacements.undo(place, note))
            raise
        keys = {piece.key for piece in prepared.pieces}
        await self._forget([key for key in present.keys if key not in keys])
        await self._replacements.end(place)
        return told

    async def recover(self) -> None:
        """Make bytes and rows fit where a process ended in the middle of replacing a file.

        What cannot be done now is noted in the log, and tried again by the next process.
        """
        for file_id in await self._replacements.left():
            try:
                async with self._replacements.alone(file_id, wait=0) as place:
                    await self._settle(file_id, place)
            except QuireError as error:
                _log.warning("a replacement is not over", file=file_id, reason=str(error))

    async def describe(
        self,
        changes: Sequence[tuple[int, FileInfo]],
        *,
        read: Read[T],
        by: int | None = None,
        check: Check | None = None,
    ) -> list[T]:
        """Change the attributes of files.

        Raises NotFoundError, and what ``check`` raises, with nothing changed.
        """
        ids = [file_id for file_id, _ in changes]

        def act(unit: UnitOfWork) -> Program[list[T]]:
            told = []
            yield from require_records(unit, ids)
            if check is not None:
                yield from check(unit.store, ids)
            for file_id, said in changes:
                yield from change_record(unit, file_id, said.values, said, by=by)
                told.append((yield from read(file_id)))
            return told

        return await self._documents.run(act)

    async def remove(
        self, file_ids: Collection[int], *, read: Read[T], check: Check | None = None
    ) -> list[T]:
        """Take files out of the library with all their sizes; returns what they were.

        Those that are not there are left out. Raises what ``check`` raises, with nothing removed.
        """

        def act(unit: UnitOfWork) -> Program[tuple[list[T], list[FileRow]]]:
            rows = yield from find_files(unit.store, file_ids)
            if check is not None:
                yield from check(unit.store, [row.id for row in rows])
            told: list[T] = []
            for row in rows:
                shown = yield from read(row.id)
                told.append(shown)
            yield from delete_records(unit, rows)
            return told, rows

        told, rows = await self._documents.run(act)
        await self.forget_bytes_of(rows)
        return told

    async def forget_bytes_of(self, rows: Collection[FileRow]) -> None:
        """Forget the bytes of files whose rows are gone; those of other providers stay."""
        here = [row for row in rows if row.provider == self.storage.provider]
        await self._forget([key for row in here for key in row.keys])

    # Before anything is kept -----------------------------------------------------------------

    async def _let_in(
        self, files: Sequence[IncomingFile], information: Sequence[FileInfo]
    ) -> list[tuple[RecognisedFile, FileInfo]]:
        for incoming in files:
            check_name(incoming.name)
        chosen: list[tuple[RecognisedFile, FileInfo]] = []
        refusal: ApplicationError | None = None
        for incoming, said in zip(files, information, strict=True):
            file: RecognisedFile = await asyncio.to_thread(recognize_file, incoming)
            try:
                self._limits.types.check(file)
            except ApplicationError as error:
                refusal = refusal or error
            else:
                chosen.append((file, said))
        if not chosen and refusal is not None:
            raise refusal
        return chosen

    async def _rules(self) -> ImageRules:
        writes = self.rows.store.writes
        stored = await self.rows.database.read(lambda: read_setting(writes, SETTINGS_KEY))
        limits = self._limits
        return image_rules(
            library_settings(stored),
            boxes=limits.boxes,
            variants=limits.variants,
            most_pixels=limits.most_pixels,
        )

    async def _prepare(
        self, file: RecognisedFile, said: FileInfo, kept: StoredName, rules: ImageRules
    ) -> PreparedFile:
        name = said.name or file.incoming.name
        prepared = await prepare(self.image_workers, file, name=name, kept=kept, rules=rules)
        return replace(prepared, values=self._with_addresses(prepared.values, kept))

    def _with_addresses(self, values: Mapping[str, Any], kept: StoredName) -> dict[str, object]:
        formats = values["formats"]
        for made in (formats or {}).values():
            made["url"] = self.storage.url(f"{made['hash']}{made['ext']}")
        return {
            **values,
            "url": self.storage.url(kept.key),
            "provider": self.storage.provider,
        }

    async def _row(self, file_id: int, check: Check | None) -> FileRow:
        store = self.rows.store

        def find() -> Program[FileRow]:
            found = yield from find_files(store, [file_id])
            if not found:
                raise NotFoundError(NO_SUCH_FILE)
            if check is not None:
                yield from check(store, [file_id])
            return found[0]

        return await self.rows.database.read(find)

    # Bytes -----------------------------------------------------------------------------------

    async def _keep(self, prepared: Sequence[PreparedFile]) -> None:
        for made in prepared:
            for piece in made.pieces:
                await self.storage.put(piece.key, piece.path, type_=piece.type)

    async def _forget(self, keys: Collection[str]) -> None:
        """Forget bytes as well as can be; what is left is found by a sweep."""
        if not keys:
            return
        try:
            await self.storage.remove(keys)
        except QuireError:
            _log.warning("uploads are left without a row", keys=len(keys), exc_info=True)

    async def _settle(self, file_id: int, place: Path) -> None:
        store = self.rows.store
        found = await self.rows.database.read(lambda: find_files(store, [file_id]))
        await self._replacements.settle(place, found[0] if found else None)


async def _all(works: Iterable[Awaitable[T]]) -> list[T]:
    """Wait for all, also where one fails; raises what the first that failed raised."""
    done = await asyncio.gather(*works, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return [result for result in done if not isinstance(result, BaseException)]
