"""Positions of connected targets in a list, and invalid positions."""

from collections.abc import Sequence

import pytest

from quire.database.entries.links.link_change import LinkAnchor, LinkTarget
from quire.database.entries.links.ordering import order_targets
from quire.errors import ValidationError
from tests.unit.database.entries.links.linking import after, before, first, targets

LIST = {4: 1.0, 7: 2.0, 10: 3.0}

CIRCLE = (
    "A circular reference was found in the connect array. One relation is trying to connect"
    " before/after another one that is trying to connect before/after it"
)


@pytest.mark.parametrize(
    ("connect", "expected"),
    [
        pytest.param([12], [4, 7, 10, 12], id="end"),
        pytest.param([first(12)], [12, 4, 7, 10], id="beginning"),
        pytest.param([before(12, 7)], [4, 12, 7, 10], id="before"),
        pytest.param([after(12, 7)], [4, 7, 12, 10], id="after"),
        pytest.param([7], [4, 10, 7], id="moved to the end"),
        pytest.param([first(10)], [10, 4, 7], id="moved to the beginning"),
        pytest.param([first(4)], [4, 7, 10], id="the first to the beginning"),
        pytest.param([12, 12], [4, 7, 10, 12], id="said twice"),
        pytest.param([12, 15], [4, 7, 10, 12, 15], id="several at the end"),
        pytest.param([first(12), first(15)], [15, 12, 4, 7, 10], id="several at the beginning"),
        pytest.param([before(12, 7), before(15, 7)], [4, 12, 15, 7, 10], id="several before"),
        pytest.param([after(12, 7), after(15, 7)], [4, 7, 15, 12, 10], id="several after"),
        pytest.param([before(15, 7), after(12, 4)], [4, 12, 15, 7, 10], id="between two"),
        pytest.param([12, after(15, 10), 16], [4, 7, 10, 15, 12, 16], id="end and after the last"),
        pytest.param([after(12, 15), first(15)], [15, 12, 4, 7, 10], id="anchor comes later"),
        pytest.param(
            [after(12, 15), after(15, 16), first(16), first(18)],
            [18, 16, 15, 12, 4, 7, 10],
            id="chain of anchors, the last first",
        ),
        pytest.param([after(7, 10), first(10)], [10, 4, 7], id="beside an anchor that then moves"),
        pytest.param([first(10), after(7, 10)], [10, 7, 4], id="beside an anchor that has moved"),
        pytest.param([after(4, 7), after(7, 4)], [4, 7, 10], id="beside one another, both linked"),
        pytest.param([before(4, 4)], [4, 7, 10], id="beside itself"),
        pytest.param([before(4, 10), before(12, 4)], [7, 12, 4, 10], id="before one that moved"),
    ],
)
def test_targets_are_put_beside_their_anchors_one_after_the_other(
    connect: Sequence[int | LinkTarget], expected: list[int]
) -> None:
    assert order_targets(LIST, (), targets(connect), strict=True) == expected


@pytest.mark.parametrize(
    ("gone", "connect", "expected"),
    [
        ((7,), [before(12, 7)], [4, 12, 10]),
        ((4, 7), [after(12, 4), before(15, 7)], [12, 15, 10]),
        ((4, 7, 10), [after(12, 10), before(15, 4)], [15, 12]),
    ],
)
def test_what_is_placed_at_one_that_leaves_takes_its_place(
    gone: tuple[int, ...], connect: list[LinkTarget], expected: list[int]
) -> None:
    assert order_targets(LIST, gone, connect, strict=True) == expected


def test_an_empty_list_begins_and_ends_at_the_same_place() -> None:
    connect = targets([first(12), first(15), 16, after(18, 12)])
    assert order_targets({}, (), connect, strict=True) == [15, 12, 18, 16]


def test_rows_with_one_order_value_are_not_parted() -> None:
    shared = {4: 1.0, 7: 1.0, 10: 2.0}
    assert order_targets(shared, (), [after(12, 4)], strict=True) == [4, 7, 12, 10]
    assert order_targets(shared, (), [before(12, 7)], strict=True) == [12, 4, 7, 10]


def test_all_rows_of_an_anchor_are_passed_by_its_first() -> None:
    behind = LinkTarget(rows=(12, 13), after=LinkAnchor((99, 7)))
    assert order_targets(LIST, (), [behind], strict=True) == [4, 7, 12, 13, 10]


@pytest.mark.parametrize(
    "connect",
    [
        pytest.param([before(12, 15), before(15, 12)], id="two"),
        pytest.param([before(12, 12)], id="one"),
        pytest.param([after(12, 15), after(15, 16), before(16, 12)], id="three"),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
def test_anchors_may_not_go_round_in_a_circle(connect: list[LinkTarget], *, strict: bool) -> None:
    with pytest.raises(ValidationError) as raised:
        order_targets(LIST, (), connect, strict=strict)
    assert raised.value.message == CIRCLE


def test_a_row_cannot_have_two_places() -> None:
    with pytest.raises(ValidationError) as raised:
        order_targets(LIST, (), targets([first(12), 12]), strict=True)
    assert raised.value.message == (
        "The relation with id 12 is already connected. You cannot connect the same relation twice."
    )


def test_the_error_of_an_unknown_anchor_quotes_the_position_of_the_payload() -> None:
    anchor = LinkAnchor((15,), quoted={"before": 15, "locale": "en"})
    with pytest.raises(ValidationError) as raised:
        order_targets(LIST, (), [LinkTarget(rows=(12, 13), before=anchor)], strict=True)
    assert raised.value.message == (
        "There was a problem connecting relation with id 12 at position"
        ' {"before":15,"locale":"en"}. The relation with id 15 needs to be connected first.'
    )


def test_an_anchor_that_no_row_stands_for_is_none() -> None:
    assert order_targets(
        LIST, (), [LinkTarget(rows=(12,), before=LinkAnchor(()))], strict=True
    ) == [
        *LIST,
        12,
    ]


def test_a_target_that_no_row_stands_for_is_none() -> None:
    assert order_targets(LIST, (), [LinkTarget(rows=())], strict=True) == [*LIST]


def test_a_long_chain_of_anchors_is_as_good_as_a_short_one() -> None:
    rows = range(100, 20_100)
    chain = [after(row, row + 1) for row in rows]
    assert order_targets(LIST, (), [*chain, *targets([rows.stop])], strict=True) == [
        *LIST,
        *range(rows.stop, rows.start - 1, -1),
    ]
