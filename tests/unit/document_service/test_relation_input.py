"""Parsing relations in payloads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.document_service.entry_values import LinkPosition, RelationChange, RelationTarget
from quire.document_service.relation_input import (
    NO_ROW,
    UnreadableRelationError,
    parse_relation,
    row_id,
)

A, B = RelationTarget(document_id="a"), RelationTarget(document_id="b")
SEVEN = RelationTarget(id=7)


def to_many(value: object) -> RelationChange | None:
    return parse_relation(value, to_many=True)


def to_one(value: object) -> RelationChange | None:
    return parse_relation(value, to_many=False)


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("a", A),
        (7, SEVEN),
        (7.0, SEVEN),
        ("7", SEVEN),
        (" 7 ", SEVEN),
        ({"documentId": "a"}, A),
        ({"id": 7}, SEVEN),
        ({"id": "7"}, SEVEN),
        ({"id": 7, "documentId": "a"}, A),
        ({"id": 7, "documentId": None}, SEVEN),
        ({"documentId": 5}, RelationTarget(document_id="5")),
        ({"documentId": "7"}, RelationTarget(document_id="7")),
    ],
    ids=repr,
)
def test_a_target_is_named_in_several_ways(value: object, target: RelationTarget) -> None:
    change = RelationChange(set=(target,))
    assert to_one(value) == change
    assert to_many(value) == change
    assert to_many([value]) == change
    assert to_many({"set": value}) == change
    assert to_many({"set": [value]}) == change
    assert to_many({"connect": value}) == RelationChange(connect=(target,))
    assert to_many({"disconnect": [value]}) == RelationChange(disconnect=(target,))


@pytest.mark.parametrize(
    "value", ["7x", "0x1", "-1", 0, -5, 1.5, "9" * 30, 2**63, float("inf"), float("nan")]
)
def test_what_can_be_no_id_leads_to_no_row(value: object) -> None:
    assert to_one(value) == RelationChange(set=(RelationTarget(id=NO_ROW),))


@pytest.mark.parametrize("value", [None, True, "abc", [], {}])
def test_what_is_no_number_is_no_id(value: object) -> None:
    assert row_id(value) == NO_ROW
    assert to_one({"id": value}) == RelationChange(set=(RelationTarget(id=NO_ROW),))


@pytest.mark.parametrize("value", [None, [], [None], [False], {"set": []}, {"set": [None]}])
def test_nothing_clears_a_relation(value: object) -> None:
    assert to_one(value) == to_many(value) == RelationChange(set=())


@pytest.mark.parametrize(
    "value",
    [
        True,
        {},
        {"set": None},
        {"connect": []},
        {"connect": None},
        {"disconnect": []},
        {"options": {"strict": True}},
    ],
)
def test_saying_nothing_changes_nothing(value: object) -> None:
    assert to_one(value) is None
    assert to_many(value) is None


def test_a_list_keeps_its_order_and_its_repetitions() -> None:
    assert to_many(["b", "a", "b"]) == RelationChange(set=(B, A, B))


def test_the_last_of_a_list_counts_where_there_is_one_place() -> None:
    assert to_one(["a", "b"]) == to_one({"set": ["a", "b"]}) == RelationChange(set=(B,))


def test_the_first_of_a_list_counts_for_a_single_file() -> None:
    assert parse_relation(["a", "b"], to_many=False, keep_first=True) == RelationChange(set=(A,))


def test_all_that_are_connected_have_to_exist_even_where_there_is_one_place() -> None:
    assert to_one({"connect": ["a", "b"]}) == RelationChange(connect=(A, B))


def test_everything_to_disconnect_counts() -> None:
    change = RelationChange(connect=(A,), disconnect=(A, B))
    assert to_one({"connect": "a", "disconnect": ["a", "b"]}) == change


def test_setting_makes_disconnecting_count_for_nothing() -> None:
    assert to_many({"set": "a", "disconnect": ["b"]}) == RelationChange(set=(A,))


def test_what_is_connected_beside_a_set_has_to_exist_all_the_same() -> None:
    change = RelationChange(set=(A,), connect=(B,))
    assert to_many({"set": "a", "connect": ["b"], "disconnect": ["b"]}) == change
    assert to_many({"set": None, "connect": ["b"]}) == RelationChange(connect=(B,))


@pytest.mark.parametrize(
    ("position", "understood"),
    [
        ({"before": "b"}, LinkPosition(before=B)),
        ({"before": "b", "after": "a"}, LinkPosition(before=B)),
        ({"before": None, "after": "b"}, LinkPosition(after=B)),
        ({"before": "b", "end": True}, LinkPosition(before=B)),
        ({"start": True}, LinkPosition(start=True)),
        ({"start": True, "end": True}, LinkPosition(start=True)),
        ({"start": False}, LinkPosition()),
        ({"end": True}, LinkPosition()),
        ({"nope": True}, LinkPosition()),
        ("start", None),
        (None, None),
    ],
    ids=str,
)
def test_a_position_is_before_or_after_another_at_the_start_or_at_the_end(
    position: object, understood: LinkPosition | None
) -> None:
    change = to_many({"connect": [{"documentId": "a", "position": position}]})
    target = RelationTarget(document_id="a", position=understood)
    assert change == RelationChange(connect=(target,))


@pytest.mark.parametrize("anchor", [7, 7.0, "7"], ids=repr)
def test_a_row_is_placed_beside_rows(anchor: object) -> None:
    change = to_many({"connect": [{"id": 1, "position": {"after": anchor}}]})
    assert change == RelationChange(
        connect=(RelationTarget(id=1, position=LinkPosition(after=SEVEN)),)
    )


@pytest.mark.parametrize("anchor", [7, "7"], ids=repr)
def test_a_document_is_placed_beside_documents_whatever_their_ids_look_like(anchor: object) -> None:
    change = to_many({"connect": [{"documentId": "a", "position": {"after": anchor}}]})
    position = LinkPosition(after=RelationTarget(document_id="7"))
    assert change == RelationChange(connect=(RelationTarget(document_id="a", position=position),))


def test_positions_are_strict_unless_told_otherwise() -> None:
    def strict(options: object) -> bool:
        change = to_many({"connect": ["a"], "options": options})
        assert change is not None
        return change.strict

    assert strict({"strict": True})
    assert strict({})
    assert strict(5)
    assert not strict({"strict": False})


def test_a_target_may_say_its_locale_and_status() -> None:
    item = {"documentId": "a", "locale": "fr", "status": "draft", "nope": 1}
    target = RelationTarget(document_id="a", locale="fr", status="draft")
    assert to_many({"connect": [item]}) == RelationChange(connect=(target,))


def test_targets_of_any_type_say_of_which() -> None:
    items = [{"__type": "api::a.a", "id": 7}]
    expected = RelationChange(set=(RelationTarget(id=7, uid="api::a.a"),))
    assert parse_relation(items, to_many=True, morph=True) == expected
    assert to_many(items) == RelationChange(set=(SEVEN,))


@pytest.mark.parametrize(
    "value",
    [
        "",
        [""],
        [{}],
        [True],
        [["a"]],
        {"foo": 1},
        {"documentId": ""},
        {"documentId": None},
        {"connect": [{"foo": 1}]},
        {"connect": [True]},
        {"connect": ""},
        {"disconnect": [{"foo": 1}]},
        {"set": True},
        {"set": [{}]},
        {"connect": [{"id": 7, "position": {"before": {"id": 1}}}]},
        {"connect": [{"id": 7, "position": {"after": True}}]},
        {"connect": [{"id": 7, "position": {"after": ["a"]}}]},
    ],
    ids=str,
)
def test_a_target_without_an_identity_cannot_be_read(value: object) -> None:
    with pytest.raises(UnreadableRelationError):
        to_many(value)


payloads = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "connect",
                    "set",
                    "disconnect",
                    "options",
                    "id",
                    "documentId",
                    "position",
                    "before",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
)


@given(value=payloads, many=st.booleans())
def test_every_payload_is_read_or_refused(*, value: object, many: bool) -> None:
    try:
        change = parse_relation(value, to_many=many, morph=True)
    except UnreadableRelationError:
        return
    if change is not None and not many:
        assert len(change.set or ()) <= 1
