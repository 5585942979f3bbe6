"""The core store: settings in the database, by key, as JSON."""

from collections.abc import Collection, Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Statement, Value
from quire.database.tables.system import CORE_STORE

_OBJECT = "object"
_VIEW = "plugin_content_manager_configuration"

PREVIEWS_KEY = "quire_previews"
"""The key of the preview URLs, by the uids of content types."""


def view_key(uid: str) -> str:
    """Return the key under which the view of a content type or component is kept."""
    kind = "content_types" if "::" in uid else "components"
    return f"{_VIEW}_{kind}::{uid}"


def read_setting(writes: Writes, key: str) -> Program[object]:
    """Return what is kept under a key, ``None`` where nothing is."""
    rows = yield from writes.run(("core store",), select_setting, (key,))
    return decode_setting(rows[0][0]) if rows else None


def select_setting(builder: StatementBuilder) -> "sa.Select[tuple[Any]]":
    """Return the select of the stored form of a setting, whose key is the first slot."""
    table = builder.table(CORE_STORE)
    here = table.c("key") == builder.plain_slot(0)
    return sa.select(table.c("value")).where(here).order_by(table.c("id"))


def setting_statement(writes: Writes, key: str) -> Statement:
    """Return the statement that finds the stored form of a setting, in one row at most."""
    query = writes.query(("core store", "one"), _select_one_setting)
    return Statement(query.sql, query.bind((key, 1)))


def _select_one_setting(builder: StatementBuilder) -> sa.ClauseElement:
    return select_setting(builder).limit(builder.plain_slot(1))


def read_settings(writes: Writes, keys: Collection[str]) -> Program[dict[str, object]]:
    """Return what is kept under several keys, by key; keys under which nothing is are left out."""
    if not keys:
        return {}

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table = builder.table(CORE_STORE)
        here = writes.dialect.member_of(table.c("key"), builder.parents())
        return sa.select(table.c("key"), table.c("value")).where(here).order_by(table.c("id"))

    rows = yield from writes.run_listed(("core store", "several"), build, keys)
    return {str(key): decode_setting(value) for key, value in reversed(rows) if value is not None}


def write_setting(writes: Writes, key: str, value: object) -> Program[None]:
    """Keep an object or a list under a key, in place of what was there."""
    text = orjson.dumps(value).decode()

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        described = sa.table(CORE_STORE, sa.column("id"), sa.column("key"), sa.column("value"))
        here = described.c.key == builder.plain_slot(1)
        change = sa.update(described).values({"value": builder.plain_slot(0)}).where(here)
        return change.returning(described.c.id)

    rows = yield from writes.run(("core store", "write"), build, (text, key))
    if not rows:
        yield from writes.insert(CORE_STORE, {"key": key, "value": text, "type": _OBJECT})


def replace_settings(
    writes: Writes, settings: Mapping[str, object], kept: Collection[str]
) -> Program[None]:
    """Put settings in the place of all that are there, except for those under the keys ``kept``."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        described = sa.table(CORE_STORE, sa.column("key"))
        here = writes.dialect.member_of(described.c.key, builder.parents())
        return sa.delete(described).where(sa.not_(here))

    yield from writes.run_listed(("core store", "replace"), build, kept)
    columns = ("key", "value", "type")
    rows = [
        (key, orjson.dumps(value).decode(), _type_name(value))
        for key, value in settings.items()
        if key not in kept
    ]
    yield from writes.insert_many(CORE_STORE, columns, rows)


def _type_name(value: object) -> str:
    """Return what the reference calls the type of a setting."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "number" if isinstance(value, int | float) else _OBJECT


def decode_setting(stored: Value) -> object:
    """Return the value of a setting, ``None`` for one that is missing or no JSON."""
    if stored is None:
        return None
    try:
        found: object = orjson.loads(str(stored))
    except orjson.JSONDecodeError:
        return None
    return found
