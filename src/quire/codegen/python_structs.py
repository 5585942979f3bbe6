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
    "array": "list[Any]",
}


def python_models(models: ModelClasses) -> str:
    """Return a module with all classes. Shared schemas are plain lists and dictionaries."""
    parts = [_HEADER.format(version=models.version)]
    parts += [f"{name} = {bare_type(schema)}\n" for name, schema in models.shared.items()]
    models_by_name = {model.name: model for model in models.classes}
    parts += [
        "\n" + "\n".join(_class(model_class, models_by_name)) + "\n"
        for model_class in _sort_bases_first(models.classes)
    ]
    return "\n".join(parts)


def bare_type(schema: JsonSchema) -> str:
    """Return the Python type without descending into objects."""
    return "list[dict[str, Any]]" if schema.get("type") == "array" else "dict[str, Any]"


def _sort_bases_first(classes: Sequence[ModelClass]) -> Iterator[ModelClass]:
    """Yield classes sorted so that bases come first."""
    models_by_name = {model.name: model for model in classes}
    yielded_names: set[str] = set()
    for model in classes:
        lineage = [model]
        while (base := lineage[-1].base) is not None:
            lineage.append(models_by_name[base])
        for ancestor in reversed(lineage):
            if ancestor.name not in yielded_names:
                yielded_names.add(ancestor.name)
                yield ancestor


def _class(model: ModelClass, classes: Mapping[str, ModelClass]) -> Iterator[str]:
    options = "kw_only=True"
    if model.tag is not None:
        options += f', tag_field="__component", tag={literal(model.tag)}'
    yield f"class {model.name}({model.base or 'Struct'}, {options}):"
    yield f'    """{model.about}"""'
    used_names = {"field", *(name for name in _inherited_names(model, classes))}
    if model.members:
        yield ""
    for member in model.members:
        yield f"    {_member(member, _attribute_name(member.name, used_names), model)}"


def _inherited_names(model: ModelClass, classes: Mapping[str, ModelClass]) -> set[str]:
    """Return the names of attributes that a class inherits."""
    used_names: set[str] = set()
    base = model.base
    while base is not None:
        for member in classes[base].members:
            _attribute_name(member.name, used_names)
        base = classes[base].base
    return used_names


def _attribute_name(name: str, used_names: set[str]) -> str:
    """Return the name in snake case, another one where it is taken or reserved."""
    attribute_name = snake_case(name) or "value"
    if attribute_name[0].isdigit():
        attribute_name = f"n_{attribute_name}"
    if keyword.iskeyword(attribute_name) or attribute_name in {
        "list",
        "dict",
        "int",
        "str",
        "float",
        "bool",
    }:
        attribute_name = f"{attribute_name}_"
    if attribute_name in {"date", "datetime"}:
        attribute_name = f"{attribute_name}_"
    return unused(attribute_name, used_names)


def _member(member: ModelField, name: str, model: ModelClass) -> str:
    annotation = python_type(member.type)
    if member.nullable and annotation != "Any":
        annotation += " | None"
    if model.optional:
        annotation += " | UnsetType"
    name_options = [] if name == member.name else [f"name={literal(member.name)}"]
    default_options = ["default=UNSET"] if model.optional else []
    if name_options:
        return f"{name}: {annotation} = field({', '.join([*name_options, *default_options])})"
    return f"{name}: {annotation}{' = UNSET' if default_options else ''}"


def python_type(schema: Mapping[str, Any]) -> str:
    """Return the Python type."""
    match schema:
        case {"class": str(name)}:
            return name
        case {"enum": [*choices]}:
            return f"Literal[{', '.join(map(literal, choices))}]"
        case {"const": choice}:
            return f"Literal[{literal(choice)}]"
        case {"oneOf": [*schemas]} | {"anyOf": [*schemas]}:
            return " | ".join(dict.fromkeys(python_type(item) for item in schemas))
        case {"type": "array", "items": dict(items)}:
            return f"list[{python_type(items)}]"
        case {"type": "string", "format": str(kind)} if kind in _FORMATS:
            return _FORMATS[kind]
        case {"type": str(kind)}:
            return _TYPES[kind]
        case {"type": [*kinds]}:
            return " | ".join(_TYPES[kind] for kind in kinds)
        case _:
            return "Any"


def literal(value: object) -> str:
    """Return a JSON value as a Python literal; texts have the same form in both."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
