"""Histograms that are written by one thread without a lock."""

from bisect import bisect_left
from collections.abc import Mapping

from quire.metrics.families import LabelValues, Metric, MetricFamily, Sample


class Histogram:
    """The number of values by bucket, and their sum."""

    __slots__ = ("bounds", "buckets", "total")

    def __init__(self, metric: Metric) -> None:
        self.bounds = metric.bounds
        self.buckets = [0] * (len(metric.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.buckets[bisect_left(self.bounds, value)] += 1
        self.total += value

    @property
    def count(self) -> int:
        """How many values were observed."""
        return sum(self.buckets)

    def sample(self, labels: LabelValues = ()) -> Sample:
        """Return what was observed."""
        return Sample(labels, self.total, tuple(self.buckets))


def histogram_family(metric: Metric, found: Mapping[LabelValues, Histogram]) -> MetricFamily:
    """Make the family of histograms by labels."""
    return MetricFamily(metric, tuple(one.sample(labels) for labels, one in found.items()))
