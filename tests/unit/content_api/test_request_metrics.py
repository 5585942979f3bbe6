"""Labels of request metrics never contain input of clients."""

import pytest

from quire.content_api import request_metrics
from quire.content_api.http_messages import Request, Response
from quire.content_api.request_metrics import RequestMetrics
from quire.content_api.routes import Route, RouteTable
from quire.metrics.catalogue import REQUESTS, RESPONSE_BYTES
from quire.metrics.families import LabelValues, Metric


async def nothing(_: Request) -> Response:
    return Response(204)


TABLE = RouteTable(
    [
        Route(method="GET", path="/papers/:id", action=None, handler=nothing),
        Route(method="GET", path="/papers", action=None, handler=nothing),
    ],
    prefix="/api",
)


def request(method: str, path: str) -> Request:
    made = Request(method, path.encode(), b"", {}, None, None)
    made.found = TABLE, TABLE.find(method, path.removeprefix("/api").encode())
    return made


def counted(metrics: RequestMetrics, metric: Metric) -> dict[LabelValues, float]:
    (found,) = [one for one in metrics.families() if one.metric is metric]
    return {sample.labels: sample.value for sample in found.samples}


def test_requests_count_by_pattern_method_and_class_of_status() -> None:
    metrics = RequestMetrics()
    for number in range(50):
        metrics.add(request("GET", f"/api/papers/{number}"), 200 + number % 2, 10, 0.0)
    metrics.add(request("GET", "/api/papers"), 404, 7, 0.0)

    assert counted(metrics, REQUESTS) == {
        ("/api/papers/:id", "GET", "2xx"): 50,
        ("/api/papers", "GET", "4xx"): 1,
    }
    assert counted(metrics, RESPONSE_BYTES) == {
        ("/api/papers/:id", "GET", "2xx"): 500,
        ("/api/papers", "GET", "4xx"): 7,
    }


def test_a_route_of_two_tables_counts_by_the_prefix_of_each() -> None:
    metrics = RequestMetrics()
    for prefix in ("/api", "/admin", "/api"):
        table = RouteTable(TABLE.routes, prefix)
        for method in ("GET", "HEAD"):
            received = Request(method, f"{prefix}/papers".encode(), b"", {}, None, None)
            received.found = table, table.find("GET", b"/papers")
            metrics.add(received, 200, 1, 0.0)

    assert counted(metrics, REQUESTS) == {
        ("/api/papers", "GET", "2xx"): 2,
        ("/api/papers", "HEAD", "2xx"): 2,
        ("/admin/papers", "GET", "2xx"): 1,
        ("/admin/papers", "HEAD", "2xx"): 1,
    }


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/_health", "/_health"),
        ("/_ready", "/_ready"),
        ("/admin/assets/a.js", "/admin/*"),
        ("/uploads/a.png", "/uploads/*"),
        ("/anything/else", "other"),
        ("/api/nothing/here", "other"),
    ],
)
def test_paths_without_a_route_count_in_few_groups(path: str, route: str) -> None:
    metrics = RequestMetrics()
    metrics.add(request("GET", path), 404, 0, 0.0)

    assert list(counted(metrics, REQUESTS)) == [(route, "GET", "4xx")]


def test_methods_that_clients_make_up_count_together() -> None:
    metrics = RequestMetrics()
    for number in range(30):
        metrics.add(request(f"BREW{number}", f"/x/{number}"), 501, 0, 0.0)

    assert counted(metrics, REQUESTS) == {("other", "other", "5xx"): 30}


def test_series_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_metrics, "_MAX_SERIES", 3)
    metrics = RequestMetrics()
    for number in range(10):
        path = f"/things{number}"
        table = RouteTable([Route(method="GET", path=path, action=None, handler=nothing)])
        made = Request("GET", path.encode(), b"", {}, None, None)
        made.found = table, table.find("GET", path.encode())
        for _ in range(2):
            metrics.add(made, 200, 0, 0.0)

    found = counted(metrics, REQUESTS)
    assert len(found) == 4
    assert found["other", "GET", "2xx"] == 14
