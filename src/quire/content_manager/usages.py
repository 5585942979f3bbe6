"""Entries that use a file or component, limited to those that the caller may read."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.administration import READ
from quire.content_manager.entry_titles import main_field, stored_views
from quire.content_manager.permissions import TypePermissions, covers, read_permissions
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import entry_origin
from quire.database.program import Program
from quire.database.stores.file_usage import FileUse
from quire.document_service.unit_of_work import WriteEngine
from quire.query.operators import Predicate
from quire.query.plan import Comparison, ReadPlan
from quire.query.resolve.scope import Slots
from quire.schema.model import ContentType

Told = dict[str, Any]


class UsageLookup(Struct, frozen=True):
    """Finds uses, for one administrator."""

    engine: WriteEngine
    ability: AdminAbility

    def told(self, uses: Sequence[FileUse]) -> Program[tuple[list[Told], int]]:
        """Return the readable uses, and the number of the others."""
        types = [one for one in self._types(uses) if self.ability.allows(READ, one.uid)]
        views = yield from stored_views(self.engine.store, types)
        found: list[Told] = []
        for content_type in types:
            here = [use for use in uses if use.uid == content_type.uid]
            rights = read_permissions(self.ability, content_type)
            rows = yield from self._rows(rights, here, main := main_field(content_type, views))
            found += [
                shown
                for use in here
                if (shown := _shown(rights, use, rows.get(use.entry_id), main)) is not None
            ]
        return found, len(uses) - len(found)

    def _types(self, uses: Iterable[FileUse]) -> list[ContentType]:
        known = self.engine.schema.content_types
        return [known[uid] for uid in dict.fromkeys(use.uid for use in uses) if uid in known]

    def _rows(
        self, rights: TypePermissions, uses: Iterable[FileUse], main: str
    ) -> Program[dict[int, Told]]:
        planner, slots = Planner(self.engine), Slots()
        ids = slots.add([*dict.fromkeys(use.entry_id for use in uses)])
        node = planner.version_node(rights)
        root = replace(
            node,
            fields=tuple(dict.fromkeys((*node.fields, main))),
            filter=Comparison("id", Predicate.IN, (ids,)),
        )
        planned = planner.planned(ReadPlan(root=root), slots, self.ability)
        rows, _ = yield from planned.entries()
        return {int(row["id"]): row for row in rows}


def _shown(rights: TypePermissions, use: FileUse, row: Told | None, main: str) -> Told | None:
    rules = () if row is None else rights.on(entry_origin(row))
    if row is None or not rules or not covers(rules, use.path):
        return None
    content_type = rights.content_type
    return {
        "contentTypeUid": content_type.uid,
        "contentTypeDisplayName": content_type.display_name,
        "kind": content_type.kind.value,
        "documentId": use.document_id,
        "locale": use.locale,
        "status": "published" if use.published else "draft",
        "title": row[main] if covers(rules, main) else use.document_id,
        "field": use.path,
        "inText": use.in_text,
    }
