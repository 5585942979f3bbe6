"""The version of the schema that the tables have, stored in the database itself.

Whoever changes tables writes the version of the schema that they have from then on, in the same
transaction. So every process that works on the database learns of it, and none takes the tables for
what they are no more.
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
_ALSO = "also"

Requirement = Callable[[], Program[None]]
"""Is the first part of a transaction that writes; raises what forbids it."""

WriteCheck = Callable[[], Program[bool]]
"""First part of a transaction that writes documents: raises what forbids it.

Returns ``False`` if no webhook is enabled: one statement finds out both, which saves each write a
round trip to PostgreSQL.
"""


def announce_schema(writes: Writes, version: str, *, extends: str | None = None) -> Program[None]:
    """Tell of which `Schema.version` the tables are: part of the transaction that changes them.

    Where the schema ``extends`` the former one, and does nothing but that, whoever goes by that one
    may go on to write, and so may those who went by what it extended itself.
    """
    also: tuple[str, ...] = ()
    if extends is not None:
        former = yield from _announced(writes)
        also = (extends, *(former[1:] if former[:1] == (extends,) else ()))
    yield from write_setting(writes, SCHEMA_KEY, {_VERSION: version, _ALSO: also})


def announced_schema(writes: Writes) -> Program[str | None]:
    """Return the version of the schema that the tables have, ``None`` where nobody has said."""
    announced = yield from _announced(writes)
    return announced[0] if announced else None


def _announced(writes: Writes) -> Program[tuple[str, ...]]:
    """Return the version of the tables, and those under which they may be written to as well."""
    return _versions((yield from read_setting(writes, SCHEMA_KEY)))


def _versions(stored: object) -> tuple[str, ...]:
    if not isinstance(stored, dict) or not isinstance(stored.get(_VERSION), str):
        return ()
    also = stored.get(_ALSO)
    return (stored[_VERSION], *(also if isinstance(also, list) else ()))


def require_nothing() -> Program[bool]:
    """Let everybody write."""
    yield from ()
    return True


def require_schema(writes: Writes, *known: str | None) -> WriteCheck:
    """Return what lets nobody write but under a schema that is announced, or that was ``known``.

    A schema that the announced one extends will do as well. For any other it raises
    StaleSchemaError: what another schema means for rows (whether there are drafts, where a relation
    is kept) is not for somebody to decide who goes by the old one.
    """
    accepted = frozenset(known)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        announced = select_setting(builder).limit(builder.constant(1)).scalar_subquery()
        return sa.select(announced, sa.exists(enabled_webhooks(builder)))

    def require() -> Program[bool]:
        rows = yield from writes.run(("begin to write",), build, (SCHEMA_KEY,))
        stored, has_webhooks = rows[0]
        announced = _versions(decode_setting(stored))
        if announced and accepted.isdisjoint(announced):
            raise StaleSchemaError
        return bool(has_webhooks)

    return require


def require_present_schema(writes: Writes, *known: str | None) -> Requirement:
    """Return what lets nobody go on but under the schema that is announced, or that was ``known``.

    This is for those who show the model itself, or change it: that their schema is extended by the
    announced one is not enough for them. Otherwise it raises StaleSchemaError.
    """

    def require() -> Program[None]:
        announced = yield from announced_schema(writes)
        if announced is not None and announced not in known:
            raise StaleSchemaError

    return require
