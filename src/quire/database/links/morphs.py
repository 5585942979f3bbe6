"""Links through a morph table: rows of any type on one side (media, ``morphToMany`` and back)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from quire.database.links.change import LinkChange, Linked, LinkedRow
from quire.database.links.placing import distinct
from quire.database.links.statements import LinkStatements
from quire.database.mapping import ORDER
from quire.database.program import Program, Value
from quire.schema.attributes.base import StorageKind


@dataclass(frozen=True, slots=True, kw_only=True)
class MorphLinks:
    """The links of one attribute through a morph table.

    ``near`` is the column that holds the id of the row whose attribute it is, ``fixed`` are columns
    that tell this attribute's links from others, ``written`` are columns that new links get
    besides. ``far`` is the column of the target's id, ``far_type`` that of its content type where
    any will do.
    """

    statements: LinkStatements
    table: str
    near: str
    far: str
    far_type: str | None
    fixed: Mapping[str, str]
    written: Mapping[str, str]
    to_many: bool

    def apply(
        self, row_id: int, change: LinkChange, *, creating: bool, siblings: Collection[int]
    ) -> Program[None]:
        """Change the links of a row; see `Links.apply`."""
        del siblings  # targets are shared by any number of rows
        connected = self._rows(change.connect)
        if change.set is not None or (connected and not self.to_many):
            if not creating:
                yield from self.statements.delete_all(self.table, self._here(row_id))
            rows = connected if change.set is None else self._rows(change.set)
            yield from self._insert(row_id, _numbered(rows), self.written)
            return
        if not creating:
            left = [*connected, *self._rows(change.disconnect, every=True)]
            yield from self.statements.delete_rows(
                self.table, self._here(row_id), self._targets(), left
            )
        yield from self.statements.insert(
            self.table,
            self._here(row_id),
            self._targets(),
            connected,
            written=self.written,
            appended=ORDER,
        )

    def attach(
        self, row_id: int, targets: Sequence[LinkedRow], siblings: Collection[int]
    ) -> Program[None]:
        """Write the links of a new row; see `Links.attach`."""
        del siblings
        rows = self._rows([Linked(rows=(target.row,), uid=target.uid) for target in targets])
        orders = [target.order for target in targets]
        known = len(rows) == len(targets) and None not in orders
        numbered = [[*row, order] for row, order in zip(rows, orders, strict=True)] if known else []
        yield from self._insert(row_id, numbered or _numbered(rows), {})

    def read(self, row_ids: Collection[int]) -> Program[dict[int, list[LinkedRow]]]:
        """Return what rows are linked to, in order."""
        columns = [self.near, self.far, ORDER, *([self.far_type] if self.far_type else [])]
        rows = yield from self.statements.select_among(
            self.table,
            columns,
            (self.near, row_ids),
            fixed=self.fixed,
            order=[self.near, ORDER, "id"],
        )
        found: dict[int, list[LinkedRow]] = {}
        for near, far, order, *uid in rows:
            found.setdefault(int(near or 0), []).append(
                LinkedRow(
                    row=int(far or 0),
                    order=None if order is None else float(order),
                    uid=str(uid[0]) if uid else None,
                )
            )
        return found

    def _here(self, row_id: int) -> dict[str, str | int]:
        return {self.near: row_id, **self.fixed}

    def _targets(self) -> dict[str, StorageKind]:
        columns = {self.far: StorageKind.ID}
        if self.far_type is not None:
            columns[self.far_type] = StorageKind.STRING
        return columns

    def _rows(self, targets: Sequence[Linked], *, every: bool = False) -> list[list[Value]]:
        """Return targets as the columns have them; where there is room for one, the first."""
        kept = distinct(targets if self.to_many or every else targets[:1])
        typed = self.far_type is not None
        return [[row, t.uid] if typed else [row] for t in kept for row in t.rows]

    def _insert(
        self, row_id: int, rows: Sequence[Sequence[Value]], written: Mapping[str, str]
    ) -> Program[None]:
        columns = {**self._targets(), ORDER: StorageKind.FLOAT}
        yield from self.statements.insert(
            self.table, self._here(row_id), columns, rows, written=written
        )


def _numbered(rows: Sequence[Sequence[Value]]) -> list[list[Value]]:
    return [[*row, place] for place, row in enumerate(rows, 1)]
