"""Rules about system tables: locales, migrations."""

import orjson
import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.integrity.examined_tables import ExaminedTables
from quire.database.integrity.findings import Damage, DamageKind, count_noun
from quire.database.program import Program
from quire.database.tables.system_tables import CORE_STORE, CURRENT_MIGRATIONS, INTERNAL_MIGRATIONS
from quire.schema.model import LOCALE_UID

DEFAULT_LOCALE_KEY = "plugin_i18n_default_locale"


class StoredLocales(Struct, frozen=True):
    """The configured default locale, and the first of all locales; ``None`` for none."""

    default: str | None
    first: str | None

    @property
    def effective(self) -> str | None:
        """The default locale after the repair."""
        return self.default or self.first


def locales_program(layout: ExaminedTables) -> Program[StoredLocales]:
    """Read which locale is the default, and which was created first."""
    default = yield from _default(layout)
    table = layout.tables[LOCALE_UID].name
    if not layout.has(table, "id", "code"):
        return StoredLocales(default, None)

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        rows = builder.table(table)
        oldest = sa.select(rows.c("code")).where(rows.c("code").is_not(None))
        return oldest.order_by(rows.c("id")).limit(sa.literal_column("1"))

    rows = yield from layout.run(build)
    return StoredLocales(default, str(rows[0][0]) if rows else None)


def _default(layout: ExaminedTables) -> Program[str | None]:
    if not layout.has(CORE_STORE, "key", "value"):
        return None

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        settings = builder.table(CORE_STORE)
        return sa.select(settings.c("value")).where(settings.c("key") == DEFAULT_LOCALE_KEY)

    rows = yield from layout.run(build)
    try:
        value = orjson.loads(str(rows[0][0])) if rows else None
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, str) and value else None


class DefaultLocaleRule(Struct, frozen=True):
    """A database with locales has a default locale.

    Without the setting, Strapi stores content without a locale.
    """

    layout: ExaminedTables
    locales: StoredLocales

    def find(self) -> Program[list[Damage]]:
        """Check whether there is a default locale, without another query."""
        yield from ()
        if self.locales.default is not None or self.locales.first is None:
            return []
        return [
            Damage(
                kind=DamageKind.DEFAULT_LOCALE,
                table=CORE_STORE,
                count=1,
                ids=(),
                sentence=f"the default locale ({DEFAULT_LOCALE_KEY}) is not set",
                repair=f"sets it to the oldest locale, {self.locales.first}",
            )
        ]

    def repair(self) -> Program[None]:
        """Make the oldest locale the default."""
        writes = Writes(self.layout.dialect)
        yield from self.layout.run(_forget_default)
        row = {
            "key": DEFAULT_LOCALE_KEY,
            "value": orjson.dumps(self.locales.first).decode(),
            "type": "string",
        }
        yield from writes.insert(CORE_STORE, row)


def _forget_default(_: StatementBuilder) -> sa.ClauseElement:
    settings = sa.table(CORE_STORE, sa.column("key"))
    return sa.delete(settings).where(settings.c.key == DEFAULT_LOCALE_KEY)


class MigrationRule(Struct, frozen=True):
    """All internal migrations of the current layout are recorded, each once.

    A database without those that change the meaning of content is not opened at all; the rest is
    for Strapi, which runs migrations that are not recorded.
    """

    layout: ExaminedTables

    def find(self) -> Program[list[Damage]]:
        """Compare the record with the known migrations."""
        if not self.layout.has(INTERNAL_MIGRATIONS, "name"):
            return []
        rows = yield from self.layout.run(_names)
        recorded_names = [str(name) for (name,) in rows]
        missing_names = [name for name in CURRENT_MIGRATIONS if name not in recorded_names]
        repeated_names = sorted({name for name in recorded_names if recorded_names.count(name) > 1})
        findings = []
        if missing_names:
            migrations = count_noun(len(missing_names), "migration")
            sentence = f"{migrations} not on record, which Strapi will run"
            findings.append(_migrations_finding(missing_names, sentence))
        if repeated_names:
            sentence = f"{count_noun(len(repeated_names), 'migration')} on record more than once"
            findings.append(_migrations_finding(repeated_names, sentence))
        return findings

    def repair(self) -> Program[None]:
        """Do nothing: no finding offers a repair of migrations."""
        yield from ()


def _names(builder: StatementBuilder) -> sa.ClauseElement:
    return sa.select(builder.table(INTERNAL_MIGRATIONS).c("name"))


def _migrations_finding(names: list[str], sentence: str) -> Damage:
    return Damage(
        kind=DamageKind.MIGRATIONS,
        table=INTERNAL_MIGRATIONS,
        count=len(names),
        ids=(),
        sentence=f"{sentence}: {', '.join(names)}",
    )
