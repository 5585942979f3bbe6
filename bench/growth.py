"""Growth of cost: the same workloads on several database sizes and numbers of types.

The servers of all sizes run at once and take turns, so that the machine's mood is theirs alike.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from bench.compare import Contestant, Effort, Progress, Result, compare
from bench.processes import resident_megabytes
from bench.servers import Launch, Server, administered
from bench.stage import Scale
from bench.workloads import choose, workloads


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one server took at one scale.

    ``start_seconds`` runs from starting the process to the first response to a content request;
    ``memory_mb`` is the worker's resident memory after it was under load.
    """

    server: str
    scale: Scale
    start_seconds: float
    memory_mb: float | None


@dataclass(frozen=True, slots=True)
class Growth:
    """The results of one row of scales; a summary's name is that of ``contestant_name``."""

    scales: tuple[Scale, ...]
    servers: tuple[str, ...]
    results: tuple[Result, ...]
    footprints: tuple[Footprint, ...]


def contestant_name(server: str, scale: Scale) -> str:
    """Return the name under which a server of a scale is measured."""
    return f"{server} at {scale.slug}"


def measure_growth(
    scales: Sequence[Scale],
    launchers: Mapping[str, Callable[[Scale], Launch]],
    names: Sequence[str],
    effort: Effort,
    progress: Progress,
) -> Growth:
    """Measure the workloads named (all when none is) for every server at every scale.

    Raises ServerError when a server does not start, LoadError when one does not answer 200.
    """
    with ExitStack() as stack:
        contestants = []
        started: list[tuple[str, Scale, Server]] = []
        for scale in scales:
            chosen = {one.name: one for one in choose(workloads(scale.size), names)}
            for name, launcher in launchers.items():
                launch = launcher(scale)
                progress(f"starting {contestant_name(name, scale)}")
                server = stack.enter_context(administered(launch))
                started.append((name, scale, server))
                contestants.append(Contestant(contestant_name(name, scale), server, chosen))
        results = compare(contestants, effort, progress)
        footprints = tuple(
            Footprint(name, scale, server.start_seconds, resident_megabytes(server.pid))
            for name, scale, server in started
        )
    return Growth(tuple(scales), tuple(launchers), tuple(results), footprints)
