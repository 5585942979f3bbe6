"""The types of rows: what their fields say of columns, and how stored values become theirs."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from msgspec import Struct
from msgspec.structs import FieldInfo

from quire.database.dialect import Dialect
from quire.database.program import Value
from quire.database.stores.conditions import Column
from quire.schema.attributes.base import StorageKind

LongText = Annotated[str, StorageKind.TEXT]
BigInt = Annotated[int, StorageKind.BIGINTEGER]
"""Moments in tables of Quire's own are such: epoch milliseconds."""

_EMPTY = object()
EmptyText = Annotated[str | None, _EMPTY]
"""A text that is stored as an empty one where it is ``None``, so that unique indexes regard it."""

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
"""Kinds whose values are those of Python."""

Decode = Callable[[Value], object]


def row_columns(row: type[Struct]) -> dict[str, Column]:
    """Return the columns that a row type describes, ``id`` first.

    The type of a field says the kind of its column: `LongText` and `BigInt` for others than the
    usual ones. Raises TypeError for a type that is kept in no column.
    """
    columns = {"id": Column("id", StorageKind.ID)}
    for field in msgspec.structs.fields(row):
        columns.setdefault(field.encode_name, Column(field.encode_name, _kind(row, field)))
    return columns


def _kind(row: type[Struct], field: FieldInfo) -> StorageKind:
    for part in _parts(field.type):
        if isinstance(part, StorageKind):
            return part
        if isinstance(part, type) and part in _KINDS:
            return _KINDS[part]
    raise TypeError(f"{row.__name__}.{field.name} says no kind of column")


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
    return frozenset(one.encode_name for one in fields if _EMPTY in _parts(one.type))


def row_decoders(
    row: type[Struct], columns: Mapping[str, Column], dialect: Dialect
) -> list[tuple[str, Decode]]:
    """Return what the fields of a row need that do not take a stored value as it is, by name.

    A field that takes no ``None`` becomes its default for NULL; one of JSON or of a `Literal` for
    anything of another type, too. Without a default they raise TypeError.
    """
    empty = empty_texts(row)
    found: list[tuple[str, Decode]] = []
    for field in msgspec.structs.fields(row):
        if field.encode_name in empty:
            found.append((field.name, _none_if_empty))
            continue
        decode = _decoder(field, columns[field.encode_name].kind, dialect)
        if decode is not None:
            found.append((field.name, decode))
    return found


def _decoder(field: FieldInfo, kind: StorageKind, dialect: Dialect) -> Decode | None:
    decode = None if kind in _AS_STORED else partial(dialect.decode_value, kind)
    if kind is StorageKind.JSON or _is_literal(field.type):
        # msgspec looks at other types than Structs anew each time.
        checked = msgspec.defstruct("Checked", [("value", field.type)])
        return partial(_converted, decode, field, checked)
    is_there = field.name == "id" or type(None) in _parts(field.type)
    return decode if is_there else partial(_present, decode, field)


def _none_if_empty(stored: Value) -> object:
    return stored or None


def _is_literal(annotation: Any) -> bool:  # noqa: ANN401 - any type
    return any(get_origin(part) is Literal for part in (annotation, *get_args(annotation)))


def _present(decode: Decode | None, field: FieldInfo, stored: Value) -> object:
    """Return a stored value for a field that takes no ``None``: its default for NULL."""
    if stored is None:
        return _default(field)
    return stored if decode is None else decode(stored)


def _converted(
    decode: Decode | None, field: FieldInfo, checked: type[Struct], stored: Value
) -> object:
    """Return a stored value for a field: its default for what is of another type."""
    value = stored if decode is None else decode(stored)
    try:
        return msgspec.convert({"value": value}, checked).value  # type: ignore[attr-defined]  # see `_decoder`
    except msgspec.ValidationError:
        return _default(field)


def _default(field: FieldInfo) -> object:
    """Return the default of a field. Raises TypeError for one without."""
    if field.required:
        raise TypeError(f"{field.encode_name} of a row has to have another value")
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default
