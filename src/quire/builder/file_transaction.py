"""Changes several files atomically, together with a database transaction.

Before the transaction ends, a journal of the changes is written next to the files, with their new
content. After it has ended, the files are replaced. A process that is killed in between leaves the
journal behind; the schema version in the database says whether it is applied or discarded.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import msgspec

from quire.builder.file_changes import FileChange
from quire.clock import now_ms
from quire.database.compile.writes import Writes
from quire.database.schema_version import announced_schema
from quire.database.settings_target import target_of
from quire.errors import QuireError
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

_PREFIX, _SUFFIX = ".quire-change-", ".json"

_PATIENCE_MS = 60_000
"""How long a change without a commit may still be running in another process."""


class UnwritableFilesError(QuireError):
    """The files of a project cannot be changed; none of them was."""

    def __init__(self, path: str, error: OSError) -> None:
        """``path`` is the file that cannot be written."""
        super().__init__(f"{path} cannot be written: {error.strerror or error}")


class _Journal(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a journal."""

    version: str
    changes: list[FileChange]


class FileTransaction:
    """One change of files, from its preparation to its end."""

    def __init__(self, project: Path, version: str, changes: Sequence[FileChange]) -> None:
        """``version`` is `Schema.version` of the schema of the changed files."""
        self._project = project
        self._id = token_hex(8)
        self._path = project / f"{_PREFIX}{self._id}{_SUFFIX}"
        self._written = _Journal(version=version, changes=list(changes))

    def prepare(self) -> None:
        """Write the journal, and check that every file can be written.

        Raises UnwritableFilesError; then nothing is left behind.
        """
        path = self._path.name
        try:
            _write_new(self._path, msgspec.json.encode(self._written))
            for change in self._written.changes:
                path = change.path
                self._make_room(change)
            path = self._path.name
            _keep_names(self._path.parent)
        except OSError as error:
            self.discard()
            raise UnwritableFilesError(path, error) from error

    def finish(self) -> None:
        """Replace the files. Raises OSError; the journal stays then."""
        for change in self._written.changes:
            take_place(self._project, change)
        self._clear()

    def discard(self) -> None:
        """Discard the change."""
        self._clear()
        for change in self._written.changes:
            if change.before is None:
                _remove_empty(self._project, change.path)

    def _make_room(self, change: FileChange) -> None:
        target = self._project / change.path
        if change.after is None:
            if not os.access(target.parent, os.W_OK | os.X_OK):
                raise PermissionError(13, "Permission denied")
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _write_new(self._target(target), change.after.encode())

    def _target(self, target: Path) -> Path:
        return target.with_name(f".{target.name}.{self._id}")

    def _clear(self) -> None:
        for change in self._written.changes:
            with suppress(OSError):
                self._target(self._project / change.path).unlink(missing_ok=True)
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def has_file_transactions(project: Path) -> bool:
    """Tell whether a change of files was interrupted, or is running."""
    return next(_file_transactions(project), None) is not None


def recover(project: Path, version: str | None) -> list[str]:
    """Finish the changes that are committed in the database, and discard the others.

    ``version`` is that of the database. Returns the paths of the replaced files. A file that
    somebody has changed since is left alone. Raises OSError when one cannot be written.
    """
    recovered: list[str] = []
    for path in _file_transactions(project):
        try:
            journal = msgspec.json.decode(path.read_bytes(), type=_Journal)
            written_at = path.stat().st_mtime_ns // 1_000_000
        except FileNotFoundError:
            continue
        except (msgspec.DecodeError, UnicodeDecodeError):
            journal, written_at = None, 0
        if journal is not None and journal.version == version:
            recovered += _finish(project, journal.changes)
            path.unlink(missing_ok=True)
            _delete_prepared(project, path, journal.changes)
        elif now_ms() - written_at > _PATIENCE_MS:
            path.unlink(missing_ok=True)
            _delete_prepared(project, path, [] if journal is None else journal.changes)
    return recovered


def _file_transactions(project: Path) -> Iterator[Path]:
    yield from sorted(project.glob(f"{_PREFIX}*{_SUFFIX}"))


def _finish(project: Path, changes: Sequence[FileChange]) -> Iterator[str]:
    for change in changes:
        target = project / change.path
        content = target.read_bytes() if target.is_file() else None
        before, after = _encoded(change.before), _encoded(change.after)
        if content == before and content != after:
            take_place(project, change)
            yield change.path


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _delete_prepared(project: Path, file_transaction: Path, changes: Sequence[FileChange]) -> None:
    """Delete the prepared contents of files."""
    token = file_transaction.name.removeprefix(_PREFIX).removesuffix(_SUFFIX)
    for change in changes:
        target = project / change.path
        target.with_name(f".{target.name}.{token}").unlink(missing_ok=True)
        _remove_empty(project, change.path)


def take_place(project: Path, change: FileChange) -> None:
    """Replace a file atomically: readers find the former content or the later one."""
    target = project / change.path
    if change.after is None:
        target.unlink(missing_ok=True)
        _remove_empty(project, change.path)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.{token_hex(8)}")
    try:
        _write_new(fresh, change.after.encode())
        if target.exists():
            fresh.chmod(target.stat().st_mode & 0o777)
        fresh.replace(target)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
    _keep_names(target.parent)


def _write_new(path: Path, content: bytes) -> None:
    """Write a file durably."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _keep_names(folder: Path) -> None:
    """Make the names in a folder durable, if the system supports that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_empty(project: Path, path: str) -> None:
    """Delete the empty folders of a file, up to those that every project has."""
    folder = project / Path(path).parent
    fixed = {project / "src", project / "src" / "api", project / "src" / "components"}
    while folder != project and folder not in fixed and project in folder.parents:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


async def is_announced(settings: Settings) -> bool:
    """Tell whether the schema files are those of the recorded schema.

    Raises SchemaError for invalid files, and DatabaseOpenError.
    """
    schema = load_project_schema(settings)
    return schema.version == await _announced(settings)


async def recover_files(settings: Settings) -> list[str]:
    """Repair the schema files after an interrupted change, by the recorded schema.

    Returns the paths of the replaced files. Only looks for a journal if there is none. Raises
    DatabaseOpenError, and OSError when a file cannot be written.
    """
    if not has_file_transactions(settings.project):
        return []
    return recover(settings.project, await _announced(settings))


async def _announced(settings: Settings) -> str | None:
    target = target_of(settings)
    if not await target.has_tables():
        return None
    async with target.look() as inspection:
        return await inspection.run(announced_schema(Writes(target.kind.dialect())))
