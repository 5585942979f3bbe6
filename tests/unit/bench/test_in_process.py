"""What is measured of applications with metrics and traces, and without, in one process."""

from pathlib import Path
from random import Random

import pytest

from bench.in_process import ComparedApplication, in_process_costs
from bench.observability import APPLICATIONS, in_process_requests
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import choose, workloads
from quire.content_api.http_messages import Request
from quire.content_api.request_metrics import RequestMetrics

SCALE = Scale(30)


def test_only_applications_with_metrics_observe_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed: list[int] = []
    add = RequestMetrics.add

    def count(
        metrics: RequestMetrics, request: Request, status: int, size: int, seconds: float
    ) -> None:
        observed.append(1)
        add(metrics, request, status, size, seconds)

    monkeypatch.setattr(RequestMetrics, "add", count)
    stage = Stage(tmp_path, make_tables, lambda _: None)

    applications = {
        name: ComparedApplication(stage.quire(SCALE, kind=f"compared-{number}").folder, overrides)
        for number, (name, overrides) in enumerate(APPLICATIONS.items())
    }
    cases = in_process_requests(choose(workloads(SCALE.size), ["flat"]))
    results = in_process_costs(applications, cases, Random(1), starts=2, turns=3)
    ((plain, costs),) = results.values()

    # Two starts of two applications with metrics: 400 requests that warm up, and three turns.
    assert len(observed) == 2 * 2 * (400 + 3 * 100)
    assert list(costs) == ["neither, again", "metrics", "traces", "metrics, traces"]
    assert plain > 0
    assert all(cost.low <= cost.value <= cost.high for cost in costs.values())
