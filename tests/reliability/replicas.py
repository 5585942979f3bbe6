"""A PostgreSQL server with a streaming replica, and sites that use both."""

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from quire.app import Application, build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials, postgresql_dump, unpack_project
from tests.databases.environment import write_environment
from tests.postgresql.cluster import Cluster
from tests.postgresql.session import Session
from tests.postgresql.standby import Standby

TOKEN = credentials().api_tokens["full"]
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
DURABLE = {
    "synchronous_commit": "remote_apply",
    # What a replica lacks that was away for long, and how soon it asks for it.
    "wal_keep_size": "256MB",
    "wal_retrieve_retry_interval": "200ms",
}
"""Waits for the replica where the server is told to have a synchronous one."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A server and its replica, with their URLs."""

    server: Cluster
    replica: Cluster
    url: str
    replica_url: str

    @property
    def either_url(self) -> str:
        """The URL of whichever of the two takes writes."""
        first, other = (url.removesuffix("/postgres") for url in (self.url, self.replica_url))
        return f"{first},{other.rpartition('@')[2]}/postgres?target_session_attrs=primary"

    def pause(self) -> None:
        """Let the replica follow no more."""
        self._tell("SELECT pg_wal_replay_pause()")

    def follow(self) -> None:
        """Let the replica follow again."""
        self._tell("SELECT pg_wal_replay_resume()")

    def promote(self) -> None:
        """Let the replica be a separate server."""
        self._tell("SELECT pg_promote()")

    @contextmanager
    def in_step(self) -> Iterator[None]:
        """Let a commit be acknowledged when the replica shows it, so that nothing is unsent."""
        self.keep_in_step()
        try:
            yield
        finally:
            self._configure("RESET synchronous_standby_names")

    def keep_in_step(self) -> None:
        """As `in_step`, from now on."""
        self._configure("SET synchronous_standby_names = '*'")

    def fail_over(self) -> "Pair":
        """Promote the replica of a server that is gone, and have the server follow it from then on.

        Returns them in their new roles; the new replica has to be stopped as well. While it is
        made, the new server is alone.
        """
        self.promote()
        folder = Path(tempfile.mkdtemp(prefix="quire-replica-"))
        folder.chmod(0o711)
        follower = Standby(folder / "replica", self.replica_url, DURABLE, self.server.port)
        pair = Pair(self.replica, follower, self.replica_url, follower.start())
        pair.keep_in_step()
        return pair

    def _configure(self, change: str) -> None:
        session = Session(self.url)
        session.execute(f"ALTER SYSTEM {change}")
        session.execute("SELECT pg_reload_conf()")
        session.close()

    def _tell(self, statement: str) -> None:
        session = Session(self.replica_url)
        session.execute(statement)
        session.close()


@contextmanager
def following(url: str) -> Iterator[str]:
    """Start another replica of a server; gives its URL."""
    folder = Path(tempfile.mkdtemp(prefix="quire-replica-"))
    folder.chmod(0o711)
    replica = Standby(folder / "replica", url, DURABLE)
    try:
        yield replica.start()
    finally:
        replica.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def started_pair() -> Iterator[Pair]:
    """Start a server with the recorded rows, and a replica of it."""
    folder = Path(tempfile.mkdtemp(prefix="quire-replica-"))
    folder.chmod(0o711)
    server = Cluster(folder / "server", DURABLE)
    replica: Standby | None = None
    try:
        url = server.start()
        session = Session(url)
        session.script(postgresql_dump())
        session.close()
        replica = Standby(folder / "replica", url, DURABLE)
        yield Pair(server, replica, url, replica.start())
    finally:
        if replica is not None:
            replica.stop()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def unpacked(pair: Pair, folder: Path, url: str | None = None) -> Path:
    """Lay out the recorded project in a folder, for a pair or another ``url`` of it."""
    project = unpack_project(folder)
    write_environment(
        project,
        {
            "DATABASE_CLIENT": "postgres",
            "DATABASE_URL": url or pair.url,
            "DATABASE_REPLICA_URLS": pair.replica_url,
            "TZ": "UTC",
        },
    )
    return project


@asynccontextmanager
async def served(
    pair: Pair, folder: Path, url: str | None = None, **overrides: object
) -> AsyncIterator[tuple[Application, AsgiClient]]:
    project = unpacked(pair, folder, url)
    named: Mapping[str, object] = {f"database.{name}": value for name, value in overrides.items()}
    app = build_app(load_settings(project, environ={}, overrides=named))
    async with running(app) as client:
        yield app, client
