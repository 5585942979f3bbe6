"""Counters shared through a bounded file, without blocking."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from quire.auth import shared_counters
from quire.auth.shared_counters import SharedCounters

NOW, MINUTE = 1_700_000_000_500, 60_000
COUNTING = """
import sys
from pathlib import Path
from quire.auth.shared_counters import SharedCounters
calls = SharedCounters("secret", Path(sys.argv[1]))
for number in range(2000):
    calls.add(f"key {number % 4}", 1_700_000_000_500, 60_000)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "calls"


def test_what_one_has_counted_others_see(file: Path) -> None:
    one, other = SharedCounters("secret", file), SharedCounters("secret", file)
    assert [counts.add("key", NOW, MINUTE).calls for counts in (one, other, one)] == [1, 2, 3]
    assert other.window("key", NOW, MINUTE) == one.window("key", NOW, MINUTE)
    assert other.window("another", NOW, MINUTE) is None
    for counts in (one, other):
        counts.close()


def test_what_was_counted_is_there_after_a_restart(file: Path) -> None:
    before = SharedCounters("secret", file)
    window = before.add("key", NOW, MINUTE)
    before.close()
    after = SharedCounters("secret", file)
    again = after.add("key", NOW + MINUTE - 1, MINUTE)
    assert (again.ends_at, again.calls) == (window.ends_at, 2)
    assert after.add("key", NOW + MINUTE, MINUTE).calls == 1
    after.close()


def test_processes_that_count_at_once_miss_nothing(file: Path) -> None:
    command = [sys.executable, "-c", COUNTING, str(file)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    counts = SharedCounters("secret", file)
    for number in range(4):
        window = counts.window(f"key {number}", NOW, MINUTE)
        assert window is not None
        assert window.calls == 3 * 500
    counts.close()


def test_nobody_reads_from_the_file_who_called(file: Path) -> None:
    counts = SharedCounters("secret", file)
    counts.add("auth/local 192.0.2.1 ada@example.org", NOW, MINUTE)
    counts.close()
    content = file.read_bytes()
    assert not any(text in content for text in (b"192.0.2.1", b"ada", b"example"))
    assert file.stat().st_mode & 0o077 == 0


def test_the_file_does_not_grow_and_many_new_keys_do_not_hide_one_that_is_near_its_limit(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_counters, "_GROUPS", 4)
    counts = SharedCounters("secret", file)
    size = file.stat().st_size
    for _ in range(9):
        counts.add("near", NOW, MINUTE)
    for number in range(1000):
        counts.add(f"{number}", NOW + 1, MINUTE)
    assert counts.add("near", NOW + 2, MINUTE).calls == 10
    assert file.stat().st_size == size
    # Once it has ended, it is the first to go.
    for number in range(1000):
        counts.add(f"later {number}", NOW + MINUTE, MINUTE)
    assert counts.window("near", NOW + MINUTE - 1, MINUTE) is None
    counts.close()


def test_a_process_that_has_read_the_clock_earlier_counts_in_the_same_window(file: Path) -> None:
    counts = SharedCounters("secret", file)
    window = counts.add("key", NOW, MINUTE)
    again = counts.add("key", NOW - 3, MINUTE)
    assert (again.ends_at, again.calls) == (window.ends_at, 2)
    counts.close()


def test_a_clock_that_is_set_back_does_not_make_a_window_longer(file: Path) -> None:
    counts = SharedCounters("secret", file)
    counts.add("key", NOW, MINUTE)
    assert counts.window("key", NOW - MINUTE, MINUTE) is None
    assert counts.add("key", NOW - MINUTE, MINUTE).calls == 1
    counts.close()


@pytest.mark.parametrize("content", [b"", b"something else", b"quire calls 0\n" + bytes(5_000_000)])
def test_a_file_of_another_kind_is_created_again(file: Path, content: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(content)
    counts = SharedCounters("secret", file)
    assert [counts.add("key", NOW, MINUTE).calls for _ in range(2)] == [1, 2]
    counts.close()


def test_where_there_can_be_no_file_each_counts_for_itself(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with capture_logs() as lines:
        counts = SharedCounters("secret", tmp_path / "file" / "calls")
    assert [line["event"] for line in lines] == ["calls are counted by each process for itself"]
    assert [counts.add("key", NOW, MINUTE).calls for _ in range(2)] == [1, 2]
    counts.close()


def test_a_file_that_breaks_while_it_is_used_does_not_stop_the_counting(file: Path) -> None:
    counts = SharedCounters("secret", file)
    counts.add("key", NOW, MINUTE)
    os.truncate(file, 0)
    assert counts.window("key", NOW, MINUTE) is None
    with capture_logs() as lines:
        assert [counts.add("key", NOW, MINUTE).calls for _ in range(2)] == [1, 2]
    assert len(lines) == 1
    counts.close()
