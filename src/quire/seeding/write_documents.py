"""Writes documents with the actions of the document service, in one transaction.

Each version is created, and published unless it is a draft; the changes of a modified one are
written to its draft after everything else.
"""

from collections.abc import Mapping

from quire.database.program import Program
from quire.document_service.commands import CreateDocument, UpdateDocument, WrittenEntry
from quire.document_service.service import run_command
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, SeedingError
from quire.schema.attributes.base import RelationAttribute
from quire.schema.model import ContentType
from quire.seeding.references import target_locale
from quire.seeding.seed_values import DocumentVersion, SeedDocument, Status, Values
from quire.seeding.wire_format import WireFormat


class DocumentWriter:
    """Writes the documents of content files, one after the other."""

    def __init__(
        self, unit: UnitOfWork, files: Mapping[str, Mapping[str, object]], default_locale: str
    ) -> None:
        """``files`` are the stored media files by their names in values."""
        self._unit = unit
        self._files = files
        self._default_locale = default_locale
        self._ids: dict[tuple[str, str], str] = {}
        self._rows: dict[tuple[str, str, str | None], int] = {}

    def write(self, document: SeedDocument) -> Program[None]:
        """Write a document in all of its locales, without the changes of modified ones.

        Its targets have to exist. Raises SeedingError when it cannot be written.
        """
        uid, key = document.content_type, document.key
        document_id = self._ids[uid, key] = self._unit.engine.new_id()
        for position, version in enumerate(document.versions):
            data = self._data(document, version, version.values)
            publish = version.status is not Status.DRAFT
            command: CreateDocument | UpdateDocument
            if position == 0:
                command = CreateDocument(
                    uid=uid,
                    data=data,
                    locale=version.locale,
                    publish=publish,
                    document_id=document_id,
                )
            else:
                command = UpdateDocument(
                    uid=uid,
                    document_id=document_id,
                    data=data,
                    locale=version.locale,
                    publish=publish,
                )
            entry = yield from self._run_command(command, document, version)
            self._rows[uid, key, version.locale] = entry.entry_id

    def change(self, document: SeedDocument) -> Program[None]:
        """Write the changes of modified versions to their drafts.

        Raises SeedingError when they cannot be written.
        """
        uid = document.content_type
        for version in document.versions:
            if version.changes:
                data = self._data(document, version, version.changes)
                command = UpdateDocument(
                    uid=uid,
                    document_id=self._ids[uid, document.key],
                    data=data,
                    locale=version.locale,
                )
                yield from self._run_command(command, document, version)

    def _run_command(
        self,
        command: CreateDocument | UpdateDocument,
        document: SeedDocument,
        version: DocumentVersion,
    ) -> Program[WrittenEntry]:
        try:
            entries = yield from run_command(self._unit, command)
        except AppError as error:
            location = f"{document.content_type} {document.key}"
            if version.locale is not None:
                location += f" ({version.locale})"
            raise SeedingError(f"{location} cannot be written: {error.message}") from error
        return entries[0]

    def _data(
        self, document: SeedDocument, version: DocumentVersion, values: Values
    ) -> dict[str, object]:
        """Return values in the form of requests."""
        schema = self._unit.engine.schema
        source = schema.content_types[document.content_type]

        wire = WireFormat(
            schema=schema,
            related=lambda relation, key: self._resolve_relation(
                source, version.locale, relation, key
            ),
            file=lambda name: {"id": self._files[name]["id"]},
            image=lambda name: self._files[name],
        )
        return wire.data(source, values)

    def _resolve_relation(
        self, source: ContentType, locale: str | None, relation: RelationAttribute, key: str
    ) -> object:
        """Return the id of a document, or of its published row if there is no link table."""
        target = self._unit.engine.schema.content_types[str(relation.target)]
        if relation.join_table:
            return {"documentId": self._ids[target.uid, key]}
        target_code = target_locale(source, locale, target, self._default_locale)
        return {"id": self._rows[target.uid, key, target_code]}
