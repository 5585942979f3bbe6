"""Collects the marks of a project's modules and checks them against its schema.

All problems are reported at once. A project with any does not start: code that protects content
must not be missing silently.
"""

import inspect
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from quire.errors import QuireError
from quire.extensions.jobs import JobCheck
from quire.extensions.modules import ExtensionProblem, ImportedModules, import_modules
from quire.extensions.routes import RouteCheck
from quire.hooks.document import Document, uid_of
from quire.hooks.errors import nearest
from quire.hooks.extensions import Extensions, Hook, make_extensions
from quire.hooks.jobs import JobMark
from quire.hooks.marks import MARKS, HookMark
from quire.hooks.routes import RouteMark
from quire.hooks.write import WRITE_ACTIONS, WriteAction
from quire.schema.model import USER_UID, ContentType, Schema
from quire.settings import Settings

_VERSIONED = frozenset({"publish", "unpublish", "discard_draft"})
"""Actions that only types with draft & publish have."""

__all__ = [
    "ExtensionError",
    "ExtensionProblem",
    "check_extensions",
    "import_modules",
    "load_extensions",
]


class ExtensionError(QuireError):
    """The Python code of a project has mistakes; ``problems`` lists all of them."""

    def __init__(self, problems: Iterable[ExtensionProblem]) -> None:
        """``problems`` is not empty."""
        self.problems = tuple(sorted(problems))
        lines = "\n".join(f"  {problem}" for problem in self.problems)
        count = len(self.problems)
        super().__init__(
            f"{count} problem{'s' if count != 1 else ''} in the project's Python code:\n{lines}"
        )


def load_extensions(project: Path, schema: Schema, settings: Settings | None = None) -> Extensions:
    """Import the Python code of a project. Raises ExtensionError with all of its problems."""
    return check_extensions(import_modules(project, settings), schema)


def check_extensions(modules: ImportedModules, schema: Schema) -> Extensions:
    """Check imported code against a schema. Raises ExtensionError with all problems."""
    problems = list(modules.problems)
    hooks: list[Hook] = []
    routes, jobs = RouteCheck(schema), JobCheck()
    for file, name, function in _marked(modules):
        for mark in getattr(function, MARKS):
            if isinstance(mark, RouteMark):
                routes.add(file, name, function, mark)
                continue
            if isinstance(mark, JobMark):
                jobs.add(file, name, function, mark)
                continue
            checked = _Check(schema, file, name, function, mark)
            hooks += checked.hooks()
            problems += checked.problems
    problems += routes.problems + jobs.problems
    if problems:
        raise ExtensionError(problems)
    return make_extensions(hooks, modules.version, routes.routes, jobs.jobs)


def _marked(modules: ImportedModules) -> Iterator[tuple[str, str, object]]:
    """Yield each marked function once, with the file that defines it."""
    for file, module in modules.files.items():
        for name, value in vars(module).items():
            # The attribute of a class is not that of its instances, so only functions count.
            if isinstance(getattr(value, MARKS, None), tuple) and (
                getattr(value, "__module__", None) == module.__name__
            ):
                yield file, name, value


class _Check:
    """The check of one mark of one function."""

    def __init__(
        self, schema: Schema, file: str, name: str, function: object, mark: HookMark
    ) -> None:
        self.problems: list[ExtensionProblem] = []
        self._schema = schema
        self._file = file
        self._name = name
        self._function = function
        self._mark = mark
        code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]  # any object may be marked
        self._line: int = getattr(code, "co_firstlineno", 1)

    def hooks(self) -> list[Hook]:
        """Return a hook for each content type; none of them counts when there are problems."""
        self._check_signature()
        actions = self._actions()
        order = self._mark.order
        if not isinstance(order, int) or isinstance(order, bool):
            self._report(f"order must be an integer, not {order!r}")
        needs = self._names(self._mark.needs, "needs")
        types = self._types()
        for content_type in types:
            self._check_fields(content_type, needs)
        named = not self._is_pattern()
        return [
            Hook(
                phase=self._mark.phase,
                uid=content_type.uid,
                on=self._actions_of(content_type, actions, named=named),
                function=self._function,  # type: ignore[arg-type]  # its signature was checked
                name=self._name,
                file=self._file,
                line=self._line,
                document=self._document(),
                needs=tuple(needs),
                order=order,
            )
            for content_type in types
        ]

    def _report(self, message: str) -> None:
        kind = self._mark.kind
        shown = kind.__name__ if isinstance(kind, type) else f'"{kind}"'
        text = f"{self._mark.phase}({shown}): {message}"
        self.problems.append(ExtensionProblem(self._file, self._line, text))

    def _check_signature(self) -> None:
        function = self._function
        if not inspect.isfunction(function):
            self._report(f"{self._name} is not a function")
            return
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            self._report(f"{self._name} is a generator; it must return, not yield")
        parameters = inspect.signature(function).parameters.values()
        required = [p for p in parameters if p.default is p.empty and p.kind not in _VARIADIC]
        positional = [p for p in parameters if p.kind in _POSITIONAL]
        if len(required) > 1 or not positional or any(p not in positional for p in required):
            signature = f"{self._name}{inspect.signature(function)}"
            self._report(f"{signature} must take one argument, the write")

    def _names(self, given: object, option: str) -> list[str]:
        if isinstance(given, str) or not isinstance(given, Sequence | set | frozenset):
            self._report(f'{option} must be a list of names, such as ["title"], not {given!r}')
            return []
        names = [name for name in given if isinstance(name, str)]
        if len(names) != len(given):
            self._report(f"{option} must be a list of names, not {given!r}")
        return names

    def _actions(self) -> list[WriteAction]:
        names = self._names(self._mark.on, "on")
        if not names and not self.problems:
            self._report("on names no action")
        for name in names:
            if name not in WRITE_ACTIONS:
                self._report(f'unknown action "{name}" in on{nearest(name, WRITE_ACTIONS)}')
        return [action for action in WRITE_ACTIONS if action in names]

    def _is_pattern(self) -> bool:
        return isinstance(self._mark.kind, str) and "*" in self._mark.kind

    def _types(self) -> list[ContentType]:
        try:
            uid = uid_of(self._mark.kind)
        except ValueError as error:
            self._report(str(error))
            return []
        known = {one.uid: one for one in self._schema.api_types}
        if USER_UID in self._schema.content_types:
            known[USER_UID] = self._schema.content_types[USER_UID]
        if self._is_pattern():
            types = [one for name, one in known.items() if fnmatchcase(name, uid)]
            if not types:
                self._report(f"no content type matches the pattern; there are {', '.join(known)}")
            return types
        if uid in known:
            return [known[uid]]
        if uid in self._schema.content_types:
            self._report("documents of this content type are not written through actions")
        else:
            self._report(f"unknown content type{nearest(uid, known)}")
        return []

    def _actions_of(
        self, content_type: ContentType, actions: Sequence[WriteAction], *, named: bool
    ) -> tuple[WriteAction, ...]:
        """Return the actions that a type has; a pattern may match types that lack some."""
        if content_type.draft_and_publish:
            return tuple(actions)
        lacking = [action for action in actions if action in _VERSIONED]
        if lacking and named:
            self._report(
                f"{content_type.uid} has no draft & publish, so it is never "
                f"{' or '.join(_PARTICIPLES[action] for action in lacking)}"
            )
        return tuple(action for action in actions if action not in _VERSIONED)

    def _check_fields(self, content_type: ContentType, needs: Sequence[str]) -> None:
        for name in needs:
            attribute = content_type.attributes.get(name)
            if attribute is None:
                known = content_type.attributes
                of = f" of {content_type.uid}" if self._is_pattern() else ""
                self._report(f'unknown field "{name}"{of} in needs{nearest(name, known)}')
            elif attribute.type.secret:
                self._report(f'the field "{name}" in needs is a password, which is never read')

    def _document(self) -> type[Document]:
        kind = self._mark.kind
        return kind if isinstance(kind, type) and issubclass(kind, Document) else Document


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_PARTICIPLES = {
    "publish": "published",
    "unpublish": "unpublished",
    "discard_draft": "reset to what is published",
}
