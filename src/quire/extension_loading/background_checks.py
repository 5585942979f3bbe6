"""Checks the background code of a project: jobs, and functions after commits."""

import inspect
from typing import get_args

from msgspec.structs import replace

from quire.document_service.shape_queries import query_of_shape
from quire.extension_loading.jobs import JobCheck
from quire.extension_loading.mark_check import MarkCheck
from quire.extension_loading.module_import import ExtensionProblem, line_of
from quire.hooks.after_commit import ChangeListener, ChangeMark, ReadStatus
from quire.hooks.errors import UnknownFieldError, nearest
from quire.hooks.jobs import JobMark
from quire.hooks.registry import Extensions, with_listeners
from quire.hooks.schedules import ScheduleMark
from quire.hooks.shape import Shape
from quire.hooks.startup_shutdown import LifecycleFunction, LifecycleMark
from quire.hooks.write import WRITE_ACTIONS
from quire.schema.model import ContentType, Schema

_MAX_RETRIES = 100
_STATUSES: tuple[str, ...] = get_args(ReadStatus)
_MAX_KEY_LENGTH = 255


class ChangeCheck(MarkCheck[ChangeMark]):
    """The check of one mark."""

    def listeners(self, schema: Schema) -> list[ChangeListener]:
        """Return a listener for each content type; they are ignored if there are problems."""
        mark, function = self.mark, self.function
        self.check_signature(["the changes"])
        if inspect.isfunction(function) and not inspect.iscoroutinefunction(function):
            self.report(f"{self.name} must be an async def")
        actions = self.actions(mark.on, WRITE_ACTIONS)
        keep = self.names(mark.keep, "keep")
        self._check_options()
        types = self.types()
        for content_type in types:
            self._check_keep(content_type, keep)
            self._check_shape(content_type, schema)
        key = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
        if len(key) > _MAX_KEY_LENGTH:
            self.report(f"the name {key} has more than {_MAX_KEY_LENGTH} characters")
        return [
            ChangeListener(
                key=key,
                uid=content_type.uid,
                on=self.actions_of(content_type, actions),
                shape=mark.shape,
                function=function,  # type: ignore[arg-type]  # its signature was checked
                name=self.name,
                file=self.file,
                line=self.line,
                keep=tuple(keep),
                coalesce=mark.coalesce,
                retries=mark.retries,
                status=mark.status,
                linked=mark.linked,
            )
            for content_type in types
        ]

    def _check_options(self) -> None:
        mark = self.mark
        is_number = isinstance(mark.retries, int) and not isinstance(mark.retries, bool)
        if not is_number or not 0 <= mark.retries <= _MAX_RETRIES:
            self.report(
                f"retries must be a whole number from 0 to {_MAX_RETRIES}, not {mark.retries!r}"
            )
        for option in ("coalesce", "linked"):
            if not isinstance(getattr(mark, option), bool):
                self.report(f"{option} must be True or False, not {getattr(mark, option)!r}")
        if mark.status not in _STATUSES:
            suggestion = nearest(str(mark.status), _STATUSES)
            self.report(f"status must be published or draft, not {mark.status!r}{suggestion}")

    def _check_keep(self, content_type: ContentType, keep: list[str]) -> None:
        for name in keep:
            attribute = content_type.attributes.get(name)
            if attribute is None:
                suggestion = nearest(name, content_type.attributes)
                self.report(f'unknown field "{name}" of {content_type.uid} in keep{suggestion}')
            elif attribute.type.secret:
                self.report(f'the field "{name}" in keep is a password, which is never read')

    def _check_shape(self, content_type: ContentType, schema: Schema) -> None:
        shape = self.mark.shape
        if not isinstance(shape, type) or not issubclass(shape, Shape):
            self.report(f"shape must be a class of Shape, not {shape!r}")
            return
        try:
            query_of_shape(shape, content_type, schema)
        except UnknownFieldError as error:
            self.report(f"{shape.__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - an annotation may be any expression
            self.report(f"{shape.__name__}: {type(error).__name__}: {error}")


class BackgroundChecks:
    """The checks of all kinds, and their problems."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._jobs = JobCheck()
        self._listeners: list[ChangeListener] = []
        self._lifecycle: list[LifecycleFunction] = []
        self._problems: list[ExtensionProblem] = []

    @property
    def problems(self) -> list[ExtensionProblem]:
        """All problems."""
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
        lifecycle_function = LifecycleFunction(
            moment=mark.phase, function=function, name=name, file=file, line=line
        )
        self._lifecycle.append(lifecycle_function)

    def added_to(self, extensions: Extensions) -> Extensions:
        """Return a snapshot with the checked definitions."""
        jobs, schedules = tuple(self._jobs.jobs), tuple(self._jobs.schedules)
        lifecycle = tuple(sorted(self._lifecycle, key=lambda one: (one.file, one.line)))
        extended = replace(extensions, jobs=jobs, schedules=schedules, lifecycle=lifecycle)
        return with_listeners(extended, self._listeners)
