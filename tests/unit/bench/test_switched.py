"""What is measured with metrics and traces switched on and off in one process."""

from pathlib import Path
from random import Random

import pytest

from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.switched import switched_costs
from bench.workloads import choose, workloads
from quire.content_api.http_messages import Request
from quire.content_api.request_metrics import RequestMetrics

SCALE = Scale(30)


def test_requests_are_observed_only_while_it_is_switched_on(
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
    chosen = choose(workloads(SCALE.size), ["flat"])
    (costs,) = switched_costs(stage.quire(SCALE).folder, chosen, Random(1), pairs=3).values()

    # The 400 requests that warm up, and two of five kinds of turns.
    assert len(observed) == 400 + 3 * 2 * 100
    assert list(costs) == ["neither, again", "metrics", "traces", "metrics, traces"]
    assert all(cost.low <= cost.value <= cost.high for cost in costs.values())
