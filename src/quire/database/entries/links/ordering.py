"""The order of a list after targets were connected at positions.

Targets are inserted one after the other, each next to its anchor, so that of two targets with the
same anchor the later one is nearer to it. Rows that move or leave keep their old positions
meanwhile: a target that is placed next to one takes its position.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

import orjson
from msgspec.structs import replace

from quire.database.entries.links.link_change import LinkAnchor, LinkTarget
from quire.errors import ValidationError

_CIRCLE = (
    "A circular reference was found in the connect array. One relation is trying to connect"
    " before/after another one that is trying to connect before/after it"
)


def order_targets(
    orders: Mapping[int, float],
    removed_ids: Collection[int],
    connect: Sequence[LinkTarget],
    *,
    strict: bool,
    names: Mapping[int, str] = MappingProxyType({}),
) -> list[int]:
    """Return the rows of a list in their new order.

    ``orders`` has the order values of the present rows, in order. Those in ``removed_ids`` are
    removed. Connected rows that were linked before move. ``names`` are what messages call rows, if
    not by their ids. Raises ValidationError for an anchor that is not linked (with ``strict``), for
    circular anchors, and for a row with two positions.
    """
    targets = _require_one_position(connect, names)
    targets_by_row = {row: target for target in targets for row in target.rows}
    slots = _OrderedSlots(orders, names)
    for target in _anchors_first(targets, targets_by_row, orders):
        slots.insert(target, strict=strict)
    return slots.rows(excluded={*targets_by_row, *removed_ids})


def without_duplicates(targets: Sequence[LinkTarget]) -> list[LinkTarget]:
    """Leave out repeated targets, and repeated rows of targets."""
    known_rows: set[tuple[str | None, int]] = set()
    unique_targets: list[LinkTarget] = []
    for target in targets:
        rows = tuple(
            row for row in dict.fromkeys(target.rows) if (target.uid, row) not in known_rows
        )
        known_rows.update((target.uid, row) for row in rows)
        if rows:
            unique_targets.append(target if rows == target.rows else replace(target, rows=rows))
    return unique_targets


def _require_one_position(
    targets: Sequence[LinkTarget], names: Mapping[int, str]
) -> list[LinkTarget]:
    """Leave out repetitions; raise an error for a row that is connected at two positions."""
    positions: dict[int, tuple[object, ...]] = {}
    for target in targets:
        position = (target.before, target.after, target.start, target.end)
        for row in target.rows:
            if positions.setdefault(row, position) != position:
                raise ValidationError(
                    f"The relation with id {names.get(row, row)} is already connected."
                    " You cannot connect the same relation twice."
                )
    return without_duplicates(targets)


def _anchors_first(
    targets: Sequence[LinkTarget], targets_by_row: Mapping[int, LinkTarget], linked: Collection[int]
) -> list[LinkTarget]:
    """Sort targets so that each comes after its anchor in the payload.

    An anchor that was linked before already has a position.
    """
    sorted_targets: dict[LinkTarget, None] = {}
    for target in targets:
        path: dict[LinkTarget, None] = {}
        current: LinkTarget | None = target
        while current is not None and current not in sorted_targets:
            if current in path:
                raise ValidationError(_CIRCLE)
            path[current] = None
            anchors = [
                row for row in _anchor_rows(current) if row not in linked and row in targets_by_row
            ]
            current = targets_by_row[anchors[0]] if anchors else None
        sorted_targets.update(dict.fromkeys(reversed(path)))
    return list(sorted_targets)


def _anchor_rows(target: LinkTarget) -> tuple[int, ...]:
    anchor = target.before or target.after
    return () if anchor is None else anchor.rows


class _OrderSlot:
    """One position of the list, and the rows that share it."""

    def __init__(self, rows: tuple[int, ...] = (), *, is_former: bool = False) -> None:
        self.rows = rows
        self.is_former = is_former
        self.following = self
        self.preceding = self

    def insert_before(self, other: "_OrderSlot") -> None:
        """Insert it between another slot and the previous one."""
        self.following, self.preceding = other, other.preceding
        other.preceding.following = self
        other.preceding = self


class _OrderedSlots:
    """The list while targets are inserted: a doubly linked ring, with an empty slot as its end.

    Rows with the same order value share a slot: nothing can be inserted between them.
    """

    def __init__(self, orders: Mapping[int, float], names: Mapping[int, str]) -> None:
        self._names = names
        self._end = _OrderSlot()
        self._slots_by_row: dict[int, _OrderSlot] = {}
        for _, rows in groupby(orders, key=orders.__getitem__):
            self._add(_OrderSlot(tuple(rows), is_former=True), before=self._end)

    def insert(self, target: LinkTarget, *, strict: bool) -> None:
        """Insert a target at its requested position.

        Raises ValidationError when its anchor is not linked, with ``strict``; otherwise it is
        appended.
        """
        self._add(_OrderSlot(target.rows), before=self._slot_after(target, strict=strict))

    def rows(self, *, excluded: Collection[int]) -> list[int]:
        """Return all rows in order, without some of the former ones."""
        ordered_rows: list[int] = []
        slot = self._end.following
        while slot is not self._end:
            ordered_rows += [row for row in slot.rows if not (slot.is_former and row in excluded)]
            slot = slot.following
        return ordered_rows

    def _add(self, slot: _OrderSlot, *, before: _OrderSlot) -> None:
        slot.insert_before(before)
        self._slots_by_row.update(dict.fromkeys(slot.rows, slot))

    def _slot_after(self, target: LinkTarget, *, strict: bool) -> _OrderSlot:
        """Return the slot before which a target is inserted."""
        anchor = target.before or target.after
        if anchor is None or not (anchor.rows or anchor.name):
            return self._end.following if target.start else self._end
        slot = next(
            (self._slots_by_row[row] for row in anchor.rows if row in self._slots_by_row), None
        )
        if slot is not None:
            return slot if target.before else slot.following
        if strict:
            raise self._unknown_anchor(target, anchor)
        return self._end

    def _unknown_anchor(self, target: LinkTarget, anchor: LinkAnchor) -> ValidationError:
        other = self._name(anchor.rows[0]) if anchor.rows else anchor.name
        position = anchor.quoted or {"before" if target.before else "after": other}
        return ValidationError(
            f"There was a problem connecting relation with id {self._name(target.rows[0])} at"
            f" position {orjson.dumps(position).decode()}."
            f" The relation with id {other} needs to be connected first."
        )

    def _name(self, row: int) -> int | str:
        return self._names.get(row, row)
