"""Positions in the write-ahead logs of a server and its standbys."""

from typing import NamedTuple

from quire.database.program import Value

_TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer"
_OFFSET = "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
_SERVER = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"

PRIMARY_POSITION = ", ".join(
    f"CASE WHEN pg_is_in_recovery() THEN NULL ELSE {column} END"
    for column in (_TIMELINE, _OFFSET, _SERVER)
)
"""The columns of the present position of a server that accepts writes, NULL for a standby."""

REPLICA_POSITION = f"""
CASE WHEN pg_is_in_recovery() THEN coalesce(
  (SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint())
) ELSE {_TIMELINE} END,
CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint
  ELSE {_OFFSET} END,
CASE WHEN pg_is_in_recovery() THEN 0 ELSE {_SERVER} END
"""  # noqa: S608 - only constants
"""The columns of the replay position of a replica, which may be the server itself.

Only members of ``pg_read_all_stats`` see which timeline a standby receives. For others it is that
of its last restart point, which is behind for some minutes after a failover, but never ahead.
"""


class LogPosition(NamedTuple):
    """A position in a log.

    A server that is promoted begins a new ``timeline``, and offsets of different timelines cannot
    be compared. ``server`` identifies a server that accepts writes by its start; 0 is a standby.
    """

    timeline: int
    offset: int
    server: int = 0

    def includes(self, other: "LogPosition") -> bool:
        """Tell whether a replica that is here shows everything up to a position of the server."""
        return (
            self.timeline == other.timeline
            and self.offset >= other.offset
            and self.server in {0, other.server}
        )


NO_POSITION = LogPosition(0, 0)


def read_position(timeline: Value, offset: Value, server: Value) -> LogPosition | None:
    """Return the position that these columns have, if they have one."""
    if timeline is None or offset is None or server is None:
        return None
    return LogPosition(int(timeline), int(offset), int(server))
