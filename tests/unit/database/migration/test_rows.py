"""Switching draft & publish and localization: no content is lost without notice."""

from quire.database.migration.schema_pair import Renames
from quire.database.migration.steps import (
    BeginDrafts,
    BeginLocales,
    EndDrafts,
    EndLocales,
    MigrationNotice,
)
from tests.unit.database.migration.conftest import MakeContext
from tests.unit.database.migration.migrated_database import (
    NOTE,
    QUOTE,
    QUOTES,
    STRING,
    TAGS,
    content_type,
    schema_of,
)

PLAIN = schema_of(content_type(NOTE, {"title": STRING}))
DRAFTED = schema_of(content_type(NOTE, {"title": STRING}, drafts=True))
LOCALIZED = schema_of(content_type(NOTE, {"title": STRING}, localized=True))


def test_each_entry_gets_a_draft_with_all_that_belongs_to_it(make_context: MakeContext) -> None:
    attributes = {"title": STRING, "tags": TAGS, "quotes": QUOTES}
    context = make_context(schema_of(content_type(NOTE, attributes)))
    note = context.entry("notes", "a", title="one")
    context.entry("notes", "b", title="two")
    tag = context.entry("tags", "t", name="tag")
    context.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    later = schema_of(content_type(NOTE, attributes, drafts=True))
    assert context.plan(later).steps[-1] == BeginDrafts(uid=NOTE, rows=2)
    context = context.migrate(later)
    assert context.column("notes", "title") == ["one", "two", "two", "one"]
    live = [value is not None for value in context.column("notes", "published_at")]
    assert live == [True, True, False, False]
    assert context.column("notes_tags_lnk", "tag_id") == [tag, tag]
    assert context.column("components_parts_quotes", "text") == ["quoted", "quoted"]


def test_drafts_of_entries_that_lead_nowhere_are_made_first(make_context: MakeContext) -> None:
    attributes = {"title": STRING, "tags": TAGS, "quotes": QUOTES}
    context = make_context(schema_of(content_type(NOTE, attributes)))
    tag = context.entry("tags", "t", name="tag")
    linked, composed = (context.entry("notes", name, title=name) for name in ("linked", "composed"))
    for name in ("first", "second"):
        context.entry("notes", name, title=name)
    context.insert("notes_tags_lnk", note_id=linked, tag_id=tag, tag_ord=1)
    quote = context.insert("components_parts_quotes", text="quoted")
    context.insert(
        "notes_cmps",
        entity_id=composed,
        cmp_id=quote,
        component_type=QUOTE,
        field="quotes",
        order=1,
    )
    context = context.migrate(schema_of(content_type(NOTE, attributes, drafts=True)))
    assert context.column("notes", "title")[4:] == ["first", "second", "linked", "composed"]


def test_without_drafts_a_document_is_what_was_published(make_context: MakeContext) -> None:
    context = make_context(DRAFTED)
    context.entry("notes", "a", title="changed since", live=False)
    context.entry("notes", "a", title="published")
    later = context.store.moment(1_800_000_060_000)
    context.store.execute(f"UPDATE notes SET updated_at = {later} WHERE id = 1")
    assert context.plan(PLAIN).losses == (EndDrafts(uid=NOTE, rows=1, changed=1, remaining=0),)
    assert context.migrate(PLAIN).column("notes", "title") == ["published"]


def test_without_drafts_a_document_that_never_was_published_stays(
    make_context: MakeContext,
) -> None:
    context = make_context(DRAFTED)
    context.entry("notes", "a", title="never published", live=False)
    assert context.plan(PLAIN).losses == ()
    context = context.migrate(PLAIN)
    assert context.column("notes", "title") == ["never published"]
    assert context.column("notes", "published_at") != [None]


def test_a_localized_type_has_its_entries_in_the_default_locale(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    context.entry("notes", "a", title="one")
    assert context.plan(LOCALIZED).steps[-1] == BeginLocales(uid=NOTE, rows=1, locale="en")
    assert context.migrate(LOCALIZED).column("notes", "locale") == ["en"]


def test_without_locales_the_default_one_stays_or_the_oldest(make_context: MakeContext) -> None:
    context = make_context(LOCALIZED)
    context.entry("i18n_locale", "french", code="fr", name="French")
    context.entry("i18n_locale", "german", code="de", name="German")
    context.entry("notes", "a", title="français", locale="fr")
    context.entry("notes", "a", title="english", locale="en")
    context.entry("notes", "b", title="nur deutsch", locale="de")
    context.entry("notes", "b", title="et français", locale="fr")
    assert context.plan(PLAIN).losses == (EndLocales(uid=NOTE, rows=2),)
    context = context.migrate(PLAIN)
    assert context.column("notes", "title") == ["english", "nur deutsch"]
    assert context.column("notes", "locale") == [None, None]


def test_drafts_and_locales_can_end_together(make_context: MakeContext) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING}, drafts=True, localized=True))
    context = make_context(both)
    for locale in ("en", "fr"):
        context.entry("notes", "a", title=f"draft {locale}", locale=locale, live=False)
        context.entry("notes", "a", title=f"live {locale}", locale=locale)
    assert context.migrate(PLAIN).column("notes", "title") == ["live en"]


def test_rules_that_rows_break_are_reported(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    for document, title in (("a", "one"), ("b", "one"), ("c", None), ("d", "other")):
        context.entry("notes", document, title=title)
    strict = {"type": "enumeration", "enum": ["one", "two"], "required": True, "unique": True}
    plan = context.plan(schema_of(content_type(NOTE, {"title": strict})))
    assert plan.notices == (
        MigrationNotice(uid=NOTE, attribute="title", rows=1, rule="is required"),
        MigrationNotice(uid=NOTE, attribute="title", rows=2, rule="has to be unique"),
        MigrationNotice(uid=NOTE, attribute="title", rows=1, rule="is none of one, two"),
    )


def test_a_draft_is_not_a_second_document_with_the_same_value(make_context: MakeContext) -> None:
    context = make_context(DRAFTED)
    context.entry("notes", "a", title="one", live=False)
    context.entry("notes", "a", title="one")
    later = schema_of(content_type(NOTE, {"title": {**STRING, "unique": True}}, drafts=True))
    assert context.plan(later).notices == ()


def test_permissions_name_a_renamed_field_by_its_new_name(make_context: MakeContext) -> None:
    context = make_context(PLAIN)
    id_ = context.entry("admin_permissions", "p", action="read", subject=NOTE)
    properties = '{"fields": ["title", "title.inner"], "locales": ["en"]}'
    context.store.execute(
        f"UPDATE admin_permissions SET properties = '{properties}' WHERE id = {id_}"
    )
    later = schema_of(content_type(NOTE, {"headline": STRING}))
    context = context.migrate(later, Renames(attributes={NOTE: {"headline": "title"}}))
    [held] = context.column("admin_permissions", "properties")
    assert "title" not in str(held)
    assert str(held).count("headline") == 2
