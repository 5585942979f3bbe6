"""Links in morph tables: rows of any type at one end (media, ``morphToMany``)."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from quire.database.entries.links.link_change import LinkChange, LinkedRow, LinkTarget
from quire.database.entries.links.link_statements import LinkStatements
from quire.database.entries.links.ordering import without_duplicates
from quire.database.program import Program, Value
from quire.database.tables.table_map import FIELD, ORDER
from quire.schema.attributes.base import StorageKind


class MorphLinks(Struct, frozen=True, kw_only=True):
    """The links of one attribute through a morph table.

    ``source_column`` has the id of the source row; ``type`` is the column with its content type and
    that type, if the table has links of several types. ``target_column`` has the id of the target,
    and ``target_type_column`` its content type in polymorphic relations. ``field`` is the
    attribute; an ``has_own_table`` table has the links of this attribute only.
    """

    statements: LinkStatements
    table: str
    source_column: str
    type: Mapping[str, str]
    target_column: str
    target_type_column: str | None
    field: str
    has_own_table: bool
    to_many: bool

    def apply(
        self, row_id: int, change: LinkChange, *, creating: bool, siblings: Collection[int]
    ) -> Program[None]:
        """Change the links of a row; see `Links.apply`.

        Lists that are set are rewritten and count from 1. Connected targets are appended, after all
        links of the row in the table; positions are ignored.
        """
        del siblings  # targets can be shared by any number of rows
        connected = self._rows(change.connect)
        if change.set is not None:
            yield from self._replace(row_id, self._rows(change.set), creating=creating)
        elif connected and not self.to_many:
            yield from self._replace(row_id, connected, creating=creating)
        else:
            if not creating:
                removed_rows = [*connected, *self._values(change.disconnect)]
                yield from self.statements.delete_rows(
                    self.table, self._attribute_columns(row_id), self._targets(), removed_rows
                )
            yield from self.statements.insert(
                self.table,
                self._row(row_id),
                self._targets(),
                connected,
                row_columns={FIELD: self.field},
                appended=ORDER,
            )

    def attach(
        self, row_id: int, targets: Sequence[LinkedRow], siblings: Collection[int]
    ) -> Program[None]:
        """Write the links of a new row; see `Links.attach`."""
        del siblings
        rows = [
            [
                *self._value(target.row, target.uid),
                position if target.order is None else target.order,
            ]
            for position, target in enumerate(targets, 1)
        ]
        yield from self._insert(row_id, rows, {} if self.has_own_table else {FIELD: self.field})

    def read(self, row_ids: Collection[int]) -> Program[dict[int, list[LinkedRow]]]:
        """Return the targets of rows, in order."""
        columns = [
            self.source_column,
            self.target_column,
            ORDER,
            *([self.target_type_column] if self.target_type_column else []),
        ]
        rows = yield from self.statements.select_among(
            self.table,
            columns,
            (self.source_column, row_ids),
            fixed=self._distinguishing_columns(),
            order=[self.source_column, ORDER, "id"],
        )
        links_by_row: dict[int, list[LinkedRow]] = {}
        for source_id, target_id, order, *uid in rows:
            links_by_row.setdefault(int(source_id or 0), []).append(
                LinkedRow(
                    row=int(target_id or 0),
                    order=None if order is None else float(order),
                    uid=str(uid[0]) if uid else None,
                )
            )
        return links_by_row

    def _replace(
        self, row_id: int, rows: Sequence[Sequence[Value]], *, creating: bool
    ) -> Program[None]:
        if not creating:
            yield from self.statements.delete_all(self.table, self._attribute_columns(row_id))
        numbered = [[*row, position] for position, row in enumerate(rows, 1)]
        yield from self._insert(row_id, numbered, {FIELD: self.field})

    def _insert(
        self, row_id: int, rows: Sequence[Sequence[Value]], extra_columns: Mapping[str, str]
    ) -> Program[None]:
        columns = {**self._targets(), ORDER: StorageKind.FLOAT}
        yield from self.statements.insert(
            self.table, self._row(row_id), columns, rows, row_columns=extra_columns
        )

    def _row(self, row_id: int) -> dict[str, str | int]:
        """Return the columns that all links of a row through this table share."""
        return {self.source_column: row_id, **self.type}

    def _attribute_columns(self, row_id: int) -> dict[str, str | int]:
        """Return the columns that the links of this attribute of a row share."""
        return {self.source_column: row_id, **self._distinguishing_columns()}

    def _distinguishing_columns(self) -> dict[str, str | int]:
        """Return the columns that distinguish the links of this attribute from others."""
        return {**self.type} if self.has_own_table else {**self.type, FIELD: self.field}

    def _targets(self) -> dict[str, StorageKind]:
        columns = {self.target_column: StorageKind.ID}
        if self.target_type_column is not None:
            columns[self.target_type_column] = StorageKind.STRING
        return columns

    def _rows(self, targets: Sequence[LinkTarget]) -> list[list[Value]]:
        """Return targets as column values; of a single-valued attribute only the first."""
        return self._values(targets if self.to_many else targets[:1])

    def _values(self, targets: Sequence[LinkTarget]) -> list[list[Value]]:
        return [
            self._value(row, target.uid)
            for target in without_duplicates(targets)
            for row in target.rows
        ]

    def _value(self, row: int, uid: str | None) -> list[Value]:
        return [row] if self.target_type_column is None else [row, uid]
