"""Saved views of lists, private or shared."""

from collections.abc import Mapping

from msgspec import Struct

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTable
from quire.database.stores.row_conditions import any_of, eq
from quire.database.stores.row_types import BigInt, LongText


class SavedView(Struct, frozen=True, kw_only=True):
    """A view of the list of a type: its owner, and its state as JSON."""

    id: int
    uid: str
    owner_id: int
    name: str
    shared: bool
    state: LongText
    updated_at: BigInt


SAVED_VIEWS = QuireTable(
    name="quire_views", row=SavedView, indexes={"quire_views_owner": ("uid", "owner_id")}
)


class SavedViews:
    """Programs that read and write views."""

    def __init__(self, writes: Writes) -> None:
        self._table = SAVED_VIEWS.open(writes)

    def list_for_user(self, owner_id: int, uid: str | None) -> Program[list[SavedView]]:
        """Return a user's own and shared views, of one type or of all, by name."""
        conditions = [any_of(eq("owner_id", owner_id), eq("shared", True))]
        if uid is not None:
            conditions.append(eq("uid", uid))
        return (yield from self._table.select(*conditions, order=("name", "id")))

    def get(self, view_id: int) -> Program[SavedView | None]:
        """Return a view."""
        return (yield from self._table.get(view_id))

    def count(self, owner_id: int) -> Program[int]:
        """Count the views of a user."""
        return (yield from self._table.count(eq("owner_id", owner_id)))

    def insert(self, values: Mapping[str, object]) -> Program[int]:
        """Write a view; returns its id."""
        return (yield from self._table.insert_values(values))

    def update(self, view_id: int, values: Mapping[str, object]) -> Program[None]:
        """Change a view."""
        yield from self._table.update(values, eq("id", view_id))

    def delete(self, view_id: int) -> Program[None]:
        """Delete a view."""
        yield from self._table.delete_ids([view_id])
