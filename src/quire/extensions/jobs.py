"""Checks functions that are marked as jobs."""

import inspect
from collections.abc import Iterator

from msgspec.structs import replace

from quire.extensions.modules import ExtensionProblem
from quire.hooks.errors import nearest
from quire.hooks.jobs import JobDefinition, JobMark, fields_of_template
from quire.jobs.job import Job

_MOST_RETRIES = 100
_LONGEST_TIMEOUT = 86_400
_LONGEST_NAME = 255


class JobCheck:
    """The check of the jobs of a project, with all problems that were found."""

    def __init__(self) -> None:
        self.problems: list[ExtensionProblem] = []
        self.jobs: list[JobDefinition] = []

    def add(self, file: str, name: str, job: object, mark: JobMark) -> None:
        """Check one mark of a job."""
        code = getattr(inspect.unwrap(job), "__code__", None)  # type: ignore[arg-type]  # anything may be marked
        line: int = getattr(code, "co_firstlineno", 1)
        found = list(_problems(name, job, mark))
        self.problems += (ExtensionProblem(file, line, f"job: {problem}") for problem in found)
        if not found and isinstance(job, Job):
            self.jobs.append(replace(job.definition, file=file))


def _problems(name: str, job: object, mark: JobMark) -> Iterator[str]:
    function = inspect.unwrap(job)  # type: ignore[arg-type]  # anything may be marked
    if not isinstance(job, Job) or not inspect.isfunction(function):
        yield f"{name} is not a function"
        return
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        yield f"{name} is a generator; it must return, not yield"
    yield from _option_problems(mark)
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


def _option_problems(mark: JobMark) -> Iterator[str]:
    if not _is_number(mark.retries, int) or not 0 <= mark.retries <= _MOST_RETRIES:
        yield f"retries must be a whole number from 0 to {_MOST_RETRIES}, not {mark.retries!r}"
    if not _is_number(mark.timeout, int | float) or not 1 <= mark.timeout <= _LONGEST_TIMEOUT:
        yield f"timeout must be from 1 to {_LONGEST_TIMEOUT} seconds, not {mark.timeout!r}"
    if not isinstance(mark.queue, str) or not 0 < len(mark.queue) <= _LONGEST_NAME:
        yield f"queue must be a name, not {mark.queue!r}"


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


def _is_number(value: object, types: object) -> bool:
    return isinstance(value, types) and not isinstance(value, bool)  # type: ignore[arg-type]  # a type or a union
