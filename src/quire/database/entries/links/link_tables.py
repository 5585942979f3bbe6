"""Links in link tables."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from quire.database.entries.links.link_change import (
    LinkChange,
    LinkedRow,
    LinkTarget,
    RowLinkChange,
)
from quire.database.entries.links.link_statements import LinkStatements
from quire.database.entries.links.ordering import order_targets, without_duplicates
from quire.database.program import Program, Value
from quire.database.tables.table_map import LinkEdge
from quire.schema.attributes.base import StorageKind

Current = Mapping[int, "_StoredLink"]
"""The links of a row by their target rows, in order."""
CurrentLinks = Mapping[int, Current]
"""The links of rows by these."""


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

    def apply(self, changes: Sequence[RowLinkChange], *, creating: bool) -> Program[None]:
        """Change the links of rows; see `Links.apply_all`."""
        if creating:
            first_links = [(one, self._initial_links(one.change)) for one in changes]
            yield from self._write_first(first_links)
            return
        changes = [one for one in changes if _names_targets(one.change)]
        if not changes:
            return
        if self.takes_target and len(changes) > 1 and not (yield from self._are_apart(changes)):
            # Each one may take targets from those before.
            for one in changes:
                yield from self.apply([one], creating=False)
            return
        links = yield from self._current_links([one.row_id for one in changes])
        targets = yield from self._targets_after(links, changes)
        removed = {
            one.row_id: [row for row in links[one.row_id] if row not in targets[one.row_id]]
            for one in changes
        }
        yield from self.statements.delete(
            self.edge.table,
            [links[row_id][row].id for row_id in removed for row in removed[row_id]],
        )
        yield from self._take_targets([(one, self._named_rows(one.change)) for one in changes])
        yield from self._order(links, targets)
        new_links = [
            (row_id, LinkedRow(row=target_id, order=order))
            for row_id, target_ids in targets.items()
            for order, target_id in enumerate(target_ids, 1)
            if target_id not in links[row_id]
        ]
        yield from self._insert(new_links)
        if self.edge.inverse_order is not None:
            yield from self.statements.close_gaps(
                self.edge.table,
                self.edge.inverse_order,
                self.edge.target_column,
                dict.fromkeys(row for rows in removed.values() for row in rows),
            )

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

    def _targets_after(
        self, links: CurrentLinks, changes: Sequence[RowLinkChange]
    ) -> Program[dict[int, list[int]]]:
        """Return the target rows of each row after its change, in order."""
        targets: dict[int, list[int]] = {}
        replaced: dict[int, tuple[list[int], list[int]]] = {}
        for one in changes:
            change, current = one.change, links[one.row_id]
            if change.set is not None:
                targets[one.row_id] = self._set_rows(change.set)
                continue
            connected_ids = {row for target in change.connect for row in target.rows}
            removed_ids = {row for target in change.disconnect for row in target.rows}
            removed_ids -= connected_ids
            if self.to_many:
                targets[one.row_id] = order_targets(
                    _orders(current), removed_ids, change.connect, strict=change.strict
                )
                continue
            remaining_ids = [target_id for target_id in current if target_id not in removed_ids]
            targets[one.row_id] = remaining_ids
            replaced[one.row_id] = remaining_ids, self._connect_rows(change.connect)
        return targets | (yield from self._replace_targets(replaced))

    def _replace_targets(
        self, replaced: Mapping[int, tuple[Sequence[int], Sequence[int]]]
    ) -> Program[dict[int, list[int]]]:
        """Replace the linked targets of rows, except other rows of the chosen documents.

        ``replaced`` are the linked and the chosen targets by rows; only rows with chosen ones are
        returned.
        """
        targets: dict[int, list[int]] = {}
        others = {
            row_id: [target_id for target_id in remaining_ids if target_id not in connected_ids]
            for row_id, (remaining_ids, connected_ids) in replaced.items()
            if connected_ids
        }
        documents: Mapping[int, str] = {}
        if any(others.values()):
            named_ids = [
                target_id
                for row_id, other_ids in others.items()
                for target_id in (*other_ids, *replaced[row_id][1])
            ]
            documents = yield from self.statements.documents_of(self.target_table, named_ids)
        for row_id, other_ids in others.items():
            connected_ids = replaced[row_id][1]
            chosen = {documents.get(target_id) for target_id in connected_ids} - {None}
            same_document_ids = (row for row in other_ids if documents.get(row) in chosen)
            targets[row_id] = [*same_document_ids, *connected_ids]
        return targets

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

    def _are_apart(self, changes: Sequence[RowLinkChange]) -> Program[bool]:
        """Tell whether no change takes a target that another one names, or that its row has."""
        takers: dict[int, RowLinkChange] = {}
        owners = {row: one for one in changes for row in (one.row_id, *one.siblings)}
        for one in changes:
            for target_id in self._named_rows(one.change):
                if target_id in takers:
                    return False
                takers[target_id] = one
        for _, source_id, target_id in (yield from self._links_to(list(takers))):
            if owners.get(source_id, takers[target_id]) is not takers[target_id]:
                return False
        return True

    def _links_to(self, target_ids: Collection[int]) -> Program[list[tuple[int, int, int]]]:
        """Return the links to targets: ids of the link, its source and its target."""
        if not target_ids:
            return []
        edge = self.edge
        rows = yield from self.statements.select_among(
            edge.table,
            ["id", edge.source_column, edge.target_column],
            (edge.target_column, target_ids),
            fixed={},
            order=["id"],
        )
        return [(_row_id(link), _row_id(source), _row_id(target)) for link, source, target in rows]

    def _current_links(self, row_ids: Sequence[int]) -> Program[dict[int, dict[int, _StoredLink]]]:
        edge = self.edge
        order = [edge.order] if edge.order is not None else []
        links: dict[int, dict[int, _StoredLink]] = {row_id: {} for row_id in row_ids}
        columns = ["id", edge.target_column, *order]
        if len(row_ids) == 1:
            stored = yield from self.statements.select(
                edge.table, columns, fixed={edge.source_column: row_ids[0]}, order=[*order, "id"]
            )
            rows = [(row_ids[0], *row) for row in stored]
        else:
            rows = yield from self.statements.select_among(
                edge.table,
                [edge.source_column, *columns],
                (edge.source_column, row_ids),
                fixed={},
                order=[*order, "id"],
            )
        for source_id, link_id, target_id, *orders in rows:
            links[_row_id(source_id)][_row_id(target_id)] = _StoredLink(
                _row_id(link_id), _number(orders[0]) if orders else None
            )
        return links

    def _write_first(
        self, first_links: Sequence[tuple[RowLinkChange, Sequence[LinkedRow]]]
    ) -> Program[None]:
        named = [(one, [link.row for link in links]) for one, links in first_links]
        if self.takes_target and len(named) > 1:
            # Each one may take targets from those before.
            for one, links in first_links:
                yield from self._write_first([(one, links)])
            return
        yield from self._take_targets(named)
        yield from self._insert(
            [(one.row_id, link) for one, links in first_links for link in links]
        )

    def _take_targets(
        self, named: Sequence[tuple[RowLinkChange, Collection[int]]]
    ) -> Program[None]:
        """Remove the links of other documents to the targets that rows are linked to."""
        if not self.takes_target:
            return
        if len(named) == 1:
            [(one, targets)] = named
            yield from self.statements.delete_of_others(
                self.edge.table,
                (self.edge.target_column, targets),
                (self.edge.source_column, [one.row_id, *one.siblings]),
            )
            return
        takers = {target_id: one for one, targets in named for target_id in targets}
        links = yield from self._links_to(list(takers))
        taken_links = [
            link_id
            for link_id, source_id, target_id in links
            if source_id not in {takers[target_id].row_id, *takers[target_id].siblings}
        ]
        yield from self.statements.delete(self.edge.table, taken_links)

    def _order(self, links: CurrentLinks, targets: Mapping[int, Sequence[int]]) -> Program[None]:
        """Renumber the links that stay, where needed."""
        if self.edge.order is not None:
            new_orders = {
                links[row_id][target_id].id: float(order)
                for row_id, target_ids in targets.items()
                for order, target_id in enumerate(target_ids, 1)
                if target_id in links[row_id] and links[row_id][target_id].order != order
            }
            yield from self.statements.renumber(self.edge.table, self.edge.order, new_orders)

    def _insert(self, links: Sequence[tuple[int, LinkedRow]]) -> Program[None]:
        """Insert links of rows, given by the ids of these."""
        edge = self.edge
        columns = {edge.source_column: StorageKind.ID, edge.target_column: StorageKind.ID}
        rows: list[list[Value]] = [[row_id, link.row] for row_id, link in links]
        following = None
        if edge.order is not None:
            columns[edge.order] = StorageKind.FLOAT
            rows = [[*row, link.order] for row, (_, link) in zip(rows, links, strict=True)]
        if edge.inverse_order is not None:
            columns[edge.inverse_order] = StorageKind.FLOAT
            rows = [[*row, link.inverse_order] for row, (_, link) in zip(rows, links, strict=True)]
            following = (edge.inverse_order, edge.target_column)
        yield from self.statements.insert(edge.table, {}, columns, rows, following=following)


def _names_targets(change: LinkChange) -> bool:
    return change.set is not None or bool(change.connect or change.disconnect)


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
