"""Typed documents for a project's Python code: a subclass of `quire.Document` for each type."""

import keyword
import re
from collections.abc import Iterator, Mapping
from typing import Any

from quire.codegen import python_structs
from quire.codegen.model_classes import CLASS, ModelClass, ModelClasses
from quire.hooks.document import Document
from quire.schema.attributes.json_schema import JsonSchema

RESERVED_NAMES = python_structs.RESERVED_NAMES | {"Document"}
"""Names that classes must not have."""

_HEADER = '''"""Typed documents of the project, for its Python code.

Made by `quire types` of the schema {version}: a change belongs into the schema.

A field that a read has not loaded raises NotLoadedError, relations and components among them.
"""

from __future__ import annotations
{imports}
from quire import Document
'''
_DICTIONARY = frozenset(dir(Document))


def document_classes(models: ModelClasses) -> str:
    """Return a module with a class for each model. Values are those of JSON: times are strings."""
    plain_classes = {
        model_class.name: model_class for model_class in models.classes if model_class.base is None
    }
    roots = {model_class.name: _root(model_class, models) for model_class in models.classes}
    members = {name: [*_members(model_class, roots)] for name, model_class in plain_classes.items()}
    for model_class in models.classes:
        if model_class.optional and model_class.base is not None:
            members[model_class.base] += _members(model_class, roots)
    parts = [
        f"{name} = {python_structs.bare_type(schema)}\n" for name, schema in models.shared.items()
    ]
    parts += [
        "\n" + "\n".join(_class(model_class, members[name])) + "\n"
        for name, model_class in plain_classes.items()
    ]
    body = "\n".join(parts)
    # A name that is imported and not used is an error to strict type checkers.
    used_names = [name for name in ("Any", "Literal") if re.search(rf"\b{name}\b", body)]
    imports = f"\nfrom typing import {', '.join(used_names)}\n" if used_names else ""
    return f"{_HEADER.format(version=models.version, imports=imports)}\n{body}"


def _class(model: ModelClass, members: list[str]) -> Iterator[str]:
    yield f"class {model.name}(Document):"
    yield f'    """{model.about}"""'
    yield ""
    if "::" in model.uid:
        yield f'    __uid__ = "{model.uid}"'
    yield from (f"    {member}" for member in members)


def _members(model: ModelClass, roots: Mapping[str, str]) -> Iterator[str]:
    """Yield fields that attributes can represent; others are read by their key."""
    for member in model.members:
        if not member.name.isidentifier() or keyword.iskeyword(member.name):
            continue
        if member.name in _DICTIONARY:
            continue
        text = python_structs.python_type(_stored_schema(member.type, roots))
        yield f"{member.name}: {text}{' | None' if member.nullable and text != 'Any' else ''}"


def _root(model: ModelClass, models: ModelClasses) -> str:
    """Return the base-most class of a class."""
    classes_by_name = {model_class.name: model_class for model_class in models.classes}
    while model.base is not None:
        model = classes_by_name[model.base]
    return model.name


def _stored_schema(schema: JsonSchema, roots: Mapping[str, str]) -> dict[str, Any]:
    """Return a type with times as strings, and with the one class that each model has here."""
    stored_schema: dict[str, Any] = {}
    for key, value in schema.items():
        if key == CLASS:
            stored_schema[key] = roots.get(str(value), value)
        elif key == "format":
            continue
        elif isinstance(value, Mapping):
            stored_schema[key] = _stored_schema(value, roots)
        elif isinstance(value, list | tuple):
            stored_schema[key] = [
                _stored_schema(item, roots) if isinstance(item, Mapping) else item for item in value
            ]
        else:
            stored_schema[key] = value
    return stored_schema
