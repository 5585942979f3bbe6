"""The cost of permissions: ``python -m bench.rights``, equal requests of all principals.

One server answers the same reads to a token that may do everything, to a token that may do what is
listed, to an end user, and to an end user whose role has a rule on the rows of every type. It keeps
no responses, so that each of them is read. The rules hold for all rows, so that the responses are
the same, and what differs is what it takes to know who may see what. Callers take turns, round
after round; ratios are of CPU time within this run.
"""

import http
import http.client
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import cyclopts
from rich.console import Console

from bench.compare import Contestant, Effort, Result, compare, unequal_response
from bench.load import LoadError
from bench.measure import Summary, ratio
from bench.project import TOKEN
from bench.report import (
    RIGHTS,
    Table,
    machine,
    markdown_table,
    microseconds,
    print_table,
    write_page,
)
from bench.servers import CONTENT_API, Server, ServerError, administered
from bench.stage import Scale, Stage
from bench.subject import make_tables
from bench.workloads import Workload, choose, workloads

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench"
_DOCUMENTS = 25_000
_TYPES = ("article", "author", "category", "tag")
_ACTIONS = tuple(f"api::{name}.{name}.{verb}" for name in _TYPES for verb in ("find", "findOne"))
_PASSWORD = "Benchmark1"  # noqa: S105 - of throw-away databases
_RULE = {"documentId": {"$ne": "hidden"}}
"""Kept by every row; it has to be looked at all the same."""

FULL, CUSTOM, USER, RULED = "full-access token", "custom token", "end user", "end user, row rules"

Json = Mapping[str, object]


def callers(server: Server) -> tuple[Server, ...]:
    """Return the server once for each caller, with what they send; makes those there are not yet.

    Raises ServerError when they cannot be made.
    """
    token = {"name": "custom", "type": "custom", "permissions": _ACTIONS, "lifespan": None}
    made = _posted(server, "/admin/api-tokens", token, server.administrator)
    custom = str(made["data"]["accessKey"])
    users = {
        USER: _user(server, "plain", dict.fromkeys(_ACTIONS)),
        RULED: _user(server, "ruled", dict.fromkeys(_ACTIONS, _RULE)),
    }
    known = {FULL: TOKEN, CUSTOM: custom, **users}
    return tuple(replace(server, name=name, token=token) for name, token in known.items())


def _user(server: Server, name: str, rules: Mapping[str, Json | None]) -> str:
    """Make an end user whose role grants actions with these rules; returns their token."""
    permissions: dict[str, dict[str, dict[str, dict[str, object]]]] = {}
    for action, rule in rules.items():
        owner, controller, verb = action.split(".")
        granted = {"enabled": True} if rule is None else {"enabled": True, "rule": rule}
        of_owner = permissions.setdefault(owner, {"controllers": {}})
        of_owner["controllers"].setdefault(controller, {})[verb] = granted
    role = {"name": name, "description": name, "permissions": permissions}
    _posted(server, "/api/users-permissions/roles", role)
    roles = _asked(server, "GET", "/api/users-permissions/roles", None)["roles"]
    role_id = next(one["id"] for one in roles if one["name"] == name)
    user = {"username": name, "email": f"{name}@example.org", "password": _PASSWORD}
    _posted(server, "/api/users", {**user, "role": role_id, "confirmed": True})
    signed_in = _posted(server, "/api/auth/local", {"identifier": name, "password": _PASSWORD}, "")
    return str(signed_in["jwt"])


def _posted(server: Server, target: str, body: Json, token: str = TOKEN) -> dict:  # type: ignore[type-arg]  # as the server answers
    return _asked(server, "POST", target, body, token)


def _asked(server: Server, method: str, target: str, body: Json | None, token: str = TOKEN) -> dict:  # type: ignore[type-arg]  # as the server answers
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request(method, target, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        content = response.read()
    if response.status not in {http.HTTPStatus.OK, http.HTTPStatus.CREATED}:
        raise ServerError(f"{server.name} answers {response.status} to {target}: {content[:300]!r}")
    found: dict = json.loads(content)  # type: ignore[type-arg]  # likewise
    return found


def measure(
    server: Server, chosen: tuple[Workload, ...], effort: Effort, reported: Callable[[str], None]
) -> list[Result]:
    """Measure the workloads for all callers. Raises ServerError when their responses differ."""
    who = callers(server)
    for workload in chosen:
        difference = unequal_response(who, workload)
        if difference is not None:
            raise ServerError(difference)
    by_name = {workload.name: workload for workload in chosen}
    contestants = [Contestant(one.name, one, by_name) for one in who]
    return compare(contestants, effort, reported)


def table(results: list[Result]) -> Table:
    """Return CPU time per request for every caller, and how much more than with all rights."""
    others = (CUSTOM, USER, RULED)
    rows = []
    for result in results:
        full = _cpu(result.summaries[FULL])
        row = [result.title, microseconds(full)]
        for name in others:
            own = _cpu(result.summaries[name])
            row += [microseconds(own), _more(ratio(own, full))]
        rows.append(tuple(row))
    columns = ("Workload", FULL, *(text for name in others for text in (name, "more")))
    return Table("CPU time per request by caller", columns, tuple(rows))


def _cpu(summary: Summary) -> float | None:
    return summary.cpu_us


def _more(value: float | None) -> str:
    return "n/a" if value is None else f"{(value - 1) * 100:+.0f} %"


app = cyclopts.App(name="bench.rights", help="Measure what permissions and row rules cost.")


@app.default
def rights(
    *,
    rounds: int = 5,
    seconds: float = 1.5,
    only: tuple[str, ...] = (),
    write: bool = True,
) -> int:
    """Load one server with callers of all kinds in turn and print CPU time per request.

    Parameters
    ----------
    rounds
        How many times each caller takes its turn with each workload.
    seconds
        Seconds of load per turn.
    only
        Names of the workloads to measure; all reads of the content API when none is given.
    write
        Put the table into docs/performance.md, when everything was measured.
    """
    console = Console()
    scale = Scale(_DOCUMENTS)
    reads = [one for one in workloads(scale.size) if one.targets[0].startswith(CONTENT_API)]
    try:
        with console.status("starting") as status:
            stage = Stage(_FOLDER, make_tables, status.update)
            # What is kept of a response costs everybody the same.
            with administered(stage.quire(scale, without=["responses"])) as server:
                chosen = choose(reads, only)
                found = table(measure(server, chosen, Effort(rounds, seconds), status.update))
    except (ServerError, LoadError, ValueError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    print_table(found, console)
    if write and not only:
        introduction = (
            f"Measured on {machine(stage.database_kind.version())}; "
            f"{_DOCUMENTS:,} documents; medians of "
            f"{rounds} interleaved rounds of about {seconds:g} s, one server that keeps no "
            "responses. The responses to all callers were compared before: they are equal."
        )
        console.print(write_page(f"{introduction}\n\n{markdown_table(found)}", RIGHTS))
    return 0


if __name__ == "__main__":
    sys.exit(app())
