"""The table, column or link of an attribute."""

import pytest

from quire.database.tables.table_map import (
    BackColumnEdge,
    ColumnEdge,
    ComponentEdge,
    Edge,
    LinkEdge,
    LocalizationsEdge,
    ModelTable,
    MorphBackColumnEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
    map_tables,
)
from tests.unit.database.running import awkward_schema, content_type, golden_tables, schema_of

NODE, PLAIN, LEAF = "api::node.node", "api::plain.plain", "part.leaf"


def node() -> ModelTable:
    return map_tables(awkward_schema())[NODE]


def link(
    target: str,
    table: str,
    columns: tuple[str, str],
    orders: tuple[str | None, str | None],
    *,
    owning: bool = True,
    owner: str = NODE,
) -> LinkEdge:
    return LinkEdge(
        target=target,
        table=table,
        source_column=columns[0],
        target_column=columns[1],
        order=orders[0],
        inverse_order=orders[1],
        owning=owning,
        owner=owner,
    )


SELF = ("node_id", "inv_node_id")
SELF_BACK = ("inv_node_id", "node_id")
OUT = ("node_id", "plain_id")

EDGES: dict[str, Edge] = {
    "parent": link(NODE, "nodes_parent_lnk", SELF, (None, "node_ord")),
    "children": link(NODE, "nodes_parent_lnk", SELF_BACK, ("node_ord", None), owning=False),
    "buddy": link(NODE, "nodes_buddy_lnk", SELF, (None, None)),
    "peerBack": link(NODE, "nodes_peer_lnk", SELF_BACK, (None, None), owning=False),
    "likes": link(NODE, "nodes_likes_lnk", SELF, ("node_ord", None)),
    "friends": link(NODE, "nodes_friends_lnk", SELF, ("node_ord", "inv_node_ord")),
    "friendsBack": link(
        NODE, "nodes_friends_lnk", SELF_BACK, ("inv_node_ord", "node_ord"), owning=False
    ),
    "uniMany": link(PLAIN, "nodes_uni_many_lnk", OUT, ("plain_ord", None)),
    "up": link(PLAIN, "nodes_up_lnk", OUT, (None, "node_ord")),
    "uniUp": link(PLAIN, "nodes_uni_up_lnk", OUT, (None, None)),
    "lot": link(PLAIN, "nodes_lot_lnk", OUT, ("plain_ord", "node_ord")),
    "column2Plain": ColumnEdge(target=PLAIN, column="column_2_plain_id"),
    "morphOneRef": MorphColumnEdge(id_column="target_id", type_column="target_type"),
    "morphManyRef": MorphListEdge(
        table="nodes_morph_many_ref_mph",
        source_column="node_id",
        target_id_column="morph_many_ref_id",
        target_type_column="morph_many_ref_type",
    ),
    "part": ComponentEdge(components=("part.nested-thing",), table="nodes_cmps", field="part"),
    "zone": ComponentEdge(components=(LEAF, "part.nested-thing"), table="nodes_cmps", field="zone"),
    "picture": MorphTargetEdge(
        target="plugin::upload.file",
        table="files_related_mph",
        target_column="file_id",
        source_id_column="related_id",
        source_type_column="related_type",
        type_value=NODE,
        field="picture",
    ),
    "createdBy": ColumnEdge(target="admin::user", column="created_by_id"),
    "localizations": LocalizationsEdge(target=NODE),
}


@pytest.mark.parametrize("attribute", sorted(EDGES))
def test_an_attribute_leads_to_other_rows_by_its_kind_of_edge(attribute: str) -> None:
    assert node().edges[attribute] == EDGES[attribute]


def test_the_other_side_of_a_morph_relation_looks_into_the_owners_storage() -> None:
    edges = map_tables(awkward_schema())[PLAIN].edges
    assert edges["refOne"] == MorphBackColumnEdge(
        target=NODE, id_column="target_id", type_column="target_type", type_value=PLAIN
    )
    assert edges["refMany"] == MorphTargetEdge(
        target=NODE,
        table="nodes_morph_many_ref_mph",
        target_column="node_id",
        source_id_column="morph_many_ref_id",
        source_type_column="morph_many_ref_type",
        type_value=PLAIN,
        field="refMany",
    )


def test_the_other_side_of_a_relation_in_a_column_looks_for_that_column() -> None:
    relation = {"type": "relation", "target": "api::house.house"}
    schema = schema_of(
        content_type(
            "room",
            {
                "house": relation
                | {"relation": "manyToOne", "inversedBy": "rooms", "useJoinTable": False}
            },
        ),
        content_type(
            "house",
            {
                "rooms": {
                    "type": "relation",
                    "relation": "oneToMany",
                    "target": "api::room.room",
                    "mappedBy": "house",
                }
            },
        ),
    )
    edge = map_tables(schema)["api::house.house"].edges["rooms"]
    assert edge == BackColumnEdge(target="api::room.room", column="house_id")


def test_two_owning_sides_have_two_link_tables() -> None:
    tables = map_tables(awkward_schema())
    long = next(uid for uid in tables.tables if uid.startswith("api::a-very-long"))
    owning = (tables[PLAIN].edges["bothA"], tables[long].edges["bothB"])
    assert all(isinstance(edge, LinkEdge) and edge.owning for edge in owning)
    assert len({edge.table for edge in owning if isinstance(edge, LinkEdge)}) == 2


def test_every_table_is_one_that_the_reference_made() -> None:
    named = set()
    for table in map_tables(awkward_schema()).tables.values():
        named.add(table.name)
        named |= {
            edge.table
            for edge in table.edges.values()
            if isinstance(edge, LinkEdge | ComponentEdge | MorphListEdge | MorphTargetEdge)
        }
    assert named - golden_tables().keys() == set()


def test_scalar_columns_stand_in_the_order_of_the_reference() -> None:
    for table in map_tables(awkward_schema()).tables.values():
        golden = list(golden_tables()[table.name]["columns"])
        columns = list(table.columns.values())
        assert columns == [column for column in golden if column in columns]


def test_a_content_type_named_like_a_plural_keeps_its_collection_name_in_links() -> None:
    edge = map_tables(awkward_schema())["api::my2posts.my2posts"].edges["author"]
    assert isinstance(edge, LinkEdge)
    assert edge.table == "my_2_posts_author_lnk"


def test_an_unknown_uid_has_no_table() -> None:
    with pytest.raises(KeyError):
        map_tables(awkward_schema())["api::nobody.nobody"]
