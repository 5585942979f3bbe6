"""Prepares reads: resolves, compiles and binds queries, and caches the results.

A raw query string, together with the caller's ability, has the same meaning until the schema
changes. So it is resolved and compiled once; after that a request only runs statements and encodes
JSON. Document ids of the path are bound for each request.

There are two levels of caches. Queries with other values but of the same shape have equal plans:
they miss the cache of prepared reads, whose key is the raw query, and hit that of compiled plans.
"""

import asyncio
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Literal

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from quire.access.ability import Ability, FullAccess, NarrowedAbility
from quire.database.bounded_cache import BoundedCache
from quire.database.compile.compiled_read import CompiledRead
from quire.database.compile.compiler import NO_SERIALIZERS, ValueSerializers, compile_read
from quire.database.compile.grouped_counts import compile_grouped_counts
from quire.database.compile.statements import Query as CompiledQuery
from quire.database.compile.statements import Values
from quire.database.dialect import Dialect
from quire.database.execute.prepared_read import EntryJson, PreparedRead, bind_read
from quire.database.interface import WouldBlockError
from quire.database.program import Program, Statement
from quire.database.tables.table_map import TableMap
from quire.document_service.commands import WrittenEntry
from quire.errors import ServiceUnavailableError
from quire.metrics.caches import CacheCounter
from quire.query.filter_operators import Predicate
from quire.query.plan import (
    Comparison,
    ConstantCondition,
    Filter,
    Junction,
    PlanNode,
    PublicationFilterName,
    ReadPlan,
    Status,
    plan_size,
)
from quire.query.python_parameters import as_query, read_query
from quire.query.querystring import QueryValue
from quire.query.resolve import ReadLimits, ResolvedRead, Resolver
from quire.query.resolve.row_rules import COUNT, FIND, rule_filter
from quire.query.resolve.scope import Slots, SlotValue
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    ScalarAttribute,
)
from quire.schema.model import ContentType, Model, Schema

Mode = Literal[
    "list",
    "document",
    "single",
    "entry",
    "window",
    "first",
    "rows",
    "first row",
    "count",
    "populated",
    "written",
    "removed",
]

Query = bytes | dict[str, QueryValue]
"""A raw query string, which is cached, or a parsed one."""

_Key = tuple[str, Mode, bytes, Ability, bool]

PLANS = 1000
"""How many plans are cached by default."""
TOO_MANY_QUERIES = "Too many large queries are waiting"
_MAX_CACHED_QUERY = 4096
"""Longer query strings are not cached: otherwise clients could fill the memory with them."""
_ENTRIES_AT_ONCE = 100
"""How many rows a statement reads by their ids."""
_MAX_COMPILATIONS = 100
_LARGE_PLAN = 20
"""Plans with more parts are compiled on another thread: a part takes about a millisecond."""
_ANY_DOCUMENT = ""
_ANY_ENTRY = 0
"""Stand for the id in the plan of a read by id; each request binds its own."""

_compile_executor = ThreadPoolExecutor(1, thread_name_prefix="quire-compile")


class DocumentQuery(Struct, frozen=True, kw_only=True):
    """A read of a content type, in the content API's query language with Python values.

    ``filters``, ``sort``, ``fields``, ``populate``, ``pagination`` and ``publication_filter`` are
    as in the content API; a ``locale`` of ``None`` is the default one, ``"*"`` every one. Nothing
    outside of ``ability`` is shown, filtered or sorted by. With ``counts`` only the total is
    needed, so that rules on counting apply, too. With ``computes`` computed fields may be named,
    which the caller adds to what is read.
    """

    uid: str
    filters: Mapping[str, object] | None = None
    sort: object = None
    fields: object = None
    populate: object = None
    pagination: Mapping[str, object] = field(default_factory=dict)
    status: Status = "published"
    publication_filter: PublicationFilterName | None = None
    locale: str | list[str] | None = None
    ability: Ability = field(default_factory=FullAccess)
    counts: bool = False
    computes: bool = False

    def parameters(self) -> dict[str, object]:
        """Return the parameters that are given, by their names in the content API."""
        values: dict[str, object] = {
            "filters": self.filters,
            "sort": self.sort,
            "fields": self.fields,
            "populate": self.populate,
            "pagination": self.pagination,
            "status": self.status,
            "publicationFilter": self.publication_filter,
            "locale": self.locale,
        }
        return {name: value for name, value in values.items() if value is not None}


class ReadPlanner:
    """Prepares reads of one schema in one database.

    Queries of requests are prepared in the event loop. `planned` may be called on any thread,
    because the programs of writes, which may run on a thread of the database, read as well;
    therefore the caches of compiled plans are filled under a lock.
    """

    def __init__(
        self,
        schema: Schema,
        tables: TableMap,
        dialect: Dialect,
        limits: ReadLimits,
        *,
        default_locale: str | None,
        plans: int = PLANS,
        presented: ValueSerializers = NO_SERIALIZERS,
        counter: CacheCounter | None = None,
    ) -> None:
        """``limits`` are those of one read; ``plans`` is the size of each cache.

        ``presented`` has functions that convert stored values of attributes for responses.
        ``counter`` counts lookups of prepared reads for the metrics.
        """
        self.schema = schema
        self.tables = tables
        self.limits = limits
        self.default_locale = default_locale
        self._dialect = dialect
        self._presented = presented
        self._prepared: BoundedCache[_Key, PreparedRead] = BoundedCache(plans)
        self._counter = counter or CacheCounter()
        self._counter.entries = self._prepared.__len__
        self._rule_actions: BoundedCache[tuple[str, Mode, bytes, Ability], frozenset[str]]
        self._rule_actions = BoundedCache(plans)
        self._constant_reads: BoundedCache[Hashable, ResolvedRead] = BoundedCache(plans)
        self._compiled: BoundedCache[ReadPlan, CompiledRead] = BoundedCache(plans)
        self._compiled_counts: BoundedCache[tuple[ReadPlan, Filter], CompiledQuery]
        self._compiled_counts = BoundedCache(plans)
        self._compiled_lock = Lock()
        self._compilations = 0
        """How many large plans are being compiled or waiting for it."""

    def adopt_default_locale(self, code: str | None) -> None:
        """Change the default locale, and drop prepared reads: they contain the former one."""
        self.default_locale = code
        self._prepared.clear()

    # Queries of requests ---------------------------------------------------------------------

    async def prepare(
        self,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
        may_wait: bool = True,
    ) -> PreparedRead:
        """Prepare a query, or return the cached result; large plans are compiled on a thread.

        With ``computes`` it may ask for computed fields, which the caller adds to what is read.
        Raises the query's first error as an AppError, ServiceUnavailableError when too many large
        plans wait to be compiled, and WouldBlockError for a large plan where ``may_wait`` is false.
        """
        key = _cache_key(content_type, mode, query, ability, computes=computes)
        prepared = self._cached_read(key)
        if prepared is None:
            default_locale = self.default_locale
            resolved = self._resolve(content_type, mode, query, ability, computes=computes)
            if self._is_large(resolved.plan):
                if not may_wait:
                    raise WouldBlockError
                await self._compile_on_thread(resolved.plan)
            prepared = self.planned(resolved)
            if not prepared.compiled.may_wait:
                self._cache_rule_actions(key, ability, resolved.rule_actions)
            # The default locale may have changed during the compilation. Then the cache was
            # cleared, and this read is for the former one.
            if self.default_locale == default_locale:
                self._cache_read(key, prepared)
        return prepared

    def rule_actions(
        self, content_type: ContentType, mode: Mode, query: bytes, ability: Ability
    ) -> frozenset[str] | None:
        """Return the actions whose rules a query depends on, for an ability without any.

        The names are those of permissions. ``None`` means that they are unknown: the query has not
        been prepared yet for that ability, narrowed by all rules.
        """
        return self._rule_actions.get((content_type.uid, mode, query, ability))

    def _cache_rule_actions(
        self, key: _Key | None, ability: Ability, actions: frozenset[str]
    ) -> None:
        """Cache the actions of `rule_actions`.

        They do not depend on the results of rules: a plan is narrowed by rules and never chosen by
        them. Nor do computed fields add any, as they need fields of their own document; except
        those with ``batch=True``, whose functions may read any type as the caller. A response with
        such a field depends on all rules.
        """
        if key is None or len(key[2]) > _MAX_CACHED_QUERY:
            return
        if isinstance(ability, NarrowedAbility) and ability.project_rules.actions is None:
            self._rule_actions[*key[:3], ability.granted] = actions

    def prepare_small(
        self, content_type: ContentType, mode: Mode, query: Query, ability: Ability
    ) -> PreparedRead:
        """Prepare a query that is known to be small, always in the event loop; see `prepare`."""
        key = _cache_key(content_type, mode, query, ability, computes=False)
        prepared = self._cached_read(key)
        if prepared is None:
            prepared = self.planned(self._resolve(content_type, mode, query, ability))
            self._cache_read(key, prepared)
        return prepared

    def _cached_read(self, key: _Key | None) -> PreparedRead | None:
        if key is None:
            return None
        prepared_read = self._prepared.get(key)
        if prepared_read is None:
            self._counter.misses += 1
        else:
            self._counter.hits += 1
        return prepared_read

    def _cache_read(self, key: _Key | None, prepared: PreparedRead) -> None:
        if key is not None and not prepared.volatile and len(key[2]) <= _MAX_CACHED_QUERY:
            self._prepared[key] = prepared

    def _resolve(
        self,
        content_type: ContentType,
        mode: Mode,
        query: Query,
        ability: Ability,
        *,
        computes: bool = False,
    ) -> ResolvedRead:
        resolver = self._resolver(content_type, ability, computes=computes)
        return _RESOLVE[mode](resolver, read_query(query) if isinstance(query, bytes) else query)

    def _resolver(
        self, content_type: ContentType, ability: Ability, *, computes: bool = False
    ) -> Resolver:
        return Resolver(
            schema=self.schema,
            content_type=content_type,
            ability=ability,
            limits=self.limits,
            default_locale=self.default_locale,
            computes=computes,
        )

    # Reads by the server itself --------------------------------------------------------------

    def page(self, query: DocumentQuery) -> PreparedRead:
        """Plan the read of a page of documents.

        Raises the first error of the query as an AppError.
        """
        action = COUNT if query.counts else FIND
        return self.planned(self._resolver_of(query).list(_parameters_of(query), action))

    def document(self, query: DocumentQuery, document_id: str | None) -> PreparedRead:
        """Plan the read of one document, that of a single type for ``None``.

        Raises the first error of the query as an AppError.
        """
        resolver, parameters = self._resolver_of(query), _parameters_of(query)
        if document_id is None:
            return self.planned(resolver.single(parameters))
        return self.planned(resolver.document(parameters, document_id))

    def documents(self, query: DocumentQuery, document_ids: Sequence[str]) -> PreparedRead:
        """Plan the read of any number of documents, in any order. Raises as `page` does."""
        resolver, parameters = self._unlimited_resolver_of(query), _parameters_of(query)
        id_filter = as_query({"documentId": {"$in": document_ids}})
        return self.planned(resolver.window({**parameters, "filters": id_filter}))

    def counts(self, query: DocumentQuery, group: Mapping[str, object]) -> Program[dict[int, int]]:
        """Count documents by the values of a field, in one statement.

        ``group`` is a filter of `grouping_filter`. Returns counts by the positions of its values;
        values that no document has are missing. The number of values is not limited. Raises the
        first error of the query as an AppError.
        """
        resolved = self._unlimited_resolver_of(query).counts(_parameters_of(query), as_query(group))
        if isinstance(resolved.group, ConstantCondition):
            return {}
        compiled = self._compile_counts(resolved.read.plan, resolved.group)
        rows = yield Statement(compiled.sql, compiled.bind(resolved.read.values))
        return {int(position or 0): int(count or 0) for position, count in rows}

    def _unlimited_resolver_of(self, query: DocumentQuery) -> Resolver:
        """Return the resolver of a query whose filters may have any number of values."""
        return replace(self._resolver_of(query), limits=replace(self.limits, filter_values=None))

    def _resolver_of(self, query: DocumentQuery) -> Resolver:
        return Resolver(
            schema=self.schema,
            content_type=self.schema.content_types[query.uid],
            ability=query.ability,
            limits=self.limits,
            default_locale=self.default_locale,
            computes=query.computes,
            computes_by_default=False,
        )

    def entry(self, uid: str, entry_id: int, *, status: Status, populated: bool) -> PreparedRead:
        """Plan the read of one row.

        With ``populated`` it has its relations, files and components, and the components theirs.
        """
        resolved_read = self._resolved_entry(uid, status, populated=populated)
        values = [*resolved_read.values]
        if resolved_read.plan.entry is not None:
            values[resolved_read.plan.entry] = entry_id
        return self.planned(replace(resolved_read, values=tuple(values)))

    def entries(
        self, uid: str, entry_ids: Sequence[int], *, status: Status, populated: bool
    ) -> PreparedRead:
        """Plan the read of several rows as `entry` does, in no particular order."""
        resolved_read = self._resolved_entry(uid, status, populated=populated)
        condition = Comparison("id", Predicate.IN, (len(resolved_read.values),))
        plan = ReadPlan(root=replace(resolved_read.plan.root, filter=condition))
        ids: SlotValue = [*entry_ids]
        return self.planned(ResolvedRead(plan=plan, values=(*resolved_read.values, ids)))

    def written_entries(
        self, written: Sequence[WrittenEntry], *, populated: bool
    ) -> Program[dict[int, EntryJson]]:
        """Return rows of one type that were written, by their ids, as `entry` reads them."""
        entries_by_id: dict[int, EntryJson] = {}
        for published in dict.fromkeys(entry.published for entry in written):
            status: Status = "published" if published else "draft"
            uid = written[0].uid
            ids = [entry.entry_id for entry in written if entry.published == published]
            if len(ids) == 1:
                entry = yield from self.entry(
                    uid, ids[0], status=status, populated=populated
                ).first()
                if entry is not None:
                    entries_by_id[ids[0]] = entry
                continue
            for start in range(0, len(ids), _ENTRIES_AT_ONCE):
                batch = ids[start : start + _ENTRIES_AT_ONCE]
                read = self.entries(uid, batch, status=status, populated=populated)
                entries, _ = yield from read.entries()
                entries_by_id |= {entry["id"]: entry for entry in entries}
        return entries_by_id

    def _resolved_entry(self, uid: str, status: Status, *, populated: bool) -> ResolvedRead:
        key = (uid, status, populated)
        resolved_read = self._constant_reads.get(key)
        if resolved_read is None:
            content_type = self.schema.content_types[uid]
            populate = _populate_components(self.schema, content_type) if populated else None
            query: dict[str, QueryValue] = {"status": status, "populate": populate}
            # Limits are for requests: the content type alone decides what is read here.
            limits = replace(self.limits, populate_depth=None, populate_nodes=None)
            resolver = replace(self._resolver(content_type, FullAccess()), limits=limits)
            resolved_read = self._constant_reads[key] = resolver.resolve_write(query)
        return resolved_read

    def rows_matching(self, uid: str, document_id: str, rule: str) -> Program[frozenset[int]]:
        """Return the rows of a document, of every version and locale, that satisfy a bound rule."""
        slots = Slots()
        condition = self._bound_filter(uid, rule, slots)
        return (yield from self._read_ids(uid, condition, slots, slots.add(document_id)))

    def rows_matching_among(
        self, uid: str, ids: Collection[int], rule: str
    ) -> Program[frozenset[int]]:
        """Return the rows, out of some rows of a type, that satisfy a bound rule."""
        slots = Slots()
        id_filter = msgspec.json.encode({"id": {"$in": sorted(ids)}}).decode()
        parts = (self._bound_filter(uid, rule, slots), self._bound_filter(uid, id_filter, slots))
        return (
            yield from self._read_ids(uid, Junction(conjunction=True, parts=parts), slots, None)
        )

    def _bound_filter(self, uid: str, rule: str, slots: Slots) -> Filter:
        return rule_filter(rule, self.schema.content_types[uid], self.schema, self.limits, slots)

    def _read_ids(
        self, uid: str, condition: Filter, slots: Slots, document: int | None
    ) -> Program[frozenset[int]]:
        root = PlanNode(uid=uid, fields=("id",), filter=condition)
        plan = ReadPlan(root=root, document=document)
        read = self.planned(ResolvedRead(plan=plan, values=tuple(slots.values)))
        entries, _ = yield from read.entries()
        return frozenset(int(entry["id"]) for entry in entries)

    def planned_once(
        self, key: Hashable, values: Values, plan: Callable[[], ReadPlan]
    ) -> PreparedRead:
        """Plan a read whose plan is constant for a key; only its values differ."""
        resolved_read = self._constant_reads.get(key)
        if resolved_read is None:
            resolved_read = self._constant_reads[key] = ResolvedRead(plan=plan(), values=())
        return self.planned(replace(resolved_read, values=values))

    def planned(self, resolved: ResolvedRead) -> PreparedRead:
        """Compile and bind a resolved read.

        Raises ValidationError for a value that the database cannot take.
        """
        return bind_read(self._compile(resolved.plan), resolved, self.limits)

    # Statements of plans ---------------------------------------------------------------------

    def _is_large(self, plan: ReadPlan) -> bool:
        """Tell whether a plan is not compiled yet and takes long to compile."""
        return plan not in self._compiled and plan_size(plan) > _LARGE_PLAN

    async def _compile_on_thread(self, plan: ReadPlan) -> None:
        """Compile a large plan off the event loop.

        Raises ServiceUnavailableError when too many others wait to be compiled.
        """
        if self._compilations >= _MAX_COMPILATIONS:
            raise ServiceUnavailableError(TOO_MANY_QUERIES)
        self._compilations += 1
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(_compile_executor, self._compile, plan)
        finally:
            self._compilations -= 1

    def _compile(self, plan: ReadPlan) -> CompiledRead:
        compiled_read = self._compiled.get(plan)
        if compiled_read is None:
            compiled_read = compile_read(
                plan, self.schema, self.tables, self._dialect, self._presented
            )
            with self._compiled_lock:
                self._compiled[plan] = compiled_read
        return compiled_read

    def _compile_counts(self, plan: ReadPlan, group: Filter) -> CompiledQuery:
        key = plan, group
        compiled_query = self._compiled_counts.get(key)
        if compiled_query is None:
            compiled_query = compile_grouped_counts(
                plan, group, self.schema, self.tables, self._dialect
            )
            with self._compiled_lock:
                self._compiled_counts[key] = compiled_query
        return compiled_query


def _cache_key(
    content_type: ContentType, mode: Mode, query: Query, ability: Ability, *, computes: bool
) -> _Key | None:
    """Return the cache key of a raw query; ``None`` for a parsed one, which is not cached."""
    if isinstance(query, bytes):
        return content_type.uid, mode, query, ability, computes
    return None


def _parameters_of(query: DocumentQuery) -> Mapping[str, QueryValue]:
    """Return the parameters of a query as a parsed query string."""
    return {name: as_query(value) for name, value in query.parameters().items()}


_RESOLVE: Mapping[Mode, Callable[[Resolver, dict[str, QueryValue]], ResolvedRead]] = {
    "list": lambda resolver, query: resolver.list(query),
    "document": lambda resolver, query: resolver.document(query, _ANY_DOCUMENT),
    "single": lambda resolver, query: resolver.single(query),
    "entry": lambda resolver, query: resolver.entry(query, _ANY_ENTRY),
    "window": lambda resolver, query: resolver.window(query),
    "first": lambda resolver, query: resolver.first(query),
    "rows": lambda resolver, query: resolver.rows(query),
    "first row": lambda resolver, query: resolver.first(query, of_any_version=True),
    "populated": lambda resolver, query: resolver.entry(
        {"populate": query.get("populate")}, _ANY_ENTRY
    ),
    "count": lambda resolver, query: resolver.window(query, count=True),
    "written": lambda resolver, query: resolver.resolve_write(query),
    "removed": lambda resolver, query: resolver.removed(query, _ANY_DOCUMENT),
}
"""How the queries of each mode are resolved."""


def _populate_components(
    schema: Schema, model: Model, parents: frozenset[str] = frozenset()
) -> dict[str, QueryValue]:
    """Return a ``populate`` of everything that belongs to an entry, and of related entries.

    Related entries and files are populated one level deep, components completely. Other locales of
    the document are no part of an entry. A component within itself is not followed again.
    """
    populate: dict[str, QueryValue] = {}
    for attribute in model.attributes.values():
        if isinstance(attribute, ScalarAttribute | LocalizationsAttribute) or attribute.private:
            continue
        if isinstance(attribute, DynamicZoneAttribute):
            fragments = {uid: _component(schema, uid, parents) for uid in attribute.components}
            populate[attribute.name] = {"on": {**fragments}}
        elif isinstance(attribute, ComponentAttribute):
            populate[attribute.name] = _component(schema, attribute.component, parents)
        else:
            populate[attribute.name] = "true"
    return populate


def _component(schema: Schema, uid: str, parents: frozenset[str]) -> QueryValue:
    if uid in parents:
        return "true"
    inner = _populate_components(schema, schema.components[uid], parents | {uid})
    return {"populate": inner} if inner else "true"
