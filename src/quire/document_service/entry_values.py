"""Parsed values of an entry: columns, links, components.

`validate` turns the wire's form into these; `entries` writes them. Nothing here knows rows or SQL.
"""

from collections.abc import Mapping

from msgspec import Struct, field


class LinkPosition(Struct, frozen=True):
    """Where a linked entry goes among its siblings.

    At most one member is set; all unset is the end. Anchors are given like targets.
    """

    before: "RelationTarget | None" = None
    after: "RelationTarget | None" = None
    start: bool = False


class RelationTarget(Struct, frozen=True, kw_only=True):
    """One entry that a relation (or a media attribute) is to lead to, as the payload names it.

    Either ``id`` (a row) or ``document_id`` is set. ``uid`` is the content type for relations to
    any type (``__type``).
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
    """What a payload asks of one relation.

    ``set`` replaces everything (an empty tuple clears) and makes the others count for nothing;
    ``None`` leaves what is there but for ``connect`` and ``disconnect``. With ``strict`` an unknown
    anchor of a position is an error.
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
    """What is to be written to one entry or component; attributes that are absent stay.

    ``scalars`` maps attributes to values as columns take them: text, numbers, booleans, moments as
    epoch milliseconds, JSON as Python values, ``None``. ``relations`` holds relations and media.
    ``components`` maps single, repeatable and zone attributes to all of their components in order;
    an empty tuple clears.
    """

    scalars: Mapping[str, object] = field(default_factory=dict)
    relations: Mapping[str, RelationChange] = field(default_factory=dict)
    components: "Mapping[str, tuple[ComponentValues, ...]]" = field(default_factory=dict)


class ComponentValues(Struct, frozen=True, kw_only=True):
    """One component: ``id`` names the row that is to be changed, ``None`` makes a new one."""

    uid: str
    id: int | None
    values: EntryValues
