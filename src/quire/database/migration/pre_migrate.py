"""Archives rows before the tables are changed."""

from collections.abc import Sequence

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.deletion import delete_entries
from quire.database.entries.store import EntryStore
from quire.database.migration.archive import ArchiveWriter
from quire.database.migration.dependents import archive_attribute, archive_entries
from quire.database.migration.dropped_versions import drafts_of, other_locales
from quire.database.migration.steps import DropRows, EndDrafts, EndLocales, Plan
from quire.database.program import Program
from quire.schema.attributes.base import StorageKind

_ROWS_AT_ONCE = 500


class PreMigration:
    """Takes rows away, each archived, while the tables are those of the former schema."""

    def __init__(
        self, store: EntryStore, keeper: ArchiveWriter, default_locale: str | None, now: int
    ) -> None:
        """``now`` is epoch milliseconds: when documents are published that never were."""
        self._store = store
        self._keeper = keeper
        self._default_locale = default_locale
        self._now = now

    def run(self, plan: Plan) -> Program[None]:
        """Take the steps of a plan that take rows away."""
        for step in plan.steps:
            match step:
                case DropRows():
                    yield from archive_attribute(
                        self._store, self._keeper, step.uid, step.attribute
                    )
                case EndLocales():
                    yield from self._end_locales(step.uid)
                case EndDrafts():
                    yield from self._end_drafts(step.uid)
                case _:
                    continue

    def _end_locales(self, uid: str) -> Program[None]:
        table = self._store.layout(uid).table
        ids = yield from other_locales(self._store.writes, table.name, self._default_locale)
        yield from self._take(uid, ids)
        column = table.columns["locale"]

        def build(_: StatementBuilder) -> sa.ClauseElement:
            described = sa.table(table.name, sa.column(column))
            return sa.update(described).values({column: sa.null()})

        yield from self._store.writes.run(("end locales", uid), build)

    def _end_drafts(self, uid: str) -> Program[None]:
        table = self._store.layout(uid).table
        drafts = yield from drafts_of(self._store.writes, table.name)
        yield from self._take(uid, drafts.beside)
        moment = self._store.dialect.encoder(StorageKind.DATETIME)(self._now)
        for id_ in drafts.alone:
            live = {table.columns["publishedAt"]: moment}
            yield from self._store.writes.update(table.name, id_, live)

    def _take(self, uid: str, ids: Sequence[int]) -> Program[None]:
        layout = self._store.layout(uid)
        yield from archive_entries(self._store, self._keeper, uid, ids)
        for start in range(0, len(ids), _ROWS_AT_ONCE):
            yield from delete_entries(self._store, layout, ids[start : start + _ROWS_AT_ONCE])
