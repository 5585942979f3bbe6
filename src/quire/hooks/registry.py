"""The checked hooks of a project as one frozen snapshot, and the limits of its Python code."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cached_property
from inspect import iscoroutinefunction, unwrap
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from quire.hooks.after_commit import ChangeListener
from quire.hooks.around import AroundCalls
from quire.hooks.attribute_types import CustomAttributeType
from quire.hooks.checked_function import CheckedFunction
from quire.hooks.computed import ComputedFields
from quire.hooks.document import Document
from quire.hooks.errors import HookLoopError
from quire.hooks.jobs import JobDefinition
from quire.hooks.operators import CustomOperator
from quire.hooks.policies import Policy, Rule
from quire.hooks.routes import CustomRoute
from quire.hooks.schedules import ScheduleDefinition
from quire.hooks.startup_shutdown import LifecycleFunction
from quire.hooks.storage_backends import CustomStorageBackend
from quire.hooks.strategies_and_middlewares import AsgiMiddleware, AuthStrategy
from quire.hooks.write import Write, WriteAction


class CodeLimits(Struct, frozen=True, kw_only=True):
    """The limits of the settings.

    ``hook_seconds`` is how long a hook, or a transaction of a route or job, may take: nobody else
    writes meanwhile. ``prepare_seconds`` is how long a function may take before a transaction,
    ``route_seconds`` and ``job_seconds`` are for routes and jobs without a timeout of their own,
    ``delivery_seconds`` for calls after the commit. ``statements`` is how many one transaction of
    code may run, ``levels`` how many functions may cause one another, ``rows`` how many documents
    one ``find`` may return, ``argument_bytes`` how large the arguments of a job may be.
    """

    hook_seconds: float = 2
    prepare_seconds: float = 10
    route_seconds: float = 30
    job_seconds: float = 300
    delivery_seconds: float = 30
    statements: int = 200
    levels: int = 8
    rows: int = 10_000
    argument_bytes: int = 262_144


DEFAULT_LIMITS = CodeLimits()


class Hook(CheckedFunction, frozen=True, kw_only=True, eq=False):
    """A function that is called in one phase of writes to one content type.

    ``document`` is the class of ``write.before`` and ``write.after``.
    """

    phase: str
    uid: str
    on: tuple[WriteAction, ...]
    function: Callable[[Any], Awaitable[None] | None]
    """Takes a `Write`, or a sequence of them with ``batch``."""
    document: type[Document] = Document
    needs: tuple[str, ...] = ()
    batch: bool = False
    order: int = 0


class CallCause(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A function call as the cause of the writes that it makes.

    It is a value that can be stored: causes are stored with jobs. ``action``, ``uid``,
    ``document_id`` and ``locale`` are those of the write that a hook was called for.
    """

    phase: str
    name: str
    file: str
    line: int
    action: str = ""
    uid: str = ""
    document_id: str = ""
    locale: str | None = None
    batch: tuple[tuple[str, str | None], ...] = ()
    """The documents, with locales, of the changes of one call."""

    def is_of(self, hook: Hook, document_id: str, locale: str | None) -> bool:
        """Tell whether it is a call of the same hook for the same locale of a document."""
        if (self.phase, self.name, self.file) != (hook.phase, hook.name, hook.file):
            return False
        return (document_id, locale) in (self.batch or ((self.document_id, self.locale),))

    def __str__(self) -> str:
        call = f"{self.phase} {self.name} ({self.file}:{self.line})"
        documents = self.document_id or f"{len(self.batch)} documents"
        return f"{call} on {self.action} of {self.uid} {documents}" if self.uid else call


def hook_cause(hook: Hook, writes: Sequence[Write[Any]]) -> CallCause:
    """Return the cause that the call of a hook is: for one write, or for several of one action."""
    write = writes[0]
    documents = [(write.document_id, write.locale) for write in writes] if hook.batch else ()
    return CallCause(
        phase=hook.phase,
        name=hook.name,
        file=hook.file,
        line=hook.line,
        action=write.action,
        uid=write.uid,
        document_id="" if hook.batch else write.document_id,
        locale=None if hook.batch else write.locale,
        batch=tuple(documents),
    )


def has_caused(hook: Hook, write: Write[Any], causes: Iterable[CallCause]) -> bool:
    """Tell whether one of the causes is a call of the same hook for the same write.

    Such a hook is not called again: it would never end.
    """
    return any(cause.is_of(hook, write.document_id, write.locale) for cause in causes)


def require_depth(causes: Sequence[CallCause], limits: CodeLimits) -> None:
    """Raise HookLoopError when functions cause each other at too many levels."""
    if len(causes) > limits.levels:
        chain = "\n  ".join(map(str, causes))
        message = f"hooks cause one another more than {limits.levels} levels deep:\n  {chain}"
        raise HookLoopError(message)


class WriteHooks(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """The hooks of one action on one content type, in the order of their calls."""

    before: tuple[Hook, ...] = ()
    after: tuple[Hook, ...] = ()
    listeners: tuple[ChangeListener, ...] = ()

    @cached_property
    def have_batches(self) -> bool:
        """Whether one of them is called once for several writes."""
        return any(hook.batch for hook in (*self.before, *self.after))

    @cached_property
    def allow_bulk(self) -> bool:
        """Whether several documents can be written together.

        A function that is called for each document and queries, or writes, could see that. A
        decorated one may be a plain function that returns a coroutine.
        """
        hooks = (*self.before, *self.after)
        return all(hook.batch or not iscoroutinefunction(unwrap(hook.function)) for hook in hooks)

    @cached_property
    def need_links(self) -> bool:
        """Whether a change names the documents that were linked or unlinked."""
        return any(listener.linked for listener in self.listeners)

    @cached_property
    def kept_fields(self) -> frozenset[str]:
        """The fields that are stored with a change."""
        return frozenset(name for listener in self.listeners for name in listener.keep)

    @cached_property
    def needs_before(self) -> frozenset[str]:
        """The fields that hooks of either phase read of the entry before the write."""
        return frozenset(name for hook in (*self.before, *self.after) for name in hook.needs)

    @cached_property
    def needs_after(self) -> frozenset[str]:
        """The fields that hooks read of the entry that was written."""
        return frozenset(name for hook in self.after for name in hook.needs)


class Extensions(Struct, frozen=True, kw_only=True):
    """All of a project's Python code that runs; ``version`` changes with the code."""

    version: str = ""
    hooks: tuple[Hook, ...] = ()
    routes: tuple[CustomRoute, ...] = ()
    jobs: tuple[JobDefinition, ...] = ()
    rules: tuple[Rule, ...] = ()
    attribute_types: Mapping[str, CustomAttributeType] = field(default_factory=dict)
    """Attribute types by name."""
    strategies: tuple[AuthStrategy, ...] = ()
    """Authentication strategies, in their order."""
    storage_backends: Mapping[str, CustomStorageBackend] = field(default_factory=dict)
    """Storage backends by name."""
    middlewares: tuple[AsgiMiddleware, ...] = ()
    """ASGI middlewares, the outermost first."""
    operators: Mapping[str, CustomOperator] = field(default_factory=dict)
    """Filter operators by name."""
    schedules: tuple[ScheduleDefinition, ...] = ()
    policies: tuple[Policy, ...] = ()
    computed: ComputedFields = field(default_factory=dict)
    listeners: tuple[ChangeListener, ...] = ()
    lifecycle: tuple[LifecycleFunction, ...] = ()
    writes: Mapping[tuple[str, WriteAction], WriteHooks] = field(default_factory=dict)
    """The hooks of writes by uid and action; without types that have none."""
    prepare: Mapping[tuple[str, WriteAction], tuple[Hook, ...]] = field(default_factory=dict)
    """The functions that are called before the transactions of writes, by uid and action."""
    replaced: Mapping[str, str] = field(default_factory=dict)
    """JavaScript files that functions take the place of, with the place of each function."""
    around: AroundCalls = field(default_factory=dict)
    """The functions around actions, by uid and action; empty without any."""

    def has_batches(self, uid: str, *actions: WriteAction) -> bool:
        """Tell whether a hook of one of the actions is called once for several writes."""
        write_hooks = (self.writes.get((uid, action)) for action in actions)
        return any(hooks is not None and hooks.have_batches for hooks in write_hooks)

    def allow_bulk(self, uid: str, *actions: WriteAction) -> bool:
        """Tell whether the hooks of the actions allow to write several documents together."""
        write_hooks = (self.writes.get((uid, action)) for action in actions)
        return all(hooks is None or hooks.allow_bulk for hooks in write_hooks)

    @property
    def admin_modules(self) -> dict[str, bytes]:
        """The modules of inputs in the admin UI, by their paths below ``/admin/``."""
        modules = [
            attribute_type.module
            for attribute_type in self.attribute_types.values()
            if attribute_type.module is not None
        ]
        return {
            module.path(name): content
            for module in modules
            for name, content in module.files.items()
        }

    @property
    def actions_by_uid(self) -> dict[str, tuple[str, ...]]:
        """The names of the actions of routes, by uid."""
        names_by_uid: dict[str, tuple[str, ...]] = {}
        for action in sorted(self.granted_actions):
            uid, _, name = action.rpartition(".")
            names_by_uid[uid] = (*names_by_uid.get(uid, ()), name)
        return names_by_uid

    @property
    def granted_actions(self) -> frozenset[str]:
        """The actions of routes that need a permission."""
        return frozenset(route.action for route in self.routes if not route.public)


NO_EXTENSIONS = Extensions()


def make_extensions(
    hooks: Sequence[Hook],
    version: str,
    routes: Sequence[CustomRoute] = (),
    replaced: Mapping[str, str] | None = None,
) -> Extensions:
    """Build the snapshot from checked definitions."""
    sorted_hooks = sorted(hooks, key=lambda hook: (hook.order, hook.file, hook.line, hook.name))
    write_phase_hooks = [hook for hook in sorted_hooks if hook.phase != "prepare"]
    prepare: dict[tuple[str, WriteAction], tuple[Hook, ...]] = {}
    for hook in sorted_hooks:
        if hook.phase == "prepare":
            for action in hook.on:
                key = (hook.uid, action)
                prepare[key] = (*prepare.get(key, ()), hook)
    keys = {(hook.uid, action) for hook in write_phase_hooks for action in hook.on}
    return Extensions(
        version=version,
        hooks=tuple(sorted_hooks),
        routes=tuple(routes),
        replaced=replaced or {},
        writes={key: _hooks_of(write_phase_hooks, *key) for key in keys},
        prepare=prepare,
    )


def with_listeners(extensions: Extensions, listeners: Sequence[ChangeListener]) -> Extensions:
    """Return a snapshot with functions that receive changes after the commit."""
    writes = dict(extensions.writes)
    for listener in sorted(
        listeners, key=lambda listener: (listener.file, listener.line, listener.name)
    ):
        for action in listener.on:
            key = (listener.uid, action)
            hooks = writes.get(key, WriteHooks())
            writes[key] = replace(hooks, listeners=(*hooks.listeners, listener))
    return replace(extensions, listeners=tuple(listeners), writes=writes)


def _hooks_of(hooks: Sequence[Hook], uid: str, action: WriteAction) -> WriteHooks:
    selection = [hook for hook in hooks if hook.uid == uid and action in hook.on]
    return WriteHooks(
        before=tuple(hook for hook in selection if hook.phase == "before_write"),
        after=tuple(hook for hook in selection if hook.phase == "after_write"),
    )
