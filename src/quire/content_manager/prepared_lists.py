"""Prepared lists, cached by query.

A raw query string, together with what an administrator may do, always means the same, until another
locale becomes the default one. So a list that is asked for again runs its statements and nothing
else. Totals and pages are remembered for as long as nobody changes anything.
"""

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.read_service import ContentReading, PreparedList
from quire.content_manager.requests import Query, requested_version
from quire.database.connection import Database
from quire.database.execute.encoding import encode_result
from quire.database.execute.list_cache import ListCache
from quire.database.execute.lists import read_list
from quire.database.lru import BoundedCache
from quire.database.stores.slow_lists import SlowLists

_LONGEST_QUERY = 4096


class ListSizes(Struct, frozen=True, kw_only=True):
    """How many lists, totals and pages are remembered, and where slow lists are counted."""

    plans: int
    counts: int
    pages: int
    slow_lists: SlowLists


class _Key(Struct, frozen=True):
    uid: str
    raw_query: bytes
    ability: AdminAbility
    default_locale: str | None


class PreparedLists:
    """Prepares lists, and remembers those that were asked for last."""

    def __init__(self, reading: ContentReading, sizes: ListSizes) -> None:
        self._reading = reading
        self._prepared: BoundedCache[_Key, PreparedList] = BoundedCache(sizes.plans)
        self._lists = ListCache(totals=sizes.counts, pages=sizes.pages, slow_lists=sizes.slow_lists)

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

    async def read(self, database: Database, prepared: PreparedList, version: int | None) -> bytes:
        """Read a page, as JSON; ``version`` is the database's token of the present content."""
        planned = prepared.planned
        return await read_list(
            database,
            self._lists,
            version,
            planned.bound,
            lambda facts: encode_result(self._reading.page(prepared, facts)),
            key=planned.key,
            snapshot=True,
        )
