"""What switching drafts and locales does to rows: nothing that people wrote is lost unannounced."""

from quire.database.migration.schema_pair import Renames
from quire.database.migration.steps import BeginDrafts, BeginLocales, EndDrafts, EndLocales, Notice
from tests.unit.database.migration.conftest import MakeGround
from tests.unit.database.migration.ground import (
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


def test_each_entry_gets_a_draft_with_all_that_belongs_to_it(make_ground: MakeGround) -> None:
    attributes = {"title": STRING, "tags": TAGS, "quotes": QUOTES}
    ground = make_ground(schema_of(content_type(NOTE, attributes)))
    note = ground.entry("notes", "a", title="one")
    ground.entry("notes", "b", title="two")
    tag = ground.entry("tags", "t", name="tag")
    ground.insert("notes_tags_lnk", note_id=note, tag_id=tag, tag_ord=1)
    quote = ground.insert("components_parts_quotes", text="quoted")
    ground.insert(
        "notes_cmps", entity_id=note, cmp_id=quote, component_type=QUOTE, field="quotes", order=1
    )
    later = schema_of(content_type(NOTE, attributes, drafts=True))
    assert ground.plan(later).steps[-1] == BeginDrafts(uid=NOTE, rows=2)
    ground = ground.migrate(later)
    assert ground.column("notes", "title") == ["one", "two", "two", "one"]
    live = [value is not None for value in ground.column("notes", "published_at")]
    assert live == [True, True, False, False]
    assert ground.column("notes_tags_lnk", "tag_id") == [tag, tag]
    assert ground.column("components_parts_quotes", "text") == ["quoted", "quoted"]


def test_drafts_of_entries_that_lead_nowhere_are_made_first(make_ground: MakeGround) -> None:
    attributes = {"title": STRING, "tags": TAGS, "quotes": QUOTES}
    ground = make_ground(schema_of(content_type(NOTE, attributes)))
    tag = ground.entry("tags", "t", name="tag")
    linked, composed = (ground.entry("notes", name, title=name) for name in ("linked", "composed"))
    for name in ("first", "second"):
        ground.entry("notes", name, title=name)
    ground.insert("notes_tags_lnk", note_id=linked, tag_id=tag, tag_ord=1)
    quote = ground.insert("components_parts_quotes", text="quoted")
    ground.insert(
        "notes_cmps",
        entity_id=composed,
        cmp_id=quote,
        component_type=QUOTE,
        field="quotes",
        order=1,
    )
    ground = ground.migrate(schema_of(content_type(NOTE, attributes, drafts=True)))
    assert ground.column("notes", "title")[4:] == ["first", "second", "linked", "composed"]


def test_without_drafts_a_document_is_what_was_published(make_ground: MakeGround) -> None:
    ground = make_ground(DRAFTED)
    ground.entry("notes", "a", title="changed since", live=False)
    ground.entry("notes", "a", title="published")
    later = ground.store.moment(1_800_000_060_000)
    ground.store.execute(f"UPDATE notes SET updated_at = {later} WHERE id = 1")
    assert ground.plan(PLAIN).losses == (EndDrafts(uid=NOTE, rows=1, changed=1, kept=0),)
    assert ground.migrate(PLAIN).column("notes", "title") == ["published"]


def test_without_drafts_a_document_that_never_was_published_stays(make_ground: MakeGround) -> None:
    ground = make_ground(DRAFTED)
    ground.entry("notes", "a", title="never published", live=False)
    assert ground.plan(PLAIN).losses == ()
    ground = ground.migrate(PLAIN)
    assert ground.column("notes", "title") == ["never published"]
    assert ground.column("notes", "published_at") != [None]


def test_a_localized_type_has_its_entries_in_the_default_locale(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    ground.entry("notes", "a", title="one")
    assert ground.plan(LOCALIZED).steps[-1] == BeginLocales(uid=NOTE, rows=1, locale="en")
    assert ground.migrate(LOCALIZED).column("notes", "locale") == ["en"]


def test_without_locales_the_default_one_stays_or_the_oldest(make_ground: MakeGround) -> None:
    ground = make_ground(LOCALIZED)
    ground.entry("i18n_locale", "french", code="fr", name="French")
    ground.entry("i18n_locale", "german", code="de", name="German")
    ground.entry("notes", "a", title="français", locale="fr")
    ground.entry("notes", "a", title="english", locale="en")
    ground.entry("notes", "b", title="nur deutsch", locale="de")
    ground.entry("notes", "b", title="et français", locale="fr")
    assert ground.plan(PLAIN).losses == (EndLocales(uid=NOTE, rows=2),)
    ground = ground.migrate(PLAIN)
    assert ground.column("notes", "title") == ["english", "nur deutsch"]
    assert ground.column("notes", "locale") == [None, None]


def test_drafts_and_locales_can_end_together(make_ground: MakeGround) -> None:
    both = schema_of(content_type(NOTE, {"title": STRING}, drafts=True, localized=True))
    ground = make_ground(both)
    for locale in ("en", "fr"):
        ground.entry("notes", "a", title=f"draft {locale}", locale=locale, live=False)
        ground.entry("notes", "a", title=f"live {locale}", locale=locale)
    assert ground.migrate(PLAIN).column("notes", "title") == ["live en"]


def test_rules_that_rows_break_are_told(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    for document, title in (("a", "one"), ("b", "one"), ("c", None), ("d", "other")):
        ground.entry("notes", document, title=title)
    strict = {"type": "enumeration", "enum": ["one", "two"], "required": True, "unique": True}
    plan = ground.plan(schema_of(content_type(NOTE, {"title": strict})))
    assert plan.notices == (
        Notice(uid=NOTE, attribute="title", rows=1, rule="is required"),
        Notice(uid=NOTE, attribute="title", rows=2, rule="has to be unique"),
        Notice(uid=NOTE, attribute="title", rows=1, rule="is none of one, two"),
    )


def test_a_draft_is_not_a_second_document_with_the_same_value(make_ground: MakeGround) -> None:
    ground = make_ground(DRAFTED)
    ground.entry("notes", "a", title="one", live=False)
    ground.entry("notes", "a", title="one")
    later = schema_of(content_type(NOTE, {"title": {**STRING, "unique": True}}, drafts=True))
    assert ground.plan(later).notices == ()


def test_permissions_name_a_renamed_field_by_its_new_name(make_ground: MakeGround) -> None:
    ground = make_ground(PLAIN)
    id_ = ground.entry("admin_permissions", "p", action="read", subject=NOTE)
    properties = '{"fields": ["title", "title.inner"], "locales": ["en"]}'
    ground.store.execute(
        f"UPDATE admin_permissions SET properties = '{properties}' WHERE id = {id_}"
    )
    later = schema_of(content_type(NOTE, {"headline": STRING}))
    ground = ground.migrate(later, Renames(attributes={NOTE: {"headline": "title"}}))
    [held] = ground.column("admin_permissions", "properties")
    assert "title" not in str(held)
    assert str(held).count("headline") == 2
