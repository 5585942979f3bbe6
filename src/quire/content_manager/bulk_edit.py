"""One change to many entries, with a preview."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from quire.content_manager.entry_status import EntryJson
from quire.content_manager.entry_writes import EntryWriter
from quire.content_manager.status_and_locale import RequestedVersion
from quire.content_manager.version_differences import differences
from quire.content_manager.writable_fields import Body
from quire.database.program import Program
from quire.document_service.commands import UpdateDocument
from quire.document_service.service import run_together
from quire.errors import AppError, NotFoundError
from quire.schema.model import ContentType

Changes = list[dict[str, object]]


class BulkEditPreviewError(Exception):
    """Rolls back a transaction that was only a preview; has the changes."""

    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        super().__init__("only a preview")


class BulkEdit(Struct, frozen=True, kw_only=True):
    """The requested changes, and the documents in one locale to change."""

    document_ids: Sequence[str]
    body: Body
    locale: str | None

    def program(self, writing: EntryWriter) -> Program[Changes]:
        """Change all documents; returns the changed fields of each.

        All of them or none. Raises what changing an entry raises, with the document in the details.
        """
        commands: dict[str, UpdateDocument] = {}
        drafts: dict[str, EntryJson] = {}
        for document_id in self.document_ids:
            drafts[document_id] = yield from self._read_draft(writing, document_id)
            with _errors_of(document_id):
                command = yield from writing.change(document_id, self.body, self.locale)
            commands[document_id] = command
        if (yield from writing.perform_in_bulk([*commands.values()])) is None:
            writes = [
                (command, self._change(writing, command, document_id))
                for document_id, command in commands.items()
            ]
            yield from run_together(writing.unit, writes)
        changes: Changes = []
        for document_id, draft in drafts.items():
            changes.append((yield from self._read_change(writing, document_id, draft)))
        return changes

    def _change(
        self, writing: EntryWriter, command: UpdateDocument, document_id: str
    ) -> Program[None]:
        with _errors_of(document_id):
            yield from writing.perform(command)

    def _read_change(
        self, writing: EntryWriter, document_id: str, before: EntryJson
    ) -> Program[dict[str, object]]:
        """Return the changed fields of a document."""
        after = yield from self._read_draft(writing, document_id)
        return _describe_changes(
            writing.permissions.content_type, document_id, before, after, self.body
        )

    def preview(self, writing: EntryWriter) -> Program[Changes]:
        """Apply the changes and roll them back. Raises BulkEditPreviewError."""
        raise BulkEditPreviewError((yield from self.program(writing)))

    def _read_draft(self, writing: EntryWriter, document_id: str) -> Program[EntryJson]:
        requested_version = RequestedVersion("draft", self.locale)
        versions = yield from writing.versions(document_id)
        entry = writing.draft_of(versions, self.locale)
        if entry is None:
            raise NotFoundError(details={"documentId": document_id})
        return (yield from writing.read(entry, requested_version))


@contextmanager
def _errors_of(document_id: str) -> Iterator[None]:
    """Name the document in the details of errors."""
    try:
        yield
    except AppError as error:
        error.details = {**(error.details or {}), "documentId": document_id}
        raise


def _describe_changes(
    content_type: ContentType, document_id: str, before: EntryJson, after: EntryJson, body: Body
) -> dict[str, object]:
    fields = differences(content_type, before, after, body)
    return {
        "documentId": document_id,
        "fields": {
            name: {"from": old_value, "to": new_value}
            for name, (old_value, new_value) in fields.items()
        },
    }
