"""Finds registrations of custom fields in JavaScript.

A registration is a call ``customFields.register({ name, plugin, type })``, or one with a list of
such objects. Its values are literals, or constants of the same file. Nothing is run.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from quire.javascript.tokens import Token, tokenise
from quire.settings.model import STORAGE_TYPES

_SUFFIXES = frozenset({".js", ".ts", ".mjs", ".cjs", ".mts"})
_LARGEST_FILE = 1024 * 1024
_MOST_FILES = 400
"""How many files of one plugin are read: server code is small, admin bundles are left out."""
_LEFT_OUT = frozenset({"node_modules", "admin", "build", "tests", "__tests__"})
_CALL = ("customFields", ".", "register", "(")


class Registration(Struct, frozen=True):
    """The attribute type that a plugin registers a custom field with, and the file."""

    uid: str
    type: str
    file: str


def find_registrations(project: Path) -> Mapping[str, Registration]:
    """Return the registrations of a project by uid: its own code, then installed packages."""
    found: dict[str, Registration] = {}
    for folder, owner in _places(project):
        for path in _files(folder):
            for registration in _registrations(project, path, owner):
                found.setdefault(registration.uid, registration)
    return found


def _places(project: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield folders with server code, and the names of their plugins."""
    for path in sorted((project / "src").glob("index.*")):
        yield path, None
    plugins = project / "src" / "plugins"
    if plugins.is_dir():
        for folder in sorted(plugins.iterdir()):
            if folder.is_dir():
                yield folder, _plugin_name(folder) or folder.name
    for name in sorted(_dependencies(project)):
        package = project / "node_modules" / name
        plugin = _plugin_name(package)
        if plugin is not None:
            yield package, plugin


def _dependencies(project: Path) -> frozenset[str]:
    found = _json(project / "package.json").get("dependencies")
    return frozenset(found) if isinstance(found, dict) else frozenset()


def _plugin_name(folder: Path) -> str | None:
    """Return the name that a package declares as a Strapi plugin."""
    strapi = _json(folder / "package.json").get("strapi")
    name = strapi.get("name") if isinstance(strapi, dict) else None
    return name if isinstance(name, str) else None


def _json(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _files(place: Path) -> Iterator[Path]:
    """Yield the JavaScript files in a folder that may be server code, up to a number."""
    if place.is_file():
        yield place
        return
    files = sorted(path for path in place.rglob("*") if _is_server_code(path.relative_to(place)))
    yield from files[:_MOST_FILES]


def _is_server_code(path: Path) -> bool:
    return (
        path.suffix in _SUFFIXES
        and not path.name.endswith((".d.ts", ".test.ts", ".test.js"))
        and not _LEFT_OUT.intersection(path.parts)
    )


def _registrations(project: Path, path: Path, owner: str | None) -> Iterator[Registration]:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return
        source = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return
    if "customFields" not in source:
        return
    file = path.relative_to(project).as_posix()
    tokens = tokenise(source)
    constants = _constants(tokens)
    for values in _calls(tokens, constants):
        name, type_ = values.get("name"), values.get("type")
        if name is None or type_ not in STORAGE_TYPES:
            continue
        plugin = (values["plugin"] or owner) if "plugin" in values else None
        uid = f"plugin::{plugin}.{name}" if plugin else f"global::{name}"
        yield Registration(uid, str(type_), file)


def _constants(tokens: tuple[Token, ...]) -> dict[str, str]:
    """Return the string constants of a file."""
    found = {}
    for index in range(len(tokens) - 3):
        first, name, mark, value = tokens[index : index + 4]
        if first.is_word("const", "var", "let") and mark.is_mark("=") and value.kind == "string":
            found[name.text] = value.text
    return found


def _calls(
    tokens: tuple[Token, ...], constants: Mapping[str, str]
) -> Iterator[dict[str, str | None]]:
    for index in range(len(tokens) - len(_CALL)):
        if all(tokens[index + at].text == text for at, text in enumerate(_CALL)):
            yield from _objects(tokens, index + len(_CALL), constants)


def _objects(
    tokens: tuple[Token, ...], position: int, constants: Mapping[str, str]
) -> Iterator[dict[str, str | None]]:
    """Yield the objects among the arguments of a call, with their string members.

    A member with an unknown value is ``None``.
    """
    members: dict[str, str | None] = {}
    depth = 1
    braces = 0
    while position < len(tokens) and depth:
        token = tokens[position]
        if token.kind == "mark" and token.text in "([{":
            depth += 1
            braces += token.text == "{"
        elif token.kind == "mark" and token.text in ")]}":
            depth -= 1
            braces -= token.text == "}"
            if token.text == "}" and not braces:
                yield members
                members = {}
        elif braces == 1 and token.kind in {"word", "string"} and position + 2 < len(tokens):
            key, colon, value = tokens[position : position + 3]
            if colon.is_mark(":") and not tokens[position - 1].is_mark(":"):
                is_text = value.kind == "string"
                members[key.text] = value.text if is_text else constants.get(value.text)
                position += 1
        position += 1
