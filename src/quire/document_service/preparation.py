"""Calls the functions that a project marks with `@prepare`: before the transaction of a write.

They change a copy of the command, which replaces it in the transaction. A program that creates its
commands within the transaction is restarted with the prepared ones (`PreparationNeededError`).
"""

import asyncio
import inspect
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

import structlog
from msgspec.structs import replace

from quire.document_service.commands import (
    Command,
    CreateDocument,
    PreparationNeededError,
    PreparedCommands,
    UpdateDocument,
)
from quire.document_service.content_types import writable_fields
from quire.document_service.extension_context import ExtensionContext
from quire.document_service.hook_principal import not_as_system
from quire.document_service.project_rules import acting
from quire.document_service.row_rules import command_actions
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import AppError, InternalServerError, ServiceUnavailableError
from quire.hooks import principal as hooks
from quire.hooks.document import Document
from quire.hooks.extensions import Hook, hook_cause, require_depth
from quire.hooks.write import Write, WriteAction

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
    InternalServerError for their other exceptions, and ServiceUnavailableError when one takes too
    long.
    """
    for command in commands:
        found = _functions(context.engine, command)
        if found and isinstance(command, CreateDocument | UpdateDocument):
            _ask_policies(context, command, as_system=as_system)
            prepared.add(command, await _prepare(found, command, context, as_system=as_system))


def prepared_command(engine: WriteEngine, prepared: PreparedCommands, command: Command) -> Command:
    """Return the command to run. Raises PreparationNeededError if it is not prepared yet."""
    if not _functions(engine, command):
        return command
    found = prepared.of(command)
    if found is None:
        raise PreparationNeededError(command)
    return found


def _functions(engine: WriteEngine, command: Command) -> tuple[Hook, ...]:
    action = _action(command)
    return () if action is None else engine.extensions.prepare.get((command.uid, action), ())


def _action(command: Command) -> WriteAction | None:
    match command:
        case CreateDocument():
            return "create"
        case UpdateDocument():
            return "update"
        case _:
            return None


def _ask_policies(context: ExtensionContext, command: Command, *, as_system: bool) -> None:
    """Refuse before anything is prepared. Raises ForbiddenError."""
    if as_system or context.is_system:
        return
    if context.principal is not None:
        who = acting(context.principal)
    elif context.editor is not None:
        who = hooks.Principal(kind="admin", id=context.editor)
    else:
        return
    engine = context.engine
    engine.policies.require_write(command, command_actions(engine.schema, command), who)


async def _prepare(
    functions: Iterable[Hook],
    command: CreateDocument | UpdateDocument,
    context: ExtensionContext,
    *,
    as_system: bool,
) -> Command:
    given = command.data
    if not isinstance(given, Mapping):
        # Validation refuses it.
        return command
    engine = context.engine
    if isinstance(command, CreateDocument) and command.document_id is None:
        command = replace(command, document_id=engine.new_id())
    layout = engine.store.layout(command.uid)
    write = Write[Document](
        uid=command.uid,
        action="create" if isinstance(command, CreateDocument) else "update",
        document_id=command.document_id or "",
        locale=(command.locale or engine.default_locale) if layout.is_localized() else None,
        origin=tuple(map(str, context.causes)),
        data=deepcopy(dict(given)),
        fields=writable_fields(layout),
    )
    for function in functions:
        await _call(function, write, context, as_system=as_system)
    write.check_names(given)
    return replace(command, data=write.data)


async def _call(
    hook: Hook, write: Write[Any], context: ExtensionContext, *, as_system: bool
) -> None:
    """Call a function, unless it was itself the cause of a write to the same document."""
    cause = hook_cause(hook, write, context.causes)
    if cause is None:
        return
    limits = context.engine.code_limits
    timer = asyncio.timeout(limits.prepare_seconds)
    own = context.for_cause(cause, as_system=as_system)
    try:
        require_depth(own.causes, limits)
        with not_as_system(), own.activate():
            result = hook.function(write)
            if inspect.isawaitable(result):
                async with timer:
                    await result
    except AppError:
        raise
    except TimeoutError as error:
        if not timer.expired():
            raise _failed(hook) from error
        _log.error(
            "a hook took too long",
            hook=hook.name,
            place=hook.place,
            seconds=limits.prepare_seconds,
        )
        raise ServiceUnavailableError from error
    except Exception as error:
        raise _failed(hook) from error
    finally:
        own.is_ended = True


def _failed(hook: Hook) -> InternalServerError:
    _log.error("a hook failed", hook=hook.name, phase=hook.phase, place=hook.place)
    return InternalServerError()
