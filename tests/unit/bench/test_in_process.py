"""What is measured of applications with metrics and traces, and without, in one process."""

from pathlib import Path
from random import Random

import pytest

from bench.in_process import ComparedApplication, in_process_costs
from bench.observability import APPLICATIONS, in_process_requests
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import choose, workloads
from quire.content_api.request_metrics import RequestMetrics
from quire.metrics.catalogue import REQUESTS
from quire.runtime import metrics_collector

SCALE = Scale(30)


def counted(metrics: RequestMetrics) -> float:
    (requests,) = [family for family in metrics.families() if family.metric is REQUESTS]
    return sum(sample.value for sample in requests.samples)


def test_only_applications_with_metrics_observe_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    created: list[RequestMetrics] = []

    def create() -> RequestMetrics:
        created.append(RequestMetrics())
        return created[-1]

    monkeypatch.setattr(metrics_collector, "RequestMetrics", create)
    stage = Stage(tmp_path, make_tables, lambda _: None)

    applications = {
        name: ComparedApplication(stage.quire(SCALE, kind=f"compared-{number}").folder, overrides)
        for number, (name, overrides) in enumerate(APPLICATIONS.items())
    }
    cases = in_process_requests(choose(workloads(SCALE.size), ["flat"]))
    results = in_process_costs(applications, cases, Random(1), starts=2, turns=3)
    ((plain, costs),) = results.values()

    # Two starts of two applications with metrics: 400 requests that warm up, and three turns.
    assert [counted(metrics) for metrics in created] == [400 + 3 * 100] * 4
    assert list(costs) == ["neither, again", "metrics", "traces", "metrics, traces"]
    assert plain > 0
    assert all(cost.low <= cost.value <= cost.high for cost in costs.values())
