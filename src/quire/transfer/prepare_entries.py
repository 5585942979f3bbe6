"""Calls the `@prepare` functions of a project for the entries of an archive."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NoReturn, TypeVar

from quire.database.program import Program
from quire.document_service.commands import Command, copy_data
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.prepare_calls import IDENTITY, call_prepare
from quire.document_service.unit_of_work import WriteEngine, WriteProgram
from quire.errors import AppError
from quire.hooks.document import Document
from quire.hooks.errors import UnitOfWorkError, UnknownFieldError
from quire.hooks.registry import Hook
from quire.hooks.write import Write, WriteAction, WriteData
from quire.schema.attributes.base import ScalarAttribute
from quire.transfer.hook_staging import as_json, refusal_of, versions_of
from quire.transfer.staged_entries import StagedEntries, StagedEntry
from quire.transfer.wire_data import Data

T = TypeVar("T")


class _PrepareContext(ExtensionContext):
    """The context of `@prepare` functions: nothing of the archive is stored yet."""

    @property
    def is_in_transaction(self) -> bool:
        """Always false."""
        return False

    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Raise UnitOfWorkError."""
        del act
        self._refuse()

    async def write(
        self, act: WriteProgram[T], *, as_system: bool, commands: Sequence[Command] = ()
    ) -> T:
        """Raise UnitOfWorkError."""
        del act, as_system, commands
        self._refuse()

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """Raise UnitOfWorkError."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        message = (
            f"{self.name} cannot use documents in an import: those of the archive are not stored "
            "yet. Functions marked with @before_write can"
        )
        raise UnitOfWorkError(message)


async def prepare_entries(engine: WriteEngine, staged: StagedEntries) -> None:
    """Call the `@prepare` functions for all entries, before the transaction.

    Raises TransferError when one of them refuses or fails.
    """
    context = _PrepareContext("prepare", engine, None, is_system=True)
    functions = engine.extensions.prepare
    for uid in staged.uids():
        creating, updating = functions.get((uid, "create"), ()), functions.get((uid, "update"), ())
        if not creating and not updating:
            continue
        for batch in staged.batches(uid):
            for entry in batch:
                try:
                    await _prepare(engine, staged, entry, creating, updating, context)
                except (AppError, UnknownFieldError) as error:
                    raise refusal_of(error, [entry]) from error


async def _prepare(
    engine: WriteEngine,
    staged: StagedEntries,
    entry: StagedEntry,
    creating: Sequence[Hook],
    updating: Sequence[Hook],
    context: ExtensionContext,
) -> None:
    versions = versions_of(engine, staged, entry)

    async def call(
        functions: Sequence[Hook], action: WriteAction, data: Data, before: Data | None
    ) -> Data:
        layout = engine.store.layout(entry.line.type)
        write = Write[Document](
            uid=entry.line.type,
            action=action,
            document_id=entry.document_id,
            locale=entry.locale,
            origin=(),
            _data=WriteData(copy_data(data)),
            _fields=layout.model.writable_names,
        )
        await call_prepare(functions, write, before, context, as_system=True)
        write.check_names(data)
        return as_json(write.data)

    created = await call(creating, "create", versions.created, None)
    modified = versions.modified
    if modified:
        before = {IDENTITY: entry.document_id, **_without_relations(engine, entry, created)}
        modified = await call(updating, "update", modified, before)
    staged.set_prepared(entry, created, modified)


def _without_relations(engine: WriteEngine, entry: StagedEntry, data: Data) -> Data:
    """Return data in the form of a document that was read without relations."""
    attributes = engine.schema.content_types[entry.line.type].attributes
    return {
        name: data.get(name)
        for name, attribute in attributes.items()
        if isinstance(attribute, ScalarAttribute) and attribute.writable
    }
