"""Kills the server during writes, restarts it, and checks the stored rows."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bench.servers import Launch, running
from tests.conformance.corpus import credentials
from tests.reliability.articles import Site, find_targets
from tests.reliability.consistency import problems
from tests.reliability.writers import Writer, find_articles

_WRITERS = 4
_HEALTH = "/_health"
_HEALTHY = frozenset({204})


Write = Callable[[Site, threading.Event], None]
"""Writes until the server has ended."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What several rounds have shown.

    ``acknowledged`` is how many writes were answered, ``unanswered`` how many were cut off, and
    ``problems`` says in words what was wrong afterwards.
    """

    rounds: int
    acknowledged: int
    unanswered: int
    problems: tuple[str, ...]


def crash(
    launch: Callable[[], Launch],
    *,
    rounds: int,
    seconds: float,
    seed: int,
    progress: Callable[[str], None],
    prepare: Callable[[Site], object] = lambda _: None,
) -> Outcome:
    """Kill a server ``rounds`` times; the first round that shows an error is the last.

    ``launch`` tells how to start it, on the recorded project with its database. ``seconds`` is how
    long it is written to at the longest; ``seed`` decides how long in each round, and what is
    written. ``prepare`` is called after each start, before anything is written.

    Raises ServerError when the server does not start again.
    """
    chance = random.Random(seed)
    token = credentials().api_tokens["full"]
    writers: list[Writer] = []
    unanswered = 0
    found: list[str] = []
    for number in range(rounds + 1):
        started = launch()
        site = Site(started.port, token)
        with running(started, _HEALTH, _HEALTHY) as server:
            found = [*_check(site, writers), *problems(started.folder)]
            if found or number == rounds:
                break
            prepare(site)
            writers = writers or _make_writers(site, chance)
            write_until_killed(
                site, [writer.write for writer in writers], server.pid, chance.uniform(0, seconds)
            )
        unanswered += sum(writer.pending is not None for writer in writers)
        found = [refusal for writer in writers for refusal in writer.refusals]
        acknowledged = sum(writer.acknowledged for writer in writers)
        progress(f"round {number + 1} of {rounds}: {acknowledged:,} writes acknowledged")
        if found:
            break
    return Outcome(number, sum(writer.acknowledged for writer in writers), unanswered, tuple(found))


def _make_writers(site: Site, chance: random.Random) -> list[Writer]:
    targets = find_targets(site)
    return [
        Writer(str(index), random.Random(chance.getrandbits(64)), targets)
        for index in range(_WRITERS)
    ]


def write_until_killed(site: Site, writes: Iterable[Write], pid: int, seconds: float) -> None:
    """Kill a server while it is written to."""
    ended = threading.Event()
    threads = [threading.Thread(target=write, args=(site, ended)) for write in writes]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    os.killpg(pid, signal.SIGKILL)
    ended.set()
    for thread in threads:
        thread.join()


def _check(site: Site, writers: list[Writer]) -> Iterator[str]:
    """Hold what the clients know against what there is."""
    found = find_articles(site)
    for writer in writers:
        yield from writer.settle(found)
    known = {summary for writer in writers for summary in writer.articles}
    for summary in sorted(found.keys() - known):
        yield f"{summary}: nobody has written it, or it was deleted"
