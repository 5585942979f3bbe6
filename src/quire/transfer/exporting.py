"""Exports the content of a project to an archive."""

import gzip
import os
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from io import BufferedWriter, BytesIO, RawIOBase
from pathlib import Path
from typing import IO, Any, cast

import msgspec
from msgspec import Struct

from quire.clock import iso_from_ms, now_ms
from quire.database.entries.entry_tables import open_store
from quire.database.long_operations import Progress
from quire.database.open import require_project_database
from quire.database.settings_target import target_of
from quire.database.tables.table_map import map_tables
from quire.extension_loading import load_storage_backends
from quire.schema.model import ContentType, Model, Schema
from quire.settings import Settings
from quire.temporary_folder import open_private, temporary_folder
from quire.transfer.archive_format import (
    ASSET_METADATA_FOLDER,
    MAX_PART_CHARACTERS,
    METADATA,
    UPLOADS_FOLDER,
    ArchiveStage,
    is_asset_name,
    part_name,
)
from quire.transfer.cipher import EncryptingWriter
from quire.transfer.export_lines import ExportLines, Write, export_program
from quire.uploads.storage import Storage
from quire.uploads.storage.open import open_storage

_TEMPORARY = ".quire-export-"
_BUFFER_BYTES = 1 << 16
_LEVEL = 6

_DESCRIBED_KEYS = ("collectionName", "info", "options", "pluginOptions")

STRAPI_VERSION = "5.54.0"
"""The version of Strapi whose format and tables these are."""


class LineWriter:
    """Writes the lines of a stage into parts in a folder."""

    def __init__(self, folder: Path, stage: ArchiveStage) -> None:
        self.parts: list[tuple[str, Path]] = []
        self.count = 0
        self._folder = folder
        self._stage = stage
        self._encoder = msgspec.json.Encoder()
        self._file: IO[bytes] | None = None
        self._left = 0

    def write(self, line: object) -> None:
        """Write something as a line of JSON."""
        data = self._encoder.encode(line) + b"\n"
        if self._file is None or len(data) > self._left:
            self._begin()
        cast("IO[bytes]", self._file).write(data)
        self._left -= len(data)
        self.count += 1

    def close(self) -> None:
        """Write the rest to the file."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _begin(self) -> None:
        self.close()
        name = part_name(self._stage, len(self.parts) + 1)
        path = self._folder / Path(name).name
        self._file = path.open("xb")
        self.parts.append((name, path))
        self._left = MAX_PART_CHARACTERS


class ArchiveFile:
    """A tar file that members are added to."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar

    def add_bytes(self, name: str, data: bytes) -> None:
        """Add a member with some content."""
        member = tarfile.TarInfo(name)
        member.size = len(data)
        self._tar.addfile(member, BytesIO(data))

    def add_file(self, name: str, path: Path) -> None:
        """Add a file."""
        member = tarfile.TarInfo(name)
        with path.open("rb") as file:
            member.size = os.fstat(file.fileno()).st_size
            self._tar.addfile(member, file)


@contextmanager
def packed_archive(
    path: Path, *, key: str | None, compress: bool
) -> Iterator[tuple[ArchiveFile, Path]]:
    """Write an archive, which exists when the block succeeds, and not otherwise.

    Only its owner may read it. Also yields a folder for temporary files.
    """
    temporary_path = path.with_name(f".{path.name}.unfinished")
    try:
        with (
            temporary_folder(path.parent, _TEMPORARY) as folder,
            open(temporary_path, "wb", opener=open_private) as file,
        ):
            with ExitStack() as layers:
                target: IO[bytes] = file
                if key is not None:
                    encryption = layers.enter_context(EncryptingWriter(target, key))
                    buffer = BufferedWriter(cast("RawIOBase", encryption), _BUFFER_BYTES)
                    target = layers.enter_context(buffer)
                if compress:
                    compression = gzip.GzipFile("", "wb", _LEVEL, target)
                    target = cast("IO[bytes]", layers.enter_context(compression))
                tar = layers.enter_context(
                    tarfile.open(fileobj=target, mode="w|", format=tarfile.PAX_FORMAT)
                )
                yield ArchiveFile(tar), folder
            file.flush()
            os.fsync(file.fileno())
        temporary_path.replace(path)
    finally:
        temporary_path.unlink(missing_ok=True)


def schema_lines(schema: Schema) -> Iterator[dict[str, Any]]:
    """Return the schema of each content type and component, with the server's additions."""
    for model in schema.models():
        yield _schema_line(schema, model)


def _schema_line(schema: Schema, model: Model) -> dict[str, Any]:
    raw = dict(model.raw)
    raw_attributes = raw.get("attributes")
    attributes = dict(raw_attributes) if isinstance(raw_attributes, Mapping) else {}
    line: dict[str, Any] = {key: raw[key] for key in _DESCRIBED_KEYS if key in raw}
    line.setdefault("options", {})
    content_type = schema.content_types.get(model.uid)
    if content_type is None:
        name = model.uid.partition(".")[2]
        kind = {"modelType": "component", "modelName": name}
        return {**line, "attributes": attributes, **kind, "uid": model.uid}
    attributes |= _system_attributes(content_type)
    plugin = {} if content_type.plugin is None else {"plugin": content_type.plugin}
    return {
        **line,
        "attributes": attributes,
        "kind": str(content_type.kind),
        "modelType": "contentType",
        "modelName": content_type.singular_name,
        "uid": model.uid,
        **plugin,
    }


def _system_attributes(content_type: ContentType) -> dict[str, Any]:
    """Return the attributes that a server adds to a content type, as archives describe them."""
    private = not content_type.localized
    creator = {
        "type": "relation",
        "relation": "oneToOne",
        "target": "admin::user",
        "configurable": False,
        "writable": False,
        "visible": False,
        "useJoinTable": False,
        "private": not content_type.populate_creator_fields,
    }
    return {
        "createdAt": {"type": "datetime"},
        "updatedAt": {"type": "datetime"},
        "publishedAt": {
            "type": "datetime",
            "configurable": False,
            "writable": True,
            "visible": True,
        },
        "createdBy": creator,
        "updatedBy": creator,
        "locale": {
            "writable": True,
            "private": private,
            "configurable": False,
            "visible": False,
            "type": "string",
        },
        "localizations": {
            "type": "relation",
            "relation": "oneToMany",
            "target": content_type.uid,
            "writable": False,
            "private": private,
            "configurable": False,
            "visible": False,
            "unstable_virtual": True,
            "joinColumn": {
                "name": "document_id",
                "referencedColumn": "document_id",
                "referencedTable": content_type.collection_name,
            },
        },
    }


class ExportCounts(Struct, frozen=True, kw_only=True):
    """The result of an export. ``missing_files`` are the names of files that the storage lacks."""

    entries: int
    links: int
    files: int
    missing_files: tuple[str, ...]


async def export_project(
    settings: Settings,
    schema: Schema,
    path: Path,
    *,
    key: str | None,
    compress: bool,
    progress: Progress,
) -> ExportCounts:
    """Write a consistent copy of the content of a project to a new archive.

    Raises DatabaseOpenError, StorageError and OSError; then there is no archive.
    """
    target = target_of(settings)
    await require_project_database(target)
    with (
        packed_archive(path, key=key, compress=compress) as (archive, folder),
        ExitStack() as writers,
    ):
        stages = {stage: LineWriter(folder, stage) for stage in ArchiveStage}
        for writer in stages.values():
            writers.callback(writer.close)
        progress.begin("Reading rows", None)
        for line in schema_lines(schema):
            stages[ArchiveStage.SCHEMAS].write(line)
        lines = ExportLines(
            entities=_count_lines(stages[ArchiveStage.ENTITIES], progress),
            links=_count_lines(stages[ArchiveStage.LINKS], progress),
            configuration=stages[ArchiveStage.CONFIGURATION].write,
        )
        store = open_store(schema, map_tables(schema), target.kind.dialect())
        async with target.look() as connection:
            await connection.run(export_program(store, lines))
        for writer in stages.values():
            writer.close()
        _add(archive, stages[ArchiveStage.SCHEMAS], stages[ArchiveStage.ENTITIES])
        progress.begin("Reading files", len(lines.files))
        backends = load_storage_backends(settings.project, schema, settings)
        storage = open_storage(settings, backends)
        files = _Files(archive, storage, folder)
        for row in lines.files:
            await files.add(row)
            progress.advance(1)
        _add(archive, stages[ArchiveStage.LINKS], stages[ArchiveStage.CONFIGURATION])
        metadata = {
            "createdAt": iso_from_ms(now_ms()),
            "strapi": {"version": STRAPI_VERSION},
        }
        archive.add_bytes(METADATA, msgspec.json.format(msgspec.json.encode(metadata)))
    return ExportCounts(
        entries=stages[ArchiveStage.ENTITIES].count,
        links=stages[ArchiveStage.LINKS].count,
        files=files.count,
        missing_files=tuple(files.missing),
    )


def _count_lines(writer: LineWriter, progress: Progress) -> Write:
    def write(line: object) -> None:
        writer.write(line)
        progress.advance(1)

    return write


def _add(archive: ArchiveFile, *writers: LineWriter) -> None:
    for writer in writers:
        for name, path in writer.parts:
            archive.add_file(name, path)


class _Files:
    """Adds files of the media library with their metadata."""

    def __init__(self, archive: ArchiveFile, storage: Storage, folder: Path) -> None:
        self.count = 0
        self.missing: list[str] = []
        self._archive = archive
        self._storage = storage
        self._folder = folder

    async def add(self, row: Mapping[str, Any]) -> None:
        """Add the file of a row and its other sizes, without those of other storages."""
        if row.get("provider") != self._storage.provider:
            self.missing.append(_key(row))
            return
        await self._add(_key(row), row)
        formats = row.get("formats")
        for type_, file_format in formats.items() if isinstance(formats, Mapping) else ():
            if isinstance(file_format, Mapping):
                reference = {"type": type_, "id": row["id"], "mainHash": row.get("hash")}
                await self._add(_key(file_format), {**file_format, **reference})

    async def _add(self, name: str, metadata: Mapping[str, Any]) -> None:
        if not is_asset_name(name):
            self.missing.append(name)
            return
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            path = Path(folder) / "file"
            if not await self._storage.fetch(name, path):
                self.missing.append(name)
                return
            metadata_json = msgspec.json.encode(metadata)
            self._archive.add_bytes(f"{ASSET_METADATA_FOLDER}/{name}.json", metadata_json)
            self._archive.add_file(f"{UPLOADS_FOLDER}/{name}", path)
            self.count += 1


def _key(values: Mapping[str, Any]) -> str:
    return f"{values.get('hash')}{values.get('ext') or ''}"
