"""``quire check --repair``: repairs rows that contradict each other."""

import asyncio
import sys
from pathlib import Path

from quire.cli.check import describe_damage
from quire.cli.check_database import check_database
from quire.cli.check_uploads import DELETES, check_uploads, delete_uploads, describe_surplus
from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import (
    EXIT_OK,
    PROBLEMS,
    confirm,
    print_message,
    print_result,
    show_progress,
)
from quire.database.integrity.check import is_repairable, repair_program
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage
from quire.database.open import open_database
from quire.database.settings_target import target_of
from quire.database.tables.table_map import map_tables
from quire.errors import ApplicationError, DatabaseOpenError
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.schema import load_project_schema

_INDENT = " " * len("to repair  ")


def repair_project(project: Path, *, duplicates: bool, dry_run: bool, yes: bool) -> int:
    """Report what would be repaired in a project's database, ask, repair it, and check again.

    All of the database is repaired in one transaction, and then uploads without a row are deleted.
    ``dry_run`` only reports, ``yes`` does not ask; ``duplicates`` allows to delete surplus versions
    of documents. Raises :class:`DatabaseOpenError` for a database that cannot be opened, and
    :class:`ApplicationError` when there is nobody to ask.
    """
    settings = load_logged(project)
    require_project(settings)
    schema = load_project_schema(settings)
    findings = _find_damage(settings, schema)
    repairable_findings = [
        finding for finding in findings if is_repairable(finding, duplicates=duplicates)
    ]
    surplus = check_uploads(settings, schema)
    if not repairable_findings and not surplus.without_row:
        print_message("There is nothing to repair.")
        return _report_remaining(findings)
    for finding in repairable_findings:
        print_result(f"to repair  {finding}: {finding.repair}")
        for line in finding.details:
            print_result(f"{_INDENT}{line}")
    if surplus.without_row:
        print_result(f"to repair  {describe_surplus(surplus)}: {DELETES}")
    if dry_run:
        print_message("Nothing was changed.")
        return PROBLEMS
    if not yes and not _ask_for_consent():
        print_message("Nothing was changed.")
        return PROBLEMS
    with show_progress("Repairing"):
        repaired_findings = asyncio.run(_repair(settings, schema, duplicates=duplicates))
        delete_uploads(settings, schema, surplus.without_row)
    print_message("This was repaired:")
    for finding in repaired_findings:
        print_result(f"repaired  {finding}: {finding.repair}")
    if surplus.without_row:
        print_result(f"repaired  {describe_surplus(surplus)}: {DELETES}")
    return _report_remaining(_find_damage(settings, schema))


def _find_damage(settings: Settings, schema: Schema) -> tuple[Damage, ...]:
    """Return the damage of rows; the database itself must be intact."""
    with show_progress("Looking into the database"):
        report = check_database(settings, schema)
    obstacles = report.damage + report.problems
    if obstacles:
        lines = "\n".join(obstacles)
        raise DatabaseOpenError(f"{lines}\nRows cannot be repaired before that is fixed.")
    return report.findings


def _ask_for_consent() -> bool:
    if not sys.stdin.isatty():
        raise ApplicationError("There is no terminal to ask on: use --yes to repair this.")
    print_message("It cannot be undone. Make a copy of the database first.")
    return confirm("Repair it now?")


async def _repair(settings: Settings, schema: Schema, *, duplicates: bool) -> list[Damage]:
    tables = map_tables(schema)
    inspector = target_of(settings).kind.inspector
    database = await open_database(settings, tables)
    try:
        existing_tables = await database.read(inspector.tables)
        layout = ExaminedTables(
            schema=schema, tables=tables, existing_tables=existing_tables, dialect=database.dialect
        )
        return await database.write(repair_program(layout, duplicates=duplicates))
    finally:
        await database.close()


def _report_remaining(findings: tuple[Damage, ...]) -> int:
    """List what was not repaired, if anything; returns the exit code."""
    if findings:
        print_message("This is left as it is:")
    for finding in findings:
        print_result(f"left  {describe_damage(finding)}")
    return PROBLEMS if any(finding.grave for finding in findings) else EXIT_OK
