"""Checks what the code of a project does in the background: jobs, and what follows commits."""

import inspect

from msgspec.structs import replace

from quire.extensions.change_check import ChangeCheck
from quire.extensions.jobs import JobCheck
from quire.extensions.modules import ExtensionProblem, line_of
from quire.hooks.changes import ChangeListener, ChangeMark
from quire.hooks.extensions import Extensions, with_listeners
from quire.hooks.jobs import JobMark
from quire.hooks.lifecycle import LifecycleFunction, LifecycleMark
from quire.hooks.schedules import ScheduleMark
from quire.schema.model import Schema


class BackgroundChecks:
    """The checks of all kinds, with all problems that were found."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._jobs = JobCheck()
        self._listeners: list[ChangeListener] = []
        self._lifecycle: list[LifecycleFunction] = []
        self._problems: list[ExtensionProblem] = []

    @property
    def problems(self) -> list[ExtensionProblem]:
        """What is wrong."""
        return [*self._jobs.problems, *self._problems]

    def add(self, file: str, name: str, function: object, mark: object) -> bool:
        """Check one mark of a function; tells whether it is of one of these kinds."""
        match mark:
            case JobMark():
                self._jobs.add(file, name, function, mark)
            case ScheduleMark():
                self._jobs.add_schedule(file, name, function, mark)
            case LifecycleMark():
                self._check_lifecycle(file, name, function, mark)
            case ChangeMark():
                check = ChangeCheck(self._schema, file, name, function, mark)
                self._listeners += check.listeners(self._schema)
                self._problems += check.problems
            case _:
                return False
        return True

    def _check_lifecycle(self, file: str, name: str, function: object, mark: LifecycleMark) -> None:
        line = line_of(function)
        if not inspect.isfunction(function) or inspect.signature(function).parameters:
            text = f"{mark.phase}: {name} must be a function that takes no arguments"
            self._problems.append(ExtensionProblem(file, line, text))
            return
        one = LifecycleFunction(
            moment=mark.phase, function=function, name=name, file=file, line=line
        )
        self._lifecycle.append(one)

    def added_to(self, extensions: Extensions) -> Extensions:
        """Return a snapshot with what was checked."""
        jobs, schedules = tuple(self._jobs.jobs), tuple(self._jobs.schedules)
        lifecycle = tuple(sorted(self._lifecycle, key=lambda one: (one.file, one.line)))
        found = replace(extensions, jobs=jobs, schedules=schedules, lifecycle=lifecycle)
        return with_listeners(found, self._listeners)
