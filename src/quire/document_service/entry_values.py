"""Parsed values of an entry: columns, links, components.

`parse_input` builds them from a request; `entries` writes them. This module does not know rows or
SQL.
"""

from collections.abc import Mapping

from msgspec import Struct, field


class LinkPosition(Struct, frozen=True):
    """Where a connected entry goes among the others.

    At most one member is set; all unset means the end. Anchors are given like targets.
    """

    before: "RelationTarget | None" = None
    after: "RelationTarget | None" = None
    start: bool = False


class RelationTarget(Struct, frozen=True, kw_only=True):
    """One target of a relation (or a media attribute), as the payload names it.

    Either ``id`` (a row) or ``document_id`` is set. ``uid`` is the content type in polymorphic
    relations (``__type``).
    """

    id: int | None = None
    document_id: str | None = None
    locale: str | None = None
    status: str | None = None
    uid: str | None = None
    position: LinkPosition | None = None


MANY_VALUES = 1000
"""Checking or linking so many values takes milliseconds."""


class RelationChange(Struct, frozen=True, kw_only=True):
    """The requested change of one relation.

    ``set`` replaces everything (an empty tuple clears), and the others are ignored; with ``None``
    only ``connect`` and ``disconnect`` apply. With ``strict`` an unknown anchor of a position is an
    error.
    """

    set: tuple[RelationTarget, ...] | None = None
    connect: tuple[RelationTarget, ...] = ()
    disconnect: tuple[RelationTarget, ...] = ()
    strict: bool = True

    @property
    def is_large(self) -> bool:
        """Whether it names many targets."""
        return len(self.set or ()) + len(self.connect) + len(self.disconnect) > MANY_VALUES


class EntryValues(Struct, frozen=True, kw_only=True):
    """Values to write to one entry or component; absent attributes are unchanged.

    ``scalars`` maps attributes to column values: text, numbers, booleans, timestamps as epoch
    milliseconds, JSON as Python values, ``None``. ``relations`` holds relations and media.
    ``components`` maps single, repeatable and zone attributes to all of their components in order;
    an empty tuple clears.
    """

    scalars: Mapping[str, object] = field(default_factory=dict)
    relations: Mapping[str, RelationChange] = field(default_factory=dict)
    components: "Mapping[str, tuple[ComponentValues, ...]]" = field(default_factory=dict)


class ComponentValues(Struct, frozen=True, kw_only=True):
    """One component: ``id`` names the row to update, ``None`` inserts a new one."""

    uid: str
    id: int | None
    values: EntryValues
