"""Bidirectional lists behave like plain lists under any sequence of changes."""

from hypothesis import given
from hypothesis import strategies as st

from quire.database.entries.links.link_change import LinkChange, LinkTarget
from quire.errors import ValidationError
from tests.databases.kind import Kind
from tests.unit.database.entries.links.linking import (
    NODE,
    PLAIN,
    Linking,
    after,
    before,
    first,
    linking_schema,
    targets,
)

NODES, PLAINS = [1, 2, 3], [11, 12, 13, 14, 15]
SIDES = {NODE: ("mplains", NODES, PLAINS), PLAIN: ("mnodes", PLAINS, NODES)}

Action = tuple[str, int, LinkChange]
Lists = dict[int, list[int]]


@st.composite
def actions(draw: st.DrawFn) -> Action:
    """Draw a change of the list of one row, on either side."""
    uid = draw(st.sampled_from([NODE, PLAIN]))
    _, source_ids, target_ids = SIDES[uid]
    row, rows = draw(st.sampled_from(source_ids)), st.sampled_from(target_ids)
    if draw(st.booleans()):
        return uid, row, LinkChange(set=targets(draw(st.lists(rows, max_size=4))))
    connect = st.lists(targets_among(target_ids), max_size=3, unique_by=lambda target: target.rows)
    change = LinkChange(
        connect=tuple(draw(connect)),
        disconnect=targets(draw(st.lists(rows, max_size=2))),
        strict=draw(st.booleans()),
    )
    return uid, row, change


def targets_among(rows: list[int]) -> st.SearchStrategy[LinkTarget]:
    """Draw a target with any position, its anchor linked or not."""
    row = st.sampled_from(rows)
    return st.one_of(
        row.map(lambda row_id: LinkTarget(rows=(row_id,))),
        row.map(first),
        st.builds(before, row, row),
        st.builds(after, row, row),
    )


def model(known: list[int], change: LinkChange) -> list[int] | None:
    """Change a plain list, one target after the other; ``None`` when it cannot be done."""
    if change.set is not None:
        return list(dict.fromkeys(target.rows[0] for target in change.set))
    held: list[tuple[int, bool]] = [(row, False) for row in known]
    waiting = list(change.connect)
    while waiting:
        target = in_turn(waiting, known)
        place = None if target is None else spot(target, held, strict=change.strict)
        if target is None or place is None:
            return None
        waiting.remove(target)
        held.insert(place, (target.rows[0], True))
    connected = {target.rows[0] for target in change.connect}
    left = connected | {target.rows[0] for target in change.disconnect}
    return [row for row, new in held if new or row not in left]


def anchor_of(target: LinkTarget) -> int | None:
    """Return the row that a target is to stand next to."""
    anchor = target.before or target.after
    return None if anchor is None else anchor.rows[0]


def waits(target: LinkTarget, known: list[int], waiting: list[LinkTarget]) -> bool:
    """Tell whether the anchor of a target is only just to be connected."""
    anchor = anchor_of(target)
    return anchor not in known and any(other.rows[0] == anchor for other in waiting)


def in_turn(waiting: list[LinkTarget], known: list[int]) -> LinkTarget | None:
    """Return the target that is next: the first, or what it waits for; ``None`` in a circle."""
    target = waiting[0]
    for _ in waiting:
        if not waits(target, known, waiting):
            return target
        target = next(other for other in waiting if other.rows[0] == anchor_of(target))
    return None


def spot(target: LinkTarget, held: list[tuple[int, bool]], *, strict: bool) -> int | None:
    """Return where a target goes; a row that was put in counts, not where it was before."""
    anchor = anchor_of(target)
    if anchor is None:
        return 0 if target.start else len(held)
    places = [place for place, entry in enumerate(held) if entry == (anchor, True)]
    places += [place for place, entry in enumerate(held) if entry == (anchor, False)]
    if not places:
        return None if strict else len(held)
    return places[0] + (target.before is None)


def follow(lists: Lists, others: Lists, row: int, new: list[int]) -> None:
    """Make a list what it has become; the other side loses and gains at the end."""
    for target_id, source_ids in others.items():
        if target_id in lists[row] and target_id not in new:
            source_ids.remove(row)
        elif target_id in new and target_id not in lists[row]:
            source_ids.append(row)
    lists[row] = new


def shown(linking: Linking, source_position: int, order: int) -> Lists:
    """Return the lists of one side, from the columns at these places of the table."""
    rows = linking.table("nodes_mplains_lnk")
    found: dict[int, list[tuple[object, object]]] = {}
    for row in rows:
        found.setdefault(int(row[source_position] or 0), []).append(
            (row[order], row[1 - source_position])
        )
    assert all(len({order for order, _ in links}) == len(links) for links in found.values())
    return {
        row: [int(str(target_id)) for _, target_id in sorted(links)] for row, links in found.items()
    }


@given(st.lists(actions(), max_size=12))
def test_both_sides_of_a_list_follow_a_plain_model(kind: Kind, done: list[Action]) -> None:
    linking = Linking(kind.store(linking_schema()))
    linking.nodes(*NODES)
    linking.plains(*PLAINS)
    lists: dict[str, Lists] = {
        NODE: {row: [] for row in NODES},
        PLAIN: {row: [] for row in PLAINS},
    }
    for uid, row, change in done:
        expected = model(lists[uid][row], change)
        program = linking.links.apply(uid, SIDES[uid][0], row, change, creating=False)
        try:
            linking.run(program)
        except ValidationError:
            assert expected is None
        else:
            assert expected is not None
            follow(lists[uid], lists[PLAIN if uid == NODE else NODE], row, expected)
        assert shown(linking, 0, 2) == {
            row: targets for row, targets in lists[NODE].items() if targets
        }
        assert shown(linking, 1, 3) == {
            row: targets for row, targets in lists[PLAIN].items() if targets
        }
    linking.store.close()
