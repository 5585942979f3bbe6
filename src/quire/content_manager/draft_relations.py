"""Counts relations of an entry to unpublished entries.

As in Strapi, entries of its own type do not count.
"""

from collections.abc import Sequence

from msgspec import Struct

from quire.database.entries.components import component_links
from quire.database.entries.entry_layout import EntryLayout
from quire.database.entries.versions_query import counterparts
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.schema.attributes.base import Relation, RelationAttribute
from quire.schema.model import ContentType


class DraftRelations(Struct, frozen=True):
    """How many related entries are only drafts: in bidirectional relations, and in all others."""

    others: int = 0
    many_to_many: int = 0

    @property
    def shown(self) -> dict[str, int]:
        """The counts in their response form."""
        return {"unpublishedRelations": self.others, "draftM2mLinks": self.many_to_many}


def draft_relations(
    engine: WriteEngine, content_type: ContentType, rows: Sequence[int]
) -> Program[DraftRelations]:
    """Count for rows of a content type, including all their components."""
    waiting: dict[str, list[int]] = {content_type.uid: [*rows]}
    seen: set[tuple[str, int]] = set()
    others = many = 0
    while waiting:
        uid, ids = waiting.popitem()
        layout = engine.store.layout(uid)
        counted = yield from _counted(engine, layout, ids)
        others, many = others + counted.others, many + counted.many_to_many
        for link in (yield from component_links(engine.store, layout, ids)):
            if (link.uid, link.id) not in seen:
                seen.add((link.uid, link.id))
                waiting.setdefault(link.uid, []).append(link.id)
    return DraftRelations(others, many)


def _counted(
    engine: WriteEngine, layout: EntryLayout, ids: Sequence[int]
) -> Program[DraftRelations]:
    others = many = 0
    for attribute in layout.model.relations:
        target = _versioned(engine, attribute)
        if target is None or target.uid == layout.model.uid:
            continue
        links = yield from engine.store.links.read(layout.model.uid, attribute.name, ids)
        linked = [link.row for found in links.values() for link in found]
        targets = engine.store.layout(target.uid)
        live = yield from counterparts(engine.store, targets, [*set(linked)], published=True)
        count = sum(row not in live for row in linked)
        other_side = attribute.inversed_by or attribute.mapped_by
        if attribute.relation is Relation.MANY_TO_MANY and other_side:
            many += count
        else:
            others += count
    return DraftRelations(others, many)


def _versioned(engine: WriteEngine, attribute: RelationAttribute) -> ContentType | None:
    """Return the target of a relation that a form shows, if it has drafts."""
    if attribute.target is None or not attribute.visible:
        return None
    target = engine.schema.content_types[attribute.target]
    return target if target.draft_and_publish else None
