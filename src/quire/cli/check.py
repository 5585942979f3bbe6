"""``quire check``: says what is wrong with a project, all of it at once, and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from quire.cli.exit_codes import DONE, PROBLEMS
from quire.cli.project import require_project
from quire.cli.terminal import print_result, working
from quire.customisations import find_customisations
from quire.database.integrity.findings import Finding, counted
from quire.errors import ConfigurationError, DatabaseOpenError, SchemaError, StorageError
from quire.schema.load import load_schema
from quire.schema.model import Schema
from quire.settings import NEW_SECRETS_COMMAND, Settings, SettingsError, load_settings

_INDENT = " " * len("problem  ")


class _Report(Struct):
    """What was found so far: problems stop the server or close content, warnings do not."""

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        yield from (f"problem  {text}" for text in self.problems)
        yield from (f"warning  {text}" for text in self.warnings)
        if self.problems or self.warnings:
            yield ""
        problems, warnings = len(self.problems), len(self.warnings)
        yield f"{_counted(problems, 'problem')}, {_counted(warnings, 'warning')}."


def check_project(project: Path) -> int:
    """Check a project and print what was found; returns the exit code.

    Raises :class:`ConfigurationError` when there is no project to check.
    """
    report = _Report()
    settings = _settings(project, report)
    schema = _schema(project if settings is None else settings.project, settings, report)
    if settings is not None and schema is not None:
        _customisations(settings, schema, report)
        _database(settings, schema, report)
    for line in report.lines():
        print_result(line)
    return PROBLEMS if report.problems else DONE


def _settings(project: Path, report: _Report) -> Settings | None:
    try:
        settings = load_settings(project)
    except SettingsError as error:
        report.problems += [str(fault) for fault in error.faults]
        return None
    require_project(settings)
    report.warnings += settings.notices
    try:
        settings.require_secrets()
    except ConfigurationError as error:
        report.problems.append(str(error).replace("\n", " "))
        return settings
    missing = settings.missing_secrets()
    if missing:
        report.warnings.append(
            f"{', '.join(missing)} not set; `{NEW_SECRETS_COMMAND}` prints lines with new ones."
        )
    return settings


def _schema(project: Path, settings: Settings | None, report: _Report) -> Schema | None:
    from quire.strapi_project.schema import load_project_schema

    try:
        schema = load_schema(project) if settings is None else load_project_schema(settings)
    except SchemaError as error:
        report.problems += [str(problem) for problem in error.problems]
        return None
    uncertain = [one for one in schema.custom_fields if one.type.origin in {"database", "assumed"}]
    report.warnings += [
        f"{one}; another type can be set under [custom_fields] in quire.toml" for one in uncertain
    ]
    report.warnings += map(str, schema.notices)
    return schema


def _customisations(settings: Settings, schema: Schema, report: _Report) -> None:
    found = find_customisations(settings, schema.content_types.values())
    for finding in found.findings:
        if finding.effect == "closed":
            names = ", ".join(finding.closes)
            report.problems.append(
                f"{finding}; closed until the file is listed under [migration] ignore: {names}"
            )
        elif finding.effect == "warning":
            report.warnings.append(str(finding))
    report.warnings += [
        f"quire.toml: migration.ignore: nothing to ignore at {pattern}"
        for pattern in found.unused_ignores
    ]


def _database(settings: Settings, schema: Schema, report: _Report) -> None:
    from quire.cli.check_database import check_database

    try:
        with working("Looking into the database"):
            found = check_database(settings, schema)
    except DatabaseOpenError as error:
        report.problems.append(str(error))
        return
    report.problems += found.damage
    report.problems += found.problems
    report.warnings += found.warnings
    for finding in found.findings:
        (report.problems if finding.grave else report.warnings).append(told(finding))
    if not found.problems and not found.damage:
        _uploads(settings, schema, report)


def _uploads(settings: Settings, schema: Schema, report: _Report) -> None:
    from quire.cli.check_uploads import check_uploads, lines_about

    try:
        with working("Looking for uploads"):
            report.warnings += lines_about(check_uploads(settings, schema))
    except (StorageError, ConfigurationError) as error:
        report.problems.append(f"Uploads cannot be looked for: {error}")


def told(finding: Finding) -> str:
    """A finding with what mends it, and with its details on lines of their own."""
    option = " --duplicates" if finding.asks else ""
    mends = f"; `quire check --repair{option}` {finding.repair}" if finding.repair else ""
    return "\n".join((f"{finding}{mends}", *(f"{_INDENT}{line}" for line in finding.details)))


def _counted(count: int, noun: str) -> str:
    return counted(count, noun) if count else f"no {noun}s"
