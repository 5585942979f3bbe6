"""Other programs that write to the SQLite file of a project, with their own SQLite."""

import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

DRIVERS = frozenset({"apsw", "sqlite3", "sqlean"})
"""The Python modules that they use; each comes with another version of SQLite."""

_PROGRAM = Path(__file__).with_name("outside_program.py")


@contextmanager
def outside_programs(database: Path) -> Iterator[Mapping[str, list[int]]]:
    """Run one program for each driver until the block ends, and kill it then.

    Gives the numbers of the rows that each has committed, see ``outside_program.py``.
    """
    committed: dict[str, list[int]] = {driver: [] for driver in DRIVERS}
    programs = {
        driver: subprocess.Popen(
            [sys.executable, str(_PROGRAM), driver, str(database)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for driver in DRIVERS
    }
    threads = [
        threading.Thread(target=_collect, args=(program, committed[driver]))
        for driver, program in programs.items()
    ]
    for thread in threads:
        thread.start()
    try:
        yield committed
    finally:
        ended = {driver: program.poll() for driver, program in programs.items()}
        for program in programs.values():
            program.kill()
            program.wait()
        for thread in threads:
            thread.join()
    assert set(ended.values()) == {None}, ended


def _collect(program: "subprocess.Popen[str]", committed: list[int]) -> None:
    assert program.stdout is not None
    with program.stdout as lines:
        committed += map(int, lines)
