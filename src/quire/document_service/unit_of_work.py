"""The unit of work: the state of one write transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from quire.access.ability import NO_PROJECT_RULES, ProjectRules, project_rules_of
from quire.access.principal import Principal
from quire.clock import Clock, now_ms
from quire.database.dialect import Dialect
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.entry_tables import EntryStore
from quire.database.execute.prepared_read import EntryJson
from quire.database.program import Program, Statement, Value
from quire.database.stores.audit_log import AuditLog
from quire.database.stores.change_outbox import ChangeQueue, StoredChange
from quire.database.stores.jobs import JobQueue
from quire.document_service.commands import PreparedCommands, WrittenEntry
from quire.document_service.password_hashing import Password, password_of
from quire.document_service.policy_checks import PolicyTable
from quire.document_service.project_rules import RuleEvaluation
from quire.document_service.read_planner import ReadPlanner
from quire.hooks.after_commit import ChangeListener
from quire.hooks.function_times import FunctionTimes, time_functions
from quire.hooks.registry import (
    DEFAULT_LIMITS,
    NO_EXTENSIONS,
    CallCause,
    CodeLimits,
    Extensions,
    Hook,
)
from quire.mail.senders import NoSender, Sender
from quire.query.resolve.scope import ReadLimits
from quire.schema.attributes.base import ScalarAttribute, StorageKind
from quire.schema.model import Schema
from quire.webhooks.events import Event, EventName

T = TypeVar("T")
WriteProgram = Callable[["UnitOfWork"], Program[T]]
"""A program that writes within a unit of work."""
HashPassword = Callable[[str, int], str]
"""Hashes a password with a number of rounds; slow by design."""


class SystemWrite(NamedTuple):
    """A call with which code has written ``documents`` of one type as the system.

    ``target`` is the document if it is one, else the type; ``place`` is the file and line that say
    the reason.
    """

    action: str
    uid: str
    target: str
    reason: str
    place: str
    caller: str
    documents: int
    at: int


class WriteEngine(Struct, kw_only=True, eq=False, dict=True):
    """The objects that all writes of one schema share.

    ``default_locale`` is ``None`` in a project without locales; it is the only field that may
    change, see `adopt_default_locale`. With ``strict_relations`` required relations and media are
    enforced. ``limits`` are those of one read. ``extensions`` are the hooks of the project's Python
    code, ``jobs`` receives its background jobs, and ``changes`` the changes for its
    `@after_commit` functions; ``audit`` records what code writes as the system. ``clock`` and
    ``mail`` are for that code, too. With ``is_development`` some of its mistakes are errors that
    are only logged in production.
    """

    store: EntryStore
    new_id: Callable[[], str]
    default_locale: str | None
    strict_relations: bool = False
    limits: ReadLimits = field(default_factory=lambda: ReadLimits(max_limit=None))
    extensions: Extensions = NO_EXTENSIONS
    jobs: JobQueue | None = None
    changes: ChangeQueue | None = None
    audit: AuditLog | None = None
    is_development: bool = False
    clock: Clock = now_ms
    mail: Sender = field(default_factory=NoSender)
    code_limits: CodeLimits = DEFAULT_LIMITS

    @cached_property
    def reads(self) -> ReadPlanner:
        """The read planner."""
        store = self.store
        return ReadPlanner(
            store.schema,
            store.tables,
            store.dialect,
            self.limits,
            default_locale=self.default_locale,
        )

    @cached_property
    def rules(self) -> RuleEvaluation:
        """The evaluation of the rules of the project's code."""
        return RuleEvaluation(self.extensions.rules, self.schema)

    @cached_property
    def policies(self) -> PolicyTable:
        """The policies of the project's code."""
        return PolicyTable(self.extensions.policies)

    def adopt_default_locale(self, code: str | None) -> None:
        """Change the default locale, for transactions that begin from now on."""
        self.default_locale = code
        self.reads.adopt_default_locale(code)

    @property
    def schema(self) -> Schema:
        """The schema of the documents."""
        return self.store.schema


class Savepoint:
    """A savepoint that also rolls back what the unit of work has recorded since.

    ``record_lists`` are lists such as the events; rolling back truncates them.
    """

    def __init__(self, name: str, *record_lists: list[Any]) -> None:
        self._name = name
        self._record_lists = record_lists
        self._lengths: list[int] = []

    def begin(self) -> Program[None]:
        """Set the savepoint."""
        self._lengths = [len(records) for records in self._record_lists]
        yield Statement(f"SAVEPOINT {self._name}")

    def release(self) -> Program[None]:
        """Keep everything that was written since `begin`."""
        yield Statement(f"RELEASE SAVEPOINT {self._name}")

    def roll_back(self) -> Program[None]:
        """Undo everything that was written and recorded since `begin`."""
        for records, length in zip(self._record_lists, self._lengths, strict=True):
            del records[length:]
        yield Statement(f"ROLLBACK TO SAVEPOINT {self._name}")
        # `ROLLBACK TO` does not end the savepoint.
        yield from self.release()


class ChangedEntry(NamedTuple):
    """An entry that was written, the attributes that were given, and the time of the write."""

    entry: WrittenEntry
    fields: tuple[str, ...]
    at: int


class UnitOfWork(Struct, kw_only=True):
    """The state of one write transaction: who writes, its time, and the events to publish.

    ``caller`` is the principal of the content API, ``None`` where the server itself writes.
    ``editor`` is the row of the administrator who writes: ``createdBy`` and ``updatedBy``.
    ``causes`` are the hooks that led to the present write, the outermost first; ``is_system`` says
    that one of them writes within `as_system`.

    ``listening`` says that a webhook is enabled: only then entries are read for events.
    ``hashed`` maps passwords, as they were sent, to their hashes, which are made before the
    transaction: hashing takes too long while other writers wait. Only passwords that hooks set are
    hashed within it, by ``hash_password``. ``prepared`` are the commands that were prepared before
    the transaction. ``locale_codes`` are the project's locales, ``None`` until they are read.
    ``trace`` is the ``traceparent`` of the request, if it is traced.
    """

    engine: WriteEngine
    clock: Clock
    caller: Principal | None = None
    editor: int | None = None
    origin: str = "api"
    listening: bool = False
    hashed: Mapping[Password, str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    purges: list[Event] = field(default_factory=list)
    """Events for shared caches, which webhooks do not get."""
    locale_codes: tuple[str, ...] | None = None
    causes: tuple[CallCause, ...] = ()
    is_system: bool = False
    hash_password: HashPassword | None = None
    prepared: PreparedCommands = field(default_factory=PreparedCommands)
    trace: str | None = None
    changes: list[tuple[ChangeListener, StoredChange]] = field(default_factory=list)
    """Changes for `@after_commit` functions, which are stored with the transaction."""
    system_writes: list[SystemWrite] = field(default_factory=list)
    """What code has written as the system, which is recorded with the transaction."""
    committed: list[Callable[[], None]] = field(default_factory=list)
    """Functions that are called after the commit; they must not fail."""
    function_times: FunctionTimes | None = None
    """The times of the project's functions in the request, if they are measured."""
    hook_statements: dict[Hook, list[int]] = field(default_factory=dict)
    """How many statements each call of a hook has run; in development, see `advise_batches`."""
    is_interleaved: bool = False
    """Whether the running program is one of several interleaved writes (`run_interleaved`)."""
    nested_writes: int = 0
    """How many writes code has made in the transaction so far."""
    _narrowed_caller: Principal | None = None
    _rules: ProjectRules | None = None
    _savepoints: int = 0
    _postponed: list[Callable[[], Program[None]]] = field(default_factory=list)
    _last_tick: int = 0

    @property
    def store(self) -> EntryStore:
        """The rows of the schema."""
        return self.engine.store

    @property
    def principal(self) -> Principal | None:
        """The caller, with an ability that is narrowed by the rules of the project's code."""
        return None if self.caller is None else self.narrow(self.caller)

    def narrow(self, caller: Principal) -> Principal:
        """Return the caller of the transaction with an ability that is narrowed by the rules.

        They are evaluated once, when they are first asked for: most writes depend on none.
        """
        if self._narrowed_caller is None:
            with time_functions(self.function_times):
                self._narrowed_caller = self.engine.rules.narrow(caller)
        return self._narrowed_caller

    @property
    def rules(self) -> ProjectRules:
        """The rules of the project's code for the caller, or for the administrator."""
        if self._rules is None:
            principal = self.principal
            if principal is not None:
                self._rules = project_rules_of(principal.ability)
            elif self.editor is not None:
                with time_functions(self.function_times):
                    self._rules = self.engine.rules.of_administrator(self.editor)
            else:
                self._rules = NO_PROJECT_RULES
        return self._rules

    @contextmanager
    def without_rules(self) -> Iterator[None]:
        """Run a block without the rules of the project's code for the administrator."""
        rules, self._rules = self._rules, NO_PROJECT_RULES
        try:
            yield
        finally:
            self._rules = rules

    def tick(self) -> int:
        """Return the present as epoch milliseconds; later than every time returned before.

        Of two writes in one transaction the second has a later time, even in one millisecond: equal
        times of a draft and its published version mean that there is nothing new to publish.
        """
        self._last_tick = max(self.clock(), self._last_tick + 1)
        return self._last_tick

    @property
    def last_tick(self) -> int:
        """The time of the last `tick`."""
        return self._last_tick

    def postpone(self, step: Callable[[], Program[None]]) -> None:
        """Postpone a step that changes other entries until the response has been read."""
        self._postponed.append(step)

    def postpone_all(self, steps: Iterable[Callable[[], Program[None]]]) -> None:
        """Postpone several steps, see `postpone`."""
        self._postponed.extend(steps)

    @contextmanager
    def interleaved(self, steps: list[Callable[[], Program[None]]]) -> Iterator[None]:
        """Run a part of one of several interleaved writes.

        Steps that it postpones are added to ``steps``: each write has a list of its own, so that
        they run in the order of the writes.
        """
        outer = self.is_interleaved, self._postponed
        self.is_interleaved, self._postponed = True, steps
        try:
            yield
        finally:
            self.is_interleaved, self._postponed = outer

    def run_postponed(self) -> Program[None]:
        """Run the postponed steps, within the same transaction."""
        while self._postponed:
            yield from self._postponed.pop(0)()

    def nested(
        self,
        act: Callable[[], Program[T]],
        *,
        as_system: bool,
        causes: tuple[CallCause, ...],
    ) -> Program[T]:
        """Run a write of a hook: within a savepoint, with other causes, perhaps as the system.

        If it fails, its rows and events are rolled back; the hook may catch the error.
        """
        actor = self.caller, self._rules, self.is_system
        outer = self.causes, self._postponed
        was_interleaved, self.is_interleaved = self.is_interleaved, False
        self.causes, self._postponed = causes, []
        if as_system:
            self.caller, self._rules, self.is_system = None, NO_PROJECT_RULES, True
        self.nested_writes += 1
        savepoint = self.savepoint()
        try:
            yield from savepoint.begin()
            try:
                result = yield from act()
            except Exception:
                yield from savepoint.roll_back()
                raise
            yield from savepoint.release()
            return result
        finally:
            self.causes, self._postponed = outer
            if as_system:
                self.caller, self._rules, self.is_system = actor
            self.is_interleaved = was_interleaved

    def savepoint(self) -> "Savepoint":
        """Return a savepoint of the transaction, which has not begun yet."""
        self._savepoints += 1
        record_lists = self.events, self.purges, self.changes, self.system_writes, self._postponed
        return Savepoint(f"quire_{self._savepoints}", *record_lists)

    def layout(self, uid: str) -> EntryLayout:
        """Return the layout of a uid. Raises KeyError when there is no such model."""
        return self.engine.store.layout(uid)

    def record_event(
        self,
        name: EventName,
        entry: WrittenEntry,
        fields: tuple[str, ...] = (),
    ) -> Program[None]:
        """Record a webhook event of an entry, see `record_changes`."""
        yield from self.record_changes(name, [ChangedEntry(entry, fields, self.last_tick)])

    def record_events(self, name: EventName, entries: Sequence[WrittenEntry]) -> Program[None]:
        """Record webhook events of entries that were written at one time, see `record_changes`."""
        changes = [ChangedEntry(entry, (), self.last_tick) for entry in entries]
        yield from self.record_changes(name, changes)

    def record_changes(self, name: EventName, changes: Sequence["ChangedEntry"]) -> Program[None]:
        """Record webhook events of entries of one type, which are published after the commit.

        The events of a deletion are recorded before the deletion, while the entries can be read.
        """
        event_entries: Mapping[int, EntryJson] = {}
        if self.listening:
            entries = [change.entry for change in changes]
            event_entries = yield from self._read_event_entries(name, entries)
        self.events.extend(
            self._event(name, change, event_entries.get(change.entry.entry_id))
            for change in changes
        )

    def record_purges(self, entries: Iterable[WrittenEntry]) -> None:
        """Record that entries were deleted, for shared caches alone."""
        self.purges.extend(
            self._event(EventName.DELETE, ChangedEntry(entry, (), self.last_tick), None)
            for entry in entries
        )

    def _event(
        self, name: EventName, change: "ChangedEntry", event_entry: EntryJson | None
    ) -> Event:
        entry, fields, at = change
        return Event(
            name=name,
            uid=entry.uid,
            model=self.engine.schema.content_types[entry.uid].singular_name,
            document_id=entry.document_id,
            locale=entry.locale,
            entry_id=entry.entry_id,
            published=entry.published,
            fields=fields,
            at=at,
            origin=self.origin,
            entry=event_entry,
        )

    def _read_event_entries(
        self, name: EventName, entries: Sequence[WrittenEntry]
    ) -> Program[dict[int, EntryJson]]:
        """Return the entries as events contain them, by the ids of their rows."""
        populated = name is not EventName.DELETE and not name.is_media
        return (yield from self.engine.reads.written_entries(entries, populated=populated))

    def encode(self, layout: EntryLayout, scalars: Mapping[str, object]) -> dict[str, Value]:
        """Return the columns of scalar values, in the model's order.

        Raises KeyError for a password that was not hashed before.
        """
        dialect, columns = self.store.dialect, layout.table.columns
        row: dict[str, Value] = {}
        for attribute in layout.model.scalars:
            name = attribute.name
            if name in scalars:
                row[columns[name]] = self._encode_value(dialect, attribute, scalars[name])
        return row

    def _encode_value(self, dialect: Dialect, attribute: ScalarAttribute, value: object) -> Value:
        if value is None:
            return None
        if attribute.secret:
            return self.hashed[password_of(attribute, value)]
        if attribute.storage is StorageKind.JSON:
            return dialect.encode_json(value)
        if isinstance(value, str | int | float):
            return dialect.encoder(attribute.storage)(value)
        raise TypeError(f"{attribute.name} cannot hold {type(value).__name__}")
