"""Parses and validates the data of a command, inside the transaction.

First the documents that relations name are looked for (the first one missing ends it), then
everything that is wrong with the values is reported at once, and last what is wrong with the way
in which moments are written.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.read_entry import read_stored
from quire.database.program import LONG_COMPUTATION, Program
from quire.document_service.commands import Data
from quire.document_service.entry_snapshot import whole_entry
from quire.document_service.entry_values import MANY_VALUES, EntryValues
from quire.document_service.relations import ResolvedTargets, WrittenVersion, resolve_targets
from quire.document_service.uniqueness import find_taken
from quire.document_service.unit_of_work import UnitOfWork
from quire.document_service.validate import (
    Problem,
    ValidationRules,
    check_entry,
    check_stored,
    validation_error,
)
from quire.errors import AppError

_MISSING = "{} relation(s) of type {} associated with this entity do not exist"


def parse_data(
    unit: UnitOfWork,
    layout: EntryLayout,
    data: Data,
    version: WrittenVersion,
    *,
    draft: bool,
    creating: bool,
    document_id: str | None,
) -> Program[tuple[EntryValues, ResolvedTargets]]:
    """Return what is to be written, and the rows that its relations lead to.

    ``draft`` leaves out what only published entries have to keep. Raises ValidationError with all
    faults; of the content types whose rows are missing it names the first.
    """
    if _is_large(data):
        yield LONG_COMPUTATION
    rules = ValidationRules(
        draft=draft, creating=creating, strict_relations=unit.engine.strict_relations
    )
    checked = check_entry(unit.engine.schema, layout.model, data, rules)
    resolution = yield from resolve_targets(unit, layout, checked.values, version)
    taken = yield from find_taken(unit, checked.uniques, version, document_id)
    missing = [
        Problem((), _MISSING.format(count, uid)) for uid, count in resolution.missing.items()
    ][:1]
    problems = [*checked.problems, *taken, *missing]
    if problems and isinstance(data, Mapping):
        whole = whole_entry(
            unit, layout, data, checked.values, resolution, draft=draft, creating=creating
        )
        problems = [p if p.path else replace(p, value=whole) for p in problems]
    _refuse(problems, checked.late)
    return checked.values, resolution


def refuse_unknown_targets(
    unit: UnitOfWork, layout: EntryLayout, data: Data, version: WrittenVersion
) -> Program[None]:
    """Look for the documents that relations name, where there is nothing to write to.

    Raises ValidationError for the first one missing.
    """
    rules = ValidationRules(draft=True, creating=False)
    checked = check_entry(unit.engine.schema, layout.model, data, rules)
    yield from resolve_targets(unit, layout, checked.values, version)


def check_publishable(
    unit: UnitOfWork,
    layout: EntryLayout,
    row_id: int,
    version: WrittenVersion,
    document_id: str,
    *,
    is_copy: bool = False,
) -> Program[None]:
    """Check a stored entry by the rules of published ones, uniqueness among them.

    ``is_copy`` tells that it was copied from another document. Raises ValidationError with all
    faults.
    """
    stored = yield from read_stored(unit.store, layout, row_id)
    rules = ValidationRules(draft=False, creating=True, strict_relations=False)
    checked = check_stored(unit.engine.schema, layout.model, stored, rules)
    taken = yield from find_taken(unit, checked.uniques, version, document_id, is_copy=is_copy)
    _refuse([*checked.problems, *taken], checked.late)


def _is_large(data: object) -> bool:
    """Tell whether data hold so many values that it takes milliseconds to check them."""
    count, left = 0, [data]
    while left and count <= MANY_VALUES:
        value = left.pop()
        if isinstance(value, dict | list):
            count += len(value)
            left += value.values() if isinstance(value, dict) else value
    return count > MANY_VALUES


def _refuse(problems: list[Problem], late: AppError | None) -> None:
    if problems:
        raise validation_error(problems)
    if late is not None:
        raise late
