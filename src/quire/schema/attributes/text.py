"""Text: ``string`` (255 characters in the database), ``text``, ``richtext`` and ``email``."""

import re
from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from quire.javascript.regular_expressions import Pattern, PatternError, compile_pattern
from quire.javascript.text import length
from quire.schema.attributes.base import (
    AttributeType,
    OptionCheck,
    ScalarAttribute,
    SearchMode,
    StorageKind,
    build_scalar,
    count_option,
)
from quire.schema.attributes.json_schema import JsonForm, JsonSchema, Pointers, limits_of
from quire.schema.attributes.validation import (
    NOT_TEXT_WHEN_NULL,
    TextRule,
    ValueRules,
    accept_text,
)

_STRING_LENGTH = 255
"""The length of a ``string`` without ``maxLength`` in the schema file: the column's size."""

LENGTHS: dict[str, OptionCheck] = {"minLength": count_option, "maxLength": count_option}


def pattern_option(value: object) -> str | None:
    """Accept a regular expression in JavaScript's syntax."""
    if not isinstance(value, str):
        return "expected a string"
    try:
        compile_pattern(value)
    except PatternError as error:
        return f"expected a regular expression: {error}"
    return None


def shortest(limit: int) -> TextRule:
    """Require a length of at least ``limit``."""
    message = f"must be at least {limit} characters"
    return lambda text: message if length(text) < limit else None


def longest(limit: int) -> TextRule:
    """Require a length of at most ``limit``."""
    message = f"must be at most {limit} characters"
    # A character counts as two at most.
    return lambda text: message if len(text) * 2 > limit and length(text) > limit else None


def matching(pattern: Pattern, *, empty_passes: bool) -> TextRule:
    """Require a match of a pattern."""
    message = f'must match the following: "/{pattern.source}/"'

    def rule(text: str) -> str | None:
        passes = (not text and empty_passes) or pattern.found_in(text)
        return None if passes else message

    return rule


def limits(raw: Mapping[str, object], *, default: int | None = None) -> list[TextRule]:
    """Read ``maxLength``, which applies to drafts as well."""
    limit = raw.get("maxLength", default)
    return [longest(limit)] if isinstance(limit, int) else []


def text_rules(attribute: ScalarAttribute) -> list[TextRule]:
    """Read the rules that apply only to published entries: ``minLength`` and ``regex``."""
    minimum, source = attribute.raw.get("minLength"), attribute.raw.get("regex")
    rules = [shortest(minimum)] if isinstance(minimum, int) else []
    if isinstance(source, str):
        rules.append(matching(compile_pattern(source), empty_passes=not attribute.required))
    return rules


def text_acceptance(draft: list[TextRule], full: list[TextRule]) -> ValueRules:
    """Make an acceptance of text: ``draft`` rules always apply, ``full`` ones not to drafts."""
    return ValueRules(
        draft=accept_text(draft), full=accept_text([*full, *draft]), null=NOT_TEXT_WHEN_NULL
    )


def accept_plain_text(attribute: ScalarAttribute) -> ValueRules:
    """Accept text within the lengths and the pattern of the schema file."""
    return text_acceptance(limits(attribute.raw), text_rules(attribute))


def accept_string(attribute: ScalarAttribute) -> ValueRules:
    """Accept text that a column of limited size can hold."""
    return text_acceptance(limits(attribute.raw, default=_STRING_LENGTH), text_rules(attribute))


_BEYOND_ASCII = r"\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_WORD = rf"[A-Za-z0-9!#$%&'*+\-/=?^_`{{|}}~{_BEYOND_ASCII}]"


class _Address(Struct, frozen=True):
    """The patterns of an e-mail address."""

    local_part: re.Pattern[str]
    domain: re.Pattern[str]
    dot_before_letter: re.Pattern[str]


@cache
def _address() -> _Address:
    """Compile the patterns when they are first needed.

    Their wide ranges take some 30 ms to compile, a good part of the start time. Both cases are
    written out, since ignoring case would check every character of a range again.
    """
    letter, alphanumeric = rf"A-Za-z{_BEYOND_ASCII}", rf"A-Za-z0-9{_BEYOND_ASCII}"
    return _Address(
        local_part=re.compile(rf'{_WORD}+(?:\.{_WORD}+)*|"(?:[^"\\\r\n]|\\[^\r\n])*"'),
        domain=re.compile(rf"[{alphanumeric}][\-._~{alphanumeric}]*[{letter}]"),
        dot_before_letter=re.compile(rf"[{alphanumeric}]\.[{letter}]"),
    )


def is_email(text: str) -> bool:
    """Tell whether a text is an e-mail address, in linear time.

    Letters of most scripts are allowed everywhere. The part before the ``@`` consists of words
    separated by dots, or anything in quotes; the domain has a dot, and ends with letters.
    """
    local, separator, domain = text.rpartition("@")
    address = _address()
    return (
        bool(separator)
        and address.local_part.fullmatch(local) is not None
        and address.domain.fullmatch(domain) is not None
        and address.dot_before_letter.search(domain) is not None
    )


def _email_rule(text: str) -> str | None:
    if not text:
        return "cannot be empty"
    return None if is_email(text) else "must be a valid email"


def accept_email(attribute: ScalarAttribute) -> ValueRules:
    """Accept an e-mail address; this replaces the check of a minimal length."""
    return text_acceptance(limits(attribute.raw), [_email_rule])


def _shown(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return {"type": "string"}


def _written(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    pattern = attribute.raw.get("regex")
    limits = limits_of(attribute.raw, "minLength", "maxLength")
    return {"type": "string", **limits, **({"pattern": pattern} if pattern else {})}


def _column_written(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:
    return {"maxLength": _STRING_LENGTH, **_written(attribute, pointers)}


def _address_written(attribute: ScalarAttribute, pointers: Pointers) -> JsonSchema:  # noqa: ARG001
    return {"type": "string", "format": "email", **limits_of(attribute.raw, "maxLength")}


_NOT_OF_DRAFTS = frozenset({"minLength", "pattern"})

TEXT_FORM = JsonForm(response=_shown, request=_written, published_only=_NOT_OF_DRAFTS)
"""Text within the lengths and the pattern of the schema file."""

STRING = AttributeType(
    name="string",
    build=build_scalar,
    json=JsonForm(response=_shown, request=_column_written, published_only=_NOT_OF_DRAFTS),
    options={**LENGTHS, "regex": pattern_option},
    storage=StorageKind.STRING,
    accept=accept_string,
    search=SearchMode.TEXT,
)
TEXT = AttributeType(
    name="text",
    build=build_scalar,
    json=TEXT_FORM,
    options={**LENGTHS, "regex": pattern_option},
    storage=StorageKind.TEXT,
    accept=accept_plain_text,
    search=SearchMode.TEXT,
)
RICHTEXT = AttributeType(
    name="richtext",
    build=build_scalar,
    json=TEXT_FORM,
    options=LENGTHS,
    storage=StorageKind.TEXT,
    accept=accept_plain_text,
    search=SearchMode.TEXT,
)
EMAIL = AttributeType(
    name="email",
    build=build_scalar,
    json=JsonForm(response=_shown, request=_address_written, published_only=frozenset({"format"})),
    options=LENGTHS,
    storage=StorageKind.STRING,
    accept=accept_email,
    search=SearchMode.TEXT,
)
