"""Attributes that a clone does not copy, by permissions on single attributes."""

import pytest

from quire.access.admin_ability import GrantRule
from quire.content_manager.entry_writes import blank_fields, merge_data
from quire.errors import ForbiddenError
from quire.schema.load import build_schema
from tests.library.model import component, content_type, relation

ALL = (GrantRule(),)
NOTE, LINE = "api::note.note", "shared.line"
SCHEMA = build_schema(
    [
        content_type(
            "note",
            {
                "title": {"type": "string"},
                "body": {"type": "text"},
                "seen": relation("manyToMany", NOTE),
                "head": {"type": "component", "component": LINE},
                "lines": {"type": "component", "component": LINE, "repeatable": True},
            },
        ),
        component(LINE, {"text": {"type": "string"}, "hint": {"type": "string"}}),
    ]
)
MODEL = SCHEMA.content_types[NOTE]
EMPTY_HEAD = {"text": None, "hint": None}


def fields(*names: str) -> tuple[GrantRule, ...]:
    return (GrantRule(fields=frozenset(names)),)


def test_everything_is_copied_for_those_who_may_do_everything() -> None:
    assert blank_fields(SCHEMA, MODEL, ALL, ALL) == {}


@pytest.mark.parametrize("unread", [True, False])
def test_what_may_not_be_made_or_not_be_read_stays_empty(*, unread: bool) -> None:
    some = fields("title", "head.text", "head.hint")
    blanks = blank_fields(SCHEMA, MODEL, *((ALL, some) if unread else (some, ALL)))
    assert blanks == {"body": None, "seen": {"set": []}, "lines": []}


def test_a_component_that_is_granted_as_a_whole_is_made_without_anything_in_it() -> None:
    rules = fields("title", "body", "seen", "head", "lines")
    assert blank_fields(SCHEMA, MODEL, rules, ALL) == {"head": EMPTY_HEAD}


def test_a_part_of_a_component_is_refused() -> None:
    with pytest.raises(ForbiddenError):
        blank_fields(SCHEMA, MODEL, ALL, fields("title", "body", "seen", "head.text", "lines"))


def test_what_is_sent_stands_on_top_of_it() -> None:
    blanks: dict[str, object] = {"body": None, "head": EMPTY_HEAD, "seen": {"set": []}}
    sent = {"body": "b", "head": {"text": "t"}, "seen": {"connect": []}}
    assert merge_data(blanks, sent) == {**sent, "head": {"text": "t", "hint": None}}
