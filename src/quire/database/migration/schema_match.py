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

    They are components of entries, or links of media.
    """

    uid: str
    attribute: str


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
        uid: earlier
        for uid in after.tables.tables
        if (earlier := renames.earlier_uid(uid)) in before.tables.tables and earlier is not None
    }
    pairs = [
        _ModelPair((before, earlier), (after, uid), renames, models)
        for uid, earlier in models.items()
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
        for earlier, later in self._edges():
            match earlier, later:
                case LinkEdge(owning=True), LinkEdge(owning=True):
                    yield _moved_links(earlier, later)
                case MorphListEdge(), MorphListEdge():
                    yield _moved_morphs(earlier, later)
                case _:
                    continue

    def lost_rows(self) -> Iterator[LostRows]:
        """Attributes whose rows are in tables that are shared with others."""
        kept = {earlier for earlier, _ in self._kept_rows()}
        for name, edge in self._before.edges.items():
            if _has_rows_elsewhere(edge) and name not in kept:
                yield LostRows(uid=self._before.uid, attribute=name)

    def renamed(self) -> Iterator[RenamedField]:
        """Attributes whose rows have to get another name."""
        for earlier, later in self._kept_rows():
            if earlier != later:
                yield RenamedField(uid=self._after.uid, before=earlier, after=later)

    def _columns(self) -> Iterator[tuple[str, str]]:
        for name, column in self._after.columns.items():
            former = self._names[name] or ""
            earlier = self._before.columns.get(former)
            if earlier is not None and self._is_as_secret(former, name):
                yield column, earlier
        for before, after in self._edges():
            match before, after:
                case ColumnEdge(), ColumnEdge():
                    yield after.column, before.column
                case MorphColumnEdge(), MorphColumnEdge():
                    yield from zip(after.columns, before.columns, strict=True)
                case _:
                    continue

    def _is_as_secret(self, before: str, after: str) -> bool:
        """Whether nothing secret becomes readable, and nothing readable becomes a hash."""
        return (before in self._secrets[0]) == (after in self._secrets[1])

    def _edges(self) -> Iterator[tuple[Edge, Edge]]:
        """Edges that refer to the same content type as before."""
        for name, later in self._after.edges.items():
            earlier = self._before.edges.get(self._names[name] or "")
            if earlier is not None and self._same_target(earlier, later):
                yield earlier, later

    def _same_target(self, earlier: Edge, later: Edge) -> bool:
        target: str | None = getattr(later, "target", None)
        if target is None:
            return getattr(earlier, "target", None) is None
        return self._models.get(target) == getattr(earlier, "target", None)

    def _kept_rows(self) -> Iterator[tuple[str, str]]:
        """Attributes that store their rows in shared tables: their earlier and later names."""
        for name, later in self._after.edges.items():
            earlier = self._before.edges.get(self._names[name] or "")
            match earlier, later:
                case ComponentEdge(), ComponentEdge():
                    if self._holds_the_same(earlier, later):
                        yield earlier.field, name
                case MorphTargetEdge(target=was), MorphTargetEdge(target=will):
                    if self._models.get(will) == was:
                        yield earlier.field, name
                case _:
                    continue

    def _holds_the_same(self, earlier: ComponentEdge, later: ComponentEdge) -> bool:
        """Whether a component of the former attribute may still be in it."""
        if not earlier.components:
            return True
        will = {self._models.get(uid, uid) for uid in later.components}
        return bool(will & set(earlier.components))


def _table(side: SchemaTables, uid: str) -> ModelTable:
    return side.tables[uid]


def _secrets(side: SchemaTables, uid: str) -> frozenset[str]:
    return frozenset(a.name for a in side.schema.model(uid).scalars if a.secret)


def _has_rows_elsewhere(edge: Edge) -> bool:
    if isinstance(edge, MorphTargetEdge):
        return edge.target == FILE_UID
    return isinstance(edge, ComponentEdge)


def _moved_links(before: LinkEdge, after: LinkEdge) -> MatchedTable:
    columns = {
        "id": "id",
        after.source_column: before.source_column,
        after.target_column: before.target_column,
    }
    if before.order is not None and after.order is not None:
        columns[after.order] = before.order
    if before.inverse_order is not None and after.inverse_order is not None:
        columns[after.inverse_order] = before.inverse_order
    return MatchedTable(before=before.table, after=after.table, columns=columns)


def _moved_morphs(before: MorphListEdge, after: MorphListEdge) -> MatchedTable:
    columns = dict(zip(after.columns, before.columns, strict=True))
    return MatchedTable(before=before.table, after=after.table, columns={"id": "id", **columns})
