"""Small differences between servers: pairs of short turns, and intervals of the ratios.

Two servers answer the same requests in turn, each for a fraction of a second, in random order, so
that both find the machine in the same state: the ratio of one pair of turns has no trend of the
machine in it. Servers and load generator share one processor: otherwise the cost of a request
depends on how many requests the server finds at once, which changes with the speed of the other
processor. So only CPU time is measured; the throughput of a busy process is its inverse.

Equal servers differ by about one percent for as long as they run (by the places of their objects in
memory), so they are started several times; the interval comes from resampling starts, and pairs
within them.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, median

from bench.compare import requests_per_round
from bench.load import Loader, LoadJob
from bench.processes import cpu_microseconds, thread_ids
from bench.servers import Server, credential_for
from bench.workloads import Workload

_FIRST_REQUESTS = 64
_RESAMPLES = 2_000
_CONFIDENCE = 0.95
_CONCURRENCY = 16


@dataclass(frozen=True, slots=True)
class TurnPair:
    """One pair of turns.

    ``cpu_us`` is the first server's CPU time per request in microseconds, ``ratio`` what the second
    one takes of it.
    """

    cpu_us: float
    ratio: float


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A value, and the bounds between which it lies with a confidence of 95 %."""

    value: float
    low: float
    high: float


Starts = Sequence[Sequence[float]]
"""The ratios of pairs, by start of the servers."""


def share_processor(loader: Loader, servers: Iterable[Server]) -> None:
    """Let the load generator and the servers run on one processor, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        processor = max(os.sched_getaffinity(0))
        for pid in (loader.pid, *(server.pid for server in servers)):
            for thread in thread_ids(pid):
                os.sched_setaffinity(thread, {processor})


def alternate(
    servers: tuple[Server, Server],
    workload: Workload,
    loader: Loader,
    random: Random,
    *,
    pairs: int,
    seconds: float,
) -> list[TurnPair]:
    """Load two servers in turn, each for about ``seconds`` of CPU time, after both are warm.

    The CPU time of a pair is all that a server uses from one pair to the next, so that work which
    it does after responding counts, too. Raises LoadError when a server does not answer as it
    should, OSError where the system does not tell what a process uses.
    """

    def run(server: Server, requests: int) -> None:
        credential = credential_for(server, workload.targets[0])
        loader.load(
            LoadJob(
                server.port, workload.targets, credential, requests, _CONCURRENCY, workload.writes
            )
        )

    requests = _FIRST_REQUESTS
    for server in (*servers, *servers):
        before = cpu_microseconds(server.pid)
        run(server, requests)
        rate = requests / (cpu_microseconds(server.pid) - before) * 1e6
        requests = requests_per_round(rate, seconds, _CONCURRENCY)
    results = []
    used = [cpu_microseconds(server.pid) for server in servers]
    for _ in range(pairs):
        for server in random.sample(servers, 2):
            run(server, requests)
        used_before, used = used, [cpu_microseconds(server.pid) for server in servers]
        first, second = (after - then for after, then in zip(used, used_before, strict=True))
        results.append(TurnPair(first / requests, second / first))
    return results


def confidence_interval(workloads: Sequence[Starts], random: Random) -> ConfidenceInterval:
    """Return how servers compare: the median ratio of each start, and the mean of these.

    With several workloads, the mean is that of a server that spends equal time on each of them; all
    have the same number of starts. Raises ValueError when there is none, or one without ratios.
    """
    numbers = range(len(workloads[0]))
    results = []
    for _ in range(_RESAMPLES):
        chosen = random.choices(numbers, k=len(numbers))
        results.append(
            fmean(
                median(random.choices(starts[number], k=len(starts[number])))
                for starts in workloads
                for number in chosen
            )
        )
    results.sort()
    tail = round(len(results) * (1 - _CONFIDENCE) / 2)
    value = fmean(median(ratios) for starts in workloads for ratios in starts)
    return ConfidenceInterval(value, results[tail], results[-1 - tail])
