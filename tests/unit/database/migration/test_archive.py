"""Data removed by a migration is archived and can be restored."""

import json

import pytest

from quire.database.compile.writes import Writes
from quire.database.migration.archive import (
    ARCHIVE_TABLE,
    Archive,
    all_archives,
    delete_archive,
    delete_expired,
    list_archives,
)
from quire.database.migration.model_archive import restore_archive
from quire.errors import ConflictError
from quire.schema.load import build_schema
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    NOW,
    QUOTE,
    QUOTES,
    STRING,
    TAG,
    TAGS,
    MigratedDatabase,
    content_type,
    schema_of,
)

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))


def asides(context: MigratedDatabase) -> list[Archive]:
    return context.store.run(list_archives(Writes(context.store.dialect)))


def restore(context: MigratedDatabase, archive: Archive) -> int:
    return context.store.run(restore_archive(context.store.kind, archive))


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
    gone = context.store.run(delete_expired(context.store.kind, days=days, now=now))
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
    context.store.run(delete_archive(context.store.kind, archive))
    assert asides(context) == []
    assert {name for name in context.tables() if name.startswith("quire_")} == {"quire_archive"}


def test_links_come_back_after_the_rows_that_they_lead_to(make_context: MakeContext) -> None:
    """Also where the table of links is the first by name, and a linked row is gone since."""
    notes = {"type": "relation", "relation": "manyToMany", "target": NOTE}
    tag = content_type(TAG, {"name": STRING, "notes": {**notes, "inversedBy": "tags"}})
    tags = {**TAGS, "mappedBy": "notes"}
    whole = schema_of(content_type(NOTE, {"title": STRING, "tags": tags}), tag)
    context = make_context(whole)
    note = context.entry("notes", "a", title="one")
    kept, lost = (context.entry("tags", name, name=name) for name in ("kept", "lost"))
    for tag_id in (kept, lost):
        context.insert("tags_notes_lnk", note_id=note, tag_id=tag_id, note_ord=1)
    context = context.migrate(schema_of())
    context.store.execute(f"DELETE FROM tags WHERE id = {lost}")
    [archive] = asides(context)
    context = context.migrate(whole)
    assert restore(context, archive) == 2
    assert context.column("tags_notes_lnk", "tag_id") == [kept]
    assert context.problems() == []


def test_a_reference_to_a_row_that_is_gone_since_comes_back_empty(
    make_context: MakeContext,
) -> None:
    above = {"type": "relation", "relation": "manyToOne", "target": NOTE, "useJoinTable": False}
    tag = {**above, "target": TAG}
    whole = schema_of(content_type(NOTE, {"title": STRING, "above": above, "tag": tag}))
    context = make_context(whole)
    tag_id = context.entry("tags", "t", name="tag")
    first = context.entry("notes", "a", title="one", tag_id=tag_id)
    context.entry("notes", "b", title="two", above_id=first)
    context = context.migrate(schema_of())
    context.store.execute("DELETE FROM tags")
    [archive] = asides(context)
    context = context.migrate(whole)
    assert restore(context, archive) == 2
    assert context.column("notes", "tag_id") == [None, None]
    assert context.column("notes", "above_id") == [None, first]


def test_a_type_that_has_got_more_attributes_since_gets_its_rows_back(
    make_context: MakeContext,
) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="one")
    context = context.migrate(schema_of())
    [archive] = asides(context)
    context = context.migrate(schema_of(content_type(NOTE, {"title": STRING, "text": STRING})))
    assert restore(context, archive) == 1
    assert context.column("notes", "title") == ["one"]


def test_rows_are_not_mixed_with_other_documents_of_the_same_ids(make_context: MakeContext) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING, "text": STRING}))
    context = make_context(both)
    context.entry("notes", "former", title="one", text="first")
    context = context.migrate(schema_of())
    [archive] = asides(context)
    context = context.migrate(both)
    context.entry("notes", "new", title="two")
    with pytest.raises(ConflictError, match="notes has other rows"):
        restore(context, archive)
    assert context.column("notes", "text") == [None]


def test_components_are_not_mixed_with_other_ones_of_the_same_ids(
    make_context: MakeContext,
) -> None:
    whole = schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES}))
    context = make_context(whole)
    note, other = (context.entry("notes", name, title=name) for name in ("a", "b"))

    def quote(entry: int, text: str) -> int:
        id_ = context.insert("components_parts_quotes", text=text)
        link = {"entity_id": entry, "cmp_id": id_, "component_type": QUOTE, "field": "quotes"}
        context.insert("notes_cmps", **link, order=1)
        return id_

    former = quote(note, "former")
    plain = [content_type(NOTE, {"title": STRING}), content_type(TAG, {"name": STRING})]
    context = context.migrate(build_schema(plain))
    [archive] = asides(context)
    context = context.migrate(whole)
    assert quote(other, "new") == former
    with pytest.raises(ConflictError, match="components_parts_quotes has other rows"):
        restore(context, archive)
    assert context.column("notes_cmps", "entity_id") == [other]
    context.store.execute("DELETE FROM notes_cmps")
    context.store.execute("DELETE FROM components_parts_quotes")
    assert [restore(context, archive) for _ in range(2)] == [2, 0]


def test_rows_that_were_restored_already_stay(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="one")
    context = context.migrate(schema_of())
    [archive] = asides(context)
    context = context.migrate(PLAIN)
    assert [restore(context, archive) for _ in range(2)] == [1, 0]


def test_values_of_a_former_type_are_not_put_into_a_column_of_another_one(
    make_context: MakeContext,
) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="word")
    context = context.migrate(schema_of(content_type(NOTE, {"title": {"type": "integer"}})))
    [archive] = asides(context)
    assert restore(context, archive) == 0
    assert restore(context.migrate(PLAIN), archive) == 1
    assert context.column("notes", "title") == ["word"]


def test_references_to_a_type_that_is_dropped_at_once_come_back(make_context: MakeContext) -> None:
    memo = {"type": "relation", "relation": "manyToOne", "target": TAG, "useJoinTable": False}
    tag = content_type(TAG, {"name": STRING})
    whole = build_schema([content_type(NOTE, {"title": STRING, "tag": memo}), tag])
    context = make_context(whole)
    tag_id = context.entry("tags", "t", name="tag")
    context.entry("notes", "a", title="one", tag_id=tag_id)
    context = context.migrate(build_schema([content_type(NOTE, {"title": STRING})]))
    [archive] = asides(context)
    context = context.migrate(whole)
    restore(context, archive)
    assert context.column("notes", "tag_id") == [tag_id]


def test_rows_of_tables_that_no_schema_knows_stay_when_a_type_is_dropped(
    make_context: MakeContext,
) -> None:
    context = make_context(PLAIN)
    note = context.entry("notes", "a", title="one")
    context.store.execute(
        "CREATE TABLE quire_others (id integer PRIMARY KEY, note_id integer"
        " REFERENCES notes (id) ON DELETE CASCADE)"
    )
    context.store.execute(f"INSERT INTO quire_others VALUES (1, {note})")
    context = context.migrate(schema_of())
    context.store.execute(f"INSERT INTO quire_others VALUES (2, {note})")
    assert context.column("quire_others", "note_id") == [note, note]


def test_a_restored_type_gives_new_entries_further_ids(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    note = context.entry("notes", "a", title="one")
    context = context.migrate(schema_of())
    [archive] = asides(context)
    context = context.migrate(PLAIN)
    assert restore(context, archive) == 1
    assert context.entry("notes", "b", title="two") > note


def test_a_reference_in_a_dropped_column_comes_back_only_if_its_row_is_there(
    make_context: MakeContext,
) -> None:
    tag = {"type": "relation", "relation": "manyToOne", "target": TAG, "useJoinTable": False}
    both = schema_of(content_type(NOTE, {"title": STRING, "tag": tag}))
    context = make_context(both)
    kept, lost = (context.entry("tags", name, name=name) for name in ("kept", "lost"))
    context.entry("notes", "a", title="one", tag_id=kept)
    context.entry("notes", "b", title="two", tag_id=lost)
    context = context.migrate(PLAIN)
    context.store.execute(f"DELETE FROM tags WHERE id = {lost}")
    [archive] = asides(context)
    context = context.migrate(both)
    assert restore(context, archive) == 1
    assert context.column("notes", "tag_id") == [kept, None]


def test_components_with_one_attribute_come_back_from_archives_of_former_versions(
    make_context: MakeContext,
) -> None:
    whole = schema_of(content_type(NOTE, {"title": STRING, "quotes": QUOTES}))
    context = make_context(whole)
    note = context.entry("notes", "a", title="one")
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    context = context.migrate(PLAIN)
    [(kept,)] = context.store.execute(f"SELECT kept FROM {ARCHIVE_TABLE}")
    former = [
        {name: rows[name] for name in ("kept", "table", "columns")} for rows in json.loads(kept)
    ]
    context.store.execute(f"UPDATE {ARCHIVE_TABLE} SET kept = ?", (json.dumps(former),))
    [archive] = asides(context)
    context = context.migrate(whole)
    restore(context, archive)
    assert context.column("components_parts_quotes", "text") == ["quoted"]
    assert context.problems() == []


def test_links_that_were_made_again_are_not_restored(make_context: MakeContext) -> None:
    tagged = schema_of(content_type(NOTE, {"title": STRING, "tags": TAGS}))
    context = make_context(tagged)
    note = context.entry("notes", "a", title="one")
    first, second = (context.entry("tags", name, name=name) for name in ("first", "second"))
    for tag_id in (first, second):
        context.insert("notes_tags_lnk", note_id=note, tag_id=tag_id, tag_ord=1)
    context = context.migrate(PLAIN)
    [archive] = asides(context)
    context = context.migrate(tagged)
    context.insert("notes_tags_lnk", note_id=note, tag_id=second, tag_ord=1)
    assert restore(context, archive) == 1
    assert sorted(context.column("notes_tags_lnk", "tag_id")) == [first, second]


def test_an_archive_without_its_tables_is_deleted_all_the_same(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="one")
    context = context.migrate(schema_of())
    context.store.execute(f"DROP TABLE {ARCHIVE_TABLE}_1_1")
    now = NOW + 31 * 86_400_000
    assert len(context.store.run(delete_expired(context.store.kind, days=30, now=now))) == 1
    assert asides(context) == []


def test_a_table_missing_in_an_archive_is_left_out(make_context: MakeContext) -> None:
    tagged = schema_of(content_type(NOTE, {"title": STRING, "tags": TAGS}))
    context = make_context(tagged)
    note, tag = context.entry("notes", "a", title="one"), context.entry("tags", "t", name="tag")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    context = context.migrate(schema_of())
    [archive] = asides(context)
    [links] = [rows for rows in archive.tables if rows.table == "notes_tags_lnk"]
    context.store.execute(f"DROP TABLE {links.archive_table}")
    assert restore(context.migrate(tagged), archive) == 1


def test_links_of_types_that_refer_to_each_other_come_back(make_context: MakeContext) -> None:
    """Also where the table of links is the first by name."""
    one = {"type": "relation", "relation": "oneToOne", "useJoinTable": False}
    note = content_type(NOTE, {"title": STRING, "tag": {**one, "target": TAG}})
    links = {"notes": {"type": "relation", "relation": "oneToMany", "target": NOTE}}
    page = content_type("api::a.a", links)
    tag = content_type(TAG, {"name": STRING, "note": {**one, "target": NOTE}})
    whole = build_schema([note, tag, page])
    context = make_context(whole)
    tag_id = context.entry("tags", "t", name="tag")
    note_id = context.entry("notes", "n", title="one", tag_id=tag_id)
    context.store.execute(f"UPDATE tags SET note_id = {note_id}")
    page_id = context.entry("as", "p")
    context.insert("as_notes_lnk", a_id=page_id, note_id=note_id)
    context = context.migrate(build_schema([]))
    [archive] = asides(context)
    context = context.migrate(whole)
    assert restore(context, archive) == 4
    assert context.column("as_notes_lnk", "note_id") == [note_id]


def test_types_that_refer_to_each_other_are_restored(make_context: MakeContext) -> None:
    """Not in a time that grows with the number of paths between them."""
    uids = [f"api::kind{number}.kind{number}" for number in range(14)]
    one = {"type": "relation", "relation": "oneToOne", "useJoinTable": False}
    kinds = [
        content_type(
            uid,
            {"title": STRING}
            | {f"to{number}": {**one, "target": target} for number, target in enumerate(uids)},
        )
        for uid in uids
    ]
    both = schema_of(*kinds, content_type(NOTE, {"title": STRING, "text": STRING}))
    context = make_context(both)
    context.entry("notes", "a", title="one", text="first")
    first = context.entry("kind0s", "k", title="kind")
    context = context.migrate(schema_of(*kinds, content_type(NOTE, {"title": STRING})))
    context = context.migrate(schema_of())
    context = context.migrate(both)
    assert [restore(context, archive) for archive in reversed(asides(context))] == [2, 1]
    assert context.column("kind0s", "id") == [first]


def test_both_references_of_types_that_refer_to_each_other_come_back(
    make_context: MakeContext,
) -> None:
    """A reference that was removed from an entry since does not come back."""
    one = {"type": "relation", "relation": "oneToOne", "useJoinTable": False}
    uids = ("api::sun.sun", "api::moon.moon")
    sun, moon = (
        content_type(uid, {"title": STRING, "other": {**one, "target": target}})
        for uid, target in zip(uids, reversed(uids), strict=True)
    )
    context = make_context(schema_of(sun, moon))
    first = context.entry("suns", "s", title="sun")
    second = context.entry("moons", "m", title="moon", other_id=first)
    context.store.execute(f"UPDATE suns SET other_id = {second}")
    context = context.migrate(schema_of())
    [archive] = asides(context)
    context = context.migrate(schema_of(sun, moon))
    assert restore(context, archive) == 2
    assert context.column("suns", "other_id") == [second]
    assert context.column("moons", "other_id") == [first]
    context.store.execute("UPDATE suns SET other_id = NULL")
    assert restore(context, archive) == 0
    assert context.column("suns", "other_id") == [None]
