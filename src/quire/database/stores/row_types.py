"""Row types: which columns their fields have, and how stored values are converted."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo

from quire.database.dialect import Dialect
from quire.database.program import Value
from quire.database.stores.row_conditions import Column
from quire.schema.attributes.base import StorageKind

LongText = Annotated[str, StorageKind.TEXT]
BigInt = Annotated[int, StorageKind.BIGINTEGER]
"""Epoch milliseconds, the form of timestamps in Quire's own tables."""

_EMPTY = object()
EmptyText = Annotated[str | None, _EMPTY]
"""A text that is stored as empty instead of ``None``, so that unique indexes include it."""

JsonMapping = Annotated[Mapping[str, object], StorageKind.JSON]
JsonTexts = Annotated[tuple[str, ...], StorageKind.JSON]

_KINDS: Mapping[type, StorageKind] = {
    str: StorageKind.STRING,
    int: StorageKind.INTEGER,
    bool: StorageKind.BOOLEAN,
    float: StorageKind.FLOAT,
}
_AS_STORED = frozenset(
    {
        StorageKind.ID,
        StorageKind.STRING,
        StorageKind.TEXT,
        StorageKind.INTEGER,
        StorageKind.BIGINTEGER,
        StorageKind.FLOAT,
    }
)
"""Kinds whose values have the same form in Python."""

Decode = Callable[[Value], object]


def row_columns(row: type[Struct]) -> dict[str, Column]:
    """Return the columns of a row type, ``id`` first.

    The type of a field determines its column kind: `LongText` and `BigInt` for unusual ones. Raises
    TypeError for a type without a column kind.
    """
    columns = {"id": Column("id", StorageKind.ID)}
    for field in msgspec.structs.fields(row):
        columns.setdefault(field.encode_name, Column(field.encode_name, _storage_kind(row, field)))
    return columns


def _storage_kind(row: type[Struct], field: FieldInfo) -> StorageKind:
    for part in _parts(field.type):
        if isinstance(part, StorageKind):
            return part
        if isinstance(part, type) and part in _KINDS:
            return _KINDS[part]
    raise TypeError(f"{row.__name__}.{field.name} has a type without a column kind")


def _parts(annotation: Any) -> Iterable[object]:  # noqa: ANN401 - any type
    """Iterate over the kinds and types in an annotation: kinds of `Annotated` come first."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        yield from notes
        yield from _parts(inner)
    elif get_args(annotation):
        for part in get_args(annotation):
            yield from _parts(part)
    else:
        yield annotation


def empty_texts(row: type[Struct]) -> frozenset[str]:
    """Return the fields that are an `EmptyText`, by their encoded names."""
    fields = msgspec.structs.fields(row)
    return frozenset(field.encode_name for field in fields if _EMPTY in _parts(field.type))


def row_decoders(
    row: type[Struct], columns: Mapping[str, Column], dialect: Dialect
) -> list[tuple[str, Decode]]:
    """Return decoders for the fields that need one, by name.

    A field that is not optional becomes its default for NULL; one of JSON or of a `Literal` for a
    value of another type, too. Without a default they raise TypeError.
    """
    empty = empty_texts(row)
    decoders: list[tuple[str, Decode]] = []
    for field in msgspec.structs.fields(row):
        if field.encode_name in empty:
            decoders.append((field.name, _none_if_empty))
            continue
        decode = _decoder(field, columns[field.encode_name].kind, dialect)
        if decode is not None:
            decoders.append((field.name, decode))
    return decoders


def _decoder(field: FieldInfo, kind: StorageKind, dialect: Dialect) -> Decode | None:
    decode = None if kind in _AS_STORED else partial(dialect.decode_value, kind)
    if kind is StorageKind.JSON or _is_literal(field.type):
        # msgspec analyses other types than Structs on each call.
        checked = msgspec.defstruct("Checked", [("value", field.type)])
        return partial(_converted_value, decode, field, checked)
    is_there = field.name == "id" or type(None) in _parts(field.type)
    return decode if is_there else partial(_required_value, decode, field)


def _none_if_empty(value: Value) -> object:
    return value or None


def _is_literal(annotation: Any) -> bool:  # noqa: ANN401 - any type
    return any(get_origin(part) is Literal for part in (annotation, *get_args(annotation)))


def _required_value(decode: Decode | None, field: FieldInfo, value: Value) -> object:
    """Return a stored value for a field that is not optional: its default for NULL."""
    if value is None:
        return _default(field)
    return value if decode is None else decode(value)


def _converted_value(
    decode: Decode | None, field: FieldInfo, checked: type[Struct], value: Value
) -> object:
    """Return a stored value for a field: its default for another type."""
    decoded = value if decode is None else decode(value)
    try:
        return msgspec.convert({"value": decoded}, checked).value  # type: ignore[attr-defined]  # see `_decoder`
    except msgspec.ValidationError:
        return _default(field)


def _default(field: FieldInfo) -> object:
    """Return the default of a field. Raises TypeError for one without."""
    if field.required:
        raise TypeError(f"{field.encode_name} of a row has an invalid value")
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default
