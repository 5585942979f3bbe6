"""``quire check``: reports all problems of a project; changes nothing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from quire.cli.hooks import (
    around_line,
    computed_line,
    declaration_lines,
    hook_line,
    job_line,
    lifecycle_line,
    listener_line,
    policy_line,
    route_line,
    rule_line,
    schedule_line,
)
from quire.cli.project_settings import load_logged, require_project
from quire.cli.terminal import EXIT_OK, PROBLEMS, print_result, show_progress
from quire.customisations import Customisations, find_customisations
from quire.customisations.coverage import ServiceLevel, TypeSummary, summarize
from quire.database.integrity.findings import Damage, count_noun
from quire.errors import (
    ConfigurationError,
    DatabaseOpenError,
    SchemaError,
    SchemaProblem,
    StorageError,
)
from quire.extension_loading import (
    ExtensionError,
    check_extensions,
    import_modules,
    installed_packages,
)
from quire.hooks.errors import nearest
from quire.hooks.registry import NO_EXTENSIONS, Extensions
from quire.schema.load import load_schema
from quire.schema.model import Schema
from quire.schema.normalize import UNKNOWN_OPTION
from quire.settings import NEW_SECRETS_COMMAND, Settings, SettingsError

Group = Literal["served", "served differently", "closed", "not served", "ignored"]

_LABELS: Mapping[Group, str] = {
    "served": "served",
    "served differently": "warning",
    "closed": "problem",
    "not served": "warning",
    "ignored": "ignored",
}
"""The prefixes of lines, by group."""
_WIDTH = len("problem  ")

_INDENT = " " * len("problem  ")


class CheckReport(Struct):
    """The report of the check.

    ``problems`` prevent the project from being served, ``warnings`` do not; ``groups`` are the
    findings about files of a Strapi project. ``types`` are empty while the content types cannot be
    read.
    """

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    groups: dict[Group, list[str]] = field(default_factory=lambda: {name: [] for name in _LABELS})
    types: tuple[TypeSummary, ...] = ()

    @property
    def has_problems(self) -> bool:
        """Whether there are problems."""
        return bool(self.problems or self.groups["closed"])

    @property
    def complete(self) -> int:
        """How many content types are served completely."""
        return sum(summary.served is ServiceLevel.COMPLETELY for summary in self.types)

    def lines(self) -> Iterator[str]:
        """Yield the report for a terminal."""
        yield from (f"problem  {text}" for text in self.problems)
        yield from (f"warning  {text}" for text in self.warnings)
        for name, texts in self.groups.items():
            if texts:
                yield from ("", f"{name.capitalize()} ({len(texts)}):")
                yield from (f"{_LABELS[name]:<{_WIDTH}}{text}" for text in texts)
        if self.types and any(self.groups.values()):
            total = count_noun(len(self.types), "content type")
            verb = "is" if self.complete == 1 else "are"
            yield from ("", f"{self.complete} of {total} {verb} served completely.")
        problems, warnings = self._counts()
        if problems or warnings:
            yield ""
        yield f"{_format_count(problems, 'problem')}, {_format_count(warnings, 'warning')}."

    def _counts(self) -> tuple[int, int]:
        labels = [_LABELS[name] for name, texts in self.groups.items() for _ in texts]
        return (
            len(self.problems) + labels.count("problem"),
            len(self.warnings) + labels.count("warning"),
        )

    def json(self) -> str:
        """Return the report for scripts."""
        return json.dumps(
            {
                "problems": self.problems,
                "warnings": self.warnings,
                "served": self.groups["served"],
                "servedDifferently": self.groups["served differently"],
                "closed": self.groups["closed"],
                "notServed": self.groups["not served"],
                "ignored": self.groups["ignored"],
                "types": {"total": len(self.types), "completely": self.complete},
                "contentTypes": [_summary_json(summary) for summary in self.types],
            },
            indent=2,
            ensure_ascii=False,
        )


def _summary_json(summary: TypeSummary) -> object:
    return {
        "uid": summary.uid,
        "served": summary.served.value,
        "closedActions": list(summary.closed_actions),
        "files": list(summary.files),
        "unservedRoutes": list(summary.unserved_routes),
        "unservedAttributes": list(summary.unserved_attributes),
    }


def _format_count(count: int, noun: str) -> str:
    return count_noun(count, noun) if count else f"no {noun}s"


def check_project(project: Path, *, as_json: bool = False) -> int:
    """Check a project and print what was found; returns the exit code.

    Raises :class:`ConfigurationError` when there is no project to check.
    """
    report = CheckReport()
    settings = _settings(project, report)
    schema = _schema(project if settings is None else settings.project, settings, report)
    if settings is not None and schema is not None:
        extensions = _extensions(settings, schema, report)
        _customisations(settings, schema, extensions, report)
        _database(settings, schema, report)
    if as_json:
        print_result(report.json())
    else:
        for line in report.lines():
            print_result(line)
    return PROBLEMS if report.has_problems else EXIT_OK


def _settings(project: Path, report: CheckReport) -> Settings | None:
    try:
        settings = load_logged(project)
    except SettingsError as error:
        report.problems += [str(problem) for problem in error.problems]
        return None
    require_project(settings)
    report.warnings += settings.notices
    try:
        settings.require_secrets()
    except ConfigurationError as error:
        report.problems.append(str(error).replace("\n", " "))
        return settings
    missing_names = settings.missing_secrets()
    if missing_names:
        report.warnings.append(
            f"{', '.join(missing_names)} not set; "
            f"`{NEW_SECRETS_COMMAND}` prints lines with new ones."
        )
    return settings


def _schema(project: Path, settings: Settings | None, report: CheckReport) -> Schema | None:
    from quire.strapi_project.schema import load_project_schema

    try:
        schema = load_schema(project) if settings is None else load_project_schema(settings)
    except SchemaError as error:
        report.problems += [str(problem) for problem in error.problems]
        return None
    for custom_field in schema.custom_fields:
        if custom_field.type.origin in {"database", "assumed"}:
            hint = "; another type can be set under [custom_fields] in quire.toml"
            report.groups["served differently"].append(f"{custom_field}{hint}")
        else:
            report.groups["served"].append(str(custom_field))
    report.groups["served differently"] += _notice_lines(schema.notices)
    return schema


def _notice_lines(notices: Iterable[SchemaProblem]) -> Iterator[str]:
    """Yield a line for each notice, but one for all attributes with the same unknown option."""
    by_line: dict[str, list[SchemaProblem]] = {}
    for notice in notices:
        is_option = notice.message.startswith(UNKNOWN_OPTION)
        key = notice.path.rpartition(".")[2] if is_option else str(notice)
        by_line.setdefault(key, []).append(notice)
    for first, *others in by_line.values():
        places = count_noun(len(others), "other attribute")
        yield f"{first} (as in {places})" if others else str(first)


def _customisations(
    settings: Settings, schema: Schema, extensions: Extensions, report: CheckReport
) -> None:
    customisations = find_customisations(settings, schema, extensions.replaced)
    report.types = summarize(customisations, schema)
    groups = report.groups
    groups["served"] += _changed_routes(customisations)
    for finding in customisations.findings:
        if finding.effect == "closed":
            is_global = schema.content_types.keys() <= set(finding.closes)
            names = "all content types" if is_global else ", ".join(finding.closes)
            groups["closed"].append(
                f"{finding}; closed until Python code replaces the file, or it is listed under "
                f"[migration] ignore: {names}"
            )
        elif finding.effect == "ignored":
            groups["ignored"].append(str(finding))
        elif finding.effect == "replaced":
            location = extensions.replaced[finding.file]
            groups["served"].append(f"{finding.file}: is replaced by {location}")
        elif finding.kind in {"routes", "configuration"}:
            groups["served differently"].append(str(finding))
        else:
            groups["not served"].append(str(finding))
    groups["not served"] += map(str, customisations.unserved)
    report.warnings += [
        f"quire.toml: migration.ignore: nothing to ignore at {pattern}"
        for pattern in customisations.unused_ignores
    ]
    files = [finding.file for finding in customisations.findings]
    report.warnings += [
        f"{location}: replaces: there is nothing to replace at {file}{nearest(file, files)}"
        for location, file in customisations.unused_replacements
    ]


def _extensions(settings: Settings, schema: Schema, report: CheckReport) -> Extensions:
    """Report on the Python code; returns it, or none of it if it has mistakes."""
    allowed_names = {package.name for package in settings.extensions.packages}
    report.warnings += [
        f"{package.name} {package.version} is installed, but extensions.packages does not name it: "
        "it is not loaded"
        for package in installed_packages().values()
        if package.name not in allowed_names
    ]
    try:
        modules = import_modules(settings.project, settings)
        extensions = check_extensions(modules, schema)
    except ExtensionError as error:
        report.problems += [str(problem) for problem in error.problems]
        return NO_EXTENSIONS
    report.warnings += [
        f"quire.toml: [extensions.config.{section}] is read by no code of the project"
        f"{nearest(section, modules.sections)}"
        for section in settings.extensions.config
        if section not in modules.sections
    ]
    report.groups["served"] += [hook_line(hook) for hook in extensions.hooks]
    report.groups["served"] += [
        around_line(call) for call in dict.fromkeys(chain.from_iterable(extensions.around.values()))
    ]
    report.groups["served"] += [rule_line(rule) for rule in extensions.rules]
    report.groups["served"] += [policy_line(policy) for policy in extensions.policies]
    report.groups["served"] += [
        computed_line(field) for fields in extensions.computed.values() for field in fields.values()
    ]
    report.groups["served"] += [route_line(route) for route in extensions.routes]
    report.groups["served"] += declaration_lines(extensions)
    report.groups["served"] += [listener_line(listener) for listener in extensions.listeners]
    report.groups["served"] += [job_line(job) for job in extensions.jobs]
    report.groups["served"] += [schedule_line(schedule) for schedule in extensions.schedules]
    report.groups["served"] += [lifecycle_line(function) for function in extensions.lifecycle]
    return extensions


def _changed_routes(customisations: Customisations) -> Iterator[str]:
    """Yield the routes that are served with changes by code of the project."""
    for uid, routes in customisations.routes.items():
        for route in routes:
            descriptions = [
                *(["without a permission"] if route.permission is None else ()),
                *(["for signed-in users"] if route.needs_user else ()),
                *(["for nobody"] if route.is_refused else ()),
                *(["with a query that its code changes"] if route.steps else ()),
                *(["by what its code reads"] if route.read is not None else ()),
                *(["by code that is evaluated"] if route.is_scripted else ()),
            ]
            if descriptions:
                yield f"{uid}: {route.method} {route.path} is served {', '.join(descriptions)}"


def _database(settings: Settings, schema: Schema, report: CheckReport) -> None:
    from quire.cli.check_database import check_database

    try:
        with show_progress("Looking into the database"):
            database_report = check_database(settings, schema)
    except DatabaseOpenError as error:
        report.problems.append(str(error))
        return
    report.problems += database_report.damage
    report.problems += database_report.problems
    report.warnings += database_report.warnings
    for finding in database_report.findings:
        (report.problems if finding.grave else report.warnings).append(describe_damage(finding))
    if not database_report.problems and not database_report.damage:
        _uploads(settings, schema, report)


def _uploads(settings: Settings, schema: Schema, report: CheckReport) -> None:
    from quire.cli.check_uploads import check_uploads, describe_orphans

    try:
        with show_progress("Looking for uploads"):
            report.warnings += describe_orphans(check_uploads(settings, schema))
    except ExtensionError:
        return  # it is reported already
    except (StorageError, ConfigurationError) as error:
        report.problems.append(f"Uploads cannot be looked for: {error}")


def describe_damage(finding: Damage) -> str:
    """Describe a finding with its repair, and its details on separate lines."""
    option = " --duplicates" if finding.needs_consent else ""
    hint = f"; `quire check --repair{option}` {finding.repair}" if finding.repair else ""
    return "\n".join((f"{finding}{hint}", *(f"{_INDENT}{line}" for line in finding.details)))
