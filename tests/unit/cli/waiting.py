"""Waits for other processes."""

import time
from collections.abc import Callable
from pathlib import Path


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is true, and fail when it is not within a minute."""
    latest = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.05)


def server_processes(first: int) -> list[int]:
    """Return the processes that serve for a first process, which has them forked by another one."""
    children = _children(first)
    forking = [one for one in children if b"multiprocessing.forkserver" in arguments_of(one)]
    return [int(served) for one in forking for served in _children(one)]


def _children(process: int | str) -> list[str]:
    path = Path(f"/proc/{process}/task/{process}/children")
    return path.read_text(encoding="ascii").split()


def arguments_of(process: str) -> bytes:
    """Return the arguments of a process, none when it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
