"""Other programs that use a database concurrently."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_COMMITTING = """
import sys
import apsw

connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(5000)
for line in sys.stdin:
    connection.execute("INSERT INTO accounts (amount) VALUES (?)", (int(line),))
    print(line.strip(), flush=True)
"""

_WRITING = """
import sys
import apsw

try:
    apsw.Connection(sys.argv[1]).execute("BEGIN IMMEDIATE")
except apsw.BusyError:
    print("busy")
else:
    print("free")
"""


class Committer:
    """Executes and commits statements before `commit` returns."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def commit(self, amount: int) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{amount}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == f"{amount}\n"


@contextmanager
def committing(path: Path) -> Iterator[Committer]:
    """Run a program that adds accounts."""
    command = [sys.executable, "-c", _COMMITTING, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Committer(process)
        assert process.stdin is not None
        process.stdin.close()


def may_another_program_write(path: Path) -> bool:
    """Tell whether the lock on writing is free."""
    command = [sys.executable, "-c", _WRITING, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout == "free\n"
