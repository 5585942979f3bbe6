"""The rules of the bracket syntax, one table per rule, and malicious input."""

import pytest

from quire.errors import AppError
from quire.query.querystring import QueryValue, parse, parse_query


def indexed(*values: str) -> dict[str, QueryValue]:
    return {str(index): value for index, value in enumerate(values)}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a=1", "1"),
        ("a=", ""),
        ("a", None),
        ("a=true", "true"),
        ("a=null", "null"),
        ("a=1,2", "1,2"),
        ("a=1;b=2", "1;b=2"),
        ("a=b=c", "b=c"),
        ("a=[1]", "[1]"),
    ],
)
def test_a_value_is_text_and_a_name_without_equals_sign_is_nothing(
    raw: str, value: QueryValue
) -> None:
    assert parse(raw) == {"a": value}


@pytest.mark.parametrize("raw", ["", "&", "&&", "=", "=1", "&=1&"])
def test_a_pair_without_a_name_is_dropped(raw: str) -> None:
    assert parse(raw) == {}


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [
        ("a=%C3%A9", {"a": "é"}),
        ("a=%F0%9F%9A%80", {"a": "🚀"}),
        ("%61%20+=1", {"a  ": "1"}),
        ("a=x+y%2Bz", {"a": "x y+z"}),
        ("a=%26%3D%25", {"a": "&=%"}),
        ("a%5Bb%5d=%5B%5d", {"a": {"b": "[]"}}),
        ("a%255Bb%255D=1", {"a%5Bb%5D": "1"}),
        ("a=%00", {"a": "\0"}),
    ],
)
def test_names_and_values_are_percent_decoded_as_utf_8(
    raw: str, parsed: dict[str, QueryValue]
) -> None:
    assert parse(raw) == parsed


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a=100%", "100%"),
        ("a=%zz+%41", "%zz %41"),
        ("a=%E0%A4%A", "%E0%A4%A"),
        ("a=%FF%41", "%FF%41"),
        ("a=%ED%A0%80", "%ED%A0%80"),
        ("a=%C0%80", "%C0%80"),
        ("a=%u00e9", "%u00e9"),
        ("a=%5B%", "[%"),
    ],
)
def test_what_cannot_be_decoded_is_kept_as_it_was_sent(raw: str, value: str) -> None:
    assert parse(raw) == {"a": value}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a=1&a=2", ["1", "2"]),
        ("a&a", [None, None]),
        ("a[]=1", ["1"]),
        ("a[]", [None]),
        ("a[]=1&a[]=2", ["1", "2"]),
        ("a[0]=1&a[1]=2", ["1", "2"]),
        ("a[1]=2&a[0]=1", ["1", "2"]),
        ("a[7]=3&a[2]=1", ["1", "3"]),
        ("a[0]=x&a=y", ["x", "y"]),
        ("a=x&a[]=y", ["x", "y"]),
        ("a[0]=x&a[0]=y", [["x", "y"]]),
        ("a[0][0]=1&a[0][1]=2", [["1", "2"]]),
        ("a[][b]=1&a[][c]=2", [{"b": "1", "c": "2"}]),
        ("a[][b]=1&a[][b]=2", [{"b": ["1", "2"]}]),
        ("a[][][]=1", ["1"]),
    ],
)
def test_brackets_indices_and_repetition_make_lists(raw: str, value: QueryValue) -> None:
    assert parse(raw) == {"a": value}


@pytest.mark.parametrize(
    "name", ["-1", "01", "1.5", "1e1", " 1", "+1", "\N{ARABIC-INDIC DIGIT ONE}"]
)
def test_only_a_plain_number_is_an_index(name: str) -> None:
    assert parse(f"a[{name.replace('+', '%2B')}]=1") == {"a": {name: "1"}}


@pytest.mark.parametrize("name", ["a", "a[]", "a[b][]"])
def test_a_list_of_one_hundred_is_a_list_and_a_longer_one_a_mapping(name: str) -> None:
    numbers = [str(number) for number in range(101)]

    def values(count: int) -> QueryValue:
        value = parse("&".join(f"{name}={number}" for number in numbers[:count]))["a"]
        return value["b"] if isinstance(value, dict) and "b" in value else value

    assert values(100) == numbers[:100]
    assert values(101) == indexed(*numbers)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a[99]=x", ["x"]),
        ("a[100]=x", {"100": "x"}),
        ("a[1000000000]=x", {"1000000000": "x"}),
        ("a[99999999999999999999]=x", {"99999999999999999999": "x"}),
        ("a[0]=x&a[100]=y", {"0": "x", "100": "y"}),
        ("a[100]=x&a=y", {"100": "x", "101": "y"}),
        ("a=x&a[100]=y", {"0": "x", "101": "y"}),
        ("a=x&a[99]=y", {"0": "x", "100": "y"}),
        ("a[][100]=x", {"100": "x"}),
    ],
)
def test_an_index_from_one_hundred_on_makes_a_mapping(raw: str, value: QueryValue) -> None:
    assert parse(raw) == {"a": value}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a[0]=1&a[b]=2", {"0": "1", "b": "2"}),
        ("a[b]=2&a[]=1", {"0": "1", "b": "2"}),
        ("a=1&a[b]=2", ["1", {"b": "2"}]),
        ("a[b]=2&a=1", [{"b": "2"}, "1"]),
        ("a[b]=1&a[b][c]=2", {"b": ["1", {"c": "2"}]}),
        ("a[b]=1&a=", {"b": "1"}),
        ("a[b]=1&a", {"b": "1"}),
        ("a=&a[b]=1", ["", {"b": "1"}]),
    ],
)
def test_where_two_names_disagree_both_values_are_kept(raw: str, value: QueryValue) -> None:
    assert parse(raw) == {"a": value}


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [
        ("a.b=1", {"a.b": "1"}),
        ("a[b.c]=1", {"a": {"b.c": "1"}}),
        ("[a][b]=1", {"a": {"b": "1"}}),
        ("[]=1&[]=2", {"0": "1", "1": "2"}),
        ("a]b=1", {"a]b": "1"}),
        ("a[b]c[d]=1", {"a": {"b": {"d": "1"}}}),
        ("a[b[c]]=1", {"a": {"b[c]": "1"}}),
        ("a[b=1]=2", {"a": {"b=1": "2"}}),
        ("a[b", {"a": {"[b": None}}),
        ("a[[b]=1", {"a": {"[[b]": "1"}}),
        ("filters[label=blue", {"filters": {"[label": "blue"}}),
    ],
)
def test_dots_and_stray_brackets_are_part_of_a_name(
    raw: str, parsed: dict[str, QueryValue]
) -> None:
    assert parse(raw) == parsed


def test_beyond_twenty_groups_the_rest_is_one_name() -> None:
    groups = [f"[k{number}]" for number in range(22)]
    value = parse(f"a{''.join(groups)}=1")["a"]
    for number in range(20):
        assert isinstance(value, dict)
        value = value[f"k{number}"]
    assert value == {"[k20][k21]": "1"}


def test_pairs_after_the_thousandth_are_dropped() -> None:
    assert list(parse("&".join(f"a{number}=1" for number in range(1200)))) == [
        f"a{number}" for number in range(1000)
    ]


@pytest.mark.parametrize(
    "name",
    [
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "isPrototypeOf",
        "toString",
        "valueOf",
        "__defineGetter__",
    ],
)
def test_a_name_that_every_object_inherits_drops_its_pair(name: str) -> None:
    assert parse(f"{name}=1&{name}[x]=2&[{name}]=3&a[{name}]=4&a[b][{name}][c]=5&d=6") == {"d": "6"}


@pytest.mark.parametrize("name", ["prototype", "length", "push", "__class__", "__init__"])
def test_a_name_that_not_every_object_inherits_is_a_name(name: str) -> None:
    assert parse(f"a[{name}]=1") == {"a": {name: "1"}}


@pytest.mark.parametrize(
    ("raw", "names"),
    [
        ("a[b]=1&a[a]=2&a[b]=3", ["b", "a"]),
        ("a[b]=1&a[2]=2&a[1]=3", ["1", "2", "b"]),
        ("a[b]=1&a[100]=2&a[99]=3", ["99", "100", "b"]),
        ("a[b]=1&a[01]=2&a[4294967295]=3&a[4294967294]=4", ["4294967294", "b", "01", "4294967295"]),
    ],
)
def test_array_indices_come_before_the_other_names_of_a_mapping(raw: str, names: list[str]) -> None:
    value = parse(raw)["a"]
    assert isinstance(value, dict)
    assert list(value) == names


HOSTILE = {
    "sixty groups": "a" + "[b]" * 60 + "=1",
    "sixty open brackets": "a" + "[" * 60,
    "twenty thousand open brackets": "[" * 20_000,
    "twenty thousand empty groups": "a" + "[]" * 20_000 + "=1",
    "ten thousand names": "&".join(f"a{number}=1" for number in range(10_000)),
    "ten thousand values of one name": "&".join(["a[]=1"] * 10_000),
    "a name of twenty kilobytes": "a" * 20_000 + "=1",
    "an index of twenty kilobytes": f"a[{'9' * 20_000}]=1",
    "gaps at every level": "&".join(["a" + "[99]" * 20 + "=1"] * 1000),
    "every shape of one name": "&".join(
        f"a{'[0]' * (n % 20)}{'[b]' * (n % 3)}=1" for n in range(999)
    ),
    "a megabyte of ampersands": "&" * 1_000_000,
    "a hundred thousand percent signs": "%" * 100_000,
    "escapes that are not text": "a=" + "%ff" * 30_000,
    "lone surrogates": "\ud800[\udfff]=\ud800%F0%9F%9A%80",
    "nul": "\0[\0]=\0",
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_input_is_answered_with_bounded_depth_and_size(raw: str) -> None:
    def depth(value: QueryValue) -> int:
        if isinstance(value, dict):
            return 1 + max(map(depth, value.values()), default=0)
        if isinstance(value, list):
            assert len(value) <= 100
            return 1 + max(map(depth, value), default=0)
        return 0

    parsed = parse(raw)
    assert len(parsed) <= 1000
    assert depth(parsed) <= 2 * 22


def test_equal_strings_share_one_result_and_long_ones_are_not_kept() -> None:
    short, long = "a[b]=shared", "a=" + "x" * 4096
    assert parse_query(short) is parse_query(short)
    assert parse_query(long) == parse_query(long)
    assert parse_query(long) is not parse_query(long)


@pytest.mark.parametrize("name", ["a", "a[]", "a[b][]"])
def test_a_list_in_a_query_string_has_any_length(name: str) -> None:
    numbers = [str(number) for number in range(2000)]
    value = parse_query("&".join(f"{name}={number}" for number in numbers))["a"]
    assert (value["b"] if isinstance(value, dict) else value) == numbers


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("a[100]=x", ["x"]),
        ("a[100]=x&a[99]=y&a[0]=z", ["z", "y", "x"]),
        ("a[99999999999]=x&a[5000000000]=y", ["y", "x"]),
        ("a[0]=x&a[100]=y&a=z", ["x", "y", "z"]),
        ("a[][100]=x", ["x"]),
        ("a[b][100][c]=x", {"b": [{"c": "x"}]}),
        ("a[100]=x&a[b]=y", {"100": "x", "b": "y"}),
        ("a[01]=x", {"01": "x"}),
        ("a[-1]=x", {"-1": "x"}),
    ],
)
def test_indices_of_any_size_make_a_list_in_a_query_string(raw: str, value: QueryValue) -> None:
    assert parse_query(raw) == {"a": value}


def test_a_parameter_named_by_a_number_is_no_list() -> None:
    assert parse_query("0=x&1=y") == {"0": "x", "1": "y"}


def test_elements_of_a_list_count_as_one_parameter() -> None:
    many = "&".join(f"a[{number}][b]=1" for number in range(1500))
    others = "&".join(f"c{number}=1" for number in range(1200))
    parsed = parse_query(f"{many}&{others}")
    assert parsed["a"] == [{"b": "1"}] * 1500
    assert list(parsed) == ["a", *(f"c{number}" for number in range(999))]


@pytest.mark.parametrize(
    "late", ["filters[a]=1", "a[filters][b]=1", "_q=x", "locale=fr", "status=draft", "_q"]
)
def test_a_parameter_that_selects_rows_is_not_dropped_after_the_thousandth(late: str) -> None:
    early = [f"a{number}=1" for number in range(1000)]
    assert len(parse_query("&".join([late, *early]))) == 1000
    with pytest.raises(AppError, match="is beyond the first 1000 parameters"):
        parse_query("&".join([*early, late]))


@pytest.mark.parametrize(
    ("raw", "key", "path"),
    [
        ("filters[__proto__][x]=1", "__proto__", None),
        ("filters[title][constructor]=1", "constructor", "title"),
        ("filters[$and][0][valueOf]=1", "valueOf", "$and.0"),
        ("populate[author][filters][toString]=1", "toString", None),
        ("%66ilters[%74oString]=1", "toString", None),
    ],
)
def test_an_inherited_name_in_a_filter_is_refused(raw: str, key: str, path: str | None) -> None:
    with pytest.raises(AppError) as caught:
        parse_query(raw)
    assert caught.value.status == 400
    assert caught.value.details == {
        "key": key,
        "path": path,
        "source": "query",
        "param": "filters",
    }


def test_an_inherited_name_elsewhere_is_dropped_from_a_query_string() -> None:
    assert parse_query("__proto__=1&fields[constructor]=2&toString[filters]=3&d=4") == {"d": "4"}
