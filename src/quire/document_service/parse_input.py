"""Parses and validates the data of a command, inside the transaction.

Errors have the order of Strapi: the first relation target that does not exist, then all invalid
values at once, and last invalid dates and times, which Strapi only meets when it writes the row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from quire.clock import iso_from_ms
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.lookup import OwnedValue, are_taken, is_taken
from quire.database.entries.read_entry import read_all_stored, read_stored
from quire.database.entries.versions_query import EntryRow
from quire.database.program import LONG_COMPUTATION, Program
from quire.document_service.commands import Data
from quire.document_service.content_type_lookup import content_type_of
from quire.document_service.entry_values import (
    MANY_VALUES,
    EntryValues,
    RelationChange,
    RelationTarget,
)
from quire.document_service.relation_targets import (
    ResolvedTargets,
    WrittenVersion,
    resolve_targets,
    rows_of,
    target_uid,
)
from quire.document_service.system_columns import signed_by
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate import (
    Problem,
    UniqueCheck,
    ValidationRules,
    check_entry,
    check_stored,
    validation_error,
)
from quire.document_service.validate.entry import shown_entry
from quire.errors import AppError
from quire.schema.attributes.base import (
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
    StorageKind,
)

_MISSING_RELATIONS = "{} relation(s) of type {} associated with this entity do not exist"


def rejected_entry(
    unit: UnitOfWork,
    layout: EntryLayout,
    data: Mapping[str, object],
    values: EntryValues,
    resolution: ResolvedTargets,
    *,
    draft: bool,
    creating: bool,
) -> dict[str, object]:
    """Return the entry that would have been written, as Strapi shows it in error details."""
    schema, model = unit.engine.schema, layout.model
    entry = shown_entry(schema, model, data) if creating else dict(data)
    entry = _with_relations(unit, layout, entry, values, resolution)
    entry |= signed_by(unit, layout, creating=creating)
    if layout.is_localized():
        entry["locale"] = resolution.version.locale
    entry["publishedAt"] = None if draft else iso_from_ms(unit.clock())
    return entry


def _with_relations(
    unit: UnitOfWork,
    layout: EntryLayout,
    entry: Mapping[str, object],
    values: EntryValues,
    resolution: ResolvedTargets,
) -> dict[str, object]:
    described_entry = dict(entry)
    for name, value in entry.items():
        attribute = layout.model.attributes.get(name)
        if isinstance(attribute, ScalarAttribute) and attribute.secret:
            del described_entry[name]
        elif isinstance(attribute, ScalarAttribute):
            described_entry[name] = _describe_scalar(attribute, value, values.scalars.get(name))
        elif isinstance(attribute, RelationAttribute | MediaAttribute):
            change = values.relations.get(name)
            if change is not None and value is not None:
                uid = target_uid(layout, name)
                described_entry[name] = _describe_change(unit, uid, change, resolution, value)
            else:
                described_entry[name] = _as_lists(value)
        elif name in values.components and isinstance(value, list | dict):
            items = value if isinstance(value, list) else [value]
            components = values.components[name]
            if len(items) == len(components):
                complete = [
                    _with_relations(
                        unit, unit.layout(component.uid), item, component.values, resolution
                    )
                    for item, component in zip(items, components, strict=True)
                ]
                described_entry[name] = complete if isinstance(value, list) else complete[0]
    return described_entry


def _as_lists(value: object) -> object:
    """Return the value of a relation that could not be parsed in the form of error details."""
    if isinstance(value, list):
        return {"set": value}
    if isinstance(value, dict):
        return {
            name: [targets] if isinstance(targets, dict) else targets
            for name, targets in value.items()
        }
    return value


def _describe_scalar(attribute: ScalarAttribute, value: object, parsed: object) -> object:
    """Return a value as Strapi shows it: numbers and booleans that were sent as text are parsed."""
    if value is None or parsed is None:
        return value
    match attribute.storage:
        case StorageKind.BIGINTEGER:
            return str(parsed)
        case StorageKind.INTEGER | StorageKind.FLOAT | StorageKind.DECIMAL | StorageKind.BOOLEAN:
            return parsed
        case _:
            return value


def _describe_change(
    unit: UnitOfWork,
    uid: str | None,
    change: RelationChange,
    resolution: ResolvedTargets,
    value: object,
) -> dict[str, object]:
    """Return the change of a relation by row ids; those that were sent as text stay texts."""

    def ids(targets: tuple[RelationTarget, ...], verb: str) -> list[dict[str, object]]:
        items = value.get(verb, value) if isinstance(value, dict) else value
        given_ids = [_given_id(item) for item in (items if isinstance(items, list) else [items])]
        if len(given_ids) != len(targets):
            given_ids = [None] * len(targets)
        return [
            {"id": given_id if isinstance(given_id, str) and target.document_id is None else row}
            for target, given_id in zip(targets, given_ids, strict=True)
            for row in rows_of(unit, resolution, uid, target)
        ]

    if change.set is not None:
        return {"set": ids(change.set, "set")}
    description: dict[str, object] = {}
    if change.connect:
        description["connect"] = ids(change.connect, "connect")
    if change.disconnect:
        description["disconnect"] = ids(change.disconnect, "disconnect")
    return description


def _given_id(item: object) -> object:
    return item.get("id") if isinstance(item, dict) else item


def find_taken(
    unit: UnitOfWork,
    checks: Sequence[UniqueCheck],
    version: WrittenVersion,
    document_id: str | None,
    *,
    is_copy: bool = False,
) -> Program[list[UniqueCheck]]:
    """Return the checks of unique values that another document has published in this locale.

    ``document_id`` is the written document, whose own versions may have equal values; ``None`` for
    a new one. ``is_copy`` says that its rows were copied from those of another document.
    """
    taken: list[UniqueCheck] = []
    localized = version.content_type.localized
    for check in checks:
        owner = unit.layout(check.model_uid)
        column = owner.table.columns[check.attribute]
        exists = yield from is_taken(
            unit.store,
            version.content_type.uid,
            check.component_path,
            column,
            unit.encode(owner, {check.attribute: check.value})[column],
            except_document_id=document_id,
            locale=version.locale if localized else None,
            is_copy=is_copy,
        )
        if exists:
            taken.append(check)
    return taken


def parse_data(
    unit: UnitOfWork,
    layout: EntryLayout,
    data: Data,
    version: WrittenVersion,
    *,
    draft: bool,
    creating: bool,
    document_id: str | None,
    copied: frozenset[str] = frozenset(),
) -> Program[tuple[EntryValues, ResolvedTargets]]:
    """Return the values to write, and the rows of the targets of their relations.

    With ``draft`` values may be missing, and violate patterns and minimums. ``copied`` attributes
    get the values of another locale. Raises ValidationError with all problems; of the content types
    with missing rows it names the first.
    """
    if _is_large(data):
        yield LONG_COMPUTATION
    rules = ValidationRules(
        draft=draft,
        creating=creating,
        strict_relations=unit.engine.strict_relations,
        copied=copied,
    )
    checked = check_entry(unit.engine.schema, layout.model, data, rules)
    resolution = yield from resolve_targets(unit, layout, [checked.values], version)
    taken = yield from find_taken(unit, checked.uniques, version, document_id)
    missing_problems = [
        Problem((), _MISSING_RELATIONS.format(count, uid))
        for uid, count in resolution.missing.items()
    ][:1]
    problems = [*checked.problems_with(taken), *missing_problems]
    if problems and isinstance(data, Mapping):
        entry = rejected_entry(
            unit, layout, data, checked.values, resolution, draft=draft, creating=creating
        )
        problems = [
            problem if problem.path else replace(problem, value=entry) for problem in problems
        ]
    _raise_problems(problems, checked.final_error)
    return checked.values, resolution


def refuse_unknown_targets(
    unit: UnitOfWork, layout: EntryLayout, data: Data, version: WrittenVersion
) -> Program[None]:
    """Resolve the targets of relations of an update whose document does not exist.

    Raises ValidationError for the first missing one: Strapi reports it before the missing document.
    """
    rules = ValidationRules(draft=True, creating=False)
    checked = check_entry(unit.engine.schema, layout.model, data, rules)
    yield from resolve_targets(unit, layout, [checked.values], version)


def check_publishable(
    unit: UnitOfWork,
    layout: EntryLayout,
    row_id: int,
    version: WrittenVersion,
    document_id: str,
    *,
    is_copy: bool = False,
) -> Program[None]:
    """Check a stored entry by the rules of published ones, including uniqueness.

    ``is_copy`` says that it was copied from another document. Raises ValidationError with all
    problems.
    """
    entry = yield from read_stored(unit.store, layout, row_id)
    rules = ValidationRules(draft=False, creating=True, strict_relations=False)
    checked = check_stored(unit.engine.schema, layout.model, entry, rules)
    taken = yield from find_taken(unit, checked.uniques, version, document_id, is_copy=is_copy)
    _raise_problems(checked.problems_with(taken), checked.final_error)


def are_all_publishable(
    unit: UnitOfWork, layout: EntryLayout, drafts: Sequence[EntryRow]
) -> Program[bool]:
    """Check stored entries of different documents as `check_publishable` does, all at once.

    It may be false for entries of which each can be published.
    """
    entries = yield from read_all_stored(unit.store, layout, [draft.id for draft in drafts])
    yield LONG_COMPUTATION
    rules = ValidationRules(draft=False, creating=True, strict_relations=False)
    checks: list[_EntryUniqueCheck] = []
    for draft in drafts:
        if draft.id not in entries:
            return False
        checked = check_stored(unit.engine.schema, layout.model, entries[draft.id], rules)
        if checked.problems or checked.final_error is not None:
            return False
        checks += [
            _EntryUniqueCheck(check, draft.document_id, draft.locale) for check in checked.uniques
        ]
    return (yield from _are_unused(unit, layout, checks))


class ParsedEntries(NamedTuple):
    """The values of several entries, and the rows of the targets of all their relations."""

    values: list[EntryValues]
    resolution: ResolvedTargets


def parse_all_data(
    unit: UnitOfWork,
    layout: EntryLayout,
    data_by_document: Mapping[str, Data],
    version: WrittenVersion,
    *,
    draft: bool,
) -> Program[ParsedEntries | None]:
    """Parse changes of different documents as `parse_data` does, all at once.

    ``None`` where that may reject one of them. Raises ValidationError for a missing target.
    """
    yield LONG_COMPUTATION
    rules = ValidationRules(
        draft=draft, creating=False, strict_relations=unit.engine.strict_relations
    )
    all_values: list[EntryValues] = []
    checks: list[_EntryUniqueCheck] = []
    for document_id, data in data_by_document.items():
        checked = check_entry(unit.engine.schema, layout.model, data, rules)
        if checked.problems or checked.final_error is not None:
            return None
        all_values.append(checked.values)
        checks += [
            _EntryUniqueCheck(check, document_id, version.locale) for check in checked.uniques
        ]
    resolution = yield from resolve_targets(unit, layout, all_values, version)
    if resolution.missing or not (yield from _are_unused(unit, layout, checks)):
        return None
    return ParsedEntries(all_values, resolution)


class _EntryUniqueCheck(NamedTuple):
    """A value that has to be unique, and the entry that will have it."""

    check: UniqueCheck
    document_id: str
    locale: str | None


def _are_unused(
    unit: UnitOfWork, layout: EntryLayout, checks: Sequence[_EntryUniqueCheck]
) -> Program[bool]:
    """Tell whether no value is used twice, or published by another document."""
    content_type = content_type_of(layout)
    uniques: dict[_UniqueValues, list[OwnedValue]] = {}
    for check, document_id, locale in checks:
        owner = unit.layout(check.model_uid)
        values = unit.encode(owner, {check.attribute: check.value})
        same_column = _UniqueValues(
            check.model_uid,
            check.component_path,
            check.attribute,
            locale if content_type.localized else None,
        )
        owned = OwnedValue(values[owner.table.columns[check.attribute]], document_id)
        uniques.setdefault(same_column, []).append(owned)
    for same_column, owned_values in uniques.items():
        if len({owned.value for owned in owned_values}) < len(owned_values):
            return False
        owner = unit.layout(same_column.model_uid)
        attribute = owner.model.attributes[same_column.attribute]
        kind = attribute.storage if isinstance(attribute, ScalarAttribute) else StorageKind.STRING
        taken = yield from are_taken(
            unit.store,
            content_type.uid,
            same_column.component_path,
            (owner.table.columns[same_column.attribute], kind),
            owned_values,
            locale=same_column.locale,
        )
        if taken:
            return False
    return True


class _UniqueValues(NamedTuple):
    """A column whose values are unique among the published entries, or those of a locale."""

    model_uid: str
    component_path: tuple[tuple[str, str], ...]
    attribute: str
    locale: str | None


def _is_large(data: object) -> bool:
    """Tell whether data have so many values that checking them takes milliseconds.

    The count stops at the limit and uses no recursion: data may be large and deeply nested.
    """
    count, remaining = 0, [data]
    while remaining and count <= MANY_VALUES:
        value = remaining.pop()
        if isinstance(value, dict | list):
            count += len(value)
            remaining += value.values() if isinstance(value, dict) else value
    return count > MANY_VALUES


def _raise_problems(problems: list[Problem], final_error: AppError | None) -> None:
    if problems:
        raise validation_error(problems)
    if final_error is not None:
        raise final_error
