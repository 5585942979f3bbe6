"""A requested change of the links of a row, and the links that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct


@dataclass(frozen=True, slots=True)
class LinkAnchor:
    """A target that another one is placed next to, by the ids of the rows that stand for it.

    An anchor that no row stands for is none, unless it has a ``name``: then it is one that cannot
    be there, and this is what it is called. ``quoted`` is the position as the error about an
    unknown anchor quotes it: what the payload has there, with the id of a row for the anchor.
    Without it the anchor alone is quoted.
    """

    rows: tuple[int, ...]
    quoted: Mapping[str, object] | None = field(default=None, compare=False)
    name: str | None = None


class LinkTarget(Struct, frozen=True, kw_only=True):
    """One target of a payload: the rows that stand for it, which stay together.

    A target that no row stands for is none. ``uid`` is its content type where a relation may lead
    to any. ``before``, ``after`` and ``start`` say where a connected target goes, the first of them
    that is given; without them it goes to the end.
    """

    rows: tuple[int, ...]
    uid: str | None = None
    before: LinkAnchor | None = None
    after: LinkAnchor | None = None
    start: bool = False


class LinkChange(Struct, frozen=True, kw_only=True):
    """What is to become of the links of one attribute of one row.

    ``set`` replaces them all and makes the others count for nothing; ``None`` leaves what is there
    but for ``connect`` and ``disconnect``. What stands in both stays connected. With ``strict`` an
    unknown anchor is an error, otherwise its target goes to the end; for a new row it always is.
    """

    set: tuple[LinkTarget, ...] | None = None
    connect: tuple[LinkTarget, ...] = ()
    disconnect: tuple[LinkTarget, ...] = ()
    strict: bool = True


class LinkedRow(Struct, frozen=True, kw_only=True):
    """A row at the far end of a link.

    ``order`` sorts it within its list, ``inverse_order`` sorts the near row within the list of the
    other side; both are ``None`` where no such list is kept. ``uid`` is its content type where a
    relation may lead to any.
    """

    row: int
    order: float | None = None
    inverse_order: float | None = None
    uid: str | None = None
