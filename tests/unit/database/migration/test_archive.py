"""Data removed by a migration is archived and can be restored."""

import pytest

from quire.database.compile.writes import Writes
from quire.database.migration.archive import (
    ARCHIVE_TABLE,
    Archive,
    all_archives,
    forget,
    forget_expired,
    list_archives,
    restore_archive,
)
from quire.database.tables.ddl import DdlWriter
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    NOW,
    QUOTE,
    QUOTES,
    STRING,
    TAGS,
    MigratedDatabase,
    content_type,
    schema_of,
)

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))


def asides(context: MigratedDatabase) -> list[Archive]:
    return context.store.run(list_archives(Writes(context.store.dialect)))


def restore(context: MigratedDatabase, archive: Archive) -> int:
    found = context.store.run(context.store.kind.inspector.tables())
    return context.store.run(restore_archive(Writes(context.store.dialect), archive, found))


def test_nothing_is_kept_where_nothing_was_taken(make_context: MakeContext) -> None:
    context = make_context(schema_of()).migrate(PLAIN)
    numbered = schema_of(content_type(NOTE, {"title": {"type": "integer"}}))
    assert ARCHIVE_TABLE not in context.migrate(numbered).tables()
    assert context.store.run(all_archives(context.store.kind)) == []


@pytest.mark.parametrize(("days", "later", "kept"), [(30, 31, 0), (30, 29, 1), (0, 1000, 1)])
def test_what_was_taken_is_kept_for_as_long_as_it_is_said(
    make_context: MakeContext, days: int, later: int, kept: int
) -> None:
    """For ever where that is no days at all."""
    context = make_context(schema_of(content_type(NOTE, {"title": STRING, "text": STRING})))
    context.entry("notes", "a", title="one", text="first")
    context = context.migrate(PLAIN)
    now = NOW + later * 86_400_000
    gone = context.store.run(forget_expired(context.store.kind, days=days, now=now))
    assert len(gone) == 1 - kept
    assert len(asides(context)) == kept
    left = [name for name in context.tables() if name.startswith(f"{ARCHIVE_TABLE}_")]
    assert len(left) == kept


def test_values_of_a_dropped_column_come_back(make_context: MakeContext) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING, "text": STRING}))
    context = make_context(both)
    context.entry("notes", "a", title="one", text="first")
    context.entry("notes", "b", title="two")
    context = context.migrate(PLAIN)
    [archive] = asides(context)
    assert (archive.title, archive.made_at) == ("a change", NOW)
    context = context.migrate(both)
    assert restore(context, archive) == 1
    assert context.column("notes", "text") == ["first", None]


def test_values_written_since_are_not_overwritten(make_context: MakeContext) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING, "text": STRING}))
    context = make_context(both)
    context.entry("notes", "a", title="one", text="first")
    context = context.migrate(PLAIN)
    [archive] = asides(context)
    context = context.migrate(both)
    context.store.execute("UPDATE notes SET text = 'since'")
    assert restore(context, archive) == 0
    assert context.column("notes", "text") == ["since"]


def test_a_dropped_type_comes_back_with_links_and_components(make_context: MakeContext) -> None:
    whole = schema_of(content_type(NOTE, {"title": STRING, "tags": TAGS, "quotes": QUOTES}))
    context = make_context(whole)
    note = context.entry("notes", "a", title="one")
    tag = context.entry("tags", "t", name="tag")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    context = context.migrate(schema_of())
    [archive] = asides(context)
    context = context.migrate(whole)
    restore(context, archive)
    assert context.column("notes", "title") == ["one"]
    assert context.column("notes_tags_lnk", "tag_id") == [tag]
    assert context.column("notes_cmps", "cmp_id") == [quote]
    assert context.problems() == []


def test_entries_of_other_locales_come_back(make_context: MakeContext) -> None:
    localized = schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES}, localized=True))
    context = make_context(localized)
    context.entry("i18n_locale", "french", code="fr", name="French")
    context.entry("notes", "a", title="english", locale="en")
    french = context.entry("notes", "a", title="français", locale="fr")
    quote = context.insert("components_parts_quotes", text="cité")
    context.insert(
        "notes_cmps", entity_id=french, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    context = context.migrate(schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES})))
    assert context.count("components_parts_quotes") == 0
    [archive] = asides(context)
    context = context.migrate(localized)
    restore(context, archive)
    assert context.column("notes", "locale") == ["en", "fr"]
    assert context.column("components_parts_quotes", "text") == ["cité"]
    assert context.problems() == []


def test_what_is_forgotten_is_gone(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="one")
    context = context.migrate(schema_of())
    [archive] = asides(context)
    writer: DdlWriter = context.store.kind.ddl
    context.store.run(forget(Writes(context.store.dialect), writer, archive))
    assert asides(context) == []
    assert {name for name in context.tables() if name.startswith("quire_")} == {"quire_archive"}
