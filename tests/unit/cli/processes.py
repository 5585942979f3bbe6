"""The command line in separate processes."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from tests.secrecy.watch import WATCH

QUIRE = Path(sys.executable).with_name("quire")


@contextmanager
def serving(command: str, project: Path, *options: str) -> Iterator[tuple[str, Popen[str]]]:
    """A running server: its address and its process."""
    arguments = [str(QUIRE), command, str(project), "--host", "127.0.0.1", "--port", "0", *options]
    with Popen(arguments, stderr=PIPE, text=True) as process:
        try:
            yield ready_at(process), process
        finally:
            if process.poll() is None:
                process.terminate()


def ready_at(process: Popen[str]) -> str:
    """Wait for the line that names the server's address."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        WATCH.look("the log of a server", line)
        found = re.search(r"is served at (http://\S+) ", line)
        if found:
            return found[1]
    pytest.fail(f"the server did not start: {lines}")
