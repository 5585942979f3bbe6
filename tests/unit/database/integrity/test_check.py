"""Checking and repairing a whole database."""

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content, NewContent
from tests.unit.database.running import awkward_schema


def test_what_the_reference_left_behind_is_sound(content: Content) -> None:
    content.assert_sound()


def test_a_new_database_is_sound(new_content: NewContent) -> None:
    new_content(awkward_schema()).assert_sound()


def test_a_sound_database_is_not_changed(content: Content) -> None:
    before = content.everything()

    assert content.repair(duplicates=True) == []
    assert content.everything() == before


def test_examining_changes_nothing(content: Content) -> None:
    content.damage("DELETE FROM articles WHERE id > 50")
    before = content.everything()

    assert content.findings() != []
    assert content.everything() == before


def test_what_a_repair_leaves_behind_is_repaired_by_the_same_repair(content: Content) -> None:
    """Without foreign keys a row that goes leaves its links, components and media behind."""
    content.damage("DELETE FROM articles", "DELETE FROM authors", "DELETE FROM files")

    mended = content.repair()

    assert {kind for kind, _, _ in mended} == {
        DamageKind.ORPHAN_COMPONENT,
        DamageKind.DANGLING_COMPONENT_LINK,
        DamageKind.DANGLING_LINK,
        DamageKind.DANGLING_MORPH_LINK,
    }
    content.assert_sound()
    assert content.rows("SELECT count(*) FROM components_blocks_rich_texts") == [(0,)]


def test_missing_tables_and_columns_are_passed_over(content: Content) -> None:
    content.drop_table("tags")
    content.drop_table("components_people_geos")
    content.damage("ALTER TABLE reviews DROP COLUMN updated_at")

    assert content.findings() == []


def test_a_finding_is_one_line_with_the_first_ids(content: Content) -> None:
    content.damage("UPDATE articles_tags_lnk SET tag_id = 999 WHERE id IN (1, 3)")
    (two,) = content.findings()
    content.damage("UPDATE articles_tags_lnk SET tag_id = 1000 + id")
    (all_of_them,) = content.findings()

    assert str(two) == "articles_tags_lnk: 2 links from or to a row that is gone (ids 1, 3)"
    assert (two.repair, two.grave) == ("deletes them", True)
    assert all_of_them.count == content.rows("SELECT count(*) FROM articles_tags_lnk")[0][0]
    assert len(all_of_them.ids) == 20
    assert str(all_of_them).endswith(", ...)")
