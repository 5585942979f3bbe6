"""Rows that the new schema would not accept; they are reported, not changed."""

from collections.abc import Iterator

import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.migration.impact import RowCounter
from quire.database.migration.schema_match import SchemaMatch
from quire.database.migration.schema_pair import Renames, SchemaTables
from quire.database.migration.steps import Notice
from quire.database.program import Program
from quire.database.tables.inspection import FoundTables
from quire.schema.attributes.base import ScalarAttribute, StorageKind
from quire.schema.model import ContentType, Model


def notices_program(
    before: SchemaTables | None,
    after: SchemaTables,
    correspondence: SchemaMatch,
    renames: Renames,
    found: FoundTables,
    writes: Writes,
) -> Program[list[Notice]]:
    """Look at each attribute that has become required, unique or a choice since ``before``."""
    if before is None:
        return []
    notices: list[Notice] = []
    for uid, earlier in correspondence.models.items():
        was, will = before.schema.model(earlier), after.schema.model(uid)
        table = before.tables[earlier]
        if table.name not in found:
            continue
        look = _Look(was, will, found[table.name].name, RowCounter(writes), writes)
        for attribute in will.scalars:
            former = was.attributes.get(renames.earlier_name(uid, attribute.name) or "")
            if isinstance(former, ScalarAttribute):
                column = table.columns[former.name]
                if column in found[table.name].columns:
                    notices += yield from look.at(former, attribute, column)
            elif attribute.required and isinstance(will, ContentType) and will.is_api:
                notices += yield from look.new(attribute)
    return [notice for notice in notices if notice.rows]


class _Look:
    """Looks at the rows of one model."""

    def __init__(
        self, was: Model, will: Model, table: str, counting: RowCounter, writes: Writes
    ) -> None:
        self._was = was
        self._will = will
        self._table = table
        self._counting = counting
        self._writes = writes

    def at(self, was: ScalarAttribute, will: ScalarAttribute, column: str) -> Program[list[Notice]]:
        """Look at an attribute that was there before."""
        notices = []
        if will.required and not was.required:
            rows = yield from self._counting.rows(self._table, lacking=column)
            notices.append(self._notice(will, rows, "is required"))
        if _is_unique(will) and not _is_unique(was):
            rows = yield from self._counting.repeated(
                self._table, column, documents=isinstance(self._was, ContentType)
            )
            notices.append(self._notice(will, rows, "has to be unique"))
        choices = tuple(_choices(will))
        if choices and tuple(_choices(was)) != choices and was.storage is StorageKind.STRING:
            rows = yield from self._others(column, choices)
            notices.append(self._notice(will, rows, f"is none of {', '.join(choices)}"))
        return notices

    def new(self, will: ScalarAttribute) -> Program[list[Notice]]:
        """Look at a required attribute that was not there before: no row has a value yet."""
        rows = yield from self._counting.rows(self._table)
        return [self._notice(will, rows, "is required")]

    def _notice(self, attribute: ScalarAttribute, rows: int, rule: str) -> Notice:
        return Notice(uid=self._will.uid, attribute=attribute.name, rows=rows, rule=rule)

    def _others(self, column: str, choices: tuple[str, ...]) -> Program[int]:
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
    listed = attribute.raw.get("enum") if attribute.raw.get("type") == "enumeration" else None
    if isinstance(listed, list):
        yield from (str(one) for one in listed)
