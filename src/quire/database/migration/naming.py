"""Names of the schema that stand in rows, and saying other ones."""

from collections.abc import Iterator, Mapping

import orjson
import sqlalchemy as sa

from quire.database.bookkeeping import CORE_STORE, HISTORY_VERSIONS
from quire.database.content.store import Store
from quire.database.mapping import (
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
)
from quire.database.program import Program, Value
from quire.database.statements import StatementBuilder

_ACTIONS = ("plugin::users-permissions.permission", "admin::api-token-permission")
"""The types whose rows hold actions, which begin with a uid."""

_ADMIN_PERMISSION = "admin::permission"
_CONFIGURATION = "plugin_content_manager_configuration_"


def rename_model(store: Store, before: str, after: str) -> Program[None]:
    """Let every row that names a model by its former uid name it by the later one.

    The tables are those of the later schema.
    """
    for name, column in _type_columns(store):
        yield from _replace(store, name, column, before, after)
    permission = store.tables[_ADMIN_PERMISSION]
    yield from _replace(store, permission.name, permission.columns["subject"], before, after)
    yield from _replace(store, HISTORY_VERSIONS, "content_type", before, after)
    for uid in _ACTIONS:
        table = store.tables[uid]
        yield from _replace_start(store, table.name, table.columns["action"], before, after)
    kind = "content_types" if "::" in after else "components"
    key = f"{_CONFIGURATION}{kind}::"
    yield from _replace(store, CORE_STORE, "key", key + before, key + after)


def rename_field(store: Store, uid: str, before: str, after: str) -> Program[None]:
    """Let components or links of media of an attribute say its later name."""
    edge = store.tables[uid].edges[after]
    if isinstance(edge, ComponentEdge):
        yield from _replace(store, edge.table, FIELD, before, after)
    elif isinstance(edge, MorphTargetEdge):
        of_type = {edge.near_type: edge.type_value}
        yield from _replace(store, edge.table, FIELD, before, after, of_type)


def rename_granted(store: Store, uid: str, names: Mapping[str, str]) -> Program[None]:
    """Let permissions of administrators that name fields of a type name the later ones."""
    table = store.tables[_ADMIN_PERMISSION]
    properties = table.columns["properties"]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table.name)
        here = source.c(table.columns["subject"]) == builder.plain_slot(0)
        return sa.select(source.c("id"), source.c(properties)).where(here)

    rows = yield from store.writes.run(("granted fields",), build, (uid,))
    for id_, held in rows:
        grant = orjson.loads(str(held)) if held is not None else None
        if not isinstance(grant, dict) or not isinstance(grant.get("fields"), list):
            continue
        fields = grant["fields"]
        later = [_renamed(str(field), names) for field in fields]
        if later != fields:
            value = store.dialect.encode_json({**grant, "fields": later})
            yield from store.writes.update(table.name, int(id_ or 0), {properties: value})


def _renamed(field: str, names: Mapping[str, str]) -> str:
    first, dot, rest = field.partition(".")
    return f"{names.get(first, first)}{dot}{rest}"


def _type_columns(store: Store) -> Iterator[tuple[str, str]]:
    """Iterate over the columns that hold uids."""
    for table in store.tables.tables.values():
        if any(isinstance(edge, ComponentEdge) for edge in table.edges.values()):
            yield table.components_table, COMPONENT_TYPE
        for edge in table.edges.values():
            if isinstance(edge, MorphListEdge):
                yield edge.table, edge.far_type
            elif isinstance(edge, MorphColumnEdge):
                yield table.name, edge.type_column


def _replace(
    store: Store,
    table: str,
    column: str,
    before: str,
    after: str,
    others: Mapping[str, Value] | None = None,
) -> Program[None]:
    others = others or {}

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        described = sa.table(table, sa.column(column), *(sa.column(name) for name in others))
        same = [described.c[n] == builder.plain_slot(2 + i) for i, n in enumerate(others)]
        here = described.c[column] == builder.plain_slot(1)
        return sa.update(described).values({column: builder.plain_slot(0)}).where(here, *same)

    key = ("say otherwise", table, column, tuple(others))
    yield from store.writes.run(key, build, (after, before, *others.values()))


def _replace_start(store: Store, table: str, column: str, before: str, after: str) -> Program[None]:
    """Replace the uid at the beginning of actions: ``api::note.note.find``."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table)
        return sa.select(source.c("id"), source.c(column)).order_by(source.c("id"))

    rows = yield from store.writes.run(("actions", table), build)
    for id_, action in rows:
        uid, dot, verb = str(action).rpartition(".")
        if uid == before:
            yield from store.writes.update(table, int(id_ or 0), {column: f"{after}{dot}{verb}"})
