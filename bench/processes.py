"""Resource usage of a server's processes, read from /proc: CPU time and memory.

Where there is no /proc (macOS, BSD) every reading is None and the tables say "n/a": requests per
second and latencies are still measured there.
"""

import os
from collections import defaultdict
from pathlib import Path

_PROC = Path("/proc")


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU seconds (user and system) that ``pid`` and its descendants have used.

    Descendants that ended count too once their parent waited for them. None without /proc.
    """
    readings = [_cpu_ticks(process) for process in process_tree(pid)]
    known = [ticks for ticks in readings if ticks is not None]
    return sum(known) / os.sysconf("SC_CLK_TCK") if known else None


def cpu_microseconds(pid: int) -> float:
    """Return the CPU time that the living threads of ``pid`` and its descendants have used.

    It is more exact than `cpu_seconds`, for short loads. Raises OSError without /proc.
    """
    nanoseconds = 0
    for thread in thread_ids(pid):
        text = (_PROC / str(thread) / "schedstat").read_text(encoding="utf-8")
        nanoseconds += int(text.split()[0])
    return nanoseconds / 1000


def thread_ids(pid: int) -> list[int]:
    """Return the ids of the living threads of ``pid`` and its descendants; empty without /proc."""
    return [
        int(thread.name)
        for process in process_tree(pid)
        for thread in (_PROC / str(process) / "task").iterdir()
    ]


def resident_megabytes(pid: int) -> float | None:
    """Return the resident memory of the largest process of the tree, in MB; None without /proc.

    The largest one is the worker: a supervisor that only starts workers is smaller than they are.
    """
    readings = [_resident_kilobytes(process) for process in process_tree(pid)]
    return max((kilobytes / 1000 for kilobytes in readings if kilobytes), default=None)


def process_tree(pid: int) -> list[int]:
    """Return ``pid`` and the ids of all its living descendants; empty without /proc."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in _PROC.glob("[0-9]*"):
        fields = _stat_fields(int(entry.name))
        if fields is not None:
            children[int(fields[1])].append(int(entry.name))
    tree: list[int] = []
    waiting = [pid] if (_PROC / str(pid)).exists() else []
    while waiting:
        process = waiting.pop()
        tree.append(process)
        waiting.extend(children[process])
    return tree


def _stat_fields(pid: int) -> list[str] | None:
    """Return the fields of /proc/PID/stat from the state on, or None when the process is gone."""
    try:
        text = (_PROC / str(pid) / "stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name before is in parentheses and may hold spaces and parentheses itself.
    return text.rpartition(")")[2].split()


def _cpu_ticks(pid: int) -> int | None:
    fields = _stat_fields(pid)
    # utime, stime, and the same two of children that were waited for.
    return None if fields is None else sum(int(field) for field in fields[11:15])


def _resident_kilobytes(pid: int) -> int | None:
    try:
        status = (_PROC / str(pid) / "status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return None
    lines = (line.split() for line in status.splitlines())
    return next((int(line[1]) for line in lines if line[:1] == ["VmRSS:"]), None)
