"""Conditions of attributes, in the notation of JSON Logic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.schema.attribute_conditions import condition_of

VALUES = {"kind": "news", "count": 3, "text": "3", "on": True, "none": None, "tags": ["a", "b"]}


def holds(expression: object) -> bool:
    condition = condition_of({"conditions": {"visible": expression}})
    assert condition is not None
    return condition(VALUES)


def var(name: str) -> dict[str, object]:
    return {"var": name}


TRUE = [
    {"==": [var("kind"), "news"]},
    {"==": [var("on"), True]},
    {"==": [var("on"), 1]},
    {"==": [var("count"), var("text")]},
    {"==": [var("none"), None]},
    {"==": [var("absent"), None]},
    {"!=": [var("none"), 0]},
    {"!=": [var("kind"), "essay"]},
    {"===": [var("count"), 3]},
    {"!==": [var("count"), var("text")]},
    {"and": [var("on"), {"==": [1, 1]}]},
    {"or": [var("none"), var("on")]},
    {"!": [var("none")]},
    {"!": var("none")},
    {"!!": [var("kind")]},
    {">": [var("count"), 2]},
    {">=": [var("count"), "3"]},
    {"<": [1, var("count"), 5]},
    {"<=": ["a", "b"]},
    {"in": ["a", var("tags")]},
    {"in": ["ew", var("kind")]},
    {"if": [var("none"), False, var("on"), True, False]},
    {"?:": [False, False, True]},
    {"==": [{"var": ["absent", "other"]}, "other"]},
    {"==": [var("tags.1"), "b"]},
    var("on"),
    True,
]
FALSE = [
    {"==": [var("kind"), "essay"]},
    {"==": [var("on"), False]},
    {"==": [var("none"), 0]},
    {"==": [var("none"), ""]},
    {"!=": [var("on"), True]},
    {"===": [var("count"), var("text")]},
    {"===": [var("on"), 1]},
    {"and": [var("on"), var("none")]},
    {"or": [var("none"), False]},
    {"!": [var("on")]},
    {"<": [1, 0]},
    {"<": [1, var("count"), 2]},
    {"<": ["b", "a"]},
    {">": [var("none"), 0]},
    {"in": ["c", var("tags")]},
    {"in": ["c", var("count")]},
    {"if": [var("on"), False, True]},
    {"!!": [[]]},
    var("absent"),
    var("tags.9"),
    var("kind.0"),
    0,
    "",
]
UNKNOWN = [
    {"regex": ["a"]},
    {"==": [1, 2], "!=": [1, 1]},
    {},
    {"and": [True, {"nope": []}]},
    {"<": [1]},
]


@pytest.mark.parametrize("expression", TRUE, ids=str)
def test_a_condition_holds(expression: object) -> None:
    assert holds(expression)


@pytest.mark.parametrize("expression", FALSE, ids=str)
def test_a_condition_does_not_hold(expression: object) -> None:
    assert not holds(expression)


@pytest.mark.parametrize("expression", UNKNOWN, ids=str)
def test_what_is_not_understood_hides_nothing(expression: object) -> None:
    assert holds(expression)


@pytest.mark.parametrize("raw", [{}, {"conditions": {}}, {"conditions": {"visible": None}}])
def test_an_attribute_without_a_condition_has_none(raw: dict[str, object]) -> None:
    assert condition_of(raw) is None


def test_a_bottomless_expression_hides_nothing() -> None:
    expression: object = False
    for _ in range(10_000):
        expression = {"!!": [expression]}
    assert holds(expression)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["==", "!=", "<", ">", "and", "or", "if", "!", "in", "var", "a"]),
            inner,
            max_size=2,
        )
    ),
)


@given(json_values)
def test_every_expression_is_answered(expression: object) -> None:
    condition = condition_of({"conditions": {"visible": expression}})
    assert condition is None or condition(VALUES) in {True, False}
