"""The links of any attribute; the interface that the document service uses."""

from collections.abc import Collection, Sequence
from typing import Protocol

from quire.database.compile.writes import Writes
from quire.database.entries.links.join_columns import BackColumnLinks, ColumnLinks, TargetColumns
from quire.database.entries.links.link_change import LinkChange, LinkedRow, RowLinkChange
from quire.database.entries.links.link_statements import LinkStatements
from quire.database.entries.links.link_tables import TableLinks
from quire.database.entries.links.morph_tables import MorphLinks
from quire.database.program import Program
from quire.database.tables.table_map import (
    BackColumnEdge,
    ColumnEdge,
    LinkEdge,
    MorphBackColumnEdge,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
    TableMap,
)
from quire.schema.attributes.base import MediaAttribute, Relation, RelationAttribute
from quire.schema.model import Schema

LinkAttribute = RelationAttribute | MediaAttribute

_HELD_ONCE = {Relation.ONE_TO_ONE, Relation.ONE_TO_MANY}
"""Relation kinds whose targets belong to one row at a time, if they are bidirectional."""


class AttributeLinks(Protocol):
    """Reads and writes the links of one attribute, for every form of storage."""

    def apply(self, changes: Sequence[RowLinkChange], *, creating: bool) -> Program[None]:
        """Change the links of rows; see `Links.apply_all`."""

    def read(self, row_ids: Collection[int]) -> Program[dict[int, list[LinkedRow]]]:
        """Return the targets of rows; see `Links.read`."""


class Links:
    """Reads and writes the links of relations and media, by row ids."""

    def __init__(self, schema: Schema, tables: TableMap, writes: Writes) -> None:
        self._schema = schema
        self._tables = tables
        self._statements = LinkStatements(writes)
        self._known: dict[tuple[str, str], AttributeLinks] = {}

    def apply(
        self,
        uid: str,
        attribute: str,
        row_id: int,
        change: LinkChange,
        *,
        creating: bool,
    ) -> Program[None]:
        """Change the links of one attribute of a row, see `apply_all`."""
        row_change = RowLinkChange(row_id=row_id, change=change)
        yield from self.apply_all(uid, attribute, [row_change], creating=creating)

    def apply_all(
        self, uid: str, attribute: str, changes: Sequence[RowLinkChange], *, creating: bool
    ) -> Program[None]:
        """Change the links of one attribute of different rows.

        ``uid`` is the content type or component of the rows. ``creating`` says that they were
        inserted just now, so that nothing needs to be read. Raises ValidationError for impossible
        positions, and TypeError when the attribute is neither a relation nor media.

        The result is that of changing them one after the other, if they do not link to each other.
        Where possible each step is one statement for all of them.
        """
        yield from self._links(uid, attribute).apply(changes, creating=creating)

    def read(
        self, uid: str, attribute: str, row_ids: Collection[int]
    ) -> Program[dict[int, list[LinkedRow]]]:
        """Return the targets of rows through an attribute, in order.

        Rows without targets are left out.
        """
        if not row_ids:
            return {}
        return (yield from self._links(uid, attribute).read(row_ids))

    def _links(self, uid: str, name: str) -> AttributeLinks:
        links = self._known.get((uid, name))
        if links is None:
            links = self._known[uid, name] = self._describe(uid, name)
        return links

    def _describe(self, uid: str, name: str) -> AttributeLinks:
        attribute = self._schema.model(uid).attributes[name]
        if not isinstance(attribute, RelationAttribute | MediaAttribute):
            raise TypeError(f"{uid}.{name} holds no links")
        source, statements = self._tables[uid], self._statements
        match source.edges[name]:
            case LinkEdge() as edge:
                return TableLinks(
                    statements=statements,
                    edge=edge,
                    target_table=self._tables[edge.target].name,
                    to_many=attribute.to_many,
                    takes_target=_takes_targets(attribute),
                )
            case ColumnEdge(column=column):
                pointer = TargetColumns(table=source.name, id=column)
                return ColumnLinks(
                    statements=statements, pointer=pointer, takes_target=_takes_targets(attribute)
                )
            case MorphColumnEdge() as edge:
                pointer = TargetColumns(table=source.name, id=edge.id_column, type=edge.type_column)
                return ColumnLinks(statements=statements, pointer=pointer, takes_target=False)
            case BackColumnEdge(target=target, column=column):
                pointer = TargetColumns(table=self._tables[target].name, id=column)
                return self._back_column(uid, attribute, pointer)
            case MorphBackColumnEdge(target=target) as edge:
                table = self._tables[target].name
                pointer = TargetColumns(table=table, id=edge.id_column, type=edge.type_column)
                return self._back_column(uid, attribute, pointer)
            case MorphTargetEdge() as edge:
                return self._morph_back(attribute, edge)
            case MorphListEdge() as edge:
                return self._morph_list(attribute, edge)
            case edge:
                raise TypeError(f"{uid}.{name} holds no links but {type(edge).__name__}")

    def _back_column(
        self, uid: str, attribute: LinkAttribute, pointer: TargetColumns
    ) -> BackColumnLinks:
        return BackColumnLinks(
            statements=self._statements, pointer=pointer, uid=uid, to_many=attribute.to_many
        )

    def _morph_back(self, attribute: LinkAttribute, edge: MorphTargetEdge) -> MorphLinks:
        return MorphLinks(
            statements=self._statements,
            table=edge.table,
            source_column=edge.source_id_column,
            type={edge.source_type_column: edge.type_value},
            target_column=edge.target_column,
            target_type_column=None,
            field=edge.field,
            has_own_table=False,
            to_many=attribute.to_many,
        )

    def _morph_list(self, attribute: LinkAttribute, edge: MorphListEdge) -> MorphLinks:
        return MorphLinks(
            statements=self._statements,
            table=edge.table,
            source_column=edge.source_column,
            type={},
            target_column=edge.target_id_column,
            target_type_column=edge.target_type_column,
            field=attribute.name,
            has_own_table=True,
            to_many=True,
        )


def _takes_targets(attribute: LinkAttribute) -> bool:
    if not isinstance(attribute, RelationAttribute) or attribute.relation not in _HELD_ONCE:
        return False
    return attribute.inversed_by is not None or attribute.mapped_by is not None
