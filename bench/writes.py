"""The cost of writes: ``python -m bench.writes --strapi DIR``, both servers in one run.

Both servers work on copies of one database, durably: Strapi in the way it opens SQLite by itself
(rollback journal, ``synchronous = FULL``), Quire with its write-ahead log and ``synchronous =
FULL``. One client sends one request after the other, because SQLite has one writer at a time.
Servers are loaded in turn, and ratios are of CPU time per request within this run.
"""

import http.client
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

import cyclopts
from rich.console import Console

from bench.measure import ratio
from bench.processes import cpu_seconds
from bench.project import TOKEN
from bench.report import (
    WRITES,
    Table,
    machine,
    markdown_table,
    microseconds,
    print_table,
    times,
    write_page,
)
from bench.servers import Launch, Server, ServerError, fetch, running
from bench.stage import Scale, Stage
from bench.subject import make_tables

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench-writes"
_DOCUMENTS = 1_000
_WARM_UP = 20

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Targets:
    """Documents that written ones refer to, and one that is changed."""

    article: str
    author: str
    categories: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One request that writes."""

    method: str
    path: str
    body: Body


Workload = Callable[[Targets, int], Request]
"""Makes the request of a number, so that no two are the same."""


def _create_flat(_: Targets, number: int) -> Request:
    data = {"title": f"Flat {number}", "summary": "s" * 80, "body": "b" * 2000, "rating": 5}
    return Request("POST", "/api/articles?status=draft", {"data": data})


def _create_published(_: Targets, number: int) -> Request:
    data = {"title": f"Published {number}", "summary": "s" * 80, "body": "b" * 2000}
    return Request("POST", "/api/articles", {"data": data})


def _create_rich(targets: Targets, number: int) -> Request:
    data = {
        "title": f"Rich {number}",
        "author": targets.author,
        "categories": list(targets.categories),
        "tags": list(targets.tags),
        "seo": {"metaTitle": f"Rich {number}"},
        "links": [{"label": "one", "url": "https://one.example"}],
    }
    return Request("POST", "/api/articles", {"data": data})


def _update_draft(targets: Targets, number: int) -> Request:
    path = f"/api/articles/{targets.article}?status=draft"
    return Request("PUT", path, {"data": {"title": f"Draft {number}"}})


def _update_published(targets: Targets, number: int) -> Request:
    path = f"/api/articles/{targets.article}"
    return Request("PUT", path, {"data": {"title": f"Published {number}"}})


def _create_without_drafts(_: Targets, number: int) -> Request:
    return Request("POST", "/api/tags", {"data": {"name": f"Tag {number}"}})


WORKLOADS: Mapping[str, Workload] = {
    "create a draft": _create_flat,
    "create and publish": _create_published,
    "create with relations and components, publish": _create_rich,
    "change one attribute of a draft": _update_draft,
    "change one attribute and publish": _update_published,
    "create, type without drafts": _create_without_drafts,
}


class WriteError(Exception):
    """A server refused a request of the benchmark."""


class _Client:
    """Sends requests over one connection."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def close(self) -> None:
        self._connection.close()

    def send(self, request: Request) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        self._connection.request(request.method, request.path, json.dumps(request.body), headers)
        response = self._connection.getresponse()
        body = response.read()
        if response.status not in {200, 201}:
            message = f"{self._server.name}: {request.method} {request.path}: {body[:300]!r}"
            raise WriteError(message)


def _cost(server: Server, requests: Iterator[Request], number: int) -> float:
    """Return the CPU time of a server per request, in microseconds."""
    with closing(_Client(server)) as client:
        for _ in range(_WARM_UP):
            client.send(next(requests))
        before = cpu_seconds(server.pid)
        for _ in range(number):
            client.send(next(requests))
        after = cpu_seconds(server.pid)
    if before is None or after is None:
        message = "this system does not tell what a process uses (/proc)"
        raise WriteError(message)
    return (after - before) / number * 1e6


def _targets(server: Server) -> Targets:
    def ids(path: str) -> list[str]:
        status, body = fetch(server, path)
        if status != http.HTTPStatus.OK:
            raise WriteError(f"{server.name}: {path}: {status}")
        return [item["documentId"] for item in json.loads(body)["data"]]

    page = "pagination[pageSize]=3&sort=id"
    return Targets(
        ids(f"/api/articles?{page}")[0],
        ids(f"/api/authors?{page}")[0],
        tuple(ids(f"/api/categories?{page}")[:2]),
        tuple(ids(f"/api/tags?{page}")[:2]),
    )


def _measure(
    launches: list[Launch], rounds: int, requests: int, reported: Callable[[str], None]
) -> dict[tuple[str, str], list[float]]:
    found: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        servers = [stack.enter_context(running(launch)) for launch in launches]
        targets = {server.name: _targets(server) for server in servers}
        numbers = count()
        for name, workload in WORKLOADS.items():
            for round_ in range(rounds):
                for server in servers:
                    reported(f"{name}: round {round_ + 1}, {server.name}")
                    made = (workload(targets[server.name], number) for number in numbers)
                    cost = _cost(server, made, requests)
                    found.setdefault((name, server.name), []).append(cost)
    return found


app = cyclopts.App(name="bench.writes", help="Measure what writing costs.")


@app.default
def writes(
    *, strapi: Path | None = None, rounds: int = 3, requests: int = 100, write: bool = True
) -> int:
    """Load the servers in turn and print CPU time per request.

    Parameters
    ----------
    strapi
        A folder with an installed Strapi, made as bench/strapi/README.md says.
    rounds
        How many times each server takes its turn with each workload.
    requests
        Requests per turn.
    write
        Put the table into docs/performance.md, when Strapi was measured too.
    """
    console = Console()
    try:
        with console.status("starting") as status:
            stage = Stage(_FOLDER, make_tables, status.update)
            scale = Scale(_DOCUMENTS)
            launches = stage.contestants(scale, strapi)
            found = _measure(launches, rounds, requests, status.update)
    except (ServerError, WriteError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    table = _table(found, with_peer=strapi is not None)
    print_table(table, console)
    if write and strapi is not None:
        measured_on = machine(stage.database_kind.version())
        introduction = (
            f"Measured on {measured_on}; {_DOCUMENTS:,} documents; medians of {rounds} interleaved "
            f"rounds of {requests} requests, one client, durable on both sides."
        )
        console.print(write_page(f"{introduction}\n\n{markdown_table(table)}", WRITES))
    return 0


def _table(found: Mapping[tuple[str, str], list[float]], *, with_peer: bool) -> Table:
    rows = []
    for name in WORKLOADS:
        own = median(found[name, "Quire"])
        peer = median(found[name, "Strapi"]) if with_peer else None
        rows.append((name, microseconds(peer), microseconds(own), times(ratio(peer, own))))
    columns = ("Workload", "Strapi", "Quire", "Strapi / Quire")
    return Table("CPU time per write", columns, tuple(rows))


if __name__ == "__main__":
    sys.exit(app())
