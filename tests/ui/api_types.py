"""TypeScript types of the admin API for the UI: ``python -m tests.ui.api_types`` writes them.

They are made of the server's own description. Entries of content types differ by project: the UI
treats all of them alike, as objects whose attributes the content type describes.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.unit.admin_api.office import open_office

PATH = Path(__file__).parents[2] / "ui" / "src" / "api" / "generated.ts"
_HEAD = """\
// Made by `python -m tests.ui.api_types` of GET /admin/x/openapi.json: change the server instead.

/** An entry of any content type; its type says what its attributes are. */
export type ManagedEntry = Record<string, unknown> & { documentId: string; id: number };
"""
_OF_PROJECTS = frozenset({"EntryInput", "ManagedEntry"})
"""Schemas that are made of a project's content types."""
_REFERENCE = "#/components/schemas/"
_PRIMITIVES = {
    "boolean": "boolean",
    "integer": "number",
    "null": "null",
    "number": "number",
    "string": "string",
}


def typescript_of(document: Mapping[str, Any]) -> str:
    """Return the types of a description: its schemas, and its operations by method and path."""
    schemas = document["components"]["schemas"]
    kept = sorted(_reachable(document["paths"], schemas))
    known = frozenset(kept) | {"ManagedEntry"}
    parts = [_HEAD]
    parts += [f"export type {name} = {_type(schemas[name], known)};\n" for name in kept]
    lines = [
        f'  "{method.upper()} {path}": {{ body: {_body(operation, known)}; '
        f"response: {_response(operation, known)} }};"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]
    parts.append("\n".join(["export interface Operations {", *sorted(lines), "}\n"]))
    return "\n".join(parts)


def _reachable(paths: object, schemas: Mapping[str, Any]) -> set[str]:
    """Return the schemas that operations name, and those that these name, but for entries."""
    found: set[str] = set()
    left = _named(paths)
    while left:
        name = left.pop()
        if name in found or name in _OF_PROJECTS or name not in schemas:
            continue
        found.add(name)
        left += _named(schemas[name])
    return found


def _named(shape: object) -> list[str]:
    return re.findall(rf'"{_REFERENCE}(\w+)"', json.dumps(shape))


def _body(operation: Mapping[str, Any], known: frozenset[str]) -> str:
    content = operation.get("requestBody", {}).get("content", {})
    shape = content.get("application/json", {}).get("schema")
    return "undefined" if shape is None else _type(shape, known)


def _response(operation: Mapping[str, Any], known: frozenset[str]) -> str:
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            shape = response.get("content", {}).get("application/json", {}).get("schema")
            return "undefined" if shape is None else _type(shape, known)
    return "undefined"


def _type(shape: Mapping[str, Any], known: frozenset[str]) -> str:
    """Return the type of a JSON schema."""
    if "$ref" in shape:
        name = shape["$ref"].removeprefix(_REFERENCE)
        return name if name in known else "Record<string, unknown>"
    if "enum" in shape or "const" in shape:
        values = shape.get("enum", [shape.get("const")])
        return " | ".join(sorted(json.dumps(value) for value in values))
    for key in ("anyOf", "oneOf"):
        if key in shape:
            return " | ".join(dict.fromkeys(_type(one, known) for one in shape[key]))
    named = shape.get("type")
    kinds = named if isinstance(named, list) else [named]
    return " | ".join(dict.fromkeys(_plain(kind, shape, known) for kind in kinds))


def _plain(kind: str | None, shape: Mapping[str, Any], known: frozenset[str]) -> str:
    if kind == "array":
        return f"({_type(shape.get('items', {}), known)})[]"
    if kind != "object":
        return "unknown" if kind is None else _PRIMITIVES[kind]
    properties = shape.get("properties")
    if not properties:
        return "Record<string, unknown>"
    required = shape.get("required", ())
    fields = "; ".join(
        f"{json.dumps(name)}{'' if name in required else '?'}: {_type(one, known)}"
        for name, one in properties.items()
    )
    return f"{{ {fields} }}"


async def described_types() -> str:
    """Return the types of the admin API as it is."""
    with TemporaryDirectory() as folder:
        async with open_office(Path(folder)) as office:
            reply = await office.ask("GET", "/admin/x/openapi.json", token=office.boss)
            return typescript_of(reply.json)


if __name__ == "__main__":
    PATH.write_text(asyncio.run(described_types()))
