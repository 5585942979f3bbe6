"""Records whether a request has committed anything, since it must not be repeated then."""

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
    """Count from now on what the present task, and those that it starts, commit."""
    commits = CommitCounter()
    _present.set(commits)
    return commits


def note_commit() -> None:
    """Say that a transaction has been committed; drivers do, in the task that asked for it."""
    commits = _present.get()
    if commits is not None:
        commits.count += 1


@contextmanager
def for_everybody() -> Iterator[None]:
    """Count nothing of what is committed meanwhile: it is no part of what the request asks for."""
    watched = _present.set(None)
    try:
        yield
    finally:
        _present.reset(watched)
