"""What Python code of a project costs: ``python -m bench.extensions``.

Servers on copies of one database, each with other code, answer the same requests in turn, round
after round; ratios are of CPU time within this run. They keep no responses, so that each of them is
made. One server has no code, one has code of all kinds on another type than the one that is asked
for: it should cost as much as none. What a computed field costs includes the calls of its function,
which are timed alone, too: in this process, where nothing interrupts them.
"""

import http
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Literal

import cyclopts
from rich.console import Console

from bench.processes import cpu_microseconds
from bench.project import TOKEN
from bench.report import Table, microseconds, print_table
from bench.servers import Server, ServerError, fetch, running
from bench.stage import Scale, Stage
from bench.subject import make_tables
from quire.hooks.document import Document

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"
_DOCUMENTS = 1_000
_WARM_UP = 50
_FUNCTION_CALLS = 100
_FILTER = "filters[priority][$gte]=0"

NONE = "no code"
FUNCTION = "the function alone"
_IMPORTS = """from quire import (
    Shape, after_commit, after_write, around, before_write, computed, route, rule,
)

KIND = "{kind}"
"""
_BEFORE = """
@before_write(KIND, on=["create", "update"])
def keep_title(write):
    write.changed("title")
"""
_BEFORE_ASYNC = _BEFORE.replace("def ", "async def ")
_AFTER = """
@after_write(KIND, on=["create", "update"])
async def look(write):
    write.changed("title")
"""
_LISTENER = """
class Id(Shape):
    documentId: str


@after_commit(KIND, on=["create", "update"], shape=Id)
async def listen(changes):
    pass
"""
_RULE = """
@rule(KIND, on=["find", "find_one"])
def visible(who):
    return {condition}
"""
_COMPUTED = """
@computed(KIND, needs=["{field}"])
def length(document) -> int:
    return len(document["{field}"] or "")
"""
_AROUND = """
@around(KIND, on=["find", "find_one"])
async def narrow(call, proceed):
    return await proceed(call.narrow({condition}))
"""
_ROUTE = """
@route.get("/ping", public=True)
async def ping() -> dict[str, str]:
    return {"data": "pong"}
"""
_ARTICLE, _TAG = "api::article.article", "api::tag.tag"


def _code(*parts: str, kind: str = _ARTICLE) -> str:
    field, condition = ("name", '{"name": {"$notNull": True}}') if kind == _TAG else (
        "title",
        '{"priority": {"$gte": 0}}',
    )  # fmt: skip
    text = "".join(parts).replace("{condition}", condition).replace("{field}", field)
    return _IMPORTS.replace("{kind}", kind) + text


ALL = (_BEFORE, _AFTER, _LISTENER, _RULE, _COMPUTED, _AROUND)
CODE: Mapping[str, str | None] = {
    NONE: None,
    "code on another type": _code(*ALL, kind=_TAG),
    "before_write, def": _code(_BEFORE),
    "before_write, async def": _code(_BEFORE_ASYNC),
    "after_write, async def": _code(_AFTER),
    "after_commit": _code(_LISTENER),
    "rule": _code(_RULE),
    "around with narrow": _code(_AROUND),
    "computed field": _code(_COMPUTED),
    "route": _code(_ROUTE),
}
"""The code of each server."""


@dataclass(frozen=True, slots=True)
class Case:
    """Requests, and the servers that are compared with the one that has no code.

    ``{id}`` in the target is the document id of an article. ``plain`` is what the server without
    code is asked instead, to give the same response.
    """

    title: str
    servers: tuple[str, ...]
    target: str
    method: Literal["GET", "PUT"] = "GET"
    plain: str | None = None
    requests: int = 100


_OTHER = "code on another type"
_HOOKS = tuple(CODE)[2:6]
_LIST = "/api/articles?fields[]=title&pagination[pageSize]=25&sort=id"
CASES = (
    Case("list of 25", (_OTHER,), _LIST),
    Case("list of 25 with a computed field", ("computed field",), f"{_LIST}&fields[]=length",
         plain=_LIST),
    Case("list of 25, filtered", ("rule", "around with narrow"), _LIST, plain=f"{_LIST}&{_FILTER}"),
    Case("one document", (_OTHER,), "/api/articles/{id}?fields=title"),
    Case(
        "change a draft", (_OTHER, *_HOOKS), "/api/articles/{id}?status=draft", "PUT", requests=20
    ),
    Case("change and publish", (_OTHER, *_HOOKS), "/api/articles/{id}", "PUT", requests=10),
    Case("route beside a list of one tag", ("route",), "/api/ping",
         plain="/api/tags?fields=name&pagination[pageSize]=1"),
)  # fmt: skip


class _Client:
    """Sends the requests of a case over one connection."""

    def __init__(self, server: Server, numbers: "count[int]") -> None:
        self._server = server
        self._numbers = numbers
        status, body = fetch(server, "/api/articles?fields=title&pagination[pageSize]=1&sort=id")
        if status != http.HTTPStatus.OK:
            raise ServerError(f"{server.name}: {status} {body[:300]!r}")
        self._document_id = json.loads(body)["data"][0]["documentId"]

    def cost(self, case: Case, *, requests: int) -> float:
        """Return the CPU time of the server per request, in microseconds."""
        target = case.target
        if self._server.name == NONE and case.plain is not None:
            target = case.plain
        target = target.replace("{id}", self._document_id)
        with closing(HTTPConnection("127.0.0.1", self._server.port, timeout=60)) as connection:
            before = cpu_microseconds(self._server.pid)
            for _ in range(requests):
                self._send(connection, case.method, target)
            return (cpu_microseconds(self._server.pid) - before) / requests

    def titles(self) -> list[str]:
        """Return the titles of the listed articles."""
        _, body = fetch(self._server, _LIST)
        return [article["title"] for article in json.loads(body)["data"]]

    def _send(self, connection: HTTPConnection, method: str, target: str) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        body = None
        if method == "PUT":
            body = json.dumps({"data": {"title": f"Title {next(self._numbers)}"}})
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        content = response.read()
        if response.status != http.HTTPStatus.OK:
            raise ServerError(f"{self._server.name}: {target}: {content[:300]!r}")


def measure(
    stage: Stage, rounds: int, reported: Callable[[str], None]
) -> dict[tuple[str, str], list[float]]:
    """Return the costs by the title of a case and the name of a server."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    numbers = count()
    with ExitStack() as stack:
        clients = {}
        for number, (name, code) in enumerate(CODE.items()):
            launch = stage.quire(Scale(_DOCUMENTS), without=["responses"], kind=f"code-{number}")
            if code is not None:
                file = launch.folder / "src" / "extensions" / "code.py"
                file.parent.mkdir(exist_ok=True)
                file.write_text(code, encoding="utf-8")
            server = stack.enter_context(running(launch))
            named = Server(name, server.port, server.pid, server.start_seconds)
            clients[name] = _Client(named, numbers)
        titles = clients[NONE].titles()
        for case in CASES:
            compared = (NONE, *case.servers)
            for name in compared:
                clients[name].cost(case, requests=_WARM_UP)
            for round_ in range(rounds):
                reported(f"{case.title}: round {round_ + 1} of {rounds}")
                # What comes first after another case is slower; each server takes its turn at that.
                first = round_ % len(compared)
                for name in (*compared[first:], *compared[:first]):
                    cost = clients[name].cost(case, requests=case.requests)
                    found[case.title, name].append(cost)
                if "computed field" in case.servers:
                    found[case.title, FUNCTION].append(_function_cost(titles))
    return found


def _function_cost(titles: Sequence[str]) -> float:
    """Return the time of the computed field's function for one list, in microseconds."""
    start = perf_counter()
    for _ in range(_FUNCTION_CALLS):
        for title in titles:
            _length(Document(title=title))
    return (perf_counter() - start) / _FUNCTION_CALLS * 1_000_000


def _length(document: Document) -> int:
    """Return what the function of `_COMPUTED` does."""
    return len(document["title"] or "")


def table(found: Mapping[tuple[str, str], list[float]]) -> Table:
    """Return medians and smallest costs, and how they compare with no code."""
    rows = []
    for (title, name), costs in found.items():
        plain = found[title, NONE]
        row = [title, name, microseconds(min(costs)), microseconds(median(costs))]
        if name in {NONE, FUNCTION}:
            row += ["", ""]
        else:
            row += [_more(min(costs), min(plain)), _more(median(costs), median(plain))]
        rows.append(tuple(row))
    columns = ("Requests", "Server", "min", "median", "more, of min", "more, of median")
    return Table("CPU time per request", columns, tuple(rows))


def _more(value: float, plain: float) -> str:
    return f"{value - plain:+.0f} µs, {(value / plain - 1) * 100:+.1f} %"


app = cyclopts.App(name="bench.extensions", help="Measure what Python code of a project costs.")


@app.default
def extensions(*, rounds: int = 40) -> int:
    """Load servers with other code in turn and print CPU time per request.

    Parameters
    ----------
    rounds
        How many times each server takes its turn with each case.
    """
    console = Console(width=140)
    try:
        with console.status("starting") as status:
            found = measure(Stage(_FOLDER, make_tables, status.update), rounds, status.update)
    except ServerError as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    print_table(table(found), console)
    return 0


if __name__ == "__main__":
    sys.exit(app())
