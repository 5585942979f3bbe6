"""Calls `@around` functions of the project: nested like middleware, around a read or a write.

Around a read they run before the query is planned, so that conditions of `call.narrow` become part
of the plan. Around a write they run within its transaction
(`quire.document_service.held_transaction`); the write itself has a savepoint, so that a function
may catch its error and go on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import orjson
import structlog
from msgspec.structs import replace

from quire.access.ability import Ability, Unsanitized, narrow_for_call
from quire.database.execute.prepared_read import EntryJson
from quire.database.program import Program
from quire.document_service.commands import (
    AllLocales,
    CloneDocument,
    Command,
    CreateDocument,
    DeleteDocument,
    UpdateDocument,
    WrittenEntry,
    copy_data,
)
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.hook_principal import not_as_system
from quire.document_service.prepare_calls import add_location, code_failure
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.row_rule_checks import command_actions
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.document_service.write_hook_calls import HookContext, HookTask, hash_passwords
from quire.errors import AppError, ProjectCodeTimeoutError
from quire.hooks.around import AroundCall, Call, Result
from quire.hooks.document import D, Document, is_unrestricted, make_document
from quire.hooks.errors import CODE_ERRORS, UnknownFieldError
from quire.hooks.function_times import FunctionTimer
from quire.hooks.policies import RuleAction
from quire.hooks.registry import CallCause, require_depth
from quire.hooks.time import observe_time

Step = tuple[RuleAction, AroundCall]
"""An action, and a function around it."""
Load = Callable[[], Awaitable[Sequence[EntryJson]]]
_READ_ONE = "find_one"
_READ_ACTIONS = frozenset({"find", _READ_ONE})


_log = structlog.get_logger("quire.extensions")


class ActionResult(Result[D]):
    """The result of `proceed`.

    ``value`` is what the server returns to the caller of the action, and functions do not see.
    ``load`` reads the documents when a function asks for them; ``replaced`` are the documents that
    a function returned instead.
    """

    def __init__(
        self,
        action: str,
        value: object,
        load: Load,
        *,
        count: int | None = None,
        document: type[D],
        replaced: Sequence[EntryJson] | None = None,
    ) -> None:
        self.count = count
        self.value = value
        self.replaced = replaced
        self._action = action
        self._load = load
        self._document = document

    async def documents(self) -> list[D]:
        """Return the documents."""
        entries = await self._load() if self.replaced is None else self.replaced
        return [make_document(self._document, entry) for entry in entries]

    def with_documents(self, documents: Sequence[D]) -> "ActionResult[D]":
        """Return a result with other documents."""
        document_list = list(documents)
        if self._action not in _READ_ACTIONS:
            message = f"the documents of {self._action} are those that it wrote"
            raise TypeError(message)
        if not all(isinstance(document, dict) for document in document_list):
            message = "a result has documents, or dicts in their form"
            raise TypeError(message)
        if self._action == _READ_ONE and len(document_list) != 1:
            message = f"find_one has one document, not {len(document_list)}"
            raise ValueError(message)
        if is_unrestricted(document_list):
            # They may contain fields that the caller is not permitted to read.
            message = "a result has no documents that were read as the system: copy their fields"
            raise ValueError(message)
        return self._copy(self._document, document_list)

    def of(self, document: type[Document]) -> "ActionResult[Any]":
        """Return the result with documents of another class."""
        return self if document is self._document else self._copy(document, self.replaced)

    def _copy(
        self, document: type[Any], replaced: Sequence[EntryJson] | None
    ) -> "ActionResult[Any]":
        return ActionResult(
            self._action,
            self.value,
            self._load,
            count=self.count,
            document=document,
            replaced=replaced,
        )


class RunAction(Protocol):
    """Runs the action of a call; ``volatile`` says that a function has read the clock."""

    async def __call__(self, call: Call[Any], /, *, volatile: bool) -> ActionResult[Any]:
        """Return the result. Raises what the action raises."""


async def call_around_read(
    functions: Sequence[AroundCall],
    call: Call[Any],
    context: ExtensionContext,
    act: RunAction,
    *,
    as_system: bool,
) -> ActionResult[Any]:
    """Call functions around a read, and return the result of the outermost.

    ``context`` is that of the caller; with ``as_system`` the system reads. Raises AppErrors of the
    functions and of the read unchanged, ProjectCodeError for other exceptions, and
    ProjectCodeTimeoutError when it takes too long.
    """
    seconds = context.engine.code_limits.prepare_seconds
    timeout = asyncio.timeout(seconds)
    steps = [(call.action, function) for function in functions]
    try:
        async with timeout:
            return await _call_steps(steps, call, context, act, as_system=as_system)
    except TimeoutError as error:
        if not timeout.expired():
            raise
        names = ", ".join(function.name for function in functions)
        location = functions[0].place
        _log.error("a hook took too long", hook=names, place=location, seconds=seconds)
        raise ProjectCodeTimeoutError(names, location) from error


async def _call_steps(
    steps: Sequence[Step],
    call: Call[Any],
    context: ExtensionContext,
    act: RunAction,
    *,
    as_system: bool,
) -> ActionResult[Any]:
    with observe_time() as observer:

        async def proceed(index: int, call: Call[Any], /) -> ActionResult[Any]:
            while index < len(steps):
                action, function = steps[index]
                index += 1
                call = replace(call, action=action)
                cause = _cause(function, call)
                # A function that reads or writes the same document itself is not called for that:
                # it would call itself without end.
                if not any(_is_same_call(cause, other) for other in context.causes):
                    cause_context = context.for_cause(cause, as_system=as_system)
                    return await _call(function, call, cause_context, partial(proceed, index))
            return await act(call, volatile=observer.was_read)

        return await proceed(0, call)


async def _call(
    function: AroundCall,
    call: Call[Any],
    context: ExtensionContext,
    inner: Callable[[Call[Any]], Awaitable[ActionResult[Any]]],
) -> ActionResult[Any]:
    """Call one function in a context of its own, and return its result."""
    inner_error: AppError | None = None

    async def proceed(call: Call[Any], /) -> Result[Any]:
        nonlocal inner_error
        try:
            return (await inner(call)).of(function.document)
        except AppError as error:
            inner_error = error
            raise

    try:
        require_depth(context.causes, context.engine.code_limits)
        with not_as_system(), context.activate(), FunctionTimer(function, context.function_times):
            result = await function.function(call, proceed)
        if not isinstance(result, ActionResult):
            message = f"{function.name} must return the result of proceed(call), not {result!r}"
            raise TypeError(message)
    except AppError as error:
        if error is not inner_error:
            add_location(error, function)
        raise
    except CODE_ERRORS as error:
        raise code_failure(error, function, "around") from error
    finally:
        context.is_ended = True
    return result


def _cause(function: AroundCall, call: Call[Any]) -> CallCause:
    return CallCause(
        phase="around",
        name=function.name,
        file=function.file,
        line=function.line,
        action=call.action,
        uid=call.uid,
        document_id=call.document_id or "",
        locale=call.locale,
    )


def _is_same_call(cause: CallCause, other_cause: CallCause) -> bool:
    """Tell whether two causes are calls of one function for the same locale of a document."""
    return _identity(cause) == _identity(other_cause)


def _identity(cause: CallCause) -> tuple[object, ...]:
    return cause.phase, cause.name, cause.file, cause.uid, cause.document_id, cause.locale


# Reads ---------------------------------------------------------------------------------------


def narrowing_rule(engine: WriteEngine, call: Call[Any]) -> str | None:
    """Return the filters that functions have added to a call as a bound rule, ``None`` for none.

    Raises ValueError for invalid filters.
    """
    if not call.conditions:
        return None
    try:
        return engine.rules.bind(call.uid, call.conditions)
    except AppError as error:
        # An AppError would be sent to the client, whose request is correct. A ValueError is logged
        # as an error of the function.
        message = f"narrow: {error.message}"
        raise ValueError(message) from error


def narrow_query(
    engine: WriteEngine, query: DocumentQuery, call: Call[Any], *, volatile: bool
) -> DocumentQuery:
    """Return the query of a call. Raises ValueError for invalid filters."""
    condition = narrowing_rule(engine, call)
    if condition is None:
        return query
    if isinstance(query.ability, Unsanitized):
        # `as_system` reads have no ability that could be narrowed.
        filters = () if query.filters is None else (query.filters,)
        return replace(query, filters={"$and": [*filters, orjson.loads(condition)]})
    ability: Ability = narrow_for_call(query.ability, call.uid, condition, volatile=volatile)
    return replace(query, ability=ability)


# Writes --------------------------------------------------------------------------------------


def steps_around(engine: WriteEngine, command: Command) -> list[Step]:
    """Return the functions around the actions of a command, the outermost first."""
    around = engine.extensions.around
    return [
        (action, function)
        for action in command_actions(engine.schema, command)
        for function in around.get((command.uid, action), ())
    ]


def run_around(
    unit: UnitOfWork,
    steps: Sequence[Step],
    command: Command,
    run: Callable[[Command], Program[list[WrittenEntry]]],
) -> Program[list[WrittenEntry]]:
    """Call functions around a command, which ``run`` runs; returns the entries that it wrote.

    Raises AppErrors of the functions and of the command unchanged, ProjectCodeError for other
    exceptions, and ProjectCodeTimeoutError when it takes too long.
    """
    if isinstance(command, CreateDocument) and command.document_id is None:
        command = replace(command, document_id=unit.engine.new_id())
    data = _data_of(command)
    if not isinstance(data, Mapping):
        # Functions expect an object. Validation rejects such data with the client's error.
        return (yield from run(command))
    call = _call_of(unit, command, steps[0][0], data)
    context = HookContext(unit, unit.causes[-1].name if unit.causes else "")
    has_run = False

    async def act(call: Call[Any], /, *, volatile: bool) -> ActionResult[Any]:
        del volatile
        nonlocal has_run
        if has_run:
            message = "proceed was called already: a write takes place once"
            raise RuntimeError(message)
        changed_command = _replace_data(unit, command, call)
        command_entries = await task.ask(
            lambda: _run_in_savepoint(unit, changed_command, run), counts=False
        )
        has_run = True
        entries = [] if isinstance(command, DeleteDocument) else command_entries

        async def load() -> list[EntryJson]:
            return await task.ask(lambda: read_written(unit, entries))

        return ActionResult(call.action, command_entries, load, document=Document)

    first = steps[0][1]
    task = HookTask(
        _call_steps(steps, call, context, act, as_system=False), context, first.name, first.place
    )
    context.task = task
    try:
        result = yield from task.program()
    finally:
        context.is_ended = True
    written_entries: list[WrittenEntry] = result.value  # type: ignore[assignment]  # see `act`
    return written_entries


def read_written(
    unit: UnitOfWork, written_entries: Sequence[WrittenEntry]
) -> Program[list[EntryJson]]:
    """Return written entries of one type without their relations and components."""
    entries_by_id = yield from unit.engine.reads.written_entries(written_entries, populated=False)
    return [
        entries_by_id[entry.entry_id]
        for entry in written_entries
        if entry.entry_id in entries_by_id
    ]


def _data_of(command: Command) -> object:
    if isinstance(command, CreateDocument | UpdateDocument | CloneDocument):
        return command.data
    return {}


def _call_of(
    unit: UnitOfWork, command: Command, action: RuleAction, data: Mapping[str, object]
) -> Call[Document]:
    locale = command.locale
    locales: tuple[str, ...] = getattr(command, "locales", None) or ()
    if len(locales) == 1:
        (locale,) = locales
    elif isinstance(locale, AllLocales) or locales:
        locale = AllLocales.LOCALE.value
    elif locale is None:
        locale = unit.engine.default_locale
    return Call(
        action=action,
        uid=command.uid,
        document_id=command.document_id,
        locale=locale if unit.layout(command.uid).is_localized() else None,
        # Functions may change the data in place; a retried transaction starts from the original.
        data=copy_data(data),
    )


def _replace_data(unit: UnitOfWork, command: Command, call: Call[Any]) -> Command:
    """Return a command with the data of a call. Raises UnknownFieldError."""
    if not isinstance(command, CreateDocument | UpdateDocument | CloneDocument):
        return command
    fields, original_data = unit.layout(command.uid).model.writable_names, _data_of(command)
    for name in call.data:
        if name not in fields and not (
            isinstance(original_data, Mapping) and name in original_data
        ):
            raise UnknownFieldError(command.uid, name, fields)
    return replace(command, data=call.data)


def _run_in_savepoint(
    unit: UnitOfWork, command: Command, run: Callable[[Command], Program[list[WrittenEntry]]]
) -> Program[list[WrittenEntry]]:
    """Run a command; if it fails, what it has changed is rolled back."""
    savepoint = unit.savepoint()
    yield from savepoint.begin()
    try:
        yield from hash_passwords(unit, unit.layout(command.uid).model, _data_of(command))
        written_entries = yield from run(command)
    except Exception:
        yield from savepoint.roll_back()
        raise
    yield from savepoint.release()
    return written_entries
