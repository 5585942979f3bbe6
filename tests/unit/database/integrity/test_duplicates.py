"""One row per document, locale and status; the last updated one is kept."""

import pytest

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content

NEWER = 1_900_000_000_000
OLDER = 1_600_000_000_000


def copy_article(content: Content, row_id: int, new_id: int, updated_at: int) -> None:
    """Copy the columns of an article, with another title and moment."""
    content.damage(
        "INSERT INTO articles (id, document_id, title, slug, locale, updated_at, published_at)"
        f" SELECT {new_id}, document_id, 'Copy', slug, locale, {updated_at}, published_at"
        f" FROM articles WHERE id = {row_id}"
    )


@pytest.mark.parametrize("row_id", [39, 40], ids=["draft", "published"])
@pytest.mark.parametrize(
    ("updated_at", "surplus", "kept"), [(OLDER, 901, None), (NEWER, None, 901)]
)
def test_the_last_updated_is_kept(
    content: Content, row_id: int, updated_at: int, surplus: int | None, kept: int | None
) -> None:
    copy_article(content, row_id, 901, updated_at)
    surplus, kept = surplus or row_id, kept or row_id
    expected = [(DamageKind.DUPLICATE, "articles", [surplus])]

    assert content.report() == expected
    assert content.repair(duplicates=True)[0] == expected[0]
    content.assert_sound()
    assert content.ids(f"SELECT id FROM articles WHERE id IN ({row_id}, 901)") == [kept]


def test_of_rows_updated_at_once_the_one_with_the_greatest_id_is_kept(content: Content) -> None:
    copy_article(content, 45, 901, NEWER)
    copy_article(content, 45, 902, NEWER)

    assert content.report() == [(DamageKind.DUPLICATE, "articles", [45, 901])]


def test_a_row_that_was_never_updated_gives_way(content: Content) -> None:
    copy_article(content, 45, 901, NEWER)
    content.damage("UPDATE articles SET updated_at = NULL WHERE id = 901")

    assert content.report() == [(DamageKind.DUPLICATE, "articles", [901])]


def test_nothing_is_deleted_without_leave(content: Content) -> None:
    copy_article(content, 45, 901, OLDER)
    (finding,) = content.findings()

    assert finding.needs_consent
    assert content.repair() == []
    assert content.ids("SELECT id FROM articles WHERE id IN (45, 901)") == [45, 901]


def test_it_is_said_in_what_the_rows_differ(content: Content) -> None:
    copy_article(content, 45, 901, OLDER)
    ((title, document),) = content.rows("SELECT title, document_id FROM articles WHERE id = 45")

    (finding,) = content.findings()

    (line,) = finding.details
    assert line.startswith(f"id 901, document {document}, locale en: differs in title, ")
    assert line.endswith(" from id 45, which is kept")
    assert title not in line


def test_links_to_a_row_that_goes_lead_to_the_one_that_stays(content: Content) -> None:
    copy_article(content, 33, 901, OLDER)
    content.damage("UPDATE homepages_featured_lnk SET article_id = 901 WHERE id = 1")

    content.repair(duplicates=True)

    content.assert_sound()
    assert content.rows("SELECT * FROM homepages_featured_lnk WHERE id = 1") == [(1, 1, 33, 1.0)]


def test_a_row_that_leads_to_both_leads_to_one_afterwards(content: Content) -> None:
    copy_article(content, 33, 901, OLDER)
    copy_article(content, 33, 902, OLDER)
    content.damage(
        "INSERT INTO homepages_featured_lnk VALUES"
        " (91, 1, 901, 8), (92, 3, 901, 1), (93, 3, 902, 2)"
    )

    content.repair(duplicates=True)

    content.assert_sound()
    linked = "SELECT id, homepage_id FROM homepages_featured_lnk WHERE article_id = 33"
    assert content.rows(f"{linked} ORDER BY id") == [(1, 1), (92, 3)]


def test_the_components_of_a_row_that_goes_go_with_it(content: Content) -> None:
    copy_article(content, 45, 901, OLDER)
    content.damage(
        "INSERT INTO components_shared_seos (id, meta_title) VALUES (901, 'x')",
        "INSERT INTO articles_cmps VALUES (901, 901, 901, 'shared.seo', 'seo', NULL)",
    )

    assert content.repair(duplicates=True) == [
        (DamageKind.DUPLICATE, "articles", [901]),
        (DamageKind.ORPHAN_COMPONENT, "components_shared_seos", [901]),
    ]
    content.assert_sound()


def test_content_without_draft_and_publish_has_one_row(content: Content) -> None:
    content.damage(
        "INSERT INTO authors (id, document_id, name, updated_at)"
        f" SELECT 901, document_id, name, {OLDER} FROM authors WHERE id = 1"
    )

    assert content.report() == [(DamageKind.DUPLICATE, "authors", [901])]


def test_what_was_a_draft_gives_way_where_there_are_no_drafts_any_more(content: Content) -> None:
    content.damage(
        "INSERT INTO authors (id, document_id, name, updated_at, published_at)"
        f" SELECT 901, document_id, name, {NEWER}, NULL FROM authors WHERE id = 1"
    )

    assert content.report() == [(DamageKind.DUPLICATE, "authors", [901])]


def test_rows_without_a_locale_are_equal_versions(content: Content) -> None:
    content.damage(
        "INSERT INTO categories (id, document_id, name, updated_at)"
        f" SELECT 901, document_id, name, {OLDER} FROM categories WHERE id = 14"
    )

    assert content.report() == [(DamageKind.DUPLICATE, "categories", [901])]
