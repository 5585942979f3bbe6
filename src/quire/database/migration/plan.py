"""Plans a migration: the steps, and the number of rows that each affects."""

from collections.abc import Iterator

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.migration.dropped_versions import drafts_of, other_locales
from quire.database.migration.impact import RowCounter
from quire.database.migration.schema_diff import StructureChange, TableChange, diff_schema
from quire.database.migration.schema_match import LostRows, SchemaMatch, match_schemas
from quire.database.migration.schema_pair import Renames, SchemaTables
from quire.database.migration.steps import (
    AddColumn,
    BeginDrafts,
    BeginLocales,
    ConvertColumn,
    CreateIndex,
    CreateTable,
    DropColumn,
    DropIndex,
    DropRows,
    DropTable,
    EndDrafts,
    EndLocales,
    MigrationNotice,
    Plan,
    RenameColumn,
    RenameField,
    RenameModel,
    RenameTable,
    SeveralDocuments,
    Step,
)
from quire.database.program import Program
from quire.database.tables.ddl import DdlWriter
from quire.database.tables.inspection import FoundTables, Inspector
from quire.database.tables.table_map import (
    COMPONENT_TYPE,
    FIELD,
    ComponentEdge,
    MorphTargetEdge,
)
from quire.schema.attributes.base import ScalarAttribute, StorageKind
from quire.schema.model import ContentType, Model, TypeKind

_NO_MATCH = SchemaMatch(models={}, matched_tables=(), lost_rows=(), renamed=())


def notices_program(
    before: SchemaTables | None,
    after: SchemaTables,
    correspondence: SchemaMatch,
    renames: Renames,
    existing_tables: FoundTables,
    writes: Writes,
) -> Program[list[MigrationNotice]]:
    """Check each attribute that has become required, unique or an enumeration since ``before``."""
    if before is None:
        return []
    notices: list[MigrationNotice] = []
    for uid, old_uid in correspondence.models.items():
        old_model, new_model = before.schema.model(old_uid), after.schema.model(uid)
        table = before.tables[old_uid]
        if table.name not in existing_tables:
            continue
        look = _ModelInspection(
            old_model, new_model, existing_tables[table.name].name, RowCounter(writes), writes
        )
        for attribute in new_model.scalars:
            old_attribute = old_model.attributes.get(
                renames.earlier_name(uid, attribute.name) or ""
            )
            if isinstance(old_attribute, ScalarAttribute):
                column = table.columns[old_attribute.name]
                if column in existing_tables[table.name].columns:
                    notices += yield from look.check_attribute(old_attribute, attribute, column)
            elif attribute.required and isinstance(new_model, ContentType) and new_model.is_api:
                notices += yield from look.new(attribute)
    return [notice for notice in notices if notice.rows]


class _ModelInspection:
    """Checks the rows of one model."""

    def __init__(
        self, old_model: Model, new_model: Model, table: str, counting: RowCounter, writes: Writes
    ) -> None:
        self._old_model = old_model
        self._new_model = new_model
        self._table = table
        self._counting = counting
        self._writes = writes

    def check_attribute(
        self, old_attribute: ScalarAttribute, new_attribute: ScalarAttribute, column: str
    ) -> Program[list[MigrationNotice]]:
        """Check an attribute that existed before."""
        notices = []
        if new_attribute.required and not old_attribute.required:
            rows = yield from self._counting.rows(self._table, lacking=column)
            notices.append(self._notice(new_attribute, rows, "is required"))
        if _is_unique(new_attribute) and not _is_unique(old_attribute):
            rows = yield from self._counting.repeated(
                self._table, column, documents=isinstance(self._old_model, ContentType)
            )
            notices.append(self._notice(new_attribute, rows, "has to be unique"))
        choices = tuple(_choices(new_attribute))
        if (
            choices
            and tuple(_choices(old_attribute)) != choices
            and old_attribute.storage is StorageKind.STRING
        ):
            rows = yield from self._count_other_values(column, choices)
            notices.append(self._notice(new_attribute, rows, f"is none of {', '.join(choices)}"))
        return notices

    def new(self, new_attribute: ScalarAttribute) -> Program[list[MigrationNotice]]:
        """Check a new required attribute: no row has a value yet."""
        rows = yield from self._counting.rows(self._table)
        return [self._notice(new_attribute, rows, "is required")]

    def _notice(self, attribute: ScalarAttribute, rows: int, rule: str) -> MigrationNotice:
        return MigrationNotice(
            uid=self._new_model.uid, attribute=attribute.name, rows=rows, rule=rule
        )

    def _count_other_values(self, column: str, choices: tuple[str, ...]) -> Program[int]:
        def build(builder: StatementBuilder) -> sa.ClauseElement:
            source = builder.table(self._table)
            member = self._writes.dialect.member_of(source.c(column), builder.parents())
            query = sa.select(sa.func.count()).select_from(source.source)
            return query.where(source.c(column).is_not(None), sa.not_(member))

        key = ("other choices", self._table, column)
        rows = yield from self._writes.run_listed(key, build, choices)
        return int(rows[0][0] or 0)


def _is_unique(attribute: ScalarAttribute) -> bool:
    return attribute.unique or attribute.type.unique


def _choices(attribute: ScalarAttribute) -> Iterator[str]:
    values = attribute.raw.get("enum") if attribute.raw.get("type") == "enumeration" else None
    if isinstance(values, list):
        yield from (str(value) for value in values)


class RequestedMigration(Struct, frozen=True, kw_only=True):
    """A requested migration.

    ``before`` is the schema that the database was made for, ``None`` if unknown: then only missing
    tables can be created. ``default_locale`` is that of the project, ``None`` without locales.
    """

    before: SchemaTables | None
    after: SchemaTables
    renames: Renames
    default_locale: str | None


class PlannedMigration(Struct, frozen=True, kw_only=True):
    """A plan with all that is needed to carry it out."""

    change: RequestedMigration
    plan: Plan
    structure: StructureChange
    correspondence: SchemaMatch


def plan_program(
    change: RequestedMigration, inspector: Inspector, writer: DdlWriter, writes: Writes
) -> Program[PlannedMigration]:
    """Inspect the tables and rows of a database, and plan. Changes nothing.

    Raises MigrationConflictError when a new table or column exists already.
    """
    existing_tables = yield from inspector.tables()
    correspondence = (
        _NO_MATCH
        if change.before is None
        else match_schemas(change.before, change.after, change.renames)
    )
    structure = diff_schema(
        None if change.before is None else change.before.metadata,
        change.after.metadata,
        existing_tables,
        correspondence.matched_tables,
        writer,
    )
    planner = _Planner(change, correspondence, structure, existing_tables, writes)
    steps = yield from planner.steps()
    several_documents = yield from planner.several_documents()
    notices = yield from notices_program(
        change.before, change.after, correspondence, change.renames, existing_tables, writes
    )
    return PlannedMigration(
        change=change,
        plan=Plan(
            steps=tuple(steps), notices=tuple(notices), several_documents=tuple(several_documents)
        ),
        structure=structure,
        correspondence=correspondence,
    )


class _Planner:
    def __init__(
        self,
        change: RequestedMigration,
        correspondence: SchemaMatch,
        structure: StructureChange,
        existing_tables: FoundTables,
        writes: Writes,
    ) -> None:
        self._change = change
        self._correspondence = correspondence
        self._structure = structure
        self._found = existing_tables
        self._counting = RowCounter(writes)
        self._writes = writes

    def steps(self) -> Program[list[Step]]:
        """List the steps in the order in which they are taken."""
        steps: list[Step] = []
        if self._change.before is not None:
            steps += yield from self._plan_removals(self._change.before)
        steps += yield from self._structural()
        steps += self._renaming()
        if self._change.before is not None:
            steps += yield from self._plan_additions(self._change.before)
        return steps

    def several_documents(self) -> Program[list[SeveralDocuments]]:
        """List the types with too many documents for what they become."""
        several_documents: list[SeveralDocuments] = []
        before = self._change.before
        if before is None:
            return several_documents
        for old_type, new_type in self._content_types(before):
            if old_type.kind is TypeKind.COLLECTION and new_type.kind is TypeKind.SINGLE:
                count = yield from self._counting.documents(before.tables[old_type.uid].name)
                if count > 1:
                    several_documents.append(SeveralDocuments(uid=new_type.uid, documents=count))
        return several_documents

    def _plan_removals(self, before: SchemaTables) -> Program[list[Step]]:
        """Plan the removal of rows, which happens while the tables are still the former ones."""
        steps: list[Step] = []
        for lost in self._correspondence.lost_rows:
            rows = yield from self._lost_rows(before, lost)
            if rows:
                steps.append(
                    DropRows(
                        uid=lost.uid,
                        attribute=lost.attribute,
                        rows=rows,
                        component=lost.component,
                    )
                )
        for old_type, new_type in self._content_types(before):
            if old_type.localized and not new_type.localized:
                steps.append((yield from self._end_of_locales(before, old_type)))
            if old_type.draft_and_publish and not new_type.draft_and_publish:
                steps.append((yield from self._end_of_drafts(before, old_type)))
        return steps

    def _structural(self) -> Program[list[Step]]:
        steps: list[Step] = []
        for name in self._structure.dropped:
            rows = yield from self._counting.rows(name)
            steps.append(DropTable(table=name, rows=rows))
        changed_tables = self._structure.changed
        for table in changed_tables:
            steps += [DropIndex(table=table.before, index=name) for name in table.dropped_indexes]
            for column in table.dropped:
                rows = yield from self._counting.rows(table.before, having=column)
                steps.append(DropColumn(table=table.before, column=column, rows=rows))
        for table in changed_tables:
            if table.before != table.after:
                steps.append(RenameTable(before=table.before, after=table.after))
        for table in changed_tables:
            steps += [
                RenameColumn(table=table.after, before=before, after=after)
                for before, after in table.renamed.items()
            ]
            steps += yield from self._conversions(table)
        steps += [CreateTable(table=name) for name in self._structure.created]
        for table in changed_tables:
            steps += [AddColumn(table=table.after, column=name) for name in table.added]
        for table in changed_tables:
            steps += [CreateIndex(table=table.after, index=name) for name in table.created_indexes]
        return steps

    def _conversions(self, table: TableChange) -> Program[list[ConvertColumn]]:
        steps = []
        old_names = {new_name: name for name, new_name in table.renamed.items()}
        for retyped_column in table.retyped:
            column = old_names.get(retyped_column.column, retyped_column.column)
            rows = yield from self._counting.rows(table.before, having=column)
            unfit = yield from self._counting.unfit(
                table.before, column, retyped_column.before, retyped_column.after
            )
            steps.append(
                ConvertColumn(
                    table=table.after,
                    column=retyped_column.column,
                    before=retyped_column.before,
                    after=retyped_column.after,
                    rows=rows,
                    unfit=unfit,
                )
            )
        return steps

    def _renaming(self) -> Iterator[Step]:
        for renamed_field in self._correspondence.renamed:
            yield RenameField(
                uid=renamed_field.uid, before=renamed_field.before, after=renamed_field.after
            )
        for uid, old_uid in self._correspondence.models.items():
            if uid != old_uid:
                yield RenameModel(before=old_uid, after=uid)

    def _plan_additions(self, before: SchemaTables) -> Program[list[Step]]:
        """Plan the additions to rows, which happen once the tables are the later ones."""
        steps: list[Step] = []
        for old_type, new_type in self._content_types(before):
            table = before.tables[old_type.uid].name
            if (
                new_type.localized
                and not old_type.localized
                and self._change.default_locale is not None
            ):
                rows = yield from self._counting.rows(table, lacking="locale")
                locale = self._change.default_locale
                steps.append(BeginLocales(uid=new_type.uid, rows=rows, locale=locale))
            if new_type.draft_and_publish and not old_type.draft_and_publish:
                rows = yield from self._counting.rows(table, having="published_at")
                steps.append(BeginDrafts(uid=new_type.uid, rows=rows))
        return steps

    def _content_types(self, before: SchemaTables) -> Iterator[tuple[ContentType, ContentType]]:
        """Iterate over matched content types with a table: former and later."""
        types = self._change.after.schema.content_types
        for uid, old_uid in self._correspondence.models.items():
            old_type = before.schema.content_types.get(old_uid)
            if old_type is not None and uid in types and before.tables[old_uid].name in self._found:
                yield old_type, types[uid]

    def _lost_rows(self, before: SchemaTables, lost: LostRows) -> Program[int]:
        table = before.tables[lost.uid]
        match table.edges[lost.attribute]:
            case ComponentEdge() as edge if edge.table in self._found:
                values = {FIELD: edge.field}
                if lost.component is not None:
                    values[COMPONENT_TYPE] = lost.component
                return (yield from self._counting.rows_with(edge.table, **values))
            case MorphTargetEdge() as edge if edge.table in self._found:
                values = {edge.source_type_column: edge.type_value, FIELD: edge.field}
                return (yield from self._counting.rows_with(edge.table, **values))
            case _:
                return 0

    def _end_of_locales(self, before: SchemaTables, type_: ContentType) -> Program[EndLocales]:
        rows = yield from other_locales(
            self._writes, before.tables[type_.uid].name, self._change.default_locale
        )
        return EndLocales(uid=type_.uid, rows=len(rows))

    def _end_of_drafts(self, before: SchemaTables, type_: ContentType) -> Program[EndDrafts]:
        drafts = yield from drafts_of(self._writes, before.tables[type_.uid].name)
        return EndDrafts(
            uid=type_.uid,
            rows=len(drafts.with_published),
            changed=drafts.changed,
            remaining=len(drafts.never_published),
        )
