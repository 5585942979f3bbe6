"""Pairs of turns, and the intervals of their ratios."""

from contextlib import ExitStack
from pathlib import Path
from random import Random

import pytest

from bench.load import LoadError, LoadJob, running_loader
from bench.paired import alternate, confidence_interval, share_processor
from bench.processes import thread_ids
from bench.servers import plain, running
from bench.workloads import Workload
from tests.unit.bench.marks import needs_proc

TARGET = "/api/tags"


def test_ratios_without_spread_have_an_interval_without_width() -> None:
    result = confidence_interval([[[1.25, 1.25, 1.25], [1.25]]], Random(1))
    assert (result.low, result.value, result.high) == (1.25, 1.25, 1.25)


def test_a_start_counts_as_much_as_another_and_outliers_do_not() -> None:
    result = confidence_interval([[[1.0, 1.0, 1.0, 1.0, 9.0], [2.0]]], Random(1))
    assert result.value == 1.5
    # There are only two starts: either of them might have been drawn twice.
    assert result.low == 1.0
    assert result.high >= 2.0


def test_workloads_count_equally() -> None:
    result = confidence_interval([[[1.0], [1.0]], [[1.5, 1.5], [1.5]]], Random(1))
    assert (result.low, result.value, result.high) == (1.25, 1.25, 1.25)


def test_more_pairs_narrow_the_interval() -> None:
    random = Random(1)
    widths = []
    for count in (5, 500):
        result = confidence_interval([[[random.gauss(1, 0.1) for _ in range(count)]]], random)
        assert result.low <= result.value <= result.high
        widths.append(result.high - result.low)
    assert widths[1] < widths[0] / 3


@needs_proc
def test_two_servers_take_turns_in_pairs(tmp_path: Path) -> None:
    workload = Workload("tags", "tags", (TARGET,))
    with ExitStack() as stack:
        servers = [
            stack.enter_context(running(plain(tmp_path / name, {TARGET: "{}"}), probe=TARGET))
            for name in ("one", "two")
        ]
        loader = stack.enter_context(running_loader())
        share_processor(loader, servers)
        first, second = servers
        pairs = alternate((first, second), workload, loader, Random(1), pairs=3, seconds=0.01)

    assert len(pairs) == 3
    assert all(pair.cpu_us > 0 and pair.ratio > 0 for pair in pairs)
    assert thread_ids(first.pid) == []


def test_a_loader_runs_one_job_after_the_other_until_one_fails(tmp_path: Path) -> None:
    with (
        running(plain(tmp_path / "one", {TARGET: "{}"}), probe=TARGET) as server,
        running_loader() as loader,
    ):
        jobs = [LoadJob(server.port, (TARGET,), "token", requests=number) for number in (3, 70)]
        assert [loader.load(job).requests for job in jobs] == [3, 70]
        with pytest.raises(LoadError, match="the server answered 404"):
            loader.load(LoadJob(server.port, ("/nowhere",), "token", requests=1))
