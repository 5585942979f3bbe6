"""Validation that all attribute types share."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ValidationError
from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.validation import Acceptor, RefusedValue, texts_in
from tests.unit.schema.attributes.accepting import acceptance, messages
from tests.unit.schema.attributes.test_every_type import NEEDED

SCALARS = [name for name, type_ in ATTRIBUTE_TYPES.items() if type_.storage is not None]
TEXTS = ["string", "text", "richtext", "email", "password", "uid"]

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from(["5", " 7 ", "true", "0", "2024-02-29", "10:20:30", "1e3", "a@b.co", "[]"]),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
)
given_values = json_values.filter(lambda value: value is not None)


def outcome(accept: Acceptor, value: object) -> object:
    """Return what is kept of a value, or ``None`` when it is rejected in a known way."""
    try:
        return accept(value)
    except (RefusedValue, ValidationError):
        return None


@given(st.sampled_from(SCALARS), given_values)
def test_every_value_is_accepted_or_refused_and_nothing_else(name: str, value: object) -> None:
    rules = acceptance(name, NEEDED.get(name))
    outcome(rules.draft, value)
    outcome(rules.full, value)


@given(st.sampled_from(SCALARS), given_values)
def test_what_was_accepted_is_accepted_again_and_stays_what_it_is(name: str, value: object) -> None:
    rules = acceptance(name, NEEDED.get(name))
    kept = outcome(rules.full, value)
    if kept is not None and not (isinstance(kept, float) and math.isnan(kept)):
        assert rules.full(kept) == kept


@given(st.sampled_from(SCALARS), given_values)
def test_a_draft_may_hold_whatever_a_full_entry_may(name: str, value: object) -> None:
    rules = acceptance(name, NEEDED.get(name))
    kept = outcome(rules.full, value)
    if kept is not None:
        assert outcome(rules.draft, value) == kept


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("draft", [False, True])
def test_text_holds_no_nul(name: str, *, draft: bool) -> None:
    assert messages(name, "a\0b", draft=draft) == ["must not contain a NUL character"]


@pytest.mark.parametrize("value", ["\0", ["a", {"b": "\0"}], {"\0": 1}])
def test_json_holds_no_nul_at_any_depth(value: object) -> None:
    assert messages("json", value) == ["must not contain a NUL character"]


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}, {"a": [1.5, None]}, "{bad"])
def test_json_holds_everything_else(value: object) -> None:
    assert acceptance("json").full(value) == value


def test_texts_are_found_in_keys_and_values() -> None:
    assert sorted(texts_in({"a": ["b", 1, {"c": None}], "d": "e"})) == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("name", "null"),
    [
        ("string", "must be a `string` type, but the final value was: `null`."),
        ("enumeration", "must be a `string` type, but the final value was: `null`."),
        ("integer", "must be a `number` type, but the final value was: `NaN`."),
        ("blocks", "must be a `array` type, but the final value was: `null`."),
        ("boolean", None),
        ("biginteger", None),
        ("json", None),
        ("date", None),
        ("datetime", None),
    ],
)
def test_a_null_where_a_value_is_required_is_said_in_the_words_of_the_type(
    name: str, null: str | None
) -> None:
    assert acceptance(name, NEEDED.get(name)).null == null
