"""The core store: settings in the database, by key, as JSON."""

from collections.abc import Collection, Mapping
from typing import Any

import orjson
import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Statement, Value
from quire.database.stores.row_conditions import eq, in_list, not_in_list, starts_with
from quire.database.stores.row_types import LongText
from quire.database.stores.table import Table, open_table
from quire.database.tables.system_tables import CORE_STORE

_OBJECT = "object"
_VIEW = "plugin_content_manager_configuration"

PREVIEWS_KEY = "quire_previews"
"""The key of the preview URLs, by the uids of content types."""


class _Setting(Struct, frozen=True, kw_only=True):
    key: str
    value: LongText | None = None
    type: str | None = _OBJECT


def view_key(uid: str) -> str:
    """Return the key of the view of a content type or component."""
    kind = "content_types" if "::" in uid else "components"
    return f"{_VIEW}_{kind}::{uid}"


def read_setting(writes: Writes, key: str) -> Program[object]:
    """Return the value of a key, ``None`` if there is none."""
    setting = yield from _table(writes).first(eq("key", key))
    return None if setting is None else decode_setting(setting.value)


def select_setting(builder: StatementBuilder) -> "sa.Select[tuple[Any]]":
    """Return the SELECT of the stored form of a setting, whose key is the first slot."""
    table = builder.table(CORE_STORE)
    condition = table.c("key") == builder.plain_slot(0)
    return sa.select(table.c("value")).where(condition).order_by(table.c("id"))


def setting_statement(writes: Writes, key: str) -> Statement:
    """Return the statement that reads the stored form of a setting, at most one row."""
    query = writes.query(("core store", "one"), _select_one_setting)
    return Statement(query.sql, query.bind((key, 1)))


def _select_one_setting(builder: StatementBuilder) -> sa.ClauseElement:
    return select_setting(builder).limit(builder.plain_slot(1))


def read_settings(writes: Writes, keys: Collection[str]) -> Program[dict[str, object]]:
    """Return the values of several keys, by key, without missing ones."""
    settings = yield from _table(writes).select(in_list("key", keys))
    # Of several rows with a key the first one counts, as in Strapi.
    return {
        setting.key: decode_setting(setting.value)
        for setting in reversed(settings)
        if setting.value is not None
    }


def setting_keys(writes: Writes, prefix: str) -> Program[list[str]]:
    """Return the keys that begin with a prefix."""
    return [
        str(key) for key in (yield from _table(writes).values("key", starts_with("key", prefix)))
    ]


def write_setting(writes: Writes, key: str, value: object) -> Program[None]:
    """Store an object or a list under a key, and replace the present value."""
    text = orjson.dumps(value).decode()
    table = _table(writes)
    if not (yield from table.changed({"value": text}, eq("key", key))):
        yield from table.insert(_Setting(key=key, value=text))


def replace_settings(
    writes: Writes, settings: Mapping[str, object], kept_keys: Collection[str]
) -> Program[None]:
    """Replace all settings, except those under the keys ``kept_keys``."""
    yield from _table(writes).delete(not_in_list("key", kept_keys))
    new_settings = {key: value for key, value in settings.items() if key not in kept_keys}
    yield from insert_settings(writes, new_settings)


def insert_settings(writes: Writes, settings: Mapping[str, object]) -> Program[None]:
    """Keep values under keys that are not there yet."""
    yield from _table(writes).insert_many(
        [
            _Setting(key=key, value=orjson.dumps(value).decode(), type=_type_name(value))
            for key, value in settings.items()
        ]
    )


def _table(writes: Writes) -> Table[_Setting]:
    return open_table(writes, CORE_STORE, _Setting)


def _type_name(value: object) -> str:
    """Return Strapi's name for the type of a setting."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    return "number" if isinstance(value, int | float) else _OBJECT


def decode_setting(text: Value) -> object:
    """Return the value of a setting, ``None`` if it is missing or not JSON."""
    if text is None:
        return None
    try:
        value: object = orjson.loads(str(text))
    except orjson.JSONDecodeError:
        return None
    return value
