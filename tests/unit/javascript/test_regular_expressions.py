"""Regular expressions of JavaScript, converted to Python's."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.javascript.regular_expressions import PatternError, compile_pattern

FOUND = [
    (r"^[A-Z]{2}-\d{3}$", "AB-123"),
    (r"^[A-Za-z0-9-_.~]*$", "a-b_c.~"),
    (r"b", "abc"),
    (r"[\d-x]", "-"),
    (r"[\w.%+-]+@", "a.b-c@"),
    (r"^[^]$", "\n"),
    (r"[\]a]", "]"),
    (r"[[a]", "["),
    (r"[\b]", "\b"),
    (r"^[\u00e0-\u00ff]+$", "éè"),
    (r"^\x41\u0042\t$", "AB\t"),
    (r"\cA", "\x01"),
    (r"(?<year>\d{4})-\k<year>", "2024-2024"),
    (r"(a)\1", "aa"),
    (r"(?=.*[A-Z]).{3,}", "abC"),
    (r"(?<!x)a", "ya"),
    (r"\bfoo\b", "a foo"),
    (r"a{,3}", "a{,3}"),
    (r"{", "{"),
    (r"\/", "/"),
    (r"\p{L}", "p{L}"),
    (r"^\s$", "\ufeff"),
    (r"# [a-f]", "# a"),
    (r"[!-/]", "-"),
    (r"[\W]", "é"),
    (r"[\S]", "a"),
    (r"\0", "\0"),
    (r"a|^$", ""),
]
NOT_FOUND = [
    (r"^\d$", "٣"),
    (r"^\w+$", "é"),
    (r"a$", "a\n"),
    (r"^b", "a\nb"),
    (r".", "\u2028"),
    (r"[]", "a"),
    (r"\bé", "é"),
    (r"[^\d]", "5"),
    (r"A", "a"),
]
NO_PATTERNS = ["(", "[a", "*", "a{2,1}", "(?i)a", "\\", "[\\", "(?P<a>b)", "(?#)"]


@pytest.mark.parametrize(("source", "text"), FOUND)
def test_a_pattern_is_found_as_javascript_finds_it(source: str, text: str) -> None:
    assert compile_pattern(source).found_in(text)


@pytest.mark.parametrize(("source", "text"), NOT_FOUND)
def test_classes_are_ascii_and_the_end_is_the_very_end(source: str, text: str) -> None:
    assert not compile_pattern(source).found_in(text)


@pytest.mark.parametrize("source", NO_PATTERNS)
def test_what_is_no_pattern_is_refused(source: str) -> None:
    with pytest.raises(PatternError):
        compile_pattern(source)


@given(st.text(alphabet="ab(){}[]\\?*+|^$.-:=!<>kdDsSwWu0123#"))
def test_a_pattern_is_compiled_or_refused_and_nothing_else(source: str) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternError:
        return
    assert pattern.found_in("ab") in {True, False}


@pytest.mark.parametrize(
    "source", [r"^(a+)+$", r"^(a|aa)+$", r"^(.*a){25}b$", r"^([a-z]+)*\d$", r"^(a|a|b?)*c$"]
)
def test_a_bad_pattern_with_a_long_text_is_given_up_in_time(source: str) -> None:
    pattern = compile_pattern(source)
    pattern.found_in("")
    start = time.thread_time()
    assert not pattern.found_in("a" * 100_000 + "!")
    assert time.thread_time() - start < 0.05
