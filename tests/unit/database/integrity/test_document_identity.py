"""Rows belong to documents and locales."""

import re

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content


def test_rows_without_a_document_id_become_documents_of_their_own(content: Content) -> None:
    content.damage(
        "UPDATE authors SET document_id = NULL WHERE id IN (1, 3)",
        "UPDATE authors SET document_id = '' WHERE id = 5",
    )
    expected = [(DamageKind.NO_DOCUMENT_ID, "authors", [1, 3, 5])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    new = [id_ for (id_,) in content.rows("SELECT document_id FROM authors")]
    assert len(set(new)) == len(new)
    assert all(re.fullmatch("[a-z][a-z0-9]{23}", id_) for id_ in new)


def test_every_one_of_many_rows_gets_an_id_of_its_own(content: Content) -> None:
    content.damage(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)"
        " INSERT INTO passports (number) SELECT i FROM n"
    )

    content.repair()

    content.assert_sound()
    assert content.rows("SELECT count(*), count(DISTINCT document_id) FROM passports") == [
        (1205, 1205)
    ]


def test_a_published_row_without_a_document_id_gets_a_draft_too(content: Content) -> None:
    content.damage("UPDATE categories SET document_id = NULL WHERE id = 11")

    assert content.report() == [(DamageKind.NO_DOCUMENT_ID, "categories", [11])]
    assert content.repair() == [
        (DamageKind.NO_DOCUMENT_ID, "categories", [11]),
        (DamageKind.NO_DRAFT, "categories", [11]),
    ]
    content.assert_sound()


def test_localized_rows_without_a_locale_get_the_default_one(content: Content) -> None:
    content.damage("UPDATE articles SET locale = NULL WHERE id IN (39, 40)")
    expected = [(DamageKind.NO_LOCALE, "articles", [39, 40])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    assert content.rows("SELECT locale FROM articles WHERE id IN (39, 40)") == [("en",), ("en",)]


def test_a_row_without_a_locale_is_kept_beside_one_in_the_default_locale(content: Content) -> None:
    content.damage("UPDATE tags SET locale = NULL WHERE id = 9")
    expected = [(DamageKind.NO_LOCALE, "tags", [9])]

    assert content.report() == expected
    content.repair()
    assert content.report() == expected


def test_a_draft_gets_the_locale_that_its_published_row_has(content: Content) -> None:
    content.damage("UPDATE articles SET locale = NULL WHERE id = 39")

    content.repair()

    content.assert_sound()


def test_locales_of_content_that_is_not_localized_are_no_matter(content: Content) -> None:
    content.damage("UPDATE authors SET locale = 'fr' WHERE id = 1")

    assert content.findings() == []


def test_a_document_in_several_locales_that_is_not_localized_is_reported(content: Content) -> None:
    content.damage("UPDATE categories SET locale = 'fr' WHERE id = 10")
    expected = [(DamageKind.SEVERAL_LOCALES, "categories", [10, 11])]

    assert content.report() == expected
    assert content.repair() == []
    assert content.report() == expected


def test_further_documents_of_a_single_type_are_reported(content: Content) -> None:
    content.damage("INSERT INTO settings (id, document_id) VALUES (8, 'other'), (9, 'third')")
    expected = [(DamageKind.SEVERAL_DOCUMENTS, "settings", [8, 9])]

    assert content.report() == expected
    assert [finding.grave for finding in content.findings()] == [True]
    assert content.repair() == []
    assert content.report() == expected
