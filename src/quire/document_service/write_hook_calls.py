"""Calls the hooks of a write: ``before`` hooks before validation, ``after`` hooks after the write.

Hooks are called within the transaction of the write. A plain function is called on the database's
thread. A coroutine runs in the event loop, while the program of the write waits for it with its
transaction open (`quire.document_service.held_transaction`).
"""

import asyncio
import inspect
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Hashable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from functools import cached_property, partial
from typing import Any, Generic, TypeVar

import structlog
from msgspec import Struct

from quire.access.principal import Principal
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import EntryRow
from quire.database.execute.prepared_read import EntryJson
from quire.database.program import LONG_COMPUTATION, Program
from quire.document_service.commands import Command, Data, copy_data
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.extension_context import ExtensionContext, current_unit_of_work
from quire.document_service.held_transaction import (
    HeldTransaction,
    savepoint_in,
    write_nested,
)
from quire.document_service.password_hashing import passwords_in
from quire.document_service.prepare_calls import (
    IDENTITY,
    add_location,
    code_failure,
    linked_documents,
    needed_fields,
    needed_view,
    prepare_commands,
)
from quire.document_service.read_planner import DocumentQuery, ReadPlanner
from quire.document_service.record_changes import note_change
from quire.document_service.unit_of_work import UnitOfWork, WriteProgram
from quire.document_service.write_batches import in_batch
from quire.errors import AppError, ProjectCodeTimeoutError
from quire.hooks.after_commit import LinkedDocument
from quire.hooks.document import Document
from quire.hooks.errors import CODE_ERRORS, UnitOfWorkError
from quire.hooks.function_times import FunctionTimer, FunctionTimes, call_plain
from quire.hooks.registry import (
    CallCause,
    Hook,
    WriteHooks,
    has_caused,
    hook_cause,
    require_depth,
)
from quire.hooks.write import WITH_DATA, Write, WriteAction, WriteData
from quire.schema.attributes.base import RelationAttribute
from quire.schema.model import Model

T = TypeVar("T")


_ADVISED_DOCUMENTS = 10
"""A hook that queries for so many documents of a transaction, one by one, is logged."""
_log = structlog.get_logger("quire.extensions")


class HookContext(ExtensionContext):
    """The context of one call of a hook: the transaction of the write.

    Each call has one, and most need little of it: the rest is computed when it is asked for.
    """

    task: HeldTransaction | None = None
    """Runs the programs of a coroutine; ``None`` while a plain function runs."""

    def __init__(
        self, unit: UnitOfWork, name: str, cause: Callable[[], CallCause] | None = None
    ) -> None:
        """``cause`` returns the cause that the call is, in addition to those of the write."""
        # That of the base takes what is computed here.
        self.name = name
        self.engine = unit.engine
        self.editor = unit.editor
        # True if another hook made this write within `as_system`.
        self.is_system = unit.is_system
        self._unit = unit
        # Those of the unit of work are others while the hook itself writes.
        self._caller = unit.caller
        self._outer_causes = unit.causes
        self._cause = cause

    @cached_property
    def principal(self) -> Principal | None:  # type: ignore[override]  # it can be set, too
        """Who acts, with an ability that is narrowed by the rules of the project."""
        return None if self._caller is None else self._unit.narrow(self._caller)

    @cached_property
    def causes(self) -> tuple[CallCause, ...]:  # type: ignore[override]  # it can be set, too
        """The functions that led to the call, and the call itself."""
        causes, cause = self._outer_causes, self._cause
        return causes if cause is None else (*causes, cause())

    @property
    def is_in_transaction(self) -> bool:
        """Always true in a hook."""
        return True

    @property
    def function_times(self) -> FunctionTimes | None:
        """Those of the unit of work: programs may run in a thread without the request's context."""
        return self._unit.function_times

    async def read(self, act: Callable[[], Program[T]]) -> T:
        """Run a program that reads in the transaction of the hook."""
        return await self._task().ask(act)

    async def write(
        self, act: WriteProgram[T], *, as_system: bool, commands: Sequence[Command] = ()
    ) -> T:
        """Run a program in the transaction of the hook, all of it or nothing.

        Raises what the program raises.
        """
        task = self._task()
        await prepare_commands(self._unit.prepared, commands, self, as_system=as_system)
        return await write_nested(
            task,
            self._unit,
            act,
            as_system=as_system,
            causes=self.causes,
            commands=commands,
        )

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Commit the writes of a block, or roll them back to a savepoint."""
        async with savepoint_in(self._task(), self._unit):
            yield

    def _task(self) -> "HeldTransaction":
        if self.task is None:
            message = f"{self.name} is a plain def, which cannot query: make it an async def"
            raise UnitOfWorkError(message)
        return self.task


def _call_batch(hook: Hook, members: Sequence["HookedWrite"]) -> Program[None]:
    """Call a hook once for several writes of one action. Raises as `_call` does."""
    return _call(members[0].unit, hook, [member.view_for(hook) for member in members])


def _call(unit: UnitOfWork, hook: Hook, writes: list[Write[Any]]) -> Program[None]:
    """Call a hook with one write, or with all of them if it is a ``batch`` hook.

    It is not called for writes that were made by an earlier call of the hook for the same document:
    a hook that updates its own document would never end.

    Raises AppErrors of the hook unchanged, ProjectCodeError for its other exceptions, and
    ProjectCodeTimeoutError when it takes too long.
    """
    if unit.causes:
        writes = [write for write in writes if not has_caused(hook, write, unit.causes)]
        if not writes:
            return
    # The hook may change its list before it writes.
    context = HookContext(unit, hook.name, partial(hook_cause, hook, tuple(writes)))
    hook_input = writes if hook.batch else writes[0]
    try:
        if unit.causes:
            require_depth(context.causes, unit.engine.code_limits)
        # Calling a coroutine function does not start it yet. `iscoroutinefunction` would miss
        # plain functions that return a coroutine, such as decorated ones.
        # `activate` would cost two calls more.
        token = current_unit_of_work.set(context)
        try:
            result = call_plain(hook, hook.function, hook_input, unit.function_times)
        finally:
            current_unit_of_work.reset(token)
        try:
            if result is not None and inspect.isawaitable(result):
                context.task = task = HookTask(result, context, hook.name, hook.place)
                with FunctionTimer(hook, unit.function_times):
                    yield from task.program()
                if unit.engine.is_development and not hook.batch:
                    unit.hook_statements.setdefault(hook, []).append(task.statements)
        finally:
            context.is_ended = True
    except AppError as error:
        add_location(error, hook)
        raise
    except CODE_ERRORS as error:
        raise code_failure(error, hook, hook.phase) from error


def advise_batches(unit: UnitOfWork) -> None:
    """Log the hooks that queried in each of many calls: a ``batch`` hook would query once."""
    for hook, statements in unit.hook_statements.items():
        if len(statements) >= _ADVISED_DOCUMENTS and all(statements):
            _log.warning(
                "a hook queries for each document: with batch=True it is called once",
                hook=hook.name,
                place=hook.place,
                documents=len(statements),
                statements=sum(statements),
            )


class HookTask(HeldTransaction, Generic[T]):
    """The coroutine of a hook, which alternates with the program that holds the transaction.

    ``function`` and ``place`` are the name of the hook, and its file and line.
    """

    def __init__(
        self, awaitable: Awaitable[T], context: HookContext, function: str, place: str
    ) -> None:
        super().__init__(f"{function} ({place})", context.engine.code_limits)
        self._awaitable = awaitable
        self._context = context
        self._function = function
        self._place = place
        self._task: asyncio.Task[None] | None = None
        self._results: list[T] = []
        """The result of the coroutine, once it has returned."""
        self._error: BaseException | None = None

    def program(self) -> Program[T]:
        """Run what the coroutine asks for until it ends; returns and raises what it does."""
        try:
            yield from self.serve()
            if self._error is not None:
                raise self._error
            if not self._results:
                message = f"{self._function} was cancelled"
                raise RuntimeError(message)
            return self._results[0]
        finally:
            if self.loop is not None and self._task is not None and not self.is_ended:
                self.loop.call_soon_threadsafe(self._task.cancel)

    def on_begin(self) -> None:
        """Start the coroutine."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        # A task that is cancelled before it starts runs nothing.
        self._task.add_done_callback(lambda _: self.end())

    async def _run(self) -> None:
        """Run the coroutine; the program continues before the task itself has ended."""
        try:
            with self._context.activate():
                self._results.append(await self._awaitable)
        except CODE_ERRORS as error:  # the program raises it
            self._error = error
        finally:
            self.end()

    def raise_late_error(self) -> None:
        """Raise ProjectCodeTimeoutError."""
        _log.error(
            "a hook took too long",
            hook=self._function,
            place=self._place,
            seconds=self._limits.hook_seconds,
        )
        raise ProjectCodeTimeoutError(self._function, self._place)


_REMOVING_ACTIONS = frozenset({"delete", "unpublish"})
"""Actions that remove rows: fields for ``after`` hooks have to be read before the action."""


def hooked_write(
    unit: UnitOfWork,
    layout: EntryLayout,
    action: WriteAction,
    *,
    document_id: str,
    locale: str | None,
    data: Data | None = None,
    source: EntryRow | None = None,
    entries: Collection[EntryRow] = (),
) -> "HookedWrite | None":
    """Return a write with the hooks of its type and action, ``None`` if there are none.

    ``source`` is the entry that the action changes, copies or removes. ``entries`` are all of the
    document, where other locales are kept. Hooks are not called for ``data`` that are no object,
    which validation rejects.
    """
    hooks = unit.engine.extensions.writes.get((layout.model.uid, action))
    if hooks is None:
        return None
    if data is None:
        data = {}
    # The check for a mapping takes longer.
    elif type(data) is not dict and not isinstance(data, Mapping):
        return None
    # Hooks may change the data in place; a retried transaction starts from the original.
    changed_data = copy_data(data)
    write: Write[Document] = Write(
        uid=layout.model.uid,
        action=action,
        document_id=document_id,
        locale=locale,
        origin=tuple(map(str, unit.causes)) if unit.causes else (),
        _data=WriteData(changed_data),
        _fields=layout.model.writable_names,
    )
    return HookedWrite(unit, layout, hooks, write, changed_data, data, source, entries)


def _other_locales(
    layout: EntryLayout, write: Write[Any], entries: Collection[EntryRow]
) -> tuple[str, ...]:
    """Return the other locales of the version that is written."""
    published = _writes_published(layout, write.action)
    return tuple(
        sorted(
            entry.locale
            for entry in entries
            if entry.locale is not None
            and entry.locale != write.locale
            and entry.published is published
        )
    )


def _writes_published(layout: EntryLayout, action: WriteAction) -> bool:
    """Tell whether an action writes the published version; types without drafts have no other."""
    return action in {"publish", "unpublish"} or not content_type_of(layout).draft_and_publish


def may_have_changed(unit: UnitOfWork, entries: Collection[EntryRow]) -> bool:
    """Tell whether the entries of a document may differ from those that were read before hooks.

    Hooks may have written some of them, and so may interleaved writes of other locales.
    """
    return unit.nested_writes > 0 or (
        unit.is_interleaved and len({entry.locale for entry in entries}) > 1
    )


class HookedWrite(Struct, eq=False):
    """One write of a type with hooks, and the fields of its entry that they need."""

    unit: UnitOfWork
    _layout: EntryLayout
    _hooks: WriteHooks
    _write: Write[Document]
    _data: dict[str, object]
    """The data of the write, which hooks may change."""
    _requested_data: Mapping[str, object]
    _source: EntryRow | None
    _entries: Collection[EntryRow]
    _before: EntryJson | None = None
    _after: EntryJson | None = None
    _links_before: frozenset[LinkedDocument] = frozenset()

    def view_for(self, hook: Hook) -> Write[Document]:
        """Return the write with only those fields in ``before`` and ``after`` that a hook needs.

        Each hook sees the fields of its own ``needs``: it must not depend on those of others.
        """
        self._write.before = needed_view(hook, self._before)
        if self._after is not None:
            self._write.after = needed_view(hook, self._after)
        if self._layout.shared:
            self._note_locales()
        return self._write

    def _note_locales(self) -> None:
        """Set the locales that get shared fields; earlier hooks may have set some."""
        write, shared = self._write, self._layout.shared
        is_copied = write.action not in WITH_DATA or not shared.isdisjoint(write.data)
        write.also_locales = _other_locales(self._layout, write, self._entries) if is_copied else ()

    def call_before(self) -> Program[Data]:
        """Call the ``before`` hooks; returns the data to write."""
        source = self._source
        if source is not None:
            names = self._hooks.needs_before
            if self._write.action in _REMOVING_ACTIONS:
                names |= self._hooks.kept_fields
            self._before = {IDENTITY: source.document_id}
            if names:
                self._before = yield from self._load_fields(
                    names, source.document_id, source.locale, published=source.published
                )
        for hook in self._hooks.before:
            yield from self._call(hook)
        if self._hooks.need_links and self._source is not None and self._write.action != "clone":
            self._links_before = yield from self._load_links(self._versions_before())
        data = self._data
        if data.keys() != self._requested_data.keys():
            self._write.check_names(self._requested_data)
        if not self._layout.model.password_names.isdisjoint(data):
            yield from hash_passwords(self.unit, self._layout.model, data)
        return data

    def call_after(self, *, published: bool | None) -> Program[None]:
        """Call the ``after`` hooks, and record the change for `@after_commit` functions.

        ``published`` says which version was written; ``None`` after a deletion.
        """
        write = self._write
        if not (self._hooks.after or self._hooks.listeners):
            return
        needs = self._hooks.needs_after
        if write.action not in _REMOVING_ACTIONS:
            needs |= self._hooks.kept_fields
        if published is not None:
            self._after = {IDENTITY: write.document_id}
            if needs:
                self._after = yield from self._load_fields(
                    needs, write.document_id, write.locale, published=published
                )
        for hook in self._hooks.after:
            yield from self._call(hook)
        linked: frozenset[LinkedDocument] = frozenset()
        if self._hooks.need_links:
            versions = () if published is None else (published,)
            linked = self._links_before ^ (yield from self._load_links(versions))
        if self._layout.shared:
            self._note_locales()
        for listener in self._hooks.listeners:
            entry = self._before if write.action in _REMOVING_ACTIONS else self._after
            note_change(self.unit, listener, write, entry, linked)

    def _call(self, hook: Hook) -> Program[None]:
        if hook.batch:
            return in_batch(self.unit, hook, self, partial(_call_batch, hook))
        return _call(self.unit, hook, [self.view_for(hook)])

    def _versions_before(self) -> tuple[bool, ...]:
        """Return the versions that the action replaces or removes: whether they are published."""
        published = _writes_published(self._layout, self._write.action)
        return (published,) if published or self._write.action != "delete" else (True, False)

    def _load_links(self, versions: Collection[bool]) -> Program[frozenset[LinkedDocument]]:
        """Read which documents relations of both sides lead to, from versions of the document.

        An update changes those alone that it names.
        """
        write = self._write
        targets = {
            attribute.name: attribute.target
            for attribute in self._layout.model.attributes.values()
            if isinstance(attribute, RelationAttribute)
            and attribute.target is not None
            and (attribute.inversed_by or attribute.mapped_by)
            and (write.action not in {"create", "update"} or attribute.name in write.data)
        }
        linked: set[LinkedDocument] = set()
        for published in versions if targets else ():
            query = linked_documents(self._layout, targets, write.locale, published=published)
            entry = yield from self._load_entry(query, (*targets, "links"), write.document_id)
            for name, uid in targets.items():
                related = (entry or {}).get(name) or ()
                for document in [related] if isinstance(related, dict) else related:
                    linked.add(LinkedDocument(uid, document[IDENTITY]))
        return frozenset(linked)

    def _load_fields(
        self, names: frozenset[str], document_id: str, locale: str | None, *, published: bool
    ) -> Program[EntryJson | None]:
        """Read fields of one version of a document.

        In a batch one statement reads the fields for all interleaved writes.
        """
        query = needed_fields(self._layout, names, locale, published=published)
        return (yield from self._load_entry(query, names, document_id))

    def _load_entry(
        self, query: DocumentQuery, names: Hashable, document_id: str
    ) -> Program[EntryJson | None]:
        """Read one version of a document; ``names`` stand for its fields."""
        entries_by_id: dict[str, EntryJson | None] = {document_id: None}
        key = (query.uid, query.locale, query.status, names, self._write.action)
        load = partial(_load_documents, self.unit.engine.reads, query)
        yield from in_batch(self.unit, key, entries_by_id, load)
        return entries_by_id[document_id]


def _load_documents(
    reads: ReadPlanner, query: DocumentQuery, members: Sequence[dict[str, EntryJson | None]]
) -> Program[None]:
    """Read one version of several documents, and fill in the members: entries by document id."""
    document_ids = [document_id for member in members for document_id in member]
    if len(document_ids) == 1:
        page = yield from reads.document(query, document_ids[0]).entries()
    else:
        page = yield from reads.documents(query, document_ids).entries()
    entries, _ = page
    entries_by_id = {entry[IDENTITY]: entry for entry in entries}
    for member in members:
        for document_id in member:
            member[document_id] = entries_by_id.get(document_id)


def hash_passwords(unit: UnitOfWork, model: Model, data: object) -> Program[None]:
    """Hash passwords that hooks have set; those of the request were hashed before."""
    passwords = passwords_in(unit.engine.schema, model, data)
    unhashed = [password for password in passwords if password not in unit.hashed]
    if unhashed and unit.hash_password is not None:
        yield LONG_COMPUTATION
        hashed = {
            password: unit.hash_password(password.text, password.rounds) for password in unhashed
        }
        unit.hashed = {**unit.hashed, **hashed}
