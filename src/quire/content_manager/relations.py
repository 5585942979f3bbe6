"""Pages of related entries and of possible targets, for forms.

A related entry is represented by one attribute, its main field. If the caller may not read it, its
type, or that field, only ids and times are shown. The last linked entry comes first, as Strapi's
screens expect.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import CREATE, READ, UPDATE
from quire.content_manager.entry_reads import find_version
from quire.content_manager.entry_status import DocumentVersions, EntryJson
from quire.content_manager.permissions import TypePermissions, covers, may_follow, read_permissions
from quire.content_manager.query_scope import ManagedScope
from quire.content_manager.read_plans import Planner, and_filters, locale_scope
from quire.content_manager.relation_query import PAGE_SIZE, RelationQuery
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import EVERY_LOCALE, RequestedVersion, locale_of
from quire.database.entries.components import component_owners
from quire.database.program import Program
from quire.document_service.relation_input import row_id as read_row_id
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ForbiddenError, NotFoundError, ValidationError
from quire.query.filter_operators import Predicate
from quire.query.lenient_filters import known_filters
from quire.query.plan import Comparison, Filter, PlanNode, ReadPlan, SortKey, Status
from quire.query.python_parameters import as_query
from quire.query.resolve.errors import Param
from quire.query.resolve.filters import resolve_filters
from quire.query.resolve.pagination import Pagination
from quire.query.resolve.scope import Slots
from quire.query.resolve.sort import resolve_sort
from quire.schema.attributes.base import RelationAttribute, ScalarAttribute
from quire.schema.model import Component, ContentType, Model, Schema

NO_MODEL = "The model {} doesn't exist"
NO_RELATION = "The relational field {} doesn't exist on {}"
NO_ENTITY = "Entity not found"
_TARGET_FIELDS = ("id", "documentId", "publishedAt", "updatedAt")
_BY_ID = "documentId"
_MAX_DEPTH = 50
_ACTIONS = (READ, CREATE, UPDATE)

Result = dict[str, object]


class RelationField(Struct, frozen=True):
    """A relation of a model, and the content type that it leads to."""

    model: Model
    attribute: RelationAttribute
    target: ContentType


def field_of(schema: Schema, uid: str, name: str) -> RelationField:
    """Return a relation by its model and name. Raises ValidationError when there is none.

    Polymorphic relations, and those that the server sets, are not shown in forms.
    """
    model: Model | None = schema.content_types.get(uid) or schema.components.get(uid)
    if model is None:
        raise ValidationError(NO_MODEL.format(uid))
    attribute = model.attributes.get(name)
    is_visible = isinstance(attribute, RelationAttribute) and attribute.visible
    target = attribute.target if is_visible and isinstance(attribute, RelationAttribute) else None
    if target is None or not isinstance(attribute, RelationAttribute):
        raise ValidationError(NO_RELATION.format(name, uid))
    return RelationField(model, attribute, schema.content_types[target])


class Relations(Struct, frozen=True):
    """Reads related entries for one administrator; ``main_field`` is that of the target's view."""

    engine: WriteEngine
    ability: AdminAbility
    field: RelationField
    main_field: str

    def candidates(self, query: RelationQuery) -> Program[Result]:
        """Return a page of the candidates of the relation.

        Raises ForbiddenError when the caller may not see the relation.
        """
        self._require_field()
        omitted = set(query.omitted)
        if query.id is not None:
            linked = yield from self._linked_in_any_version(query)
            omitted |= linked.difference(query.included)
        locale = locale_of(query.raw, self.field.target, EVERY_LOCALE)
        plan, slots, pagination = self._search(query, locale, omitted)
        prepared_read = self._planner.planned(plan, slots, self.ability, pagination=pagination)
        rows, total = yield from prepared_read.entries()
        descriptions = yield from self._describe_rows(rows)
        return {"results": descriptions, "pagination": pagination.meta(total)}

    def linked(self, query: RelationQuery) -> Program[Result]:
        """Return a page of the targets of the relation of one entry.

        Raises NotFoundError if the entry does not exist, and ForbiddenError when the caller may not
        see it, or not this relation of it.
        """
        query = self._query_of_linked(query)
        ids = yield from self._linked_rows(query)
        rows = yield from self._target_rows(query, ids)
        positions = {row_id: position for position, row_id in enumerate(reversed(ids))}
        sorted_ids = sorted({row["id"] for row in rows}, key=lambda row_id: positions[row_id])
        start = (query.page - 1) * query.page_size
        page_ids = sorted_ids[start : start + query.page_size]
        if not self.field.attribute.to_many:
            page_ids = sorted_ids = sorted_ids[:1]
        by_id = {row["id"]: row for row in rows}
        readable = yield from self._readable_rows(query, page_ids)
        # Strapi shows the entries that the caller may not read after the others.
        page = [readable[row_id] for row_id in page_ids if row_id in readable]
        page += [by_id[row_id] for row_id in page_ids if row_id not in readable]
        descriptions = yield from self._describe_rows(page)
        return {"results": descriptions, "pagination": self._pages(query, len(sorted_ids))}

    def _query_of_linked(self, query: RelationQuery) -> RelationQuery:
        """Return the query without what has no effect on the targets of one entry, as in Strapi.

        They are not searched, and entries without versions show the drafts.
        """
        model = self.field.model
        has_versions = not isinstance(model, ContentType) or model.draft_and_publish
        return replace(query, term=None, status=query.status if has_versions else None)

    def _pages(self, query: RelationQuery, total: int) -> dict[str, int]:
        if not self.field.attribute.to_many:
            # Strapi has no pages here and shows the default.
            return {"page": 1, "pageCount": 1, "pageSize": PAGE_SIZE, "total": total}
        count = -(-total // query.page_size)
        return {
            "page": query.page,
            "pageSize": query.page_size,
            "pageCount": count,
            "total": total,
        }

    # Rows of the relation ----------------------------------------------------------------------

    def _linked_rows(self, query: RelationQuery) -> Program[list[int]]:
        """Return the target rows of the entry, in their order."""
        model = self.field.model
        if isinstance(model, ContentType):
            row_id = (yield from self._entries(model, query))[0]
        else:
            row_id = yield from self._component_row(model, query)
        name = self.field.attribute.name
        links = yield from self.engine.store.links.read(model.uid, name, [row_id])
        return [link.row for link in links.get(row_id, ())]

    def _linked_in_any_version(self, query: RelationQuery) -> Program[set[int]]:
        """Return the target rows of the relation in any matching version of the entry."""
        model = self.field.model
        if isinstance(model, ContentType):
            rows = yield from self._entries(model, query)
        else:
            rows = [(yield from self._component_row(model, query))]
        links_by_row = yield from self.engine.store.links.read(
            model.uid, self.field.attribute.name, rows
        )
        return {link.row for links in links_by_row.values() for link in links}

    def _entries(self, content_type: ContentType, query: RelationQuery) -> Program[list[int]]:
        """Return the requested entry, then all its other visible versions.

        Without a requested locale it is the first in alphabetic order, and versions of all locales
        are returned.
        """
        permissions, name = read_permissions(self.ability, content_type), self.field.attribute.name
        permissions.require()
        versions, _ = yield from self._planner.versions_of(permissions, query.id or "").entries()
        locale = locale_of(query.raw, content_type, None)
        versions_in_locale = [
            version for version in versions if locale is None or version["locale"] == locale
        ]
        codes = sorted({str(version["locale"] or "") for version in versions_in_locale})
        requested_versions = [
            RequestedVersion(query.status or "draft", code or None) for code in codes
        ]
        requested_entry = next(
            (
                version
                for requested_version in requested_versions
                if (version := find_version(content_type, versions_in_locale, requested_version))
            ),
            None,
        )
        if requested_entry is None:
            raise NotFoundError(NO_ENTITY)
        if not covers(permissions.require_on(entry_origin(requested_entry)), name):
            raise ForbiddenError
        readable_versions = [
            version
            for version in versions_in_locale
            if covers(permissions.rules_for_entry(entry_origin(version)), name)
        ]
        return [int(requested_entry["id"]), *(int(version["id"]) for version in readable_versions)]

    def _component_row(self, component: Model, query: RelationQuery) -> Program[int]:
        """Return the row of a component, which a request names only by its id.

        Without the check of its parent an administrator could read relations of any entry.
        """
        row_id = read_row_id(query.id)
        slots = Slots()
        plan = ReadPlan(
            root=PlanNode(uid=component.uid, fields=("id",)), entry=slots.add(min(row_id, 2**53))
        )
        rows, _ = yield from self._planner.planned(plan, slots, self.ability).entries()
        if not rows:
            raise NotFoundError(NO_ENTITY)
        if not self.ability.super_admin:
            yield from self._require_visible_parent(
                component.uid, row_id, self.field.attribute.name
            )
        return row_id

    def _require_visible_parent(
        self, uid: str, row_id: int, path: str, depth: int = 0
    ) -> Program[None]:
        """Check that the caller may see the parent of a component, and this component of it.

        Raises ForbiddenError.
        """
        parents = yield from component_owners(self.engine.store, uid, row_id)
        if depth > _MAX_DEPTH or not parents:
            raise ForbiddenError
        for parent in parents:
            field_path = f"{parent.field}.{path}"
            content_type = self.engine.schema.content_types.get(parent.uid)
            if content_type is None:
                yield from self._require_visible_parent(
                    parent.uid, parent.row, field_path, depth + 1
                )
                continue
            permissions, slots = read_permissions(self.ability, content_type), Slots()
            plan = ReadPlan(
                root=self._planner.version_node(permissions), entry=slots.add(parent.row)
            )
            entry = yield from self._planner.planned(plan, slots, self.ability).first()
            if entry is None or not covers(
                permissions.rules_for_entry(entry_origin(entry)), field_path
            ):
                raise ForbiddenError

    def _require_field(self) -> None:
        """Check that the caller may see the relation on some entry. Raises ForbiddenError."""
        model = self.field.model
        if isinstance(model, Component):
            return
        uid, name = model.uid, self.field.attribute.name
        actions = [action for action in _ACTIONS if self.ability.allows(action, uid)]
        if not any(self.ability.allows_field(action, uid, name) for action in actions):
            raise ForbiddenError

    # Fields of the target ----------------------------------------------------------------------

    @property
    def _planner(self) -> Planner:
        return Planner(self.engine)

    @property
    def _permissions(self) -> TypePermissions:
        return read_permissions(self.ability, self.field.target)

    def _main_field(self, locales: tuple[str, ...] | None) -> str:
        """Return the main field of the target, if the caller may read it."""
        target = self.field.target
        name = self.main_field
        scalar = isinstance(target.attributes.get(name), ScalarAttribute)
        if not scalar or not may_follow(self.ability, target):
            return _BY_ID
        scope = self._planner.scope(self._permissions, locales)
        return _BY_ID if scope.ignores(name) else name

    def _status(self, query: RelationQuery) -> Status | None:
        """Return the status in which the target is shown, if it has several."""
        if not self.field.target.draft_and_publish:
            return None
        return query.status or "draft"

    def _search(
        self, query: RelationQuery, locale: str | None, omitted: set[int]
    ) -> tuple[ReadPlan, Slots, Pagination]:
        requested_version, target = RequestedVersion("draft", locale), self.field.target
        main = self._main_field(requested_version.locales)
        scope = self._planner.scope(self._permissions, requested_version.locales)
        filters = known_filters(query.raw.get("filters"), target, self.engine.schema)
        requested_filter = resolve_filters(filters, target, scope)
        sort = resolve_sort(query.raw.get("sort"), target, scope.for_parameter(Param.SORT, "sort"))
        scope.findings.raise_first()
        slots = scope.slots
        condition = and_filters(
            requested_filter, self._row_filter(query, requested_version, main, scope)
        )
        if omitted:
            slot = slots.add([*omitted])
            exclusion = Comparison("id", Predicate.IN, (slot,), negated=True)
            condition = and_filters(condition, exclusion)
        pagination = Pagination(
            start=(query.page - 1) * query.page_size,
            limit=query.page_size,
            with_count=True,
            by_page=True,
        )
        root = replace(
            self._node(query, main),
            filter=condition,
            sort=sort or (SortKey((), main, descending=False),),
        )
        locale_of_rows, slot_of_locale = locale_scope(target, requested_version, slots)
        plan = ReadPlan(
            root=root,
            locale=locale_of_rows,
            locale_slot=slot_of_locale,
            limit=slots.add(pagination.limit),
            offset=slots.add(pagination.start),
            count=True,
        )
        return plan, slots, pagination

    def _target_rows(self, query: RelationQuery, ids: Sequence[int]) -> Program[list[EntryJson]]:
        """Return the rows in the shown status with ids and times only, unordered."""
        if not ids:
            return []
        slots = Slots()
        condition = Comparison("id", Predicate.IN, (slots.add([*ids]),))
        return (yield from self._rows_of_every_locale(self._node(query, _BY_ID), condition, slots))

    def _readable_rows(
        self, query: RelationQuery, ids: Sequence[int]
    ) -> Program[dict[int, EntryJson]]:
        """Return those of the rows that the caller may read, with the main field, by id."""
        if not ids:
            return {}
        locales = self._every_locale.locales
        main = self._main_field(locales)
        scope = self._planner.scope(self._permissions, locales)
        readable = self._row_filter(query, self._every_locale, main, scope)
        condition = Comparison("id", Predicate.IN, (scope.slots.add([*ids]),))
        node, conditions = self._node(query, main), and_filters(readable, condition)
        rows = yield from self._rows_of_every_locale(node, conditions, scope.slots)
        return {row["id"]: row for row in rows}

    @property
    def _every_locale(self) -> RequestedVersion:
        return RequestedVersion("draft", locale_of({}, self.field.target, EVERY_LOCALE))

    def _rows_of_every_locale(
        self, node: PlanNode, condition: Filter | None, slots: Slots
    ) -> Program[list[EntryJson]]:
        locale, slot = locale_scope(self.field.target, self._every_locale, slots)
        plan = ReadPlan(root=replace(node, filter=condition), locale=locale, locale_slot=slot)
        rows, _ = yield from self._planner.planned(plan, slots, self.ability).entries()
        return rows

    def _node(self, query: RelationQuery, main: str) -> PlanNode:
        target = self.field.target
        fields = dict.fromkeys((*_TARGET_FIELDS, "locale", main))
        return PlanNode(uid=target.uid, fields=tuple(fields), status=self._status(query))

    def _row_filter(
        self,
        query: RelationQuery,
        requested_version: RequestedVersion,
        main: str,
        scope: ManagedScope,
    ) -> Filter | None:
        """Return the condition on rows: the search term, and the caller's permissions."""
        target = self.field.target
        term_filter: Filter | None = None
        if query.term:
            trusted = replace(scope, trusted=True)
            term = as_query({main: {query.operator: query.term}})
            term_filter = resolve_filters(term, target, trusted)
        permission_filter: Filter | None = None
        if self.ability.allows(self._permissions.action, target.uid):
            permission_filter = self._planner.permission_filter(
                self._permissions, requested_version.locales, scope
            )
        return and_filters(term_filter, permission_filter)

    # Presentation ------------------------------------------------------------------------------

    def _describe_rows(self, rows: Sequence[EntryJson]) -> Program[list[EntryJson]]:
        target = self.field.target
        versions: DocumentVersions | None = None
        if target.draft_and_publish and rows:
            ids = list(dict.fromkeys(str(row["documentId"]) for row in rows))
            target_versions, _ = yield from self._planner.versions(
                self.ability, target, ids
            ).entries()
            versions = DocumentVersions(target, target_versions)
        return [dict(self._row(row, versions)) for row in rows]

    def _row(
        self, row: Mapping[str, object], versions: DocumentVersions | None
    ) -> Iterator[tuple[str, object]]:
        for name, value in row.items():
            if name != "locale" or self.field.target.localized:
                yield name, value
        if versions is not None:
            yield "status", versions.status(row)
