"""Metrics of several processes are combined to those of one server."""

import pytest

from quire.metrics.catalogue import CATALOGUE, REQUEST_SECONDS, WEBHOOK_LAG
from quire.metrics.exposition import render
from quire.metrics.families import (
    Histogram,
    Metric,
    MetricFamily,
    Sample,
    decode_families,
    encode_families,
    family,
    histogram_family,
    merge_families,
    single,
    without_gauges,
)

CALLS = Metric(name="calls", kind="counter", help="Calls.", labels=("kind",))
OPEN = Metric(name="open", kind="gauge", help="Open files.")
TIMES = Metric(name="times", kind="histogram", help="Times.", bounds=(0.1, 1.0))


def times(*values: float) -> MetricFamily:
    histogram = Histogram(TIMES)
    for value in values:
        histogram.observe(value)
    return histogram_family(TIMES, {(): histogram})


def test_counters_gauges_and_histograms_of_processes_are_added_up() -> None:
    merged = merge_families(
        [
            [family(CALLS, [(("a",), 1), (("b",), 2)]), single(OPEN, 3), times(0.0625, 0.125)],
            [family(CALLS, [(("b",), 5)]), single(OPEN, 4), times(0.25, 7)],
        ]
    )

    assert merged == [
        family(CALLS, [(("a",), 1), (("b",), 7)]),
        single(OPEN, 7),
        MetricFamily(TIMES, (Sample((), 7.4375, (1, 2, 1)),)),
    ]


def test_values_count_in_the_bucket_of_the_first_bound_that_they_do_not_exceed() -> None:
    histogram = Histogram(TIMES, threshold=1.0)
    for value in (1.0, 0.125, 0.1):
        histogram.observe(value)
    histogram.aggregate()
    for value in (2.0, 0.0):
        histogram.observe(value)

    assert histogram.sample().buckets == (2, 2, 1)
    assert histogram.total == pytest.approx(3.225)
    assert histogram.count == 5
    assert histogram.exceeded == 2


def test_what_every_process_sees_alike_is_not_added_up() -> None:
    merged = merge_families([[single(WEBHOOK_LAG, 3)], [single(WEBHOOK_LAG, 2)]])

    assert merged == [single(WEBHOOK_LAG, 3)]


def test_of_a_process_that_has_ended_the_counters_stay() -> None:
    found = [family(CALLS, [(("a",), 1)]), single(OPEN, 3), times(0.2)]

    assert without_gauges(found) == [found[0], found[2]]


def test_families_travel_between_processes() -> None:
    found = [family(CALLS, [(("a",), 1)]), single(OPEN, 3.5), times(0.2)]

    assert decode_families(encode_families(found)) == found


def test_the_text_has_cumulative_buckets_and_escaped_labels() -> None:
    text, media_type = render([times(0.05, 0.2, 7), family(CALLS, [(('a"\n',), 1)])], "")

    assert media_type.startswith("text/plain")
    assert text.decode().splitlines() == [
        "# HELP times Times.",
        "# TYPE times histogram",
        'times_bucket{le="0.1"} 1.0',
        'times_bucket{le="1.0"} 2.0',
        'times_bucket{le="+Inf"} 3.0',
        "times_count 3.0",
        "times_sum 7.25",
        "# HELP calls_total Calls.",
        "# TYPE calls_total counter",
        'calls_total{kind="a\\"\\n"} 1.0',
    ]


def test_openmetrics_is_written_for_those_who_ask_for_it() -> None:
    text, media_type = render([single(OPEN, 1)], "application/openmetrics-text; version=1.0.0")

    assert media_type.startswith("application/openmetrics-text")
    assert text.endswith(b"# EOF\n")


@pytest.mark.parametrize("metric", CATALOGUE, ids=lambda one: one.name)
def test_names_are_those_of_the_text_form(metric: Metric) -> None:
    assert not metric.name.endswith("_total")
    assert (metric.kind == "histogram") == bool(metric.bounds)
    assert list(metric.bounds) == sorted(metric.bounds)


def test_names_are_told_apart() -> None:
    assert len({one.name for one in CATALOGUE}) == len(CATALOGUE)
    assert REQUEST_SECONDS in CATALOGUE
