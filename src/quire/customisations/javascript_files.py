"""Reads the JavaScript files of a project."""

import json
import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from quire.javascript.modules import CODE, plain_export
from quire.javascript.scope import Module
from quire.schema.name_words import kebab_case

_SUFFIXES = (".cjs", ".js", ".json", ".mjs", ".ts")
_MAX_BYTES = 256 * 1024
_UNREADABLE = "throw new Error('unreadable');"
"""The text of a file that is unreadable or too large: code that is not understood."""
_TEST_CALL = re.compile(r"^describe\(", re.MULTILINE)
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class SourceFile(Struct, frozen=True, dict=True):
    """A file: its path in the project, its registered name, its text, and its location.

    It is parsed once, on first use.
    """

    path: str
    name: str
    text: str
    location: Path

    @cached_property
    def module(self) -> Module:
        """The parsed module."""
        return Module(self.text, self.location)

    @cached_property
    def exported(self) -> object:
        """The exports of the file as plain data, or ``CODE``."""
        if self.location.suffix != ".json":
            return plain_export(self.module)
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return CODE

    @property
    def is_readable(self) -> bool:
        """Whether the text is that of the file."""
        return self.text != _UNREADABLE

    @property
    def stem(self) -> str:
        """The file's name without suffix."""
        return self.location.stem


def registered_name(name: str) -> str:
    """Return the registered name of a folder or a file (without suffix): kebab-case."""
    return name if _KEBAB.fullmatch(name) else kebab_case(name)


def folders(parent: Path) -> Iterator[Path]:
    """Yield the folders inside a folder, by name, without hidden ones."""
    for entry in _entries(parent):
        if not entry.name.startswith(".") and entry.is_dir():
            yield parent / entry.name


def sources(project: Path, folder: Path) -> Iterator[SourceFile]:
    """Yield the JavaScript, TypeScript and JSON files directly in a folder, by name."""
    for entry in _entries(folder):
        name = entry.name
        if name.endswith(_SUFFIXES) and not name.endswith(".d.ts") and entry.is_file():
            file = _read(project, folder / name)
            if not _is_test(file):
                yield file


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is in a folder, by name; nothing if it is none.

    Unlike a `Path`, an entry knows whether it is a folder: asking the file system hundreds of times
    takes longer than the rest of a scan.
    """
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def resolve_source(project: Path, path: str) -> SourceFile | None:
    """Return the file of a path in the project as ``require`` finds it, ``None`` if it has none."""
    for suffix in ("", *_SUFFIXES, *(f"/index{suffix}" for suffix in _SUFFIXES)):
        file = (project / f"{path}{suffix}").resolve()
        if file.is_file() and file.is_relative_to(project.resolve()):
            return _read(project.resolve(), file)
    return None


def nested_sources(project: Path, folder: Path) -> Iterator[SourceFile]:
    """Yield the JavaScript and TypeScript files in a folder and the folders in it."""
    yield from sources(project, folder)
    for inner in folders(folder):
        if inner.name != "node_modules":
            yield from nested_sources(project, inner)


def named_sources(project: Path, folder: Path, name: str) -> Iterator[SourceFile]:
    """Yield the files of a folder with the given name before their suffix."""
    return (file for file in sources(project, folder) if file.stem == name)


def _is_test(file: SourceFile) -> bool:
    """Whether a file contains tests: Strapi does not load it, or could not start with it."""
    is_named = ".test." in file.location.name or ".spec." in file.location.name
    return is_named and _TEST_CALL.search(file.text) is not None


def _read(project: Path, path: Path) -> SourceFile:
    relative = path.relative_to(project).as_posix()
    return SourceFile(relative, registered_name(path.stem), _text(path), path)


def _text(path: Path) -> str:
    """Return the text of a file, as Node.js decodes it; an unreadable one counts as code."""
    try:
        is_small = path.stat().st_size <= _MAX_BYTES
        if not is_small:
            return _UNREADABLE
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _UNREADABLE
