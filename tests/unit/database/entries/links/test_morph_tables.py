"""Polymorphic links in both directions: media, and lists with types."""

import pytest

from quire.database.entries.links.link_change import LinkedRow
from quire.schema.model import FILE_UID
from tests.unit.database.entries.links.linking import (
    BOX,
    NODE,
    PLAIN,
    Linking,
    first,
    group,
)

FILES, REFS = "files_related_mph", "nodes_refs_mph"


@pytest.fixture(autouse=True)
def _rows(linking: Linking) -> None:
    linking.nodes(6, 7, 18, 23)
    linking.plains(3, 4, 5)
    linking.rows(FILE_UID, {f"f{number}": [number] for number in range(1, 8)})


def test_files_are_linked_by_type_and_field_and_counted_in_each_field(linking: Linking) -> None:
    linking.set(BOX, "image", 7, [1], creating=True)
    linking.set(NODE, "cover", 6, [1], creating=True)
    linking.set(NODE, "gallery", 6, [2, 1], creating=True)
    assert linking.statements == 1
    assert linking.table(FILES) == [
        (1, 7, BOX, "image", 1.0),
        (1, 6, NODE, "cover", 1.0),
        (2, 6, NODE, "gallery", 1.0),
        (1, 6, NODE, "gallery", 2.0),
    ]


def test_files_that_leave_leave_a_gap_and_new_ones_come_last(linking: Linking) -> None:
    linking.set(NODE, "gallery", 6, [2, 1])
    linking.change(NODE, "gallery", 6, disconnect=[2])
    assert linking.table(FILES) == [(1, 6, NODE, "gallery", 2.0)]
    linking.change(NODE, "gallery", 6, [2, first(3)])
    assert linking.table(FILES) == [
        (1, 6, NODE, "gallery", 2.0),
        (2, 6, NODE, "gallery", 3.0),
        (3, 6, NODE, "gallery", 4.0),
    ]
    assert linking.statements == 2


def test_files_that_are_connected_are_counted_after_those_of_all_fields(linking: Linking) -> None:
    linking.set(NODE, "gallery", 6, [2, 1, 3])
    linking.set(NODE, "gallery", 7, [5, 6, 7, 1])
    linking.change(NODE, "gallery", 6, [2])
    linking.set(NODE, "cover", 6, [4])
    assert [row for row in linking.table(FILES) if row[1] == 6] == [
        (1, 6, NODE, "gallery", 2.0),
        (3, 6, NODE, "gallery", 3.0),
        (2, 6, NODE, "gallery", 4.0),
        (4, 6, NODE, "cover", 1.0),
    ]


def test_a_list_of_files_that_is_set_is_written_anew(linking: Linking) -> None:
    linking.set(NODE, "gallery", 6, [2, 1])
    linking.set(NODE, "cover", 6, [2])
    was = linking.links_by_id(FILES)
    linking.set(NODE, "gallery", 6, [1, 1, 3])
    now = linking.links_by_id(FILES)
    assert [row for link, row in now.items() if link in was] == [(2, 6, NODE, "cover", 1.0)]
    assert [row for link, row in now.items() if link not in was] == [
        (1, 6, NODE, "gallery", 1.0),
        (3, 6, NODE, "gallery", 2.0),
    ]


def test_where_there_is_room_for_one_file_the_first_wins_and_replaces(linking: Linking) -> None:
    linking.set(NODE, "cover", 6, [2, 1])
    assert linking.table(FILES) == [(2, 6, NODE, "cover", 1.0)]
    linking.change(NODE, "cover", 6, [3, 1])
    assert linking.table(FILES) == [(3, 6, NODE, "cover", 1.0)]
    linking.change(NODE, "cover", 6, disconnect=[1])
    assert linking.table(FILES) == [(3, 6, NODE, "cover", 1.0)]
    linking.change(NODE, "cover", 6, [4], [3])
    assert linking.table(FILES) == [(4, 6, NODE, "cover", 1.0)]
    linking.set(NODE, "cover", 6, [])
    assert linking.table(FILES) == []


def test_a_list_of_rows_of_any_type_says_the_type_of_each(linking: Linking) -> None:
    linking.set(NODE, "refs", 18, [group(3, uid=PLAIN), group(3, uid=NODE), group(3, uid=PLAIN)])
    assert linking.table(REFS) == [
        (18, 3, PLAIN, "refs", 1.0),
        (18, 3, NODE, "refs", 2.0),
    ]
    linking.change(NODE, "refs", 18, [group(4, uid=PLAIN)], [group(3, uid=NODE)])
    assert linking.table(REFS) == [(18, 3, PLAIN, "refs", 1.0), (18, 4, PLAIN, "refs", 2.0)]


def test_rows_that_list_a_row_can_be_set_from_its_side(linking: Linking) -> None:
    linking.set(PLAIN, "mm", 3, [18, 6])
    assert linking.table(REFS) == [(18, 3, PLAIN, "mm", 1.0), (6, 3, PLAIN, "mm", 2.0)]


def test_links_are_read_in_order_by_rows(linking: Linking) -> None:
    linking.set(NODE, "gallery", 6, [3, 1])
    linking.set(NODE, "gallery", 7, [2])
    linking.set(NODE, "cover", 7, [5])
    linking.set(NODE, "refs", 18, [group(3, uid=PLAIN)])
    assert linking.read(NODE, "gallery", 6, 7, 18) == {
        6: [LinkedRow(row=3, order=1.0), LinkedRow(row=1, order=2.0)],
        7: [LinkedRow(row=2, order=1.0)],
    }
    assert linking.statements == 1
    assert linking.read(NODE, "refs", 18) == {18: [LinkedRow(row=3, order=1.0, uid=PLAIN)]}
