"""Finds the drafts or locales of a type that will no longer have them."""

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import AliasedTable, StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program, Rows

_DOCUMENT = "document_id"
_LOCALE = "locale"
_PUBLISHED = "published_at"
_UPDATED = "updated_at"


class Drafts(Struct, frozen=True, kw_only=True):
    """The ids of the drafts of a table, with and without a published version.

    ``changed`` of those ``with_published`` were written after their published version.
    """

    with_published: tuple[int, ...]
    never_published: tuple[int, ...]
    changed: int


def drafts_of(writes: Writes, table: str) -> Program[Drafts]:
    """Find the drafts of a table."""

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        draft, published = builder.table(table), builder.table(table)
        is_same_entry = sa.and_(
            published.c(_DOCUMENT) == draft.c(_DOCUMENT),
            published.c(_LOCALE).is_not_distinct_from(draft.c(_LOCALE)),
            published.c(_PUBLISHED).is_not(None),
        )
        join = draft.source.outerjoin(published.source, is_same_entry)
        newer = sa.case((draft.c(_UPDATED) > published.c(_UPDATED), 1), else_=0)
        query = sa.select(draft.c("id"), sa.func.count(published.c("id")), sa.func.max(newer))
        drafts = query.select_from(join).where(draft.c(_PUBLISHED).is_(None))
        return drafts.group_by(draft.c("id")).order_by(draft.c("id"))

    rows = yield from writes.run(("drafts of", table), build)
    return Drafts(
        with_published=tuple(int(id_ or 0) for id_, count, _ in rows if count),
        never_published=tuple(int(id_ or 0) for id_, count, _ in rows if not count),
        changed=sum(int(newer or 0) for _, count, newer in rows if count),
    )


def other_locales(writes: Writes, table: str, default: str | None) -> Program[list[int]]:
    """Find the rows that are not in the locale which their document keeps.

    That is the default locale, or else the locale of its oldest row.
    """

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        row, first, default_row = (builder.table(table) for _ in range(3))
        default_one = _locale_of(default_row, row).where(
            default_row.c(_LOCALE) == builder.plain_slot(0)
        )
        oldest = _locale_of(first, row).where(first.c(_LOCALE).is_not(None))
        kept_locale = sa.func.coalesce(default_one.scalar_subquery(), oldest.scalar_subquery())
        other = sa.and_(row.c(_LOCALE).is_not(None), row.c(_LOCALE) != kept_locale)
        return sa.select(row.c("id")).select_from(row.source).where(other).order_by(row.c("id"))

    rows: Rows = yield from writes.run(("other locales", table), build, (default,))
    return [int(id_ or 0) for (id_,) in rows]


def _locale_of(table: AliasedTable, row: AliasedTable) -> "sa.Select[tuple[object]]":
    is_same_document = table.c(_DOCUMENT) == row.c(_DOCUMENT)
    query = sa.select(table.c(_LOCALE)).where(is_same_document).order_by(table.c("id"))
    return query.limit(sa.literal_column("1"))
