"""Everything that belongs to a row, in a form that is equal for copies."""

from typing import Any

from quire.database.tables.table_map import ComponentEdge, LinkEdge, MorphTargetEdge
from tests.unit.database.integrity.content import Content

NOT_COPIED = {"id", "published_at"}


def graph(content: Content, uid: str, row_id: int, *, as_draft: bool = False) -> dict[str, Any]:
    """The columns, components, media and own links of a row, without ids of its own.

    With ``as_draft`` what is published among the targets of its links is shown as its draft.
    """
    mapped = content.tables[uid]
    (row,) = content.store.records(f"SELECT * FROM {mapped.name} WHERE id = {row_id}")
    found = {name: value for name, value in row.items() if name not in NOT_COPIED}
    for name, edge in mapped.edges.items():
        match edge:
            case ComponentEdge():
                found[name] = [
                    (kind, graph(content, kind, part, as_draft=as_draft))
                    for kind, part in content.rows(
                        f"SELECT component_type, cmp_id FROM {edge.table} WHERE"
                        f" entity_id = {row_id} AND field = '{edge.field}' ORDER BY \"order\", id"
                    )
                ]
            case MorphTargetEdge():
                found[name] = content.rows(
                    f'SELECT {edge.target_column}, "order" FROM {edge.table}'
                    f" WHERE {edge.source_id_column} = {row_id}"
                    f" AND {edge.source_type_column} = '{uid}'"
                    f" AND field = '{edge.field}' ORDER BY 2, id"
                )
            case LinkEdge(owning=True):
                found[name] = [
                    version(content, edge.target, target, as_draft=as_draft)
                    for (target,) in content.rows(
                        f"SELECT {edge.target_column} FROM {edge.table}"
                        f" WHERE {edge.source_column} = {row_id}"
                        f" ORDER BY {edge.order or 'id'}, id"
                    )
                ]
            case _:
                continue
    return found


def version(content: Content, uid: str, row_id: int, *, as_draft: bool) -> tuple[Any, ...]:
    """What a row is a version of: document, locale, and whether it is published."""
    table = content.tables[uid].name
    ((document, locale, published),) = content.rows(
        f"SELECT document_id, locale, published_at IS NOT NULL FROM {table} WHERE id = {row_id}"
    )
    drafts = content.schema.content_types[uid].draft_and_publish
    return document, locale, published and not (as_draft and drafts)
