"""The public names of ``quire`` and ``quire.testing``: signatures, and their page.

``python -m tests.extending.public_names`` writes the golden file and the page.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import msgspec

import quire
import quire.testing
from tests.docs.pages import DOCS

GOLDEN = Path(__file__).parent / "golden" / "public_names.txt"
PAGE = DOCS / "extending" / "reference.md"
_MODULES: tuple[ModuleType, ...] = (quire, quire.testing)
_QUALIFIED = re.compile(
    r"\b(?:typing|collections\.abc|datetime|httpx|quire(?:\.[a-z_]+)+)\.(?=[A-Z]|date)"
)
_UNIONS: Mapping[str, tuple[str, ...]] = {"Union": (), "Optional": ("None",)}
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_INTRODUCTION = """\
# Reference of the Python API

What `quire` and `quire.testing` export. The pages on [hooks](writes.md),
[documents](documents.md), [routes](routes.md) and other tasks show how it is used.
`python -m tests.extending.public_names` in a checkout writes this page.
"""


def golden_text() -> str:
    """Return a line for each public name and each public member of a class."""
    return "".join(f"{line}\n" for module in _MODULES for line in _lines(module))


def page_text() -> str:
    """Return the reference page."""
    parts = [_INTRODUCTION]
    for module in _MODULES:
        parts.append(f"\n## `{module.__name__}`\n")
        parts += [_section(name, getattr(module, name)) for name in module.__all__]
    return "".join(parts)


def _lines(module: ModuleType) -> Iterator[str]:
    for name in module.__all__:
        value = getattr(module, name)
        full = f"{module.__name__}.{name}"
        yield f"{full}{_signature(value)}"
        for member, described in _members(value):
            yield f"{full}.{member}{described}"


def _section(name: str, value: object) -> str:
    text = inspect.getdoc(value) or ""
    shown = f"\n### `{name}{_signature(value)}`\n\n{_markdown(text)}\n"
    members = "".join(f"- `{member}{described}`\n" for member, described in _members(value))
    return f"{shown}\n{members}" if members else shown


def _markdown(text: str) -> str:
    """Return a docstring as Markdown: code in single backticks, literal blocks as such."""
    text = text.replace("``", "`")
    lines = (line[:-1] if line.endswith("::") else line for line in text.splitlines())
    return "\n".join(lines)


def _members(value: object) -> Iterator[tuple[str, str]]:
    """Yield the public fields and methods of a class, or of the class of an object."""
    kind = value if isinstance(value, type) else type(value)
    if not kind.__module__.startswith("quire"):
        return
    if isinstance(value, type) and issubclass(value, msgspec.Struct):
        for field in msgspec.structs.fields(value):
            if not field.name.startswith("_"):
                yield field.name, f": {_type_text(field.type)}"
    for name in sorted(vars(kind)):
        member = vars(kind)[name]
        if name.startswith("_") or name in getattr(value, "__struct_fields__", ()):
            continue
        is_decorator = callable(member) and type(member).__module__.startswith("quire")
        if isinstance(member, property):
            yield name, ""
        elif inspect.isfunction(member) or is_decorator:
            yield name, _signature(member)


def _signature(value: object) -> str:
    is_struct = isinstance(value, type) and issubclass(value, msgspec.Struct)
    if is_struct or not callable(value):
        return ""  # the fields of a struct are listed
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    return _shortened(_ADDRESS.sub("", text))


def _type_text(hint: object) -> str:
    return _shortened(hint.__qualname__ if isinstance(hint, type) else str(hint))


def _shortened(text: str) -> str:
    """Leave out the modules of names, and the signs of type variables; write all unions with ``|``.

    Python before 3.14 shows some of them as ``Union`` or ``Optional``.
    """
    text = _QUALIFIED.sub("", text).replace("~", "").replace("+", "")
    for name, more in _UNIONS.items():
        while (start := text.find(f"{name}[")) >= 0:
            members, end = _split_brackets(text, start + len(name) + 1)
            text = text[:start] + " | ".join([*members, *more]) + text[end:]
    return text


def _split_brackets(text: str, start: int) -> tuple[list[str], int]:
    """Return what stands in brackets, split at its commas, and where the brackets have ended."""
    members, depth, begin = [], 0, start
    for position in range(start, len(text)):
        character = text[position]
        if depth == 0 and character in ",]":
            members.append(text[begin:position].strip())
            begin = position + 1
            if character == "]":
                return members, begin
        depth += (character == "[") - (character == "]")
    message = f"brackets are not closed: {text}"
    raise ValueError(message)


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(golden_text(), encoding="utf-8")
    PAGE.write_text(page_text(), encoding="utf-8")
