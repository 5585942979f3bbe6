"""Typed models in Python: msgspec Structs, for ``msgspec.json.decode(response, type=…)``.

Names are in snake case, with their names in JSON.
"""

import json
import keyword
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quire.codegen.model_classes import ModelClass, ModelClasses, ModelField
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import unused
from quire.schema.name_words import snake_case

RESERVED_NAMES = frozenset(
    {
        *keyword.kwlist,
        *("Any", "Literal", "Struct", "UNSET", "UnsetType", "annotations", "date", "datetime"),
        *("bool", "dict", "float", "int", "list", "str", "field", "Blocks"),
        *("BlockCode", "BlockHeading", "BlockImage", "BlockImageFile", "BlockLink", "BlockList"),
        *("BlockListItem", "BlockParagraph", "BlockQuote", "BlockText"),
    }
)
"""Names that classes must not have."""

_HEADER = '''"""Typed models of a project's content.

Made by `quire types` of the schema {version}: a change belongs into the schema.

A class such as `Article` fits a response without `populate`, `ArticlePopulated` one with
it: what was not populated is `UNSET` there.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field
'''
_FORMATS = {"date-time": "datetime", "date": "date"}
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}


def python_models(models: ModelClasses) -> str:
    """Return a module with all classes. Shared schemas are plain lists and dictionaries."""
    parts = [_HEADER.format(version=models.version)]
    parts += [f"{name} = {bare_type(schema)}\n" for name, schema in models.shared.items()]
    inherited = {model.name: model for model in models.classes}
    parts += ["\n" + "\n".join(_class(s, inherited)) + "\n" for s in _bases_first(models.classes)]
    return "\n".join(parts)


def bare_type(schema: JsonSchema) -> str:
    """Return the Python type without descending into objects."""
    return "list[dict[str, Any]]" if schema.get("type") == "array" else "dict[str, Any]"


def _bases_first(classes: Sequence[ModelClass]) -> Iterator[ModelClass]:
    """Yield classes sorted so that bases come first."""
    known = {model.name: model for model in classes}
    written: set[str] = set()
    for model in classes:
        line = [model]
        while (base := line[-1].base) is not None:
            line.append(known[base])
        for one in reversed(line):
            if one.name not in written:
                written.add(one.name)
                yield one


def _class(model: ModelClass, classes: Mapping[str, ModelClass]) -> Iterator[str]:
    options = "kw_only=True"
    if model.tag is not None:
        options += f', tag_field="__component", tag={_text(model.tag)}'
    yield f"class {model.name}({model.base or 'Struct'}, {options}):"
    yield f'    """{model.about}"""'
    taken = {"field", *(name for name in _inherited(model, classes))}
    if model.members:
        yield ""
    for member in model.members:
        yield f"    {_member(member, _attribute_name(member.name, taken), model)}"


def _inherited(model: ModelClass, classes: Mapping[str, ModelClass]) -> set[str]:
    """Return the names of attributes that a class inherits."""
    taken: set[str] = set()
    base = model.base
    while base is not None:
        for member in classes[base].members:
            _attribute_name(member.name, taken)
        base = classes[base].base
    return taken


def _attribute_name(name: str, used_names: set[str]) -> str:
    """Return the name in snake case, another one where it is taken or reserved."""
    wanted = snake_case(name) or "value"
    if wanted[0].isdigit():
        wanted = f"n_{wanted}"
    if keyword.iskeyword(wanted) or wanted in {"list", "dict", "int", "str", "float", "bool"}:
        wanted = f"{wanted}_"
    if wanted in {"date", "datetime"}:
        wanted = f"{wanted}_"
    return unused(wanted, used_names)


def _member(member: ModelField, name: str, model: ModelClass) -> str:
    written = python_type(member.type)
    if member.nullable and written != "Any":
        written += " | None"
    if model.optional:
        written += " | UnsetType"
    renamed = [] if name == member.name else [f"name={_text(member.name)}"]
    unset = ["default=UNSET"] if model.optional else []
    if renamed:
        return f"{name}: {written} = field({', '.join([*renamed, *unset])})"
    return f"{name}: {written}{' = UNSET' if unset else ''}"


def python_type(schema: Mapping[str, Any]) -> str:
    """Return the Python type."""
    match schema:
        case {"class": str(name)}:
            return name
        case {"enum": [*choices]}:
            return f"Literal[{', '.join(_text(choice) for choice in choices)}]"
        case {"const": choice}:
            return f"Literal[{_text(choice)}]"
        case {"oneOf": [*schemas]} | {"anyOf": [*schemas]}:
            return " | ".join(dict.fromkeys(python_type(one) for one in schemas))
        case {"type": "array", "items": items}:
            return f"list[{python_type(items)}]"
        case {"type": "string", "format": str(kind)} if kind in _FORMATS:
            return _FORMATS[kind]
        case {"type": str(kind)}:
            return _TYPES[kind]
        case {"type": [*kinds]}:
            return " | ".join(_TYPES[kind] for kind in kinds)
        case _:
            return "Any"


def _text(value: object) -> str:
    """Return a text as a Python literal, which has JSON's form."""
    return json.dumps(value, ensure_ascii=False)
