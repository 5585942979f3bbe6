"""Renames types and fields in columns that contain such names."""

from collections.abc import Collection, Iterator, Mapping

import orjson
import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program, Rows, Value
from quire.database.stores.change_outbox import CHANGES
from quire.database.stores.core_store import PREVIEWS_KEY, read_setting, view_key, write_setting
from quire.database.stores.entry_stages import ENTRY_STAGES
from quire.database.stores.jobs import JOBS, OWN_JOBS, WAITING
from quire.database.stores.release_snapshots import RELEASE_SNAPSHOTS
from quire.database.stores.revisions import REVISIONS
from quire.database.stores.saved_views import SAVED_VIEWS
from quire.database.tables.system_tables import CORE_STORE, HISTORY_VERSIONS
from quire.database.tables.table_map import (
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
)

_TEMPORARY_PREFIX = "quire_passing"
"""The prefix of temporary names between two others."""

ACTION_TYPES = ("plugin::users-permissions.permission", "admin::api-token-permission")
"""The types whose rows contain actions, which begin with a uid."""

ADMIN_PERMISSION = "admin::permission"
RELEASE_ITEM = "plugin::content-releases.release-action"
WORKFLOW = "plugin::review-workflows.workflow"

_UID_TABLES = (SAVED_VIEWS, REVISIONS, ENTRY_STAGES, RELEASE_SNAPSHOTS, CHANGES)
"""Quire's own tables whose rows are about entries of a type, by its ``uid``."""


def order_renames(renames: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Order renames so that no name is in use twice; cycles go through temporary names."""
    waiting = dict(renames)
    deferred_renames: list[tuple[str, str]] = []
    while waiting:
        free = [old_name for old_name, new_name in waiting.items() if new_name not in waiting]
        if not free:
            old_name, new_name = waiting.popitem()
            temporary_name = f"{_TEMPORARY_PREFIX}_{len(deferred_renames)}"
            yield old_name, temporary_name
            deferred_renames.append((temporary_name, new_name))
            continue
        for old_name in free:
            yield old_name, waiting.pop(old_name)
    yield from deferred_renames


def rename_models(
    store: EntryStore, names: Mapping[str, str], table_names: Collection[str]
) -> Program[None]:
    """Replace former uids of models by the later ones in every row.

    ``names`` are later uids by former ones. The tables are those of the later schema;
    ``table_names`` are the names of the former tables.
    """
    for old_uid, new_uid in order_renames(names):
        yield from _rename_model(store, old_uid, new_uid)
        for table in _UID_TABLES:
            if table.name in table_names:
                yield from _replace(store, table.name, "uid", old_uid, new_uid)
    yield from _rename_in_workflows(store, names)
    yield from _rename_in_previews(store, names)
    if JOBS.name in table_names:
        yield from _rename_in_jobs(store, names)


def _rename_model(store: EntryStore, old_uid: str, new_uid: str) -> Program[None]:
    for name, column in _type_columns(store):
        yield from _replace(store, name, column, old_uid, new_uid)
    permission = store.tables[ADMIN_PERMISSION]
    yield from _replace(store, permission.name, permission.columns["subject"], old_uid, new_uid)
    item = store.tables[RELEASE_ITEM]
    yield from _replace(store, item.name, item.columns["contentType"], old_uid, new_uid)
    yield from _replace(store, HISTORY_VERSIONS, "content_type", old_uid, new_uid)
    for uid in ACTION_TYPES:
        table = store.tables[uid]
        yield from _replace_start(store, table.name, table.columns["action"], old_uid, new_uid)
    yield from _replace(store, CORE_STORE, "key", view_key(old_uid), view_key(new_uid))


def rename_fields(store: EntryStore, uid: str, names: Mapping[str, str]) -> Program[None]:
    """Replace names of attributes in links of components and media.

    ``names`` are later names by former ones.
    """
    edges = store.tables[uid].edges
    for old_name, new_name in order_renames(names):
        edge = edges[new_name if new_name in edges else names[old_name]]
        if isinstance(edge, ComponentEdge):
            yield from _replace(store, edge.table, FIELD, old_name, new_name)
        elif isinstance(edge, MorphTargetEdge):
            of_type = {edge.source_type_column: edge.type_value}
            yield from _replace(store, edge.table, FIELD, old_name, new_name, of_type)


def _type_columns(store: EntryStore) -> Iterator[tuple[str, str]]:
    """Iterate over the columns that contain uids."""
    for table in store.tables.tables.values():
        if table.edges_of(ComponentEdge):
            yield table.components_table, COMPONENT_TYPE
        for edge in table.edges.values():
            if isinstance(edge, MorphListEdge):
                yield edge.table, edge.target_type_column
            elif isinstance(edge, MorphColumnEdge):
                yield table.name, edge.type_column


def _replace(
    store: EntryStore,
    table: str,
    column: str,
    old_value: str,
    new_value: str,
    extra_values: Mapping[str, Value] | None = None,
) -> Program[None]:
    extra_values = extra_values or {}

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table_clause = sa.table(
            table, sa.column(column), *(sa.column(name) for name in extra_values)
        )
        conditions = [
            table_clause.c[name] == builder.plain_slot(2 + i) for i, name in enumerate(extra_values)
        ]
        condition = table_clause.c[column] == builder.plain_slot(1)
        return (
            sa.update(table_clause)
            .values({column: builder.plain_slot(0)})
            .where(condition, *conditions)
        )

    key = ("say otherwise", table, column, tuple(extra_values))
    yield from store.writes.run(key, build, (new_value, old_value, *extra_values.values()))


def _replace_start(
    store: EntryStore, table: str, column: str, old_uid: str, new_uid: str
) -> Program[None]:
    """Replace the uid at the start of actions: ``api::note.note.find``."""
    for id_, action in (yield from read_columns(store, table, column)):
        uid, dot, verb = str(action).rpartition(".")
        if uid == old_uid:
            yield from store.writes.update(table, int(id_ or 0), {column: f"{new_uid}{dot}{verb}"})


def _rename_in_workflows(store: EntryStore, names: Mapping[str, str]) -> Program[None]:
    """Replace uids of types in review workflows."""
    table = store.tables[WORKFLOW]
    column = table.columns["contentTypes"]
    for id_, encoded_uids in (yield from read_columns(store, table.name, column)):
        uids = orjson.loads(str(encoded_uids)) if encoded_uids is not None else []
        if not names.keys().isdisjoint(uids):
            new_value = store.dialect.encode_json([names.get(uid, uid) for uid in uids])
            yield from store.writes.update(table.name, int(id_ or 0), {column: new_value})


def _rename_in_previews(store: EntryStore, names: Mapping[str, str]) -> Program[None]:
    """Replace uids of types in preview URLs."""
    previews = yield from read_setting(store.writes, PREVIEWS_KEY)
    if isinstance(previews, Mapping) and not names.keys().isdisjoint(previews):
        new_previews = {names.get(uid, uid): url for uid, url in previews.items()}
        yield from write_setting(store.writes, PREVIEWS_KEY, new_previews)


def _rename_in_jobs(store: EntryStore, names: Mapping[str, str]) -> Program[None]:
    """Replace uids of types in waiting jobs of the server itself."""
    for id_, key, arguments in (yield from read_own_jobs(store)):
        values = orjson.loads(str(arguments))
        old_uid = values.get("uid")
        if old_uid in names:
            changes: dict[str, Value] = {
                "arguments": orjson.dumps({**values, "uid": names[old_uid]}).decode()
            }
            if key is not None:
                changes["cancel_key"] = str(key).removesuffix(old_uid) + names[old_uid]
            yield from store.writes.update(JOBS.name, int(id_ or 0), changes)


def read_own_jobs(store: EntryStore) -> Program[Rows]:
    """Return the id, ``cancel_key`` and arguments of waiting jobs of the server itself.

    Their arguments name a type as ``uid``, and the keys that cancel them end with it.
    """

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        jobs = builder.table(JOBS.name)
        query = sa.select(*(jobs.c(column) for column in ("id", "cancel_key", "arguments")))
        is_own = jobs.c("name").startswith(builder.constant(OWN_JOBS))
        return query.where(jobs.c("state") == builder.constant(WAITING), is_own)

    return (yield from store.writes.run(("own jobs",), build))


def read_columns(store: EntryStore, table: str, *columns: str) -> Program[Rows]:
    """Return the ids and some columns of all rows of a table."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table)
        query = sa.select(source.c("id"), *(source.c(column) for column in columns))
        return query.order_by(source.c("id"))

    return (yield from store.writes.run(("columns of all rows", table, columns), build))
