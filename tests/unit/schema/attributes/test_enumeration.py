"""Enumerations: one of the listed values, in drafts as well."""

import pytest

from tests.unit.schema.attributes.accepting import accepted, messages, refusals

KINDS = {"enum": ["news", "essay", "true"]}
OUTSIDE = "must be one of the following values: news, essay, true, "


def test_a_listed_value_is_kept() -> None:
    assert accepted("enumeration", "news", KINDS) == "news"


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (5.0, "5")])
def test_a_scalar_counts_as_the_text_it_is_written_as(value: object, text: str) -> None:
    assert accepted("enumeration", value, {"enum": ["true", "5"]}) == text


@pytest.mark.parametrize(("value", "shown"), [("NEWS", "NEWS"), ("", ""), (5, "5"), (1.5, "1.5")])
@pytest.mark.parametrize("draft", [False, True])
def test_no_other_value_is_accepted(value: object, shown: str, *, draft: bool) -> None:
    (refusal,) = refusals("enumeration", value, KINDS, draft=draft)
    assert (refusal.message, refusal.value) == (OUTSIDE, shown)


def test_a_list_is_neither_text_nor_a_listed_value() -> None:
    shown = 'must be a `string` type, but the final value was: `[\n  "\\"news\\""\n]`.'
    assert messages("enumeration", ["news"], KINDS) == [shown, OUTSIDE]
