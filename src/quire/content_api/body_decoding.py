"""Reads request bodies as structs, and reports all problems of a body at once.

The type of a field determines its valid values, and its ``Annotated`` metadata are additional
rules: `validators` has both. A field without a default is required. A struct that forbids unknown
fields reports those of a body. `openapi.types` describes the same structs.
"""

from collections.abc import Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.structs import fields, replace

from quire.content_api.validators import (
    MAX_LENGTH,
    AnyValue,
    Fields,
    Flag,
    Items,
    Members,
    OneOf,
    Range,
    Rule,
    Text,
    Validator,
    WholeNumber,
    required,
)
from quire.document_service.validate.problems import validation_error

T = TypeVar("T", bound=Struct)


class RequestBody(Struct, rename="camel", forbid_unknown_fields=True):
    """An object in a request body; one with ``forbid_unknown_fields=False`` may have others.

    See `Fields` for ``keys_last`` and ``secret``. A text has up to ``longest_text`` characters.
    """

    keys_last: ClassVar[bool] = False
    secret: ClassVar[bool] = False
    longest_text: ClassVar[int] = MAX_LENGTH


def read_body(body: object, kind: type[T], **checks: Validator) -> T:
    """Return a body as a struct; no body is an empty object.

    ``checks`` are the validators of fields that depend on more than their type, by name on the
    wire. Raises ValidationError with all problems.
    """
    check_body(body, kind, **checks)
    return convert({} if body is None else body, kind)  # what has no problems fits the type


def check_body(body: object, kind: type[Struct], **checks: Validator) -> None:
    """Check a body that contains more than its type describes. See `read_body`."""
    values: object = {} if body is None else body
    validator = validator_of(kind)
    if checks:
        validator = replace(validator, fields={**validator.fields, **checks})
    problems = list(validator.problems((), values))
    if problems:
        raise validation_error(problems)


def sent_values(values: Struct) -> dict[str, object]:
    """Return the fields of a body that were sent, by their names on the wire."""
    fields = ((wire_name, getattr(values, name)) for wire_name, name in _names(type(values)))
    return {wire_name: value for wire_name, value in fields if value is not UNSET}


@cache
def _names(kind: type[Struct]) -> tuple[tuple[str, str], ...]:
    """Return the names of fields on the wire and in Python."""
    return tuple((struct_field.encode_name, struct_field.name) for struct_field in fields(kind))


@cache
def validator_of(kind: type[Struct]) -> Fields:
    """Return what checks bodies of a type. It is made for the first of them."""
    body = kind if issubclass(kind, RequestBody) else RequestBody
    longest = body.longest_text
    return Fields(
        fields={
            struct_field.encode_name: _validator(
                struct_field.type, (required,) if struct_field.required else (), longest
            )
            for struct_field in fields(kind)
        },
        closed=kind.__struct_config__.forbid_unknown_fields,
        keys_last=body.keys_last,
        secret=body.secret,
    )


def _validator(
    hint: object, extra_rules: tuple[Rule, ...] = (), longest: int = MAX_LENGTH
) -> Validator:
    """Return what checks the values of a type. Raises TypeError for an unknown one."""
    inner, notes, nullable = _parts(hint)
    for note in notes:
        if isinstance(note, Validator):
            return note
    rules = tuple(dict.fromkeys((*(note for note in notes if callable(note)), *extra_rules)))
    limits = next((note for note in notes if isinstance(note, Range)), Range())
    origin = get_origin(inner)
    if origin is Literal:
        return Text(rules=(*rules, OneOf(get_args(inner))), nullable=nullable)
    if origin is list:
        return Items(
            item=_validator(*get_args(inner)),
            minimum=limits.minimum,
            maximum=limits.maximum,
            rules=rules,
            nullable=nullable,
        )
    if origin is dict:
        item = _validator(get_args(inner)[1])
        if item == AnyValue():
            return Fields(closed=False, rules=rules, nullable=nullable)
        return Members(item=item, rules=rules, nullable=nullable)
    if isinstance(inner, type) and issubclass(inner, Struct):
        return replace(validator_of(inner), rules=rules, nullable=nullable)
    if inner is str:
        return Text(rules=rules, nullable=nullable, longest=longest)
    return _plain_validator(inner, limits, rules)


def _plain_validator(kind: object, limits: Range, rules: tuple[Rule, ...]) -> Validator:
    if kind is bool:
        return Flag(rules=rules)
    if kind is int:
        return WholeNumber(minimum=limits.minimum, maximum=limits.maximum, rules=rules)
    if kind is object:
        return AnyValue(rules=rules)
    message = f"bodies cannot have values of the type {kind!r}"
    raise TypeError(message)


def _parts(hint: object) -> tuple[object, Sequence[Any], bool]:
    """Split a type into the type of the value, its annotations, and whether it may be null."""
    notes: list[Any] = []
    nullable = False
    while True:
        origin = get_origin(hint)
        if origin is Annotated:
            hint, *annotations = get_args(hint)
            notes = [
                *(
                    note
                    for annotation in annotations
                    for note in (annotation if isinstance(annotation, tuple) else (annotation,))
                ),
                *notes,
            ]
        elif origin in {Union, UnionType}:
            choices = [choice for choice in get_args(hint) if choice not in {UnsetType, type(None)}]
            nullable = nullable or type(None) in get_args(hint)
            hint = choices[0] if len(choices) == 1 else object
        else:
            return hint, notes, nullable
