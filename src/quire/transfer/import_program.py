"""The program that replaces the content of a database by that of an archive."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct, field

from quire.auth.admin.second_factor import SECOND_FACTOR_KEY
from quire.auth.sessions import SESSION_UID
from quire.auth.token_issuer import ORIGIN
from quire.content_manager.review.workflows import REVIEW_ROLES_KEY
from quire.database.compile.writes import Writes
from quire.database.entries.deletion import delete_all_rows
from quire.database.entries.entry_tables import open_store
from quire.database.migration.schema_record import OUR_RECORD, THEIR_RECORD
from quire.database.program import Program
from quire.database.schema_version import SCHEMA_KEY
from quire.database.stores.auth_rows import CUSTOM_GRANTS_KEY, ROW_RULES_KEY
from quire.database.stores.core_store import read_setting, replace_settings, setting_keys
from quire.database.stores.row_conditions import eq
from quire.database.stores.slow_lists import KEY as SLOW_LISTS_KEY
from quire.database.stores.table import open_table
from quire.database.stores.webhooks import Webhooks
from quire.database.tables.system_tables import LOG_MARK_KEY
from quire.database.tables.table_map import TableMap
from quire.database.target import DatabaseKind
from quire.errors import TransferError
from quire.schema.model import FILE_UID, Schema
from quire.transfer.archive_format import ArchiveStage, ConfigurationLine, EntityLine, LinkLine
from quire.transfer.entry_rows import (
    ArchiveRow,
    ColumnChange,
    EntryRows,
    LinkRows,
    group_rows,
)
from quire.transfer.review_roles import stored_review_roles
from quire.transfer.unpacking import UnpackedArchive

LineT = TypeVar("LineT")

DATABASE_SETTINGS = frozenset({OUR_RECORD, THEIR_RECORD, SCHEMA_KEY, SLOW_LISTS_KEY, LOG_MARK_KEY})
"""Settings about a database rather than its content."""

_ADMINISTRATION = "admin::"
"""The namespace of administrators; Strapi exports their sessions, which nobody can use."""
_EXCLUDED_PREFIXES = (_ADMINISTRATION, "plugin::content-releases.")
_ENTRIES_AT_ONCE = 200
_CORE_STORE = "core-store"
_WEBHOOK = "webhook"


def is_exported(uid: str) -> bool:
    """Tell whether rows of a type are in archives: those of administrators and releases are not."""
    return not uid.startswith(_EXCLUDED_PREFIXES)


def is_exported_setting(key: str) -> bool:
    """Tell whether a setting is in archives: those of a database or an administrator are not."""
    return key not in DATABASE_SETTINGS and not key.startswith(SECOND_FACTOR_KEY)


class ImportCounts(Struct, kw_only=True):
    """The numbers of stored and skipped rows of an import.

    ``dangling_links`` have a source or target that the archive does not contain;
    ``copied_components`` were shared by two entries, of which one gets a copy;
    ``closed_stages`` of review workflows are for roles that the project does not have.
    """

    entries: int = 0
    links: int = 0
    settings: int = 0
    webhooks: int = 0
    dangling_links: int = 0
    copied_components: int = 0
    closed_stages: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    """Rows of types that the project does not have, by uid."""


class _SessionRow(Struct, frozen=True, kw_only=True):
    id: int
    origin: str | None = None


class ArchiveImport(Struct, frozen=True, kw_only=True):
    """Replaces the content of a project by that of an archive.

    ``file_values`` returns the values of a row of the media library as stored. ``advance`` is
    called with the number of lines since the last call.
    """

    archive: UnpackedArchive
    schema: Schema
    tables: TableMap
    kind: DatabaseKind
    file_values: Callable[[Mapping[str, object]], dict[str, object]]
    advance: Callable[[int], None]

    def check(self) -> ImportCounts:
        """Read all lines as the import does, without a database; returns what it would store.

        Raises TransferError for the first line that cannot be stored.
        """
        counts = ImportCounts()
        for _ in self._rows(counts):
            pass
        return counts

    def program(self) -> Program[ImportCounts]:
        """Delete the present content and store that of the archive."""
        counts = ImportCounts()
        writes = Writes(self.kind.dialect())
        uids = self.replaced_uids()
        yield from delete_all_rows(self.tables, uids, self.kind.inspector)
        for batch in self._rows(counts):
            yield from store_rows(writes, batch)
        yield from self.import_configuration(writes, counts)
        for uid in uids:
            yield from self.kind.counters.raise_to(self.tables[uid].name, 0)
        return counts

    def replaced_uids(self) -> list[str]:
        """Return the content types and components whose rows are replaced."""
        types = [uid for uid in self.schema.content_types if is_exported(uid)]
        return [*types, *self.schema.components]

    def entity_lines(self, counts: ImportCounts) -> Iterator[EntityLine]:
        """Iterate over the rows that the project has a type for; count them and the others."""
        for line in self.archive.lines(ArchiveStage.ENTITIES, EntityLine):
            if line.type.startswith(_ADMINISTRATION):
                continue
            if line.type not in self.schema.content_types or not is_exported(line.type):
                counts.left_out[line.type] = counts.left_out.get(line.type, 0) + 1
                continue
            counts.entries += 1
            yield self._replace_urls(line)

    def count_configuration(self, counts: ImportCounts) -> None:
        """Count settings and webhooks. Raises TransferError for invalid ones."""
        for line in self._configuration_lines():
            counts.settings += line.type == _CORE_STORE
            counts.webhooks += line.type == _WEBHOOK

    def _rows(self, counts: ImportCounts) -> Iterator["RowBatch"]:
        """Yield batches of rows, first of entries, then of links; count rows and settings."""
        entries = EntryRows(self.schema, self.tables, self.kind.dialect())
        yield from self._entries(entries, counts)
        counts.copied_components = entries.renumbered
        links = LinkRows(self.schema, self.tables, entries.known, self.kind.dialect())
        yield from self._links(links, counts)
        counts.dangling_links = links.dangling
        self.count_configuration(counts)

    def _entries(self, entries: EntryRows, counts: ImportCounts) -> Iterator["RowBatch"]:
        return self._batches(
            self.entity_lines(counts), lambda batch, line: batch.add(entries.rows(line))
        )

    def _batches(
        self, lines: Iterable[LineT], add: Callable[["RowBatch", LineT], None]
    ) -> Iterator["RowBatch"]:
        """Yield the rows of lines, of some hundred lines at a time."""
        batch = RowBatch()
        for number, line in enumerate(lines, 1):
            add(batch, line)
            if number % _ENTRIES_AT_ONCE == 0:
                yield batch
                self.advance(_ENTRIES_AT_ONCE)
                batch = RowBatch()
        yield batch

    def _replace_urls(self, line: EntityLine) -> EntityLine:
        """Return a line with the URLs that its file has in the storage of the project."""
        if line.type != FILE_UID:
            return line
        return msgspec.structs.replace(line, data=self.file_values(line.data))

    def _links(self, links: LinkRows, counts: ImportCounts) -> Iterator["RowBatch"]:
        def add(batch: RowBatch, line: LinkLine) -> None:
            link = links.row(line)
            batch.add_link(link)
            counts.links += link is not None

        return self._batches(self.archive.lines(ArchiveStage.LINKS, LinkLine), add)

    def import_configuration(self, writes: Writes, counts: ImportCounts) -> Program[None]:
        """Replace the settings of the core store and the webhooks, and end sessions of end users.

        Counts the closed stages of review workflows.

        Administrators are kept, and so are their sessions and second factors. An end user of the
        archive may have the id of a former one, whose sessions would be theirs.
        """
        sessions = open_table(writes, self.tables[SESSION_UID].name, _SessionRow)
        yield from sessions.delete(eq("origin", ORIGIN))
        settings: dict[str, object] = {}
        webhooks = []
        for line in self._configuration_lines():
            if line.type == _WEBHOOK:
                webhooks.append(_webhook(line.value))
            elif is_exported_setting(key := str(line.value["key"])):
                settings[key] = line.value.get("value")
        # Rules and grants of the former roles do not belong to the roles of the archive.
        settings.setdefault(ROW_RULES_KEY, {})
        current_grants = yield from read_setting(writes, CUSTOM_GRANTS_KEY)
        settings[CUSTOM_GRANTS_KEY] = _merge_grants(settings.get(CUSTOM_GRANTS_KEY), current_grants)
        if REVIEW_ROLES_KEY in settings:
            store = open_store(self.schema, self.tables, self.kind.dialect())
            archived_roles = settings[REVIEW_ROLES_KEY]
            roles, counts.closed_stages = yield from stored_review_roles(store, archived_roles)
            settings[REVIEW_ROLES_KEY] = roles
        second_factors = yield from setting_keys(writes, SECOND_FACTOR_KEY)
        yield from replace_settings(writes, settings, DATABASE_SETTINGS.union(second_factors))
        webhook_table = Webhooks(writes)
        existing_webhooks = yield from webhook_table.all()
        yield from webhook_table.delete([webhook.id for webhook in existing_webhooks])
        for values in webhooks:
            yield from webhook_table.insert(values)

    def _configuration_lines(self) -> Iterator[ConfigurationLine]:
        for line in self.archive.lines(ArchiveStage.CONFIGURATION, ConfigurationLine):
            if line.type == _CORE_STORE and isinstance(line.value.get("key"), str):
                yield line
            elif line.type == _WEBHOOK:
                _webhook(line.value)
                yield line
            else:
                raise TransferError(f"The archive has a setting of an unknown kind: {line.type}.")


class RowBatch(Struct):
    """Rows that are stored together, first those that others refer to."""

    rows: list[ArchiveRow] = field(default_factory=list)
    joins: list[ArchiveRow] = field(default_factory=list)
    changes: list[ColumnChange] = field(default_factory=list)

    def add(self, rows: Iterable[ArchiveRow]) -> None:
        """Add rows of entries."""
        for row in rows:
            (self.joins if row.joins else self.rows).append(row)

    def add_link(self, link: ArchiveRow | ColumnChange | None) -> None:
        """Add what stores a link, if anything does."""
        if isinstance(link, ColumnChange):
            self.changes.append(link)
        elif link is not None:
            self.joins.append(link)


def store_rows(writes: Writes, batch: RowBatch) -> Program[None]:
    """Insert the rows of a batch, those of link tables after the rows that they refer to."""
    for group in (batch.rows, batch.joins):
        for (table, columns), rows in group_rows(group).items():
            yield from writes.insert_many(table, columns, rows)
    for change in batch.changes:
        yield from writes.update(change.table, change.row_id, change.values)


def _webhook(value: Mapping[str, object]) -> dict[str, object]:
    """Return the columns of a webhook. Raises TransferError for an invalid one."""
    name, url, events = value.get("name"), value.get("url"), value.get("events")
    headers, is_enabled = value.get("headers") or {}, value.get("enabled")
    is_valid = (
        isinstance(name, str)
        and isinstance(url, str)
        and isinstance(events, list)
        and all(isinstance(event, str) for event in events)
        and isinstance(headers, Mapping)
    )
    if not is_valid:
        raise TransferError("The archive has a webhook without a name, an address or events.")
    return {
        "name": name,
        "url": url,
        "headers": headers,
        "events": events,
        "enabled": bool(is_enabled),
    }


def _merge_grants(archived_grants: object, stored_value: object) -> dict[str, object]:
    """Return the grants of the archive's roles and of the project's present API tokens."""
    roles = archived_grants.get("roles") if isinstance(archived_grants, Mapping) else None
    tokens = stored_value.get("tokens") if isinstance(stored_value, Mapping) else None
    return {"roles": roles or {}, "tokens": tokens or {}}
