"""The databases of projects under test: one template, and a copy of it for each test."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from quire.database.dialects.postgresql.create_database import create_database, drop_database


class TestDatabases(Protocol):
    """The databases of a test run; ``folder`` is that of a project."""

    def settings(self, folder: Path) -> Mapping[str, object]:
        """Return the settings for the database of a project."""

    async def make(self, folder: Path) -> None:
        """Create the first database, which is filled and then copied."""

    async def copy(self, folder: Path) -> None:
        """Copy the first database for a project whose folder is a copy of the first one."""

    async def drop(self, folder: Path) -> None:
        """Drop the database of a project."""


class SqliteDatabases:
    """Files inside the folders of projects, copied with them."""

    def settings(self, folder: Path) -> Mapping[str, object]:
        """See `TestDatabases.settings`."""
        return {
            "database.client": "sqlite",
            "database.filename": str(folder / ".tmp" / "data.db"),
        }

    async def make(self, folder: Path) -> None:
        """Create the folder of the file."""
        (folder / ".tmp").mkdir(exist_ok=True)

    async def copy(self, folder: Path) -> None:
        """Nothing to do: the file was copied with the folder."""

    async def drop(self, folder: Path) -> None:
        """Nothing to do: the file is deleted with the folder."""


class PostgresqlDatabases:
    """Databases of a PostgreSQL server, named by the folders of projects."""

    def __init__(self, url: str) -> None:
        """``url`` is that of a database whose user may create others."""
        self._url = url
        self._prefix = f"quire_test_{secrets.token_hex(4)}"
        self._first = ""

    def settings(self, folder: Path) -> Mapping[str, object]:
        """See `TestDatabases.settings`."""
        parts = urlsplit(self._url)
        url = urlunsplit(parts._replace(path=f"/{self._name(folder)}"))
        return {"database.client": "postgres", "database.url": url}

    async def make(self, folder: Path) -> None:
        """Create an empty database."""
        self._first = self._name(folder)
        await create_database(self._url, self._first)

    async def copy(self, folder: Path) -> None:
        """Create a database from the first one."""
        await create_database(self._url, self._name(folder), template=self._first)

    async def drop(self, folder: Path) -> None:
        """See `TestDatabases.drop`."""
        await drop_database(self._url, self._name(folder))

    def _name(self, folder: Path) -> str:
        return f"{self._prefix}_{folder.name}"


def databases_at(url: str) -> TestDatabases:
    """Return the databases of an option. Raises ValueError for an invalid one."""
    if url == "sqlite":
        return SqliteDatabases()
    if urlsplit(url).scheme in {"postgres", "postgresql"}:
        return PostgresqlDatabases(url)
    raise ValueError('it is "sqlite", or the address of a PostgreSQL database')
