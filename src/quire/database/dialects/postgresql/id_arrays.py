"""Encodes lists of ids for PostgreSQL.

The keys of parents are sent with each statement of a populated list. The driver checks each element
of a list for being a list itself; that takes four times as long as packing them.
"""

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct, error, unpack_from

TYPE = 1007
"""The OID of the type ``int4[]``, the same in every server."""
NAME = "_int4"

_ELEMENT, _LENGTH, _NULL = 23, 4, -1
_HEAD = Struct(">iii")
_LOWER_BOUND = 1
"""The lower bound of arrays."""


def pack_ids(values: Sequence[int | None]) -> bytes:
    """Return a list of ids in the binary format.

    Raises ValueError when one of them is not an integer of 32 bits.
    """
    count = len(values)
    if not count:
        return _HEAD.pack(0, 0, _ELEMENT)
    elements = [_LENGTH] * (2 * count)
    try:
        elements[1::2] = values  # type: ignore[assignment]  # what else is in it does not pack
        return _array_struct(count).pack(1, 0, _ELEMENT, count, _LOWER_BOUND, *elements)
    except error as problem:
        if None in values:
            return _pack_with_nulls(values)
        raise ValueError("an id is not an integer of 32 bits") from problem


def _pack_with_nulls(values: Sequence[int | None]) -> bytes:
    """Pack a list that contains nulls."""
    parts = [_HEAD.pack(1, 1, _ELEMENT), len(values).to_bytes(4), _LOWER_BOUND.to_bytes(4)]
    for value in values:
        parts.append((_NULL if value is None else _LENGTH).to_bytes(4, signed=True))
        if value is not None:
            parts.append(pack_ids([value])[-_LENGTH:])
    return b"".join(parts)


def unpack_ids(packed: bytes) -> list[int | None]:
    """Return the ids of a one-dimensional array that the server has sent."""
    ids: list[int | None] = []
    position = _HEAD.size + 8
    while position < len(packed):
        length, *_ = unpack_from(">i", packed, position)
        position += 4
        if length == _NULL:
            ids.append(None)
        else:
            ids += unpack_from(">i", packed, position)
            position += length
    return ids


@lru_cache(maxsize=1024)
def _array_struct(count: int) -> Struct:
    return Struct(f">{5 + 2 * count}i")
