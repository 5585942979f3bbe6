"""Booleans in filters and writes."""

import pytest

from quire.schema.attributes.boolean import BOOLEAN
from tests.unit.schema.attributes.accepting import accepted, refusals


@pytest.mark.parametrize("text", ["false", "f", "0", ""])
def test_four_texts_mean_false(text: str) -> None:
    assert BOOLEAN.cast(text) is False


@pytest.mark.parametrize(
    "text", ["true", "t", "1", "yes", "no", "TRUE", "FALSE", "False", " ", "00", "null"]
)
def test_every_other_text_means_true(text: str) -> None:
    assert BOOLEAN.cast(text) is True


@pytest.mark.parametrize("value", [True, 1, 1.0, "true", "TRUE", "tRue", "1", [True]], ids=repr)
def test_a_written_value_may_be_true_in_several_ways(value: object) -> None:
    assert accepted("boolean", value) is True


@pytest.mark.parametrize("value", [False, 0, "false", "False", "0", ["false"]], ids=repr)
def test_a_written_value_may_be_false_in_several_ways(value: object) -> None:
    assert accepted("boolean", value) is False


@pytest.mark.parametrize("value", ["yes", "t", "", 2, [], {}, "on"])
def test_no_other_value_is_a_boolean(value: object) -> None:
    (refusal,) = refusals("boolean", value)
    assert refusal.message.startswith("must be a `boolean` type, but the final value was: `")
    assert refusal.value == value
