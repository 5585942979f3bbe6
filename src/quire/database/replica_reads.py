"""Which reads may go to a replica: those of requests that only read.

What writes or deletes something because of what it has read must not be misled by a replica that
is behind: requests of other methods, background work and commands read the primary. While that is
lost they fail, as their writes would.
"""

from contextvars import ContextVar

_is_allowed: ContextVar[bool] = ContextVar("replica_reads", default=False)


def allow_replica_reads(*, is_allowed: bool) -> None:
    """Decide for the present task, and those that it starts, whether replicas may be read."""
    _is_allowed.set(is_allowed)


may_read_replica = _is_allowed.get
"""Return whether the present task may read replicas."""
