"""Reads for code inside the server, with the query language of the content API.

Queries are resolved, planned, compiled and run as those of the content API are. What is read are
plain dictionaries in the form of its answers.
"""

from collections.abc import Callable, Collection, Hashable, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from quire.access.ability import Ability, FullAccess
from quire.database.compile.compiled_read import CompiledRead
from quire.database.compile.statements import Values
from quire.database.entries.store import EntryStore
from quire.database.execute.encoding import encode_list
from quire.database.execute.plan_cache import CompiledPlans
from quire.database.execute.reader import BoundRead, ListFacts, bind_read, read_program
from quire.database.execute.response_budget import ResponseBudget
from quire.database.lru import BoundedCache
from quire.database.program import Program
from quire.query.parameters import as_query
from quire.query.plan import Filter, Junction, PlanNode, ReadPlan, Status
from quire.query.querystring import QueryValue
from quire.query.resolve import Pagination, ReadLimits, ResolvedRead, Resolver
from quire.query.resolve.row_rules import COUNT, FIND, rule_filter
from quire.query.resolve.scope import Slots

Shown = dict[str, Any]
"""An entry as the content API shows it, by attribute."""

Query = Mapping[str, QueryValue]

_PLANS = 1000
_ANY_ENTRY = 0


class Find(Struct, frozen=True, kw_only=True):
    """What is to be read of a content type, in the query language of the wire with Python values.

    ``filters``, ``sort``, ``fields``, ``populate`` and ``pagination`` are as on the wire; a
    ``locale`` of ``None`` is the default one, ``"*"`` every one. Nothing is shown, nor filtered or
    sorted by, that ``ability`` does not reach. With ``counts`` the number of what is found is all
    that is wanted, so that rules on counting hold, too.
    """

    uid: str
    filters: Mapping[str, object] | None = None
    sort: object = None
    fields: object = None
    populate: object = None
    pagination: Mapping[str, object] = field(default_factory=dict)
    status: Status = "published"
    locale: str | list[str] | None = None
    ability: Ability = field(default_factory=FullAccess)
    counts: bool = False


class Page(Struct, frozen=True, kw_only=True):
    """Some of the documents that were found, and what ``meta.pagination`` says of them."""

    documents: list[Shown]
    pagination: dict[str, int]


class PlannedRead(Struct, frozen=True, kw_only=True, eq=False):
    """A read with its values, ready to run in or out of a transaction."""

    store: EntryStore
    bound: BoundRead
    key: Hashable
    pagination: Pagination | None

    def entries(
        self, facts: ListFacts | None = None, budget: ResponseBudget | None = None
    ) -> Program[tuple[list[Shown], int | None]]:
        """Return what is found, and how much there is in all if that was asked for.

        It goes by ``facts``, and adds what is not among them. Raises ValidationError when the
        ``budget`` is exceeded; without one, rows alone are bounded.
        """
        budget = budget or ResponseBudget(self.bound.rows)
        dialect = self.store.dialect
        items, total = yield from read_program(self.bound, dialect, facts or ListFacts(), budget)
        text = yield from encode_list(self.bound.compiled.node, items, budget)
        return msgspec.json.decode(text), total

    def page(self) -> Program[Page]:
        """Return what is found, as a page. Raises ValidationError as `entries` does."""
        if self.pagination is None:
            raise TypeError("this read has no pages")
        entries, total = yield from self.entries()
        return Page(documents=entries, pagination=self.pagination.meta(total))

    def first(self, budget: ResponseBudget | None = None) -> Program[Shown | None]:
        """Return the one entry that is found, if any. Raises ValidationError as `entries` does."""
        entries, _ = yield from self.entries(budget=budget)
        return entries[0] if entries else None


class Reads:
    """Plans reads of one schema in one database."""

    def __init__(self, store: EntryStore, limits: ReadLimits, default_locale: str | None) -> None:
        """``limits`` bound what one read may ask for."""
        self._store = store
        self._limits = limits
        self._default_locale = default_locale
        self._plans = CompiledPlans(store.schema, store.tables, store.dialect, _PLANS)
        self._entries: BoundedCache[Hashable, tuple[ResolvedRead, CompiledRead]] = BoundedCache(
            _PLANS
        )

    def page(self, find: Find) -> PlannedRead:
        """Plan the read of a page of documents. Raises the query's first fault as an AppError."""
        action = COUNT if find.counts else FIND
        return self.planned(self._resolver(find.uid, find.ability).list(_query_of(find), action))

    def one(self, find: Find, document_id: str | None) -> PlannedRead:
        """Plan the read of one document, that of a single type for ``None``.

        Raises the query's first fault as an AppError.
        """
        resolver, query = self._resolver(find.uid, find.ability), _query_of(find)
        if document_id is None:
            return self.planned(resolver.single(query))
        return self.planned(resolver.document(query, document_id))

    def entry(self, uid: str, entry_id: int, *, status: Status, populated: bool) -> PlannedRead:
        """Plan the read of one row; ``populated`` shows what lies one level below it, too."""
        key = (uid, status, populated)
        known = self._entries.get(key)
        if known is None:
            query: Query = {"status": status, "populate": "*" if populated else None}
            resolved = self._resolver(uid, FullAccess()).written(query)
            known = self._entries[key] = resolved, self._plans.compiled(resolved.plan)
        resolved, compiled = known
        values = [*resolved.values]
        if resolved.plan.entry is not None:
            values[resolved.plan.entry] = entry_id
        return self._bound(replace(resolved, values=tuple(values)), compiled)

    def kept(self, uid: str, document_id: str, rule: str) -> Program[frozenset[int]]:
        """Return the rows of a document, of every version and locale, that keep a bound rule."""
        slots = Slots()
        chosen = self._rule(uid, rule, slots)
        return (yield from self._ids(uid, chosen, slots, slots.add(document_id)))

    def kept_among(self, uid: str, ids: Collection[int], rule: str) -> Program[frozenset[int]]:
        """Return those of some rows of a type that keep a bound rule."""
        slots = Slots()
        among = msgspec.json.encode({"id": {"$in": sorted(ids)}}).decode()
        parts = (self._rule(uid, rule, slots), self._rule(uid, among, slots))
        return (yield from self._ids(uid, Junction(every=True, parts=parts), slots, None))

    def _rule(self, uid: str, rule: str, slots: Slots) -> Filter:
        schema = self._store.schema
        return rule_filter(rule, schema.content_types[uid], schema, self._limits, slots)

    def _ids(
        self, uid: str, chosen: Filter, slots: Slots, document: int | None
    ) -> Program[frozenset[int]]:
        root = PlanNode(uid=uid, fields=("id",), filter=chosen)
        plan = ReadPlan(root=root, document=document)
        read = self.planned(ResolvedRead(plan=plan, values=tuple(slots.values)))
        entries, _ = yield from read.entries()
        return frozenset(int(entry["id"]) for entry in entries)

    def _resolver(self, uid: str, ability: Ability) -> Resolver:
        return Resolver(
            schema=self._store.schema,
            content_type=self._store.schema.content_types[uid],
            ability=ability,
            limits=self._limits,
            default_locale=self._default_locale,
        )

    def planned(self, resolved: ResolvedRead) -> PlannedRead:
        """Plan a read that others have resolved."""
        return self._bound(resolved, self._plans.compiled(resolved.plan))

    def planned_once(
        self, key: Hashable, values: Values, plan: Callable[[], ReadPlan]
    ) -> PlannedRead:
        """Plan a read whose plan is always the same under a key; only its values differ."""
        known = self._entries.get(key)
        if known is None:
            resolved = ResolvedRead(plan=plan(), values=())
            known = self._entries[key] = resolved, self._plans.compiled(resolved.plan)
        resolved, compiled = known
        return self._bound(replace(resolved, values=values), compiled)

    def _bound(self, resolved: ResolvedRead, compiled: CompiledRead) -> PlannedRead:
        return PlannedRead(
            store=self._store,
            bound=bind_read(compiled, resolved.values, self._limits.rows),
            key=compiled,
            pagination=resolved.pagination,
        )


def _query_of(find: Find) -> Query:
    """Return a request as a query string would have said it."""
    asked: dict[str, object] = {
        "filters": find.filters,
        "sort": find.sort,
        "fields": find.fields,
        "populate": find.populate,
        "pagination": find.pagination,
        "status": find.status,
        "locale": find.locale,
    }
    return {name: as_query(value) for name, value in asked.items() if value is not None}
