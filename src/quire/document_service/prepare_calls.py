"""Calls `@prepare` functions of the project, before the transaction of a write.

They may take long, for example call other services, because no transaction is open. They change a
copy of the command, which replaces it in the transaction. A program that creates commands within
the transaction is rolled back, and restarted once they are prepared (`PreparationNeededError`).
"""

import asyncio
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import structlog
from msgspec.structs import replace

from quire.access.ability import Unsanitized
from quire.database.entries.entry_layout import EntryLayout
from quire.database.execute.prepared_read import EntryJson
from quire.document_service.commands import (
    AllLocales,
    CloneDocument,
    Command,
    CreateDocument,
    PreparationNeededError,
    PreparedCommands,
    UpdateDocument,
    copy_data,
)
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.hook_principal import not_as_system
from quire.document_service.project_rules import acting
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.row_rule_checks import command_actions
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import AppError, ProjectCodeError, ProjectCodeTimeoutError
from quire.hooks import principal as hooks
from quire.hooks.checked_function import CheckedFunction
from quire.hooks.document import Document, convert_value
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.function_times import FunctionTimer, call_plain
from quire.hooks.registry import Hook, has_caused, hook_cause, require_depth
from quire.hooks.write import Write, WriteAction, WriteData
from quire.schema.attributes.base import ScalarAttribute

IDENTITY = "documentId"

_log = structlog.get_logger("quire.extensions")


async def prepare_commands(
    prepared: PreparedCommands,
    commands: Iterable[Command],
    context: ExtensionContext,
    *,
    as_system: bool,
) -> None:
    """Call the functions for the actions of commands, one after the other.

    ``context`` is that of the caller who writes. Raises AppErrors of the functions unchanged,
    ProjectCodeError for their other exceptions, and ProjectCodeTimeoutError when one takes too
    long.
    """
    for command in commands:
        functions = _functions(context.engine, command)
        if functions and isinstance(command, CreateDocument | UpdateDocument | CloneDocument):
            _require_policies(context, command, as_system=as_system)
            prepared.add(
                command, await _prepare_command(functions, command, context, as_system=as_system)
            )


def prepared_command(engine: WriteEngine, prepared: PreparedCommands, command: Command) -> Command:
    """Return the command to run. Raises PreparationNeededError if it is not prepared yet."""
    if not _functions(engine, command):
        return command
    replacement = prepared.get(command)
    if replacement is None:
        raise PreparationNeededError(command)
    return replacement


def _functions(engine: WriteEngine, command: Command) -> tuple[Hook, ...]:
    action = _action(command)
    return () if action is None else engine.extensions.prepare.get((command.uid, action), ())


def _action(command: Command) -> WriteAction | None:
    match command:
        case CreateDocument():
            return "create"
        case UpdateDocument():
            return "update"
        case CloneDocument():
            return "clone"
        case _:
            return None


def _require_policies(context: ExtensionContext, command: Command, *, as_system: bool) -> None:
    """Check policies before functions run, which may have effects. Raises ForbiddenError."""
    if as_system or context.is_system:
        return
    if context.principal is not None:
        principal = acting(context.principal)
    elif context.editor is not None:
        principal = hooks.Principal(kind="admin", id=context.editor)
    else:
        return
    engine = context.engine
    engine.policies.require_write(command, command_actions(engine.schema, command), principal)


async def _prepare_command(
    functions: Sequence[Hook],
    command: CreateDocument | UpdateDocument | CloneDocument,
    context: ExtensionContext,
    *,
    as_system: bool,
) -> Command:
    data = command.data
    if not isinstance(data, Mapping):
        # Functions expect an object. Validation rejects such data with the client's error.
        return command
    engine = context.engine
    if isinstance(command, CreateDocument) and command.document_id is None:
        command = replace(command, document_id=engine.new_id())
    layout = engine.store.layout(command.uid)
    locale = command.locale.value if isinstance(command.locale, AllLocales) else command.locale
    write: Write[Document] = Write(
        uid=command.uid,
        action=_action(command) or "create",
        document_id=command.document_id or "",
        locale=(locale or engine.default_locale) if layout.is_localized() else None,
        origin=tuple(map(str, context.causes)),
        _data=WriteData(copy_data(data)),
        _fields=layout.model.writable_names,
    )
    source_entry = await _read_before(functions, command, context, write.locale)
    await call_prepare(functions, write, source_entry, context, as_system=as_system)
    write.check_names(data)
    return replace(command, data=write.data)


async def call_prepare(
    functions: Sequence[Hook],
    write: Write[Document],
    source_entry: Mapping[str, Any] | None,
    context: ExtensionContext,
    *,
    as_system: bool,
) -> None:
    """Call functions for a write, whose data they may change.

    ``source_entry`` is the entry that it starts from. Raises as `prepare_commands` does.
    """
    for function in functions:
        write.before = needed_view(function, source_entry)
        await _call(function, write, context, as_system=as_system)


async def _read_before(
    functions: Sequence[Hook],
    command: CreateDocument | UpdateDocument | CloneDocument,
    context: ExtensionContext,
    locale: str | None,
) -> EntryJson | None:
    """Read the fields that functions need of the entry that a command starts from."""
    names = frozenset(name for function in functions for name in function.needs)
    if not names or isinstance(command, CreateDocument):
        return None
    engine, document_id = context.engine, command.document_id
    entry_locale = engine.default_locale if locale == AllLocales.LOCALE.value else locale
    query = needed_fields(engine.store.layout(command.uid), names, entry_locale, published=False)
    return await context.read(lambda: engine.reads.document(query, document_id).first())


def needed_fields(
    layout: EntryLayout, names: frozenset[str], locale: str | None, *, published: bool
) -> DocumentQuery:
    """Return the query for the fields that hooks need of one version of a document."""
    attributes = layout.model.attributes
    scalars = [name for name in names if isinstance(attributes[name], ScalarAttribute)]
    return DocumentQuery(
        uid=layout.model.uid,
        fields=sorted({IDENTITY, *scalars}),
        populate=sorted(names.difference(scalars)) or None,
        status="published" if published else "draft",
        locale=locale,
        ability=Unsanitized(),
    )


def linked_documents(
    layout: EntryLayout, names: Iterable[str], locale: str | None, *, published: bool
) -> DocumentQuery:
    """Return the query for the ids of the documents that relations of one version lead to."""
    return DocumentQuery(
        uid=layout.model.uid,
        fields=[IDENTITY],
        populate={name: {"fields": [IDENTITY]} for name in names},
        status="published" if published else "draft",
        locale=locale,
        ability=Unsanitized(),
    )


def needed_view(hook: Hook, entry: Mapping[str, Any] | None) -> Document | None:
    """Return an entry with only the fields of a hook's ``needs``, and its document id."""
    if entry is None:
        return None
    view = hook.document()
    if IDENTITY in entry:
        view[IDENTITY] = entry[IDENTITY]
    for name in hook.needs:
        if name in entry:
            view[name] = convert_value(entry[name])
    return view


async def _call(
    hook: Hook, write: Write[Any], context: ExtensionContext, *, as_system: bool
) -> None:
    """Call a function, unless an earlier call of it made this write, which would never end."""
    if has_caused(hook, write, context.causes):
        return
    limits = context.engine.code_limits
    timeout = asyncio.timeout(limits.prepare_seconds)
    call_context = context.for_cause(hook_cause(hook, [write]), as_system=as_system)
    try:
        require_depth(call_context.causes, limits)
        with not_as_system(), call_context.activate():
            result = call_plain(hook, hook.function, write)
            if inspect.isawaitable(result):
                with FunctionTimer(hook):
                    async with timeout:
                        await result
    except AppError as error:
        add_location(error, hook)
        raise
    except TimeoutError as error:
        if not timeout.expired():
            raise code_failure(error, hook, hook.phase) from error
        _log.error(
            "a hook took too long",
            hook=hook.name,
            place=hook.place,
            seconds=limits.prepare_seconds,
        )
        raise ProjectCodeTimeoutError(hook.name, hook.place) from error
    except CODE_ERRORS as error:
        raise code_failure(error, hook, hook.phase) from error
    finally:
        call_context.is_ended = True


def add_location(error: BaseException, function: CheckedFunction) -> None:
    """Add to an error which function has raised it, unless an inner one is known."""
    if not hasattr(error, "__notes__"):
        error.add_note(f"raised by {function.name} ({function.place})")


def code_failure(error: BaseException, function: CheckedFunction, phase: str) -> ProjectCodeError:
    """Log that a function has failed, and return the error of the request."""
    add_location(error, function)
    _log.error("a hook failed", hook=function.name, phase=phase, place=function.place)
    return ProjectCodeError(function.name, function.place)
