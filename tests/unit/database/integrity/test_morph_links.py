"""Polymorphic links refer to existing rows; unknown types are not checked."""

import pytest

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content, NewContent
from tests.unit.database.running import content_type, schema_of


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE files_related_mph SET file_id = 999 WHERE id = 6",
        "UPDATE files_related_mph SET related_id = 999 WHERE id = 6",
        "UPDATE files_related_mph SET related_id = NULL WHERE id = 6",
        "UPDATE files_related_mph SET related_type = NULL WHERE id = 6",
    ],
)
def test_media_of_nothing_and_media_that_are_gone_are_deleted(
    content: Content, statement: str
) -> None:
    content.damage(statement)
    expected = [(DamageKind.DANGLING_MORPH_LINK, "files_related_mph", [6])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()


def test_the_media_of_components_are_looked_at_too(content: Content) -> None:
    (image,) = content.rows(
        "SELECT min(id) FROM files_related_mph WHERE related_type = 'blocks.gallery'"
    )[0]
    content.damage(f"UPDATE files_related_mph SET related_id = 999 WHERE id = {image}")

    assert content.report() == [(DamageKind.DANGLING_MORPH_LINK, "files_related_mph", [image])]


def test_media_of_a_type_that_the_schema_lacks_are_reported_and_kept(content: Content) -> None:
    content.damage("UPDATE files_related_mph SET related_type = 'plugin::a.b' WHERE id = 6")
    expected = [(DamageKind.UNKNOWN_TYPE, "files_related_mph", [6])]

    assert content.report() == expected
    assert [finding.grave for finding in content.findings()] == [False]
    assert content.repair() == []
    assert content.report() == expected


@pytest.fixture
def pinned(new_content: NewContent) -> Content:
    """Pins lead to a note each, by the id and type in their own row."""
    target = {"type": "relation", "relation": "morphToOne"}
    schema = schema_of(content_type("pin", {"related": target}), content_type("note", {}))
    return new_content(
        schema,
        "INSERT INTO notes (id, document_id) VALUES (1, 'n')",
        "INSERT INTO pins (id, document_id, target_id, target_type) VALUES"
        " (1, 'a', 1, 'api::note.note'), (2, 'b', NULL, NULL), (3, 'c', 999, 'api::note.note'),"
        " (4, 'd', 1, NULL), (5, 'e', NULL, 'api::note.note'), (6, 'f', 1, 'plugin::a.b')",
    )


def test_targets_that_are_gone_are_emptied(pinned: Content) -> None:
    assert pinned.report() == [
        (DamageKind.DANGLING_TARGET, "pins", [3, 4, 5]),
        (DamageKind.UNKNOWN_TYPE, "pins", [6]),
    ]
    assert pinned.repair() == [(DamageKind.DANGLING_TARGET, "pins", [3, 4, 5])]
    assert pinned.report() == [(DamageKind.UNKNOWN_TYPE, "pins", [6])]
    assert pinned.rows("SELECT id, target_id, target_type FROM pins ORDER BY id") == [
        (1, 1, "api::note.note"),
        (2, None, None),
        (3, None, None),
        (4, None, None),
        (5, None, None),
        (6, 1, "plugin::a.b"),
    ]


def test_a_list_of_rows_of_any_type_loses_those_that_are_gone(new_content: NewContent) -> None:
    items = {"type": "relation", "relation": "morphToMany"}
    schema = schema_of(content_type("board", {"items": items}), content_type("note", {}))
    content = new_content(
        schema,
        "INSERT INTO boards (id, document_id) VALUES (1, 'b')",
        "INSERT INTO notes (id, document_id) VALUES (1, 'n')",
        "INSERT INTO boards_items_mph (id, board_id, items_id, items_type) VALUES"
        " (1, 1, 1, 'api::note.note'), (2, 1, 2, 'api::note.note'), (3, 2, 1, 'api::note.note')",
    )
    expected = [(DamageKind.DANGLING_MORPH_LINK, "boards_items_mph", [2, 3])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
