"""The one step in which data in the wire's form are understood and checked, inside the transaction.

First the documents that relations name are looked for (the first one missing ends it), then
everything that is wrong with the values is reported at once, and last what is wrong with the way
in which moments are written.
"""

from quire.database.program import Program
from quire.documents.intents import Data
from quire.documents.layout import Layout
from quire.documents.relations import Resolution, Version, resolve_targets
from quire.documents.stored import read_stored
from quire.documents.uniqueness import find_taken
from quire.documents.unit import UnitOfWork
from quire.documents.validate import (
    ABSENT,
    Checked,
    Problem,
    Rules,
    check_entry,
    check_stored,
    validation_error,
)
from quire.documents.values import EntryValues

_MISSING = "{} relation(s) of type {} associated with this entity do not exist"


def understand(
    unit: UnitOfWork,
    layout: Layout,
    data: Data,
    version: Version,
    *,
    draft: bool,
    creating: bool,
    document_id: str | None,
) -> Program[tuple[EntryValues, Resolution]]:
    """Return what is to be written, and the rows that its relations lead to.

    ``draft`` leaves out what only published entries have to keep. Raises ValidationError with all
    faults.
    """
    rules = Rules(draft=draft, creating=creating, strict_relations=unit.engine.strict_relations)
    checked = check_entry(unit.engine.schema, layout.model, data, rules)
    resolution = yield from resolve_targets(unit, layout, checked.values, version)
    missing = [
        Problem((), _MISSING.format(count, uid), ABSENT)
        for uid, count in resolution.missing.items()
    ]
    yield from _refuse(unit, checked, missing, version, document_id)
    return checked.values, resolution


def check_publishable(
    unit: UnitOfWork, layout: Layout, row_id: int, version: Version, document_id: str
) -> Program[None]:
    """Check a stored draft by the rules of published entries, uniqueness among them.

    Raises ValidationError with all faults.
    """
    stored = yield from read_stored(unit, layout, row_id)
    rules = Rules(draft=False, creating=True, strict_relations=False)
    checked = check_stored(unit.engine.schema, layout.model, stored, rules)
    yield from _refuse(unit, checked, [], version, document_id)


def _refuse(
    unit: UnitOfWork,
    checked: Checked,
    missing: list[Problem],
    version: Version,
    document_id: str | None,
) -> Program[None]:
    taken = yield from find_taken(unit, checked.uniques, version, document_id)
    problems = [*checked.problems, *taken, *missing]
    if problems:
        raise validation_error(problems)
    if checked.late is not None:
        raise checked.late
