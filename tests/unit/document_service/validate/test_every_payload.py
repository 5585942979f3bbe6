"""Rules for every payload."""

from hypothesis import given
from hypothesis import strategies as st

from quire.document_service.validate import ValidationRules
from tests.unit.document_service.validate.notes import (
    CREATE_DRAFT,
    EVERY_RULE,
    ITEM,
    NOTE_ATTRIBUTES,
    PART,
    STRICT,
    check,
)

names = st.sampled_from([*NOTE_ATTRIBUTES, "label", "key", "size", "__component", "id", "connect"])
payloads = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False),
        st.sampled_from(["", "x", "5", "2024-01-01", "zz", ITEM, PART, "\0"]),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5),
)


@given(payloads, st.sampled_from([*EVERY_RULE, STRICT]))
def test_every_payload_is_checked_without_an_error(data: object, rules: ValidationRules) -> None:
    checked = check(data, rules)
    assert all(isinstance(step, str) for problem in checked.problems for step in problem.path)


@given(st.dictionaries(names, payloads, max_size=6))
def test_what_a_full_entry_may_have_a_draft_may_have(data: dict[str, object]) -> None:
    full = check(data)
    if not full.problems and full.final_error is None:
        draft = check(data, CREATE_DRAFT)
        assert draft.problems == ()
        assert draft.values == full.values
