"""The tables that describe the state of a database are consistent."""

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content, Found

DEFAULT_LOCALE = (
    "SELECT value, type FROM strapi_core_store_settings WHERE key = 'plugin_i18n_default_locale'"
)


def test_a_lost_default_locale_is_set_to_the_oldest_locale(content: Content) -> None:
    content.damage(
        "DELETE FROM strapi_core_store_settings WHERE key = 'plugin_i18n_default_locale'"
    )
    expected: list[Found] = [(DamageKind.DEFAULT_LOCALE, "strapi_core_store_settings", [])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()
    assert content.rows(DEFAULT_LOCALE) == [('"en"', "string")]


def test_a_default_locale_that_is_no_text_is_lost(content: Content) -> None:
    for value in ("null", '""', "en", "{}"):
        content.damage(
            f"UPDATE strapi_core_store_settings SET value = '{value}'"
            " WHERE key = 'plugin_i18n_default_locale'"
        )

        assert [kind for kind, _, _ in content.repair()] == [DamageKind.DEFAULT_LOCALE]
        assert content.rows(DEFAULT_LOCALE) == [('"en"', "string")]


def test_rows_get_the_default_locale_that_the_same_repair_sets(content: Content) -> None:
    content.damage(
        "DELETE FROM strapi_core_store_settings WHERE key = 'plugin_i18n_default_locale'",
        "UPDATE articles SET locale = NULL WHERE id = 45",
    )

    content.repair()

    content.assert_sound()
    assert content.rows("SELECT locale FROM articles WHERE id = 45") == [("en",)]


def test_migrations_that_are_not_on_record_are_named(content: Content) -> None:
    content.damage("DELETE FROM strapi_migrations_internal WHERE name LIKE '%-05-%'")
    (finding,) = content.findings()

    assert finding.kind is DamageKind.MIGRATIONS
    assert "5.0.0-05-drop-slug-fields-index" in str(finding)
    assert not finding.grave
    assert content.repair() == []


def test_migrations_that_ran_twice_are_named(content: Content) -> None:
    content.damage(
        "INSERT INTO strapi_migrations_internal (name) VALUES ('core::5.0.0-discard-drafts')"
    )
    (finding,) = content.findings()

    assert str(finding) == (
        "strapi_migrations_internal: 1 migration on record more than once:"
        " core::5.0.0-discard-drafts"
    )
