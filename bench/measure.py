"""Measurements: results of a round, medians over rounds, ratios between servers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import median


@dataclass(frozen=True, slots=True)
class Round:
    """One round of one server under one workload.

    ``cpu_us`` is the server's CPU time per request in microseconds (user and system, all its
    processes), None where the system does not tell; ``rate`` is requests per second of wall time.
    ``database_us`` is the CPU time per request of the database's own processes, if it has any.
    """

    cpu_us: float | None
    rate: float | None
    p50_ms: float | None
    p99_ms: float | None
    database_us: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """The medians of several rounds, and the least and greatest CPU time among them."""

    cpu_us: float | None
    cpu_us_min: float | None
    cpu_us_max: float | None
    rate: float | None
    p50_ms: float | None
    p99_ms: float | None
    database_us: float | None = None


def percentile(values: Sequence[float], fraction: float) -> float:
    """Return the nearest-rank percentile: the least value with ``fraction`` of all at or below it.

    ``fraction`` is above 0 and at most 1. Raises ValueError when there are no values.
    """
    if not values:
        raise ValueError("no values to take a percentile of")
    ordered = sorted(values)
    return ordered[ceil(fraction * len(ordered)) - 1]


def summarise(rounds: Sequence[Round]) -> Summary:
    """Return the medians of ``rounds``. Raises ValueError when there is none."""
    if not rounds:
        raise ValueError("no rounds to summarise")
    cpu = [round_.cpu_us for round_ in rounds if round_.cpu_us is not None]
    return Summary(
        cpu_us=median(cpu) if cpu else None,
        cpu_us_min=min(cpu, default=None),
        cpu_us_max=max(cpu, default=None),
        rate=_median(round_.rate for round_ in rounds),
        p50_ms=_median(round_.p50_ms for round_ in rounds),
        p99_ms=_median(round_.p99_ms for round_ in rounds),
        database_us=_median(round_.database_us for round_ in rounds),
    )


def per_request(before: float | None, after: float | None, requests: int) -> float | None:
    """Return CPU microseconds per request from seconds; None where the system does not tell."""
    return None if before is None or after is None else (after - before) / requests * 1e6


def ratio(value: float | None, base: float | None) -> float | None:
    """Return how many times ``base`` goes into ``value``; None when either is not known or 0."""
    if not value or not base:
        return None
    return value / base


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
