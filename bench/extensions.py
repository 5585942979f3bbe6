"""What Python code of a project costs: ``python -m bench.extensions``.

Applications on copies of one database, each with other code, are compared with one without code,
in one process (`bench.in_process`); so is another one without code, which shows how exact the
figures are. One has code of all kinds on another type than the one that is requested: it should
cost as much as none. They keep no responses, so that each of them is made. What a computed field
costs includes the calls of its function, which are timed alone, too.
"""

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

import cyclopts
from rich.console import Console

from bench.dataset import document_id
from bench.in_process import (
    ComparedApplication,
    ComparedRequests,
    costs_table,
    in_process_costs,
)
from bench.load import LoadError, Write, request_bytes, write_bytes
from bench.project import TOKEN
from bench.report import machine, print_table
from bench.sqlite import SqliteBench
from bench.stage import Scale, Stage
from bench.subject import make_tables
from quire.hooks.document import Document

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"
_DOCUMENTS = 1_000
_PAGE_SIZE = 25
_FUNCTION_CALLS = 2_000
_FILTER = "filters[priority][$gte]=0"

NONE = "no code"
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
    "no code, again": None,
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
"""The code of each application."""


@dataclass(frozen=True, slots=True)
class Case:
    """Requests, and the applications that are compared with the one that has no code.

    ``{id}`` in the target is the document id of an article. ``plain`` is what applications without
    code are requested instead, to give the same response.
    """

    title: str
    applications: tuple[str, ...]
    target: str
    is_write: bool = False
    plain: str | None = None
    per_turn: int = 100

    def requests(self, name: str) -> list[bytes]:
        """Return the requests for an application: for another document each."""
        target = self.target if self.plain is None or CODE[name] is not None else self.plain
        targets = [
            target.replace("{id}", document_id("article", index)) for index in range(self.per_turn)
        ]
        if not self.is_write:
            return [request_bytes(target, TOKEN) for target in targets]
        return [
            write_bytes(
                Write("PUT", target, json.dumps({"data": {"title": f"Changed {number}"}})), TOKEN
            )
            for number, target in enumerate(targets)
        ]


_OTHER = "code on another type"
_PLAIN = (NONE, "no code, again")
_HOOKS = tuple(CODE)[3:7]
_LIST = f"/api/articles?pagination[pageSize]={_PAGE_SIZE}&sort=id"
CASES = (
    Case("list of 25", (_OTHER,), _LIST),
    Case("list of 25 with a computed field", ("computed field",), _LIST),
    Case("list of 25, filtered", ("rule", "around with narrow"), _LIST, plain=f"{_LIST}&{_FILTER}"),
    Case("one document", (_OTHER,), "/api/articles/{id}?fields=title"),
    Case("change a draft", (_OTHER, *_HOOKS), "/api/articles/{id}?status=draft", is_write=True,
         per_turn=20),
    Case("change and publish", (_OTHER, *_HOOKS), "/api/articles/{id}", is_write=True, per_turn=10),
    Case("route beside a list of one tag", ("route",), "/api/ping",
         plain="/api/tags?fields=name&pagination[pageSize]=1"),
)  # fmt: skip


def _application(stage: Stage, number: int, code: str | None) -> ComparedApplication:
    """Return a project with code, on a fresh copy of the database."""
    launch = stage.quire(Scale(_DOCUMENTS), without=["responses"], kind=f"code-{number}")
    if code is not None:
        file = launch.folder / "src" / "extensions" / "code.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(code, encoding="utf-8")
    return ComparedApplication(launch.folder)


def _function_cost() -> float:
    """Return the time of the computed field's function for one list, in microseconds."""
    titles = [f"The title of article {number}" for number in range(_PAGE_SIZE)]
    times = []
    for _ in range(_FUNCTION_CALLS):
        start = perf_counter()
        for title in titles:
            _length(Document(title=title))
        times.append(perf_counter() - start)
    return median(times) * 1_000_000


def _length(document: Document) -> int:
    """Return what the function of `_COMPUTED` does."""
    return len(document["title"] or "")


app = cyclopts.App(name="bench.extensions", help="Measure what Python code of a project costs.")


@app.default
def extensions(*, starts: int = 5, turns: int = 60, only: str = "") -> int:
    """Compare applications with other code in one process, and print CPU time per request.

    Parameters
    ----------
    starts
        How many times all applications are started.
    turns
        How many turns each of them then has with each kind of requests.
    only
        Measure only requests whose title contains this.
    """
    console = Console(width=140)
    load_before = os.getloadavg()
    cases = [case for case in CASES if only in case.title]
    compared = [
        ComparedRequests(
            case.title,
            {name: case.requests(name) for name in (*_PLAIN, *case.applications)},
            case.per_turn,
        )
        for case in cases
    ]
    try:
        with console.status("starting") as status:
            stage = Stage(_FOLDER, make_tables, status.update)
            applications = {
                name: _application(stage, number, code)
                for number, (name, code) in enumerate(CODE.items())
            }
            status.update("measuring")
            results = in_process_costs(applications, compared, Random(), starts=starts, turns=turns)
    except LoadError as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    print_table(costs_table("CPU time per request", results), console)
    console.print(f"the function of the computed field alone: {_function_cost():.1f} µs")
    loads = ", ".join(f"{load:.1f}" for load in (load_before[0], *os.getloadavg()))
    console.print(f"{machine(SqliteBench().version())}; load before and after: {loads}")
    return 0


if __name__ == "__main__":
    sys.exit(app())
