"""Generates request bodies from an OpenAPI description, with values of the right types."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

Json = Any
_DEEPEST = 6
"""How deep objects are filled; what lies deeper is left out where it may be."""
PASSWORD = "Correct1horse"
_BY_FORMAT = {
    "email": "somebody{}@example.org",
    "password": PASSWORD,
    "date": "2026-01-31",
    "date-time": "2026-01-31T10:00:00.000Z",
    "time": "10:00:00.000",
    "uri": "http://127.0.0.1:9/x",
}
_BY_NAME = {
    "email": "somebody{}@example.org",
    "password": PASSWORD,
    "currentPassword": PASSWORD,
    "passwordConfirmation": PASSWORD,
    "url": "http://127.0.0.1:9/x",
    "locale": "en",
    "code": "fr",
    "field": "slug",
    "events": "entry.create",
    "fileInfo": "{{}}",
}
_BOUNDARY = "----smoke"


class Description:
    """An OpenAPI document. ``known`` are values for members of some names."""

    def __init__(self, document: Json, known: Mapping[str, Json] = MappingProxyType({})) -> None:
        self._document = document
        self._known = known
        self._count = 0

    def bodies(self, method: str, path: str) -> list[tuple[str, Json]]:
        """Return values for the body of an operation, with their media types.

        There is one of all members and one of those that are required; none for an operation that
        takes no body. ``path`` has its parameters in braces.
        """
        content = self._request(method, path).get("content", {})
        return [
            (media_type, self._value(described.get("schema", {}), sparse=sparse))
            for media_type, described in content.items()
            for sparse in (False, True)
        ]

    def takes(self, method: str, path: str, name: str) -> bool:
        """Tell whether the body of an operation is of the schema of a name."""
        return f'/{name}"' in json.dumps(self._request(method, path))

    def _request(self, method: str, path: str) -> Mapping[str, Json]:
        operation = self._document["paths"].get(path, {}).get(method.lower(), {})
        found: Mapping[str, Json] = operation.get("requestBody", {})
        return found

    def _value(self, schema: Json, name: str = "", depth: int = 0, *, sparse: bool) -> Json:
        """Return a value of a schema, for a member of a name."""
        schema = self._resolved(schema)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._value(schema[several][0], name, depth, sparse=sparse)
        if "allOf" in schema:
            parts = [self._value(part, name, depth, sparse=sparse) for part in schema["allOf"]]
            return {key: value for part in parts for key, value in part.items()}
        if "const" in schema:
            return schema["const"]
        types = schema.get("type", "object")
        kind = types if isinstance(types, str) else types[0]
        if kind == "object":
            return self._object(schema, depth, sparse=sparse)
        if kind == "array":
            is_filled = depth < _DEEPEST and "items" in schema
            return (
                [self._value(schema["items"], name, depth + 1, sparse=sparse)] if is_filled else []
            )
        return self._scalar(kind, schema, name)

    def _scalar(self, kind: str, schema: Mapping[str, Json], name: str) -> Json:
        if "enum" in schema:
            return schema["enum"][0]
        match kind:
            case "integer" | "number":
                return max(1, schema.get("minimum", 1))
            case "boolean":
                return True
            case "null":
                return None
            case _:
                return self._text(schema, name)

    def _object(self, schema: Mapping[str, Json], depth: int, *, sparse: bool) -> Json:
        required = schema.get("required", ())
        return {
            key: self._value(member, key, depth + 1, sparse=sparse)
            for key, member in schema.get("properties", {}).items()
            if key in required or not (sparse or depth >= _DEEPEST)
        }

    def _text(self, schema: Mapping[str, Json], name: str) -> str:
        if name in self._known:
            return str(self._known[name])
        self._count += 1
        known = _BY_FORMAT.get(schema.get("format", "")) or _BY_NAME.get(name) or f"smoke{name}{{}}"
        text = known.format(self._count).lower() if known != PASSWORD else known
        return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 99)]

    def _resolved(self, schema: Json) -> Json:
        while "$ref" in schema:
            found = self._document
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema


def encode(media_type: str, value: Json) -> tuple[str, bytes]:
    """Return a value as the bytes of a media type, and the whole media type."""
    if media_type != "multipart/form-data":
        return media_type, json.dumps(value).encode()
    parts = [_part(name, value) for name, value in value.items()]
    return f"{media_type}; boundary={_BOUNDARY}", b"".join(parts) + f"--{_BOUNDARY}--\r\n".encode()


def _part(name: str, value: Json) -> bytes:
    """Return a field of a form, with a small text file where it may hold files."""
    is_file = name == "files"
    reported = '; filename="note.txt"\r\nContent-Type: text/plain' if is_file else ""
    text = value if isinstance(value, str) else json.dumps(value)
    content = "a note" if is_file else text
    head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{reported}'
    return f"{head}\r\n\r\n{content}\r\n".encode()
