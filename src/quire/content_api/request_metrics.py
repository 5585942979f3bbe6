"""Counts requests by route, method and class of status, with their times and sizes.

Clients must not be able to create new series: a route counts by its pattern, other paths by a few
groups, and unknown methods together.
"""

from collections.abc import Iterator

from quire.content_api.http_messages import Request
from quire.content_api.routes import METHODS
from quire.metrics.catalogue import REQUEST_SECONDS, REQUESTS, RESPONSE_BYTES
from quire.metrics.families import LabelValues, MetricFamily, family, histogram_family
from quire.metrics.request_series import RequestSeries

_KNOWN_METHODS = frozenset({*METHODS, "OPTIONS"})
_OTHER_METHOD = "other"
_MAX_SERIES = 5000
"""The maximum number of label combinations: routes of types that come and go add up."""
_GROUPS = (
    (b"/_health", "/_health"),
    (b"/_ready", "/_ready"),
    (b"/admin", "/admin/*"),
    (b"/uploads/", "/uploads/*"),
)
"""Prefixes of paths without a route, and their labels."""


class RequestMetrics:
    """Counts responses. For use on the event loop only."""

    def __init__(self) -> None:
        self._by_labels: dict[LabelValues, RequestSeries] = {}

    def add(self, request: Request, status: int, size: int, seconds: float) -> None:
        """Count a response of ``size`` bytes that took ``seconds``."""
        match = None if request.found is None else request.found[1]
        if match is None or match[0].method != request.method:
            series = self._find(request, status)
        elif status in match[0].series:
            series = match[0].series[status]
        else:
            series = match[0].series[status] = self._find(request, status)
        series.size += size
        series.observe(seconds)

    def _find(self, request: Request, status: int) -> RequestSeries:
        labels = route_pattern(request), method_label(request.method), f"{status // 100}xx"
        if labels not in self._by_labels and len(self._by_labels) >= _MAX_SERIES:
            labels = _OTHER_METHOD, *labels[1:]
        series = self._by_labels.get(labels)
        if series is None:
            series = self._by_labels[labels] = RequestSeries()
        return series

    def aggregate(self) -> None:
        """See `Histogram.aggregate`."""
        for series in self._by_labels.values():
            series.times.aggregate()

    def families(self) -> Iterator[MetricFamily]:
        """Yield the metrics."""
        series_by_labels = self._by_labels
        yield family(
            REQUESTS, [(labels, series.times.count) for labels, series in series_by_labels.items()]
        )
        yield family(
            RESPONSE_BYTES, [(labels, series.size) for labels, series in series_by_labels.items()]
        )
        yield histogram_family(
            REQUEST_SECONDS, {labels: series.times for labels, series in series_by_labels.items()}
        )


def route_pattern(request: Request) -> str:
    """Return the pattern of the route of a request, or the group of its path."""
    result = request.found
    if result is not None and result[1] is not None:
        table, (route, _) = result[0], result[1]
        return f"{table.prefix}/{route.path.strip('/')}"
    for beginning, group in _GROUPS:
        if request.path.startswith(beginning):
            return group
    return _OTHER_METHOD


def method_label(method: str) -> str:
    """Return a method as a label: methods that no route has count together."""
    return method if method in _KNOWN_METHODS else _OTHER_METHOD
