"""Resolves the targets of relations to rows.

Payloads name documents; links are between rows. Which row of a document is linked follows from the
written entry: its status if the target has draft & publish, its locale if the target is localized.
An entry without draft & publish is linked to both the draft and the published row, and each read
chooses one. Components follow the entry that they belong to.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from msgspec import Struct, field

from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.links.link_change import LinkAnchor, LinkChange, LinkTarget
from quire.database.entries.lookup import VersionRow, existing_ids, rows_of_documents
from quire.database.program import Program
from quire.database.tables.table_map import ColumnEdge
from quire.document_service.entry_values import (
    EntryValues,
    LinkPosition,
    RelationChange,
    RelationTarget,
)
from quire.document_service.row_rule_checks import visible_rows
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ValidationError
from quire.schema.attributes.base import MediaAttribute, RelationAttribute
from quire.schema.model import FILE_UID, PUBLISHED_STATUS, ContentType


class WrittenVersion(Struct, frozen=True, kw_only=True):
    """The type, status and locale of the written entry: they decide which rows are linked."""

    content_type: ContentType
    published: bool
    locale: str | None


class _RequestedRows(NamedTuple):
    """The version of a document that a relation links to; its rows are looked up by this key."""

    uid: str
    document_id: str
    locale: str | None
    status: str | None


class ResolvedTargets(Struct):
    """The rows of all targets of an entry and its components.

    ``missing`` counts, by content type, the numeric ids that no row has. ``unseen`` are ids of rows
    that row rules hide from the principal. They count as missing, so that errors do not tell
    whether a hidden row exists.
    """

    version: WrittenVersion
    rows: dict[_RequestedRows, tuple[int, ...]] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    unseen: set[tuple[str, int]] = field(default_factory=set)

    def link_change(
        self, unit: UnitOfWork, layout: EntryLayout, name: str, change: RelationChange
    ) -> LinkChange:
        """Return the requested change of an attribute in terms of rows."""
        uid = target_uid(layout, name)

        def link_target(target: RelationTarget) -> LinkTarget:
            position = target.position
            return LinkTarget(
                rows=rows_of(unit, self, uid, target),
                uid=target.uid,
                before=self._anchor(unit, uid, target, "before"),
                after=self._anchor(unit, uid, target, "after"),
                start=position is not None and position.start,
                end=position == LinkPosition(),
            )

        return LinkChange(
            set=None if change.set is None else tuple(link_target(target) for target in change.set),
            connect=tuple(link_target(target) for target in change.connect),
            disconnect=tuple(link_target(target) for target in change.disconnect),
            strict=change.strict,
        )

    def _anchor(
        self,
        unit: UnitOfWork,
        uid: str | None,
        target: RelationTarget,
        side: Literal["before", "after"],
    ) -> LinkAnchor | None:
        position = target.position
        anchor = None if position is None else getattr(position, side)
        if anchor is None:
            return None
        if _is_mixed(target, anchor):
            return LinkAnchor(rows=(), name=anchor.document_id)
        rows = rows_of(unit, self, uid, anchor)
        has_default_locale = target.document_id is not None and target.locale is None
        if has_default_locale and rows and not self.version.content_type.localized:
            locale = anchor.locale or unit.engine.default_locale
            return LinkAnchor(rows, {side: rows[0], "locale": locale}, uid=anchor.uid)
        return LinkAnchor(rows, uid=anchor.uid)


def rows_of(
    unit: UnitOfWork, resolution: ResolvedTargets, uid: str | None, target: RelationTarget
) -> tuple[int, ...]:
    """Return the rows of a resolved target; none if it could not be resolved."""
    if target.document_id is None:
        is_unseen = target.id is None or (target.uid or uid, target.id) in resolution.unseen
        return () if target.id is None or is_unseen else (target.id,)
    requested_rows = _request_rows(unit, resolution.version, target.uid or uid or "", target)
    return resolution.rows.get(requested_rows, ())


def document_not_found(document_id: str, locale: str | None) -> ValidationError:
    """Return the error about a target that does not exist in a locale."""
    locale_text = "null" if locale is None else locale
    return ValidationError(f'Document with id "{document_id}", locale "{locale_text}" not found')


def target_uid(layout: EntryLayout, name: str) -> str | None:
    """Return the target type of an attribute, ``None`` for a polymorphic one."""
    attribute = layout.model.attributes[name]
    if isinstance(attribute, MediaAttribute):
        return FILE_UID
    return attribute.target if isinstance(attribute, RelationAttribute) else None


def linked_rows(
    unit: UnitOfWork, layout: EntryLayout, values: EntryValues, resolution: ResolvedTargets
) -> set[int]:
    """Return the rows of the entry's own type that its relations, or its components', name."""
    uid = layout.model.uid
    return {
        row
        for attribute_target in _targets(unit, layout, values)
        if attribute_target.uid == uid
        for row in rows_of(unit, resolution, uid, attribute_target.target)
    }


def resolve_targets(
    unit: UnitOfWork,
    layout: EntryLayout,
    entries: Sequence[EntryValues],
    version: WrittenVersion,
) -> Program[ResolvedTargets]:
    """Find the rows of every target in the relations of entries and of their components.

    Raises ValidationError for the first missing document; missing ids are counted, because they are
    reported with the other problems of the entry.
    """
    resolution = ResolvedTargets(version)
    requested_rows: dict[_RequestedRows, None] = {}
    ids: dict[str, dict[int, None]] = {}
    ids_by_uid: dict[str, dict[int, None]] = {}
    for attribute_target in (
        target for values in entries for target in _targets(unit, layout, values)
    ):
        target = attribute_target.target
        if target.document_id is not None and not attribute_target.by_column:
            requested_rows[_request_rows(unit, version, attribute_target.uid, target)] = None
        elif target.document_id is not None:
            # A relation that is stored in a column only has row ids.
            resolution.missing[attribute_target.uid] = (
                resolution.missing.get(attribute_target.uid, 0) + 1
            )
        elif target.id is not None:
            ids_by_uid.setdefault(attribute_target.uid, {})[target.id] = None
            if attribute_target.must_exist:
                ids.setdefault(attribute_target.uid, {})[target.id] = None
    for uid, row_ids in ids_by_uid.items():
        visible_ids = yield from visible_rows(unit, uid, row_ids)
        resolution.unseen.update((uid, row) for row in row_ids.keys() - visible_ids)
    yield from _find_documents(unit, requested_rows, resolution)
    yield from _count_missing(unit, ids, resolution)
    return resolution


class _ResolvedRows(NamedTuple):
    uid: str
    target: RelationTarget
    by_column: bool
    must_exist: bool = False


def _targets(unit: UnitOfWork, layout: EntryLayout, values: EntryValues) -> Iterator[_ResolvedRows]:
    """Iterate over all targets of a payload, including anchors of positions."""
    for name, change in values.relations.items():
        uid = target_uid(layout, name)
        by_column = isinstance(layout.table.edges.get(name), ColumnEdge)
        for target in change.disconnect:
            yield _ResolvedRows(target.uid or uid or "", target, by_column)
        for target in (*(change.set or ()), *change.connect):
            yield _ResolvedRows(target.uid or uid or "", target, by_column, must_exist=True)
            position = target.position
            for anchor in (position.before, position.after) if position else ():
                if anchor is not None and not _is_mixed(target, anchor):
                    yield _ResolvedRows(anchor.uid or uid or "", anchor, by_column)
    for components in values.components.values():
        for component in components:
            yield from _targets(unit, unit.layout(component.uid), component.values)


def _is_mixed(target: RelationTarget, anchor: RelationTarget) -> bool:
    """Tell whether a target that is given by row id is placed next to one given by document id.

    Such an anchor is always an unknown one: see `LinkAnchor.name`.
    """
    return target.document_id is None and anchor.document_id is not None


def _request_rows(
    unit: UnitOfWork, version: WrittenVersion, uid: str, target: RelationTarget
) -> _RequestedRows:
    content_type = unit.engine.schema.content_types.get(uid)
    locale = status = None
    if content_type is not None and content_type.localized:
        requested_locale = version.locale if version.content_type.localized else target.locale
        locale = requested_locale or unit.engine.default_locale
    if content_type is not None and content_type.draft_and_publish:
        if version.content_type.draft_and_publish:
            status = PUBLISHED_STATUS if version.published else "draft"
        else:
            status = target.status
    return _RequestedRows(uid, target.document_id or "", locale, status)


def _find_documents(
    unit: UnitOfWork, requested_rows: Mapping[_RequestedRows, None], resolution: ResolvedTargets
) -> Program[None]:
    groups: dict[tuple[str, str | None], dict[str, None]] = {}
    for item in requested_rows:
        groups.setdefault((item.uid, item.locale), {})[item.document_id] = None
    rows_by_document: dict[tuple[str, str | None, str], list[VersionRow]] = {}
    visible_ids: set[tuple[str, int]] = set()
    for (uid, locale), document_ids in groups.items():
        if unit.engine.schema.content_types.get(uid) is None:
            continue
        rows = yield from rows_of_documents(unit.store, uid, locale, tuple(document_ids))
        visible = yield from visible_rows(unit, uid, {row.id for _, row in rows})
        visible_ids |= {(uid, row) for row in visible}
        for document_id, row in rows:
            rows_by_document.setdefault((uid, locale, document_id), []).append(row)
    for item in requested_rows:
        rows_found = rows_by_document.get((item.uid, item.locale, item.document_id), [])
        ids = tuple(row.id for row in rows_found if _has_status(row, item.status))
        if not any((item.uid, row) in visible_ids for row in ids):
            raise document_not_found(item.document_id, item.locale)
        resolution.rows[item] = ids


def _has_status(row: VersionRow, status: str | None) -> bool:
    return status is None or row.published == (status == PUBLISHED_STATUS)


def _count_missing(
    unit: UnitOfWork, ids: Mapping[str, Mapping[int, None]], resolution: ResolvedTargets
) -> Program[None]:
    for uid, row_ids in ids.items():
        known_ids: set[int] = set()
        if unit.store.layouts.get(uid) is not None:
            known_ids = yield from existing_ids(unit.store, uid, tuple(row_ids))
            known_ids -= {row for unseen_uid, row in resolution.unseen if unseen_uid == uid}
        if len(known_ids) < len(row_ids):
            missing_count = resolution.missing.get(uid, 0)
            resolution.missing[uid] = missing_count + len(row_ids) - len(known_ids)
