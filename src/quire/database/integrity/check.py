"""Checks a whole database, and repairs it."""

from collections.abc import Iterator

from quire.database.integrity.components import component_rules
from quire.database.integrity.drafts import DraftRule
from quire.database.integrity.duplicates import duplicate_rules
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage
from quire.database.integrity.identity import identity_rules
from quire.database.integrity.links import link_rules, reference_rules
from quire.database.integrity.morphs import morph_rules
from quire.database.integrity.rules import IntegrityRule
from quire.database.integrity.system_tables import (
    DefaultLocaleRule,
    MigrationRule,
    StoredLocales,
    locales_program,
)
from quire.database.program import Program


def examine_program(layout: ExaminedTables) -> Program[list[Damage]]:
    """Look for all damage there is; changes nothing."""
    findings: list[Damage] = []
    locales = yield from locales_program(layout)
    for rule in _rules(layout, locales):
        findings += yield from rule.find()
    return findings


def repair_program(layout: ExaminedTables, *, duplicates: bool = False) -> Program[list[Damage]]:
    """Repair what can be repaired, and return it; run it in one transaction.

    Rules are gone through one after the other, so that what one of them leaves behind (components
    of deleted rows, their links) is mended by the next; the result tells that too. Surplus versions
    of documents are deleted only with ``duplicates``.

    References come before everything else, and again in their turn: where a database looks at all
    foreign keys of a row that is changed twice, no rule could change a row that has lost one.
    """
    mended: list[Damage] = []
    locales = yield from locales_program(layout)
    for rule in (*reference_rules(layout), *_rules(layout, locales)):
        found = yield from rule.find()
        chosen = [one for one in found if is_mended(one, duplicates=duplicates)]
        if chosen:
            yield from rule.repair()
            mended += chosen
    return mended


def is_mended(finding: Damage, *, duplicates: bool) -> bool:
    """Tell whether a repair mends a finding, with or without leave to delete surplus versions."""
    return finding.repair is not None and (duplicates or not finding.asks)


def _rules(layout: ExaminedTables, locales: StoredLocales) -> Iterator[IntegrityRule]:
    """Iterate over all rules in the order in which they are mended.

    First what tells versions apart, then rows that go, then links to and from what is gone, at last
    the drafts that are copied from all that.
    """
    yield MigrationRule(layout)
    yield DefaultLocaleRule(layout, locales)
    yield from identity_rules(layout, locales.effective)
    yield from duplicate_rules(layout)
    yield from component_rules(layout)
    yield from link_rules(layout)
    yield from morph_rules(layout)
    yield from reference_rules(layout)
    yield DraftRule(layout)
