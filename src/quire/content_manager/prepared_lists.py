"""Prepared lists, cached by query.

A raw query string, together with what an administrator may do, always means the same, until another
locale becomes the default one. So a list that is asked for again runs its statements and nothing
else. Totals and pages are remembered until a table that they were read from changes.
"""

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.read_service import ContentReading, PreparedList
from quire.content_manager.requests import Query, requested_version
from quire.database.execute.encoding import encode_result
from quire.database.lru import BoundedCache
from quire.document_service.read_service import ReadService

_LONGEST_QUERY = 4096


class _Key(Struct, frozen=True):
    uid: str
    raw_query: bytes
    ability: AdminAbility
    default_locale: str | None


class PreparedLists:
    """Prepares lists, and remembers those that were asked for last."""

    def __init__(self, reading: ContentReading, reads: ReadService, size: int) -> None:
        """So many lists are remembered."""
        self._reading = reading
        self._reads = reads
        self._prepared: BoundedCache[_Key, PreparedList] = BoundedCache(size)

    def prepare(self, rights: TypePermissions, raw_query: bytes, query: Query) -> PreparedList:
        """Return how a page is read. Raises the query's first fault as an AppError."""
        default = self._reading.engine.default_locale
        key = _Key(rights.content_type.uid, raw_query, rights.ability, default)
        prepared = self._prepared.get(key)
        if prepared is None:
            version = requested_version(query, rights.content_type, default)
            prepared = self._reading.prepare(rights, query, version)
            if len(raw_query) <= _LONGEST_QUERY and not rights.ability.project_rules.volatile:
                self._prepared[key] = prepared
        return prepared

    async def read(self, prepared: PreparedList, version: int | None) -> bytes:
        """Read a page, as JSON; ``version`` is the database's token of the present content."""
        return await self._reads.run_list(
            prepared.planned,
            version,
            lambda facts: encode_result(self._reading.page(prepared, facts)),
            snapshot=True,
        )
