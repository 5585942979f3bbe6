"""The order of a list after targets were connected to it at given positions.

Every connected target gets a *base*: half a step before or after the order value of its anchor, of
the first or of the last of the list. Targets that name an anchor from the same payload share its
base and stand directly beside it. Targets with one base keep the order in which they came.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import orjson

from quire.database.links.change import Anchor, Linked
from quire.errors import ValidationError

_HALF = 0.5
_CIRCLE = (
    "A circular reference was found in the connect array. One relation is trying to connect"
    " before/after another one that is trying to connect before/after it"
)
_TWICE = "The relation with id {} is already connected. You cannot connect the same relation twice."


def place(
    orders: Mapping[int, float], gone: Collection[int], connect: Sequence[Linked], *, strict: bool
) -> list[int]:
    """Return the rows of a list in their new order.

    ``orders`` has the order values of the rows that were linked so far. Those in ``gone`` leave the
    list, and still serve as anchors: what is placed at one takes its place. Connected rows that
    were linked before move.

    Raises ValidationError for an anchor that is not linked (with ``strict``), for anchors that go
    round in a circle, and for a row that is to go to two places.
    """
    _refuse_two_places(connect)
    targets = distinct(connect)
    placing = _Placing(orders, targets, strict=strict)
    for target in targets:
        placing.add(target)
    left = {row for target in targets for row in target.rows} | set(gone)
    keyed: list[tuple[float, int, tuple[int, ...]]] = [
        (order, 0, (row,)) for row, order in orders.items() if row not in left
    ]
    keyed += [(base, 1, tuple(chain.rows())) for base, chain in placing.chains.items()]
    keyed.sort(key=lambda entry: entry[:2])
    return [row for _, _, rows in keyed for row in rows]


def _refuse_two_places(targets: Sequence[Linked]) -> None:
    places: dict[tuple[str | None, int], tuple[object, ...]] = {}
    for target in targets:
        wanted = (target.before, target.after, target.start)
        for row in target.rows:
            if places.setdefault((target.uid, row), wanted) != wanted:
                raise ValidationError(_TWICE.format(row))


def distinct(targets: Sequence[Linked]) -> list[Linked]:
    """Leave out targets, and rows of targets, that came before."""
    seen: set[tuple[str | None, int]] = set()
    kept: list[Linked] = []
    for target in targets:
        rows = tuple(row for row in dict.fromkeys(target.rows) if (target.uid, row) not in seen)
        seen.update((target.uid, row) for row in rows)
        if rows:
            kept.append(target if rows == target.rows else replace(target, rows=rows))
    return kept


class _Chain:
    """Targets with one base, each linked to the next so that any number can be put between."""

    def __init__(self) -> None:
        self._next: dict[Linked | None, Linked | None] = {None: None}
        self._last: dict[Linked | None, Linked | None] = {None: None}

    def put(self, target: Linked, *, after: Linked | None) -> None:
        """Insert a target directly after another one, ``None`` being the beginning."""
        before = self._next[after]
        self._next[after], self._next[target] = target, before
        self._last[before], self._last[target] = target, after

    def previous(self, target: Linked | None) -> Linked | None:
        """Return what stands before a target; before ``None``, the end, stands the last one."""
        return self._last[target]

    def rows(self) -> Iterator[int]:
        """Go through the rows of all targets."""
        target = self._next[None]
        while target is not None:
            yield from target.rows
            target = self._next[target]


class _Placing:
    """Finds the base of each target, anchors first."""

    def __init__(
        self, orders: Mapping[int, float], targets: Sequence[Linked], *, strict: bool
    ) -> None:
        self._orders = orders
        self._strict = strict
        self._payload = {row: target for target in targets for row in target.rows}
        self._first = min(orders.values(), default=1.0) - _HALF
        self._last = max(orders.values(), default=1.0) + _HALF
        self._chain_of: dict[Linked, _Chain] = {}
        self.chains: dict[float, _Chain] = {}

    def add(self, target: Linked) -> None:
        """Place a target, and before it those of the payload that it depends on."""
        path: dict[Linked, None] = {}
        step: Linked | None = target
        while step is not None and step not in self._chain_of:
            if step in path:
                raise ValidationError(_CIRCLE)
            path[step] = None
            step = self._neighbour(step)
        for placed in reversed(path):
            self._put(placed, step)
            step = placed

    def _put(self, target: Linked, neighbour: Linked | None) -> None:
        if neighbour is None:
            chain = self.chains.setdefault(self._base(target), _Chain())
            chain.put(target, after=chain.previous(None))
        else:
            chain = self._chain_of[neighbour]
            beside = neighbour if target.before is None else chain.previous(neighbour)
            chain.put(target, after=beside)
        self._chain_of[target] = chain

    def _neighbour(self, target: Linked) -> Linked | None:
        """Return the target of the same payload that this one wants to stand beside."""
        anchor = target.before or target.after
        rows = () if anchor is None else anchor.rows
        return next((self._payload[row] for row in rows if row in self._payload), None)

    def _base(self, target: Linked) -> float:
        anchor = target.before or target.after
        if anchor is None:
            return self._first if target.start else self._last
        known = [self._orders[row] for row in anchor.rows if row in self._orders]
        if known:
            return min(known) - _HALF if target.before else max(known) + _HALF
        if self._strict:
            raise _unknown_anchor(target, anchor)
        return self._last


def _unknown_anchor(target: Linked, anchor: Anchor) -> ValidationError:
    other = anchor.rows[0] if anchor.rows else anchor.name
    position: dict[str, object] = {"before" if target.before else "after": other}
    if anchor.locale is not None:
        position["locale"] = anchor.locale
    return ValidationError(
        f"There was a problem connecting relation with id {target.rows[0]} at position"
        f" {orjson.dumps(position).decode()}."
        f" The relation with id {other} needs to be connected first."
    )
