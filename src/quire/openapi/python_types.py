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
            return self._annotated_schema(hint)
        if origin in {Union, UnionType}:
            return self._union(get_args(hint))
        if origin is Literal:
            choices = get_args(hint)
            is_text = all(isinstance(choice, str) for choice in choices)
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
        for member in fields(query):
            schema = dict(self.schema(member.type))
            description = schema.pop("description", "")
            kinds = schema.get("type", ())
            yield DescribedParameter(
                name=member.encode_name,
                schema=schema,
                description=str(description),
                deep="object" in (kinds if isinstance(kinds, list) else [kinds]),
                required=member.required,
            )

    def _annotated_schema(self, hint: Any) -> JsonSchema:  # noqa: ANN401 - see `schema`
        annotated_type, *notes = get_args(hint)
        match notes:
            case [ProjectSchema(make=make), *other_notes]:
                schema = make(self.models)
            case [ProjectFields() as project_fields, *other_notes]:
                name = getattr(annotated_type, "schema_name", annotated_type.__name__)
                key = ("type", annotated_type, project_fields)
                schema = self.schemas.refer(
                    key, name, lambda: self._record(annotated_type, project_fields)
                )
            case other_notes:
                schema = self.schema(annotated_type)
        return _add_metadata(schema, other_notes)

    def _union(self, choices: tuple[Any, ...]) -> JsonSchema:
        value_types = [
            choice for choice in choices if choice is not UnsetType and choice is not NoneType
        ]
        schema = _UNION_SCHEMAS.get(frozenset(value_types)) or any_of(
            *map(self.schema, value_types)
        )
        return nullable(schema) if NoneType in choices else schema

    def _record(
        self,
        hint: Any,  # noqa: ANN401 - a struct, or a generic one
        project_fields: ProjectFields | None = None,
    ) -> JsonSchema:
        kind = get_origin(hint) or hint
        members: dict[str, JsonSchema] = (
            {} if project_fields is None else {**project_fields.make(self.models)}
        )
        required = () if project_fields is None else project_fields.required
        for member in fields(hint):
            schema = self.schema(member.type)
            if isinstance(member.default, str | int) and "$ref" not in schema:
                schema = {**schema, "default": member.default}
            members[member.encode_name] = schema
        return record(
            members,
            required=[
                *required,
                *(member.encode_name for member in fields(hint) if member.required),
            ],
            description=kind.__doc__ if kind is hint else None,
            closed=kind.__struct_config__.forbid_unknown_fields,
        )


def _add_metadata(schema: JsonSchema, notes: list[object]) -> JsonSchema:
    """Return a schema with the metadata of its type."""
    extended = dict(schema)
    for note in _flatten(notes):
        if isinstance(note, Meta):
            if note.description is not None:
                extended["description"] = note.description
            extended |= note.extra_json_schema or {}
            continue
        extended |= getattr(note, "json_schema", {})
        minimum, maximum = getattr(note, "minimum", None), getattr(note, "maximum", None)
        names = _LIMITS.get(str(extended.get("type")))
        if names is not None and minimum is not None:
            extended |= {names[0]: minimum} if minimum else {}
            extended |= {names[1]: maximum}
    return extended


def _flatten(notes: list[object]) -> Iterator[object]:
    for note in notes:
        if isinstance(note, tuple):
            yield from note
        else:
            yield note
