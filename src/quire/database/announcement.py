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

Requirement = Callable[[], Program[None]]
"""Is the first part of a transaction that writes; raises what forbids it."""


def announce_schema(writes: Writes, version: str) -> Program[None]:
    """Tell of which `Schema.version` the tables are: part of the transaction that changes them."""
    yield from write_setting(writes, SCHEMA_KEY, {_VERSION: version})


def announced_schema(writes: Writes) -> Program[str | None]:
    """Return the version of the schema that the tables have, ``None`` where nobody has said."""
    stored = yield from read_setting(writes, SCHEMA_KEY)
    version = stored.get(_VERSION) if isinstance(stored, dict) else None
    return version if isinstance(version, str) else None


def require_nothing() -> Program[None]:
    """Let everybody write."""
    yield from ()


def require_schema(writes: Writes, *known: str | None) -> Requirement:
    """Return what lets nobody write but under a schema that is announced, or that was ``known``.

    It raises StaleSchemaError. What another schema means for rows (whether there are drafts, where
    a relation is kept) is not for somebody to decide who goes by the old one.
    """
    accepted = frozenset({None, *known})

    def require() -> Program[None]:
        if (yield from announced_schema(writes)) not in accepted:
            raise StaleSchemaError

    return require
