"""Metrics with their samples, and how the samples of several processes are combined.

These values are sent between processes as MessagePack. This module does not know what is measured.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

import msgspec
from msgspec import Struct

LabelValues = tuple[str, ...]


class Metric(Struct, frozen=True, kw_only=True):
    """The definition of a metric.

    ``name`` has no ``_total``, which the text form adds to counters. ``labels`` are the names of
    labels, whose values must come from a bounded set. ``merge`` says how the values of several
    processes are combined: their sum, or their maximum if each process measures the same thing.
    ``bounds`` are the upper bounds of the buckets of a histogram, without the infinite one.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()
    merge: Literal["sum", "max"] = "sum"
    bounds: tuple[float, ...] = ()


class Sample(Struct, frozen=True):
    """One value of a metric, or the sum of a histogram with the number of values by bucket."""

    labels: LabelValues
    value: float
    buckets: tuple[int, ...] = ()


class MetricFamily(Struct, frozen=True):
    """A metric with all its samples."""

    metric: Metric
    samples: tuple[Sample, ...]


Families = Sequence[MetricFamily]


def family(metric: Metric, samples: Iterable[tuple[LabelValues, float]]) -> MetricFamily:
    """Make the family of a counter or gauge of values by labels."""
    return MetricFamily(metric, tuple(Sample(labels, value) for labels, value in samples))


def single(metric: Metric, value: float) -> MetricFamily:
    """Make the family of a counter or gauge without labels."""
    return family(metric, [((), value)])


def merge_families(processes: Iterable[Families]) -> list[MetricFamily]:
    """Combine the metrics of several processes."""
    metrics: dict[str, Metric] = {}
    samples_by_name: dict[str, dict[LabelValues, Sample]] = {}
    for family in chain.from_iterable(processes):
        metric = metrics.setdefault(family.metric.name, family.metric)
        samples = samples_by_name.setdefault(metric.name, {})
        for sample in family.samples:
            previous = samples.get(sample.labels)
            samples[sample.labels] = (
                sample if previous is None else _merge_samples(metric, previous, sample)
            )
    return [
        MetricFamily(metrics[name], tuple(samples_by_labels.values()))
        for name, samples_by_labels in samples_by_name.items()
    ]


def without_gauges(families: Families) -> list[MetricFamily]:
    """Return the counters and histograms of a process that has ended, without gauges."""
    return [family for family in families if family.metric.kind != "gauge"]


def _merge_samples(metric: Metric, first: Sample, second: Sample) -> Sample:
    if metric.merge == "max":
        return Sample(first.labels, max(first.value, second.value))
    buckets = tuple(
        first_count + second_count
        for first_count, second_count in zip(first.buckets, second.buckets, strict=True)
    )
    return Sample(first.labels, first.value + second.value, buckets)


_decoder = msgspec.msgpack.Decoder(list[MetricFamily])


def encode_families(families: Families) -> bytes:
    """Serialize families for another process."""
    return msgspec.msgpack.encode(families)


def decode_families(data: bytes) -> list[MetricFamily]:
    """Deserialize the result of `encode_families`."""
    return _decoder.decode(data)


class Histogram:
    """The number of values by bucket, and their sum.

    Values are collected in a list first, since that costs a request less than counting them;
    `aggregate` has to be called from time to time, so that the list does not grow. ``exceeded`` is
    the number of values that are at least ``threshold``.
    """

    __slots__ = ("_values", "bounds", "buckets", "exceeded", "observe", "threshold", "total")

    def __init__(self, metric: Metric, threshold: float = math.inf) -> None:
        self.bounds = metric.bounds
        self.buckets = [0] * (len(metric.bounds) + 1)
        self.total = 0.0
        self.threshold = threshold
        self.exceeded = 0
        self._values: list[float] = []
        self.observe = self._values.append
        """Record a value."""

    def aggregate(self) -> None:
        """Count the values that were recorded since the last call."""
        values = self._values
        if not values:
            return
        # Most values belong to the first bucket, and sorting is what takes time.
        limit = min(self.bounds[0], self.threshold)
        others = sorted([value for value in values if value >= limit])
        self.buckets[0] += len(values) - len(others)
        start = 0
        for bucket, upper_bound in enumerate(self.bounds):
            end = bisect_right(others, upper_bound, start)
            self.buckets[bucket] += end - start
            start = end
        self.buckets[-1] += len(others) - start
        self.exceeded += len(others) - bisect_left(others, self.threshold)
        self.total += sum(values)
        values.clear()

    @property
    def count(self) -> int:
        """How many values were recorded."""
        self.aggregate()
        return sum(self.buckets)

    def sample(self, labels: LabelValues = ()) -> Sample:
        """Return the sample."""
        self.aggregate()
        return Sample(labels, self.total, tuple(self.buckets))


def histogram_family(metric: Metric, histograms: Mapping[LabelValues, Histogram]) -> MetricFamily:
    """Make the family of histograms by labels."""
    return MetricFamily(
        metric, tuple(histogram.sample(labels) for labels, histogram in histograms.items())
    )
