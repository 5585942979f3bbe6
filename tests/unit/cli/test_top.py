"""``quire top``: numbers of an interval, from two reads of the metrics."""

import re
from pathlib import Path

import pytest
from rich.console import Console

from quire.cli.top import Interval, MetricsSnapshot, read_snapshot, view
from quire.metrics.catalogue import CATALOGUE
from tests.unit.cli.conftest import Run
from tests.unit.cli.test_metrics import LIST, measured

BEFORE = """
# TYPE quire_http_requests_total counter
quire_http_requests_total{route="/a",method="GET",status="2xx"} 10
quire_http_requests_total{route="/a",method="GET",status="5xx"} 1
# TYPE quire_http_request_duration_seconds histogram
quire_http_request_duration_seconds_bucket{route="/a",method="GET",status="2xx",le="0.1"} 10
quire_http_request_duration_seconds_bucket{route="/a",method="GET",status="2xx",le="1.0"} 10
quire_http_request_duration_seconds_bucket{route="/a",method="GET",status="2xx",le="+Inf"} 10
"""
AFTER = """
# TYPE quire_http_requests_total counter
quire_http_requests_total{route="/a",method="GET",status="2xx"} 110
quire_http_requests_total{route="/a",method="GET",status="5xx"} 6
quire_http_requests_total{route="/b",method="GET",status="2xx"} 20
# TYPE quire_http_request_duration_seconds histogram
quire_http_request_duration_seconds_bucket{route="/a",method="GET",status="2xx",le="0.1"} 70
quire_http_request_duration_seconds_bucket{route="/a",method="GET",status="2xx",le="1.0"} 109
quire_http_request_duration_seconds_bucket{route="/a",method="GET",status="2xx",le="+Inf"} 110
# TYPE quire_cache_hits_total counter
quire_cache_hits_total{cache="plans"} 30
# TYPE quire_cache_misses_total counter
quire_cache_misses_total{cache="plans"} 10
"""
TIMES = "quire_http_request_duration_seconds"


@pytest.fixture
def interval() -> Interval:
    return Interval(read_snapshot(BEFORE, 100.0), read_snapshot(AFTER, 105.0))


def test_rates_are_those_of_the_interval(interval: Interval) -> None:
    name = "quire_http_requests_total"
    assert interval.rate(name) == 25.0
    assert interval.rate(name, route="/a") == 21.0
    assert interval.rate(name, status="5xx") == 1.0
    assert interval.rate(name, route="/b") == 4.0


def test_a_counter_that_went_back_has_begun_anew(interval: Interval) -> None:
    restarted = Interval(interval.after, MetricsSnapshot(110.0, interval.before.values))

    assert restarted.rate("quire_http_requests_total", route="/a", status="2xx") == 2.0


def test_quantiles_are_those_of_the_interval(interval: Interval) -> None:
    assert interval.quantile(0.5, TIMES, route="/a") == 0.1
    assert interval.quantile(0.99, TIMES, route="/a") == 1.0
    assert interval.quantile(1.0, TIMES, route="/a") == float("inf")
    assert interval.quantile(0.5, TIMES, route="/b") is None


def test_hit_rates_are_those_of_the_interval(interval: Interval) -> None:
    assert interval.hit_rate("plans") == 0.75
    assert interval.hit_rate("totals") is None


def test_routes_are_listed_the_busiest_first(interval: Interval) -> None:
    console = Console(width=160, record=True, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - what is printed is looked at elsewhere
    console.print(view(interval, "http://127.0.0.1:9394"))
    lines = console.export_text().splitlines()
    console.file.close()

    rows = [line.split() for line in lines if line.startswith("/")]
    assert [row[:3] for row in rows] == [["/a", "21.0", "1.0"], ["/b", "4.0", "0.0"]]


def test_every_metric_that_is_looked_at_exists() -> None:
    source = Path("src/quire/cli/top.py").read_text(encoding="utf-8")
    named = set(re.findall(r"\"((?:quire|process)_[a-z_]+)\"", source))
    known = {one.name for one in CATALOGUE} | {f"{one.name}_total" for one in CATALOGUE}
    queues = {"quire_webhook_queue", "quire_job_queue"}

    assert named - queues <= known
    assert {f"{one}{end}" for one in queues for end in ("_depth", "_lag_seconds")} <= known


def test_a_running_server_is_shown_once(project: Path, run: Run) -> None:
    with measured(project) as server:
        server.send("GET", LIST)
        shown = run("top", project, "--address", server.metrics, "--interval", 0.1, "--once")

    assert shown.code == 0
    assert "1 processes" in shown.output
    assert LIST in shown.output


def test_a_project_without_metrics_is_told_how_to_have_them(project: Path, run: Run) -> None:
    shown = run("top", project, "--once")

    assert shown.code != 0
    assert "metrics.port" in shown.messages


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "file:///etc/passwd", "nowhere"])
def test_an_address_without_metrics_is_an_error(project: Path, run: Run, address: str) -> None:
    shown = run("top", project, "--address", address, "--once")

    assert shown.code != 0
    assert address in shown.messages
