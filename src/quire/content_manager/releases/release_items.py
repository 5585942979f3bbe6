"""Describes entries of releases for one administrator: titles, status, and permissions."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import PUBLISH
from quire.content_manager.entry_reads import EntryReader, draft_or_published
from quire.content_manager.entry_status import DocumentVersions, EntryJson
from quire.content_manager.entry_titles import NAMELESS, title_fields
from quire.content_manager.permissions import TypePermissions, covers, read_permissions
from quire.content_manager.releases.store import EntryKey, ReleaseItem
from quire.content_manager.sanitize import entry_origin
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.model import ContentType

DescribedItem = dict[str, object]


class ReleaseEntries(Struct, frozen=True):
    """Describes entries as far as an administrator may read them."""

    engine: WriteEngine
    ability: AdminAbility

    def describe(self, items: Sequence[ReleaseItem]) -> Program[list[DescribedItem]]:
        """Return the descriptions of items, in their order.

        Entries that may not be read show only their type; ``exists`` is false for those whose
        document, locale or content type was deleted.
        """
        descriptions: dict[EntryKey, DescribedItem] = {}
        schema = self.engine.schema
        for uid in dict.fromkeys(item.entry.uid for item in items):
            content_type = schema.content_types.get(uid)
            if content_type is not None and content_type.draft_and_publish:
                entries = [item.entry for item in items if item.entry.uid == uid]
                descriptions |= yield from self._describe_entries(content_type, entries)
        return [
            {
                "id": item.id,
                "action": item.action,
                "contentType": item.entry.uid,
                **descriptions.get(item.entry, _missing_entry(item.entry)),
            }
            for item in items
        ]

    def _describe_entries(
        self, content_type: ContentType, entries: Sequence[EntryKey]
    ) -> Program[dict[EntryKey, DescribedItem]]:
        """Return the descriptions of the existing entries of one content type."""
        reading = EntryReader(self.engine)
        permissions = read_permissions(self.ability, content_type)
        ids = list(dict.fromkeys(entry.document_id for entry in entries))
        all_versions = yield from reading.owned_versions(permissions, ids)
        versions = DocumentVersions(content_type, all_versions)
        versions_by_entry = {
            entry: draft_or_published(
                content_type, versions.all_versions(entry.document_id), entry.locale
            )
            for entry in entries
        }
        existing_versions = {
            entry: version for entry, version in versions_by_entry.items() if version is not None
        }
        titles_by_type = yield from title_fields(self.engine.store, [content_type])
        title = titles_by_type[content_type.uid]
        titles = yield from self._titles(content_type, title, list(existing_versions.values()))
        return {
            entry: _describe_entry(permissions, entry, version, versions, (title, titles))
            for entry, version in existing_versions.items()
        }

    def _titles(
        self, content_type: ContentType, title: str, versions: Sequence[EntryJson]
    ) -> Program[Mapping[int, object]]:
        """Return the title fields of entries, by the ids of rows."""
        if not versions:
            return {}
        by_ids = Comparison("id", Predicate.IN, (0,))  # slot 0 of the values below
        node = PlanNode(uid=content_type.uid, fields=("id", title), filter=by_ids)
        read = ResolvedRead(
            plan=ReadPlan(root=node), values=([version["id"] for version in versions],)
        )
        rows, _ = yield from self.engine.reads.planned(read).entries()
        return {row["id"]: row[title] for row in rows}


def _describe_entry(
    permissions: TypePermissions,
    entry: EntryKey,
    version: EntryJson,
    versions: DocumentVersions,
    names: tuple[str, Mapping[int, object]],
) -> DescribedItem:
    """Describe an entry; ``names`` are the title field and its values by row id."""
    title, titles = names
    origin = entry_origin(version)
    rules = permissions.rules_for_entry(origin)
    if not rules:
        return {"readable": False, "exists": True, "publishable": False}
    is_readable = title == NAMELESS or covers(rules, title)
    return {
        "readable": True,
        "exists": True,
        "publishable": bool(replace(permissions, action=PUBLISH).rules_for_entry(origin)),
        "documentId": entry.document_id,
        "locale": entry.locale,
        "title": titles.get(version["id"]) if is_readable else entry.document_id,
        "status": versions.status(version),
        "updatedAt": version["updatedAt"],
    }


def _missing_entry(entry: EntryKey) -> DescribedItem:
    """Describe an entry that was deleted: there is nothing left to protect."""
    return {
        "readable": True,
        "exists": False,
        "publishable": False,
        "documentId": entry.document_id,
        "locale": entry.locale,
        "title": entry.document_id,
    }
