"""Metrics of a running server, on a separate port."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from subprocess import PIPE, Popen
from urllib.parse import urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

from quire.metrics.catalogue import CATALOGUE
from tests.conformance.corpus import credentials
from tests.unit.cli.conftest import Run
from tests.unit.cli.processes import QUIRE, ready_at
from tests.unit.cli.waiting import server_processes, wait_for

LIST = "/api/tags"
Labels = frozenset[tuple[str, str]]


class Measured:
    """A server with metrics: the addresses of both, and the process."""

    def __init__(self, address: str, metrics: str, process: Popen[str]) -> None:
        self.address = address
        self.metrics = metrics
        self.process = process

    def send(self, method: str, target: str, **headers: str) -> int:
        return request(self.address, method, target, headers)[0]

    def samples(self) -> dict[tuple[str, Labels], float]:
        status, text = request(self.metrics, "GET", "/metrics", {})
        assert status == 200
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def value(self, name: str, **labels: str) -> float:
        return self.samples()[name, frozenset(labels.items())]


def request(address: str, method: str, target: str, headers: dict[str, str]) -> tuple[int, str]:
    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
    try:
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


@contextmanager
def measured(project: Path, *options: str, settings: str = "") -> Iterator[Measured]:
    text = f"[metrics]\nport = 0\n{settings}"
    (project / "quire.toml").write_text(text, encoding="utf-8")
    arguments = [str(QUIRE), "start", str(project), "--host", "127.0.0.1", "--port", "0", *options]
    with Popen(arguments, stderr=PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            metrics = next(
                found[1]
                for line in process.stderr
                if (found := re.search(r"Metrics are served at (http://\S+)/metrics", line))
            )
            yield Measured(ready_at(process), metrics, process)
        finally:
            if process.poll() is None:
                process.terminate()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_requests_are_counted_whoever_answers_them(project: Path, workers: str) -> None:
    token = f"Bearer {credentials().api_tokens['full']}"
    with measured(project, "--workers", workers) as server:
        for number in range(20):  # each on a separate connection, so that all processes answer
            assert server.send("GET", f"{LIST}?pagination[pageSize]={number % 3 + 1}") == 200
        server.send("GET", LIST, Authorization=token)
        server.send("POST", LIST)
        server.send("GET", "/nowhere/at/all")
        found = server.samples()

    def count(**labels: str) -> float:
        return found["quire_http_requests_total", frozenset(labels.items())]

    assert count(route=LIST, method="GET", status="2xx") == 21
    assert count(route=LIST, method="POST", status="4xx") == 1
    assert count(route="other", method="GET", status="4xx") == 1
    observed = frozenset({"route": LIST, "method": "GET", "status": "2xx", "le": "+Inf"}.items())
    assert found["quire_http_request_duration_seconds_bucket", observed] == 21
    assert found["quire_processes", frozenset()] == int(workers)
    assert found["process_resident_memory_bytes", frozenset()] > 10_000_000
    reads = frozenset({"operation": "read"}.items())
    assert found["quire_database_operation_duration_seconds_count", reads] > 0
    caches = {dict(labels)["cache"] for name, labels in found if name == "quire_cache_hits_total"}
    assert caches == {"responses", "plans", "totals", "pages", "credentials", "queries"}


def test_every_metric_of_the_catalogue_is_served(project: Path) -> None:
    with measured(project) as server:
        server.send("GET", LIST)
        text = request(server.metrics, "GET", "/metrics", {})[1]

    served = {one.name for one in text_string_to_metric_families(text)}
    assert served == {one.name for one in CATALOGUE}


def test_counters_do_not_go_back_when_a_process_ends(project: Path) -> None:
    labels = {"route": LIST, "method": "GET", "status": "2xx"}
    with measured(project, "--workers", "2") as server:
        for _ in range(20):
            server.send("GET", LIST)
        assert server.value("quire_http_requests_total", **labels) == 20
        killed = server_processes(server.process.pid)[-1]
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: killed not in server_processes(server.process.pid))
        wait_for(lambda: server.value("quire_processes") == 2)
        assert server.value("quire_http_requests_total", **labels) == 20
        server.send("GET", LIST)
        assert server.value("quire_http_requests_total", **labels) == 21


def test_the_public_port_serves_no_metrics(project: Path) -> None:
    with measured(project) as server:
        assert server.send("GET", "/metrics") == 404
        assert request(server.metrics, "GET", LIST, {})[0] == 404
        assert request(server.metrics, "POST", "/metrics", {})[0] == 404


def test_without_a_port_nothing_is_served_or_measured(project: Path) -> None:
    arguments = [str(QUIRE), "start", str(project), "--host", "127.0.0.1", "--port", "0"]
    with Popen(arguments, stderr=PIPE, text=True) as process:
        try:
            address = ready_at(process)
            assert request(address, "GET", "/metrics", {})[0] == 404
        finally:
            process.terminate()
        assert process.stderr is not None
        assert "Metrics" not in process.stderr.read()


def test_a_port_that_is_taken_is_an_error_at_the_start(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        text = f"[metrics]\nport = {port}\n"
        (project / "quire.toml").write_text(text, encoding="utf-8")
        arguments = [str(QUIRE), "start", str(project), "--host", "127.0.0.1", "--port", "0"]
        ended = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)

    assert ended.returncode != 0
    assert f"Cannot listen on 127.0.0.1 port {port}" in ended.stderr
    assert "metrics.port" in ended.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_metrics_are_for_the_holder_of_the_token(
    project: Path, workers: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METRICS_TOKEN", "scrape-7")
    with measured(project, "--workers", workers) as server:
        for headers in ({}, {"Authorization": "Bearer another"}, {"Authorization": "scrape-7"}):
            assert request(server.metrics, "GET", "/metrics", headers)[0] == 401
        status, text = request(
            server.metrics, "GET", "/metrics", {"Authorization": "Bearer scrape-7"}
        )
        assert (status, "quire_processes" in text) == (200, True)
        top = ("top", project, "--address", server.metrics, "--once", "--interval", "0.1")
        assert run(*top).code == 0
        monkeypatch.delenv("METRICS_TOKEN")
        outcome = run(*top)
        assert (outcome.code, "401" in outcome.messages) == (2, True), outcome
