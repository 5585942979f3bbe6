"""Bidirectional to-many relations: rows written by recorded payloads.

Nodes have a list of plain entries (``plain_ord``), which have a list of nodes (``node_ord``).
"""

import pytest

from quire.database.entries.links.link_change import LinkAnchor, LinkTarget
from quire.errors import ValidationError
from tests.unit.database.entries.links.linking import (
    NODE,
    PLAIN,
    Linking,
    after,
    before,
    first,
    group,
)

TABLE = "nodes_mplains_lnk"


@pytest.fixture(autouse=True)
def _rows(linking: Linking) -> None:
    linking.nodes(17, 18, 19)
    linking.plains(*range(3, 9))


def placed(linking: Linking, node: int = 18) -> dict[object, object]:
    """Return the order values of a node's list by plain entries."""
    return {
        plain: order for source_id, plain, order, _ in linking.table(TABLE) if source_id == node
    }


def test_a_list_is_numbered_from_one(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4, 5])
    assert linking.table(TABLE) == [(18, 3, 1.0, 1.0), (18, 4, 2.0, 1.0), (18, 5, 3.0, 1.0)]


def test_the_recorded_session_leaves_the_recorded_orders(linking: Linking) -> None:
    def connected(
        *targets: LinkTarget | int, without: tuple[int, ...] = ()
    ) -> dict[object, object]:
        linking.change(NODE, "mplains", 18, targets, without)
        return placed(linking)

    linking.set(NODE, "mplains", 18, [3, 4, 5])
    assert connected(6) == {3: 1, 4: 2, 5: 3, 6: 4}
    assert connected(first(7)) == {3: 2, 4: 3, 5: 4, 6: 5, 7: 1}
    assert connected(before(8, 4)) == {3: 2, 4: 4, 5: 5, 6: 6, 7: 1, 8: 3}
    assert connected(after(3, 6)) == {3: 6, 4: 3, 5: 4, 6: 5, 7: 1, 8: 2}
    assert connected(before(3, 5), after(7, 3)) == {3: 3, 4: 2, 5: 5, 6: 6, 7: 4, 8: 1}
    assert connected(4, without=(8,)) == {3: 1, 4: 5, 5: 3, 6: 4, 7: 2}
    assert connected(without=(6,)) == {3: 1, 4: 4, 5: 3, 7: 2}
    linking.set(NODE, "mplains", 18, [])
    assert connected(3, 4, 5) == {3: 1, 4: 2, 5: 3}
    linking.set(NODE, "mplains", 18, [3])
    assert connected(5, 5) == {3: 1, 5: 2}
    linking.set(NODE, "mplains", 18, [])
    assert connected(3, first(4), before(5, 3)) == {3: 3, 4: 1, 5: 2}
    assert {inverse for *_, inverse in linking.table(TABLE)} == {1.0}


def test_what_a_new_row_connects_is_counted_from_nought(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4, 5])
    linking.change(NODE, "mplains", 19, [3, first(4), before(5, 3)], creating=True)
    assert linking.table(TABLE)[3:] == [(19, 4, 0.0, 2.0), (19, 5, 1.0, 2.0), (19, 3, 2.0, 2.0)]


def test_links_that_stay_keep_their_id_and_their_place_on_the_other_side(linking: Linking) -> None:
    linking.set(NODE, "mplains", 17, [4])
    linking.set(NODE, "mplains", 18, [3, 4, 5])
    was = linking.links_by_id(TABLE)
    linking.set(NODE, "mplains", 18, [4, 6, 3])
    now = linking.links_by_id(TABLE)
    assert [now[link] for link in was if link in now] == [
        (17, 4, 1.0, 1.0),
        (18, 3, 3.0, 1.0),
        (18, 4, 1.0, 2.0),
    ]
    assert [now[link] for link in now if link not in was] == [(18, 6, 2.0, 1.0)]


def test_new_links_come_last_on_the_other_side(linking: Linking) -> None:
    for node in (17, 18, 19):
        linking.set(NODE, "mplains", node, [3])
    assert linking.table(TABLE) == [(17, 3, 1.0, 1.0), (18, 3, 1.0, 2.0), (19, 3, 1.0, 3.0)]


@pytest.mark.parametrize("disconnects", [True, False])
def test_the_list_of_a_target_that_is_let_go_is_closed_up(
    linking: Linking, *, disconnects: bool
) -> None:
    for node in (17, 18, 19):
        linking.set(NODE, "mplains", node, [3, 4])
    if disconnects:
        linking.change(NODE, "mplains", 17, disconnect=[3])
    else:
        linking.set(NODE, "mplains", 17, [4])
    assert linking.table(TABLE) == [
        (17, 4, 1.0, 1.0),
        (18, 3, 1.0, 1.0),
        (18, 4, 2.0, 2.0),
        (19, 3, 1.0, 2.0),
        (19, 4, 2.0, 3.0),
    ]


def test_the_other_side_writes_the_same_table(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [4, 3])
    linking.set(PLAIN, "mnodes", 3, [19, 18])
    assert linking.table(TABLE) == [
        (18, 4, 1.0, 1.0),
        (18, 3, 2.0, 2.0),
        (19, 3, 1.0, 1.0),
    ]


def test_what_is_connected_again_goes_to_the_end(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4, 5])
    linking.change(NODE, "mplains", 18, [3])
    assert placed(linking) == {4: 1, 5: 2, 3: 3}


def test_what_is_both_connected_and_disconnected_stays(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4])
    linking.change(NODE, "mplains", 18, [3, 5], [3, 5])
    assert placed(linking) == {4: 1, 3: 2, 5: 3}


def test_disconnecting_what_is_not_linked_closes_the_list_up(linking: Linking) -> None:
    linking.change(NODE, "mplains", 18, [3, 4], creating=True)
    assert placed(linking) == {3: 0, 4: 1}
    linking.change(NODE, "mplains", 18, disconnect=[5])
    assert placed(linking) == {3: 1, 4: 2}


def test_a_change_that_asks_for_nothing_costs_nothing(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4])
    linking.change(NODE, "mplains", 18)
    assert linking.statements == 0
    assert placed(linking) == {3: 1, 4: 2}


def test_the_rows_of_a_target_stay_together(linking: Linking) -> None:
    linking.set(PLAIN, "uniNodes", 3, [17, group(18, 19)])
    assert linking.table("plains_uni_nodes_lnk") == [(3, 17, 1.0), (3, 18, 2.0), (3, 19, 3.0)]
    pair = LinkTarget(rows=(18, 19), before=LinkAnchor((17,)))
    linking.change(PLAIN, "uniNodes", 3, [pair])
    assert linking.table("plains_uni_nodes_lnk") == [(3, 17, 3.0), (3, 18, 1.0), (3, 19, 2.0)]
    linking.change(PLAIN, "uniNodes", 3, disconnect=[group(18, 19)])
    assert linking.table("plains_uni_nodes_lnk") == [(3, 17, 1.0)]


def test_rows_may_be_linked_to_themselves(linking: Linking) -> None:
    linking.set(NODE, "likes", 18, [18, 19])
    linking.set(NODE, "likedBy", 18, [17, 18])
    assert linking.table("nodes_likes_lnk") == [
        (18, 18, 1.0, 2.0),
        (18, 19, 2.0, 1.0),
        (17, 18, 1.0, 1.0),
    ]


def test_an_unknown_anchor_changes_nothing(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4])
    with pytest.raises(ValidationError) as raised:
        linking.change(NODE, "mplains", 18, [before(5, 8)], [3])
    assert raised.value.message == (
        'There was a problem connecting relation with id 5 at position {"before":8}.'
        " The relation with id 8 needs to be connected first."
    )
    assert placed(linking) == {3: 1, 4: 2}


def test_without_strictness_an_unknown_anchor_is_the_end_but_not_for_a_new_row(
    linking: Linking,
) -> None:
    linking.set(NODE, "mplains", 18, [3, 4])
    linking.change(NODE, "mplains", 18, [before(5, 8)], strict=False)
    assert placed(linking) == {3: 1, 4: 2, 5: 3}
    with pytest.raises(ValidationError, match="needs to be connected first"):
        linking.change(NODE, "mplains", 19, [before(5, 8)], strict=False, creating=True)


def test_a_list_without_orders_is_taken_as_it_comes(linking: Linking) -> None:
    linking.set(NODE, "mplains", 18, [3, 4, 5])
    linking.store.execute(f"UPDATE {TABLE} SET plain_ord = NULL")
    linking.change(NODE, "mplains", 18, [after(6, 3)])
    assert placed(linking) == {3: 1, 6: 2, 4: 3, 5: 4}


def test_the_number_of_statements_does_not_depend_on_the_length_of_a_list(
    linking: Linking,
) -> None:
    linking.plains(*range(100, 400))
    linking.set(NODE, "mplains", 18, range(100, 400), creating=True)
    assert linking.statements == 1
    linking.set(NODE, "mplains", 18, range(399, 99, -1))
    assert linking.statements == 2  # read, renumber
    linking.set(NODE, "mplains", 18, [*range(300, 400), 3, 4])
    assert linking.statements == 5  # read, delete, renumber, insert, close the others' lists
    linking.change(NODE, "mplains", 18, [5, first(6)], range(300, 350))
    assert linking.statements == 5
