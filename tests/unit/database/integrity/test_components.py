"""Every component belongs to one row, and component links have both ends."""

import pytest

from quire.database.integrity.findings import DamageKind
from tests.unit.database.integrity.content import Content, Found, NewContent
from tests.unit.database.running import component, content_type, schema_of

AN_ARTICLE = 5
"""Its sections are a rich text, a gallery with images and a call to action with two buttons."""


def components_of(content: Content, article: int) -> dict[str, list[int]]:
    """The components of an article by table, those within them included."""
    table = {"blocks.rich-text": "components_blocks_rich_texts"}
    table |= {"blocks.gallery": "components_blocks_gallerys"}
    table |= {"blocks.call-to-action": "components_blocks_call_to_actions"}
    found: dict[str, list[int]] = {}
    for kind, id_ in content.rows(
        "SELECT component_type, cmp_id FROM articles_cmps"
        f" WHERE entity_id = {article} AND field = 'sections'"
    ):
        found.setdefault(table[kind], []).append(id_)
    (action,) = found["components_blocks_call_to_actions"]
    found["components_shared_links"] = content.ids(
        f"SELECT cmp_id FROM components_blocks_call_to_actions_cmps WHERE entity_id = {action}"
    )
    return found


def orphans(found: dict[str, list[int]]) -> list[Found]:
    return [(DamageKind.ORPHAN_COMPONENT, table, ids) for table, ids in sorted(found.items())]


def test_components_of_no_content_are_deleted_with_those_within_them(content: Content) -> None:
    expected = orphans(components_of(content, AN_ARTICLE))
    content.damage(
        f"DELETE FROM articles_cmps WHERE entity_id = {AN_ARTICLE} AND field = 'sections'"
    )

    assert sorted(content.report()) == expected
    mended = content.repair()

    assert sorted(one for one in mended if one[0] is DamageKind.ORPHAN_COMPONENT) == expected
    assert [kind for kind, table, _ in mended if table == "files_related_mph"] == [
        DamageKind.DANGLING_MORPH_LINK
    ]
    content.assert_sound()
    for _, table, ids in expected:
        assert set(content.ids(f"SELECT id FROM {table}")).isdisjoint(ids)


def test_components_of_content_that_is_gone_are_orphans_before_their_links_are_deleted(
    content: Content,
) -> None:
    before = content.ids("SELECT id FROM components_people_geos")
    content.damage("DELETE FROM authors WHERE id = 1")

    reported = content.report()

    assert (DamageKind.ORPHAN_COMPONENT, "components_people_addresss", [1]) in reported
    assert (DamageKind.ORPHAN_COMPONENT, "components_people_geos", [1]) in reported
    assert (DamageKind.DANGLING_COMPONENT_LINK, "authors_cmps", [1, 2]) in reported
    content.repair()
    content.assert_sound()
    assert content.ids("SELECT id FROM components_people_geos") == before[1:]


def test_what_a_component_that_is_gone_used_is_an_orphan(content: Content) -> None:
    content.damage("DELETE FROM components_people_addresss WHERE id = 1")

    assert content.report() == [
        (DamageKind.ORPHAN_COMPONENT, "components_people_geos", [1]),
        (DamageKind.DANGLING_COMPONENT_LINK, "authors_cmps", [1]),
        (DamageKind.DANGLING_COMPONENT_LINK, "components_people_addresss_cmps", [1]),
    ]
    content.repair()
    content.assert_sound()


def test_components_that_only_use_one_another_are_orphans(new_content: NewContent) -> None:
    box = component("in.box", {"inner": {"type": "component", "component": "in.box"}})
    schema = schema_of(box, content_type("note", {}))
    content = new_content(
        schema,
        "INSERT INTO components_in_box (id) VALUES (1), (2)",
        "INSERT INTO components_in_box_cmps (entity_id, cmp_id, component_type, field) VALUES"
        " (1, 2, 'in.box', 'inner'), (2, 1, 'in.box', 'inner')",
    )

    assert content.repair() == [(DamageKind.ORPHAN_COMPONENT, "components_in_box", [1, 2])]
    content.assert_sound()


def test_what_a_table_outside_the_schema_uses_is_no_orphan(content: Content) -> None:
    """A plugin keeps its own content types, of which the schema knows nothing."""
    content.damage(
        "CREATE TABLE menus_cmps (id integer, entity_id integer, cmp_id integer,"
        " component_type varchar(255), field varchar(255))",
        "INSERT INTO components_people_addresss (id, city) VALUES (901, 'Porto')",
        "INSERT INTO components_people_geos (id) VALUES (901)",
        "INSERT INTO components_people_addresss_cmps (entity_id, cmp_id, component_type, field)"
        " VALUES (901, 901, 'people.geo', 'geo')",
    )
    assert (DamageKind.ORPHAN_COMPONENT, "components_people_geos", [901]) in content.report()

    content.damage("INSERT INTO menus_cmps VALUES (1, 1, 901, 'people.address', 'place')")

    assert content.findings() == []


def test_the_content_of_a_removed_attribute_is_kept(content: Content) -> None:
    content.damage("UPDATE authors_cmps SET field = 'home' WHERE id = 1")
    expected = [(DamageKind.UNKNOWN_FIELD, "authors_cmps", [1])]

    assert content.report() == expected
    assert [finding.grave for finding in content.findings()] == [False]
    assert content.repair() == []
    assert content.report() == expected


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE authors_cmps SET entity_id = 999 WHERE id = 5",
        "UPDATE authors_cmps SET entity_id = NULL WHERE id = 5",
        "UPDATE authors_cmps SET cmp_id = 999 WHERE id = 5",
        "UPDATE authors_cmps SET cmp_id = NULL WHERE id = 5",
        "UPDATE authors_cmps SET component_type = NULL WHERE id = 5",
    ],
)
def test_a_link_from_or_to_nothing_is_deleted_and_so_is_what_it_led_to(
    content: Content, statement: str
) -> None:
    content.damage(statement)

    assert (DamageKind.DANGLING_COMPONENT_LINK, "authors_cmps", [5]) in content.report()
    assert content.repair() == [
        (DamageKind.ORPHAN_COMPONENT, "components_shared_links", [3]),
        (DamageKind.DANGLING_COMPONENT_LINK, "authors_cmps", [5]),
    ]
    content.assert_sound()


def test_of_equal_links_the_oldest_is_kept(content: Content) -> None:
    content.drop_index("authors_uq", "authors_cmps")
    content.damage("INSERT INTO authors_cmps VALUES (901, 2, 3, 'shared.link', 'socials', 3)")
    expected = [(DamageKind.DOUBLE_COMPONENT_LINK, "authors_cmps", [901])]

    assert content.report() == expected
    assert content.repair() == expected
    content.assert_sound()


def test_a_component_of_two_rows_is_reported(content: Content) -> None:
    content.damage("INSERT INTO authors_cmps VALUES (901, 1, 3, 'shared.link', 'socials', 3)")
    expected = [(DamageKind.SHARED_COMPONENT, "authors_cmps", [5, 901])]

    assert content.report() == expected
    assert content.repair() == []
    assert content.report() == expected


def test_a_component_that_the_schema_lacks_is_reported_and_kept(content: Content) -> None:
    content.damage("INSERT INTO authors_cmps VALUES (901, 1, 1, 'old.badge', 'socials', 3)")
    expected = [(DamageKind.UNKNOWN_COMPONENT, "authors_cmps", [901])]

    assert content.report() == expected
    assert [finding.grave for finding in content.findings()] == [False]
    assert content.repair() == []


def test_a_component_under_an_attribute_for_another_one_is_reported(content: Content) -> None:
    content.damage("UPDATE authors_cmps SET field = 'address' WHERE id = 5")

    assert content.report() == [(DamageKind.UNKNOWN_FIELD, "authors_cmps", [5])]


def test_a_dynamic_zone_takes_any_component(content: Content) -> None:
    content.damage("UPDATE articles_cmps SET field = 'sections' WHERE component_type='shared.link'")

    assert content.findings() == []
