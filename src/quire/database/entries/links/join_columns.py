"""Links in columns: the id of a row, and its type for polymorphic relations."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from quire.database.entries.links.link_change import (
    LinkChange,
    LinkedRow,
    LinkTarget,
    RowLinkChange,
)
from quire.database.entries.links.link_statements import LinkStatements
from quire.database.entries.links.ordering import without_duplicates
from quire.database.program import Program


class TargetColumns(Struct, frozen=True, kw_only=True):
    """The columns of a table that refer to a row: its id and, for polymorphic ones, its uid."""

    table: str
    id: str
    type: str | None = None

    def values_for(self, row: int, uid: str | None) -> dict[str, str | int]:
        """Return the values of the columns for a target."""
        return {self.id: row} if self.type is None else {self.id: row, self.type: uid or ""}

    def to_nothing(self) -> dict[str, None]:
        """Return the values of the columns without a target."""
        return {self.id: None} if self.type is None else {self.id: None, self.type: None}


class ColumnLinks(Struct, frozen=True, kw_only=True):
    """A relation whose target is stored in columns of the row itself.

    A relation that ``takes_target`` is one-to-one and bidirectional: linking a target removes the
    link of its former owner.
    """

    statements: LinkStatements
    pointer: TargetColumns
    takes_target: bool

    def apply(self, changes: Sequence[RowLinkChange], *, creating: bool) -> Program[None]:
        """Change the targets of rows, one after the other; see `Links.apply_all`."""
        for one in changes:
            yield from self._apply(one.row_id, one.change, one.siblings, creating=creating)

    def _apply(
        self, row_id: int, change: LinkChange, siblings: Collection[int], *, creating: bool
    ) -> Program[None]:
        requested = change.connect[:1] if change.set is None else change.set[-1:]
        targets = without_duplicates(requested)
        if targets:
            yield from self._point(row_id, targets[0], siblings)
        elif creating:
            return
        elif change.set is not None:
            yield from self.statements.point(
                self.pointer.table, self.pointer.to_nothing(), [row_id]
            )
        else:
            for target in change.disconnect:
                for row in target.rows:
                    yield from self.statements.release(
                        self.pointer.table,
                        self.pointer.values_for(row, target.uid),
                        [row_id],
                        other_rows=False,
                    )

    def read(self, row_ids: Collection[int]) -> Program[dict[int, list[LinkedRow]]]:
        """Return the targets of rows."""
        columns = ["id", *self.pointer.to_nothing()]
        rows = yield from self.statements.select_among(
            self.pointer.table, columns, ("id", row_ids), fixed={}, order=["id"]
        )
        return {
            int(source_id or 0): [LinkedRow(row=int(target_id), uid=str(uid[0]) if uid else None)]
            for source_id, target_id, *uid in rows
            if target_id is not None
        }

    def _point(self, row_id: int, target: LinkTarget, siblings: Collection[int]) -> Program[None]:
        pointer = self.pointer.values_for(target.rows[0], target.uid)
        if self.takes_target:
            yield from self.statements.release(
                self.pointer.table, pointer, [row_id, *siblings], other_rows=True
            )
        yield from self.statements.point(self.pointer.table, pointer, [row_id])


class BackColumnLinks(Struct, frozen=True, kw_only=True):
    """A relation whose targets store the id of the row in their own columns.

    A target refers to one row, so a new link is taken from its former owner.
    """

    statements: LinkStatements
    pointer: TargetColumns
    uid: str
    to_many: bool

    def apply(self, changes: Sequence[RowLinkChange], *, creating: bool) -> Program[None]:
        """Change which rows refer to rows, one after the other; see `Links.apply_all`."""
        for one in changes:
            yield from self._apply(one.row_id, one.change, creating=creating)

    def _apply(self, row_id: int, change: LinkChange, *, creating: bool) -> Program[None]:
        table, pointer_values = self.pointer.table, self.pointer.values_for(row_id, self.uid)
        claimed_rows = self._claimed_rows(change)
        replaces = change.set is not None or (bool(claimed_rows) and not self.to_many)
        removed_rows = {row for target in change.disconnect for row in target.rows} - set(
            claimed_rows
        )
        if replaces and not creating:
            yield from self.statements.release(table, pointer_values, claimed_rows, other_rows=True)
        elif removed_rows and not creating:
            yield from self.statements.release(
                table, pointer_values, removed_rows, other_rows=False
            )
        yield from self.statements.point(table, pointer_values, claimed_rows)

    def read(self, row_ids: Collection[int]) -> Program[dict[int, list[LinkedRow]]]:
        """Return the rows that refer to rows."""
        column = self.pointer.id
        fixed: Mapping[str, str | int] = (
            {} if self.pointer.type is None else {self.pointer.type: self.uid}
        )
        rows = yield from self.statements.select_among(
            self.pointer.table,
            [column, "id"],
            (column, row_ids),
            fixed=fixed,
            order=[column, "id"],
        )
        links_by_row: dict[int, list[LinkedRow]] = {}
        for row_id, target_id in rows:
            links_by_row.setdefault(int(row_id or 0), []).append(LinkedRow(row=int(target_id or 0)))
        return links_by_row

    def _claimed_rows(self, change: LinkChange) -> list[int]:
        targets = change.connect if change.set is None else change.set
        if not self.to_many:
            targets = targets[:1] if change.set is None else targets[-1:]
        return list(dict.fromkeys(row for target in targets for row in target.rows))
