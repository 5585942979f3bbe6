"""A temporary file with the entries of an archive, grouped by document and locale.

An archive has the draft and the published version of a document in separate lines, and links in
others, in any order. Hooks are called per document and locale, with its relations. The file is a
SQLite database, so that the memory that an import needs does not grow with the archive.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from quire.transfer.archive_format import EntityLine

_FILE = "staged.sqlite"
_BATCH_SIZE = 100
_TABLES = """
CREATE TABLE versions (
    number INTEGER PRIMARY KEY, uid TEXT, document_id TEXT, locale TEXT, is_published INTEGER,
    line BLOB, draft INTEGER, is_draft_of_published INTEGER DEFAULT 0,
    prepared BLOB, prepared_update BLOB, created BLOB
);
CREATE TABLE documents (uid TEXT, id INTEGER, document_id TEXT, PRIMARY KEY (uid, id))
    WITHOUT ROWID;
CREATE TABLE links (
    uid TEXT, id INTEGER, name TEXT, position REAL, target_uid TEXT, target_id INTEGER
);
"""
_GROUP = """
CREATE INDEX versions_document ON versions (uid, document_id, locale);
CREATE INDEX links_source ON links (uid, id);
UPDATE versions SET draft = (
    SELECT min(draft.number) FROM versions AS draft
    WHERE draft.uid = versions.uid AND draft.document_id = versions.document_id
        AND draft.locale IS versions.locale AND NOT draft.is_published
) WHERE number IN (
    SELECT min(number) FROM versions WHERE is_published GROUP BY uid, document_id, locale
);
UPDATE versions SET is_draft_of_published = 1
WHERE number IN (SELECT draft FROM versions WHERE draft IS NOT NULL);
"""
_ENTRIES = """
SELECT first.number, first.document_id, first.locale, first.is_published, first.line, draft.line,
    first.prepared, first.prepared_update, first.created
FROM versions AS first LEFT JOIN versions AS draft ON draft.number = first.draft
WHERE first.uid = ? AND NOT first.is_draft_of_published AND first.number > ?
ORDER BY first.number LIMIT ?
"""
_LINKS = """
SELECT links.name, links.target_uid, links.target_id, documents.document_id
FROM links LEFT JOIN documents
    ON documents.uid = links.target_uid AND documents.id = links.target_id
WHERE links.uid = ? AND links.id = ? ORDER BY links.name, links.position
"""

_decode_line = msgspec.json.Decoder(EntityLine).decode

Data = dict[str, Any]


class StagedLink(NamedTuple):
    """A link of an entry through one of its attributes.

    ``document_id`` is that of the target, ``None`` if the target is no document.
    """

    name: str
    target_uid: str
    target_id: int
    document_id: str | None


class StagedEntry(Struct, frozen=True, kw_only=True):
    """One locale of a document in an archive.

    ``line`` is its published version, or its draft if it is not published; ``draft`` is the draft
    beside a published version. ``prepared`` and ``prepared_update`` are the data that `@prepare`
    functions have returned for its creation and for its draft, ``created`` the data that it was
    created with; they are ``None`` where they are those of the archive.
    """

    number: int
    document_id: str
    locale: str | None
    is_published: bool
    line: EntityLine
    draft: EntityLine | None
    prepared: Data | None
    prepared_update: Data | None
    created: Data | None


class StagedEntries:
    """The entries of an archive in a file; see `open_staged_entries`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(
        self, line: EntityLine, document_id: str, locale: str | None, *, is_published: bool
    ) -> None:
        """Add a version of a document."""
        self._connection.execute(
            "INSERT INTO versions (uid, document_id, locale, is_published, line)"
            " VALUES (?, ?, ?, ?, ?)",
            (line.type, document_id, locale, is_published, msgspec.json.encode(line)),
        )

    def add_document_id(self, line: EntityLine, document_id: str) -> None:
        """Add the document id of a row that links may lead to."""
        self._connection.execute(
            "INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", (line.type, line.id, document_id)
        )

    def add_link(
        self, source: tuple[str, int], name: str, position: float | None, target: tuple[str, int]
    ) -> None:
        """Add a link of an entry; both ends are a uid and the id of a row."""
        self._connection.execute(
            "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)", (*source, name, position, *target)
        )

    def group(self) -> None:
        """Find the drafts of published versions; nothing is added afterwards."""
        self._connection.executescript(_GROUP)

    def uids(self) -> list[str]:
        """Return the content types that there are entries of, in the order of the archive."""
        rows = self._connection.execute(
            "SELECT uid FROM versions GROUP BY uid ORDER BY min(number)"
        )
        return [uid for (uid,) in rows]

    def batches(self, uid: str) -> Iterator[list[StagedEntry]]:
        """Return the entries of a content type, in the order of the archive."""
        last_number = 0
        while True:
            rows = self._connection.execute(_ENTRIES, (uid, last_number, _BATCH_SIZE)).fetchall()
            if not rows:
                return
            yield [_entry(row) for row in rows]
            last_number = rows[-1][0]

    def links(self, uid: str, row_id: int) -> list[StagedLink]:
        """Return the links of an entry, by attribute and in their order."""
        rows = self._connection.execute(_LINKS, (uid, row_id))
        return [StagedLink(*row) for row in rows]

    def set_prepared(self, entry: StagedEntry, created: Data | None, updated: Data | None) -> None:
        """Keep what `@prepare` functions have returned."""
        self._connection.execute(
            "UPDATE versions SET prepared = ?, prepared_update = ? WHERE number = ?",
            (_encode(created), _encode(updated), entry.number),
        )

    def set_created(self, entry: StagedEntry, data: Mapping[str, object]) -> None:
        """Keep the data that an entry was created with."""
        self._connection.execute(
            "UPDATE versions SET created = ? WHERE number = ?", (_encode(data), entry.number)
        )


@contextmanager
def open_staged_entries(folder: Path) -> Iterator[StagedEntries]:
    """Create an empty file in a temporary folder, and delete it after the block."""
    path = folder / _FILE
    # The rows are read on the thread of the database.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        # The file need not survive anything.
        connection.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_TABLES}")
        connection.execute("BEGIN")
        yield StagedEntries(connection)
    finally:
        connection.close()
        path.unlink()


def _entry(row: tuple[Any, ...]) -> StagedEntry:
    number, document_id, locale, is_published, line, draft, prepared, updated, created = row
    return StagedEntry(
        number=number,
        document_id=document_id,
        locale=locale,
        is_published=bool(is_published),
        line=_decode_line(line),
        draft=None if draft is None else _decode_line(draft),
        prepared=_decode(prepared),
        prepared_update=_decode(updated),
        created=_decode(created),
    )


def _encode(data: Mapping[str, object] | None) -> bytes | None:
    return None if data is None else msgspec.json.encode(data)


def _decode(data: bytes | None) -> Data | None:
    return None if data is None else msgspec.json.decode(data, type=dict[str, Any])
