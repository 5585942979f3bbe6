"""What an import with hooks has to know first: entries by document, their data, and errors."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from quire.document_service.prepare_calls import IDENTITY
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import AppError, InternalServerError, TransferError, ValidationError
from quire.hooks.errors import UnknownFieldError
from quire.hooks.registry import Extensions
from quire.hooks.write import WriteAction
from quire.schema.model import FILE_UID
from quire.transfer.archive_format import ArchiveStage, EntityLine, LinkLine
from quire.transfer.entry_rows import EntryRows
from quire.transfer.import_program import ArchiveImport, ImportCounts
from quire.transfer.staged_entries import StagedEntries, StagedEntry
from quire.transfer.wire_data import Data, changed_values, wire_data, without_component_ids

IMPORT_ACTIONS: tuple[WriteAction, ...] = ("create", "publish", "update")
"""The actions of an import."""


def uids_with_hooks(extensions: Extensions) -> frozenset[str]:
    """Return the content types with functions that an import calls."""
    keys = (*extensions.writes, *extensions.prepare, *extensions.around)
    return frozenset(uid for uid, action in keys if action in IMPORT_ACTIONS)


def stage_entries(
    archive: ArchiveImport, staged: StagedEntries, uids: frozenset[str]
) -> dict[str, int]:
    """Group the entries of types with drafts or hooks (``uids``), with the links of the latter.

    Returns the highest id of each model's rows.
    """
    rows = EntryRows(archive.schema, archive.tables, archive.kind.dialect())
    for line in archive.entity_lines(ImportCounts()):
        for _ in rows.rows(line):
            pass  # only the ids are needed here, which `rows` records
        document_id = line.data.get(IDENTITY)
        if not isinstance(document_id, str):
            continue
        staged.add_document_id(line, document_id)
        if is_staged(archive, line, uids):
            content_type = archive.schema.content_types[line.type]
            locale = line.data.get("locale") if content_type.localized else None
            is_draft = content_type.draft_and_publish and line.data.get("publishedAt") is None
            staged.add(line, document_id, locale, is_published=not is_draft)
    for link in archive.archive.lines(ArchiveStage.LINKS, LinkLine):
        left, right = link.left, link.right
        if not isinstance(left.ref, int) or not isinstance(right.ref, int):
            continue
        if left.type in uids and left.field:
            staged.add_link((left.type, left.ref), left.field, left.pos, (right.type, right.ref))
        if left.type == FILE_UID and right.type in uids and right.field:
            staged.add_link((right.type, right.ref), right.field, right.pos, (left.type, left.ref))
    staged.group()
    return {uid: max(ids) for uid, ids in rows.known.items() if ids}


def is_staged(archive: ArchiveImport, line: EntityLine, uids: frozenset[str]) -> bool:
    """Tell whether a row is created and published in steps: types with drafts or with hooks."""
    content_type = archive.schema.content_types[line.type]
    is_document = isinstance(line.data.get(IDENTITY), str)
    return is_document and (content_type.draft_and_publish or line.type in uids)


class EntryVersions(Struct, frozen=True, kw_only=True):
    """The data of a document's locale: of what is created, and of the draft beside it.

    ``modified`` are the values of the draft that differ from those of the published version.
    """

    created: Data
    draft: Data
    modified: Data


def created_data(engine: WriteEngine, staged: StagedEntries, entry: StagedEntry) -> Data:
    """Return the data that an archive has for what is created."""
    return _data(engine, staged, entry.line)


def versions_of(engine: WriteEngine, staged: StagedEntries, entry: StagedEntry) -> EntryVersions:
    """Return the data of an entry, with what links say of its relations."""
    schema, model = engine.schema, engine.schema.content_types[entry.line.type]
    created = created_data(engine, staged, entry)
    if entry.draft is None:
        return EntryVersions(created=created, draft={}, modified={})
    draft = _data(engine, staged, entry.draft)
    modified_names = changed_values(
        without_component_ids(schema, model, created),
        without_component_ids(schema, model, draft),
    )
    modified = {name: draft.get(name) for name in modified_names}
    return EntryVersions(created=created, draft=draft, modified=modified)


def _data(engine: WriteEngine, staged: StagedEntries, line: EntityLine) -> Data:
    layout = engine.store.layout(line.type)
    return wire_data(engine.schema, layout, line, staged.links(line.type, line.id))


def as_json(data: object) -> Data:
    """Return data as JSON has them. Raises ValidationError for what it cannot hold."""
    try:
        return msgspec.json.decode(msgspec.json.encode(data), type=dict[str, Any])
    except TypeError as error:
        raise ValidationError(f"A hook has set a value that is not JSON: {error}") from error


def refusal_of(
    error: AppError | UnknownFieldError, entries: Sequence[StagedEntry]
) -> TransferError:
    """Return the error of an import whose hooks refuse one of some entries."""
    first = entries[0]
    locale = "" if first.locale is None else f" ({first.locale})"
    name = f"{first.line.type} {first.document_id}{locale}"
    if len(entries) > 1:
        name = f"{name} or one of the {len(entries) - 1} entries after it"
    return TransferError(f"{name} cannot be imported: {'; '.join(_messages(error))}.")


def _messages(error: AppError | UnknownFieldError) -> Iterator[str]:
    """Yield the messages of an error with their paths, and the function that has raised it."""
    cause = error.__cause__
    if isinstance(error, AppError) and error.details and "errors" in error.details:
        for detail in msgspec.convert(error.details["errors"], list[_ErrorDetail]):
            path = ".".join(map(str, detail.path))
            yield f"{path}: {detail.message}" if path else detail.message
    elif isinstance(error, InternalServerError) and cause is not None:
        yield f"{type(cause).__name__}: {cause}"
    else:
        yield str(error)
    for raised in (error, cause):
        yield from getattr(raised, "__notes__", ())


class _ErrorDetail(Struct, frozen=True):
    """A problem in the details of an error."""

    message: str
    path: tuple[str | int, ...] = ()
