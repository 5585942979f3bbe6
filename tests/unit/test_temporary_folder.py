"""Temporary folders are removed, at the latest when the next command succeeds."""

import subprocess
import sys
from pathlib import Path

import pytest

from quire.temporary_folder import temporary_folder

PREFIX = ".quire-test-"
OTHER = """
import sys, time
from pathlib import Path
from quire.temporary_folder import temporary_folder
with temporary_folder(Path(sys.argv[1]), sys.argv[2]) as folder:
    (folder / "file").touch()
    print("ready", flush=True)
    time.sleep(600)
"""


def start_other(parent: Path) -> subprocess.Popen[bytes]:
    """Start a process that has a temporary folder, and wait until it has it."""
    command = [sys.executable, "-c", OTHER, str(parent), PREFIX]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def test_a_folder_is_removed_at_the_end(tmp_path: Path) -> None:
    with temporary_folder(tmp_path, PREFIX) as folder:
        (folder / "file").touch()
    with pytest.raises(ValueError, match="fails"), temporary_folder(tmp_path, PREFIX):
        raise ValueError("fails")
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_a_killed_process_is_removed_after_a_success(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with start_other(tmp_path) as process:
        process.kill()
    (left,) = tmp_path.glob(f"{PREFIX}*")
    with pytest.raises(ValueError, match="fails"), temporary_folder(tmp_path, PREFIX):
        raise ValueError("fails")
    assert list(left.iterdir()) == [left / "file"]
    with temporary_folder(tmp_path, PREFIX):
        assert left.exists()
    assert list(tmp_path.iterdir()) == [other]


def test_the_folder_of_a_running_process_stays(tmp_path: Path) -> None:
    with start_other(tmp_path) as process:
        with temporary_folder(tmp_path, PREFIX), temporary_folder(tmp_path, PREFIX):
            pass
        assert len(list(tmp_path.glob(f"{PREFIX}*/file"))) == 1
        process.kill()
