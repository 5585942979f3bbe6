"""TypedDicts from JSON Schemas, for the filters and the input of documents in Python code.

They are written in functional syntax, since operators such as ``$eq`` are no identifiers, and refer
to each other by strings, since filters are recursive.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from quire.codegen.python_structs import literal
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import unused

_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "Mapping[str, Any]",
    "array": "Sequence[Any]",
}
_TIMES = {"date-time": "datetime", "date": "date"}


class TypedDicts:
    """The definitions of named schemas.

    ``known_names`` are schemas that the module defines otherwise; names in ``used_names`` are
    taken. With ``accepts_times`` a text in the format of a date or time may be an object of Python
    as well.
    """

    def __init__(
        self,
        schemas: Mapping[str, JsonSchema],
        *,
        known_names: Collection[str],
        used_names: set[str],
        accepts_times: bool,
    ) -> None:
        self._schemas = schemas
        self._accepts_times = accepts_times
        self._names = {name: name for name in known_names}
        self._names |= {
            name: unused(name, used_names) for name in schemas if name not in known_names
        }
        self._known_names = known_names

    def name(self, reference: JsonSchema) -> str:
        """Return the name of a referenced schema in the module."""
        return self._names[_referenced(reference)]

    def definitions(self, references: Collection[JsonSchema]) -> Iterator[str]:
        """Yield the definitions of schemas, and of those that they refer to, by name."""
        pending_names = [_referenced(reference) for reference in references]
        needed_names: set[str] = set()
        while pending_names:
            name = pending_names.pop()
            if name in needed_names or name in self._known_names:
                continue
            needed_names.add(name)
            text = json.dumps(self._schemas[name])
            pending_names += re.findall(r'"\$ref": "#/components/schemas/(\w+)"', text)
        for name in sorted(needed_names):
            yield "\n".join(self._definition(self._names[name], self._schemas[name]))

    def _definition(self, name: str, schema: JsonSchema) -> Iterator[str]:
        members = schema.get("properties")
        if not isinstance(members, Mapping):
            yield f"{name}: TypeAlias = {_quoted(self._type(schema))}"
            return
        required = schema.get("required")
        required_names = required if isinstance(required, list) else []
        yield f"{name} = TypedDict("
        yield f'    "{name}",'
        yield "    {"
        for member, value in members.items():
            text = self._type(value)
            text = f"Required[{text}]" if member in required_names else text
            yield f"        {json.dumps(member)}: {_quoted(text)},"
        yield "    },"
        yield "    total=False,"
        yield ")"

    def _type(self, schema: Mapping[str, Any]) -> str:
        """Return the Python type."""
        match schema:
            case {"$ref": str()}:
                return self.name(schema)
            case {"enum": [*choices]}:
                return f"Literal[{', '.join(map(literal, choices))}]"
            case {"const": choice}:
                return f"Literal[{literal(choice)}]"
            case {"oneOf": [*schemas]} | {"anyOf": [*schemas]} if "properties" not in schema:
                return self._union(schemas)
            case {"type": "array", "items": dict(items)}:
                return f"Sequence[{self._type(items)}]"
            case {"type": str(kind)}:
                return self._kind(kind, schema)
            case {"type": [*kinds]}:
                return " | ".join(self._kind(kind, schema) for kind in kinds)
            case _:
                return "Any"

    def _union(self, schemas: Sequence[JsonSchema]) -> str:
        types = dict.fromkeys(map(self._type, schemas))
        return "Any" if "Any" in types else " | ".join(types)

    def _kind(self, kind: str, schema: JsonSchema) -> str:
        time = _TIMES.get(str(schema.get("format")))
        if kind == "string" and time is not None and self._accepts_times:
            return f"str | {time}"
        return _TYPES[kind]


def _referenced(reference: JsonSchema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _quoted(text: str) -> str:
    """Return a type as a string, whose own texts have the other quotes."""
    return f"'{text}'" if '"' in text and "'" not in text else json.dumps(text, ensure_ascii=False)
