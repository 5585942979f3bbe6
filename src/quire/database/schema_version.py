"""The version of the schema that the tables have, stored in the database itself.

A transaction that changes tables also writes their new schema version. So every process that works
on the database notices the change before it uses the tables.
"""

from collections.abc import Callable

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.core_store import (
    decode_setting,
    read_setting,
    select_setting,
    write_setting,
)
from quire.database.stores.webhooks import enabled_webhooks
from quire.errors import StaleSchemaError

SCHEMA_KEY = "quire_schema_version"
_VERSION = "version"
_OTHER_VERSIONS = "also"

Requirement = Callable[[], Program[None]]
"""The first part of a write transaction; raises an error if the schema is outdated."""

WriteCheck = Callable[[], Program[bool]]
"""The first part of a transaction that writes documents; raises like `Requirement`.

Returns ``False`` if no webhook is enabled: one statement finds out both, which saves each write a
round trip to PostgreSQL.
"""


def announce_schema(writes: Writes, version: str, *, extends: str | None = None) -> Program[None]:
    """Store the `Schema.version` of the tables: part of the transaction that changes them.

    If the schema only ``extends`` the former one, processes with that one may go on to write, and
    so may those with the schemas that it extended itself.
    """
    other_versions: tuple[str, ...] = ()
    if extends is not None:
        versions = yield from _read_versions(writes)
        other_versions = (extends, *(versions[1:] if versions[:1] == (extends,) else ()))
    yield from write_setting(
        writes, SCHEMA_KEY, {_VERSION: version, _OTHER_VERSIONS: other_versions}
    )


def announced_schema(writes: Writes) -> Program[str | None]:
    """Return the stored schema version of the tables, ``None`` if there is none."""
    versions = yield from _read_versions(writes)
    return versions[0] if versions else None


def _read_versions(writes: Writes) -> Program[tuple[str, ...]]:
    """Return the version of the tables, and those under which they may be written as well."""
    return _parse_versions((yield from read_setting(writes, SCHEMA_KEY)))


def _parse_versions(setting: object) -> tuple[str, ...]:
    if not isinstance(setting, dict) or not isinstance(setting.get(_VERSION), str):
        return ()
    other_versions = setting.get(_OTHER_VERSIONS)
    return (setting[_VERSION], *(other_versions if isinstance(other_versions, list) else ()))


def require_nothing() -> Program[bool]:
    """Allow every write."""
    yield from ()
    return True


def require_schema(writes: Writes, *known: str | None) -> WriteCheck:
    """Return a guard that allows writes only under an announced or ``known`` schema.

    A schema that the announced one extends is allowed as well. Raises StaleSchemaError for any
    other: what another schema means for rows (whether there are drafts, where a relation is stored)
    cannot be decided under the old one.
    """
    accepted_versions = frozenset(known)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        setting = select_setting(builder).limit(builder.constant(1)).scalar_subquery()
        return sa.select(setting, sa.exists(enabled_webhooks(builder)))

    def require() -> Program[bool]:
        rows = yield from writes.run(("begin to write",), build, (SCHEMA_KEY,))
        setting, has_webhooks = rows[0]
        versions = _parse_versions(decode_setting(setting))
        if versions and accepted_versions.isdisjoint(versions):
            raise StaleSchemaError
        return bool(has_webhooks)

    return require


def require_present_schema(writes: Writes, *known: str | None) -> Requirement:
    """Return a guard that allows only the announced schema, or the ``known`` one.

    This is for code that shows the model itself, or changes it: being extended by the announced
    schema is not enough. Otherwise it raises StaleSchemaError.
    """

    def require() -> Program[None]:
        version = yield from announced_schema(writes)
        if version is not None and version not in known:
            raise StaleSchemaError

    return require
