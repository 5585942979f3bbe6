"""Which schema the tables of a database have, as it is told in the database itself.

Whoever changes tables writes the version of the schema that they have from then on, in the same
transaction. So every process that works on the database learns of it, and none takes the tables for
what they are no more.
"""

from collections.abc import Callable

from quire.database.core_store import read_setting, write_setting
from quire.database.program import Program
from quire.database.writes import Writes
from quire.errors import StaleSchemaError

SCHEMA_KEY = "quire_schema_version"
_VERSION = "version"
_ALSO = "also"

Requirement = Callable[[], Program[None]]
"""Is the first part of a transaction that writes; raises what forbids it."""


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
    stored = yield from read_setting(writes, SCHEMA_KEY)
    if not isinstance(stored, dict) or not isinstance(stored.get(_VERSION), str):
        return ()
    also = stored.get(_ALSO)
    return (stored[_VERSION], *(also if isinstance(also, list) else ()))


def require_nothing() -> Program[None]:
    """Let everybody write."""
    yield from ()


def require_schema(writes: Writes, *known: str | None) -> Requirement:
    """Return what lets nobody write but under a schema that is announced, or that was ``known``.

    A schema that the announced one extends will do as well. For any other it raises
    StaleSchemaError: what another schema means for rows (whether there are drafts, where a relation
    is kept) is not for somebody to decide who goes by the old one.
    """
    accepted = frozenset(known)

    def require() -> Program[None]:
        announced = yield from _announced(writes)
        if announced and accepted.isdisjoint(announced):
            raise StaleSchemaError

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
