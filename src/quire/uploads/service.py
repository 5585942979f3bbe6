"""The media library: upload, replace, change and delete files.

Bytes are stored before their row is written, and deleted after it: a crash in between leaves bytes
without a row, which the orphan cleanup finds, and never a row without its bytes.
"""

import asyncio
import unicodedata
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import structlog
from msgspec import Struct
from msgspec.structs import replace

from quire.database.entries.entry_tables import EntryStore
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.core_store import read_setting
from quire.database.stores.files import FileRow, find_files
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import NotFoundError, QuireError, UncertainOutcomeError, ValidationError
from quire.uploads.allowed_types import AllowedTypes
from quire.uploads.context import UploadContext
from quire.uploads.file_info import FileInfo
from quire.uploads.file_names import StoredName, check_name, stored_name
from quire.uploads.file_rows import (
    NO_SUCH_FILE,
    Attachment,
    attach_record,
    change_record,
    insert_record,
    replaced_values,
    require_records,
)
from quire.uploads.processing import (
    ImageRules,
    IncomingFile,
    PreparedFile,
    RecognisedFile,
    prepare,
    recognize_file,
)
from quire.uploads.removal import delete_records
from quire.uploads.replacement import ReplacementRecord
from quire.uploads.storage.local import LOCAL
from quire.uploads.stored_settings import SETTINGS_KEY, image_rules, library_settings

T = TypeVar("T")

Read = Callable[[int], Program[T]]
"""Reads the response data of a file, by its row id, within the transaction that wrote it."""

ParseFileInfos = Callable[[Collection[int]], Sequence[FileInfo]]
"""Returns the metadata of new files, without those at the given positions, which were rejected."""

Check = Callable[[EntryStore, Collection[int]], Program[None]]
"""Checks the permission to change files, by their row ids. Raises ForbiddenError."""

_log = structlog.get_logger("quire.uploads")


class FileRowAccess(Struct, frozen=True, kw_only=True):
    """Access to the rows of files: read from a database, written by the document service."""

    database: Database
    store: EntryStore
    documents: DocumentService


class LibraryLimits(Struct, frozen=True, kw_only=True):
    """How images are processed, and which types of files are allowed."""

    boxes: Mapping[str, int]
    variants: tuple[str, ...] = ()
    max_pixels: int
    types: AllowedTypes


class MediaLibrary:
    """Writes files with their rows; callers have checked the permissions.

    ``by`` is the row id of an administrator, if one acts.
    """

    def __init__(
        self, rows: FileRowAccess, upload_context: UploadContext, limits: LibraryLimits
    ) -> None:
        self.rows = rows
        self.links = upload_context.links
        self.storage = upload_context.storage
        self.former_storage = upload_context.former_storage
        self.image_workers = upload_context.image_workers
        self._replacements = upload_context.replacements
        self._upload_context = upload_context
        self._documents = rows.documents
        self._limits = limits

    @property
    def max_pixels(self) -> int:
        """The maximum number of pixels of an image to decode."""
        return self._limits.max_pixels

    def with_database(self, database: Database) -> "MediaLibrary":
        """Return the same library, which writes rows through another object."""
        documents = self.rows.documents.with_database(database)
        rows = replace(self.rows, database=database, documents=documents)
        return MediaLibrary(rows, self._upload_context, self._limits)

    async def add(
        self,
        files: Sequence[IncomingFile],
        parse_infos: ParseFileInfos,
        *,
        read: Read[T],
        attachment: Attachment | None = None,
        into_api_folder: bool = True,
        by: int | None = None,
    ) -> list[T]:
        """Add files to the library; returns what ``read`` returns for each, in their order.

        Rejected files are left out as long as others are accepted. Raises ApplicationError for
        invalid names and images, ValidationError for types and a missing folder or entry, and what
        ``parse_infos`` and the attachment raise; then nothing is stored.
        """
        files_by_position = await self._accept_files(files)
        rejected = set(range(len(files))) - files_by_position.keys()
        accepted = list(zip(files_by_position.values(), parse_infos(rejected), strict=True))
        rules = await self._image_rules()
        prepared = await _gather_all(
            self._prepare(
                file,
                info,
                stored_name(info.name or file.incoming.name, file.ext, rules.boxes),
                rules,
            )
            for file, info in accepted
        )

        def act(unit: UnitOfWork) -> Program[list[T]]:
            read_files = []
            for prepared_file, (_, file_info) in zip(prepared, accepted, strict=True):
                row_id = yield from insert_record(
                    unit, prepared_file, file_info, api=into_api_folder, by=by
                )
                if attachment is not None:
                    yield from attach_record(unit, attachment, row_id)
                read_files.append((yield from read(row_id)))
            return read_files

        keys = [piece.key for file in prepared for piece in file.pieces]
        try:
            await self._store_bytes(prepared)
        except BaseException:
            await asyncio.shield(self._delete_bytes(keys))
            raise
        try:
            return await self._documents.run(act)
        except UncertainOutcomeError:
            # The rows may have been committed, so their bytes must stay. If they were not, the
            # orphan cleanup deletes the bytes later.
            raise
        except Exception:
            await asyncio.shield(self._delete_bytes(keys))
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
        """Replace the bytes of a file, under the same URL.

        Bytes and row cannot be changed in one transaction. So the former bytes are saved first,
        with a durable record (`Replacements`), from which a crash can be undone.

        Raises NotFoundError, what ``check`` raises first, and what `add` raises; then nothing is
        changed. Raises ServiceUnavailableError when another replacement takes too long.
        """
        async with self._replacements.locked(file_id) as record_folder:
            await self._finish_interrupted(file_id, record_folder)
            file_row = await self._row(file_id, check)
            return await self._replace(file_row, incoming, information, record_folder, read, by)

    async def _replace(
        self,
        file_row: FileRow,
        incoming: IncomingFile,
        information: FileInfo,
        record_folder: Path,
        read: Read[T],
        by: int | None,
    ) -> T:
        file_id = file_row.id
        (file,) = (await self._accept_files([incoming])).values()
        stored_name = StoredName(file_row.hash, file_row.ext)
        prepared = await self._prepare(file, information, stored_name, await self._image_rules())
        values = replaced_values(prepared, information)

        def act(unit: UnitOfWork) -> Program[T]:
            yield from require_records(unit, [file_id])
            yield from change_record(unit, file_id, values, information, by=by)
            return (yield from read(file_id))

        record = await self._replacements.begin(record_folder, file_row, prepared)
        try:
            await self._store_bytes([prepared])
            replaced_files = await self._documents.run(act)
        except UncertainOutcomeError:
            raise  # the next replacement or start compares the row with the record
        except Exception:
            await asyncio.shield(self._undo(file_id, record_folder, record))
            raise
        keys = {piece.key for piece in prepared.pieces}
        await self._delete_bytes([key for key in file_row.keys if key not in keys])
        await self._delete_former_bytes([file_row])
        await self._replacements.end(record_folder)
        return replaced_files

    async def recover(self) -> None:
        """Make bytes and rows consistent after a process crashed while replacing a file.

        Failures are logged, and retried by the next process.
        """
        for file_id in await self._replacements.unfinished():
            try:
                async with self._replacements.locked(file_id, wait=0) as record_folder:
                    await self._finish_interrupted(file_id, record_folder)
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
        """Change the metadata of files.

        Raises NotFoundError, and what ``check`` raises, with nothing changed.
        """
        ids = [file_id for file_id, _ in changes]

        def act(unit: UnitOfWork) -> Program[list[T]]:
            described_files = []
            yield from require_records(unit, ids)
            if check is not None:
                yield from check(unit.store, ids)
            for file_id, file_info in changes:
                yield from change_record(unit, file_id, file_info.values, file_info, by=by)
                described_files.append((yield from read(file_id)))
            return described_files

        return await self._documents.run(act)

    async def remove(
        self, file_ids: Collection[int], *, read: Read[T], check: Check | None = None
    ) -> list[T]:
        """Delete files with all their sizes; returns them.

        Missing ones are left out. Raises what ``check`` raises, with nothing deleted.
        """

        def act(unit: UnitOfWork) -> Program[tuple[list[T], list[FileRow]]]:
            rows = yield from find_files(unit.store, file_ids)
            if check is not None:
                yield from check(unit.store, [row.id for row in rows])
            removed_files: list[T] = []
            for row in rows:
                document = yield from read(row.id)
                removed_files.append(document)
            yield from delete_records(unit, rows)
            return removed_files, rows

        results, rows = await self._documents.run(act)
        await self.forget_bytes_of(rows)
        return results

    async def forget_bytes_of(self, rows: Collection[FileRow]) -> None:
        """Delete the bytes of files whose rows were deleted.

        Those of other providers stay, but not those in the local folder, which are served.
        """
        own_rows = [row for row in rows if row.provider == self.storage.provider]
        await self._delete_bytes([key for row in own_rows for key in row.keys])
        await self._delete_former_bytes(rows)

    # Before anything is stored ---------------------------------------------------------------

    async def _accept_files(self, files: Sequence[IncomingFile]) -> dict[int, RecognisedFile]:
        """Return the accepted files by their positions. Raises the first error if there is none."""
        for incoming in files:
            check_name(incoming.name)
        accepted_files: dict[int, RecognisedFile] = {}
        refusal: ValidationError | None = None
        for position, incoming in enumerate(files):
            file: RecognisedFile = await asyncio.to_thread(recognize_file, incoming)
            try:
                self._limits.types.check(file)
            except ValidationError as error:
                refusal = refusal or error
            else:
                accepted_files[position] = file
        if not accepted_files and refusal is not None:
            raise refusal
        return accepted_files

    async def _image_rules(self) -> ImageRules:
        writes = self.rows.store.writes
        setting = await self.rows.database.read(lambda: read_setting(writes, SETTINGS_KEY))
        limits = self._limits
        return image_rules(
            library_settings(setting),
            boxes=limits.boxes,
            variants=limits.variants,
            max_pixels=limits.max_pixels,
        )

    async def _prepare(
        self, file: RecognisedFile, file_info: FileInfo, stored_name: StoredName, rules: ImageRules
    ) -> PreparedFile:
        name = unicodedata.normalize("NFC", file_info.name or file.incoming.name)
        prepared = await prepare(
            self.image_workers, file, name=name, stored_name=stored_name, rules=rules
        )
        return replace(prepared, values=self._with_addresses(prepared.values, stored_name))

    def _with_addresses(
        self, values: Mapping[str, Any], stored_name: StoredName
    ) -> dict[str, object]:
        formats = values["formats"]
        for format_ in (formats or {}).values():
            format_["url"] = self.storage.url(f"{format_['hash']}{format_['ext']}")
        return {
            **values,
            "url": self.storage.url(stored_name.key),
            "provider": self.storage.provider,
        }

    async def _row(self, file_id: int, check: Check | None) -> FileRow:
        store = self.rows.store

        def find() -> Program[FileRow]:
            files = yield from find_files(store, [file_id])
            if not files:
                raise NotFoundError(NO_SUCH_FILE)
            if check is not None:
                yield from check(store, [file_id])
            return files[0]

        return await self.rows.database.read(find)

    # Bytes -----------------------------------------------------------------------------------

    async def _store_bytes(self, prepared: Sequence[PreparedFile]) -> None:
        for prepared_file in prepared:
            for piece in prepared_file.pieces:
                await self.storage.put(piece.key, piece.path, type_=piece.type)

    async def _delete_bytes(self, keys: Collection[str]) -> None:
        """Delete bytes, ignoring errors; the orphan cleanup finds what is left."""
        if not keys:
            return
        try:
            await self.storage.remove(keys)
        except QuireError:
            _log.warning("uploads are left without a row", keys=len(keys), exc_info=True)

    async def _delete_former_bytes(self, rows: Collection[FileRow]) -> None:
        """Delete what the local folder has of files, if files are stored elsewhere now."""
        if self.former_storage is None:
            return
        providers = (LOCAL, self.storage.provider)
        keys = [key for row in rows if row.provider in providers for key in row.keys]
        try:
            await self.former_storage.remove(keys)
        except QuireError:
            _log.warning("files of the local folder are left", files=len(rows), exc_info=True)

    async def _undo(self, file_id: int, record_folder: Path, record: ReplacementRecord) -> None:
        """Undo a replacement that has failed, perhaps because the file was deleted meanwhile."""
        is_deleted = False  # unless the database says so
        with suppress(QuireError):
            store = self.rows.store
            is_deleted = not await self.rows.database.read(lambda: find_files(store, [file_id]))
        await self._replacements.undo(record_folder, record, is_deleted=is_deleted)

    async def _finish_interrupted(self, file_id: int, record_folder: Path) -> None:
        store = self.rows.store
        rows = await self.rows.database.read(lambda: find_files(store, [file_id]))
        await self._replacements.settle(record_folder, rows[0] if rows else None)


async def _gather_all(works: Iterable[Awaitable[T]]) -> list[T]:
    """Wait for all, even if one fails; raises the first error.

    Otherwise those that still run would write files after the caller has cleaned up.
    """
    results = await asyncio.gather(*works, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
