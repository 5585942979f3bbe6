"""Schemas of Python types: the structs of request bodies, of responses and of queries.

A struct is a component of the document with its name, or its ``schema_name``, and its docstring; a
generic one is inlined. Metadata in ``Annotated`` may add more: a `msgspec.Meta`, or an object with
a ``json_schema``.
"""

from collections.abc import Iterator, Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Meta, Struct, UnsetType, field
from msgspec.inspect import is_struct_type
from msgspec.structs import fields

from quire.access.declared_routes import ProjectFields, ProjectSchema
from quire.openapi.document_schemas import Models
from quire.openapi.json_schema import (
    ANY_VALUE,
    FLAG,
    FREE_OBJECT,
    INTEGER,
    NULL,
    NUMBER,
    TEXT,
    Schemas,
    any_of,
    array_of,
    nullable,
    record,
)
from quire.openapi.operations import DescribedParameter
from quire.schema.attributes.json_schema import JsonSchema

_PLAIN: Mapping[object, JsonSchema] = {
    str: TEXT,
    int: INTEGER,
    float: NUMBER,
    bool: FLAG,
    bytes: {"type": "string", "format": "binary"},
    object: ANY_VALUE,
    Any: ANY_VALUE,
    NoneType: NULL,
}
_UNION_SCHEMAS: Mapping[object, JsonSchema] = {
    frozenset({int, str}): {"type": ["integer", "string"]},
    frozenset({int, float}): NUMBER,
}
MEDIA_TYPE = "x-media-type"
"""In the schema of a response: the media type of one that is not JSON."""

_LIMITS = {"array": ("minItems", "maxItems"), "integer": ("minimum", "maximum")}


class TypeSchemas(Struct, frozen=True):
    """Describes types in one document; ``known`` are those with another description."""

    schemas: Schemas
    known: dict[Any, JsonSchema] = field(default_factory=dict)
    models: Models | None = None

    def schema(self, hint: Any) -> JsonSchema:  # noqa: ANN401 - any form of a type
        """Return the schema of a type. Raises TypeError if it has none."""
        if hint in self.known:
            return self.known[hint]
        if hint in _PLAIN:
            return _PLAIN[hint]
        origin = get_origin(hint)
        if origin is Annotated:
            return self._annotated(hint)
        if origin in {Union, UnionType}:
            return self._union(get_args(hint))
        if origin is Literal:
            choices = get_args(hint)
            is_text = all(isinstance(one, str) for one in choices)
            return {"type": "string", "enum": [*choices]} if is_text else {"const": choices[0]}
        if origin is list:
            return array_of(self.schema(*get_args(hint)))
        if origin is dict:
            values = self.schema(get_args(hint)[1])
            return {**FREE_OBJECT, "additionalProperties": values}
        if is_struct_type(origin):
            return self._record(hint)
        if is_struct_type(hint):
            name = getattr(hint, "schema_name", hint.__name__)
            return self.schemas.refer(("type", hint), name, lambda: self._record(hint))
        message = f"no schema is known of the type {hint!r}"
        raise TypeError(message)

    def parameters(self, query: type[Struct]) -> Iterator[DescribedParameter]:
        """Describe the parameters of a query. Objects are written with brackets."""
        for one in fields(query):
            schema = dict(self.schema(one.type))
            about = schema.pop("description", "")
            kinds = schema.get("type", ())
            yield DescribedParameter(
                name=one.encode_name,
                schema=schema,
                description=str(about),
                deep="object" in (kinds if isinstance(kinds, list) else [kinds]),
                required=one.required,
            )

    def _annotated(self, hint: Any) -> JsonSchema:  # noqa: ANN401 - see `schema`
        inner, *notes = get_args(hint)
        match notes:
            case [ProjectSchema(make=make), *others]:
                result = make(self.models)
            case [ProjectFields() as more, *others]:
                name = getattr(inner, "schema_name", inner.__name__)
                key = ("type", inner, more)
                result = self.schemas.refer(key, name, lambda: self._record(inner, more))
            case others:
                result = self.schema(inner)
        return _with_metadata(result, others)

    def _union(self, choices: tuple[Any, ...]) -> JsonSchema:
        kept = [one for one in choices if one is not UnsetType and one is not NoneType]
        described = _UNION_SCHEMAS.get(frozenset(kept)) or any_of(*map(self.schema, kept))
        return nullable(described) if NoneType in choices else described

    def _record(
        self,
        hint: Any,  # noqa: ANN401 - a struct, or a generic one
        more: ProjectFields | None = None,
    ) -> JsonSchema:
        kind = get_origin(hint) or hint
        members: dict[str, JsonSchema] = {} if more is None else {**more.make(self.models)}
        required = () if more is None else more.required
        for one in fields(hint):
            described = self.schema(one.type)
            if isinstance(one.default, str | int) and "$ref" not in described:
                described = {**described, "default": one.default}
            members[one.encode_name] = described
        return record(
            members,
            required=[*required, *(one.encode_name for one in fields(hint) if one.required)],
            description=kind.__doc__ if kind is hint else None,
            closed=kind.__struct_config__.forbid_unknown_fields,
        )


def _with_metadata(schema: JsonSchema, notes: list[object]) -> JsonSchema:
    """Return a schema with the metadata of its type."""
    result = dict(schema)
    for note in _flat(notes):
        if isinstance(note, Meta):
            if note.description is not None:
                result["description"] = note.description
            result |= note.extra_json_schema or {}
            continue
        result |= getattr(note, "json_schema", {})
        minimum, maximum = getattr(note, "minimum", None), getattr(note, "maximum", None)
        names = _LIMITS.get(str(result.get("type")))
        if names is not None and minimum is not None:
            result |= {names[0]: minimum} if minimum else {}
            result |= {names[1]: maximum}
    return result


def _flat(notes: list[object]) -> Iterator[object]:
    for note in notes:
        if isinstance(note, tuple):
            yield from note
        else:
            yield note
