"""Records whether a request has committed anything: then it must not be retried."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class CommitCounter:
    """Counts the transactions that were committed for one request."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


_present: ContextVar[CommitCounter | None] = ContextVar("commits", default=None)


def watch_commits() -> CommitCounter:
    """Count from now on the commits of the present task and those that it starts."""
    commits = CommitCounter()
    _present.set(commits)
    return commits


def note_commit() -> None:
    """Record a commit; drivers call this in the task that asked for it."""
    commits = _present.get()
    if commits is not None:
        commits.count += 1


@contextmanager
def for_everybody() -> Iterator[None]:
    """Do not count commits meanwhile: they are not part of the request."""
    token = _present.set(None)
    try:
        yield
    finally:
        _present.reset(token)
