"""Building blocks in JSON Schema."""

from collections.abc import Callable, Hashable, Mapping, Sequence

from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import unused

ANY_VALUE: JsonSchema = {}
TEXT: JsonSchema = {"type": "string"}
INTEGER: JsonSchema = {"type": "integer"}
NUMBER: JsonSchema = {"type": "number"}
FLAG: JsonSchema = {"type": "boolean"}
NULL: JsonSchema = {"type": "null"}
MOMENT: JsonSchema = {"type": "string", "format": "date-time"}
FREE_OBJECT: JsonSchema = {"type": "object", "additionalProperties": ANY_VALUE}


def nullable(schema: JsonSchema) -> JsonSchema:
    """Describe the same values, and null."""
    kind = schema.get("type")
    if not schema:
        return schema
    if kind is None:
        return {"anyOf": [schema, NULL]}
    kinds = [kind] if isinstance(kind, str) else list(kind) if isinstance(kind, list) else []
    nullable_schema: dict[str, object] = {**schema, "type": [*kinds, "null"]}
    choices = schema.get("enum")
    if isinstance(choices, Sequence):
        nullable_schema["enum"] = [*choices, None]
    return nullable_schema


def array_of(item: JsonSchema) -> JsonSchema:
    """Describe a list."""
    return {"type": "array", "items": item}


def one_of_texts(choices: Sequence[str]) -> JsonSchema:
    """Describe one of several texts."""
    return {"type": "string", "enum": [*choices]}


def any_of(*schemas: JsonSchema) -> JsonSchema:
    """Return a schema that any of several schemas satisfies."""
    return {"anyOf": [*schemas]} if len(schemas) > 1 else schemas[0]


def record(
    members: Mapping[str, object],
    *,
    required: Sequence[str] | None = None,
    description: str | None = None,
    closed: bool = False,
) -> JsonSchema:
    """Describe an object; all of its members are required unless others are named.

    A ``closed`` one has no further members.
    """
    schema: dict[str, object] = {"type": "object"}
    if description:
        schema["description"] = description
    schema["properties"] = {**members}
    names = [*members] if required is None else [*required]
    if names:
        schema["required"] = names
    if closed:
        schema["additionalProperties"] = False
    return schema


Make = Callable[[], JsonSchema]


class Schemas:
    """Named schemas, which are referenced.

    They are built one after the other and not recursively, so that models may refer to each other
    in cycles and in chains of any length.
    """

    def __init__(self) -> None:
        self._names: dict[Hashable, str] = {}
        self._used_names: set[str] = set()
        self._pending: list[tuple[str, Make]] = []
        self._schemas: dict[str, JsonSchema] = {}

    def refer(self, key: Hashable, requested_name: str, make: Make) -> JsonSchema:
        """Point to the description of a key, made once and named as wanted if that is free."""
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = unused(requested_name, self._used_names)
            self._pending.append((name, make))
        return {"$ref": f"#/components/schemas/{name}"}

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:
        """Return the reference to a constant schema."""
        return self.refer(("shared", name), name, lambda: schema)

    def finished(self) -> Mapping[str, JsonSchema]:
        """Return all referenced schemas, by name in alphabetical order."""
        while self._pending:
            name, make = self._pending.pop()
            self._schemas[name] = make()
        return dict(sorted(self._schemas.items()))
