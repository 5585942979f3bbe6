"""The file changes that a change of the model needs."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from quire.builder.schema_files import EditedFiles
from quire.builder.strapi_stubs import core_files, untouched_core_files, wants_core_files
from quire.schema.source_files import SchemaFile


class FileChange(Struct, frozen=True, kw_only=True):
    """A file before and after a change; ``None`` if it does not exist.

    ``path`` is from the project's folder.
    """

    path: str
    before: str | None
    after: str | None


def file_changes(
    project: Path, former: Sequence[SchemaFile], files: EditedFiles
) -> list[FileChange]:
    """Return the changes of the files of a project, in the order of their paths.

    Raises OSError for a file that cannot be read.
    """
    contents = dict(_changed_files(project, former, files))
    paths = sorted(contents)
    changes = [
        FileChange(path=path, before=_content(project / path), after=contents[path])
        for path in paths
    ]
    return [change for change in changes if change.before != change.after]


def unwritable_folder(project: Path) -> str | None:
    """Return a folder of schema files that this process cannot write, if there is one."""
    for name in ("", "src/api", "src/components"):
        folder = project / name
        while not folder.exists():
            folder = folder.parent  # it would be created there
        if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
            return str(folder.relative_to(project))
    return None


def _changed_files(
    project: Path, former: Sequence[SchemaFile], files: EditedFiles
) -> Iterator[tuple[str, str | None]]:
    """Yield path and content of each file that differs."""
    former_sources = {source.uid: source for source in former}
    new_sources = {source.uid: source for source in files.sources}
    yield from _removed_files(
        project, [source for source in former if source.uid not in new_sources]
    )
    for source in files.sources:
        former_source = former_sources.get(source.uid)
        if former_source is None or not _is_same(former_source.raw, source.raw):
            yield source.file, serialize_schema(source.raw)
    if wants_core_files(project):
        added_uids = [source.uid for source in files.sources if source.uid not in former_sources]
        yield from _missing_core_files(
            project, [uid for uid in added_uids if uid.startswith("api::")]
        )


def _removed_files(
    project: Path, sources: Sequence[SchemaFile]
) -> Iterator[tuple[str, str | None]]:
    for source in sources:
        yield source.file, None
        if source.uid.startswith("api::"):
            yield from ((path, None) for path in untouched_core_files(project, source.uid))


def _missing_core_files(project: Path, uids: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    for uid in uids:
        for path, content in core_files(project, uid):
            if not (project / path).exists():
                yield path, content


def serialize_schema(raw: object) -> str:
    """Serialize a schema file in Strapi's form: indented by two."""
    return json.dumps(raw, indent=2, ensure_ascii=False) + "\n"


def _is_same(before: object, after: object) -> bool:
    """Tell whether two files have the same content, in the same order."""
    return json.dumps(before) == json.dumps(after)


def _content(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
