"""Checks functions that are marked as jobs or schedules."""

import inspect
from collections.abc import Iterator
from datetime import datetime
from typing import get_type_hints
from zoneinfo import available_timezones

from msgspec.structs import replace

from quire.extension_loading.module_import import ExtensionProblem
from quire.hooks.errors import nearest
from quire.hooks.jobs import JobDefinition, JobMark, arguments_of, fields_of_template
from quire.hooks.schedules import MISSED_RUNS, ScheduleDefinition, ScheduleMark, require_cron
from quire.jobs.job import Job

_MAX_RETRIES = 100
_LONGEST_TIMEOUT = 86_400
_LONGEST_NAME = 255
_LONGEST_CRON = 200


class JobCheck:
    """The check of the jobs and schedules of a project, and its problems."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self.jobs: list[JobDefinition] = []
        self.schedules: list[ScheduleDefinition] = []

    def add(self, file: str, name: str, job: object, mark: JobMark) -> None:
        """Check one mark of a job."""
        problems = list(_problems(name, job, mark))
        self._report(file, job, "job", problems)
        if not problems and isinstance(job, Job):
            self.jobs.append(replace(job.definition, file=file))

    def add_schedule(self, file: str, name: str, function: object, mark: ScheduleMark) -> None:
        """Check one mark of a schedule."""
        problems = list(_schedule_problems(name, function, mark))
        self._report(file, function, f'schedule("{mark.cron}")', problems)
        if problems or not inspect.isfunction(function):
            return
        full_name = f"{function.__module__}.{function.__qualname__}"
        job = JobDefinition(
            name=full_name,
            function=function,
            arguments=arguments_of(full_name, function),
            retries=mark.retries,
            timeout=mark.timeout,
            one_at_a_time=full_name,
            file=file,
            line=line_of(function),
        )
        definition = ScheduleDefinition(job=job, cron=mark.cron, tz=mark.tz, missed=mark.missed)
        self.schedules.append(definition)

    def _report(self, file: str, function: object, mark_text: str, problems: list[str]) -> None:
        line = line_of(function)
        self.problems += (
            ExtensionProblem(file, line, f"{mark_text}: {problem}") for problem in problems
        )


def line_of(function: object) -> int:
    """Return the line of a function's definition, 1 if it is not a function."""
    code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]  # anything may be marked
    line: int = getattr(code, "co_firstlineno", 1)
    return line


def _problems(name: str, job: object, mark: JobMark) -> Iterator[str]:
    function = inspect.unwrap(job)  # type: ignore[arg-type]  # anything may be marked
    if not isinstance(job, Job) or not inspect.isfunction(function):
        yield f"{name} is not a function"
        return
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        yield f"{name} is a generator; it must return, not yield"
    yield from _limit_problems(mark.retries, mark.timeout)
    if not isinstance(mark.queue, str) or not 0 < len(mark.queue) <= _LONGEST_NAME:
        yield f"queue must be a name, not {mark.queue!r}"
    try:
        definition = job.definition
    except TypeError as error:
        yield str(error)
        return
    except Exception as error:  # noqa: BLE001 - an annotation may be any expression
        yield f"an annotation of {name} cannot be evaluated: {type(error).__name__}: {error}"
        return
    if len(definition.name) > _LONGEST_NAME:
        yield f"the name {definition.name} has more than {_LONGEST_NAME} characters"
    yield from _template_problems(mark.one_at_a_time, definition.arguments.__struct_fields__)


def _schedule_problems(name: str, function: object, mark: ScheduleMark) -> Iterator[str]:
    if not inspect.isfunction(function):
        yield f"{name} is not a function"
        return
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        yield f"{name} is a generator; it must return, not yield"
    parameters = inspect.signature(function).parameters
    if list(parameters) not in ([], ["due"]):
        signature = f"{name}{inspect.signature(function)}"
        yield f"{signature} must take no arguments, or one that is called due"
    elif parameters and get_type_hints(function).get("due") is not datetime:
        yield "the parameter due must be a datetime"
    yield from _limit_problems(mark.retries, mark.timeout)
    if mark.missed not in MISSED_RUNS:
        suggestion = nearest(str(mark.missed), MISSED_RUNS)
        choices = f"{', '.join(MISSED_RUNS[:-1])} or {MISSED_RUNS[-1]}"
        yield f"missed must be {choices}, not {mark.missed!r}{suggestion}"
    yield from _cron_problems(mark)


def _cron_problems(mark: ScheduleMark) -> Iterator[str]:
    if not isinstance(mark.tz, str) or mark.tz not in available_timezones():
        suggestion = nearest(str(mark.tz), available_timezones())
        yield f"there is no time zone {mark.tz!r}{suggestion}"
        return
    if not isinstance(mark.cron, str) or len(mark.cron) > _LONGEST_CRON:
        yield "the first argument must be a cron expression"
        return
    try:
        require_cron(mark.cron, mark.tz)
    except ValueError as error:
        yield str(error)


def _limit_problems(retries: object, timeout: object) -> Iterator[str]:
    if not _is_within(retries, int, 0, _MAX_RETRIES):
        yield f"retries must be a whole number from 0 to {_MAX_RETRIES}, not {retries!r}"
    if timeout is not None and not _is_within(timeout, (int, float), 1, _LONGEST_TIMEOUT):
        yield f"timeout must be from 1 to {_LONGEST_TIMEOUT} seconds, not {timeout!r}"


def _template_problems(template: object, parameters: tuple[str, ...]) -> Iterator[str]:
    if template is None:
        return
    if not isinstance(template, str) or not template:
        yield f'one_at_a_time must be a text, such as "search", not {template!r}'
        return
    try:
        names = fields_of_template(template)
    except ValueError as error:
        yield f'one_at_a_time is "{template}": {error}'
        return
    for name in names:
        if name not in parameters:
            yield (
                f'one_at_a_time names "{name}", which is no parameter{nearest(name, parameters)}'
            )


def _is_within(value: object, types: type | tuple[type, ...], minimum: int, maximum: int) -> bool:
    is_number = isinstance(value, types) and not isinstance(value, bool)
    return is_number and minimum <= float(str(value)) <= maximum
