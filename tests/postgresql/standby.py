"""A streaming replica of a PostgreSQL server of the tests."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from tests.postgresql.cluster import Cluster
from tests.postgresql.errors import NoServerError


class Standby(Cluster):
    """A copy of another server that follows it."""

    def __init__(
        self,
        folder: Path,
        primary: str,
        others: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        """``primary`` is the URL of the server that it follows, which must be running."""
        super().__init__(folder, others or {}, port)
        self._primary = primary

    def start(self) -> str:
        """Copy the server and follow it; returns the URL of the copy. Raises NoServerError."""
        url = urlsplit(super().start())
        known = urlsplit(self._primary)
        place = f"{known.username}:{known.password}@{url.hostname}:{url.port}"
        return url._replace(netloc=place).geturl()

    def _make(self, password: str) -> None:
        del password  # it is that of the server
        self._folder.mkdir(exist_ok=True)
        self._folder.chmod(0o711)
        self._account.own(self._folder)
        self._log.touch()
        made = self._run(
            "pg_basebackup",
            f"--pgdata={self._data}",
            f"--dbname={self._primary}",
            "--write-recovery-conf",
            "--wal-method=stream",
            "--checkpoint=fast",
            "--no-sync",
        )
        if made.wait() != 0:
            raise NoServerError(f"pg_basebackup failed:\n{self._said()}")
