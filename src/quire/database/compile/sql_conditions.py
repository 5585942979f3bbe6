"""SQL conditions of plans: filters, search, versions, sorting, joins."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.sql.elements import ColumnElement, Grouping

from quire.database.compile.custom_operators import custom_condition
from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.dialect import Dialect
from quire.database.tables.metadata import has_lists, is_looked_up
from quire.database.tables.table_map import (
    COMPONENT_ENTITY,
    COMPONENT_ID,
    COMPONENT_TYPE,
    FIELD,
    ORDER,
    BackColumnEdge,
    ColumnEdge,
    ComponentEdge,
    Edge,
    LinkEdge,
    LocalizationsEdge,
    MorphBackColumnEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
    TableMap,
)
from quire.query.filter_operators import CustomPredicate, Predicate
from quire.query.plan import (
    Comparison,
    ConstantCondition,
    Filter,
    Junction,
    LocaleScope,
    PlanNode,
    PublicationFilter,
    ReadPlan,
    RelatedCondition,
    SearchCondition,
    SortKey,
)
from quire.schema.attributes.base import Attribute, ScalarAttribute, StorageKind
from quire.schema.model import ContentType, Schema

Condition = ColumnElement[Any]

LOCALE, PUBLISHED_AT = "locale", "published_at"
DOCUMENT_ID, _UPDATED_AT = "document_id", "updated_at"

_INDEXED_PREDICATES = frozenset({Predicate.EQUALS, Predicate.IN})
"""Predicates that an index of single values can serve."""
_MAX_JOINED = 100
"""The maximum number of conditions in one list of ANDs or ORs, see `_join_all`."""


class _Group(Grouping[Any]):
    """Conditions in parentheses that SQLAlchemy keeps.

    It omits them where the operators inside and outside are equal, which is just the case here.
    """

    inherit_cache = True
    operator = None


class JoinedTargets(NamedTuple):
    """Target rows joined to the links that lead to them.

    ``parent_key`` is the parent's key; ``order`` sorts the rows of one parent by its links.
    """

    source: Any
    parent_key: Condition
    order: tuple[Condition, ...]
    where: tuple[Condition, ...] = ()


class _LinkTable(NamedTuple):
    """A link table in a statement: the columns that hold the keys of both ends of a link.

    ``order`` sorts the links of one source row; ``where`` are the links that count.
    """

    table: AliasedTable
    source_key: Condition
    target_key: Condition
    order: tuple[Condition, ...]
    where: tuple[Condition, ...] = ()


class Conditions:
    """Builds the conditions of one statement.

    Where a planner would choose an index that finds most rows of a table, a condition is written in
    a form for which it uses none (`Dialect.unindexed`).
    """

    def __init__(
        self,
        schema: Schema,
        tables: TableMap,
        dialect: Dialect,
        builder: StatementBuilder,
        *,
        published_only: bool = False,
        in_order_of_ids: bool = False,
    ) -> None:
        """With ``published_only``, drafts behind an edge are ignored.

        ``in_order_of_ids`` keeps the planner from using an index over status and locale, so that it
        scans the rows of the root in the order of their ids.
        """
        self._published_only = published_only
        self._in_order_of_ids = in_order_of_ids
        self.schema = schema
        self.tables = tables
        self.dialect = dialect
        self.builder = builder
        self._predicates: dict[Predicate, Callable[[Comparison, Condition, StorageKind], Any]] = {
            Predicate.EQUALS: self._equals,
            Predicate.LESS: lambda c, column, kind: column < self._value(c, kind),
            Predicate.LESS_OR_EQUAL: lambda c, column, kind: column <= self._value(c, kind),
            Predicate.GREATER: lambda c, column, kind: column > self._value(c, kind),
            Predicate.GREATER_OR_EQUAL: lambda c, column, kind: column >= self._value(c, kind),
            Predicate.IN: self._is_in,
            Predicate.BETWEEN: self._between,
            Predicate.IS_NULL: lambda _c, column, _kind: column.is_(None),
            Predicate.CONTAINS: self._pattern("%", "%"),
            Predicate.STARTS_WITH: self._pattern("", "%"),
            Predicate.ENDS_WITH: self._pattern("%", ""),
        }

    # Rows ------------------------------------------------------------------------------------

    def row_conditions(self, node: PlanNode, table: AliasedTable) -> list[Condition]:
        """Return the conditions for the status and the filter of a node."""
        return [*self.status_of(node, table), *self.filters_of(node, table)]

    def status_of(self, node: PlanNode, table: AliasedTable) -> list[Condition]:
        """Return the condition for the status of a node, if any."""
        if node.status is None:
            return []
        published_at = self._version_column(PUBLISHED_AT, node, table)
        return [self._version_condition(status_condition(node.status, published_at))]

    def locale_of(self, plan: ReadPlan, table: AliasedTable) -> list[Condition]:
        """Return the condition for the locales of the root of a plan, if any."""
        if plan.locale_slot is None:
            return []
        locale = self._version_column(LOCALE, plan.root, table)
        if plan.locale is LocaleScope.SOME:
            codes = self.builder.list_slot(
                plan.locale_slot, self.dialect.encoder(StorageKind.STRING)
            )
            return [self._version_condition(self.dialect.member_of(locale, codes))]
        if plan.locale is LocaleScope.ONE:
            code = self.builder.plain_slot(plan.locale_slot)
            return [self._version_condition(locale == code)]
        return []

    def filters_of(self, node: PlanNode, table: AliasedTable) -> list[Condition]:
        """Return the conditions for the filter of a node and for other versions of documents."""
        conditions: list[Condition] = []
        if node.filter is not None:
            conditions.append(self.filter(node.filter, node.uid, table))
        if node.publication is not None and node.status is not None:
            other = self.builder.table(self.tables[node.uid].name)
            conditions.append(_publication(node.publication, node.status, table, other))
        if node.missing_locale is not None:
            other = self.builder.table(self.tables[node.uid].name)
            code = self.builder.plain_slot(node.missing_locale)
            same_version = (other.c(DOCUMENT_ID) == table.c(DOCUMENT_ID), other.c(LOCALE) == code)
            conditions.append(sa.not_(_exists(table, other, *same_version)))
        return conditions

    def _version_column(self, name: str, node: PlanNode, table: AliasedTable) -> Condition:
        """Return the column of status or locale, for a condition on it.

        Where the filter asks for a value that few entries share, or that few related rows have, the
        planner must not choose an index over status and locale alone: most rows are alike in them.
        """
        column = table.c(name)
        expects_few_rows = is_narrow(node, self.schema) or self._is_narrow_by_relation(
            node.filter, node.uid
        )
        return self.dialect.unindexed(column) if expects_few_rows else column

    def _version_condition(self, condition: Condition) -> Condition:
        return self.dialect.unestimated(condition) if self._in_order_of_ids else condition

    def _is_narrow_by_relation(self, part: Filter | None, uid: str) -> bool:
        """Tell whether a filter asks for values that few related rows are expected to have."""
        return any(
            self._has_narrow_value(inner.part, self._target_uid(uid, inner.attribute))
            for inner in _required_parts(part)
            if isinstance(inner, RelatedCondition) and not inner.or_none
        )

    def _has_narrow_value(self, part: Filter | None, uid: str) -> bool:
        attributes = self.schema.model(uid).attributes.values()
        many_values = frozenset(
            attribute.name for attribute in attributes if not _has_few_values(attribute)
        )
        return _requires_value(part, many_values) or self._is_narrow_by_relation(part, uid)

    def filter(self, part: Filter, uid: str, table: AliasedTable) -> Condition:
        """Return a filter as a condition on rows of a model."""
        match part:
            case ConstantCondition(holds=holds):
                return sa.literal_column("1 = 1" if holds else "1 = 0")
            case Comparison():
                return self._comparison(part, uid, table)
            case Junction(conjunction=match_all, parts=parts):
                return _join_all(
                    [self.filter(inner, uid, table) for inner in parts], match_all=match_all
                )
            case RelatedCondition():
                return self._related_condition(part, uid, table)

    def _comparison(self, part: Comparison, uid: str, table: AliasedTable) -> Condition:
        attribute = self.schema.model(uid).attributes[part.attribute]
        if not isinstance(attribute, ScalarAttribute):
            message = f"{uid}.{part.attribute} has no column"
            raise TypeError(message)
        column = table.c(self.tables[uid].columns[part.attribute])
        condition: Condition
        if isinstance(part.predicate, CustomPredicate):
            custom = self.schema.operators[part.predicate.name]
            condition = custom_condition(custom, column, part.slots, self.builder)
        else:
            condition = self._predicates[part.predicate](part, column, attribute.storage)
        return sa.not_(condition) if part.negated else condition

    def _value(self, part: Comparison, kind: StorageKind, position: int = 0) -> Condition:
        return self.builder.slot(part.slots[position], self.dialect.encoder(kind))

    def _equals(self, part: Comparison, column: Condition, kind: StorageKind) -> Condition:
        if part.fold:
            column = self.dialect.as_text(column, kind, fold=True)
            text = self.builder.slot(part.slots[0], self.dialect.text_encoder())
            return sa.func.lower(column) == sa.func.lower(text)
        return column == self._value(part, kind)

    def _is_in(self, part: Comparison, column: Condition, kind: StorageKind) -> Condition:
        values = self.builder.list_slot(part.slots[0], self.dialect.encoder(kind))
        condition: Condition = self.dialect.member_of(column, values)
        return condition

    def _between(self, part: Comparison, column: Condition, kind: StorageKind) -> Condition:
        return column.between(self._value(part, kind), self._value(part, kind, 1))

    def _pattern(
        self, prefix: str, suffix: str
    ) -> Callable[[Comparison, Condition, StorageKind], Condition]:
        def condition(part: Comparison, column: Condition, kind: StorageKind) -> Condition:
            bind = self.builder.slot(
                part.slots[0], lambda value: prefix + escape_pattern(str(value)) + suffix
            )
            text = self.dialect.as_text(column, kind, fold=part.fold)
            return like(text, bind, fold=part.fold)

        return condition

    def search(self, search: SearchCondition, uid: str, table: AliasedTable) -> Condition:
        """Return the condition of full-text search: some attribute contains the term."""
        columns = self.tables[uid].columns
        kinds = {attribute.name: attribute.storage for attribute in self.schema.model(uid).scalars}
        alternatives: list[Condition] = [
            like(
                self.dialect.as_text(table.c(columns[name]), kinds[name], fold=True),
                self.builder.slot(search.slot, lambda value: f"%{escape_search(str(value))}%"),
                fold=True,
            )
            for name in search.attributes
        ]
        return sa.or_(*alternatives)

    # Edges -----------------------------------------------------------------------------------

    def _related_condition(
        self, part: RelatedCondition, uid: str, table: AliasedTable
    ) -> Condition:
        """Return the condition that there is a matching related row, or that there is none."""
        edge = self.tables[uid].edges[part.attribute]
        target_uid = self._target_uid(uid, part.attribute)
        key = table.c(parent_key_column(edge))
        alternatives: list[Condition] = []
        inner = part.part
        if not _requires_no_row(inner):
            target_filter = None if _requires_any_row(inner) else inner
            alternatives.append(
                key.in_(self._select_linked_keys(edge, target_uid, target_filter, part.row_filter))
            )
        if part.or_none:
            linked_keys = self._select_linked_keys(edge, target_uid, None, part.row_filter)
            alternatives.append(sa.or_(key.is_(None), key.not_in(linked_keys)))
        return sa.or_(*alternatives) if alternatives else sa.false()

    def _select_linked_keys(
        self, edge: Edge, target_uid: str, part: Filter | None, scope_filter: Filter | None
    ) -> sa.Select[Any]:
        """Select the keys of rows with a related row satisfying ``part`` and ``scope_filter``."""
        target = self.builder.table(self.tables[target_uid].name)
        if isinstance(edge, LinkEdge | MorphTargetEdge):
            return self._select_keys_by_table(edge, target_uid, target, part, scope_filter)
        join = self.join(edge, target, target_uid)
        conditions = [
            self.filter(target_filter, target_uid, target)
            for target_filter in (part, scope_filter)
            if target_filter is not None
        ]
        select = sa.select(join.parent_key).select_from(join.source)
        return select.where(join.parent_key.is_not(None), *join.where, *conditions)

    def _select_keys_by_table(
        self,
        edge: LinkEdge | MorphTargetEdge,
        target_uid: str,
        target: AliasedTable,
        part: Filter | None,
        scope_filter: Filter | None,
    ) -> sa.Select[Any]:
        """Do what `_select_linked_keys` does for rows behind a link table.

        Where few target rows are expected, their ids are a nested ``IN``: without statistics,
        SQLite drives a join from the link table and reads all of it. Where many are expected,
        reading the link table once is right; the planner must not drive from a small target table
        and look up every row of the link table one by one.
        """
        links = self._links(edge)
        conditions = [*self._published_condition(target, target_uid)]
        conditions += [
            self.filter(target_filter, target_uid, target)
            for target_filter in (part, scope_filter)
            if target_filter is not None
        ]
        source: sa.FromClause = links.table.source
        if part is not None and self._is_selective(part, target_uid):
            conditions = [links.target_key.in_(sa.select(target.c("id")).where(*conditions))]
        else:
            key = self.dialect.unindexed(links.target_key)
            source = source.join(target.source, target.c("id") == key)
        select = sa.select(links.source_key).select_from(source)
        has_source = self.dialect.unindexed(links.source_key).is_not(None)
        return select.where(has_source, *links.where, *conditions)

    def _is_selective(self, part: Filter, uid: str) -> bool:
        """Tell whether a filter is expected to match few rows of a model.

        A filter that only excludes rows does not, nor does a comparison with one of very few
        values.
        """
        match part:
            case Comparison(predicate=Predicate.IS_NULL) | Comparison(negated=True):
                return False
            case Comparison(predicate=CustomPredicate()):
                return False
            case Comparison(attribute=attribute):
                return not _has_few_values(self.schema.model(uid).attributes[attribute])
            case Junction(conjunction=match_all, parts=parts):
                selective_parts = (self._is_selective(inner, uid) for inner in parts)
                return any(selective_parts) if match_all else all(selective_parts)
            case RelatedCondition(attribute=attribute, part=inner, or_none=False) if (
                inner is not None
            ):
                return self._is_selective(inner, self._target_uid(uid, attribute))
            case _:
                return False

    def _target_uid(self, uid: str, attribute: str) -> str:
        edge = self.tables[uid].edges[attribute]
        match edge:
            case ComponentEdge(components=(component,)):
                return component
            case ComponentEdge() | MorphListEdge() | MorphColumnEdge():
                message = f"{uid}.{attribute} leads to rows of several kinds"
                raise TypeError(message)
            case _:
                return edge.target

    def join(self, edge: Edge, target: AliasedTable, target_uid: str) -> JoinedTargets:
        """Join target rows to the links from their parents."""
        joined = self._join(edge, target, target_uid)
        return joined._replace(
            where=(*joined.where, *self._published_condition(target, target_uid))
        )

    def _published_condition(self, target: AliasedTable, target_uid: str) -> tuple[Condition, ...]:
        """Return the condition that leaves out drafts behind an edge, if drafts are ignored."""
        model = self.schema.model(target_uid)
        if self._published_only and isinstance(model, ContentType) and model.draft_and_publish:
            return (status_condition("published", target.c(PUBLISHED_AT)),)
        return ()

    def _join(self, edge: Edge, target: AliasedTable, target_uid: str) -> JoinedTargets:
        match edge:
            case LinkEdge() | MorphTargetEdge():
                links = self._links(edge)
                source = links.table.source.join(target.source, target.c("id") == links.target_key)
                return JoinedTargets(source, links.source_key, links.order, links.where)
            case ComponentEdge():
                return self._join_components(edge, target, target_uid)
            case ColumnEdge() | MorphListEdge() | MorphColumnEdge():
                return JoinedTargets(target.source, target.c("id"), (target.c("id"),))
            case BackColumnEdge(column=column):
                return JoinedTargets(target.source, target.c(column), (target.c("id"),))
            case MorphBackColumnEdge():
                kind = self.builder.constant(edge.type_value)
                where = (target.c(edge.type_column) == kind,)
                return JoinedTargets(
                    target.source, target.c(edge.id_column), (target.c("id"),), where
                )
            case LocalizationsEdge():
                by_locale = (target.c(LOCALE),) if self.dialect.versions_by_locale else ()
                order = (*by_locale, target.c("id"))
                return JoinedTargets(target.source, target.c(DOCUMENT_ID), order)

    def _links(self, edge: LinkEdge | MorphTargetEdge) -> _LinkTable:
        """Add the link table of an edge to the statement."""
        links = self.builder.table(edge.table)
        row_id, target_key = links.c("id"), links.c(edge.target_column)
        if isinstance(edge, LinkEdge):
            order = (links.c(edge.order),) if edge.order else ()
            return _LinkTable(links, links.c(edge.source_column), target_key, (*order, row_id))
        where = (
            links.c(edge.source_type_column) == self.builder.constant(edge.type_value),
            links.c(FIELD) == self.builder.constant(edge.field),
        )
        order = (links.c(ORDER),)
        return _LinkTable(
            links, links.c(edge.source_id_column), target_key, (*order, row_id), where
        )

    def _join_components(
        self, edge: ComponentEdge, target: AliasedTable, uid: str
    ) -> JoinedTargets:
        links = self.builder.table(edge.table)
        source = links.source.join(target.source, target.c("id") == links.c(COMPONENT_ID))
        where = (
            self.dialect.unindexed(links.c(FIELD)) == self.builder.constant(edge.field),
            self.dialect.unindexed(links.c(COMPONENT_TYPE)) == self.builder.constant(uid),
        )
        order = (links.c(ORDER), links.c("id"))
        return JoinedTargets(source, links.c(COMPONENT_ENTITY), order, where)

    # Orders ----------------------------------------------------------------------------------

    def order(self, node: PlanNode, table: AliasedTable, *, backward: bool = False) -> list[Any]:
        """Return the sort keys of a node, or the reversed ones."""
        keys = [self._sort_key(key, node.uid, table, backward=backward) for key in node.sort]
        if node.status_order is not None:
            others = [self.builder.table(self.tables[node.uid].name) for _ in range(2)]
            state = _publication_state(table, *others)
            is_descending = (node.status_order == "descending") is not backward
            keys.append(state.desc() if is_descending else state.asc())
        return keys

    def _sort_key(
        self, key: SortKey, uid: str, table: AliasedTable, *, backward: bool
    ) -> Condition:
        column = (
            self._related_value(key, uid, table)
            if key.path
            else table.c(self.tables[uid].columns[key.attribute])
        )
        return column.desc() if key.descending is not backward else column.asc()

    def _related_value(self, key: SortKey, uid: str, table: AliasedTable) -> Condition:
        """Select the value that a row is sorted by: of several related rows the first in the order.

        A join would repeat the row for each related row.
        """
        first_name, *names = key.path
        edge = self.tables[uid].edges[first_name]
        current_uid = self._target_uid(uid, first_name)
        current_table = self.builder.table(self.tables[current_uid].name)
        join = self.join(edge, current_table, current_uid)
        source, where = join.source, list(join.where)
        root_key = join.parent_key
        for name in names:
            edge = self.tables[current_uid].edges[name]
            next_uid = self._target_uid(current_uid, name)
            target = self.builder.table(self.tables[next_uid].name)
            next_join = self.join(edge, target, next_uid)
            condition = sa.and_(
                next_join.parent_key == current_table.c(parent_key_column(edge)), *next_join.where
            )
            source = source.outerjoin(next_join.source, condition)
            current_table, current_uid = target, next_uid
        value = current_table.c(self.tables[current_uid].columns[key.attribute])
        return (
            sa.select(value)
            .select_from(source)
            .where(
                root_key == table.c(parent_key_column(self.tables[uid].edges[first_name])), *where
            )
            .order_by(value.desc() if key.descending else value.asc())
            .limit(self.builder.constant(1))
            .correlate(table.source)
            .scalar_subquery()
        )


def _has_few_values(attribute: Attribute) -> bool:
    """Tell whether an attribute has few distinct values, each shared by many entries."""
    return attribute.type.few_values or attribute.name == LOCALE


def is_narrow(node: PlanNode, schema: Schema) -> bool:
    """Tell whether a node's filter asks for values of which an index finds few rows."""
    model = schema.model(node.uid)
    if not isinstance(model, ContentType) or not has_lists(model):
        return False
    indexed_names = frozenset(
        attribute.name for attribute in model.scalars if is_looked_up(attribute)
    )
    return _requires_value(node.filter, indexed_names | {"documentId"})


def is_by_id(node: PlanNode) -> bool:
    """Tell whether a node's filter asks for rows by their ids."""
    return _requires_value(node.filter, frozenset({"id"}))


def demanded_values(part: Filter | None) -> tuple[str, ...]:
    """Name the attributes for which a filter requires one of some values."""
    return tuple(
        inner.attribute
        for inner in _required_parts(part)
        if isinstance(inner, Comparison) and _is_narrow_comparison(inner)
    )


def parent_key_column(edge: Edge) -> str:
    """Name the column of a row that its links refer to."""
    match edge:
        case ColumnEdge(column=column):
            return column
        case LocalizationsEdge():
            return DOCUMENT_ID
        case _:
            return "id"


def like(column: Condition, pattern: Condition, *, fold: bool) -> Condition:
    """Return the condition that matches a pattern with a backslash as its escape.

    ``fold`` ignores case. The ``LIKE`` of SQLite always ignores that of ASCII.
    """
    if fold:
        column, pattern = sa.func.lower(column), sa.func.lower(pattern)
    return column.like(pattern, escape="\\")


def escape_pattern(text: str) -> str:
    """Escape every special character of a pattern."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def escape_search(text: str) -> str:
    """Escape the special characters of a search term, except ``_``: any character."""
    return text.replace("\\", "\\\\").replace("%", "\\%")


def _requires_no_row(part: Filter | None) -> bool:
    """Tell whether a filter holds only if there is no row: its id is null."""
    return part == Comparison("id", Predicate.IS_NULL, ())


def _requires_any_row(part: Filter | None) -> bool:
    """Tell whether a filter holds for every existing row: its id is not null."""
    return part == Comparison("id", Predicate.IS_NULL, (), negated=True)


def _requires_value(part: Filter | None, attributes: frozenset[str]) -> bool:
    """Tell whether a filter requires one of some values of one of the attributes."""
    return not attributes.isdisjoint(demanded_values(part))


def _is_narrow_comparison(part: Comparison) -> bool:
    return part.predicate in _INDEXED_PREDICATES and not (part.negated or part.fold)


def _required_parts(part: Filter | None) -> Iterator[Filter]:
    """Yield the filters that hold for every row which a filter matches."""
    if isinstance(part, Junction) and part.conjunction:
        for inner in part.parts:
            yield from _required_parts(inner)
    elif part is not None:
        yield part


def _join_all(conditions: Sequence[Condition], *, match_all: bool) -> Condition:
    """Join conditions by AND or OR, long lists in groups.

    SQLite parses ``a OR b OR c`` as a tree as deep as the list is long, and rejects deep ones.
    """
    join = sa.and_ if match_all else sa.or_
    if len(conditions) <= _MAX_JOINED:
        return join(*conditions)
    groups = range(0, len(conditions), _MAX_JOINED)
    return join(*(_Group(join(*conditions[start : start + _MAX_JOINED])) for start in groups))


def status_condition(status: str, published_at: Condition) -> Condition:
    """Return the condition for one status of rows with draft & publish."""
    return published_at.is_not(None) if status == "published" else published_at.is_(None)


def versions_condition(
    plan: ReadPlan, table: AliasedTable, conditions: Conditions
) -> list[Condition]:
    """Return the conditions that select the rows of the root.

    SQLite tests conditions in their order. The status comes first: testing for null is cheaper than
    comparing the text of a locale.
    """
    builder = conditions.builder
    where: list[Condition] = []
    if plan.document is not None:
        where.append(table.c(DOCUMENT_ID) == builder.plain_slot(plan.document))
    if plan.entry is not None:
        where.append(table.c("id") == builder.plain_slot(plan.entry))
    where += conditions.status_of(plan.root, table)
    where += conditions.locale_of(plan, table)
    where += conditions.filters_of(plan.root, table)
    if plan.search is not None:
        where.append(conditions.search(plan.search, plan.root.uid, table))
    return where


def _exists(table: AliasedTable, other: AliasedTable, *where: Condition) -> Condition:
    """Return whether there is a version of the ``other`` table for a row of a table."""
    select: sa.Select[Any] = (
        sa.select(sa.literal_column("1")).select_from(other.source).where(*where)
    )
    return sa.exists(select.correlate(table.source))


def _publication_state(
    table: AliasedTable, published: AliasedTable, newer: AliasedTable
) -> sa.Case[int]:
    """Return a number for the state of a version: unpublished, modified, published."""

    def is_published_version(other: AliasedTable) -> tuple[Condition, ...]:
        return (
            other.c(DOCUMENT_ID) == table.c(DOCUMENT_ID),
            other.c(LOCALE).is_not_distinct_from(table.c(LOCALE)),
            other.c(PUBLISHED_AT).is_not(None),
        )

    has_published = _exists(table, published, *is_published_version(published))
    is_modified = _exists(
        table,
        newer,
        *is_published_version(newer),
        newer.c(_UPDATED_AT) < table.c(_UPDATED_AT),
    )
    return sa.case(
        (sa.not_(has_published), sa.literal_column("0", sa.Integer)),
        (is_modified, sa.literal_column("1", sa.Integer)),
        else_=sa.literal_column("2", sa.Integer),
    )


def _publication(
    mode: PublicationFilter, status: str, table: AliasedTable, other: AliasedTable
) -> Condition:
    """Return the condition on the publication state of a version within its document."""
    same_document = other.c(DOCUMENT_ID) == table.c(DOCUMENT_ID)
    same_locale = other.c(LOCALE).is_not_distinct_from(table.c(LOCALE))
    published = other.c(PUBLISHED_AT).is_not(None)
    draft = other.c(PUBLISHED_AT).is_(None)

    def exists(*where: Condition) -> Condition:
        return _exists(table, other, *where)

    pair = (same_document, same_locale)
    match mode:
        case PublicationFilter.NEVER_PUBLISHED:
            return sa.not_(exists(*pair, published))
        case PublicationFilter.HAS_PUBLISHED_VERSION:
            return exists(*pair, published)
        case PublicationFilter.NEVER_PUBLISHED_DOCUMENT:
            return sa.not_(exists(same_document, published))
        case PublicationFilter.HAS_PUBLISHED_VERSION_DOCUMENT:
            return exists(same_document, published)
        case PublicationFilter.PUBLISHED_WITHOUT_DRAFT:
            return sa.not_(exists(*pair, draft)) if status == "published" else sa.false()
        case PublicationFilter.PUBLISHED_WITH_DRAFT:
            return exists(*pair, draft) if status == "published" else sa.false()
        case PublicationFilter.MODIFIED | PublicationFilter.UNMODIFIED:
            # Publishing copies `updatedAt` of the draft: a later time means a change since.
            updated_at, other_updated_at = table.c(_UPDATED_AT), other.c(_UPDATED_AT)
            draft_time, published_time = (
                (updated_at, other_updated_at)
                if status == "draft"
                else (other_updated_at, updated_at)
            )
            counterpart = published if status == "draft" else draft
            newer = draft_time > published_time
            if mode is PublicationFilter.UNMODIFIED:
                newer = draft_time <= published_time
            return exists(*pair, counterpart, newer)
