"""Matches tables and columns of two schemas.

A table or column matches when its attribute does, in the same form: a scalar as a scalar of
whatever type, a relation as one whose links are stored in the same way and refer to the same
content type. Everything else of the former schema is dropped.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from quire.database.migration.schema_pair import Renames, SchemaTables
from quire.database.tables.table_map import (
    COMPONENT_COLUMNS,
    ColumnEdge,
    ComponentEdge,
    Edge,
    LinkEdge,
    ModelTable,
    MorphColumnEdge,
    MorphListEdge,
    MorphTargetEdge,
)
from quire.schema.model import FILE_UID


class MatchedTable(Struct, frozen=True, kw_only=True):
    """A table that stays. ``columns`` maps its later columns to the earlier ones."""

    before: str
    after: str
    columns: Mapping[str, str]


class LostRows(Struct, frozen=True, kw_only=True):
    """Rows of a table that stays, of an attribute that does not, by the earlier names.

    They are components of entries, or links of media. With ``component``, the attribute stays and
    this component does not.
    """

    uid: str
    attribute: str
    component: str | None = None


class RenamedField(Struct, frozen=True, kw_only=True):
    """An attribute whose name is stored in rows: of components, or of links of media.

    ``uid`` and ``after`` are the later names, ``before`` the earlier one.
    """

    uid: str
    before: str
    after: str


class SchemaMatch(Struct, frozen=True, kw_only=True):
    """Which models of two schemas correspond, and the changes to rows that follow from it.

    ``models`` maps the uids of models that stay, later to earlier.
    """

    models: Mapping[str, str]
    matched_tables: tuple[MatchedTable, ...]
    lost_rows: tuple[LostRows, ...]
    renamed: tuple[RenamedField, ...]


def match_schemas(before: SchemaTables, after: SchemaTables, renames: Renames) -> SchemaMatch:
    """Compare two schemas attribute by attribute."""
    models = {
        uid: old_uid
        for uid in after.tables.tables
        if (old_uid := renames.earlier_uid(uid)) in before.tables.tables and old_uid is not None
    }
    pairs = [
        _ModelPair((before, old_uid), (after, uid), renames, models)
        for uid, old_uid in models.items()
    ]
    return SchemaMatch(
        models=models,
        matched_tables=tuple(moved for pair in pairs for moved in pair.matched_tables()),
        lost_rows=tuple(lost for pair in pairs for lost in pair.lost_rows()),
        renamed=tuple(renamed for pair in pairs for renamed in pair.renamed()),
    )


class _ModelPair:
    """One model before and after."""

    def __init__(
        self,
        before: tuple[SchemaTables, str],
        after: tuple[SchemaTables, str],
        renames: Renames,
        models: Mapping[str, str],
    ) -> None:
        self._before, self._after = _table(*before), _table(*after)
        self._secrets = _secrets(*before), _secrets(*after)
        kept_uids = frozenset(models.values())
        self._removed_components = [
            uid for uid in before[0].schema.components if uid not in kept_uids
        ]
        self._models = models
        self._names = {
            name: renames.earlier_name(after[1], name)
            for name in (*self._after.columns, *self._after.edges)
        }

    def matched_tables(self) -> Iterator[MatchedTable]:
        """The table of the model, and those with the links of its rows."""
        yield MatchedTable(
            before=self._before.name, after=self._after.name, columns=dict(self._columns())
        )
        if self._before.edges_of(ComponentEdge) and self._after.edges_of(ComponentEdge):
            yield MatchedTable(
                before=self._before.components_table,
                after=self._after.components_table,
                columns={name: name for name in ("id", *COMPONENT_COLUMNS)},
            )
        for old_edge, new_edge in self._edges():
            match old_edge, new_edge:
                case LinkEdge(owning=True), LinkEdge(owning=True):
                    yield _moved_links(old_edge, new_edge)
                case MorphListEdge(), MorphListEdge():
                    yield _moved_morphs(old_edge, new_edge)
                case _:
                    continue

    def lost_rows(self) -> Iterator[LostRows]:
        """Attributes whose rows are in tables that are shared with others."""
        kept_names = {name for name, _ in self._kept_rows()}
        for name, edge in self._before.edges.items():
            if _has_rows_elsewhere(edge) and name not in kept_names:
                yield LostRows(uid=self._before.uid, attribute=name)
            elif isinstance(edge, ComponentEdge):
                for component in self._removed_components:
                    yield LostRows(uid=self._before.uid, attribute=name, component=component)

    def renamed(self) -> Iterator[RenamedField]:
        """Attributes whose rows have to get another name."""
        for old_name, new_name in self._kept_rows():
            if old_name != new_name:
                yield RenamedField(uid=self._after.uid, before=old_name, after=new_name)

    def _columns(self) -> Iterator[tuple[str, str]]:
        for name, column in self._after.columns.items():
            old_name = self._names[name] or ""
            old_column = self._before.columns.get(old_name)
            if old_column is not None and self._is_as_secret(old_name, name):
                yield column, old_column
        for old_edge, new_edge in self._edges():
            match old_edge, new_edge:
                case ColumnEdge(), ColumnEdge():
                    yield new_edge.column, old_edge.column
                case MorphColumnEdge(), MorphColumnEdge():
                    yield from zip(new_edge.columns, old_edge.columns, strict=True)
                case _:
                    continue

    def _is_as_secret(self, old_name: str, new_name: str) -> bool:
        """Whether nothing secret becomes readable, and nothing readable becomes a hash."""
        return (old_name in self._secrets[0]) == (new_name in self._secrets[1])

    def _edges(self) -> Iterator[tuple[Edge, Edge]]:
        """Edges that refer to the same content type as before."""
        for name, new_edge in self._after.edges.items():
            old_edge = self._before.edges.get(self._names[name] or "")
            if old_edge is not None and self._has_same_target(old_edge, new_edge):
                yield old_edge, new_edge

    def _has_same_target(self, old_edge: Edge, new_edge: Edge) -> bool:
        target: str | None = getattr(new_edge, "target", None)
        if target is None:
            return getattr(old_edge, "target", None) is None
        return self._models.get(target) == getattr(old_edge, "target", None)

    def _kept_rows(self) -> Iterator[tuple[str, str]]:
        """Attributes that store their rows in shared tables: their earlier and later names."""
        for name, new_edge in self._after.edges.items():
            old_edge = self._before.edges.get(self._names[name] or "")
            match old_edge, new_edge:
                case ComponentEdge(), ComponentEdge():
                    if self._shares_components(old_edge, new_edge):
                        yield old_edge.field, name
                case MorphTargetEdge(target=old_target), MorphTargetEdge(target=new_target):
                    if self._models.get(new_target) == old_target:
                        yield old_edge.field, name
                case _:
                    continue

    def _shares_components(self, old_edge: ComponentEdge, new_edge: ComponentEdge) -> bool:
        """Whether a component of the former attribute may still be in it."""
        if not old_edge.components:
            return True
        new_uids = {self._models.get(uid, uid) for uid in new_edge.components}
        return bool(new_uids & set(old_edge.components))


def _table(side: SchemaTables, uid: str) -> ModelTable:
    return side.tables[uid]


def _secrets(side: SchemaTables, uid: str) -> frozenset[str]:
    return frozenset(
        attribute.name for attribute in side.schema.model(uid).scalars if attribute.secret
    )


def _has_rows_elsewhere(edge: Edge) -> bool:
    if isinstance(edge, MorphTargetEdge):
        return edge.target == FILE_UID
    return isinstance(edge, ComponentEdge)


def _moved_links(old_edge: LinkEdge, new_edge: LinkEdge) -> MatchedTable:
    columns = {
        "id": "id",
        new_edge.source_column: old_edge.source_column,
        new_edge.target_column: old_edge.target_column,
    }
    if old_edge.order is not None and new_edge.order is not None:
        columns[new_edge.order] = old_edge.order
    if old_edge.inverse_order is not None and new_edge.inverse_order is not None:
        columns[new_edge.inverse_order] = old_edge.inverse_order
    return MatchedTable(before=old_edge.table, after=new_edge.table, columns=columns)


def _moved_morphs(old_edge: MorphListEdge, new_edge: MorphListEdge) -> MatchedTable:
    columns = dict(zip(new_edge.columns, old_edge.columns, strict=True))
    return MatchedTable(
        before=old_edge.table, after=new_edge.table, columns={"id": "id", **columns}
    )
