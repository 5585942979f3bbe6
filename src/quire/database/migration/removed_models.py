"""Deletes what is stored about removed types: a later type of the same name is another one.

Rows of the types themselves are archived (`quire.database.migration.archive`); what is deleted here
is not restored with them.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.entry_tables import EntryStore
from quire.database.migration.renamed_models import (
    ACTION_TYPES,
    ADMIN_PERMISSION,
    RELEASE_ITEM,
    WORKFLOW,
    read_columns,
    read_own_jobs,
)
from quire.database.program import Program
from quire.database.stores.auth_rows import ROW_RULES_KEY
from quire.database.stores.core_store import PREVIEWS_KEY, read_setting, view_key, write_setting
from quire.database.stores.entry_stages import ENTRY_STAGES
from quire.database.stores.jobs import JOBS
from quire.database.stores.release_snapshots import RELEASE_SNAPSHOTS
from quire.database.stores.revisions import REVISIONS
from quire.database.stores.saved_views import SAVED_VIEWS
from quire.database.tables.system_tables import CORE_STORE, HISTORY_VERSIONS

_UID_TABLES = (SAVED_VIEWS, REVISIONS, ENTRY_STAGES, RELEASE_SNAPSHOTS)
"""Quire's own tables whose rows are about a type, by its ``uid``, and are of no use without it."""


def delete_rows_about(
    store: EntryStore, uids: Collection[str], table_names: Collection[str]
) -> Program[None]:
    """Delete permissions, rules, views, history and plans for removed types.

    The tables of ``store`` are the later ones; ``table_names`` are the names of the former tables.
    """
    if not uids:
        return
    yield from _delete_entries_about(store, ADMIN_PERMISSION, "subject", uids)
    yield from _delete_entries_about(store, RELEASE_ITEM, "contentType", uids)
    for uid in ACTION_TYPES:
        yield from _delete_entries_about(store, uid, "action", uids)
    for uid in uids:
        for table in _UID_TABLES:
            if table.name in table_names:
                yield from _delete(store, table.name, "uid", uid)
        yield from _delete(store, HISTORY_VERSIONS, "content_type", uid)
        yield from _delete(store, CORE_STORE, "key", view_key(uid))
    yield from _remove_from_workflows(store, uids)
    if JOBS.name in table_names:
        yield from _delete_jobs(store, uids)

    def remaining_previews(previews: Mapping[str, Any]) -> Mapping[str, Any]:
        return {uid: url for uid, url in previews.items() if uid not in uids}

    def remaining_rules(rules_by_role: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            role: {action: rule for action, rule in rules.items() if _uid_of(action) not in uids}
            if isinstance(rules, Mapping)
            else rules
            for role, rules in rules_by_role.items()
        }

    yield from _change_setting(store, PREVIEWS_KEY, remaining_previews)
    yield from _change_setting(store, ROW_RULES_KEY, remaining_rules)


def _delete_entries_about(
    store: EntryStore, model: str, attribute: str, uids: Collection[str]
) -> Program[None]:
    """Delete the entries with a uid, or an action on it, in an attribute."""
    layout = store.layout(model)
    rows = yield from read_columns(store, layout.table.name, layout.table.columns[attribute])
    ids = [int(id_ or 0) for id_, name in rows if name in uids or _uid_of(str(name)) in uids]
    yield from delete_entries(store, layout, ids)


def _uid_of(action: str) -> str:
    """Return the uid at the start of an action."""
    return action.rpartition(".")[0]


def _delete(store: EntryStore, table: str, column: str, value: str) -> Program[None]:
    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table_clause = sa.table(table, sa.column(column))
        return sa.delete(table_clause).where(table_clause.c[column] == builder.plain_slot(0))

    yield from store.writes.run(("delete rows about", table, column), build, (value,))


def _delete_jobs(store: EntryStore, uids: Collection[str]) -> Program[None]:
    """Delete scheduled publications of entries: restored ones would be published by them."""
    jobs = yield from read_own_jobs(store)
    ids = [int(id_ or 0) for id_, _, values in jobs if orjson.loads(str(values)).get("uid") in uids]
    yield from store.writes.delete(JOBS.name, ids)


def _remove_from_workflows(store: EntryStore, uids: Collection[str]) -> Program[None]:
    table = store.tables[WORKFLOW]
    column = table.columns["contentTypes"]
    for id_, encoded_uids in (yield from read_columns(store, table.name, column)):
        stored_uids = orjson.loads(str(encoded_uids)) if encoded_uids is not None else []
        remaining_uids = [uid for uid in stored_uids if uid not in uids]
        if remaining_uids != stored_uids:
            new_value = store.dialect.encode_json(remaining_uids)
            yield from store.writes.update(table.name, int(id_ or 0), {column: new_value})


def _change_setting(
    store: EntryStore, key: str, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]
) -> Program[None]:
    value = yield from read_setting(store.writes, key)
    if isinstance(value, Mapping):
        new_value = change(value)
        if new_value != value:
            yield from write_setting(store.writes, key, new_value)
