"""Reading links."""

import pytest

from quire.database.entries.links.link_change import LinkedRow
from tests.unit.database.entries.links.linking import NODE, PLAIN, Linking


@pytest.fixture(autouse=True)
def _rows(linking: Linking) -> None:
    linking.nodes(17, 18, 19)
    linking.plains(*range(3, 9))


def test_links_are_read_in_order_with_both_order_values(linking: Linking) -> None:
    linking.set(NODE, "mplains", 17, [4])
    linking.set(NODE, "mplains", 18, [5, 4])
    assert linking.read(NODE, "mplains", 18, 19, 17) == {
        17: [LinkedRow(row=4, order=1.0, inverse_order=1.0)],
        18: [
            LinkedRow(row=5, order=1.0, inverse_order=1.0),
            LinkedRow(row=4, order=2.0, inverse_order=2.0),
        ],
    }
    assert linking.statements == 1
    assert linking.read(PLAIN, "mnodes", 4) == {
        4: [
            LinkedRow(row=17, order=1.0, inverse_order=1.0),
            LinkedRow(row=18, order=2.0, inverse_order=2.0),
        ]
    }


def test_only_the_orders_that_a_relation_keeps_are_read(linking: Linking) -> None:
    linking.set(NODE, "up", 18, [4])
    linking.set(NODE, "onePlain", 18, [4])
    assert linking.read(NODE, "up", 18) == {18: [LinkedRow(row=4, inverse_order=1.0)]}
    assert linking.read(PLAIN, "nodes", 4) == {4: [LinkedRow(row=18, order=1.0)]}
    assert linking.read(NODE, "onePlain", 18) == {18: [LinkedRow(row=4)]}


def test_of_no_rows_nothing_is_read(linking: Linking) -> None:
    assert linking.read(NODE, "mplains") == {}
    assert linking.statements == 0


def test_attributes_without_links_are_refused(linking: Linking) -> None:
    with pytest.raises(TypeError, match=r"api::node\.node\.title holds no links"):
        linking.set(NODE, "title", 18, [3])
