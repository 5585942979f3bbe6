"""Published rows have drafts; missing ones are copied from them."""

import pytest

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content, NewContent
from tests.unit.database.integrity.graph import graph
from tests.unit.database.running import content_type, schema_of

ARTICLE = "api::article.article"
NOW = 1_700_000_000_000


def draft_of(content: Content, table: str, published: int) -> int:
    (row,) = content.rows(
        f"SELECT d.id FROM {table} AS p, {table} AS d WHERE p.id = {published}"
        " AND d.document_id = p.document_id AND d.locale IS NOT DISTINCT FROM p.locale"
        " AND d.published_at IS NULL"
    )
    return int(row[0])


def lose_draft(content: Content, table: str, draft: int) -> None:
    """Delete a draft as a program does that knows nothing of components."""
    content.store.execute(f"DELETE FROM {table} WHERE id = {draft}")
    content.repair_components()


def test_a_missing_draft_is_made_of_the_published_row(content: Content) -> None:
    lose_draft(content, "articles", 5)
    expected = [(DamageKind.NO_DRAFT, "articles", [6])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    draft = draft_of(content, "articles", 6)
    assert draft > 115, "ids are not used again"
    assert graph(content, ARTICLE, draft) == graph(content, ARTICLE, 6, as_draft=True)
    assert content.rows(f"SELECT published_at FROM articles WHERE id = {draft}") == [(None,)]


def test_the_drafts_of_everything_can_be_made_at_once(content: Content) -> None:
    """Drafts lead to drafts, those that are made in the same repair among them."""
    lost = {"articles": ARTICLE, "categories": "api::category.category"}
    lost |= {"homepages": "api::homepage.homepage", "reviews": "api::review.review"}
    for table in lost:
        content.store.execute(f"DELETE FROM {table} WHERE published_at IS NULL")
    content.repair_components()

    content.repair()

    content.assert_sound()
    for table, uid in lost.items():
        published = content.ids(f"SELECT id FROM {table} WHERE published_at IS NOT NULL")
        assert content.rows(f"SELECT count(*) FROM {table}") == [(2 * len(published),)]
        for row_id in published:
            draft = draft_of(content, table, row_id)
            expected = graph(content, uid, row_id, as_draft=True)
            assert graph(content, uid, draft) == expected


def test_copies_share_no_component_with_their_originals(content: Content) -> None:
    lose_draft(content, "articles", 5)
    content.repair()

    shared = content.rows(
        "SELECT component_type, cmp_id FROM articles_cmps GROUP BY 1, 2 HAVING count(*) > 1"
    )

    assert shared == []


@pytest.mark.parametrize(
    ("table", "source", "target"),
    [
        ("settings_links_lnk", "setting_id", "note_id"),
        ("pages_links_lnk", "page_id", "note_id"),
    ],
    ids=["content without drafts leads to both", "an unchanged draft leads to the draft"],
)
def test_links_from_other_content_lead_to_a_new_draft_too(
    table: str, source: str, target: str, new_content: NewContent
) -> None:
    content = linked_content(new_content)
    content.damage(
        f"INSERT INTO notes VALUES (2, 'n', {NOW}, {NOW}, {NOW}, NULL, NULL, NULL)",
        f"INSERT INTO {table} (id, {source}, {target}, note_ord) VALUES (1, 2, 2, 7)",
    )

    content.repair()

    content.assert_sound()
    source_id = 2 if table == "settings_links_lnk" else 1
    assert content.rows(f"SELECT {source}, {target}, note_ord FROM {table}") == [
        (2, 2, 7.0),
        (source_id, draft_of(content, "notes", 2), 7.0),
    ]


def test_a_draft_that_was_changed_since_keeps_its_links_as_they_are(
    new_content: NewContent,
) -> None:
    content = linked_content(new_content)
    content.damage(
        f"INSERT INTO notes VALUES (2, 'n', {NOW}, {NOW}, {NOW}, NULL, NULL, NULL)",
        "INSERT INTO pages_links_lnk (id, page_id, note_id, note_ord) VALUES (1, 2, 2, 7)",
        f"UPDATE pages SET updated_at = {NOW + 1} WHERE id = 1",
    )

    content.repair()

    content.assert_sound()
    assert content.rows("SELECT page_id, note_id FROM pages_links_lnk") == [(2, 2)]


def linked_content(new_content: NewContent) -> Content:
    """Pages with drafts (1 draft, 2 published) and settings without, which lead to notes."""
    links = {"type": "relation", "relation": "oneToMany", "target": "api::note.note"}
    versions = {"options": {"draftAndPublish": True}}
    schema = schema_of(
        content_type("note", {}, **versions),
        content_type("page", {"links": links}, **versions),
        content_type("setting", {"links": links}),
    )
    columns = "(id, document_id, updated_at, published_at)"
    return new_content(
        schema,
        f"INSERT INTO pages {columns} VALUES (1, 'p', {NOW}, NULL), (2, 'p', {NOW}, {NOW})",
        f"INSERT INTO settings {columns} VALUES (2, 's', {NOW}, {NOW})",
    )


def test_of_two_published_rows_one_draft_is_made_of_the_last_updated(content: Content) -> None:
    content.damage(
        "INSERT INTO categories (id, document_id, name, updated_at, published_at) VALUES"
        f" (901, 'x', 'old', {NOW}, {NOW}), (902, 'x', 'new', {NOW + 1}, {NOW})"
    )

    assert (DamageKind.NO_DRAFT, "categories", [902]) in content.report()
    content.repair()

    assert content.rows(
        "SELECT name FROM categories WHERE document_id = 'x' AND published_at IS NULL"
    ) == [("new",)]


def test_the_draft_of_another_locale_does_not_count(content: Content) -> None:
    lose_draft(content, "articles", 87)

    assert content.report() == [(DamageKind.NO_DRAFT, "articles", [88])]


def test_content_without_draft_and_publish_needs_no_draft(content: Content) -> None:
    assert content.rows("SELECT count(*) FROM authors WHERE published_at IS NULL") == [(0,)]
    assert content.findings() == []
