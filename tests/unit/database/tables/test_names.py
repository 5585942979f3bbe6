"""Physical names: their parts, and how they are shortened."""

import pytest

from quire.database.tables.names import MAX_LENGTH, identifier
from quire.database.tables.table_map import column_name
from quire.schema.attributes.base import ScalarAttribute
from tests.unit.database.running import content_type, schema_of

LONG = "a_very_long_content_type_name_that_exceeds_the_identifier_limits"
LONG_TABLE = "a_very_long_content_type_name_that_exceeds_the_ided0fab"
AGAIN = "a_very_long_content_type_name_that_exceeds_the_ided_0_fab"
RELATION = "a_long_relation_attribute_name_to_test_join_tables"


@pytest.mark.parametrize(
    ("names", "suffix", "expected"),
    [
        (["articles"], None, "articles"),
        (["articles", "author"], "links", "articles_author_lnk"),
        (["articles"], "components", "articles_cmps"),
        (["articles", "documents"], "index", "articles_documents_idx"),
        (["articles_author_lnk"], "inv_fk", "articles_author_lnk_ifk"),
        (["articles_author_lnk"], "order_inv_fk", "articles_author_lnk_oifk"),
        (
            ["strapi_transfer_token_permissions", "token"],
            "links",
            "strapi_transfer_token_permissions_token_lnk",
        ),
    ],
)
def test_names_are_joined_and_the_suffix_has_a_short_form(
    names: list[str], suffix: str | None, expected: str
) -> None:
    assert identifier(*names, suffix=suffix) == expected


@pytest.mark.parametrize(
    ("names", "suffix", "expected"),
    [
        ([LONG], None, LONG_TABLE),
        (["x" * 56], None, "x" * 50 + "4ca89"),
        (["x" * 55], None, "x" * 55),
        (
            ["a_long_attribute_name_for_the_scalar_column_that_is_far_beyond_the_fifty_five_limit"],
            None,
            "a_long_attribute_name_for_the_scalar_column_that_i7d329",
        ),
        ([LONG], "components", "a_very_long_content_type_name_that_exceeds_thd0fab_cmps"),
        ([LONG, "documents"], "index", "a_very_long_content_type_name_that_ed0fab_documents_idx"),
        (
            [LONG_TABLE, "created_by_id"],
            "fk",
            "a_very_long_content_type_name_tha5c1f0_created_by_id_fk",
        ),
        ([AGAIN, "tags"], "links", "a_very_long_content_type_name_that_exceed1072c_tags_lnk"),
        ([AGAIN, RELATION], "links", "a_very_long_content_1072c_a_long_relation_attr8ad5a_lnk"),
        (
            [AGAIN, "long_morph_relation_name"],
            "morphs",
            "a_very_long_content_t1072c_long_morph_relation_name_mph",
        ),
    ],
)
def test_a_long_name_keeps_its_beginning_and_ends_in_its_hash(
    names: list[str], suffix: str | None, expected: str
) -> None:
    assert identifier(*names, suffix=suffix) == expected


def test_what_stands_before_the_suffix_is_not_cut() -> None:
    expected = "a_very_long_content_type_name_that_exceed0fab_entity_fk"
    assert identifier(LONG, middle="entity", suffix="fk") == expected


def test_short_names_give_their_room_to_long_ones() -> None:
    shortened = identifier("ab", "y" * 60, "z" * 60, suffix="fk")
    assert len(shortened) == MAX_LENGTH
    assert shortened.startswith("ab_yyy")


def test_a_name_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(ValueError, match="no room for the names"):
        identifier(*["name"] * 20)


@pytest.mark.parametrize(
    ("attribute", "column"),
    [
        ("title", "title"),
        ("fooBar1Baz2", "foo_bar_1_baz_2"),
        ("a1b2", "a_1_b_2"),
        ("HTTPServerURL", "http_server_url"),
        ("ünïcode", "unicode"),
        ("camelID", "camel_id"),
        ("OAuth2Token", "o_auth_2_token"),
        ("productSKUs", "product_sk_us"),
        ("iOS", "i_os"),
        ("__foo", "foo"),
        ("my-attr", "my_attr"),
        ("2fast", "2_fast"),
        ("straßeØÞorn", "strasse_o_thorn"),
    ],
)
def test_a_column_is_the_name_of_the_attribute_in_snake_case(attribute: str, column: str) -> None:
    schema = schema_of(content_type("thing", {attribute: {"type": "string"}}))
    built = schema.model("api::thing.thing").attributes[attribute]
    assert isinstance(built, ScalarAttribute)
    assert column_name(built) == column
