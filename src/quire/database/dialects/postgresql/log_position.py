"""Positions in the write-ahead logs of a server and its standbys, and the marks of logs."""

import secrets
from typing import NamedTuple

import orjson

from quire.database.program import Program, Statement, Value
from quire.database.tables.system_tables import CORE_STORE, LOG_MARK_KEY

_TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer"
_OFFSET = "pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"
_SERVER = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"

PRIMARY_POSITION = ", ".join(
    f"CASE WHEN pg_is_in_recovery() THEN NULL ELSE {column} END"
    for column in (_TIMELINE, _OFFSET, _SERVER)
)
"""The columns of the present position of a server that accepts writes, NULL for a standby."""

_MARK = f"(SELECT value FROM {CORE_STORE} WHERE key = '{LOG_MARK_KEY}' ORDER BY id LIMIT 1)"  # noqa: S608 - only constants

REPLICA_POSITION = f"""
CASE WHEN pg_is_in_recovery() THEN coalesce(
  (SELECT received_tli FROM pg_stat_wal_receiver), (SELECT timeline_id FROM pg_control_checkpoint())
) ELSE {_TIMELINE} END,
CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint
  ELSE {_OFFSET} END,
CASE WHEN pg_is_in_recovery() THEN 0 ELSE {_SERVER} END,
{_MARK}
"""  # noqa: S608 - only constants
"""The columns of the replay position of a replica, which may be the server itself, and its mark.

Only members of ``pg_read_all_stats`` see which timeline a standby receives. For others it is that
of its last restart point, which is behind for some minutes after a failover, but never ahead.
"""

_WRITE_MARK = (
    f"UPDATE {CORE_STORE} SET value = $1 WHERE key = '{LOG_MARK_KEY}' RETURNING id",  # noqa: S608 - only constants
    f"INSERT INTO {CORE_STORE} (key, value, type) VALUES ('{LOG_MARK_KEY}', $1, 'object')",  # noqa: S608 - only constants
)
"""Replace the mark; the second statement is for a database without one."""


class LogMark(NamedTuple):
    """A random ``id`` that a server has written to its own log.

    Numbers of timelines do not identify a log: each of two standbys that are promoted independently
    begins a timeline of the same number. Whatever shows the mark of a server has followed it.
    ``timeline`` and ``server`` are those of the `LogPosition` at which it was written.
    """

    timeline: int
    server: int
    id: str

    def is_of(self, position: "LogPosition") -> bool:
        """Tell whether a server that accepts writes is still the one that has written the mark.

        It is not after a restart or a promotion.
        """
        return (self.timeline, self.server) == (position.timeline, position.server)


NO_MARK = LogMark(0, 0, "")


class LogPosition(NamedTuple):
    """A position in a log.

    A server that is promoted begins a new ``timeline``, and offsets of different timelines cannot
    be compared. ``server`` identifies a server that accepts writes by its start; 0 is a standby.
    ``mark`` is the last mark in the log.
    """

    timeline: int
    offset: int
    server: int = 0
    mark: LogMark = NO_MARK

    def includes(self, other: "LogPosition") -> bool:
        """Tell whether a replica that is here shows everything up to a position of the server."""
        return (
            self.timeline == other.timeline
            and self.offset >= other.offset
            and self.server in {0, other.server}
            and self.mark == other.mark
        )

    def is_of_other_log(self, position: "LogPosition") -> bool:
        """Tell whether a replica that is here never comes to a position of the server.

        Its next position may be in the same log all the same, if it follows the server from now on.
        """
        if self.timeline == position.timeline:
            return self.offset >= position.offset and self.mark != position.mark
        return self != NO_POSITION

    def may_replace(self, mark: LogMark) -> bool:
        """Tell whether a replica that is here may be read while the server with a mark is lost.

        That is one which has followed it, or one that follows a server which was promoted later.
        """
        return self.mark == mark or self.timeline > mark.timeline


NO_POSITION = LogPosition(0, 0)


def read_position(timeline: Value, offset: Value, server: Value) -> LogPosition | None:
    """Return the position that these columns have, if they have one."""
    if timeline is None or offset is None or server is None:
        return None
    return LogPosition(int(timeline), int(offset), int(server))


def read_replica_position(
    timeline: Value, offset: Value, server: Value, stored_mark: Value
) -> LogPosition:
    """Return the position that the columns of `REPLICA_POSITION` have."""
    position = read_position(timeline, offset, server)
    if position is None:
        return NO_POSITION
    mark = _parse_mark(stored_mark)
    # The restart point of a standby that shows a mark may be older than that mark.
    return position._replace(timeline=max(position.timeline, mark.timeline), mark=mark)


def mark_program() -> Program[LogMark]:
    """Mark the log of a server that accepts writes, unless that is done; returns the mark.

    A standby has no mark of its own: `NO_MARK` is returned then.
    """
    ((*columns, stored_mark),) = yield Statement(f"SELECT {PRIMARY_POSITION}, {_MARK}")
    position = read_position(*columns)
    if position is None:
        return NO_MARK
    mark = _parse_mark(stored_mark)
    if mark.is_of(position):
        return mark
    mark = LogMark(position.timeline, position.server, secrets.token_hex(16))
    text = orjson.dumps(mark._asdict()).decode()
    update, insert = _WRITE_MARK
    if not (yield Statement(update, (text,))):
        yield Statement(insert, (text,))
    return mark


def _parse_mark(stored_mark: Value) -> LogMark:
    """Return a stored mark; another program may have written anything in its place."""
    try:
        mark = orjson.loads(str(stored_mark))
        return LogMark(int(mark["timeline"]), int(mark["server"]), str(mark["id"]))
    except (ValueError, TypeError, KeyError):  # also what is no JSON
        return NO_MARK
