"""What a migration takes away is kept aside and can be put back."""

import pytest

from quire.database.compile.writes import Writes
from quire.database.migration.archive import ASIDE_TABLE, Archive, forget, list_aside, put_back
from quire.database.migration.archive_expiry import all_aside, forget_over
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import inspect_program
from tests.unit.database.migration.conftest import MakeGround
from tests.unit.database.migration.ground import (
    NOTE,
    NOW,
    QUOTE,
    QUOTES,
    STRING,
    TAGS,
    Ground,
    content_type,
    schema_of,
)

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))


def asides(ground: Ground) -> list[Archive]:
    return ground.store.run(list_aside(Writes(ground.store.dialect)))


def restore(ground: Ground, aside: Archive) -> int:
    found = ground.store.run(inspect_program(ground.store.kind.inspector))
    return ground.store.run(put_back(Writes(ground.store.dialect), aside, found))


def test_nothing_is_kept_where_nothing_was_taken(make_ground: MakeGround) -> None:
    ground = make_ground(schema_of()).migrate(PLAIN)
    numbered = schema_of(content_type(NOTE, {"title": {"type": "integer"}}))
    assert ASIDE_TABLE not in ground.migrate(numbered).tables()
    assert ground.store.run(all_aside(ground.store.kind)) == []


@pytest.mark.parametrize(("days", "later", "kept"), [(30, 31, 0), (30, 29, 1), (0, 1000, 1)])
def test_what_was_taken_is_kept_for_as_long_as_it_is_said(
    make_ground: MakeGround, days: int, later: int, kept: int
) -> None:
    """For ever where that is no days at all."""
    ground = make_ground(schema_of(content_type(NOTE, {"title": STRING, "text": STRING})))
    ground.entry("notes", "a", title="one", text="first")
    ground = ground.migrate(PLAIN)
    now = NOW + later * 86_400_000
    gone = ground.store.run(forget_over(ground.store.kind, days=days, now=now))
    assert len(gone) == 1 - kept
    assert len(asides(ground)) == kept
    left = [name for name in ground.tables() if name.startswith(f"{ASIDE_TABLE}_")]
    assert len(left) == kept


def test_values_of_a_dropped_column_come_back(make_ground: MakeGround) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING, "text": STRING}))
    ground = make_ground(both)
    ground.entry("notes", "a", title="one", text="first")
    ground.entry("notes", "b", title="two")
    ground = ground.migrate(PLAIN)
    [aside] = asides(ground)
    assert (aside.title, aside.made_at) == ("a change", NOW)
    ground = ground.migrate(both)
    assert restore(ground, aside) == 1
    assert ground.column("notes", "text") == ["first", None]


def test_values_written_since_are_not_overwritten(make_ground: MakeGround) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING, "text": STRING}))
    ground = make_ground(both)
    ground.entry("notes", "a", title="one", text="first")
    ground = ground.migrate(PLAIN)
    [aside] = asides(ground)
    ground = ground.migrate(both)
    ground.store.execute("UPDATE notes SET text = 'since'")
    assert restore(ground, aside) == 0
    assert ground.column("notes", "text") == ["since"]


def test_a_dropped_type_comes_back_with_links_and_components(make_ground: MakeGround) -> None:
    whole = schema_of(content_type(NOTE, {"title": STRING, "tags": TAGS, "quotes": QUOTES}))
    ground = make_ground(whole)
    note = ground.entry("notes", "a", title="one")
    tag = ground.entry("tags", "t", name="tag")
    ground.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    quote = ground.insert("components_parts_quotes", text="quoted")
    ground.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    ground = ground.migrate(schema_of())
    [aside] = asides(ground)
    ground = ground.migrate(whole)
    restore(ground, aside)
    assert ground.column("notes", "title") == ["one"]
    assert ground.column("notes_tags_lnk", "tag_id") == [tag]
    assert ground.column("notes_cmps", "cmp_id") == [quote]
    assert ground.faults() == []


def test_entries_of_other_locales_come_back(make_ground: MakeGround) -> None:
    localized = schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES}, localized=True))
    ground = make_ground(localized)
    ground.entry("i18n_locale", "french", code="fr", name="French")
    ground.entry("notes", "a", title="english", locale="en")
    french = ground.entry("notes", "a", title="français", locale="fr")
    quote = ground.insert("components_parts_quotes", text="cité")
    ground.insert(
        "notes_cmps", entity_id=french, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    ground = ground.migrate(schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES})))
    assert ground.count("components_parts_quotes") == 0
    [aside] = asides(ground)
    ground = ground.migrate(localized)
    restore(ground, aside)
    assert ground.column("notes", "locale") == ["en", "fr"]
    assert ground.column("components_parts_quotes", "text") == ["cité"]
    assert ground.faults() == []


def test_what_is_forgotten_is_gone(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    ground.entry("notes", "a", title="one")
    ground = ground.migrate(schema_of())
    [aside] = asides(ground)
    writer: DdlWriter = ground.store.kind.ddl
    ground.store.run(forget(Writes(ground.store.dialect), writer, aside))
    assert asides(ground) == []
    assert {name for name in ground.tables() if name.startswith("quire_")} == {"quire_aside"}
