"""Imports an unpacked archive into a project: everything is stored, or nothing."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
from msgspec import Struct

from quire.auth.passwords import hash_password
from quire.clock import now_ms
from quire.database.compile.writes import Writes
from quire.database.content_rows import ExistingContent
from quire.database.entries.entry_tables import open_store
from quire.database.initialize import FirstLocale, first_program
from quire.database.interface import Database
from quire.database.long_operations import Progress, write_interruptible
from quire.database.migration.migrate import MigrationRequest, migrate_to
from quire.database.migration.schema_pair import Renames
from quire.database.open import require_project_database
from quire.database.planner_statistics import renew_statistics
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.audit_log import AuditLog, AuditRow
from quire.database.stores.change_outbox import ChangeQueue, ChangeRows
from quire.database.stores.jobs import JobQueue, JobRows
from quire.database.stores.quire_tables import QuireTables
from quire.database.tables.table_map import map_tables
from quire.document_service.limits import code_limits, inner_limits
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.errors import TransferError, UncertainOutcomeError
from quire.extension_loading import load_storage_backends
from quire.hooks.registry import NO_EXTENSIONS, Extensions
from quire.ids import new_document_id
from quire.mail.senders import choose_sender
from quire.schema.model import FILE_UID, USER_UID, Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_options
from quire.transfer.hook_staging import stage_entries, uids_with_hooks
from quire.transfer.import_program import ArchiveImport, ImportCounts
from quire.transfer.import_with_hooks import ImportWithHooks
from quire.transfer.prepare_entries import prepare_entries
from quire.transfer.staged_entries import StagedEntries, open_staged_entries
from quire.transfer.unpacking import UnpackedArchive
from quire.uploads.storage import Storage
from quire.uploads.storage.open import open_storage

_UNKNOWN_TYPE = "application/octet-stream"
_MAX_LISTED = 5
_WITH_HOOKS, _WITHOUT_HOOKS = "import", "import --without-hooks"
"""The actions of imports in the audit log."""
_SYSTEM = "system"
"""The actor of imports with hooks: rules and policies do not apply to them."""

_OK = 200


class AssetFiles(Struct, frozen=True, kw_only=True):
    """The files of an archive while they are copied to a storage."""

    archive: UnpackedArchive
    storage: Storage

    def check(self) -> None:
        """Check that every file has metadata. Raises TransferError."""
        unknown = [
            name
            for name in sorted(self.archive.assets)
            if self.archive.asset_metadata(name) is None
        ]
        if unknown:
            raise TransferError(
                f"The archive says nothing of {len(unknown):,} of its files: "
                f"{_join_names(unknown)}."
            )

    async def require_free(self) -> None:
        """Check that the storage has no files of these names. Raises TransferError."""
        existing_names = [
            name
            for name in sorted(self.archive.assets)
            if await self.storage.version(name) is not None
        ]
        if existing_names:
            raise TransferError(
                f"The media library has {len(existing_names):,} files of these names already: "
                f"{_join_names(existing_names)}. "
                "--replace puts those of the archive in their place."
            )

    def row_values(self, data: Mapping[str, object]) -> dict[str, object]:
        """Return the values of a file's row, with its URLs in the storage."""
        key = _key(data)
        if key not in self.archive.assets:
            return dict(data)
        formats = data.get("formats")
        if isinstance(formats, Mapping):
            formats = {name: self._format(value) for name, value in formats.items()}
        return {
            **data,
            "url": self.storage.url(key),
            "formats": formats,
            "provider": self.storage.provider,
        }

    def _format(self, value: object) -> object:
        if not isinstance(value, Mapping) or _key(value) not in self.archive.assets:
            return value
        return {**value, "url": self.storage.url(_key(value))}

    @asynccontextmanager
    async def copied_files(self, advance: Callable[[int], None]) -> AsyncIterator[None]:
        """Copy the files to the storage; when the block raises, everything is restored.

        If its outcome is uncertain, the new files stay: the rows that were committed may need them.
        ``advance`` is called with the number of files since the last call. Raises StorageError and
        OutOfSpaceError.
        """
        with TemporaryDirectory(dir=self.archive.folder) as previous_files:
            copied_names: list[str] = []
            try:
                for name in sorted(self.archive.assets):
                    await self.storage.fetch(name, Path(previous_files) / name)
                    copied_names.append(name)
                    metadata = self.archive.asset_metadata(name)
                    type_ = (metadata and metadata.mime) or _UNKNOWN_TYPE
                    await self.storage.put(name, self.archive.asset(name), type_=type_)
                    advance(1)
                yield
            except UncertainOutcomeError:
                raise
            except BaseException:
                await self._restore_files(copied_names, Path(previous_files))
                raise

    async def _restore_files(self, names: list[str], previous_files: Path) -> None:
        """Restore the former files, and remove the others."""
        await self.storage.remove([name for name in names if not (previous_files / name).exists()])
        for name in names:
            if (previous_files / name).exists():
                await self.storage.put(name, previous_files / name, type_=_UNKNOWN_TYPE)


def _key(values: Mapping[str, object]) -> str:
    return f"{values.get('hash')}{values.get('ext') or ''}"


def _join_names(names: list[str]) -> str:
    return ", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "")


class ImportTarget(Struct, frozen=True, kw_only=True):
    """A project, and whether its content may be deleted.

    ``extensions`` are its Python code, whose hooks are called; an import ``without_hooks`` calls
    none. The audit log has a row of either.
    """

    settings: Settings
    schema: Schema
    replace: bool
    extensions: Extensions = NO_EXTENSIONS
    without_hooks: bool = False


async def import_archive(
    archive: UnpackedArchive,
    target: ImportTarget,
    progress: Progress,
    *,
    committed: Callable[[], object],
) -> ImportCounts:
    """Replace the content of a project by that of an archive.

    The tables are created if the project has none. ``committed`` is called when the content is
    stored: after that nothing may be undone, even if the import is interrupted. Raises
    TransferError when the project has content and ``into.replace`` does not allow to delete it, for
    lines and files that cannot be stored, and when a hook refuses an entry; DatabaseOpenError,
    StorageError and OutOfSpaceError.
    """
    run = _ImportRun(archive, target, progress, committed)
    expected_counts = run.check()
    async with run.hooks():
        if await target_of(target.settings).has_tables():
            return await run.existing(expected_counts)
        return await run.new(expected_counts)


def _storage(target: ImportTarget) -> Storage:
    """Open the storage of the project's files. Raises ConfigurationError and ExtensionError."""
    settings = target.settings
    return open_storage(settings, load_storage_backends(settings.project, target.schema, settings))


class _StagedArchive(NamedTuple):
    """The entries of an archive, grouped for hooks, and the highest id of each model's rows."""

    entries: StagedEntries
    highest_ids: Mapping[str, int]


class _ImportRun:
    """One import."""

    def __init__(
        self,
        archive: UnpackedArchive,
        target: ImportTarget,
        progress: Progress,
        committed: Callable[[], object],
    ) -> None:
        self._archive = archive
        self._into = target
        self._progress = progress
        self._committed = committed
        self._tables = map_tables(target.schema)
        self._target = target_of(target.settings)
        self._files = AssetFiles(archive=archive, storage=_storage(target))
        self._staged: _StagedArchive | None = None
        """The entries for hooks, ``None`` if the project has none."""

    def check(self) -> ImportCounts:
        """Read the whole archive; returns its counts."""
        self._progress.begin("Checking", None)
        self._files.check()
        return self._import(self._progress.advance).check()

    @asynccontextmanager
    async def hooks(self) -> AsyncIterator[None]:
        """Call the `@prepare` functions of the project, and its hooks in the block.

        Raises TransferError when one of them refuses an entry.
        """
        uids = uids_with_hooks(self._into.extensions)
        if not uids:
            yield
            return
        with open_staged_entries(self._archive.folder) as entries:
            self._progress.begin("Preparing", None)
            highest_ids = stage_entries(self._import(self._progress.advance), entries, uids)
            self._staged = _StagedArchive(entries, highest_ids)
            await prepare_entries(self._engine(), entries)
            yield

    def _engine(self, database: Database | None = None) -> WriteEngine:
        """Return the engine for the project's code; without a database it only prepares."""
        settings = self._into.settings
        store = open_store(self._into.schema, self._tables, self._target.kind.dialect())
        tables = None if database is None else QuireTables(database, self._target.kind)
        return WriteEngine(
            store=store,
            new_id=new_document_id,
            default_locale=None,
            limits=inner_limits(settings),
            extensions=self._into.extensions,
            jobs=None if tables is None else JobQueue(JobRows(store.writes), tables),
            changes=None if tables is None else ChangeQueue(ChangeRows(store.writes), tables),
            audit=None if database is None else self._audit_log(database),
            is_development=settings.is_development,
            mail=choose_sender(settings.mail, development=settings.is_development),
            code_limits=code_limits(settings),
        )

    async def new(self, expected: ImportCounts) -> ImportCounts:
        """Create the database together with the content."""
        if not self._into.replace:
            await self._files.require_free()
        async with self._stored_files(), self._target.new() as database:
            counts = await self._write(database, expected, is_new=True)
            await self._renew_statistics(database)
        self._committed()
        return counts

    async def existing(self, expected: ImportCounts) -> ImportCounts:
        """Replace the content of a database."""
        await require_project_database(self._target)
        database = await self._target.open()
        try:
            if not self._into.replace:
                await database.read(lambda: self._require_empty(database))
                await self._files.require_free()
            async with self._stored_files():
                counts = await self._write(database, expected, is_new=False)
            self._committed()
            await self._renew_statistics(database)
        finally:
            await database.close()
        return counts

    def _stored_files(self) -> AbstractAsyncContextManager[None]:
        self._progress.begin("Storing files", len(self._archive.assets))
        return self._files.copied_files(self._progress.advance)

    async def _write(
        self, database: Database, expected_counts: ImportCounts, *, is_new: bool
    ) -> ImportCounts:
        self._progress.begin("Storing rows", expected_counts.entries + expected_counts.links)

        def program(step: Callable[[], None]) -> Program[ImportCounts]:
            def advance(lines: int) -> None:
                step()
                self._progress.advance(lines)

            if is_new:
                yield from self._first_program()
            else:
                yield from migrate_to(self._target.kind, self._migration_request(), now=now_ms())
                if not self._into.replace:
                    # Again, because now nobody else can write.
                    yield from self._require_empty(database)
            archive = self._import(advance)
            if self._staged is None:
                counts = yield from archive.program()
            else:
                unit = UnitOfWork(
                    engine=self._engine(database),
                    clock=now_ms,
                    origin="import",
                    is_system=True,
                    hash_password=hash_password,
                )
                counts = yield from ImportWithHooks(archive, *self._staged, unit).program()
                yield from self._record(database, counts, _WITH_HOOKS, _SYSTEM)
            if self._into.without_hooks:
                yield from self._record(database, counts, _WITHOUT_HOOKS)
            return counts

        try:
            return await write_interruptible(database, program)
        except UncertainOutcomeError:
            self._committed()  # it may be: nothing that its rows need may be undone
            raise

    async def _renew_statistics(self, database: Database) -> None:
        """Renew the statistics; Ctrl+C skips that, because the content is stored already."""
        kind = self._target.kind
        with suppress(asyncio.CancelledError):
            await renew_statistics(database, kind.statistics, kind.inspector)

    def _first_program(self) -> Program[None]:
        yield from first_program(
            self._into.schema,
            self._tables,
            self._target.kind,
            clock=now_ms,
            new_id=new_document_id,
            locale=FirstLocale(),
            api_prefix=self._into.settings.api.prefix,
        )

    def _record(
        self, database: Database, counts: ImportCounts, action: str, actor: str = ""
    ) -> Program[None]:
        """Add a row to the audit log."""
        row = AuditRow(
            at=now_ms(),
            actor_id=None,
            actor=actor,
            action=action,
            target="",
            details=msgspec.json.encode({"entries": counts.entries}).decode(),
            status=_OK,
            place="",
        )
        yield from self._audit_log(database).add_in_transaction([row])

    def _audit_log(self, database: Database) -> AuditLog:
        writes = Writes(self._target.kind.dialect())
        return AuditLog(database, writes, QuireTables(database, self._target.kind))

    def _migration_request(self) -> MigrationRequest:
        """Return the target schema of the tables: that of the schema files, which may be new."""
        return MigrationRequest(
            schema=self._into.schema,
            options=load_options(self._into.settings),
            renames=Renames(),
            title="import",
        )

    def _require_empty(self, database: Database) -> Program[None]:
        contents = ExistingContent(self._tables, database.dialect)
        table_names = yield from self._target.kind.inspector.table_names()
        uids = [
            *(content_type.uid for content_type in self._into.schema.api_types),
            FILE_UID,
            USER_UID,
        ]
        filled_uids = yield from contents.with_rows(
            uid for uid in uids if self._tables[uid].name in table_names
        )
        if filled_uids:
            raise TransferError(
                f"{self._target.place} has content already: {', '.join(filled_uids)}. "
                "--replace deletes it and puts that of the archive in its place."
            )

    def _import(self, advance: Callable[[int], None]) -> ArchiveImport:
        return ArchiveImport(
            archive=self._archive,
            schema=self._into.schema,
            tables=self._tables,
            kind=self._target.kind,
            file_values=self._files.row_values,
            advance=advance,
        )
