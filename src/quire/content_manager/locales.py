"""Manages the locales of a project. Deleting a locale deletes its entries."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files

from msgspec import Struct

from quire.clock import Clock
from quire.database.compile.writes import Writes
from quire.database.program import Program, Statement, Value
from quire.database.stores.builtin_type_table import BaseRow, ContentTables
from quire.database.stores.core_store import (
    decode_setting,
    read_setting,
    setting_statement,
    write_setting,
)
from quire.database.stores.row_conditions import eq
from quire.document_service.commands import DeleteDocument, WrittenEntry
from quire.document_service.service import run_commands
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ApplicationError, NotFoundError
from quire.schema.model import LOCALE_UID, ContentType
from quire.webhooks.events import EventName

DEFAULT_LOCALE_KEY = "plugin_i18n_default_locale"
EXISTS = "This locale already exists"
NOT_FOUND = "locale.notFound"
DEFAULT_STAYS = "Cannot delete the default locale"
_DOCUMENTS_AT_ONCE = 500
"""How many documents are deleted together: so many writes are in memory if hooks are batched."""


@cache
def iso_locales() -> Mapping[str, str]:
    """Return the names of all locales that can be added, by code."""
    text = files(__package__).joinpath("iso_locales.json").read_text("utf-8")
    names: dict[str, str] = json.loads(text)
    return names


class LocaleRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """A locale as stored; times are epoch milliseconds."""

    id: int
    document_id: str | None = None
    name: str | None = None
    code: str | None = None
    created_at: int | None = None
    updated_at: int | None = None
    published_at: int | None = None


class ManagedLocale(Struct, frozen=True, kw_only=True):
    """A locale as stored, and whether it is the default one."""

    row: LocaleRow
    is_default: bool


class _VersionRow(BaseRow, frozen=True, rename="camel"):
    """A version of a document, ``None`` for a row of another program that belongs to none."""

    document_id: str | None
    published_at: int | None


class LocaleStore:
    """The programs that read and write locales."""

    def __init__(self, tables: ContentTables, clock: Clock) -> None:
        self._locales = tables.table_for(LOCALE_UID, LocaleRow)
        self._tables = tables
        self._clock = clock

    def all(self) -> Program[list[ManagedLocale]]:
        """Return all locales, in the order in which they were added."""
        rows = yield from self._locales.select()
        default = yield from self.default_code()
        return [ManagedLocale(row=row, is_default=row.code == default) for row in rows]

    def default_code(self) -> Program[str | None]:
        """Return the code of the default locale."""
        return read_default_locale(self._tables.store.writes)

    def create(self, code: str, name: str | None, *, default: bool) -> Program[ManagedLocale]:
        """Add a locale. Raises ApplicationError if it exists already."""
        if (yield from self._locales.exists(eq("code", code))):
            raise ApplicationError(EXISTS)
        values = {"code": code, "name": name or None}
        row_id = yield from self._locales.create(values, now=self._clock())
        if default:
            yield from self._make_default(code)
        return (yield from self.existing(row_id))

    def change(
        self, row_id: int, values: Mapping[str, object], *, default: bool
    ) -> Program[ManagedLocale]:
        """Change the name of a locale, or make it the default one. Raises NotFoundError."""
        locale = yield from self.existing(row_id)
        yield from self._locales.change(row_id, values, now=self._clock())
        if default:
            yield from self._make_default(str(locale.row.code))
        return (yield from self.existing(row_id))

    def delete(self, unit: UnitOfWork, row_id: int) -> Program[ManagedLocale]:
        """Delete a locale with all its entries; returns it.

        Raises NotFoundError, ApplicationError for the default one, and what hooks raise.
        """
        locale = yield from self.existing(row_id)
        if locale.is_default:
            raise ApplicationError(DEFAULT_STAYS)
        for content_type in self._tables.store.schema.content_types.values():
            if content_type.localized:
                yield from self._delete_entries(unit, content_type, str(locale.row.code))
        yield from self._locales.delete_ids([row_id])
        return locale

    def existing(self, row_id: int) -> Program[ManagedLocale]:
        """Return a locale. Raises NotFoundError."""
        row = yield from self._locales.get(row_id)
        if row is None:
            raise NotFoundError(NOT_FOUND)
        default = yield from self.default_code()
        return ManagedLocale(row=row, is_default=row.code == default)

    def _make_default(self, code: str) -> Program[None]:
        yield from write_setting(self._tables.store.writes, DEFAULT_LOCALE_KEY, code)

    def _delete_entries(
        self, unit: UnitOfWork, content_type: ContentType, code: str
    ) -> Program[None]:
        """Delete the entries of a type in a locale.

        The system deletes documents one by one where code of the project is called for it, else
        rows together. Webhooks get no events of them, as in Strapi, but those of what code writes.
        """
        uid, extensions = content_type.uid, unit.engine.extensions
        table = self._tables.table_for(uid, _VersionRow)
        rows = yield from table.select(eq("locale", code))
        unit.record_purges(_published_entries(uid, code, rows))
        calls_code = (uid, "delete") in {*extensions.writes, *extensions.around}
        document_ids = dict.fromkeys(
            row.document_id for row in rows if calls_code and row.document_id is not None
        )
        yield from table.delete_ids([row.id for row in rows if row.document_id not in document_ids])
        commands = [
            DeleteDocument(uid=uid, document_id=document_id, locale=code)
            for document_id in document_ids
        ]
        for start in range(0, len(commands), _DOCUMENTS_AT_ONCE):
            act = partial(run_commands, unit, commands[start : start + _DOCUMENTS_AT_ONCE])
            earlier_events = len(unit.events)
            yield from unit.nested(act, as_system=True, causes=())
            unit.events[earlier_events:] = [
                event
                for event in unit.events[earlier_events:]
                if (event.name, event.uid, event.locale) != (EventName.DELETE, uid, code)
            ]


def _published_entries(
    uid: str, locale: str, rows: Sequence[_VersionRow]
) -> Iterator[WrittenEntry]:
    for row in rows:
        if row.document_id is not None and row.published_at is not None:
            yield WrittenEntry(
                uid=uid,
                document_id=row.document_id,
                entry_id=row.id,
                locale=locale,
                published=True,
            )


def read_default_locale(writes: Writes) -> Program[str | None]:
    """Return the code of the default locale, ``None`` in a project without locales."""
    setting = yield from read_setting(writes, DEFAULT_LOCALE_KEY)
    return setting if isinstance(setting, str) else None


def default_locale_statement(writes: Writes) -> Statement:
    """Return the statement that finds the stored form of the default locale."""
    return setting_statement(writes, DEFAULT_LOCALE_KEY)


def default_locale_of(value: Value) -> str | None:
    """Return the code of the default locale from its stored form."""
    code = decode_setting(value)
    return code if isinstance(code, str) else None
