"""Updates rows after the tables were changed: names, locales, drafts."""

from collections.abc import Collection

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.copy_version import VersionReplacement, link_to_itself, replace_version
from quire.database.entries.store import EntryStore
from quire.database.entries.versions_query import entries_of
from quire.database.migration.dependents import with_dependents
from quire.database.migration.name_mapping import NameMapping
from quire.database.migration.renamed_models import rename_fields, rename_models
from quire.database.migration.schema_pair import Renames
from quire.database.migration.settings_rewrite import rewrite_settings
from quire.database.migration.steps import (
    BeginDrafts,
    BeginLocales,
    Plan,
    RenameField,
    RenameModel,
)
from quire.database.program import Program


def post_migrate(
    store: EntryStore, plan: Plan, renames: Renames, found: Collection[str]
) -> Program[None]:
    """Take the steps of a plan that are about rows of the later tables.

    ``found`` are the names of the tables that there were before.
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
    yield from rename_models(store, models, found)
    for uid, names in fields.items():
        yield from rename_fields(store, uid, names)
    yield from rewrite_settings(store, NameMapping(store.schema, renames))
    for step in plan.steps:
        match step:
            case BeginLocales():
                yield from _begin_locales(store, step.uid, step.locale)
            case BeginDrafts():
                yield from _begin_drafts(store, step.uid)
            case _:
                continue


def _begin_locales(store: EntryStore, uid: str, locale: str) -> Program[None]:
    table = store.layout(uid).table
    column = table.columns["locale"]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        described = sa.table(table.name, sa.column(column))
        change = sa.update(described).values({column: builder.plain_slot(0)})
        return change.where(described.c[column].is_(None))

    yield from store.writes.run(("begin locales", uid), build, (locale,))


def _begin_drafts(store: EntryStore, uid: str) -> Program[None]:
    """Give each entry a draft that says the same.

    Those that have no components or links come first, as they are done first by the reference,
    which makes all drafts at once.
    """
    layout = store.layout(uid)
    columns = layout.table.columns

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(layout.table.name)
        live = source.c(columns["publishedAt"]).is_not(None)
        chosen = sa.select(source.c("id"), source.c(columns["documentId"])).where(live)
        return chosen.order_by(source.c("id"))

    rows = yield from store.writes.run(("live entries", uid), build)
    bound = yield from with_dependents(store, uid, [int(id_ or 0) for id_, _ in rows])
    rows.sort(key=lambda row: row[0] in bound)
    made = []
    for id_, document in rows:
        entries = yield from entries_of(store, layout, str(document))
        replacement = VersionReplacement(
            source=int(id_ or 0),
            prior=None,
            published=False,
            siblings=frozenset(entry.id for entry in entries),
        )
        changes = {columns["publishedAt"]: None}
        made.append((yield from replace_version(store, layout, replacement, changes)))
    for new in made:
        yield from link_to_itself(store, new)
