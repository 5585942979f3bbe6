"""Rules about document ids, locales and single types."""

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.sql.elements import ColumnElement

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.integrity.examined_tables import (
    DamageQuery,
    ExaminedTables,
    ids_of,
    is_same,
    plain_table,
)
from quire.database.integrity.findings import Damage, DamageKind
from quire.database.integrity.integrity_rule import IntegrityRule, Repair, RowRule
from quire.database.program import Program
from quire.ids import new_document_id
from quire.schema import model
from quire.schema.model import ContentType

DOCUMENT_ID = "document_id"
LOCALE = "locale"
PUBLISHED_AT = "published_at"
UPDATED_AT = "updated_at"
VERSION_COLUMNS = ("id", DOCUMENT_ID, LOCALE, PUBLISHED_AT, UPDATED_AT)

_CHUNK = 500
"""How many rows get their document ids in one statement."""


def identity_rules(layout: ExaminedTables, default_locale: str | None) -> Iterator[IntegrityRule]:
    """Return the rules about rows without a document or a locale, for every content type.

    ``default_locale`` is set for rows without a locale; without one they are only reported.
    """
    for content_type in layout.schema.content_types.values():
        table = layout.tables[content_type.uid].name
        if layout.has(table, "id", DOCUMENT_ID):
            yield DocumentIdRule(layout, table)
    for content_type in own_types(layout):
        table = layout.tables[content_type.uid].name
        if content_type.localized:
            yield _locale_rule(layout, content_type, table, default_locale)
        else:
            yield RowRule(
                layout=layout,
                kind=DamageKind.SEVERAL_LOCALES,
                table=table,
                damaged=_select_several_locales(table),
                phrase="of documents with several locales in a content type that is not localized",
            )
        if content_type.kind is model.TypeKind.SINGLE:
            yield RowRule(
                layout=layout,
                kind=DamageKind.SEVERAL_DOCUMENTS,
                table=table,
                damaged=_select_further_documents(table),
                phrase="beside the document of a single type, which is that of its oldest row",
            )


def own_types(layout: ExaminedTables) -> Iterator[ContentType]:
    """Iterate over the project's content types whose versions can be distinguished."""
    for content_type in layout.schema.api_types:
        if layout.has(layout.tables[content_type.uid].name, *VERSION_COLUMNS):
            yield content_type


def newest_first(rows: AliasedTable) -> tuple[ColumnElement[Any], ...]:
    """Order rows by time of update, then id, newest first."""
    return rows.c(UPDATED_AT).desc().nulls_last(), rows.c("id").desc()


def same_status(
    content_type: ContentType, left: AliasedTable, right: AliasedTable
) -> ColumnElement[bool]:
    """Return the condition that two rows of a content type have the same status."""
    if not content_type.draft_and_publish:
        return sa.true()
    return left.c(PUBLISHED_AT).is_(None) == right.c(PUBLISHED_AT).is_(None)


class DocumentIdRule(Struct, frozen=True):
    """Every row belongs to a document.

    Which rows without an id belonged together is unknown, so each becomes its own document.
    """

    layout: ExaminedTables
    table: str

    def find(self) -> Program[list[Damage]]:
        """List the rows without a document id."""
        findings = yield from RowRule(
            layout=self.layout,
            kind=DamageKind.NO_DOCUMENT_ID,
            table=self.table,
            damaged=self._select_without_id,
            phrase="without a document id",
            repair_action=Repair(text="gives each a new one"),
        ).find()
        return findings

    def repair(self) -> Program[None]:
        """Give each row a new document id."""
        rows = yield from self.layout.run(self._select_without_id)
        ids = [int(id_ or 0) for (id_,) in rows]
        for start in range(0, len(ids), _CHUNK):
            document_ids = {id_: new_document_id() for id_ in ids[start : start + _CHUNK]}
            yield from self._assign(document_ids)

    def _select_without_id(self, builder: StatementBuilder) -> sa.Select[Any]:
        rows = builder.table(self.table)
        return ids_of(rows, rows.c(DOCUMENT_ID).is_(None) | (rows.c(DOCUMENT_ID) == ""))

    def _assign(self, document_ids: dict[int, str]) -> Program[None]:
        def change(builder: StatementBuilder) -> sa.ClauseElement:
            table = plain_table(self.table, "id", DOCUMENT_ID)
            condition = self.layout.dialect.member_of(
                table.c.id, self.layout.bind_ids(builder, list(document_ids))
            )
            document_id = sa.case(document_ids, value=table.c.id)
            return sa.update(table).values({DOCUMENT_ID: document_id}).where(condition)

        yield from self.layout.run(change)


def _locale_rule(
    layout: ExaminedTables, content_type: ContentType, table: str, default: str | None
) -> RowRule:
    """Localized content has a locale.

    A row gets the default locale, unless its document has a version in that locale: then there
    would be two, and only a person can decide.
    """

    def without_locale(builder: StatementBuilder) -> sa.Select[Any]:
        rows = builder.table(table)
        return ids_of(rows, rows.c(LOCALE).is_(None))

    def free(builder: StatementBuilder) -> sa.Select[Any]:
        rows, other = builder.table(table), builder.table(table)
        version = (
            is_same(other.c(DOCUMENT_ID), rows.c(DOCUMENT_ID))
            & (other.c(LOCALE) == default)
            & same_status(content_type, other, rows)
        )
        has_version = sa.exists(sa.select(other.c("id")).where(version))
        return ids_of(rows, rows.c(LOCALE).is_(None), ~has_version)

    text = f"sets the default locale, {default}, where the document has no such version"
    return RowRule(
        layout=layout,
        kind=DamageKind.NO_LOCALE,
        table=table,
        damaged=without_locale,
        phrase="without a locale in a localized content type",
        repair_action=Repair(text=text, assigned={LOCALE: default}, repairable=free)
        if default
        else None,
    )


def _select_several_locales(table: str) -> DamageQuery:
    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        rows, inner = builder.table(table), builder.table(table)
        locale = sa.func.coalesce(inner.c(LOCALE), "")
        document_ids = sa.select(inner.c(DOCUMENT_ID)).group_by(inner.c(DOCUMENT_ID))
        document_ids = document_ids.having(sa.func.min(locale) != sa.func.max(locale))
        return ids_of(rows, rows.c(DOCUMENT_ID).in_(document_ids))

    return damaged


def _select_further_documents(table: str) -> DamageQuery:
    def damaged(builder: StatementBuilder) -> sa.Select[Any]:
        rows, inner, first = builder.table(table), builder.table(table), builder.table(table)
        oldest = sa.select(sa.func.min(inner.c("id"))).scalar_subquery()
        document_id = (
            sa.select(first.c(DOCUMENT_ID)).where(first.c("id") == oldest).scalar_subquery()
        )
        return ids_of(rows, ~is_same(rows.c(DOCUMENT_ID), document_id))

    return damaged
