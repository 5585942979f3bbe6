"""A whole entry as validation messages show it.

Passwords are left out: what is wrong is something else, and they are nobody's to see.
"""

# Functions are made for each request here, and their annotations are not evaluated each time.
from __future__ import annotations

from collections.abc import Mapping

from quire.clock import iso_from_ms
from quire.database.entries.entry_layout import EntryLayout
from quire.document_service.entry_values import EntryValues, RelationChange, RelationTarget
from quire.document_service.relations import ResolvedTargets, rows_of, target_uid
from quire.document_service.system_columns import signed_by
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate.error_snapshot import shown_entry
from quire.schema.attributes.base import MediaAttribute, RelationAttribute, ScalarAttribute


def whole_entry(
    unit: UnitOfWork,
    layout: EntryLayout,
    data: Mapping[str, object],
    values: EntryValues,
    resolution: ResolvedTargets,
    *,
    draft: bool,
    creating: bool,
) -> dict[str, object]:
    """Return what an entry was going to be, in a form for people to read."""
    schema, model = unit.engine.schema, layout.model
    shown = shown_entry(schema, model, data) if creating else dict(data)
    shown = _with_relations(unit, layout, shown, values, resolution)
    shown |= signed_by(unit, layout, creating=creating)
    if layout.is_localized():
        shown["locale"] = resolution.version.locale
    if draft:
        shown["publishedAt"] = None
    elif not creating:
        shown["publishedAt"] = iso_from_ms(unit.clock())
    return shown


def _with_relations(
    unit: UnitOfWork,
    layout: EntryLayout,
    shown: Mapping[str, object],
    values: EntryValues,
    resolution: ResolvedTargets,
) -> dict[str, object]:
    result = dict(shown)
    for name, value in shown.items():
        attribute = layout.model.attributes.get(name)
        if isinstance(attribute, ScalarAttribute) and attribute.secret:
            del result[name]
        elif isinstance(attribute, RelationAttribute | MediaAttribute):
            change = values.relations.get(name)
            if change is not None:
                uid = target_uid(layout, name)
                result[name] = _shown_change(unit, uid, change, resolution)
            else:
                result[name] = _as_lists(value)
        elif name in values.components and isinstance(value, list | dict):
            items = value if isinstance(value, list) else [value]
            components = values.components[name]
            if len(items) == len(components):
                complete = [
                    _with_relations(unit, unit.layout(part.uid), item, part.values, resolution)
                    for item, part in zip(items, components, strict=True)
                ]
                result[name] = complete if isinstance(value, list) else complete[0]
    return result


def _as_lists(value: object) -> object:
    """Return what was said of a relation where nothing can be made of it."""
    if isinstance(value, list):
        return {"set": value}
    if isinstance(value, dict):
        return {name: [one] if isinstance(one, dict) else one for name, one in value.items()}
    return value


def _shown_change(
    unit: UnitOfWork, uid: str | None, change: RelationChange, resolution: ResolvedTargets
) -> dict[str, object]:
    def ids(targets: tuple[RelationTarget, ...]) -> list[dict[str, int]]:
        return [{"id": row} for target in targets for row in rows_of(unit, resolution, uid, target)]

    if change.set is not None:
        return {"set": ids(change.set)}
    shown: dict[str, object] = {}
    if change.connect:
        shown["connect"] = ids(change.connect)
    if change.disconnect:
        shown["disconnect"] = ids(change.disconnect)
    return shown
