"""Links and references connect existing rows, each once."""

import pytest

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content, NewContent
from tests.unit.database.running import content_type, schema_of


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE articles_tags_lnk SET tag_id = 999 WHERE id = 5",
        "UPDATE articles_tags_lnk SET article_id = 999 WHERE id = 5",
        "UPDATE articles_tags_lnk SET article_id = NULL WHERE id = 5",
        "UPDATE articles_tags_lnk SET tag_id = NULL WHERE id = 5",
    ],
)
def test_a_link_from_or_to_nothing_is_deleted(content: Content, statement: str) -> None:
    content.damage(statement)
    expected = [(DamageKind.DANGLING_LINK, "articles_tags_lnk", [5])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    assert content.rows("SELECT * FROM articles_tags_lnk WHERE id IN (4, 5, 6)") == [
        (4, 5, 18, 2.0, 1.0),
        (6, 6, 7, 1.0, 1.0),
    ]


def test_a_link_of_a_row_to_another_of_its_kind_is_looked_at_on_both_sides(
    content: Content,
) -> None:
    content.damage(
        "UPDATE categories_parent_lnk SET inv_category_id = 999 WHERE id = 1",
        "UPDATE categories_parent_lnk SET category_id = 999 WHERE id = 2",
    )

    assert content.report() == [(DamageKind.DANGLING_LINK, "categories_parent_lnk", [1, 2])]


def test_the_links_of_built_in_types_are_looked_at_too(content: Content) -> None:
    content.damage("UPDATE up_users_role_lnk SET role_id = 999 WHERE id = 2")

    assert content.report() == [(DamageKind.DANGLING_LINK, "up_users_role_lnk", [2])]


def test_of_equal_links_the_oldest_is_kept(content: Content) -> None:
    content.drop_index("articles_tags_lnk_uq", "articles_tags_lnk")
    content.damage(
        "INSERT INTO articles_tags_lnk (id, article_id, tag_id) VALUES (901, 5, 18), (902, 5, 18)"
    )
    expected = [(DamageKind.DOUBLE_LINK, "articles_tags_lnk", [901, 902])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    assert content.ids("SELECT id FROM articles_tags_lnk WHERE article_id = 5") == [3, 4, 5]


def test_a_creator_who_is_gone_is_forgotten(content: Content) -> None:
    content.damage(
        "UPDATE articles SET created_by_id = 999 WHERE id = 5",
        "UPDATE articles SET updated_by_id = 999 WHERE id IN (5, 6)",
    )
    expected = [
        (DamageKind.DANGLING_CREATOR, "articles", [5]),
        (DamageKind.DANGLING_CREATOR, "articles", [5, 6]),
    ]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    assert content.rows("SELECT created_by_id, updated_by_id FROM articles WHERE id = 5") == [
        (None, None)
    ]


def test_a_row_that_has_lost_more_than_its_creators_is_repaired(content: Content) -> None:
    """PostgreSQL looks at all foreign keys of a row that is changed for the second time."""
    content.damage(
        "UPDATE articles SET created_by_id = 999, updated_by_id = 999, document_id = NULL,"
        " locale = NULL WHERE id = 5"
    )

    assert {kind for kind, _, _ in content.repair()} >= {
        DamageKind.NO_DOCUMENT_ID,
        DamageKind.NO_LOCALE,
        DamageKind.DANGLING_CREATOR,
    }
    columns = "created_by_id, updated_by_id, locale"
    assert content.rows(f"SELECT {columns} FROM articles WHERE id = 5") == [(None, None, "en")]


def test_a_creator_who_is_there_stays(content: Content) -> None:
    content.damage("UPDATE articles SET created_by_id = 1, updated_by_id = 999 WHERE id = 5")

    content.repair()

    assert content.rows("SELECT created_by_id, updated_by_id FROM articles WHERE id = 5") == [
        (1, None)
    ]


def test_a_relation_in_a_column_is_emptied_when_its_row_is_gone(new_content: NewContent) -> None:
    relation = {
        "type": "relation",
        "relation": "manyToOne",
        "target": "api::note.note",
        "useJoinTable": False,
    }
    schema = schema_of(content_type("note", {"up": relation}))
    content = new_content(
        schema, "INSERT INTO notes (id, document_id, up_id) VALUES (1, 'a', 999), (2, 'b', 1)"
    )
    expected = [(DamageKind.DANGLING_REFERENCE, "notes", [1])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    assert content.rows("SELECT id, up_id FROM notes ORDER BY id") == [(1, None), (2, 1)]
