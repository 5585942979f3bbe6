"""To-one relations, and links that they take from other rows."""

import pytest

from tests.unit.database.entries.links.linking import NODE, PLAIN, Linking, group

UP, ONE = "nodes_up_lnk", "nodes_one_plain_lnk"


@pytest.fixture(autouse=True)
def _rows(linking: Linking) -> None:
    linking.rows(NODE, {"a": [18, 19], "b": [20, 21], "c": [22]})
    linking.plains(*range(3, 9))


def test_of_a_list_the_last_wins_and_of_connected_ones_the_first(linking: Linking) -> None:
    linking.set(NODE, "up", 18, [3, 4])
    assert linking.table(UP) == [(18, 4, 1.0)]
    linking.change(NODE, "up", 18, [5, 6])
    assert linking.table(UP) == [(18, 5, 1.0)]
    linking.change(NODE, "up", 18, [7])
    assert linking.table(UP) == [(18, 7, 1.0)]
    linking.set(NODE, "up", 18, [])
    assert linking.table(UP) == []


def test_a_link_that_stays_is_not_written_anew(linking: Linking) -> None:
    linking.set(NODE, "up", 18, [3])
    was = linking.links_by_id(UP)
    linking.set(NODE, "up", 18, [3])
    linking.change(NODE, "up", 18, [3])
    linking.change(NODE, "up", 18, disconnect=[4])
    assert linking.links_by_id(UP) == was


def test_what_is_disconnected_is_gone_and_what_replaces_it_is_there(linking: Linking) -> None:
    linking.set(NODE, "up", 18, [3])
    linking.change(NODE, "up", 18, [4], [3])
    assert linking.table(UP) == [(18, 4, 1.0)]
    linking.change(NODE, "up", 18, disconnect=[4])
    assert linking.table(UP) == []


def test_the_many_of_one_are_closed_up_when_one_leaves(linking: Linking) -> None:
    for node in (18, 20, 22):
        linking.set(NODE, "up", node, [3])
    linking.set(NODE, "up", 18, [4])
    assert linking.table(UP) == [(20, 3, 1.0), (22, 3, 2.0), (18, 4, 1.0)]


def test_the_rows_of_one_document_are_linked_together(linking: Linking) -> None:
    linking.set(PLAIN, "uniNode", 3, [group(18, 19)])
    linking.set(PLAIN, "oneNode", 3, [group(20, 21)])
    assert linking.table("plains_uni_node_lnk") == [(3, 18), (3, 19)]
    assert linking.table(ONE) == [(20, 3), (21, 3)]


def test_connecting_one_version_leaves_the_other_version_of_the_document(linking: Linking) -> None:
    linking.set(PLAIN, "uniNode", 3, [group(18, 19)])
    linking.change(PLAIN, "uniNode", 3, [19])
    assert linking.table("plains_uni_node_lnk") == [(3, 18), (3, 19)]
    linking.change(PLAIN, "uniNode", 3, [20])
    assert linking.table("plains_uni_node_lnk") == [(3, 20)]


def test_a_list_of_one_version_leaves_only_that(linking: Linking) -> None:
    linking.set(PLAIN, "uniNode", 3, [group(18, 19)])
    linking.set(PLAIN, "uniNode", 3, [19])
    assert linking.table("plains_uni_node_lnk") == [(3, 19)]


def test_one_that_belongs_to_one_is_taken_from_its_owner(linking: Linking) -> None:
    linking.set(NODE, "onePlain", 18, [3])
    linking.set(NODE, "onePlain", 20, [3], creating=True)
    assert linking.table(ONE) == [(20, 3)]
    linking.set(PLAIN, "oneNode", 4, [20])
    assert linking.table(ONE) == [(20, 4)]


def test_versions_of_a_document_do_not_take_from_one_another(linking: Linking) -> None:
    linking.set(NODE, "onePlain", 20, [3])
    linking.set(NODE, "onePlain", 18, [3], siblings=[19])
    linking.set(NODE, "onePlain", 19, [3], creating=True, siblings=[18])
    assert linking.table(ONE) == [(18, 3), (19, 3)]
    linking.set(NODE, "onePlain", 18, [3], siblings=[19])
    assert linking.table(ONE) == [(18, 3), (19, 3)]


def test_many_that_belong_to_one_are_taken_from_its_owner(linking: Linking) -> None:
    linking.set(NODE, "up", 18, [3])
    linking.set(PLAIN, "nodes", 4, [20, 18])
    assert linking.table(UP) == [(20, 4, 1.0), (18, 4, 2.0)]
    linking.change(PLAIN, "nodes", 5, [18], creating=True)
    assert linking.table(UP) == [(20, 4, 1.0), (18, 5, 0.0)]


@pytest.mark.parametrize(
    ("attribute", "table"), [("pick", "plains_pick_lnk"), ("picks", "plains_picks_lnk")]
)
def test_what_does_not_know_its_owner_may_have_several(
    attribute: str, table: str, linking: Linking
) -> None:
    linking.set(PLAIN, attribute, 3, [18])
    linking.set(PLAIN, attribute, 4, [18])
    assert [row[:2] for row in linking.table(table)] == [(3, 18), (4, 18)]


def test_a_link_of_a_new_row_is_one_statement_and_one_more_where_it_is_taken(
    linking: Linking,
) -> None:
    linking.set(NODE, "up", 18, [3], creating=True)
    assert linking.statements == 1
    linking.set(NODE, "onePlain", 18, [3], creating=True)
    assert linking.statements == 2
    linking.set(NODE, "up", 18, [3])
    assert linking.statements == 1  # read, and nothing to do
