"""Links in morph tables: rows of any type at one end (media, ``morphToMany``)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from msgspec import Struct

from quire.database.entries.links.link_change import (
    LinkAnchor,
    LinkChange,
    LinkedRow,
    LinkTarget,
    RowLinkChange,
)
from quire.database.entries.links.link_statements import LinkStatements
from quire.database.entries.links.ordering import order_targets, without_duplicates
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

    def apply(self, changes: Sequence[RowLinkChange], *, creating: bool) -> Program[None]:
        """Change the links of rows; see `Links.apply_all`.

        Lists that are set are rewritten and count from 1, as are polymorphic ones that targets are
        connected to. Other connected targets are appended, after all links of the row in the table;
        their positions are ignored. Targets can be shared by any number of rows, so ``siblings`` do
        not matter.
        """
        replaced: dict[int, list[list[Value]]] = {}
        for one in changes:
            change = one.change
            if change.set is not None:
                replaced[one.row_id] = self._rows(change.set)
            elif change.connect and not self.to_many:
                replaced[one.row_id] = self._rows(change.connect)
            elif change.connect and self.target_type_column is not None:
                linked = {} if creating else (yield from self.read([one.row_id]))
                replaced[one.row_id] = _ordered(linked.get(one.row_id, ()), change)
            else:
                yield from self._connect(one.row_id, change, creating=creating)
        yield from self._replace(replaced, creating=creating)

    def _connect(self, row_id: int, change: LinkChange, *, creating: bool) -> Program[None]:
        connected = self._rows(change.connect)
        if not creating:
            removed_rows = [*connected, *self._values(change.disconnect)]
            yield from self.statements.delete_rows(
                self.table,
                {self.source_column: row_id, **self._distinguishing_columns()},
                self._targets(),
                removed_rows,
            )
        yield from self.statements.insert(
            self.table,
            {self.source_column: row_id, **self.type},
            self._targets(),
            connected,
            row_columns={FIELD: self.field},
            appended=ORDER,
        )

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
        self, replaced: Mapping[int, Sequence[Sequence[Value]]], *, creating: bool
    ) -> Program[None]:
        """Write the lists of rows, given by the ids of these."""
        if replaced and not creating:
            yield from self.statements.delete_all(
                self.table, self._distinguishing_columns(), (self.source_column, list(replaced))
            )
        numbered = [
            [row_id, *row, position]
            for row_id, rows in replaced.items()
            for position, row in enumerate(rows, 1)
        ]
        columns = {
            self.source_column: StorageKind.ID,
            **self._targets(),
            ORDER: StorageKind.FLOAT,
        }
        yield from self.statements.insert(
            self.table, {**self.type}, columns, numbered, row_columns={FIELD: self.field}
        )

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


def _ordered(links: Sequence[LinkedRow], change: LinkChange) -> list[list[Value]]:
    """Return the targets of a polymorphic list after a change: their row ids and content types.

    Rows of different types may have equal ids, so they are ordered by numbers.
    """
    numbers: dict[tuple[int, str | None], int] = {}

    def numbered(rows: Sequence[int], uid: str | None) -> tuple[int, ...]:
        return tuple(numbers.setdefault((row, uid), len(numbers)) for row in rows)

    def numbered_anchor(anchor: LinkAnchor | None) -> LinkAnchor | None:
        return anchor and replace(anchor, rows=numbered(anchor.rows, anchor.uid))

    orders = {
        number: 1.0 if link.order is None else link.order
        for link in links
        for number in numbered([link.row], link.uid)
    }
    connect = [
        LinkTarget(
            rows=numbered(target.rows, target.uid),
            before=numbered_anchor(target.before),
            after=numbered_anchor(target.after),
            start=target.start,
            end=target.end,
        )
        for target in change.connect
    ]
    removed = {
        number for target in change.disconnect for number in numbered(target.rows, target.uid)
    }
    removed -= {number for target in connect for number in target.rows}
    targets = list(numbers)
    names = {number: f"{row}:::{uid}" for (row, uid), number in numbers.items()}
    ordered = order_targets(orders, removed, connect, strict=change.strict, names=names)
    return [list(targets[number]) for number in ordered]
