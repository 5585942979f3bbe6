"""Builds read plans: lists, forms, versions of documents.

A list returns ``columns``, in addition to what every entry shows, or ``fields`` as in the content
API: all scalars that the list reads; others are not shown, and rules cannot check them either.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quire.access.ability import NO_PROJECT_RULES
from quire.access.admin_ability import AdminAbility, GrantRule
from quire.content_manager.permissions import TypePermissions, covers
from quire.content_manager.plan_nodes import CREATORS, Nodes
from quire.content_manager.query_scope import ManagedScope, is_hidden
from quire.content_manager.status_and_locale import (
    ANY_STATUS,
    EVERY_LOCALE,
    Query,
    RequestedVersion,
    StatusOptions,
    missing_locale_of,
)
from quire.database.execute.prepared_read import PreparedRead
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ForbiddenError, InvalidKeyError, ValidationError
from quire.query.filter_operators import Predicate
from quire.query.plan import (
    Comparison,
    Filter,
    Junction,
    LocaleScope,
    PlanEdge,
    PlanNode,
    PublicationFilter,
    ReadPlan,
    SortKey,
    Status,
)
from quire.query.python_parameters import as_query
from quire.query.resolve import ResolvedRead
from quire.query.resolve.errors import Findings, Param
from quire.query.resolve.filters import resolve_filters, resolve_search
from quire.query.resolve.pagination import Pagination, resolve_pagination
from quire.query.resolve.row_rules import COUNT, FIND, FIND_ONE, narrow_for_project
from quire.query.resolve.scope import Slots
from quire.query.resolve.sort import resolve_sort
from quire.query.resolve.status_and_locale import resolve_publication
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import ContentType

_NO_TEXTS = "Invalid fields parameter. Expected a string or an array of strings"


def requested_columns(query: Query) -> frozenset[str] | None:
    """Return the attributes that a list is restricted to, ``None`` for all of them."""
    return frozenset(_read_names(query, "columns")) or None


def requested_fields(query: Query) -> frozenset[str] | None:
    """Return the scalars that a list reads, ``None`` for all of them."""
    names = frozenset(_read_names(query, "fields"))
    reads_all = "*" in names or requested_columns(query) is not None
    return None if reads_all else names or None


def require_fields(query: Query, permissions: TypePermissions) -> None:
    """Check that fields are existing scalars, and that the caller may see them.

    Raises InvalidKeyError, and ValidationError for hidden ones.
    """
    names, content_type = list(_read_names(query, "fields")), permissions.content_type
    for name in names:
        attribute = content_type.attributes.get(name)
        if name != "*" and not isinstance(attribute, ScalarAttribute):
            error = InvalidKeyError(name, None if attribute is None else name, source="query")
            error.details = {"key": name, "path": None if attribute is None else name}
            raise error
    is_list = isinstance(query.get("fields"), list) or len(names) > 1
    visible = (_is_shown(permissions, name) for name in names if name != "*")
    if is_list and not all(visible):
        raise ValidationError(_NO_TEXTS)


def _is_shown(permissions: TypePermissions, name: str) -> bool:
    hidden = is_hidden(permissions.content_type, permissions.content_type.attributes[name])
    return not hidden and covers(permissions.rules(None), name)


def _read_names(query: Query, parameter: str) -> Iterator[str]:
    value = query.get(parameter)
    names = value.split(",") if isinstance(value, str) and value else value
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str):
            yield name.strip()


PAGE_SIZE, MAX_ROWS = 10, 1000
_BY_ID = (SortKey((), "id", descending=False),)
OTHER_VERSIONS = "localizations"
"""Where list entries contain the versions of their documents that are not on the page."""

VERSION_FIELDS = ("id", "documentId", "locale", "updatedAt", "publishedAt")


class Planner(Struct, frozen=True):
    """Plans reads for administrators in one database."""

    engine: WriteEngine

    def page(
        self,
        permissions: TypePermissions,
        query: Query,
        requested_version: RequestedVersion,
        status: StatusOptions = ANY_STATUS,
    ) -> PreparedRead:
        """Plan a page of a list. Raises the first error of the query as an AppError."""
        content_type = permissions.content_type
        scope = self.scope(permissions, requested_version.locales)
        publication = resolve_publication(query, content_type, scope)
        nodes = replace(
            self.nodes(permissions, requested_version),
            columns=requested_columns(query),
            fields=requested_fields(query),
            publication=publication,
            rows=populated_relations(query, content_type) | _filtered_by(query, content_type),
        )
        filters = resolve_filters(query.get("filters"), content_type, scope)
        sort = resolve_sort(
            query.get("sort"), content_type, scope.for_parameter(Param.SORT, "sort")
        )
        search = resolve_search(
            query.get("_q"), content_type, scope.for_parameter(Param.SEARCH, "_q")
        )
        pagination = pages_of(query, scope)
        list_node = nodes.list_node(content_type)
        has_drafts = content_type.draft_and_publish
        root = replace(
            list_node,
            edges=(*list_node.edges, *_other_versions(content_type)),
            filter=and_filters(
                filters, self.permission_filter(permissions, requested_version.locales, scope)
            ),
            sort=sort,
            status_order=status.order,
            status=requested_version.status if has_drafts else None,
            publication=(status.publication or publication) if has_drafts else None,
            missing_locale=_missing_locale(query, permissions, scope.slots),
        )
        scope.findings.raise_first()
        require_fields(query, permissions)
        locale, slot = locale_scope(content_type, requested_version, scope.slots)
        plan = ReadPlan(
            root=root,
            search=search,
            locale=locale,
            locale_slot=slot,
            limit=scope.slots.add(pagination.limit),
            offset=scope.slots.add(pagination.start),
            count=True,
            prefers_few_statements=True,
        )
        return self.planned(plan, scope.slots, permissions.ability, pagination=pagination)

    def count(
        self,
        permissions: TypePermissions,
        *,
        status: Status = "draft",
        locale: str | None = None,
        publication: PublicationFilter | None = None,
    ) -> PreparedRead:
        """Plan the count of the readable documents of a type, in a locale or in all."""
        content_type = permissions.content_type
        requested_version = RequestedVersion(status, locale)
        scope = self.scope(permissions, requested_version.locales)
        root = PlanNode(
            uid=content_type.uid,
            fields=("id",),
            filter=self.permission_filter(permissions, requested_version.locales, scope),
            status=status if content_type.draft_and_publish else None,
            publication=publication,
        )
        scope_of_locales, slot = locale_scope(content_type, requested_version, scope.slots)
        plan = ReadPlan(
            root=root,
            locale=scope_of_locales,
            locale_slot=slot,
            limit=scope.slots.add(1),
            offset=scope.slots.add(0),
            count=True,
            count_documents=True,
        )
        return self.planned(plan, scope.slots, permissions.ability, action=COUNT)

    def versions(
        self, ability: AdminAbility, content_type: ContentType, document_ids: Sequence[str]
    ) -> PreparedRead:
        """Plan the read of the facts of all versions of documents."""

        def plan() -> ReadPlan:
            condition = Comparison("documentId", Predicate.IN, (0,))
            root = PlanNode(uid=content_type.uid, fields=VERSION_FIELDS, filter=condition)
            return ReadPlan(root=root)

        if ability.project_rules != NO_PROJECT_RULES:
            slots = Slots()
            slots.add([*document_ids])
            return self.planned(plan(), slots, ability)
        key = ("versions", content_type.uid)
        return self.engine.reads.planned_once(key, ([*document_ids],), plan)

    def owned_versions(
        self, permissions: TypePermissions, document_ids: Sequence[str]
    ) -> PreparedRead:
        """Plan the read of all versions of documents with their creators."""
        slots = Slots()
        condition = Comparison("documentId", Predicate.IN, (slots.add([*document_ids]),))
        root = replace(self.version_node(permissions), filter=condition, sort=_BY_ID)
        return self.planned(ReadPlan(root=root), slots, permissions.ability)

    def versions_of(self, permissions: TypePermissions, document_id: str) -> PreparedRead:
        """Plan the read of all versions of a document, with shared attributes."""
        content_type, slots = permissions.content_type, Slots()
        shared = self.engine.store.layout(content_type.uid).shared
        plan = ReadPlan(
            root=self.shared_node(permissions, shared),
            document=slots.add(document_id),
            limit=slots.add(MAX_ROWS),
            offset=slots.add(0),
        )
        return self.planned(plan, slots, permissions.ability)

    def version_node(self, permissions: TypePermissions) -> PlanNode:
        """Return the node of facts of versions, with their creators."""
        return self.shared_node(permissions, frozenset())

    def shared_node(self, permissions: TypePermissions, shared: frozenset[str]) -> PlanNode:
        """Return the node of facts of a version, with shared attributes."""
        nodes = self.nodes(permissions, RequestedVersion("draft", EVERY_LOCALE))
        return nodes.version_node(permissions.content_type, shared)

    def localizations(
        self, permissions: TypePermissions, document_ids: Sequence[str]
    ) -> PreparedRead:
        """Plan the read of all versions of documents, with what can prevent publishing."""
        slots = Slots()
        nodes = self.nodes(permissions, RequestedVersion("draft", EVERY_LOCALE))
        condition = Comparison("documentId", Predicate.IN, (slots.add([*document_ids]),))
        root = replace(
            nodes.localization_node(permissions.content_type), filter=condition, sort=_BY_ID
        )
        return self.planned(ReadPlan(root=root), slots, permissions.ability)

    def forms(
        self,
        permissions: TypePermissions,
        requested_version: RequestedVersion,
        entry_ids: Sequence[int],
        rows: frozenset[str] | None = frozenset(),
        sort: tuple[SortKey, ...] = _BY_ID,
        *,
        rules: tuple[GrantRule, ...] | None = None,
        action: str | None = FIND,
        complete: bool = False,
    ) -> PreparedRead:
        """Plan the read of rows for forms, as `form` does for one.

        ``complete`` rows are read with everything that the project's rules hide.
        """
        content_type, slots = permissions.content_type, Slots()
        condition = Comparison("id", Predicate.IN, (slots.add([*entry_ids]),))
        nodes = replace(self.nodes(permissions, requested_version), rows=rows)
        if rules is not None:
            nodes = replace(nodes, rules=rules)
        root = replace(nodes.form_node(content_type), filter=condition, sort=sort)
        ability = None if complete else permissions.ability
        return self.planned(ReadPlan(root=root), slots, ability, action=action)

    def form(
        self,
        permissions: TypePermissions,
        requested_version: RequestedVersion,
        entry_id: int,
        rows: frozenset[str] | None = frozenset(),
        *,
        rules: tuple[GrantRule, ...] | None = None,
        action: str | None = FIND_ONE,
    ) -> PreparedRead:
        """Plan the read of one row for a form, some relations as rows.

        ``action`` selects the project's rules on the row, ``None`` for a row that is shown in any
        case.
        """
        content_type, slots = permissions.content_type, Slots()
        nodes = replace(self.nodes(permissions, requested_version), rows=rows)
        if rules is not None:
            nodes = replace(nodes, rules=rules)
        node = nodes.form_node(content_type)
        plan = ReadPlan(
            root=node, entry=slots.add(entry_id), limit=slots.add(1), offset=slots.add(0)
        )
        return self.planned(plan, slots, permissions.ability, action=action)

    def nodes(self, permissions: TypePermissions, requested_version: RequestedVersion) -> Nodes:
        """Return a builder for the nodes of a request."""
        return Nodes(
            schema=self.engine.schema,
            ability=permissions.ability,
            rules=permissions.rules(requested_version.locales),
            status=requested_version.related,
            roles=permissions.asks_for_roles(),
        )

    def scope(self, permissions: TypePermissions, locales: tuple[str, ...] | None) -> ManagedScope:
        """Return the scope of a query for rows of a type."""
        return ManagedScope(
            schema=self.engine.schema,
            ability=None,  # type: ignore[arg-type]  # administrators have TypePermissions instead
            limits=replace(self.engine.limits, default_limit=PAGE_SIZE, max_limit=MAX_ROWS),
            findings=Findings(),
            slots=Slots(),
            param=Param.FILTERS,
            name="filters",
            permissions=permissions,
            locales=locales,
        )

    def permission_filter(
        self, permissions: TypePermissions, locales: tuple[str, ...] | None, scope: ManagedScope
    ) -> Filter | None:
        """Return the filter of the caller's rules, ``None`` for every row."""
        row_filter = permissions.row_filter(locales)
        if row_filter is None:
            return None
        trusted = replace(scope, trusted=True)
        return resolve_filters(as_query(row_filter), permissions.content_type, trusted)

    def planned(
        self,
        plan: ReadPlan,
        slots: Slots,
        ability: AdminAbility | None,
        *,
        pagination: Pagination | None = None,
        action: str | None = FIND,
    ) -> PreparedRead:
        """Plan a read whose values are in ``slots``, narrowed by the rules of the project.

        ``action`` selects the rules on rows of the root, see `narrow_root`. Without an ``ability``
        the server itself reads.
        """
        if ability is not None:
            rules, schema = ability.project_rules, self.engine.schema
            root = narrow_for_project(plan.root, action, rules, schema, slots)
            plan = replace(plan, root=root)
        resolved = ResolvedRead(plan=plan, values=tuple(slots.values), pagination=pagination)
        return self.engine.reads.planned(resolved)


def _missing_locale(query: Query, permissions: TypePermissions, slots: Slots) -> int | None:
    """Return the slot of the locale in which documents must be missing, if one is named.

    Raises ForbiddenError if the caller may read nothing in that locale.
    """
    code = missing_locale_of(query, permissions.content_type)
    if code is None:
        return None
    if not permissions.rules((code,)):
        raise ForbiddenError
    return slots.add(code)


def _other_versions(content_type: ContentType) -> Iterator[PlanEdge]:
    """Yield the nodes of the other versions of a document, if it can have any."""
    if content_type.localized or content_type.draft_and_publish:
        node = PlanNode(uid=content_type.uid, fields=VERSION_FIELDS)
        yield PlanEdge(attribute=OTHER_VERSIONS, nodes=(node,))


def pages_of(query: Query, scope: ManagedScope) -> Pagination:
    """Parse the ``page`` and ``pageSize`` of a list. Errors are recorded."""
    options = {name: query[name] for name in ("page", "pageSize") if query.get(name) is not None}
    return resolve_pagination(
        {"pagination": options}, scope.for_parameter(Param.PAGINATION, "page")
    )


def locale_scope(
    content_type: ContentType, requested_version: RequestedVersion, slots: Slots
) -> tuple[LocaleScope, int | None]:
    """Return the locales that are read."""
    if not content_type.localized or requested_version.locale is None:
        return LocaleScope.IGNORED, None
    if requested_version.locale == EVERY_LOCALE:
        return LocaleScope.ALL, None
    return LocaleScope.ONE, slots.add(requested_version.locale)


def and_filters(first: Filter | None, second: Filter | None) -> Filter | None:
    """Combine two filters by AND."""
    if first is None or second is None:
        return first or second
    return Junction(conjunction=True, parts=(first, second))


def populated_relations(query: Query, content_type: ContentType) -> frozenset[str]:
    """Return the relations that ``populate`` requests as rows."""
    populate = query.get("populate")
    names = populate.split(",") if isinstance(populate, str) else populate
    relations = frozenset(attribute.name for attribute in content_type.relations)
    if populate == "*":
        return relations - frozenset(CREATORS)
    requested_names = names if isinstance(names, list | dict) else ()
    return frozenset(name for name in requested_names if isinstance(name, str)) & relations


def _filtered_by(query: Query, content_type: ContentType) -> frozenset[str]:
    """Return the relations that a filter uses; a list shows them as rows."""
    filters = query.get("filters")
    names = frozenset(filters) if isinstance(filters, dict) else frozenset()
    return names & frozenset(attribute.name for attribute in content_type.relations)
