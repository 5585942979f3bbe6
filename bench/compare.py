"""One comparison: equal requests and responses, servers under load in turn, in rounds.

Rounds are interleaved (A, B, C, A, B, C) so that a noisy minute of the machine falls on all
contestants alike, and medians are taken over rounds.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from bench.database_kind import BenchDatabase, Measure
from bench.load import LoadError, LoadJob, load
from bench.measure import Round, Summary, per_request, summarise
from bench.processes import cpu_seconds
from bench.servers import Server, ServerError, credential_for, fetch
from bench.workloads import Workload, first_difference

_FIRST_REQUESTS = 64
_FEWEST_REQUESTS = 48
_MOST_REQUESTS = 40_000
_VERIFIED_TARGETS = 8

Progress = Callable[[str], None]
Cpu = Callable[[], float | None]
NO_FLOORS: Mapping[str, Measure] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: rounds per contestant and workload, seconds of load per round."""

    rounds: int = 5
    seconds: float = 2.0
    concurrency: int = 16


@dataclass(frozen=True, slots=True)
class Result:
    """What the contestants of one workload were measured at, by name.

    ``difference`` says where two servers' responses were not equal, None when all of them were.
    """

    workload: str
    title: str
    summaries: Mapping[str, Summary]
    difference: str | None = None


@dataclass(frozen=True, slots=True)
class Contestant:
    """A running server under a name of the table, and the targets that it serves by workload."""

    name: str
    server: Server
    workloads: Mapping[str, Workload] = field(default_factory=dict)


def compare(
    contestants: Sequence[Contestant],
    effort: Effort,
    progress: Progress,
    *,
    database_kind: BenchDatabase | None = None,
    floors: Mapping[str, Measure] = NO_FLOORS,
) -> list[Result]:
    """Measure every workload of the first contestant on all of them, and on the floor below them.

    ``floors`` measures, by workload, the statements of its requests alone; ``database_kind`` has
    the name for it, and tells what the database's own processes use meanwhile.

    Raises LoadError when a server answers anything but 200.
    """
    database_cpu = _nothing if database_kind is None else database_kind.cpu_seconds
    results = []
    for name, workload in contestants[0].workloads.items():
        progress(f"{workload.title}: warming up")
        measures = {
            one.name: _server_measure(one, name, effort, database_cpu) for one in contestants
        }
        if database_kind is not None and name in floors:
            measures[database_kind.floor] = floors[name]
        rounds: dict[str, list[Round]] = {name_: [] for name_ in measures}
        for number in range(effort.rounds):
            for contestant, measure in measures.items():
                progress(f"{workload.title}: round {number + 1} of {effort.rounds}, {contestant}")
                rounds[contestant].append(measure())
        summaries = {contestant: summarise(found) for contestant, found in rounds.items()}
        results.append(Result(name, workload.title, summaries))
    return results


def unequal_response(servers: Sequence[Server], workload: Workload) -> str | None:
    """Return where the servers' JSON responses to a workload differ, or None when none does.

    A sample of its targets is requested. Raises ServerError when a response is not 200.
    """
    step = max(1, len(workload.targets) // _VERIFIED_TARGETS)
    for target in workload.targets[::step]:
        responses = [parsed_response(server, target) for server in servers]
        for server, response in zip(servers[1:], responses[1:], strict=True):
            difference = first_difference(responses[0], response)
            if difference is not None:
                return f"{target}: {servers[0].name} and {server.name} differ at {difference}"
    return None


def responses(server: Server, chosen: Sequence[Workload]) -> dict[str, str]:
    """Return the body of a server's answer to every target of the workloads chosen.

    Raises ServerError when a response is not 200.
    """
    return {
        target: response_body(server, target).decode()
        for workload in chosen
        for target in workload.targets
    }


def parsed_response(server: Server, target: str) -> object:
    """Return a server's answer to ``target``, parsed. Raises ServerError when it is not 200."""
    return json.loads(response_body(server, target))


def response_body(server: Server, target: str) -> bytes:
    """Return the body of a server's answer to ``target``. Raises ServerError when it is not 200."""
    status, body = fetch(server, target)
    if status != 200:
        raise ServerError(f"{server.name} answers {status} to {target}: {body[:300]!r}")
    return body


def requests_per_round(rate: float, seconds: float, concurrency: int) -> int:
    """Return how many requests fill about ``seconds`` at ``rate`` requests per second.

    Bounded both ways: enough for every connection to send some, never without end.
    """
    fewest = max(_FEWEST_REQUESTS, 2 * concurrency)
    return min(max(round(rate * seconds), fewest), _MOST_REQUESTS)


def _server_measure(
    contestant: Contestant, workload: str, effort: Effort, database_cpu: Cpu
) -> Measure:
    """Warm a server up and return what measures one round of it, always of as many requests."""
    server = contestant.server
    measured = contestant.workloads[workload]
    targets, writes = measured.targets, measured.writes
    credential = credential_for(server, targets[0])

    def run(requests: int) -> Round:
        before, database_before = cpu_seconds(server.pid), database_cpu()
        try:
            job = LoadJob(server.port, targets, credential, requests, effort.concurrency, writes)
            seen = load(job)
        except LoadError as error:
            raise LoadError(f"{server.name}, {workload}: {error}") from error
        used = per_request(before, cpu_seconds(server.pid), requests)
        database = per_request(database_before, database_cpu(), requests)
        return Round(used, requests / seen.seconds, seen.p50_ms, seen.p99_ms, database)

    first = run(_FIRST_REQUESTS)
    warm = run(requests_per_round(first.rate or 0, effort.seconds / 2, effort.concurrency))
    requests = requests_per_round(warm.rate or 0, effort.seconds, effort.concurrency)
    return lambda: run(requests)


def _nothing() -> None:
    """There is no database with processes of its own."""
