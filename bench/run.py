"""A complete run: seed, start, verify, measure, grow. Returns a Run for the report."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bench.compare import Contestant, Effort, compare, responses, unequal_response
from bench.database_kind import Measure
from bench.driver import Statement
from bench.growth import Footprint, Growth, measure_growth
from bench.processes import resident_megabytes
from bench.report import AS_LEFT, READING, Run, machine
from bench.servers import Launch, Server, ServerError, administered, plain, running
from bench.stage import Scale, Stage
from bench.workloads import Workload, choose, workloads

COMPARED_DOCUMENTS = 25_000
_DOCUMENTS_OF_TYPES_GROWTH = 1_000

Explain = Callable[[Path, Mapping[str, Sequence[str]]], Mapping[str, list[list[Statement]]]]
"""From a project folder and targets by workload to the statements that each request runs."""


_WITHOUT_PAGES = "Quire without pages"
"""Quire that finds and reads everything anew but totals, as after somebody has written."""


_LEFT = {
    f"Quire{AS_LEFT}": (),
    f"{_WITHOUT_PAGES}{AS_LEFT}": ("responses", "pages"),
}
"""The caches that Quire does without on a database as Strapi left it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure. Empty ``workloads`` means all of them, no ``strapi`` means without it.

    Growth is measured over more than one number of documents, and over any numbers of types.
    """

    effort: Effort
    documents: tuple[int, ...] = (COMPARED_DOCUMENTS,)
    types: tuple[int, ...] = ()
    workloads: tuple[str, ...] = ()
    strapi: Path | None = None
    workers: int = 1
    """With how many processes Quire is measured as well, if with more than one."""

    @property
    def scale(self) -> Scale:
        """The scale of the comparison: 25,000 documents if they are among those requested."""
        if COMPARED_DOCUMENTS in self.documents:
            return Scale(COMPARED_DOCUMENTS)
        return Scale(max(self.documents))


def run(plan: Plan, stage: Stage, explain: Explain) -> Iterator[Run]:
    """Measure everything that ``plan`` asks for: first the comparison, then growth.

    What was measured so far is given after each of these, so that a server that fails late in half
    an hour does not take the rest with it.

    Raises ServerError when a server does not start or not answer, LoadError when one fails under
    load, DriverError when a statement that was explained does not run, ValueError for a workload
    that there is not.
    """
    chosen = choose(workloads(plan.scale.size), plan.workloads)
    launchers = launchers_of(plan, stage)
    with ExitStack() as stack:
        launches = {name: launcher(plan.scale) for name, launcher in launchers.items()}
        own = launches[READING].folder
        stage.progress("tracing the statements of every request")
        statements = explain(own, {one.name: one.targets for one in chosen if not one.writes})
        servers = [_start(stack, stage, launch) for launch in launches.values()]
        for launch in (one for name, one in launches.items() if not name.endswith(AS_LEFT)):
            _require_equal_indexes(stage, plan.scale, launch)
        differences = _verify(stage, servers, chosen)
        bodies = responses(servers[-1], chosen)
        stage.progress("starting the plain server")
        floor = stack.enter_context(
            running(plain(stage.folder / "plain", bodies), probe=chosen[0].targets[0])
        )
        results = compare(
            [
                *(_contestant(server, chosen) for server in servers),
                _contestant(floor, [replace(one, writes=()) for one in chosen]),
            ],
            plan.effort,
            stage.progress,
            database_kind=stage.database_kind,
            floors=_floors(stage, own, statements, plan.effort),
        )
        footprints = [_footprint(server, plan.scale) for server in servers]
    measured = Run(
        machine=machine(stage.database_kind.version()),
        effort=plan.effort,
        scale=plan.scale,
        results=tuple(replace(one, difference=differences[one.workload]) for one in results),
        servers=(*launchers, floor.name),
        floor=stage.database_kind.floor,
        footprints=tuple(footprints),
    )
    yield measured
    growing = {name: one for name, one in launchers.items() if not name.endswith(AS_LEFT)}
    if len(plan.documents) > 1:
        # What grows with the documents is what has to be looked for.
        by_documents = _growth_by_documents(plan, stage, growing)
        measured = replace(measured, by_documents=by_documents)
        yield measured
    if plan.types:
        del growing[_WITHOUT_PAGES]
        yield replace(measured, by_types=_growth_by_types(plan, stage, growing))
    stage.clear()


def launchers_of(plan: Plan, stage: Stage) -> dict[str, Callable[[Scale], Launch]]:
    """Return what makes each content server's launch at a scale."""
    launchers: dict[str, Callable[[Scale], Launch]] = {}
    if (installed := plan.strapi) is not None:
        launchers["Strapi"] = lambda scale: stage.strapi(scale, installed)
    launchers["Quire"] = stage.quire
    if plan.workers > 1:
        several = f"Quire, {plan.workers} processes"
        launchers[several] = lambda scale: replace(stage.quire(scale, plan.workers), name=several)
    launchers[READING] = _launcher(stage, READING, without=["responses"])
    launchers[_WITHOUT_PAGES] = _launcher(stage, _WITHOUT_PAGES, without=["responses", "pages"])
    if installed is not None:
        name = f"Strapi{AS_LEFT}"
        launchers[name] = lambda scale: replace(
            stage.strapi(scale, installed, as_strapi_left_it=True), name=name
        )
    for left, without in _LEFT.items():
        launchers[left] = _launcher(stage, left, without=without, as_strapi_left_it=True)
    return launchers


def _launcher(
    stage: Stage, name: str, *, without: Sequence[str], as_strapi_left_it: bool = False
) -> Callable[[Scale], Launch]:
    """Return what makes the launch of a Quire that does without some of its caches."""
    return lambda scale: replace(
        stage.quire(scale, without=without, as_strapi_left_it=as_strapi_left_it), name=name
    )


def _floors(
    stage: Stage,
    folder: Path,
    statements: Mapping[str, list[list[Statement]]],
    effort: Effort,
) -> Mapping[str, Measure]:
    """Return what measures the statements of each workload alone, on the database of a folder."""
    measures = {
        name: stage.database_kind.floor_measure(folder, requests, effort.seconds)
        for name, requests in statements.items()
    }
    return {name: measure for name, measure in measures.items() if measure is not None}


def _start(stack: ExitStack, stage: Stage, launch: Launch) -> Server:
    stage.progress(f"starting {launch.name}")
    return stack.enter_context(administered(launch))


def _require_equal_indexes(stage: Stage, scale: Scale, launch: Launch) -> None:
    """Raise ServerError when a server dropped an index of its database as it started."""
    if lost := stage.database_kind.lost_indexes(stage.database(scale), launch.folder):
        raise ServerError(f"{launch.name} dropped indexes that all have: {', '.join(lost)}")


def _verify(
    stage: Stage, servers: Sequence[Server], chosen: Sequence[Workload]
) -> Mapping[str, str | None]:
    """Return, by workload, where the servers' responses differ."""
    found = {}
    for workload in chosen:
        stage.progress(f"{workload.title}: comparing responses")
        found[workload.name] = unequal_response(servers, workload)
    return found


def _contestant(server: Server, chosen: Sequence[Workload]) -> Contestant:
    return Contestant(server.name, server, {workload.name: workload for workload in chosen})


def _footprint(server: Server, scale: Scale) -> Footprint:
    return Footprint(server.name, scale, server.start_seconds, resident_megabytes(server.pid))


def _growth_by_documents(
    plan: Plan, stage: Stage, launchers: Mapping[str, Callable[[Scale], Launch]]
) -> Growth:
    scales = [Scale(documents) for documents in plan.documents]
    return measure_growth(scales, launchers, plan.workloads, plan.effort, stage.progress)


def _growth_by_types(
    plan: Plan, stage: Stage, launchers: Mapping[str, Callable[[Scale], Launch]]
) -> Growth:
    scales = [Scale(_DOCUMENTS_OF_TYPES_GROWTH, types) for types in plan.types]
    return measure_growth(scales, launchers, plan.workloads, plan.effort, stage.progress)
