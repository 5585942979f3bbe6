"""The index: a file of SQLite with a full-text table. Several processes may use it at once."""

import re
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

_WAIT_SECONDS = 20
_TABLES = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL,
    document_id TEXT NOT NULL,
    locale TEXT NOT NULL,
    UNIQUE (uid, document_id, locale)
);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text);
"""
_ADD = "INSERT INTO entries (uid, document_id, locale) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
_ID = "SELECT id FROM entries WHERE uid = ? AND document_id = ? AND locale = ?"
_FIND = """
SELECT document_id FROM texts JOIN entries ON entries.id = texts.rowid
WHERE texts.text MATCH ? AND uid = ? AND locale = ? ORDER BY rank LIMIT ?
"""


class Entry(NamedTuple):
    """A document in a locale, and its text; ``None`` if it is not published."""

    uid: str
    document_id: str
    locale: str
    text: str | None


class SearchIndex:
    """The entries of published documents.

    A document that is no longer published keeps an entry without a text, so that `fill` knows that
    `update` has seen a newer state of it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def version(self) -> int:
        """Return what `complete` has set, 0 if nothing has."""
        with self._open() as database:
            version: int = database.execute("PRAGMA user_version").fetchone()[0]
            return version

    def clear(self) -> None:
        """Delete all entries."""
        with self._changing() as database:
            database.execute("DELETE FROM texts")
            database.execute("DELETE FROM entries")

    def fill(self, entries: Sequence[Entry]) -> None:
        """Add entries that are not there yet."""
        with self._changing() as database:
            for entry in entries:
                if database.execute(_ADD, entry[:3]).rowcount:
                    _set_text(database, entry)

    def complete(self, version: int) -> None:
        """Store that the index has entries of all documents."""
        with self._changing() as database:
            database.execute(f"PRAGMA user_version = {version:d}")

    def update(self, entries: Sequence[Entry]) -> None:
        """Add entries, or replace their texts."""
        with self._changing() as database:
            for entry in entries:
                database.execute(_ADD, entry[:3])
                _set_text(database, entry)

    def find(self, uid: str, locale: str, words: str, limit: int) -> list[str]:
        """Return the ids of documents with all of these words or their beginnings, the best first.

        Characters other than letters and digits separate words; without a word nothing is found.
        """
        query = " ".join(f'"{word}"*' for word in re.findall(r"\w+", words))
        if not query:
            return []
        with self._open() as database:
            return [row[0] for row in database.execute(_FIND, (query, uid, locale, limit))]

    def texts(self) -> list[Entry]:
        """Return all entries that have a text."""
        with self._open() as database:
            rows = database.execute(
                "SELECT uid, document_id, locale, text FROM entries JOIN texts ON id = texts.rowid"
            )
            return [Entry(*row) for row in rows]

    @contextmanager
    def _open(self) -> Generator[sqlite3.Connection, None, None]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        with closing(connection) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(_TABLES)
            yield database

    @contextmanager
    def _changing(self) -> Generator[sqlite3.Connection, None, None]:
        """Open the file for a transaction: what fails, or is killed, leaves nothing."""
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            with database:
                yield database


def _set_text(database: sqlite3.Connection, entry: Entry) -> None:
    ((entry_id,),) = database.execute(_ID, entry[:3])
    database.execute("DELETE FROM texts WHERE rowid = ?", (entry_id,))
    if entry.text is not None:
        database.execute("INSERT INTO texts (rowid, text) VALUES (?, ?)", (entry_id, entry.text))
