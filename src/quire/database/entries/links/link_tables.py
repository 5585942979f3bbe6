"""Links in link tables."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from quire.database.entries.links.link_change import LinkChange, LinkedRow, LinkTarget
from quire.database.entries.links.link_statements import LinkStatements
from quire.database.entries.links.ordering import order_targets, without_duplicates
from quire.database.program import Program, Row, Value
from quire.database.tables.table_map import LinkEdge
from quire.schema.attributes.base import StorageKind

Current = Mapping[int, "_StoredLink"]
"""The links of a row by their target rows, in order."""


class _StoredLink(Struct, frozen=True):
    id: int
    order: float | None


class TableLinks(Struct, frozen=True, kw_only=True):
    """The links of one relation, from one of its two sides.

    A relation that ``takes_target`` is bidirectional with a single-valued other side: linking a
    target removes the link of its former owner. ``target_table`` is the table of the targets.
    """

    statements: LinkStatements
    edge: LinkEdge
    target_table: str
    to_many: bool
    takes_target: bool

    def apply(
        self, row_id: int, change: LinkChange, *, creating: bool, siblings: Collection[int]
    ) -> Program[None]:
        """Change the links of a row; see `Links.apply`."""
        if creating:
            yield from self._write_first(row_id, self._initial_links(change), siblings)
            return
        if change.set is None and not change.connect and not change.disconnect:
            return
        current = yield from self._current_links(row_id)
        targets = yield from self._targets_after(current, change)
        removed_ids = [target_id for target_id in current if target_id not in targets]
        yield from self._delete(current, removed_ids)
        yield from self._take_targets(row_id, self._named_rows(change), siblings)
        yield from self._order(current, targets)
        new_links = [
            (target_id, order_targets)
            for order_targets, target_id in enumerate(targets, 1)
            if target_id not in current
        ]
        yield from self._insert(
            row_id,
            [
                LinkedRow(row=target_id, order=order_targets)
                for target_id, order_targets in new_links
            ],
        )
        if self.edge.inverse_order is not None:
            yield from self.statements.close_gaps(
                self.edge.table, self.edge.inverse_order, self.edge.target_column, removed_ids
            )

    def attach(
        self, row_id: int, targets: Sequence[LinkedRow], siblings: Collection[int]
    ) -> Program[None]:
        """Write the links of a new row; see `Links.attach`."""
        numbered = [
            LinkedRow(
                row=target.row,
                order=float(order_targets) if target.order is None else target.order,
                inverse_order=target.inverse_order,
            )
            for order_targets, target in enumerate(targets, 1)
        ]
        yield from self._write_first(row_id, numbered, siblings)

    def read(self, row_ids: Collection[int]) -> Program[dict[int, list[LinkedRow]]]:
        """Return the targets of rows, in order."""
        edge = self.edge
        columns = [
            edge.source_column,
            edge.target_column,
            edge.order or edge.target_column,
            edge.inverse_order or edge.target_column,
        ]
        order = [edge.source_column, *([edge.order] if edge.order else []), "id"]
        rows = yield from self.statements.select_among(
            edge.table, columns, (edge.source_column, row_ids), fixed={}, order=order
        )
        links_by_row: dict[int, list[LinkedRow]] = {}
        for source_id, target_id, position, inverse in rows:
            links_by_row.setdefault(_row_id(source_id), []).append(
                LinkedRow(
                    row=_row_id(target_id),
                    order=_number(position) if edge.order else None,
                    inverse_order=_number(inverse) if edge.inverse_order else None,
                )
            )
        return links_by_row

    def _initial_links(self, change: LinkChange) -> list[LinkedRow]:
        """Return the first links of a new row: lists count from 1, connected ones from 0.

        Positions are strict, because no anchor can have been removed.
        """
        if change.set is not None:
            rows, start = self._set_rows(change.set), 1
        elif self.to_many:
            rows, start = order_targets({}, (), change.connect, strict=True), 0
        else:
            rows, start = self._connect_rows(change.connect), 0
        return [
            LinkedRow(row=target_id, order=float(order))
            for order, target_id in enumerate(rows, start)
        ]

    def _targets_after(self, current: Current, change: LinkChange) -> Program[list[int]]:
        """Return the target rows after the change, in order."""
        if change.set is not None:
            return self._set_rows(change.set)
        connected_ids = {row for target in change.connect for row in target.rows}
        removed_ids = {row for target in change.disconnect for row in target.rows} - connected_ids
        if self.to_many:
            return order_targets(
                _orders(current), removed_ids, change.connect, strict=change.strict
            )
        remaining_ids = [target_id for target_id in current if target_id not in removed_ids]
        return (yield from self._replace_target(remaining_ids, self._connect_rows(change.connect)))

    def _replace_target(
        self, remaining_ids: Sequence[int], connected_ids: Sequence[int]
    ) -> Program[list[int]]:
        """Replace the linked target, except other rows of the chosen document."""
        if not connected_ids:
            return list(remaining_ids)
        other_ids = [target_id for target_id in remaining_ids if target_id not in connected_ids]
        if other_ids:
            same_document_ids = yield from self.statements.same_documents(
                self.target_table, connected_ids
            )
            other_ids = [target_id for target_id in other_ids if target_id in same_document_ids]
        return [*other_ids, *connected_ids]

    def _set_rows(self, targets: Sequence[LinkTarget]) -> list[int]:
        """Return the rows of a list; of a single-valued relation the last target."""
        final_targets = targets if self.to_many else targets[-1:]
        return [row for target in without_duplicates(final_targets) for row in target.rows]

    def _connect_rows(self, targets: Sequence[LinkTarget]) -> list[int]:
        """Return the rows of the connected target that counts: the first."""
        return [row for target in without_duplicates(targets[:1]) for row in target.rows]

    def _named_rows(self, change: LinkChange) -> list[int]:
        """Return the rows that a change links, whether they were linked before or not."""
        if change.set is not None:
            return self._set_rows(change.set)
        if not self.to_many:
            return self._connect_rows(change.connect)
        return [row for target in without_duplicates(change.connect) for row in target.rows]

    def _current_links(self, row_id: int) -> Program[dict[int, _StoredLink]]:
        edge = self.edge
        order = [edge.order] if edge.order is not None else []
        columns = ["id", edge.target_column, *order]
        rows = yield from self.statements.select(
            edge.table, columns, fixed={edge.source_column: row_id}, order=[*order, "id"]
        )
        return {_row_id(row[1]): _StoredLink(_row_id(row[0]), _last_number(row)) for row in rows}

    def _write_first(
        self, row_id: int, links: Sequence[LinkedRow], siblings: Collection[int]
    ) -> Program[None]:
        yield from self._take_targets(row_id, [link.row for link in links], siblings)
        yield from self._insert(row_id, links)

    def _take_targets(
        self, row_id: int, targets: Collection[int], siblings: Collection[int]
    ) -> Program[None]:
        if self.takes_target and targets:
            yield from self.statements.delete_of_others(
                self.edge.table,
                (self.edge.target_column, targets),
                (self.edge.source_column, [row_id, *siblings]),
            )

    def _delete(self, current: Current, lost: Sequence[int]) -> Program[None]:
        if lost:
            yield from self.statements.delete(
                self.edge.table, [current[target_id].id for target_id in lost]
            )

    def _order(self, current: Current, target_ids: Sequence[int]) -> Program[None]:
        """Renumber the links that stay, where needed."""
        if self.edge.order is not None:
            new_orders = {
                current[target_id].id: float(order_targets)
                for order_targets, target_id in enumerate(target_ids, 1)
                if target_id in current and current[target_id].order != order_targets
            }
            yield from self.statements.renumber(self.edge.table, self.edge.order, new_orders)

    def _insert(self, row_id: int, links: Sequence[LinkedRow]) -> Program[None]:
        edge = self.edge
        columns = {edge.target_column: StorageKind.ID}
        rows: list[list[Value]] = [[link.row] for link in links]
        following = None
        if edge.order is not None:
            columns[edge.order] = StorageKind.FLOAT
            rows = [[*row, link.order] for row, link in zip(rows, links, strict=True)]
        if edge.inverse_order is not None:
            columns[edge.inverse_order] = StorageKind.FLOAT
            rows = [[*row, link.inverse_order] for row, link in zip(rows, links, strict=True)]
            following = (edge.inverse_order, edge.target_column)
        yield from self.statements.insert(
            edge.table, {edge.source_column: row_id}, columns, rows, following=following
        )


def _orders(current: Current) -> dict[int, float]:
    """Return order values by target rows; a list with gaps is renumbered."""
    orders = {
        target_id: link.order for target_id, link in current.items() if link.order is not None
    }
    if len(orders) < len(current):
        return {
            target_id: float(order_targets) for order_targets, target_id in enumerate(current, 1)
        }
    return orders


def _row_id(value: Value) -> int:
    return int(value or 0)


def _number(value: Value) -> float | None:
    return None if value is None else float(value)


def _last_number(row: Row) -> float | None:
    """Return the order at the end of a row of three."""
    return _number(row[2]) if len(row) > 2 else None
