"""Applies a planned migration in one transaction.

Steps run in the order of the plan. Removed rows are archived first (`archive`).
"""

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.dialect import Dialect
from quire.database.entries.copy_version import VersionReplacement, link_to_itself, replace_version
from quire.database.entries.deletion import delete_entries
from quire.database.entries.entry_tables import EntryStore, open_store
from quire.database.entries.versions_query import entries_of
from quire.database.migration.archive import ArchiveEntry, ArchiveWriter
from quire.database.migration.ddl_steps import TableWork
from quire.database.migration.dependents import archive_attribute, archive_entries, with_dependents
from quire.database.migration.dropped_versions import drafts_of, other_locales
from quire.database.migration.name_mapping import NameMapping
from quire.database.migration.plan import PlannedMigration, RequestedMigration, plan_program
from quire.database.migration.removed_models import delete_rows_about
from quire.database.migration.renamed_models import rename_fields, rename_models
from quire.database.migration.schema_pair import Renames, SchemaTables
from quire.database.migration.schema_record import record_schema, recorded_type
from quire.database.migration.settings_rewrite import restrict_to_locale, rewrite_settings
from quire.database.migration.steps import (
    BeginDrafts,
    BeginLocales,
    DropRows,
    EndDrafts,
    EndLocales,
    Plan,
    RenameField,
    RenameModel,
)
from quire.database.program import Program
from quire.database.target import DatabaseKind
from quire.schema.attributes.base import StorageKind
from quire.schema.model import Model, Schema

_ATTRIBUTES = "attributes"
_FREE = frozenset({_ATTRIBUTES, "info"})
"""Compared separately, or irrelevant."""


def extends(after: Schema, before: Schema) -> bool:
    """Tell whether rows that are written under ``before`` are complete under ``after``, too.

    They are if only types and attributes were added. Display names do not matter.
    """
    models_after = {model.uid: model for model in after.models()}
    return all(_is_in(model, models_after.get(model.uid)) for model in before.models())


def _is_in(before: Model, after: Model | None) -> bool:
    if after is None or _rest(before) != _rest(after):
        return False
    attributes_after = _attributes(after)
    return all(attributes_after.get(name) == raw for name, raw in _attributes(before).items())


def _rest(model: Model) -> dict[str, object]:
    return {key: value for key, value in recorded_type(model.raw).items() if key not in _FREE}


def _attributes(model: Model) -> Mapping[str, object]:
    attributes = model.raw.get(_ATTRIBUTES)
    return attributes if isinstance(attributes, Mapping) else {}


def post_migrate(
    store: EntryStore, plan: Plan, renames: Renames, table_names: Collection[str]
) -> Program[None]:
    """Take the steps of a plan that change rows of the later tables.

    ``table_names`` are the names of the former tables.
    """
    models: dict[str, str] = {}
    fields: dict[str, dict[str, str]] = {}
    for step in plan.steps:
        match step:
            case RenameModel():
                models[step.before] = step.after
            case RenameField():
                fields.setdefault(step.uid, {})[step.before] = step.after
            case _:
                continue
    yield from rename_models(store, models, table_names)
    for uid, names in fields.items():
        yield from rename_fields(store, uid, names)
    yield from rewrite_settings(store, NameMapping(store.schema, renames))
    for step in plan.steps:
        match step:
            case BeginLocales():
                yield from _begin_locales(store, step.uid, step.locale)
                yield from restrict_to_locale(store, step.uid, step.locale)
            case BeginDrafts():
                yield from _begin_drafts(store, step.uid)
            case _:
                continue


def _begin_locales(store: EntryStore, uid: str, locale: str) -> Program[None]:
    table = store.layout(uid).table
    column = table.columns["locale"]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        table_clause = sa.table(table.name, sa.column(column))
        change = sa.update(table_clause).values({column: builder.plain_slot(0)})
        return change.where(table_clause.c[column].is_(None))

    yield from store.writes.run(("begin locales", uid), build, (locale,))


def _begin_drafts(store: EntryStore, uid: str) -> Program[None]:
    """Give each entry a draft with the same content.

    Entries without components or links come first, as in Strapi, which creates all drafts at once.
    """
    layout = store.layout(uid)
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(layout.table.name)
        is_published = source.c(columns["publishedAt"]).is_not(None)
        query = sa.select(source.c("id"), source.c(columns["documentId"])).where(is_published)
        return query.order_by(source.c("id"))

    rows = yield from store.writes.run(("live entries", uid), build)
    bound_ids = yield from with_dependents(store, uid, [int(id_ or 0) for id_, _ in rows])
    rows.sort(key=lambda row: row[0] in bound_ids)
    drafts = []
    for id_, document in rows:
        entries = yield from entries_of(store, layout, str(document))
        replacement = VersionReplacement(
            source=int(id_ or 0),
            replaced_id=None,
            published=False,
            siblings=frozenset(entry.id for entry in entries),
        )
        changes = {columns["publishedAt"]: None}
        drafts.append((yield from replace_version(store, layout, replacement, changes)))
    for draft in drafts:
        yield from link_to_itself(store, draft)


class PreMigration:
    """Removes and archives rows while the tables are those of the former schema."""

    def __init__(
        self, store: EntryStore, archive: ArchiveWriter, default_locale: str | None, now: int
    ) -> None:
        """``now`` (epoch milliseconds) is the publication time of unpublished documents."""
        self._store = store
        self._keeper = archive
        self._default_locale = default_locale
        self._now = now

    def run(self, plan: Plan) -> Program[None]:
        """Take the steps of a plan that remove rows."""
        for step in plan.steps:
            match step:
                case DropRows():
                    yield from archive_attribute(
                        self._store, self._keeper, step.uid, step.attribute, step.component
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
            table_clause = sa.table(table.name, sa.column(column))
            return sa.update(table_clause).values({column: sa.null()})

        yield from self._store.writes.run(("end locales", uid), build)

    def _end_drafts(self, uid: str) -> Program[None]:
        table = self._store.layout(uid).table
        drafts = yield from drafts_of(self._store.writes, table.name)
        yield from self._take(uid, drafts.with_published)
        moment = self._store.dialect.encoder(StorageKind.DATETIME)(self._now)
        for id_ in drafts.never_published:
            changes = {table.columns["publishedAt"]: moment}
            yield from self._store.writes.update(table.name, id_, changes)

    def _take(self, uid: str, ids: Sequence[int]) -> Program[None]:
        layout = self._store.layout(uid)
        yield from archive_entries(self._store, self._keeper, uid, ids)
        yield from delete_entries(self._store, layout, ids)


class MigrationTarget(Struct, frozen=True, kw_only=True):
    """The database of a migration: its kind and its inspector."""

    kind: DatabaseKind
    dialect: Dialect


def plan_migration(place: MigrationTarget, change: RequestedMigration) -> Program[PlannedMigration]:
    """Inspect a database and plan a change of it; see `plan_program`."""
    writes = Writes(place.dialect)
    return (yield from plan_program(change, place.kind.inspector, place.kind.ddl, writes))


def migrate(
    place: MigrationTarget, migration: PlannedMigration, *, title: str, now: int
) -> Program[None]:
    """Carry out a plan, and record the schema of the tables.

    Run it in the transaction that the plan was made in, so that it still holds. ``now`` is epoch
    milliseconds; ``title`` describes the migration in the archive.
    """
    writes = Writes(place.dialect)
    existing_tables = yield from place.kind.inspector.tables()
    entry = ArchiveEntry(title=title, made_at=now)
    keeper = ArchiveWriter(writes, place.kind.ddl, place.kind.column_types, existing_tables, entry)
    change = migration.change
    if change.before is not None:
        store_before = _store(place, change.before)
        yield from PreMigration(store_before, keeper, change.default_locale, now).run(
            migration.plan
        )
    yield from TableWork(place.kind, existing_tables, change.after, writes, keeper).run(
        migration.structure
    )
    store_after = _store(place, change.after)
    if change.before is not None:
        former_uids = change.before.schema.content_types.keys()
        removed_uids = former_uids - set(migration.correspondence.models.values())
        yield from delete_rows_about(store_after, removed_uids, existing_tables)
    yield from post_migrate(store_after, migration.plan, change.renames, existing_tables)
    yield from keeper.finish()
    yield from record(writes, change)


def record(writes: Writes, change: RequestedMigration) -> Program[None]:
    """Record the schema of the tables, and which servers may go on as before."""
    before, after = change.before, change.after.schema
    is_more = before is not None and extends(after, before.schema)
    extended_version = before.schema.version if before is not None and is_more else None
    yield from record_schema(writes, after, change.renames, extends=extended_version)


def _store(place: MigrationTarget, side: SchemaTables) -> EntryStore:
    return open_store(side.schema, side.tables, place.dialect)
