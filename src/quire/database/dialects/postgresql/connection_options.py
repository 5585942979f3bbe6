"""Options of a PostgreSQL connection."""

from msgspec import Struct, field

from quire.database.dialects.postgresql.timestamps import WallClock


class PostgresOptions(Struct, frozen=True, kw_only=True):
    """Where the database is, and how this process connects to it.

    ``dsn`` is the address; without it the parts are used. Of ``connections``, one writes, one asks
    for the content version (if there are three or more), and the others read. ``timeout_ms`` is how
    long a statement that reads may take, ``lock_timeout_ms`` how long a write may wait for those of
    others, ``queue_timeout_ms`` how long anything may wait for a connection, and
    ``connect_timeout_ms`` for a new one. With a ``pooler`` that reassigns connections after each
    transaction, no state is kept in a connection. ``replicas`` are the addresses of standbys that
    reads are sent to; a read waits ``replica_wait_ms`` for one to catch up.
    """

    dsn: str | None = None
    host: str = "localhost"
    port: int = 5432
    name: str = "strapi"
    username: str = "strapi"
    password: str | None = None
    schema: str = "public"
    ssl: bool = False
    ssl_verify: bool = True
    connections: int = 10
    timeout_ms: int = 30_000
    lock_timeout_ms: int = 5000
    queue_timeout_ms: int = 15_000
    connect_timeout_ms: int = 5000
    pooler: bool = False
    replicas: tuple[str, ...] = ()
    replica_wait_ms: int = 100
    clock: WallClock = field(default_factory=WallClock)
