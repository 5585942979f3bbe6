"""Imports the Python modules below ``src/`` of a project, and those of packages."""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from quire.extension_loading.code_settings import CodeSettingsError, code_settings
from quire.extension_loading.package_loading import (
    PackageError,
    installed_packages,
    load_package,
)
from quire.hooks.errors import nearest
from quire.settings import SETTINGS_FILE, Settings, load_settings

SOURCE_FOLDER = "src"
"""The folder of a project's code, which is also its top-level package."""
_NO_SUCH_NAME = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})


class ExtensionProblem(Struct, frozen=True, order=True):
    """A mistake in the code of a project: the file, the line, and what is wrong."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.message}"


class ImportedModules(Struct, frozen=True, kw_only=True):
    """The modules of a project by file, import errors, and a version.

    ``version`` is a hash of all files; ``sections`` are those of the settings that were read.
    ``sources`` are the contents of the project's files.
    """

    files: dict[str, ModuleType]
    problems: tuple[ExtensionProblem, ...]
    version: str
    sections: frozenset[str] = frozenset()
    sources: dict[str, bytes] = {}

    def sources_used_by(self, file: str) -> dict[str, bytes]:
        """Return the contents of a file and of all files of the project that it imports."""
        files_by_name = {module.__name__: path for path, module in self.files.items()}
        used_sources: dict[str, bytes] = {}
        pending = [file]
        while pending:
            path = pending.pop()
            if path in self.sources and path in self.files and path not in used_sources:
                used_sources[path] = self.sources[path]
                names = _imported_names(self.files[path], used_sources[path])
                pending += [files_by_name[name] for name in names if name in files_by_name]
        return used_sources


def _imported_names(module: ModuleType, source: bytes) -> Iterator[str]:
    """Yield the names of modules that a module imports, anywhere in its code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            relative_name = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(relative_name, module.__package__)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def import_modules(project: Path, settings: Settings | None = None) -> ImportedModules:
    """Import all modules of a project, as ``src.…``; import errors become problems.

    ``settings`` are those that the modules read; by default the project's, from its files and the
    environment. Modules that were imported before are imported again; existing references to them
    are unchanged.
    """
    files = list(python_files(project))
    settings = settings or load_settings(project)
    if not files and not settings.extensions.packages:
        return ImportedModules(files={}, problems=(), version="")
    _forget_modules()
    package = ModuleType(SOURCE_FOLDER)
    # An explicit path, so that no folder of this name elsewhere on sys.path is part of it.
    package.__path__ = [str(project / SOURCE_FOLDER)]
    sys.modules[SOURCE_FOLDER] = package
    importlib.invalidate_caches()
    modules: dict[str, ModuleType] = {}
    problems: list[ExtensionProblem] = []
    sources: dict[str, bytes] = {}
    digest = hashlib.blake2b(digest_size=16)
    with code_settings(settings) as sections:
        for file, module in _import_packages(settings, problems):
            modules[file] = module
            digest.update(f"{file}\0".encode())
        for path in files:
            file = path.relative_to(project).as_posix()
            sources[file] = path.read_bytes()
            digest.update(f"{file}\0".encode() + sources[file])
            try:
                modules[file] = importlib.import_module(_name_of(path.relative_to(project)))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the module raises is reported
                problems.append(_problem_of(error, project, file))
    return ImportedModules(
        files=modules,
        problems=tuple(problems),
        version=digest.hexdigest(),
        sections=frozenset(sections),
        sources=sources,
    )


def _import_packages(
    settings: Settings, problems: list[ExtensionProblem]
) -> Iterator[tuple[str, ModuleType]]:
    """Yield the modules of the packages that the settings name, in their order.

    Their names sort before files of the project, and in that order.
    """
    packages = settings.extensions.packages
    packages_by_name = installed_packages() if packages else {}
    for number, allowed_package in enumerate(packages, 1):
        try:
            modules = load_package(allowed_package, packages_by_name)
        except PackageError as error:
            message = f"extensions.packages: {allowed_package.name}: {error}"
            problems.append(ExtensionProblem(SETTINGS_FILE, 1, message))
            continue
        version = packages_by_name[allowed_package.name].version
        for module in modules:
            yield f"packages/{number:02}/{allowed_package.name}-{version}/{module.__name__}", module


def line_of(function: object) -> int:
    """Return the first line of a function or class of a project, 1 if it is unknown."""
    code = getattr(inspect.unwrap(function), "__code__", None)  # type: ignore[arg-type]  # anything may be marked
    if code is not None:
        return int(code.co_firstlineno)
    try:
        return inspect.getsourcelines(function)[1]  # type: ignore[arg-type]  # likewise
    except (OSError, TypeError):
        return 1


def python_files(project: Path) -> Iterator[Path]:
    """Yield the Python files of a project, sorted by path."""
    source = project / SOURCE_FOLDER
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).parts
        if (
            not any(part in _SKIPPED_FOLDERS or part.startswith(".") for part in parts)
            and path.is_file()
        ):
            yield path


def _name_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _forget_modules() -> None:
    for name in [name for name in sys.modules if name.split(".", 1)[0] == SOURCE_FOLDER]:
        del sys.modules[name]


def _problem_of(error: BaseException, project: Path, file: str) -> ExtensionProblem:
    """Return a problem at the line of the project's code that failed last."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        location = _relative_path(project, error.filename) or file
        return ExtensionProblem(location, error.lineno or 1, f"SyntaxError: {error.msg}")
    line = 1
    for frame in traceback.extract_tb(error.__traceback__):
        project_path = _relative_path(project, frame.filename)
        if project_path is not None:
            file, line = project_path, frame.lineno or 1
    if isinstance(error, CodeSettingsError):
        return ExtensionProblem(file, line, str(error))
    return ExtensionProblem(file, line, f"{type(error).__name__}: {error}{_similar_name(error)}")


def _similar_name(error: BaseException) -> str:
    """Return a suggestion for a name that a module does not have; empty for other errors."""
    match = _NO_SUCH_NAME.match(str(error)) if isinstance(error, ImportError) else None
    module = None if match is None else sys.modules.get(match["module"])
    if match is None or module is None:
        return ""
    return nearest(match["name"], [*dir(module), *getattr(module, "__all__", ())])


def _relative_path(project: Path, file: str) -> str | None:
    path = Path(file)
    source = project / SOURCE_FOLDER
    return path.relative_to(project).as_posix() if path.is_relative_to(source) else None
