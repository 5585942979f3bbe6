"""Integrity rules whose statements are built once for all databases with the same tables.

A check of the recorded project has 150 statements, and building them is most of what it costs.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterator
from functools import partial

from msgspec import Struct

from quire.database.integrity import check
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage
from quire.database.integrity.integrity_rule import IntegrityRule
from quire.database.integrity.links import reference_rules
from quire.database.program import Program, Rows, Statement

_LAYOUTS = 64

_all_rules = check._rules  # noqa: SLF001 - nothing else has all


class _RecordedRun(Struct):
    """What a rule asks, and is answered, where it finds nothing."""

    answers: list[tuple[Statement, Rows]]


class _RecordedLayout(Struct):
    """Existing tables of a schema, and what their rules ask where there is no damage."""

    layout: ExaminedTables
    dialect: Hashable
    recorded_runs: dict[Hashable, _RecordedRun]


_layouts: deque[_RecordedLayout] = deque(maxlen=_LAYOUTS)


def share_integrity_rules(identity: Callable[[ExaminedTables], Hashable]) -> None:
    """Let the checks of this process share statements; ``identity`` is that of the dialect."""
    vars(check).update(
        _rules=partial(_shared, identity, _all_rules),
        reference_rules=partial(_shared, identity, reference_rules),
    )


def _shared(
    identity: Callable[[ExaminedTables], Hashable],
    rules: Callable[..., Iterator[IntegrityRule]],
    layout: ExaminedTables,
    *details: Hashable,
) -> Iterator[IntegrityRule]:
    known = _known(layout, identity(layout))
    for number, rule in enumerate(rules(layout, *details)):
        yield _SharedRule(rule, known.recorded_runs, (rules, details, number))


def _known(layout: ExaminedTables, dialect: Hashable) -> _RecordedLayout:
    for known in _layouts:
        if (
            known.layout.schema is layout.schema
            and known.layout.tables is layout.tables
            and known.dialect == dialect
            and known.layout.existing_tables == layout.existing_tables
        ):
            return known
    known = _RecordedLayout(layout, dialect, {})
    _layouts.append(known)
    return known


class _SharedRule:
    """A rule that repeats the statements of the last time while they are answered as they were."""

    def __init__(
        self, rule: IntegrityRule, recorded_runs: dict[Hashable, _RecordedRun], key: Hashable
    ) -> None:
        self._rule = rule
        self._recorded_runs = recorded_runs
        self._key = key

    def find(self) -> Program[list[Damage]]:
        """See `IntegrityRule`."""
        answers: list[tuple[Statement, Rows]] = []
        known = self._recorded_runs.get(self._key)
        if known is not None:
            for statement, expected in known.answers:
                rows = yield statement
                answers.append((statement, rows))
                if rows != expected:
                    break
            else:
                return []
        findings = yield from _replayed(self._rule.find(), answers)
        if known is None and not findings:
            self._recorded_runs[self._key] = _RecordedRun(answers)
        return findings

    def repair(self) -> Program[None]:
        """See `IntegrityRule`."""
        yield from self._rule.repair()


def _replayed(
    program: Program[list[Damage]], answers: list[tuple[Statement, Rows]]
) -> Program[list[Damage]]:
    """Run a program whose first statements have been run; adds what it is answered."""
    rows: Rows | None = None
    number = 0
    try:
        while True:
            statement = next(program) if rows is None else program.send(rows)
            if number == len(answers):
                answers.append((statement, (yield statement)))
            rows = answers[number][1]
            number += 1
    except StopIteration as done:
        findings: list[Damage] = done.value
        return findings
