"""Lists of entries for administrators, each entry with its status and its other locales.

A raw query string, together with an administrator's permissions, has the same meaning until the
default locale changes. So a repeated list only runs its statements. Totals and pages are cached
until a table that they were read from changes.
"""

from collections.abc import Sequence

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.entry_status import DocumentVersions, EntryJson, in_short
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.plan_nodes import SYSTEM_FIELDS
from quire.content_manager.read_plans import (
    OTHER_VERSIONS,
    VERSION_FIELDS,
    requested_columns,
    requested_fields,
)
from quire.content_manager.sanitize import EntrySanitizer, entry_origin
from quire.content_manager.status_and_locale import (
    ANY_STATUS,
    Query,
    RequestedVersion,
    StatusOptions,
    requested_version,
    split_status,
)
from quire.database.bounded_cache import BoundedCache
from quire.database.execute.json_encoding import encode_result
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.reader import ListFacts
from quire.database.program import Program
from quire.document_service.read_service import ReadService
from quire.schema.model import DRAFT_STATUS

_LONGEST_QUERY = 4096
_IDS = frozenset({"id", "documentId"})


class EntryList(Struct, frozen=True, kw_only=True, eq=False):
    """A page of a list for one administrator: how it is read, and how it is shown.

    ``selected`` are the requested scalars, ``None`` for all of them; ``with_statuses`` adds the
    status of each other locale.
    """

    permissions: TypePermissions
    planned: PreparedRead
    sanitizer: EntrySanitizer
    selected: frozenset[str] | None
    with_statuses: bool

    def page(self, facts: ListFacts | None = None) -> Program[dict[str, object]]:
        """Return the page. Uses ``facts``, and adds what is missing."""
        prepared_read, sanitizer = self.planned, self.sanitizer
        entries, total = yield from prepared_read.entries(facts, prepared_read.budget())
        versions = DocumentVersions(self.permissions.content_type, _all_versions(entries))
        shown_entries = []
        for entry in entries:
            entry["localizations"] = self._localizations(entry, versions)
            if self.selected is None:
                entry["status"] = versions.status(entry)
                shown_entries.append(sanitizer.entry(entry))
            else:
                shown_entries.append(self._select_fields(entry, versions, self.selected))
        meta = {} if prepared_read.pagination is None else prepared_read.pagination.meta(total)
        return {"results": shown_entries, "pagination": meta}

    def _localizations(self, entry: EntryJson, versions: DocumentVersions) -> list[EntryJson]:
        if self.with_statuses:
            return versions.summaries(entry)
        return [in_short(localization) for localization in versions.localizations(entry)]

    def _select_fields(
        self, entry: EntryJson, versions: DocumentVersions, selected: frozenset[str]
    ) -> EntryJson:
        """Return an entry in a list that selects its scalars.

        As in Strapi, scalars that are not selected are unknown: without ``publishedAt`` an entry is
        a draft, and without ``locale`` no rule on locales matches it.
        """
        permissions = self.permissions
        rules = permissions.rules_for_entry(entry_origin(entry))
        if permissions.content_type.localized and "locale" not in selected:
            # The rules of super admins name every locale, so none of them matches.
            everywhere = () if permissions.ability.super_admin else rules
            rules = tuple(rule for rule in everywhere if rule.locales is None)
        entry["status"] = DRAFT_STATUS
        if "publishedAt" in selected:
            moment = entry["updatedAt"] if "updatedAt" in selected else ""
            entry["status"] = versions.status({**entry, "updatedAt": moment})
        for name in SYSTEM_FIELDS:
            if name not in selected and name not in _IDS:
                entry.pop(name, None)
        return self.sanitizer.entry(entry, rules)


def entry_list(
    reading: EntryReader,
    permissions: TypePermissions,
    query: Query,
    requested_version: RequestedVersion,
    status: StatusOptions = ANY_STATUS,
) -> EntryList:
    """Plan a page of a list. Raises the first error of the query as an AppError."""
    return EntryList(
        permissions=permissions,
        planned=reading.planner.page(permissions, query, requested_version, status),
        sanitizer=reading.sanitizer(permissions, requested_version),
        selected=requested_fields(query),
        # The format has no status there; ``columns`` is a parameter of our own.
        with_statuses=requested_columns(query) is not None,
    )


class _ListKey(Struct, frozen=True):
    uid: str
    raw_query: bytes
    ability: AdminAbility
    default_locale: str | None


class EntryLists:
    """Reads lists, and caches the plans of recent ones."""

    def __init__(self, reading: EntryReader, reads: ReadService, size: int) -> None:
        """``size`` is the number of cached lists."""
        self._reading = reading
        self._reads = reads
        self._prepared: BoundedCache[_ListKey, EntryList] = BoundedCache(size)

    async def page(
        self, permissions: TypePermissions, raw_query: bytes, query: Query, version: int | None
    ) -> bytes:
        """Read a page, as JSON; ``version`` is the present content version.

        Raises the first error of the query as an AppError.
        """
        entry_list = self._prepare(permissions, raw_query, query)
        return await self._reads.run_list(
            entry_list.planned,
            version,
            lambda facts: encode_result(entry_list.page(facts)),
            snapshot=True,
        )

    def _prepare(self, permissions: TypePermissions, raw_query: bytes, query: Query) -> EntryList:
        default = self._reading.engine.default_locale
        key = _ListKey(permissions.content_type.uid, raw_query, permissions.ability, default)
        prepared = self._prepared.get(key)
        if prepared is None:
            list_query, status = split_status(query, permissions.content_type)
            version = requested_version(list_query, permissions.content_type, default)
            prepared = entry_list(self._reading, permissions, list_query, version, status)
            if len(raw_query) <= _LONGEST_QUERY and not permissions.ability.project_rules.volatile:
                self._prepared[key] = prepared
        return prepared


def _all_versions(entries: Sequence[EntryJson]) -> list[EntryJson]:
    """Remove the other versions from the entries of a page; returns all, older ones first."""
    versions_by_id = {
        entry["id"]: {name: entry[name] for name in VERSION_FIELDS} for entry in entries
    }
    for entry in entries:
        versions_by_id.update((other["id"], other) for other in entry.pop(OTHER_VERSIONS, ()))
    return [versions_by_id[row_id] for row_id in sorted(versions_by_id)]
