"""Waiting for what other processes do."""

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
    """Return the processes that a first process has started to serve; it has other helpers, too."""
    children = Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii").split()
    return [int(one) for one in children if b"spawn_main" in arguments_of(one)]


def arguments_of(process: str) -> bytes:
    """Return the arguments of a process, none when it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
