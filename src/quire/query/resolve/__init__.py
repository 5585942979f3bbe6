"""Resolves parsed parameters against schema and ability to a read plan.

The methods of `Resolver` take the parsed query of a request and return a plan with the values bound
to it, or raise the first error in Strapi's order. After this nothing is raw any more: names are
attributes, operands have their types, and what the caller may not read is either an error or
absent. The database layer checks no permissions.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quire.access.ability import Ability
from quire.errors import AppError, InvalidKeyError, ValidationError
from quire.query.plan import (
    ConstantCondition,
    Filter,
    LocaleScope,
    PlanNode,
    ReadPlan,
    follows_relation,
    with_sorted_fields,
)
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import CheckStage, Findings, Param
from quire.query.resolve.fields import resolve_fields, with_needs
from quire.query.resolve.filters import resolve_filters, resolve_search
from quire.query.resolve.pagination import (
    MAX_ROW,
    Pagination,
    resolve_pagination,
    root_window,
)
from quire.query.resolve.populate import PopulatedVersions, resolve_populate
from quire.query.resolve.row_rules import (
    COUNT,
    FIND,
    FIND_ONE,
    narrow_filter,
    narrow_root,
)
from quire.query.resolve.scope import ReadLimits, Scope, Slots, SlotValue
from quire.query.resolve.sort import resolve_sort
from quire.query.resolve.status_and_locale import (
    LocaleChoice,
    resolve_locale,
    resolve_publication,
    resolve_status,
    resolve_status_of_uses,
)
from quire.schema.attributes.base import (
    Attribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
    StorageKind,
)
from quire.schema.model import FILE_UID, ContentType, Schema

__all__ = [
    "Pagination",
    "ReadLimits",
    "ResolvedCounts",
    "ResolvedRead",
    "Resolver",
    "SlotValue",
    "grouping_filter",
]

STRICT_KEYS = frozenset(
    {
        "filters",
        "sort",
        "fields",
        "populate",
        "status",
        "locale",
        "page",
        "pageSize",
        "start",
        "limit",
        "_q",
        "publicationFilter",
        "hasPublishedVersion",
        "pagination",
        "count",
        "ordering",
    }
)
"""Root parameters that strict mode allows."""

ALL_ROWS = MAX_ROW
"""A limit that no list reaches."""

Query = Mapping[str, QueryValue]


class ResolvedRead(Struct, frozen=True, kw_only=True):
    """A plan, the values of its slots, and its pagination.

    ``pagination`` is ``None`` for single documents and lists without pages. A ``volatile`` read
    depends on the time, and must not be cached. ``rule_actions`` are those of a narrowed ability:
    see `Slots`.
    """

    plan: ReadPlan
    values: tuple[SlotValue, ...]
    pagination: Pagination | None = None
    volatile: bool = False
    rule_actions: frozenset[str] = frozenset()


class ResolvedCounts(Struct, frozen=True, kw_only=True):
    """A read whose rows are counted for each of some values.

    ``group`` compares them, or their related rows, with the values, which are a list in a slot.
    """

    read: ResolvedRead
    group: Filter


class Resolver(Struct, frozen=True, kw_only=True):
    """Resolves the queries of one content type for one ability.

    With ``computes`` they may ask for computed fields; some are shown where no fields are named, if
    ``computes_by_default``.
    """

    schema: Schema
    content_type: ContentType
    ability: Ability
    limits: ReadLimits
    default_locale: str | None
    computes: bool = False
    computes_by_default: bool = True

    def list(self, query: Query, action: str = FIND) -> ResolvedRead:
        """Resolve a request for a page of documents, or with `COUNT` for their number."""
        scope = self._scope()
        plan = self._resolve_parameters(query, scope)
        page_scope = scope.for_parameter(Param.PAGINATION, "pagination")
        pagination = resolve_pagination(query, page_scope)
        return self._finish(
            plan,
            scope,
            pagination=pagination,
            limit=pagination.limit,
            start=pagination.start,
            count=pagination.with_count,
            action=action,
        )

    def counts(self, query: Query, group: QueryValue) -> ResolvedCounts:
        """Resolve a request for the numbers of rows with each value of a `grouping_filter`."""
        scope = self._scope()
        plan = self._resolve_parameters(query, scope)
        group_filter = resolve_filters(group, self.content_type, scope)
        if group_filter is not None:
            group_filter = narrow_filter(group_filter, self.content_type, scope)
        read = self._finish(plan, scope, limit=None, start=0, count=True, action=COUNT)
        return ResolvedCounts(read=read, group=group_filter or ConstantCondition(holds=False))

    def document(self, query: Query, document_id: str) -> ResolvedRead:
        """Resolve a request for one document."""
        return self._single_row(query, document_id=document_id)

    def single(self, query: Query) -> ResolvedRead:
        """Resolve a request for the document of a single type."""
        return self._single_row(query, action=FIND)

    def entry(self, query: Query, entry_id: int) -> ResolvedRead:
        """Resolve a request for one row by its numeric id (end users, files)."""
        return self._single_row(query, entry_id=entry_id)

    def resolve_write(self, query: Query) -> ResolvedRead:
        """Resolve the query of a write, whose response is the written row.

        Filters, order and search are checked, as Strapi does, and then have no effect: the row is
        found by its id.
        """
        scope = self._scope()
        plan = self._resolve_parameters(query, scope)
        self._check_written_locale(query, scope)
        plan = replace(
            plan,
            root=replace(plan.root, filter=None, sort=(), publication=None),
            search=None,
            locale=LocaleScope.IGNORED,
            locale_slot=None,
            entry=scope.slots.add(0),
        )
        return self._finish(plan, scope, limit=1, start=0)

    def removed(self, query: Query, document_id: str) -> ResolvedRead:
        """Resolve the query of a DELETE, which Strapi applies: to the ids of the rows to delete."""
        scope = self._scope()
        query = self._without_document_filter(query, scope)
        plan = self._resolve_parameters(query, scope)
        root = PlanNode(uid=plan.root.uid, fields=("id",), filter=plan.root.filter)
        plan = replace(plan, root=root, document=scope.slots.add(document_id))
        start, _ = self._window(query, scope)
        return self._finish(plan, scope, limit=None, start=start)

    def _window(self, query: Query, scope: Scope) -> tuple[int, int | None]:
        """Parse root ``start`` and ``limit``. Errors are recorded, and a window of all returned."""
        try:
            return root_window(query)
        except AppError as error:
            scope.for_parameter(Param.PAGINATION, "pagination").report_unconvertible(error)
            return 0, None

    def window(self, query: Query, *, count: bool = False) -> ResolvedRead:
        """Resolve a request for rows without pages: root ``start`` and ``limit`` (end users)."""
        return self._entries(query, COUNT if count else FIND, count=count)

    def first(self, query: Query, *, of_any_version: bool = False) -> ResolvedRead:
        """Resolve a request for the first matching entry (code of a project)."""
        return self._entries(query, FIND_ONE, max_rows=1, of_any_version=of_any_version)

    def rows(self, query: Query) -> ResolvedRead:
        """Resolve a request for rows of any version (code of a project)."""
        return self._entries(query, FIND, of_any_version=True)

    def _entries(
        self,
        query: Query,
        action: str,
        *,
        max_rows: int | None = None,
        of_any_version: bool = False,
        count: bool = False,
    ) -> ResolvedRead:
        scope = self._scope()
        plan = self._resolve_parameters(query, scope)
        start, limit = self._window(query, scope)
        if of_any_version:
            plan = replace(plan, root=_without_versions(plan.root))
        limit = max_rows or limit
        return self._finish(plan, scope, limit=limit, start=start, count=count, action=action)

    def _single_row(
        self,
        query: Query,
        *,
        document_id: str | None = None,
        entry_id: int | None = None,
        action: str = FIND_ONE,
    ) -> ResolvedRead:
        scope = self._scope()
        if document_id is not None:
            query = self._without_document_filter(query, scope)
        plan = self._resolve_parameters(query, scope)
        self._check_one_locale(query, scope)
        start, _ = self._window(query, scope)
        # Strapi compares the column with "*" where it reads one document, and finds none.
        if query.get("locale") == "*" and plan.locale is LocaleScope.ALL:
            plan = replace(plan, locale=LocaleScope.SOME, locale_slot=scope.slots.add([]))
        if document_id is not None:
            plan = replace(plan, document=scope.slots.add(document_id))
        if entry_id is not None:
            plan = replace(plan, entry=scope.slots.add(entry_id))
        return self._finish(plan, scope, limit=1, start=start, action=action)

    def _without_document_filter(self, query: Query, scope: Scope) -> Query:
        """Leave out a filter by document id: the id of the path replaces it, but not its errors."""
        filters = query.get("filters")
        if not isinstance(filters, dict) or "documentId" not in filters:
            return query
        resolve_filters({"documentId": filters["documentId"]}, self.content_type, scope)
        other_filters = {name: value for name, value in filters.items() if name != "documentId"}
        return {**query, "filters": other_filters}

    def _check_one_locale(self, query: Query, scope: Scope) -> None:
        """Record an error for several locales where one document is asked for."""
        locale = query.get("locale")
        if self.content_type.localized and isinstance(locale, list | dict):
            self._report_locale(locale, scope)

    def _check_written_locale(self, query: Query, scope: Scope) -> None:
        """Record an error for anything but one locale where an entry is written."""
        locale = query.get("locale")
        if self.content_type.localized and (locale == "*" or isinstance(locale, list | dict)):
            self._report_locale(locale, scope)

    def _report_locale(self, value: QueryValue, scope: Scope) -> None:
        text = value if isinstance(value, str) else "[object Object]"
        if isinstance(value, list):
            text = ",".join(item for item in value if isinstance(item, str))
        message = f"Invalid locale param {text} provided. Document locales must be strings."
        scope.findings.add((CheckStage.VERSIONS, Param.LOCALE), ValidationError(message))

    def _scope(self) -> Scope:
        return Scope(
            schema=self.schema,
            ability=self.ability,
            limits=self.limits,
            findings=Findings(),
            slots=Slots(),
            param=Param.FILTERS,
            name="filters",
            computes=self.computes,
            computes_by_default=self.computes_by_default,
        )

    def _resolve_parameters(self, query: Query, scope: Scope) -> ReadPlan:
        """Resolve all parameters but pagination.

        The order of the checks matters only for errors of equal rank (`Findings`).
        """
        model = self.content_type
        publication = resolve_publication(query, model, scope)
        self._check_keys(query, scope)
        status = resolve_status(query)
        filters = resolve_filters(query.get("filters"), model, scope)
        sort = resolve_sort(query.get("sort"), model, scope.for_parameter(Param.SORT, "sort"))
        fields = resolve_fields(
            query.get("fields"), model, scope.for_parameter(Param.FIELDS, "fields")
        )
        populate_scope = scope.for_parameter(Param.POPULATE, "populate")
        has_drafts = model.draft_and_publish
        is_file = model.uid == FILE_UID
        versions = PopulatedVersions(
            resolve_status_of_uses(query) if is_file else status, publication
        )
        edges = resolve_populate(query.get("populate"), model, populate_scope, versions)
        search = resolve_search(query.get("_q"), model, scope.for_parameter(Param.SEARCH, "_q"))
        locale = self._locale(query, scope)
        root = PlanNode(
            uid=model.uid,
            fields=with_sorted_fields(fields, sort) if follows_relation(filters) else fields,
            edges=edges,
            filter=filters,
            sort=sort,
            status=status if has_drafts else None,
            publication=publication if has_drafts else None,
        )
        return ReadPlan(
            root=root,
            search=search,
            locale=locale.scope,
            locale_slot=locale.slot,
            published_only=self.limits.drafts_need_token and status == "published",
        )

    def _locale(self, query: Query, scope: Scope) -> LocaleChoice:
        locale_scope = scope.for_parameter(Param.LOCALE, "locale")
        filters = query.get("filters")
        if isinstance(filters, dict) and "locale" in filters and self.content_type.localized:
            # A filter by locale replaces the parameter.
            return LocaleChoice(LocaleScope.ALL)
        return resolve_locale(
            query.get("locale"), self.content_type, self.default_locale, locale_scope
        )

    def _check_keys(self, query: Query, scope: Scope) -> None:
        if not self.content_type.is_api:
            return
        if query.get("lookup"):
            error = ValidationError("Invalid params: 'lookup'")
            scope.findings.add((CheckStage.VERSIONS, Param.PUBLICATION), error)
        if not self.limits.strict_params:
            return
        for key in query:
            if key not in STRICT_KEYS:
                unknown = InvalidKeyError(key, None, source="query", param=key)
                scope.findings.add((CheckStage.KEYS, Param.STRICT), unknown)

    def _finish(
        self,
        plan: ReadPlan,
        scope: Scope,
        *,
        limit: int | None,
        start: int,
        count: bool = False,
        pagination: Pagination | None = None,
        action: str | None = None,
    ) -> ResolvedRead:
        scope.findings.raise_first()
        root = with_needs(plan.root, scope.computed) if scope.computed else plan.root
        plan = replace(plan, root=narrow_root(root, scope, action), count=count)
        if limit is not None or start:
            plan = replace(
                plan,
                limit=scope.slots.add(ALL_ROWS if limit is None else limit),
                offset=scope.slots.add(start),
            )
        return ResolvedRead(
            plan=plan,
            values=tuple(scope.slots.values),
            pagination=pagination,
            volatile=scope.slots.volatile,
            rule_actions=frozenset(scope.slots.rule_actions),
        )


def grouping_filter(attribute: Attribute, values: Sequence[object]) -> dict[str, object]:
    """Return the filter for rows with one of some values of an attribute.

    Targets of relations and media are compared by their document ids. Raises ValueError for an
    attribute of any other kind without a column.
    """
    condition = {"$in": values}
    match attribute:
        case ScalarAttribute(storage=storage) if storage is not StorageKind.JSON:
            return {attribute.name: condition}
        case RelationAttribute(target=str()) | MediaAttribute():
            return {attribute.name: {"documentId": condition}}
        case _:
            message = f"documents are not counted by {attribute.name}: it is {attribute.type.name}"
            raise ValueError(message)


def _without_versions(node: PlanNode) -> PlanNode:
    """Return a node without versions: drafts and published entries together."""
    edges = tuple(
        replace(
            edge,
            nodes=tuple(map(_without_versions, edge.nodes)),
            unlisted=tuple(map(_without_versions, edge.unlisted)),
        )
        for edge in node.edges
    )
    return replace(node, status=None, publication=None, edges=edges)
