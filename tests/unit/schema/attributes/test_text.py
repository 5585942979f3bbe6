"""Text in writes: lengths, patterns and e-mail addresses."""

import time

import pytest

from quire.schema.attributes.text import is_email, pattern_option
from tests.unit.schema.attributes.accepting import accepted, messages, refusals

LENGTHS = {"minLength": 2, "maxLength": 4}
TEXTS = ["string", "text", "richtext", "password", "uid"]


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_kept_as_it_is(name: str) -> None:
    assert accepted(name, "Abc") == "Abc"


@pytest.mark.parametrize("name", [*TEXTS, "email"])
@pytest.mark.parametrize(("value", "shown"), [(5, "5"), (True, "true"), ([], "[]"), ({}, "{}")])
def test_nothing_but_text_is_text(name: str, value: object, shown: str) -> None:
    (refusal,) = refusals(name, value)
    assert refusal.message == f"must be a `string` type, but the final value was: `{shown}`."
    assert refusal.value == value


@pytest.mark.parametrize("name", TEXTS)
def test_the_lengths_of_the_schema_file_hold(name: str) -> None:
    assert messages(name, "a", LENGTHS) == ["must be at least 2 characters"]
    assert messages(name, "abcde", LENGTHS) == ["must be at most 4 characters"]
    assert messages(name, "ab", LENGTHS) == messages(name, "abcd", LENGTHS) == []


def test_drafts_are_held_to_the_greatest_length_alone() -> None:
    assert messages("string", "", LENGTHS, draft=True) == []
    assert messages("string", "abcde", LENGTHS, draft=True) == ["must be at most 4 characters"]


def test_a_string_has_no_more_characters_than_its_column_even_when_nothing_is_said() -> None:
    assert messages("string", "a" * 255) == []
    assert messages("string", "a" * 256) == ["must be at most 255 characters"]
    assert messages("text", "a" * 256) == []


def test_characters_are_counted_as_the_web_counts_them() -> None:
    assert messages("string", "🚀🚀", {"maxLength": 4}) == []
    assert messages("string", "🚀🚀🚀", {"maxLength": 4}) == ["must be at most 4 characters"]


def test_every_broken_rule_is_reported() -> None:
    options = {"minLength": 3, "regex": "^[a-c]+$"}
    assert messages("string", "zz", options) == [
        "must be at least 3 characters",
        'must match the following: "/^[a-c]+$/"',
    ]


def test_empty_text_passes_a_pattern_unless_it_is_required() -> None:
    options = {"regex": "^[a-c]+$"}
    assert messages("string", "", options) == []
    assert messages("string", "", {**options, "required": True}) == [
        'must match the following: "/^[a-c]+$/"'
    ]


def test_drafts_are_not_held_to_patterns() -> None:
    assert messages("string", "zz", {"regex": "^[a-c]+$"}, draft=True) == []


@pytest.mark.parametrize("value", ["Bad Slug", "ü", "a/b", "a\n"])
def test_a_uid_can_stand_in_a_url(value: str) -> None:
    assert messages("uid", value) == ['must match the following: "/^[A-Za-z0-9-_.~]*$/"']
    assert messages("uid", value, draft=True) == []


@pytest.mark.parametrize("value", ["", "a", "A-b_c.~9"])
def test_a_uid_that_can_stand_in_a_url_is_accepted(value: str) -> None:
    assert accepted("uid", value) == value


def test_the_pattern_of_a_uid_is_told_twice_and_once_of_the_empty_text() -> None:
    reported = 'must match the following: "/^[a-c]+$/"'
    assert messages("uid", "x", {"regex": "^[a-c]+$"}) == [reported, reported]
    assert messages("uid", "", {"regex": "^[a-c]+$"}) == [reported]


EMAILS = [
    "a@b.co",
    "A@B.CO",
    "a+b@c.de",
    "a'b@c.de",
    "ü@example.com",
    "é.é@é.é",
    '"a b"@c.de',
    '""@b.co',
    "a@b_c.de",
    "a@b~c.de",
    "a@b.c-d",
    "a@123.com",
    "a@b.cd.ef",
]
NO_EMAILS = [
    "nope",
    "a@b",
    "@b.co",
    "a@",
    " a@b.co ",
    "a@@b.co",
    "a.@b.co",
    ".a@b.co",
    "a..b@c.de",
    "a@b.c1",
    "a@1.2",
    "a@-b.co",
    "a@b-.co",
    "a@b..co",
    "a@b.co.",
    "a@b.1c",
    "a@[1.2.3.4]",
    "a(b@c.de",
    "a b@c.de",
    '"a"b@b.co',
    "a@b.co\n",
    "🚀@b.co",
    "a@b.com@c.de",
]


@pytest.mark.parametrize("value", EMAILS)
def test_an_email_address_is_accepted(value: str) -> None:
    assert accepted("email", value) == value


@pytest.mark.parametrize("value", NO_EMAILS)
def test_what_is_no_email_address_is_refused(value: str) -> None:
    assert messages("email", value) == ["must be a valid email"]
    assert messages("email", value, draft=True) == []


def test_an_email_address_is_not_empty_and_has_no_minimal_length_of_its_own() -> None:
    assert messages("email", "", {"minLength": 5}) == ["cannot be empty"]
    assert messages("email", "a@b.co", {"minLength": 50}) == []
    assert messages("email", "a@b.co", {"maxLength": 5}) == ["must be at most 5 characters"]


@pytest.mark.parametrize(
    "text", ["a" * 200_000 + "@", "a@" + "b." * 100_000, "a." * 100_000, '"' + "\\" * 200_001]
)
def test_a_long_text_is_quickly_found_to_be_no_email_address(text: str) -> None:
    start = time.thread_time()
    assert not is_email(text)
    assert time.thread_time() - start < 0.05


@pytest.mark.parametrize("value", ["^a$", "(?<year>\\d+)", ""])
def test_a_pattern_may_stand_in_a_schema_file(value: str) -> None:
    assert pattern_option(value) is None


@pytest.mark.parametrize("value", ["(", "[a", 5, None])
def test_what_is_no_pattern_may_not_stand_in_a_schema_file(value: object) -> None:
    assert pattern_option(value) is not None
