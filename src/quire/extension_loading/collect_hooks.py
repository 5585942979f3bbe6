"""Collects the marks of a project's modules and checks them against its schema.

All problems are reported at once. A project with problems does not start: code that protects
content must not be missing silently.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quire.errors import QuireError, list_problems
from quire.extension_loading.background_checks import BackgroundChecks
from quire.extension_loading.content_checks import ContentChecks, HookCheck
from quire.extension_loading.module_import import (
    ExtensionProblem,
    ImportedModules,
    import_modules,
    line_of,
)
from quire.extension_loading.routes import RouteCheck
from quire.extension_loading.server_wide_checks import DeclarationCheck
from quire.hooks.marks import ReplacesMark, own_marks
from quire.hooks.registry import Extensions, Hook, make_extensions
from quire.hooks.routes import RouteMark
from quire.hooks.storage_backends import CustomStorageBackend
from quire.schema.model import Schema
from quire.settings import Settings

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
        super().__init__(list_problems(self.problems, "the project's Python code"))


def load_extensions(project: Path, schema: Schema, settings: Settings | None = None) -> Extensions:
    """Import the Python code of a project. Raises ExtensionError with all its problems."""
    return check_extensions(import_modules(project, settings), schema)


def load_storage_backends(
    project: Path, schema: Schema, settings: Settings
) -> Mapping[str, CustomStorageBackend]:
    """Return the storage backends of a project, for programs that need none of its other code.

    Nothing is imported unless the settings name one. Raises ExtensionError as `load_extensions`.
    """
    if settings.uploads.storage_backend is None:
        return {}
    return load_extensions(project, schema, settings).storage_backends


def check_extensions(modules: ImportedModules, schema: Schema) -> Extensions:
    """Check imported code against a schema. Raises ExtensionError with all problems."""
    problems = list(modules.problems)
    hooks: list[Hook] = []
    routes, background = RouteCheck(schema), BackgroundChecks(schema)
    content, declarations = ContentChecks(schema), DeclarationCheck(schema)
    replaced_files: dict[str, str] = {}
    for file, name, function in _find_marked(modules):
        mark: Any
        for mark in own_marks(function):
            if isinstance(mark, ReplacesMark):
                problems += _add_replaced(file, function, mark, replaced_files)
                continue
            if isinstance(mark, RouteMark):
                routes.add(file, name, function, mark)
                continue
            if background.add(file, name, function, mark):
                continue
            if content.add(file, name, function, mark):
                continue
            if declarations.accepts(mark):
                declarations.add(file, name, function, mark)
                continue
            hook_check = HookCheck(schema, file, name, function, mark)
            hooks += hook_check.hooks()
            problems += hook_check.problems
    problems += routes.problems + background.problems + content.problems
    problems += declarations.finish(is_complete=not modules.problems)
    if problems:
        raise ExtensionError(problems)
    extensions = make_extensions(hooks, modules.version, routes.routes, replaced_files)
    extensions = background.added_to(extensions)
    return content.added_to(declarations.added_to(extensions))


def _add_replaced(
    file: str, function: object, mark: ReplacesMark, replaced_files: dict[str, str]
) -> list[ExtensionProblem]:
    """Add the files that a function replaces; returns the problems."""
    line = line_of(function)
    files = [mark.files] if isinstance(mark.files, str) else mark.files
    if not isinstance(files, list | tuple) or not all(isinstance(path, str) for path in files):
        message = f'replaces must be paths, such as "src/api/…/is-owner.js", not {mark.files!r}'
        return [ExtensionProblem(file, line, message)]
    replaced_files.update((path.removeprefix("./"), f"{file}:{line}") for path in files)
    return []


def _find_marked(modules: ImportedModules) -> Iterator[tuple[str, str, object]]:
    """Yield each marked function once, with the file that defines it."""
    for file, module in modules.files.items():
        for name, value in vars(module).items():
            if own_marks(value) and getattr(value, "__module__", None) == module.__name__:
                yield file, name, value
