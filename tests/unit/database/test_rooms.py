"""Which room is chosen, and what it takes to choose."""

import subprocess
import sys


def test_the_server_imports_no_driver_before_it_knows_its_database() -> None:
    code = "import sys, quire.app; print(*({'apsw', 'asyncpg'} & set(sys.modules)))"
    finished = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert finished.stdout.split() == []
