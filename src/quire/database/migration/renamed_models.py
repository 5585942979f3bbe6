"""Renames types and fields in columns that contain such names."""

from collections.abc import Collection, Iterator, Mapping

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.store import EntryStore
from quire.database.program import Program, Value
from quire.database.stores.core_store import view_key
from quire.database.stores.revisions import REVISIONS
from quire.database.stores.saved_views import SAVED_VIEWS
from quire.database.tables.system import CORE_STORE, HISTORY_VERSIONS
from quire.database.tables.table_map import (
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
)

_PASSING = "quire_passing"
"""Begins the names that things have between two others."""

_ACTIONS = ("plugin::users-permissions.permission", "admin::api-token-permission")
"""The types whose rows hold actions, which begin with a uid."""

_ADMIN_PERMISSION = "admin::permission"


def order_renames(renames: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Order renames so that no name is needed twice at once: names that are taken go round."""
    waiting = dict(renames)
    passing: list[tuple[str, str]] = []
    while waiting:
        free = [old for old, new in waiting.items() if new not in waiting]
        if not free:
            old, new = waiting.popitem()
            between = f"{_PASSING}_{len(passing)}"
            yield old, between
            passing.append((between, new))
            continue
        for old in free:
            yield old, waiting.pop(old)
    yield from passing


def rename_models(
    store: EntryStore, names: Mapping[str, str], found: Collection[str]
) -> Program[None]:
    """Let every row that names models by their former uids name them by the later ones.

    ``names`` are later uids by former ones. The tables are those of the later schema; ``found`` are
    the names of tables that there were before.
    """
    for before, after in order_renames(names):
        yield from _rename_model(store, before, after)
        for table in (SAVED_VIEWS, REVISIONS):
            if table.name in found:
                yield from _replace(store, table.name, "uid", before, after)


def _rename_model(store: EntryStore, before: str, after: str) -> Program[None]:
    for name, column in _type_columns(store):
        yield from _replace(store, name, column, before, after)
    permission = store.tables[_ADMIN_PERMISSION]
    yield from _replace(store, permission.name, permission.columns["subject"], before, after)
    yield from _replace(store, HISTORY_VERSIONS, "content_type", before, after)
    for uid in _ACTIONS:
        table = store.tables[uid]
        yield from _replace_start(store, table.name, table.columns["action"], before, after)
    yield from _replace(store, CORE_STORE, "key", view_key(before), view_key(after))


def rename_fields(store: EntryStore, uid: str, names: Mapping[str, str]) -> Program[None]:
    """Let components or links of media of attributes say their later names.

    ``names`` are later names by former ones.
    """
    edges = store.tables[uid].edges
    for before, after in order_renames(names):
        edge = edges[after if after in edges else names[before]]
        if isinstance(edge, ComponentEdge):
            yield from _replace(store, edge.table, FIELD, before, after)
        elif isinstance(edge, MorphTargetEdge):
            of_type = {edge.near_type: edge.type_value}
            yield from _replace(store, edge.table, FIELD, before, after, of_type)


def _type_columns(store: EntryStore) -> Iterator[tuple[str, str]]:
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
    store: EntryStore,
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


def _replace_start(
    store: EntryStore, table: str, column: str, before: str, after: str
) -> Program[None]:
    """Replace the uid at the beginning of actions: ``api::note.note.find``."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table)
        return sa.select(source.c("id"), source.c(column)).order_by(source.c("id"))

    rows = yield from store.writes.run(("actions", table), build)
    for id_, action in rows:
        uid, dot, verb = str(action).rpartition(".")
        if uid == before:
            yield from store.writes.update(table, int(id_ or 0), {column: f"{after}{dot}{verb}"})
