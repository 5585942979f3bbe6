"""Relations stored in columns, of the row itself or of the target."""

import pytest

from quire.database.entries.links.link_change import LinkedRow
from tests.unit.database.entries.links.linking import NODE, PLAIN, Linking, group


@pytest.fixture(autouse=True)
def _rows(linking: Linking) -> None:
    linking.nodes(18, 19, 20)
    linking.plains(3, 4, 5)


def of_nodes(linking: Linking, *columns: str) -> list[object]:
    """Return columns of the three nodes; of one column, its values."""
    rows = linking.columns("nodes", *columns)
    return [row[0] if len(columns) == 1 else row for row in rows]


def test_a_column_holds_the_last_of_a_list_and_the_first_that_is_connected(
    linking: Linking,
) -> None:
    linking.set(NODE, "shelf", 18, [3, 4])
    linking.change(NODE, "shelf", 19, [3, 4])
    assert of_nodes(linking, "shelf_id") == [4, 3, None]
    linking.set(NODE, "shelf", 18, [])
    linking.change(NODE, "shelf", 19, disconnect=[4])
    assert of_nodes(linking, "shelf_id") == [None, 3, None]
    linking.change(NODE, "shelf", 19, disconnect=[4, 3])
    assert of_nodes(linking, "shelf_id") == [None, None, None]


def test_a_new_row_without_a_target_needs_no_statement(linking: Linking) -> None:
    linking.set(NODE, "shelf", 18, [], creating=True)
    assert linking.statements == 0


def test_the_other_side_sets_the_columns_of_its_targets(linking: Linking) -> None:
    linking.set(PLAIN, "shelved", 3, [18, 19])
    linking.set(PLAIN, "shelved", 4, [19, 20])
    assert of_nodes(linking, "shelf_id") == [3, 4, 4]
    linking.set(PLAIN, "shelved", 4, [18])
    assert of_nodes(linking, "shelf_id") == [4, None, None]
    linking.change(PLAIN, "shelved", 4, [20], [18])
    assert of_nodes(linking, "shelf_id") == [None, None, 4]
    linking.change(PLAIN, "shelved", 3, disconnect=[20])
    assert of_nodes(linking, "shelf_id") == [None, None, 4]


def test_one_that_belongs_to_one_is_taken_from_its_owner(linking: Linking) -> None:
    linking.set(NODE, "keeper", 18, [3])
    linking.set(NODE, "keeper", 19, [3])
    assert of_nodes(linking, "keeper_id") == [None, 3, None]
    linking.set(PLAIN, "kept", 3, [20])
    assert of_nodes(linking, "keeper_id") == [None, None, 3]
    linking.change(PLAIN, "kept", 3, [18, 19])
    assert of_nodes(linking, "keeper_id") == [3, None, None]


def test_versions_of_a_document_do_not_take_from_one_another(linking: Linking) -> None:
    linking.set(NODE, "keeper", 18, [3])
    linking.set(NODE, "keeper", 19, [3], creating=True, siblings=[18])
    assert of_nodes(linking, "keeper_id") == [3, 3, None]
    linking.set(NODE, "keeper", 18, [3], siblings=[19])
    assert of_nodes(linking, "keeper_id") == [3, 3, None]


def test_a_row_of_any_type_stands_beside_its_type(linking: Linking) -> None:
    linking.set(NODE, "ref", 18, [group(3, uid=PLAIN)])
    linking.set(NODE, "ref", 19, [group(3, uid=NODE)])
    assert of_nodes(linking, "target_id", "target_type") == [(3, PLAIN), (3, NODE), (None, None)]
    linking.change(NODE, "ref", 18, disconnect=[group(3, uid=NODE)])
    linking.change(NODE, "ref", 19, disconnect=[group(3, uid=NODE)])
    assert of_nodes(linking, "target_id", "target_type") == [(3, PLAIN), (None, None), (None, None)]
    linking.set(NODE, "ref", 18, [])
    assert of_nodes(linking, "target_id") == [None, None, None]


def test_the_rows_that_name_a_row_can_be_set_from_its_side(linking: Linking) -> None:
    linking.set(NODE, "ref", 19, [group(3, uid=NODE)])
    linking.set(PLAIN, "mo", 3, [18])
    assert of_nodes(linking, "target_id", "target_type") == [(3, PLAIN), (3, NODE), (None, None)]
    linking.set(PLAIN, "several", 3, [18, 20])
    assert of_nodes(linking, "target_id", "target_type") == [(3, PLAIN), (3, NODE), (3, PLAIN)]
    linking.set(PLAIN, "several", 3, [])
    assert of_nodes(linking, "target_id", "target_type") == [(None, None), (3, NODE), (None, None)]


def test_columns_are_read_from_both_sides(linking: Linking) -> None:
    linking.set(PLAIN, "shelved", 3, [20, 18])
    linking.set(NODE, "ref", 19, [group(4, uid=PLAIN)])
    assert linking.read(NODE, "shelf", 18, 19, 20) == {
        18: [LinkedRow(row=3)],
        20: [LinkedRow(row=3)],
    }
    assert linking.read(PLAIN, "shelved", 3, 4) == {3: [LinkedRow(row=18), LinkedRow(row=20)]}
    assert linking.read(NODE, "ref", 18, 19) == {19: [LinkedRow(row=4, uid=PLAIN)]}
    assert linking.read(PLAIN, "mo", 3, 4) == {4: [LinkedRow(row=19)]}
