"""A requested change of the links of a row, and its present links."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from msgspec import Struct


@dataclass(frozen=True, slots=True)
class LinkAnchor:
    """A target that another one is placed next to, by the ids of its rows.

    An anchor without rows is ignored, unless it has a ``name``: then it is an error that shows the
    name. ``quoted`` is the position as the error about an unknown anchor shows it: the value of the
    payload, with a row id for the anchor. Without it only the anchor is shown. ``uid`` is its
    content type in polymorphic relations.
    """

    rows: tuple[int, ...]
    quoted: Mapping[str, object] | None = field(default=None, compare=False)
    name: str | None = None
    uid: str | None = None


class LinkTarget(Struct, frozen=True, kw_only=True):
    """One target of a payload: its rows, which stay together.

    A target without rows is ignored. ``uid`` is its content type in polymorphic relations.
    ``before``, ``after`` and ``start`` say where a connected target goes; the first that is given
    counts. Without them it is appended; ``end`` tells whether the payload asks for that.
    """

    rows: tuple[int, ...]
    uid: str | None = None
    before: LinkAnchor | None = None
    after: LinkAnchor | None = None
    start: bool = False
    end: bool = False


class LinkChange(Struct, frozen=True, kw_only=True):
    """A requested change of the links of one attribute of one row.

    ``set`` replaces all links, and the others are ignored; with ``None`` only ``connect`` and
    ``disconnect`` apply. A target in both stays connected. With ``strict`` an unknown anchor is an
    error, otherwise its target is appended; for a new row it is always an error.
    """

    set: tuple[LinkTarget, ...] | None = None
    connect: tuple[LinkTarget, ...] = ()
    disconnect: tuple[LinkTarget, ...] = ()
    strict: bool = True


class RowLinkChange(Struct, frozen=True, kw_only=True):
    """A requested change of the links of one attribute, and the row that it is for.

    ``siblings`` are the other rows of the same document: their targets are not taken from them.
    """

    row_id: int
    change: LinkChange
    siblings: Collection[int] = ()


class LinkedRow(Struct, frozen=True, kw_only=True):
    """The target row of a link.

    ``order`` sorts it within its list, ``inverse_order`` sorts the source row within the list of
    the other side; both are ``None`` where there is no such list. ``uid`` is its content type in
    polymorphic relations.
    """

    row: int
    order: float | None = None
    inverse_order: float | None = None
    uid: str | None = None
