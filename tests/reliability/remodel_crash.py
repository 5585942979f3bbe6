"""Kills the server while content types change, and checks the model after a restart."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPException
from pathlib import Path

from bench.servers import Launch, running
from tests.conformance.corpus import credentials
from tests.reliability.articles import RefusalError, Site
from tests.reliability.crash import Outcome
from tests.reliability.remodels import Builder, builder

_HEALTH, _HEALTHY = "/_health", frozenset({204})
_TAGS, _POSTERS = "/api/tags?pagination[pageSize]=1", "/api/posters"


def crash_changes(
    launch: Callable[[], Launch],
    *,
    rounds: int,
    seconds: float,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Kill a server ``rounds`` times while its model changes; the first error ends it.

    After each start the whole model is the one before the last change or the one after it, in the
    files as in the tables; the one after it, if the change was acknowledged. ``seconds`` is how
    long changes go on at the longest before the server is killed. Raises ServerError when it does
    not start again.
    """
    chance = random.Random(seed)
    acknowledged = unanswered = 0
    expected: bool | None = None
    found: list[str] = []
    for number in range(rounds + 1):
        started = launch()
        site = Site(started.port, credentials().api_tokens["full"])
        with running(started, _HEALTH, _HEALTHY) as server:
            wide, found = _model(site)
            found += _check(started.folder)
            if expected is not None and wide is not expected:
                found.append(f"wide is {wide} although {expected} was acknowledged")
            if found or number == rounds:
                break
            changing = builder(site)
            timer = threading.Timer(chance.uniform(0.05, seconds), _kill, [server.pid])
            timer.start()
            made, expected = _change_until_killed(changing, wide=wide)
            timer.join()
        acknowledged += made
        unanswered += expected is None
        progress(f"round {number + 1} of {rounds}: {acknowledged:,} changes acknowledged")
    return Outcome(number, acknowledged, unanswered, tuple(found))


def _change_until_killed(changing: Builder, *, wide: bool) -> tuple[int, bool | None]:
    """Change the model to and fro; return how often, and which one was acknowledged at last.

    ``None`` stands for a change that was cut off.
    """
    made = 0
    while True:
        try:
            changing.change(wide=not wide)
        except (OSError, HTTPException):
            return made, None
        made += 1
        wide = not wide


def _model(site: Site) -> tuple[bool, list[str]]:
    """Tell which model a server has, and where its parts do not go together."""
    with closing(site.connect()) as connection:
        [tag] = site.send(connection, "GET", _TAGS)["data"]
        has_posters = _responses(site, _POSTERS)
        types = site.send(connection, "GET", "/api/content-type-builder/content-types")["data"]
    described = {one["uid"]: one["schema"]["attributes"] for one in types}
    views = {
        "rows": "colour" in tag,
        "routes": has_posters,
        "described attributes": "colour" in described["api::tag.tag"],
        "described types": "api::poster.poster" in described,
    }
    wide = views["rows"]
    return wide, [f"{name}: {view}, not {wide}" for name, view in views.items() if view is not wide]


def _check(project: Path) -> list[str]:
    """Return what ``quire check`` says when it finds something."""
    program = Path(sys.executable).with_name("quire")
    command = [str(program), "check", str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [done.stdout, done.stderr]


def _responses(site: Site, target: str) -> bool:
    with closing(site.connect()) as connection:
        try:
            site.send(connection, "GET", target)
        except RefusalError:
            return False
    return True


def _kill(pid: int) -> None:
    os.killpg(pid, signal.SIGKILL)
