"""The order of a list after targets were connected at positions.

Targets are inserted one after the other, each next to its anchor, so that of two targets with the
same anchor the later one is nearer to it. Rows that move or leave keep their old positions
meanwhile: a target that is placed next to one takes its position.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby

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
) -> list[int]:
    """Return the rows of a list in their new order.

    ``orders`` has the order values of the present rows, in order. Those in ``removed_ids`` are
    removed. Connected rows that were linked before move. Raises ValidationError for an anchor that
    is not linked (with ``strict``), for circular anchors, and for a row with two positions.
    """
    targets = _with_one_place(connect)
    payload = {row: target for target in targets for row in target.rows}
    places = _OrderedSlots(orders)
    for target in _anchors_first(targets, payload, orders):
        places.put(target, strict=strict)
    return places.rows(without={*payload, *removed_ids})


def without_duplicates(targets: Sequence[LinkTarget]) -> list[LinkTarget]:
    """Leave out repeated targets, and repeated rows of targets."""
    known_rows: set[tuple[str | None, int]] = set()
    result: list[LinkTarget] = []
    for target in targets:
        rows = tuple(
            row for row in dict.fromkeys(target.rows) if (target.uid, row) not in known_rows
        )
        known_rows.update((target.uid, row) for row in rows)
        if rows:
            result.append(target if rows == target.rows else replace(target, rows=rows))
    return result


def _with_one_place(targets: Sequence[LinkTarget]) -> list[LinkTarget]:
    """Leave out repetitions; raise an error for a row that is connected at two positions."""
    places: dict[int, tuple[object, ...]] = {}
    for target in targets:
        position = (target.before, target.after, target.start)
        for row in target.rows:
            if places.setdefault(row, position) != position:
                raise ValidationError(
                    f"The relation with id {row} is already connected."
                    " You cannot connect the same relation twice."
                )
    return without_duplicates(targets)


def _anchors_first(
    targets: Sequence[LinkTarget], payload: Mapping[int, LinkTarget], linked: Collection[int]
) -> list[LinkTarget]:
    """Sort targets so that each comes after its anchor in the payload.

    An anchor that was linked before already has a position.
    """
    sorted_targets: dict[LinkTarget, None] = {}
    for target in targets:
        path: dict[LinkTarget, None] = {}
        step: LinkTarget | None = target
        while step is not None and step not in sorted_targets:
            if step in path:
                raise ValidationError(_CIRCLE)
            path[step] = None
            anchors = [row for row in _anchor_rows(step) if row not in linked and row in payload]
            step = payload[anchors[0]] if anchors else None
        sorted_targets.update(dict.fromkeys(reversed(path)))
    return list(sorted_targets)


def _anchor_rows(target: LinkTarget) -> tuple[int, ...]:
    anchor = target.before or target.after
    return () if anchor is None else anchor.rows


class _OrderSlot:
    """One position of the list, and the rows that share it."""

    def __init__(self, rows: tuple[int, ...] = (), *, old: bool = False) -> None:
        self.rows = rows
        self.old = old
        self.following = self
        self.preceding = self

    def put_before(self, other: "_OrderSlot") -> None:
        """Insert it between another slot and the previous one."""
        self.following, self.preceding = other, other.preceding
        other.preceding.following = self
        other.preceding = self


class _OrderedSlots:
    """The list while targets are inserted: a ring of slots around one without rows.

    Rows with the same order value share a slot: nothing can be inserted between them.
    """

    def __init__(self, orders: Mapping[int, float]) -> None:
        self._end = _OrderSlot()
        self._spots: dict[int, _OrderSlot] = {}
        for _, rows in groupby(orders, key=orders.__getitem__):
            self._add(_OrderSlot(tuple(rows), old=True), before=self._end)

    def put(self, target: LinkTarget, *, strict: bool) -> None:
        """Insert a target at its requested position.

        Raises ValidationError when its anchor is not linked, with ``strict``; otherwise it is
        appended.
        """
        self._add(_OrderSlot(target.rows), before=self._follower(target, strict=strict))

    def rows(self, *, without: Collection[int]) -> list[int]:
        """Return all rows in order, without some of the former ones."""
        results: list[int] = []
        spot = self._end.following
        while spot is not self._end:
            results += [row for row in spot.rows if not (spot.old and row in without)]
            spot = spot.following
        return results

    def _add(self, spot: _OrderSlot, *, before: _OrderSlot) -> None:
        spot.put_before(before)
        self._spots.update(dict.fromkeys(spot.rows, spot))

    def _follower(self, target: LinkTarget, *, strict: bool) -> _OrderSlot:
        """Return the slot before which a target is inserted."""
        anchor = target.before or target.after
        if anchor is None or not (anchor.rows or anchor.name):
            return self._end.following if target.start else self._end
        spot = next((self._spots[row] for row in anchor.rows if row in self._spots), None)
        if spot is not None:
            return spot if target.before else spot.following
        if strict:
            raise _unknown_anchor(target, anchor)
        return self._end


def _unknown_anchor(target: LinkTarget, anchor: LinkAnchor) -> ValidationError:
    other = anchor.rows[0] if anchor.rows else anchor.name
    position = anchor.quoted or {"before" if target.before else "after": other}
    return ValidationError(
        f"There was a problem connecting relation with id {target.rows[0]} at position"
        f" {orjson.dumps(position).decode()}."
        f" The relation with id {other} needs to be connected first."
    )
