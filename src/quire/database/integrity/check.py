"""Checks a whole database, and repairs it."""

from collections.abc import Iterator

from quire.database.integrity.components import component_rules
from quire.database.integrity.document_identity import identity_rules
from quire.database.integrity.duplicates import duplicate_rules
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage
from quire.database.integrity.integrity_rule import IntegrityRule
from quire.database.integrity.links import link_rules, reference_rules
from quire.database.integrity.missing_drafts import DraftRule
from quire.database.integrity.morph_links import morph_rules
from quire.database.integrity.system_tables import (
    DefaultLocaleRule,
    MigrationRule,
    StoredLocales,
    locales_program,
)
from quire.database.program import Program


def examine_program(layout: ExaminedTables) -> Program[list[Damage]]:
    """Find all damage; changes nothing."""
    findings: list[Damage] = []
    locales = yield from locales_program(layout)
    for rule in _rules(layout, locales):
        findings += yield from rule.find()
    return findings


def repair_program(layout: ExaminedTables, *, duplicates: bool = False) -> Program[list[Damage]]:
    """Repair what can be repaired, and return it; run it in one transaction.

    Rules are applied one after the other, so that what one of them leaves behind (components of
    deleted rows, their links) is repaired by the next; the result contains that too. Surplus
    versions of documents are deleted only with ``duplicates``.

    References are repaired first, and again in their usual position: a database that checks all
    foreign keys of a row that is changed twice would reject every change of a row with a broken
    reference.
    """
    repaired: list[Damage] = []
    locales = yield from locales_program(layout)
    for rule in (*reference_rules(layout), *_rules(layout, locales)):
        findings = yield from rule.find()
        repairable = [
            finding for finding in findings if is_repairable(finding, duplicates=duplicates)
        ]
        if repairable:
            yield from rule.repair()
            repaired += repairable
    return repaired


def is_repairable(finding: Damage, *, duplicates: bool) -> bool:
    """Tell whether a repair fixes a finding, with or without permission to delete versions."""
    return finding.repair is not None and (duplicates or not finding.needs_consent)


def _rules(layout: ExaminedTables, locales: StoredLocales) -> Iterator[IntegrityRule]:
    """Iterate over all rules in the order of their repairs.

    First what identifies versions, then rows that are deleted, then links to and from missing rows,
    and last the drafts that are copied from all that.
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
