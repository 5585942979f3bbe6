"""Log lines of requests, on the fast path and otherwise."""

import json
import signal
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conformance.corpus import credentials
from tests.unit.cli.processes import serving

TOKEN = credentials().api_tokens["full"]
LIST = "/api/tags?pagination[pageSize]=1"
SECRETS = (
    "/api/auth/email-confirmation?confirmation=hidden-1",
    "/api/connect/github/callback?code=hidden-2&state=hidden-3",
    "/admin/registration-info?registrationToken=hidden-4",
    "/api/users?filters[resetPasswordToken][$eq]=hidden-5",
    "/api/users?filters%5Bpassword%5D%5B%24eq%5D=hidden-6",
    "/uploads/a.png?expires=1&signature=hidden-7",
    "/api/auth/github/callback?access_token=hidden-8",
    "/uploads/a.png?w=10&s=hidden-9",
    "/api/connect/twitter/callback?oauth_token=hidden-10&oauth_verifier=hidden-11",
)


class Visitor:
    """Sends requests over one connection, and notes the ids of the responses."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
        self.ids: list[str | None] = []
        self.sizes: list[int] = []

    def send(
        self, method: str, target: str, body: bytes | None = None, **headers: str
    ) -> HTTPResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, target, body, sent)
        response = self._connection.getresponse()
        self.sizes.append(len(response.read()))
        self.ids.append(response.headers["X-Request-Id"])
        return response

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def logged(project: Path) -> Path:
    (project / "quire.toml").write_text("[log]\nrequests = true\n", encoding="utf-8")
    return project


def lines_of(process: Popen[str]) -> list[str]:
    """Stop a server; returns what it has written since it was ready."""
    process.send_signal(signal.SIGTERM)
    assert process.stderr is not None
    lines = process.stderr.read().splitlines()
    assert process.wait(60) == 0
    return lines


def entries_of(process: Popen[str]) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in lines_of(process)]
    return [entry for entry in found if entry["event"] == "request"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_each_request_is_one_json_line(logged: Path, workers: str) -> None:
    bearer = f"Bearer {TOKEN}"
    with serving("start", logged, "--workers", workers) as (address, process):
        with closing(Visitor(address)) as visitor:
            for _ in range(3):  # parsed, read by a known head, and from the cache
                visitor.send("GET", LIST)
            visitor.send("GET", LIST, Authorization=bearer)
            visitor.send("HEAD", LIST)
            visitor.send("POST", "/api/tags", b"{", Content_Type="application/json")
            visitor.send("GET", "/nowhere")
            visitor.send("GET", "/admin/users/me")
            visitor.send("GET", "/_health")
        entries = entries_of(process)

    assert [(entry["method"], entry["path"], entry["status"]) for entry in entries] == [
        *[("GET", "/api/tags", 200)] * 4,
        ("HEAD", "/api/tags", 200),
        ("POST", "/api/tags", 400),
        ("GET", "/nowhere", 404),
        ("GET", "/admin/users/me", 401),
        ("GET", "/_health", 204),
    ]
    assert [entry["request_id"] for entry in entries] == visitor.ids
    assert len(set(visitor.ids)) == len(entries)
    assert [entry["bytes"] for entry in entries] == visitor.sizes
    assert [entry["principal"] for entry in entries[:4]] == [*["anonymous"] * 3, "api-token"]
    reasons = {entry["path"]: entry["reason"] for entry in entries if "reason" in entry}
    assert reasons == {"/admin/users/me": "the request has no bearer token"}
    assert entries[0]["query"] == "pagination[pageSize]=1"
    assert all(entry["duration_ms"] > 0 for entry in entries)
    assert set(entries[0]) == {
        *("event", "method", "path", "query", "status", "duration_ms", "bytes", "principal"),
        *("request_id", "client", "logger", "level", "timestamp"),
    }


@pytest.mark.parametrize("form", ["json", "console"])
def test_the_line_of_a_denied_request_has_the_reason(logged: Path, form: str) -> None:
    with (logged / "quire.toml").open("a", encoding="utf-8") as file:
        file.write(f'format = "{form}"\n')
    tokens = {"hidden-1": 401, TOKEN: 200}
    with serving("start", logged) as (address, process):
        with closing(Visitor(address)) as visitor:
            for token, status in tokens.items():
                response = visitor.send("GET", LIST, Authorization=f"Bearer {token}")
                assert response.status == status
        denied, allowed = lines_of(process)[-2:]

    reason = "the token is neither an API token nor a JWT of this server"
    assert reason in denied
    assert "hidden" not in denied
    assert "reason" not in allowed
    assert reason not in allowed


def test_a_sound_request_id_is_taken_over(logged: Path) -> None:
    with serving("start", logged) as (address, process):
        with closing(Visitor(address)) as visitor:
            for given in ("9f1c-A/b:c=", "x" * 128):
                for method in ("GET", "PUT"):
                    visitor.send(method, LIST, X_Request_Id=given)
            taken = list(visitor.ids)
            for given in ("", "x" * 129, "a b", 'a"b', "\u00e9"):
                visitor.send("GET", LIST, X_Request_Id=given)
        entries = entries_of(process)

    assert taken == ["9f1c-A/b:c="] * 2 + ["x" * 128] * 2
    assert len(set(visitor.ids[4:])) == 5
    assert not {"", "x" * 129, "a b", 'a"b', "\u00e9"} & set(visitor.ids[4:])
    assert [entry["request_id"] for entry in entries] == visitor.ids


@pytest.mark.parametrize("form", ["json", "console"])
def test_secrets_in_addresses_are_masked(logged: Path, form: str) -> None:
    with (logged / "quire.toml").open("a", encoding="utf-8") as file:
        file.write(f'format = "{form}"\n')
    with serving("start", logged) as (address, process):
        with closing(Visitor(address)) as visitor:
            for target in (*SECRETS, f"{LIST}&filters[label]=shown"):
                visitor.send("GET", target)
                visitor.send("POST", target)
        lines = lines_of(process)

    shown = "\n".join(lines)
    assert "hidden" not in shown
    assert "expires=1&signature=***" in shown
    assert "filters[resetPasswordToken][$eq]=***" in shown
    assert "filters[label]=shown" in shown
    assert all(f"{visitor_id}" in shown for visitor_id in visitor.ids)


def test_without_a_request_log_there_are_ids_all_the_same(project: Path) -> None:
    (project / "quire.toml").write_text("", encoding="utf-8")
    with serving("start", project) as (address, process):
        with closing(Visitor(address)) as visitor:
            visitor.send("GET", LIST)
            visitor.send("GET", LIST, X_Request_Id="mine")
        lines = lines_of(process)

    assert visitor.ids[0]
    assert visitor.ids[1] == "mine"
    assert not any('"request"' in line for line in lines)
