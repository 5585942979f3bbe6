"""Writes families in the text forms of Prometheus and OpenMetrics."""

from collections.abc import Iterator

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as ClientMetric
from prometheus_client.registry import CollectorRegistry

from quire.metrics.families import Families, MetricFamily, Sample


class _Collector:
    def __init__(self, families: Families) -> None:
        self._families = families

    def collect(self) -> Iterator[ClientMetric]:
        return map(_client_metric, self._families)


def render(families: Families, accept: str) -> tuple[bytes, str]:
    """Return the text and its media type, in the form that an ``Accept`` header asks for."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(families))
    encode, media_type = choose_encoder(accept)
    return encode(registry), media_type


def _client_metric(family: MetricFamily) -> ClientMetric:
    metric = family.metric
    match metric.kind:
        case "counter":
            counter = CounterMetricFamily(metric.name, metric.help, labels=metric.labels)
            for sample in family.samples:
                counter.add_metric(sample.labels, sample.value)
            return counter
        case "gauge":
            gauge = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
            for sample in family.samples:
                gauge.add_metric(sample.labels, sample.value)
            return gauge
        case "histogram":
            histogram = HistogramMetricFamily(metric.name, metric.help, labels=metric.labels)
            for sample in family.samples:
                buckets = list(_cumulative(metric.bounds, sample))
                histogram.add_metric(sample.labels, buckets, sample.value)
            return histogram


def _cumulative(bounds: tuple[float, ...], sample: Sample) -> Iterator[tuple[str, float]]:
    names = [*(str(upper_bound) for upper_bound in bounds), "+Inf"]
    total = 0
    for name, count in zip(names, sample.buckets, strict=True):
        total += count
        yield name, total
