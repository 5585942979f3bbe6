"""Report every plain open of a SQLite database file that the process has open already.

Closing such a second descriptor drops the locks of the process on the file, see
`quire.database.dialects.sqlite.file_handles`, the only module that is allowed to open one.

Python imports this module by itself in processes whose ``PYTHONPATH`` names its folder, so that it
works in servers that tests start, too. It imports nothing but the standard library.
"""

import os
import sys
import traceback
from pathlib import Path

REPORT = "OPENED_FILES_REPORT"
"""The environment variable that names the file to which reports are appended."""

_ALLOWED = "quire.database.dialects.sqlite.file_handles"
_SUFFIXES = tuple(f".db{suffix}" for suffix in ("", "-wal", "-shm", "-journal"))
_DESCRIPTORS = next(filter(os.path.isdir, ("/proc/self/fd", "/dev/fd")))


def watch(report: Path) -> None:
    """Have this process, and all Python processes that it starts, append reports to a file."""
    if REPORT not in os.environ:  # otherwise this process has the hook from its start
        sys.addaudithook(_check)
    os.environ[REPORT] = str(report)
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    folders = [str(Path(__file__).parent), *others]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, dict.fromkeys(folders)))


def _check(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook; its caller's frame is that of the code that opens the file."""
    if event not in {"open", "sqlite3.connect"}:
        return
    opened = arguments[0]
    if not isinstance(opened, str | bytes | os.PathLike):
        return
    path = os.fsdecode(opened)
    if event == "sqlite3.connect":
        path = path.removeprefix("file:").partition("?")[0]
    if not path.endswith(_SUFFIXES) or not _is_open(path):
        return
    caller = sys._getframe(1)  # noqa: SLF001 - what audit hooks have
    if caller.f_globals.get("__name__") == _ALLOWED:
        return
    stack = "".join(traceback.format_stack(caller, limit=5))
    with Path(os.environ[REPORT]).open("a", encoding="utf-8") as report:
        report.write(
            f"{event} {path} in process {os.getpid()}, which has it open already:\n{stack}\n"
        )


def _is_open(path: str) -> bool:
    """Tell whether the process has a descriptor of a file."""
    try:
        wanted = Path(path).stat()
    except OSError:
        return False
    for name in os.listdir(_DESCRIPTORS):  # noqa: PTH208 - numbers, not paths
        try:
            found = os.fstat(int(name))
        except OSError:  # closed meanwhile, by another thread
            continue
        if os.path.samestat(found, wanted):
            return True
    return False


if __name__ == "sitecustomize" and REPORT in os.environ:
    sys.addaudithook(_check)
