"""Kills the server while it publishes or undoes a release: all of it is done, or nothing.

What is public after each start has to be what the status of the release says.
"""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException
from typing import Literal

from bench.servers import Launch, running
from tests.conformance.corpus import credentials
from tests.reliability.articles import (
    Site,
    Targets,
    find_targets,
    payload,
    random_entry,
    signed_in,
)
from tests.reliability.consistency import problems
from tests.reliability.writers import MARK, Article, find_articles

Action = Literal["publish", "undo"]
Articles = dict[str, Article]

_HEALTH, _HEALTHY = "/_health", frozenset({204})
_ARTICLE = "api::article.article"
_READY, _DONE = "ready", "done"
_NEXT: dict[str, Action] = {_READY: "publish", _DONE: "undo"}
_AFTER: dict[Action, str] = {"publish": _DONE, "undo": _READY}
_PATIENCE_SECONDS = 600
_COMPLETED = 5
"""One round of so many carries its action out before the server is killed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How often the server was killed during each action, and how often that came too late.

    ``committed`` is how many of the actions were carried out. ``problems`` says in words what was
    wrong after a start.
    """

    publications: int
    undos: int
    committed: int
    problems: tuple[str, ...]

    @property
    def rounds(self) -> int:
        """How many times the server was killed."""
        return self.publications + self.undos


@dataclass(frozen=True, slots=True)
class Release:
    """A release on a running server, for the administrator whose token ``site`` has."""

    site: Site
    id: int

    def carry_out(self, action: Action) -> None:
        """Publish or undo it. Raises RefusalError, and OSError when the server is gone."""
        with closing(self.site.connect()) as connection:
            self.site.send(connection, "POST", f"{_path(self.id)}/{action}", {})

    def status(self) -> str:
        """Return the status that it has."""
        with closing(self.site.connect()) as connection:
            shown = self.site.send(connection, "GET", _path(self.id))["data"]
        status: str = shown["status"]
        return status


def crash_releases(
    launch: Callable[[], Launch],
    *,
    entries: int,
    rounds: int,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Kill a server ``rounds`` times while a release of so many entries is published or undone.

    Most kills come at a random moment of that, others right after the response. ``launch`` tells
    how to start the server, on the recorded project. The first round that shows an error is the
    last. Raises ServerError when the server does not start again.
    """
    chance = random.Random(seed)
    token = credentials().api_tokens["full"]
    started = launch()
    with running(started, _HEALTH, _HEALTHY):
        site = Site(started.port, token, _PATIENCE_SECONDS)
        release_id = _make_release(site, entries, chance)
        public, seconds = _tried(site, Release(signed_in(site), release_id))
    counts: dict[Action, int] = {"publish": 0, "undo": 0}
    committed = 0
    action: Action | None = None
    acknowledged = False
    found: list[str] = []
    for number in range(rounds + 1):
        started = launch()
        with running(started, _HEALTH, _HEALTHY) as server:
            site = Site(started.port, token, _PATIENCE_SECONDS)
            release = Release(signed_in(site), release_id)
            status = release.status()
            found = [*_differences(public, status, find_articles(site)), *problems(started.folder)]
            is_done = action is not None and status == _AFTER[action]
            committed += is_done
            if acknowledged and not is_done:
                found.append(f"{action} was acknowledged, and the release is {status}")
            if found or number == rounds:
                break
            action = _NEXT[status]
            if number % _COMPLETED == 0:
                seconds[action] = _timed(release, action)
                acknowledged = True
                os.killpg(server.pid, signal.SIGKILL)
            else:
                after = chance.uniform(0, seconds[action])
                acknowledged = _carry_out_and_kill(release, action, server.pid, after)
        counts[action] += 1
        progress(f"round {number + 1} of {rounds}: {committed} of the actions were committed")
    return Outcome(
        publications=counts["publish"],
        undos=counts["undo"],
        committed=committed,
        problems=tuple(found),
    )


def _make_release(site: Site, entries: int, chance: random.Random) -> int:
    """Write articles and put them into a release.

    Six of ten are not published, three are published and changed since, and one is published and
    will be unpublished by the release. Returns the id of the release.
    """
    targets = find_targets(site)
    chosen: dict[str, list[str]] = {"publish": [], "unpublish": []}
    with closing(site.connect()) as connection:
        for number in range(entries):
            kind = number % 10
            body = _body(chance, targets, summary=f"{MARK}-{number}")
            query = "?status=draft" if kind < 6 else ""
            made = site.send(connection, "POST", f"/api/articles{query}", body)["data"]
            if 6 <= kind < 9:
                target = f"/api/articles/{made['documentId']}?status=draft"
                site.send(connection, "PUT", target, _body(chance, targets))
            chosen["unpublish" if kind == 9 else "publish"].append(made["documentId"])
    editor = signed_in(site)
    with closing(editor.connect()) as connection:
        made = editor.send(connection, "POST", "/admin/x/releases", {"name": "All or nothing"})
        release_id: int = made["data"]["id"]
        for action, ids in chosen.items():
            items = [{"contentType": _ARTICLE, "documentId": one, "locale": "en"} for one in ids]
            if items:
                body = {"entries": items, "action": action}
                editor.send(connection, "POST", f"{_path(release_id)}/items", body)
    return release_id


def _body(chance: random.Random, targets: Targets, **more: object) -> dict[str, object]:
    return {"data": {**payload(random_entry(chance, targets)), **more}}


def _tried(site: Site, release: Release) -> tuple[dict[str, Articles], dict[Action, float]]:
    """Publish and undo a release.

    Returns the articles as they are with each status, and the seconds that each action takes.
    """
    public = {_READY: find_articles(site)}
    seconds: dict[Action, float] = {}
    for action, status in _AFTER.items():
        seconds[action] = _timed(release, action)
        public.setdefault(status, find_articles(site))
    return public, seconds


def _timed(release: Release, action: Action) -> float:
    """Carry an action out; returns how many seconds it takes."""
    began = time.perf_counter()
    release.carry_out(action)
    return time.perf_counter() - began


def _carry_out_and_kill(release: Release, action: Action, pid: int, seconds: float) -> bool:
    """Carry an action out, and kill the server after so many seconds; tells whether it answered."""
    timer = threading.Timer(seconds, os.killpg, [pid, signal.SIGKILL])
    timer.start()
    try:
        release.carry_out(action)
    except (OSError, HTTPException):
        return False
    else:
        return True
    finally:
        timer.join()


def _differences(public: dict[str, Articles], status: str, found: Articles) -> Iterator[str]:
    """Hold articles against what they have to be with a status of the release."""
    if status not in public:
        yield f"the release is {status}"
        return
    expected = public[status]
    wrong = [name for name in expected if found.get(name) != expected[name]]
    if wrong:
        name = wrong[0]
        yield (
            f"the release is {status}, and {len(wrong)} of {len(expected)} articles differ, such as"
            f" {name}: expected {expected[name]}, found {found.get(name)}"
        )


def _path(release_id: int) -> str:
    return f"/admin/x/releases/{release_id}"
