"""The outline of an OpenAPI document as text: ``python -m tests.unit.openapi.outline``.

A line is an operation with its status codes, a parameter, or a value in a body or a response with
its place, its types and whether it is required. Where a schema is written, in the operation or as a
component, makes no difference. The command writes the golden files again.
"""

import asyncio
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quire.access.ability import FullAccess
from quire.openapi.content.api import ApiOptions, describe_content_api
from quire.openapi.query_parameters import PageLimits
from quire.schema.class_names import class_names
from tests.unit.admin_api.office import open_office
from tests.unit.kiosk import Kiosk, open_kiosk

FOLDER = Path(__file__).parent / "golden"
OF_PROJECT = frozenset({"ManagedEntry", "EntryInput", "Error"})
"""Schemas of the admin API that are made of content types, and that of errors."""
_JSON = "application/json"
_REFERENCE = "#/components/schemas/"
_FACETS = ("format", "minLength", "minimum", "maximum")

JsonObject = Mapping[str, Any]


def outline(document: JsonObject, opaque: Collection[str]) -> list[str]:
    """Return the lines of a document; the schemas that are ``opaque`` are named, not entered."""
    outlined = _Outline(document["components"]["schemas"], opaque)
    return [
        f"{method.upper()} {path} {line}"
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        for line in outlined.operation(operation)
    ]


class _Outline:
    def __init__(self, schemas: JsonObject, opaque: Collection[str]) -> None:
        self._schemas = schemas
        self._opaque = opaque

    def operation(self, operation: JsonObject) -> Iterator[str]:
        statuses = " ".join(operation["responses"])
        yield f"is of {operation['tags'][0]} ({statuses})"
        for parameter in operation.get("parameters", ()):
            place = f"{parameter['in']}:{parameter['name']}"
            if parameter.get("style") == "deepObject":
                place += "[]"
            yield from self._values(
                place, parameter["schema"], required=parameter.get("required") is True
            )
        body = operation.get("requestBody", {})
        for kind, content in body.get("content", {}).items():
            place = "body" if kind == _JSON else f"body {kind}"
            yield from self._values(place, content["schema"], required=body.get("required") is True)
        for status, response in operation["responses"].items():
            for kind, content in response.get("content", {}).items():
                place = status if kind == _JSON else f"{status} {kind}"
                yield from self._values(place, content["schema"], required=True)

    def _values(self, place: str, schema: JsonObject, *, required: bool) -> Iterator[str]:
        """Yield a line for a value and for each value in it."""
        found: dict[str, _Value] = {}
        self._collect(place, schema, found, (), required=required)
        for where, value in found.items():
            mark = " required" if value.required else ""
            yield f"{where}{mark}: {' | '.join(sorted(value.types))}"

    def _collect(
        self,
        place: str,
        schema: JsonObject,
        found: dict[str, "_Value"],
        entered: tuple[str, ...],
        *,
        required: bool,
    ) -> None:
        value = found.setdefault(place, _Value(set(), required))
        value.required = value.required and required
        for choice, path in self._choices(schema, entered):
            if isinstance(choice, str):
                value.types.add(choice)
                continue
            value.types.update(_types(choice))
            names = choice.get("required", ())
            for name, one in choice.get("properties", {}).items():
                self._collect(f"{place}.{name}", one, found, path, required=name in names)
            for mark, one in (
                ("[]", choice.get("items")),
                (".*", choice.get("additionalProperties")),
            ):
                if isinstance(one, dict) and one:
                    self._collect(f"{place}{mark}", one, found, path, required=True)

    def _choices(
        self, schema: JsonObject, entered: tuple[str, ...]
    ) -> Iterator[tuple[JsonObject | str, tuple[str, ...]]]:
        """Yield the schemas that a value may fit, or the names of those that are not entered."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_REFERENCE)
            if name in self._opaque or name in entered:
                yield name, entered
            else:
                yield from self._choices(self._schemas[name], (*entered, name))
            return
        choices = [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ())]
        for choice in choices:
            yield from self._choices(choice, entered)
        if not choices or "properties" in schema:
            yield schema, entered


@dataclass
class _Value:
    types: set[str]
    required: bool


def _types(schema: JsonObject) -> Iterator[str]:
    """Yield the types of a schema, its choices, and its limits."""
    if "enum" in schema or "const" in schema:
        yield from (json.dumps(one) for one in schema.get("enum", [schema.get("const")]))
    else:
        kinds = schema.get("type", "any")
        yield from [kinds] if isinstance(kinds, str) else kinds
    yield from (f"{key} {schema[key]}" for key in _FACETS if key in schema)


async def admin_outline() -> list[str]:
    """Return the lines of the admin API."""
    with TemporaryDirectory() as folder:
        async with open_office(Path(folder)) as office:
            reply = await office.ask("GET", "/admin/x/openapi.json", token=office.boss)
            return outline(reply.json, OF_PROJECT)


async def content_outline() -> list[str]:
    """Return the lines of the content API, of somebody who may do everything."""
    with TemporaryDirectory() as folder:
        async with open_kiosk(Path(folder)) as kiosk:
            document = _content_document(kiosk)
    prefixes = tuple(class_names(kiosk.app.schema).values())
    names = document["components"]["schemas"]
    return outline(document, {name for name in names if name.startswith(prefixes)})


def _content_document(kiosk: Kiosk) -> JsonObject:
    options = ApiOptions(server="/api", pages=PageLimits(default=25, maximum=100))
    return describe_content_api(kiosk.app.schema, FullAccess(), kiosk.app.routes, options)


async def _write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, lines in (("admin", await admin_outline()), ("content", await content_outline())):
        (FOLDER / f"{name}.txt").write_text("\n".join([*lines, ""]))


if __name__ == "__main__":
    asyncio.run(_write())
