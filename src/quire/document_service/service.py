"""The document service: runs commands on documents, each call in one transaction.

A program (`quire.database.program`) gets a `UnitOfWork`, runs commands, and reads the response in
the same transaction. Webhook events and changes for `@after_commit` functions are stored in that
transaction, too, and delivered after the commit.

A transaction whose connection was lost before the commit runs again from the start. Therefore
commands are frozen, and programs have no effects outside of the database.
"""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from quire.access.principal import Principal
from quire.clock import Clock
from quire.database.execute.prepared_read import EntryJson, PreparedRead, ResultPage
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.schema_version import WriteCheck, require_nothing
from quire.document_service.actions.clone import clone
from quire.document_service.actions.create import create
from quire.document_service.actions.delete import delete
from quire.document_service.actions.publish import (
    NotInBulkError,
    discard_draft,
    publish,
    publish_documents,
    unpublish,
    unpublish_documents,
)
from quire.document_service.actions.update import update
from quire.document_service.actions.update_documents import update_documents
from quire.document_service.around_calls import run_around, steps_around
from quire.document_service.commands import (
    CloneDocument,
    Command,
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PreparationNeededError,
    PreparedCommands,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
    WrittenEntry,
)
from quire.document_service.password_hashing import Password, passwords_of
from quire.document_service.prepare_calls import prepare_commands, prepared_command
from quire.document_service.project_rules import acting
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.record_changes import store_records
from quire.document_service.row_rule_checks import (
    command_actions,
    require_after,
    require_before,
    rules_for,
)
from quire.document_service.transaction_context import CallContext
from quire.document_service.unit_of_work import (
    HashPassword,
    UnitOfWork,
    WriteEngine,
    WriteProgram,
)
from quire.document_service.write_batches import run_interleaved
from quire.document_service.write_hook_calls import advise_batches
from quire.errors import (
    AppError,
    DatabaseBusyError,
    InternalServerError,
    ProjectCodeTimeoutError,
    ServiceUnavailableError,
    UncertainOutcomeError,
)
from quire.hooks import principal as hooks
from quire.hooks.function_times import function_times, time_functions
from quire.logging import trace_parent
from quire.schema.model import Schema
from quire.webhooks.outbox import Outbox

T = TypeVar("T")

_MAX_ATTEMPTS = 2
_MAX_RESTARTS = 1000
"""How many commands that need `@prepare` one program may create within its transaction.

Each of them restarts the transaction. The limit ends a program that creates other commands each
time, for example with a random value in their data.
"""
_SERVER_ERROR = 500
# bcrypt takes some 100 ms of CPU for a password. On threads of its own it delays neither the event
# loop nor, on the database's thread, other writers.
_hash_executor = ThreadPoolExecutor(2, thread_name_prefix="quire-hash")


class DocumentService:
    """Writes documents of one schema into one database."""

    def __init__(
        self,
        database: Database,
        engine: WriteEngine,
        *,
        clock: Clock,
        hash_password: HashPassword,
        outbox: Outbox | None = None,
        require: WriteCheck = require_nothing,
    ) -> None:
        """``outbox`` receives events for webhooks, within the transactions of changes.

        ``require`` is called at the beginning of each transaction and may reject it.
        """
        self._require = require
        self._database = database
        self._engine = engine
        self._outbox = outbox
        self._clock = clock
        self._hash_password = hash_password

    def with_database(self, database: Database) -> DocumentService:
        """Return a service for the same documents that writes through another object."""
        return DocumentService(
            database,
            self._engine,
            clock=self._clock,
            hash_password=self._hash_password,
            outbox=self._outbox,
            require=self._require,
        )

    @property
    def schema(self) -> Schema:
        """The schema of the documents."""
        return self._engine.schema

    @property
    def engine(self) -> WriteEngine:
        """What all writes of the schema share, including the read planner."""
        return self._engine

    def new_id(self) -> str:
        """Return an id for a new document."""
        return self._engine.new_id()

    async def run(
        self,
        act: WriteProgram[T],
        *,
        commands: Sequence[Command] = (),
        passwords: Collection[Password] = (),
        prepared: PreparedCommands | None = None,
        principal: Principal | None = None,
        editor: int | None = None,
        origin: str = "api",
    ) -> T:
        """Run a program that writes documents, in one transaction, and publish its events.

        ``commands`` are those that it runs, if they are known before, and ``passwords`` those in
        the data of other commands; ``prepared`` are commands that were prepared already. ``editor``
        is the row of the administrator whose name entries carry. Raises what the actions raise,
        with nothing written, DatabaseBusyError when others keep the database busy for too long, and
        ServiceUnavailableError when the database is unavailable twice in a row.
        """
        if prepared is None:
            prepared = PreparedCommands()
            if self._engine.extensions.prepare:
                await self._prepare(prepared, commands, principal, editor, origin)
        passwords_to_hash = [*passwords, *passwords_of(self.schema, prepared.all(commands))]
        for _ in range(_MAX_RESTARTS):
            hashed = await self._hash(passwords_to_hash)
            try:
                return await self._write(
                    act,
                    prepared=prepared,
                    hashed=hashed,
                    principal=principal,
                    editor=editor,
                    origin=origin,
                )
            except PreparationNeededError as error:
                created = [error.command]
                await self._prepare(prepared, created, principal, editor, origin)
                passwords_to_hash += passwords_of(self.schema, prepared.all(created))
                prepared.restart_with(error.command)
        raise InternalServerError

    async def _prepare(
        self,
        prepared: PreparedCommands,
        commands: Sequence[Command],
        principal: Principal | None,
        editor: int | None,
        origin: str,
    ) -> None:
        """Call the `@prepare` functions for commands; no transaction is open."""
        context = CallContext("prepare", self, principal, editor=editor, origin=origin)
        await prepare_commands(prepared, commands, context, as_system=False)

    async def _write(
        self,
        act: WriteProgram[T],
        *,
        prepared: PreparedCommands,
        hashed: Mapping[Password, str],
        principal: Principal | None,
        editor: int | None,
        origin: str,
    ) -> T:
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            prepared.start()
            unit = UnitOfWork(
                engine=self._engine,
                clock=self._clock,
                caller=principal,
                editor=editor,
                origin=origin,
                hashed=hashed,
                hash_password=self._hash_password,
                prepared=prepared,
                trace=trace_parent.get(),
                function_times=function_times.get(),
            )
            program = self._run_and_record(act, unit)
            try:
                result, recorded = await self._database.write(program)
            except (UncertainOutcomeError, DatabaseBusyError, ProjectCodeTimeoutError):
                # The first may have been committed: running it again could write twice. The others
                # have taken as long as a request may take.
                raise
            except ServiceUnavailableError:
                if attempt == _MAX_ATTEMPTS:
                    raise
                continue
            if recorded and self._outbox is not None:
                self._outbox.added()
            for call in unit.committed:
                call()
            return result
        raise ServiceUnavailableError

    def _run_and_record(self, act: WriteProgram[T], unit: UnitOfWork) -> Program[tuple[T, bool]]:
        """Run the program under the current schema, and store deliveries for webhooks.

        Returns its result, and whether deliveries were stored.
        """
        # One statement checks the schema and whether any webhook is enabled (`WriteCheck`).
        may_listen = yield from self._require()
        if self._outbox is None or not (may_listen or self._outbox.purges):
            return (yield from self._run_and_store(act, unit)), False
        listeners = yield from self._outbox.listeners()
        unit.listening = bool(listeners)
        result = yield from self._run_and_store(act, unit)
        recorded = yield from self._outbox.record(
            unit.events, listeners, unit.trace, purges=unit.purges
        )
        return result, recorded

    def _run_and_store(self, act: WriteProgram[T], unit: UnitOfWork) -> Program[T]:
        """Run the program, and store what it has recorded."""
        result = yield from act(unit)
        if unit.hook_statements:
            advise_batches(unit)
        yield from store_records(unit)
        return result

    async def perform(
        self,
        commands: Sequence[Command],
        *,
        principal: Principal | None = None,
        origin: str = "api",
    ) -> list[list[WrittenEntry]]:
        """Run several commands in one transaction; returns the entries that each has written."""

        def act(unit: UnitOfWork) -> Program[list[list[WrittenEntry]]]:
            return (yield from run_commands(unit, commands))

        return await self.run(act, commands=commands, principal=principal, origin=origin)

    async def find(self, query: DocumentQuery) -> ResultPage:
        """Return a page of documents.

        Raises the first error of the query as an AppError, and ValidationError when more rows are
        needed than may be fetched.
        """
        prepared_read = self._engine.reads.page(query)
        return await self._read(prepared_read, prepared_read.page)

    async def find_one(
        self, query: DocumentQuery, document_id: str | None = None
    ) -> EntryJson | None:
        """Return one document, that of a single type without an id; ``None`` if there is none.

        Raises as `find` does.
        """
        prepared_read = self._engine.reads.document(query, document_id)
        return await self._read(prepared_read, prepared_read.first)

    async def read(self, make: Callable[[], Program[T]]) -> T:
        """Run a program that only reads, on one state of the content.

        Raises what the program raises.
        """
        return await self._database.read(make, snapshot=True)

    async def _read(self, prepared_read: PreparedRead, make: Callable[[], Program[T]]) -> T:
        compiled = prepared_read.compiled
        return await self._database.read(make, snapshot=len(compiled.queries) > 1, key=compiled)

    async def _hash(self, passwords: Collection[Password]) -> Mapping[Password, str]:
        if not passwords:
            return {}
        loop = asyncio.get_running_loop()
        unique_passwords = list(dict.fromkeys(passwords))
        hashes = await asyncio.gather(
            *(
                loop.run_in_executor(
                    _hash_executor, self._hash_password, password.text, password.rounds
                )
                for password in unique_passwords
            )
        )
        return dict(zip(unique_passwords, hashes, strict=True))


def run_command(unit: UnitOfWork, command: Command) -> Program[list[WrittenEntry]]:
    """Run one command and its postponed steps; returns the entries that it wrote or deleted.

    All writes of documents, single or in bulk, by any API, go through this function or
    `run_and_read`: they apply policies, row rules and `@around` functions. Raises ForbiddenError
    for a document outside of the principal's rules, and NotFoundError for one that rules of the
    project hide.
    """
    written_entries = yield from _run_without_postponed(unit, command)
    yield from unit.run_postponed()
    return written_entries


def run_and_read(
    unit: UnitOfWork, command: Command, read: Callable[[list[WrittenEntry]], Program[T]]
) -> Program[T]:
    """Run one command; returns what ``read`` returns for the entries that it wrote or deleted.

    ``read`` runs before the postponed steps, because responses of Strapi show the state before
    them. For example, it copies shared values to other locales after it has read the response.
    Raises what `run_command` raises.
    """
    written_entries = yield from _run_without_postponed(unit, command)
    result = yield from read(written_entries)
    yield from unit.run_postponed()
    return result


def run_commands(
    unit: UnitOfWork, commands: Sequence[Command]
) -> Program[list[list[WrittenEntry]]]:
    """Run several commands as `run_command` does; hooks may be called once for several of them."""
    written = yield from run_in_bulk(unit, commands, _results)
    if written is not None:
        return written
    return (
        yield from run_together(
            unit, [(command, run_command(unit, command)) for command in commands]
        )
    )


def _results(written_entries: list[list[WrittenEntry]]) -> Program[list[list[WrittenEntry]]]:
    """Return what commands have written."""
    yield from ()
    return written_entries


def run_in_bulk(
    unit: UnitOfWork,
    commands: Sequence[Command],
    read: Callable[[list[list[WrittenEntry]]], Program[T]],
) -> Program[T | None]:
    """Update, publish or unpublish documents of one type with the same statements for all of them.

    The result is that of `run_and_read` for each of them, with one ``read`` for all, whose result
    is returned. Returns ``None``, with nothing written, where they have to be run one by one:
    because they are others, because of functions and rules of the project that apply to each alone,
    or because one of them fails.
    """
    if not _can_run_in_bulk(unit, commands):
        return None

    if unit.engine.extensions.prepare:
        commands = [prepared_command(unit.engine, unit.prepared, command) for command in commands]

    def act() -> Program[T]:
        if not unit.engine.policies.is_empty:
            for command in commands:
                _require_policies(unit, command)
        result = yield from read((yield from _dispatch_bulk(unit, commands)))
        yield from unit.run_postponed()
        return result

    try:
        return (yield from unit.nested(act, as_system=unit.is_system, causes=unit.causes))
    except NotInBulkError:
        return None
    except AppError as error:
        if error.status >= _SERVER_ERROR:
            raise
        # Which of them it belongs to shows when they are run one by one.
        return None


def _can_run_in_bulk(unit: UnitOfWork, commands: Sequence[Command]) -> bool:
    """Tell whether no function or rule of the project applies to the commands one by one."""
    if len(commands) < 2 or len({(type(command), command.uid) for command in commands}) > 1:
        return False
    first = commands[0]
    if not isinstance(first, UpdateDocument | PublishDocument | UnpublishDocument):
        return False
    updates = [command for command in commands if isinstance(command, UpdateDocument)]
    if any(update.document_id is None for update in updates):
        return False
    if len({(update.locale, update.publish) for update in updates}) > 1:
        return False
    engine = unit.engine
    if not engine.extensions.allow_bulk(first.uid, *command_actions(engine.schema, first)):
        return False
    return not steps_around(engine, first) and rules_for(unit, first) is None


def _dispatch_bulk(
    unit: UnitOfWork, commands: Sequence[Command]
) -> Program[list[list[WrittenEntry]]]:
    updates = [command for command in commands if isinstance(command, UpdateDocument)]
    if updates:
        return (yield from update_documents(unit, updates))
    publications = [command for command in commands if isinstance(command, PublishDocument)]
    if publications:
        return (yield from publish_documents(unit, publications))
    unpublications = [command for command in commands if isinstance(command, UnpublishDocument)]
    return (yield from unpublish_documents(unit, unpublications))


def run_together(
    unit: UnitOfWork, writes: Sequence[tuple[Command, Program[T]]]
) -> Program[list[T]]:
    """Run the programs of several commands in order; returns their results.

    Each of the programs runs its command by `run_command` or `run_and_read`. Consecutive commands
    of one kind on different documents of one type are interleaved if the type has hooks with
    ``batch=True``, so that such a hook is called once for all of them.
    """
    results: list[T] = []
    start = 0
    while start < len(writes):
        count = _count_interleaved(unit, [command for command, _ in writes[start:]])
        programs = [program for _, program in writes[start : start + count]]
        results += yield from run_interleaved(unit, programs, batched=count > 1)
        start += count
    return results


def _count_interleaved(unit: UnitOfWork, commands: Sequence[Command]) -> int:
    """Return how many commands from the first on can be interleaved; at least one."""
    first = commands[0]
    engine = unit.engine
    if not engine.extensions.has_batches(first.uid, *command_actions(engine.schema, first)):
        return 1
    # An `@around` function has a savepoint: rolling it back would undo interleaved writes as well.
    if steps_around(engine, first):
        return 1
    document_ids: set[str] = set()
    for index, command in enumerate(commands):
        document_id = command.document_id
        is_new = isinstance(command, CreateDocument)
        if (type(command), command.uid) != (type(first), first.uid) or (
            not is_new and (document_id is None or document_id in document_ids)
        ):
            return max(index, 1)
        if document_id is not None:
            document_ids.add(document_id)
    return len(commands)


def _run_without_postponed(unit: UnitOfWork, command: Command) -> Program[list[WrittenEntry]]:
    """Run one command with policies, `@around` functions and row rules, in this order."""
    if unit.engine.extensions.prepare:
        command = prepared_command(unit.engine, unit.prepared, command)
    if not unit.engine.policies.is_empty:
        _require_policies(unit, command)
    if unit.engine.extensions.around:
        steps = steps_around(unit.engine, command)
        if steps:
            return (yield from run_around(unit, steps, command, partial(_run_under_rules, unit)))
    return (yield from _run_under_rules(unit, command))


def _run_under_rules(unit: UnitOfWork, command: Command) -> Program[list[WrittenEntry]]:
    rules = rules_for(unit, command)
    if rules is None:
        return (yield from _dispatch(unit, command))
    existed = yield from require_before(unit, command, rules)
    written_entries = yield from _dispatch(unit, command)
    yield from require_after(unit, command, rules, written_entries, existed=existed)
    return written_entries


def _require_policies(unit: UnitOfWork, command: Command) -> None:
    """Check the policies of the project, unless the server itself or `as_system` code writes."""
    if unit.caller is not None:
        principal = acting(unit.caller)
    elif unit.editor is not None and not unit.is_system:
        principal = hooks.Principal(kind="admin", id=unit.editor)
    else:
        return
    actions = command_actions(unit.engine.schema, command)
    with time_functions(unit.function_times):
        unit.engine.policies.require_write(command, actions, principal)


def _dispatch(unit: UnitOfWork, command: Command) -> Program[list[WrittenEntry]]:
    match command:
        case CreateDocument():
            return [(yield from create(unit, command))]
        case UpdateDocument():
            return [(yield from update(unit, command))]
        case DeleteDocument():
            return (yield from delete(unit, command))
        case PublishDocument():
            return (yield from publish(unit, command))
        case UnpublishDocument():
            return (yield from unpublish(unit, command))
        case DiscardDraft():
            return (yield from discard_draft(unit, command))
        case CloneDocument():
            return (yield from clone(unit, command))
