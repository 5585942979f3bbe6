"""The consistency check finds broken rows, and no problems in correct ones."""

import re
from pathlib import Path

import pytest

from tests.databases.kinds import rows_of
from tests.reliability.consistency import problems


def test_the_recorded_rows_are_sound(own_recorded: Path) -> None:
    assert problems(own_recorded) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            "DELETE FROM articles_cmps WHERE id = (SELECT max(id) FROM articles_cmps)",
            r"components_\w+ row \d+ belongs to 0 others",
        ),
        (
            (
                "INSERT INTO articles_cmps (entity_id, cmp_id, component_type, field)"
                " SELECT a.id, c.cmp_id, c.component_type, c.field FROM articles a, articles_cmps c"
                " WHERE a.id <> c.entity_id LIMIT 1"
            ),
            r"components_\w+ row \d+ belongs to 2 others",
        ),
        (
            "UPDATE articles_cmps SET cmp_id = 99999 WHERE id = 1",
            r"there is no row 99999 of components_\w+",
        ),
        (
            (
                "UPDATE files_related_mph SET related_id = 99999"
                " WHERE related_type = 'api::article.article'"
            ),
            "a file is used by row 99999 of articles",
        ),
        (
            "DELETE FROM tags WHERE id = (SELECT tag_id FROM articles_tags_lnk LIMIT 1)",
            r"articles_tags_lnk row \d+ refers to nothing in tags",
        ),
        (
            ("UPDATE articles SET published_at = updated_at WHERE published_at IS NULL AND id = 1"),
            r"articles has 0 drafts and [12] published rows of \w+ in en",
        ),
        (
            (
                "INSERT INTO categories (document_id, published_at)"
                " SELECT document_id, published_at FROM categories WHERE id = 1"
            ),
            r"categories has 2 drafts and [01] published rows of \w+ in None",
        ),
        (
            "UPDATE tags SET published_at = NULL WHERE id = 1",
            r"tags has 1 drafts and 0 published rows",
        ),
        (
            (
                "INSERT INTO articles_categories_lnk (article_id, category_id)"
                " SELECT a.id, c.id FROM articles a, categories c"
                " WHERE a.published_at IS NULL AND c.published_at IS NOT NULL"
                " AND NOT EXISTS (SELECT 1 FROM articles_categories_lnk WHERE article_id = a.id"
                " AND category_id = c.id) LIMIT 1"
            ),
            r"articles_categories_lnk row \d+ joins row \d+ of \w+ and row \d+ of \w+",
        ),
    ],
)
def test_each_kind_of_error_is_found(change: str, found: str, own_recorded: Path) -> None:
    with rows_of(own_recorded) as rows, rows.unwatched():
        assert rows.execute(f"{change} RETURNING id")
    reported = problems(own_recorded)
    assert reported
    assert any(re.search(found, problem) for problem in reported), reported
