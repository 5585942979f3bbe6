"""The latest changes, and numbers of entries, for the home page."""

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.content_manager.entry_status import MODIFIED_STATUS, DocumentVersions, EntryJson
from quire.content_manager.permissions import TypePermissions, covers, read_permissions
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.type_descriptions import is_displayed
from quire.database.entries.versions_query import StatusCounts, count_standing
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.query.plan import PublicationFilter, ReadPlan, SortKey, Status
from quire.schema.model import ContentType, Schema

MAX_RECENT = 4
MOMENTS: Mapping[str, str] = {"update": "updatedAt", "publish": "publishedAt"}
"""The sort attribute of entries, by action."""

_LISTED_FIELDS = ("id", "documentId", "locale", "updatedAt", "publishedAt")


def managed_types(schema: Schema, ability: AdminAbility) -> Iterator[ContentType]:
    """Yield the content types whose entries an administrator is shown."""
    for content_type in schema.content_types.values():
        if is_displayed(content_type) and read_permissions(ability, content_type).rules(None):
            yield content_type


class RecentEntries(Struct, frozen=True):
    """Reads for one administrator; ``title_fields`` are those of content types, by uid."""

    engine: WriteEngine
    ability: AdminAbility
    title_fields: Mapping[str, str]

    def documents(self, action: str) -> Program[list[EntryJson]]:
        """Return the entries of the latest actions, of all types together."""
        entries: list[EntryJson] = []
        for content_type in managed_types(self.engine.schema, self.ability):
            if action == "update" or content_type.draft_and_publish:
                entries += yield from self._recent_entries(content_type, action)
        moment = MOMENTS[action]
        entries.sort(key=lambda entry: entry[moment] or "", reverse=True)
        return entries[:MAX_RECENT]

    def _recent_entries(self, content_type: ContentType, action: str) -> Program[list[EntryJson]]:
        permissions = read_permissions(self.ability, content_type)
        status: Status = "draft" if action == "update" else "published"
        main = self.title_fields[content_type.uid]
        planner = Planner(self.engine)
        node = planner.version_node(permissions)
        scope = planner.scope(permissions, None)
        root = replace(
            node,
            fields=tuple(dict.fromkeys((*_LISTED_FIELDS, main))),
            filter=planner.permission_filter(permissions, None, scope),
            sort=(SortKey((), MOMENTS[action], descending=True),),
            status=status if content_type.draft_and_publish else None,
        )
        limit, offset = scope.slots.add(MAX_RECENT), scope.slots.add(0)
        plan = ReadPlan(root=root, limit=limit, offset=offset)
        rows, _ = yield from planner.planned(plan, scope.slots, self.ability).entries()
        versions = yield from self._versions(planner, content_type, rows)
        return [self._describe_entry(permissions, row, main, versions) for row in rows]

    def _versions(
        self, planner: Planner, content_type: ContentType, rows: list[EntryJson]
    ) -> Program[DocumentVersions]:
        if not rows or not content_type.draft_and_publish:
            return DocumentVersions(content_type, ())
        ids = [row["documentId"] for row in rows]
        versions, _ = yield from planner.versions(self.ability, content_type, ids).entries()
        return DocumentVersions(content_type, versions)

    def _describe_entry(
        self, permissions: TypePermissions, row: EntryJson, main: str, versions: DocumentVersions
    ) -> EntryJson:
        content_type = permissions.content_type
        is_readable = covers(permissions.rules_for_entry(entry_origin(row)), main)
        versioned = content_type.draft_and_publish
        description: EntryJson = {
            "documentId": row["documentId"],
            "locale": row["locale"],
            "title": row[main] if is_readable else row["documentId"],
            "contentTypeUid": content_type.uid,
            "contentTypeDisplayName": content_type.display_name,
            "kind": content_type.kind.value,
            "updatedAt": row["updatedAt"],
            "publishedAt": row["publishedAt"] if versioned else None,
        }
        if versioned:
            description["status"] = versions.status(row)
        return description

    def counts(self) -> Program[dict[str, int]]:
        """Count all documents of these types by status."""
        store = self.engine.store
        draft = published = modified = 0
        for content_type in managed_types(self.engine.schema, self.ability):
            if self.ability.project_rules.narrow(content_type.uid, "find", "count"):
                status_counts = yield from self._count_narrowed(content_type)
            else:
                status_counts = yield from count_standing(store, store.layout(content_type.uid))
            draft, published = draft + status_counts.draft, published + status_counts.published
            modified += status_counts.modified
        return {"draft": draft, "published": published, MODIFIED_STATUS: modified}

    def _count_narrowed(self, content_type: ContentType) -> Program[StatusCounts]:
        """Count the documents that rules of the project allow, by status."""
        total = yield from self.count_of(content_type)
        if not content_type.draft_and_publish:
            return StatusCounts(draft=0, published=total, modified=0)
        never_published = PublicationFilter.NEVER_PUBLISHED_DOCUMENT
        draft = yield from self.count_of(content_type, never_published)
        modified = yield from self.count_of(content_type, PublicationFilter.MODIFIED)
        return StatusCounts(draft=draft, published=total - draft - modified, modified=modified)

    def count_of(
        self, content_type: ContentType, publication: PublicationFilter | None = None
    ) -> Program[int]:
        """Count the readable documents of a type."""
        permissions = read_permissions(self.ability, content_type)
        prepared_read = Planner(self.engine).count(permissions, publication=publication)
        _, total = yield from prepared_read.entries()
        return total or 0
