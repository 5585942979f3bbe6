"""Properties of the bracket syntax, on generated input."""

from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st
from qs_codec import DecodeOptions, EncodeOptions, ListFormat, decode, encode

from quire.query.querystring import QueryValue, parse

ENCODING = EncodeOptions(strict_null_handling=True, list_format=ListFormat.INDICES)
REFERENCE = DecodeOptions(strict_null_handling=True, list_limit=100, depth=20)

words = st.sampled_from(["a", "b", "$or", "title", "c.d", "01", "-1"])
texts = st.text(st.characters(codec="utf-8"), max_size=8)

# Where the port of the reference and the reference itself agree: a list never lies directly in a
# list, no name is written twice, and no value is an empty text.
items = st.one_of(st.just("[]"), st.integers(0, 99).map("[{}]".format))
members = words.map("[{}]".format)
steps = st.one_of(members, st.tuples(items, members).map("".join))
names = st.tuples(
    words, st.lists(steps, max_size=4).map("".join), st.one_of(st.just(""), items)
).map("".join)
values = st.one_of(
    st.just(""),
    texts.filter(bool).map(lambda text: "=" + quote(text)),
    texts.filter(bool).map(lambda text: "=" + quote_plus(text)),
)

# What may end up in a name or value: a little syntax, a little of everything else.
fragments = st.sampled_from(
    [
        "a",
        "b",
        "[",
        "]",
        "[]",
        "[0]",
        "[99]",
        "[100]",
        "[a]",
        "%5B",
        "%5d",
        "=",
        "&",
        "+",
        "%",
        "%ff",
    ]
)
junk = st.lists(st.one_of(fragments, st.text(max_size=3)), max_size=60).map("".join)

# No brackets, no indices, and too short for a name that every object inherits.
member_names = st.text(
    st.characters(codec="utf-8", exclude_characters="[]0123456789"), min_size=1, max_size=6
)
trees = st.dictionaries(
    member_names,
    st.recursive(
        st.one_of(st.none(), texts),
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=4),
            st.dictionaries(member_names, inner, min_size=1, max_size=4),
        ),
        max_leaves=20,
    ),
    max_size=4,
)


def is_query_value(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(name, str) and is_query_value(value[name]) for name in value)
    if isinstance(value, list):
        return len(value) <= 100 and all(map(is_query_value, value))
    return value is None or isinstance(value, str)


@given(st.one_of(junk, st.text()))
def test_any_text_is_parsed_into_query_values(raw: str) -> None:
    assert is_query_value(parse(raw))


@given(st.lists(st.tuples(names, values), max_size=12, unique_by=lambda pair: pair[0]))
def test_ordinary_queries_mean_what_the_reference_takes_them_for(
    pairs: list[tuple[str, str]],
) -> None:
    raw = "&".join(name + value for name, value in pairs)
    assert parse(raw) == decode(raw, REFERENCE)


@given(trees)
def test_what_was_encoded_is_parsed_back(tree: dict[str, QueryValue]) -> None:
    assert parse(encode(tree, ENCODING)) == tree
