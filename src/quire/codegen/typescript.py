"""Typed models in TypeScript: interfaces, with the names of JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from quire.codegen.model_classes import ModelClass, ModelClasses, ModelField
from quire.schema.attributes.json_schema import JsonSchema

RESERVED_NAMES = frozenset(
    {
        *("Array", "Blocks", "Date", "Object", "Record", "String", "Number", "Boolean"),
        *("BlockCode", "BlockHeading", "BlockImage", "BlockImageFile", "BlockLink", "BlockList"),
        *("BlockListItem", "BlockParagraph", "BlockQuote", "BlockText"),
    }
)
"""Names that interfaces must not have."""

_HEADER = """// Typed models of a project's content.
//
// Made by `quire types` of the schema {version}: a change belongs into the schema.
//
// `Article` fits a response without `populate`, `ArticlePopulated` one with it: what was
// not populated is absent there.
"""
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_TYPES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "Record<string, unknown>",
    "array": "unknown[]",
}


def typescript_models(models: ModelClasses) -> str:
    """Return a module with all interfaces."""
    parts = [_HEADER.format(version=models.version)]
    parts += [f"export type {name} = {_type(schema)};\n" for name, schema in models.shared.items()]
    parts += ["\n".join(_interface(model)) + "\n" for model in models.classes]
    return "\n".join(parts)


def _interface(model: ModelClass) -> Iterator[str]:
    yield f"/** {model.about} */"
    base_clause = f" extends {model.base}" if model.base else ""
    tag = [] if model.tag is None else [f"  __component: {json.dumps(model.tag)};"]
    lines = [*tag, *(f"  {_member(member, model)}" for member in model.members)]
    if not lines:
        yield f"export interface {model.name}{base_clause} {{}}"
        return
    yield f"export interface {model.name}{base_clause} {{"
    yield from lines
    yield "}"


def _member(member: ModelField, model: ModelClass) -> str:
    annotation = _type(member.type)
    if member.nullable and annotation != "unknown":
        annotation += " | null"
    return f"{_name(member.name)}{'?' if model.optional else ''}: {annotation};"


def _name(name: str) -> str:
    return name if _NAME.fullmatch(name) else json.dumps(name)


def _type(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"class": str(name)}:
            return name
        case {"enum": [*choices]}:
            return " | ".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
        case {"const": choice}:
            return json.dumps(choice, ensure_ascii=False)
        case {"oneOf": [*schemas]} | {"anyOf": [*schemas]}:
            return " | ".join(dict.fromkeys(_type(choice) for choice in schemas))
        case {"type": "array", "items": dict(items)}:
            item = _type(items)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case {"type": "object", "properties": _}:
            return _object(schema)
        case {"type": str(kind)}:
            return _TYPES[kind]
        case {"type": [*kinds]}:
            return " | ".join(_TYPES[kind] for kind in kinds)
        case _:
            return "unknown"


def _object(schema: JsonSchema) -> str:
    members, required = schema.get("properties"), schema.get("required")
    if not isinstance(members, dict):
        return _TYPES["object"]
    required_names = required if isinstance(required, list) else []
    members_text = [
        f"{_name(name)}{'' if name in required_names else '?'}: {_type(member)}"
        for name, member in members.items()
    ]
    if schema.get("additionalProperties") is True:
        members_text.append("[member: string]: unknown")
    return f"{{ {'; '.join(members_text)} }}"
