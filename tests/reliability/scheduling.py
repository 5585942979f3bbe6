"""Publishes articles at planned times by several processes, before and after a restart.

Each has to be published once, and each due time of a schedule has to be run for once; how late they
are is measured.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.servers import Launch, running
from tests.conformance.corpus import credentials
from tests.reliability.articles import Site, signed_in

_HEALTH, _HEALTHY = "/_health", frozenset({204})
_PATIENCE_SECONDS = 120
_LEAD_SECONDS = 3.0
"""How long before the first planned time all of them are planned."""
_ARTICLE = "api::article.article"
CODE = """
import json
import time
from datetime import datetime

from quire import Shape, after_commit, schedule


def note(file: str, **values: object) -> None:
    with open(f"{FOLDER}/{file}", "a", encoding="utf-8") as lines:
        lines.write(json.dumps(values) + "\\n")


class Article(Shape):
    documentId: str


@after_commit("api::article.article", on=["publish"], shape=Article)
async def note_publication(changes):
    for one in changes:
        note("published.jsonl", document=one.document_id, change=one.id)


@schedule("* * * * *")
async def every_minute(due: datetime) -> None:
    note("runs.jsonl", due=due.timestamp(), at=time.time())
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many articles were published and runs made, how late (seconds), and what was wrong.

    ``delays`` are those of publications before the restart, of publications that were due while no
    server ran, counted from its start, of later publications, and of runs of the schedule.
    """

    published: int
    runs: int
    delays: Mapping[str, tuple[float, ...]]
    problems: tuple[str, ...]


def run_schedules(
    project: Path,
    launch: Callable[[], Launch],
    *,
    entries: int,
    seconds: float,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Plan ``entries`` articles within ``seconds``, twice; the second time the server is away.

    It is away from before the first of these times until about half of them are over.
    Raises ServerError when the server does not start.
    """
    chance = random.Random(seed)
    code = project / "src" / "extensions" / "scheduling.py"
    code.parent.mkdir(parents=True, exist_ok=True)
    code.write_text(f"FOLDER = {str(project)!r}\n{CODE}", encoding="utf-8")
    token = credentials().api_tokens["full"]
    started = launch()
    with running(started, _HEALTH, _HEALTHY):
        site = Site(started.port, token)
        calm = _plan(site, entries, seconds, chance)
        moments = _wait_for(site, calm)
        progress("published without a restart")
        missed = _plan(site, entries, seconds, chance)
    time.sleep(_LEAD_SECONDS + seconds / 2)
    started = launch()
    with running(started, _HEALTH, _HEALTHY):
        ready = time.time()
        site = Site(started.port, token)
        moments |= _wait_for(site, missed)
        progress("published after a restart")
        counts = _wait_for_notes(project, moments)
    runs = _notes(project, "runs.jsonl")
    away = {one for one, at in missed.items() if at <= ready}
    ran = tuple(run["at"] - run["due"] for run in runs if not run["due"] <= ready <= run["at"])
    planned = {**calm, **missed}
    return Outcome(
        published=len(moments),
        runs=len(runs),
        delays={
            "before the restart": _delays(calm, moments),
            "missed": _delays(dict.fromkeys(away, ready), moments),
            "after the restart": _delays(
                {one: at for one, at in missed.items() if one not in away}, moments
            ),
            "runs": ran,
        },
        problems=tuple(_problems(planned, moments, counts, [run["due"] for run in runs])),
    )


def _delays(due: Mapping[str, float], moments: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(sorted(moments[one] - at for one, at in due.items() if one in moments))


def _plan(site: Site, entries: int, seconds: float, chance: random.Random) -> dict[str, float]:
    """Write drafts, and plan when they are published; returns the times by document id."""
    editor = signed_in(site)
    with closing(site.connect()) as connection, closing(editor.connect()) as editing:
        made = [
            site.send(connection, "POST", "/api/articles?status=draft", {"data": {"title": "Plan"}})
            for _ in range(entries)
        ]
        begin = time.time() + _LEAD_SECONDS
        planned: dict[str, float] = {}
        for document_id in (one["data"]["documentId"] for one in made):
            at = round(begin + chance.uniform(0, seconds), 3)
            moment = datetime.fromtimestamp(at, tz=UTC).isoformat(timespec="milliseconds")
            target = f"/admin/x/schedule/{_ARTICLE}/{document_id}?locale=en"
            editor.send(editing, "PUT", target, {"publishAt": moment.replace("+00:00", "Z")})
            planned[document_id] = at
    return planned


def _wait_for(site: Site, planned: Mapping[str, float]) -> dict[str, float]:
    """Wait until articles are published; returns when they were, as far as they are."""
    end = max(planned.values()) + _PATIENCE_SECONDS
    found: dict[str, float] = {}
    with closing(site.connect()) as connection:
        while len(found) < len(planned) and time.time() < end:
            for document_id in planned.keys() - found.keys():
                query = f"filters[documentId]={document_id}&fields=publishedAt"
                for one in site.send(connection, "GET", f"/api/articles?{query}")["data"]:
                    moment = datetime.fromisoformat(one["publishedAt"])
                    found[document_id] = moment.timestamp()
            time.sleep(0.2)
    return found


def _wait_for_notes(project: Path, published: Mapping[str, float]) -> Counter[str]:
    """Wait until every publication was told of; returns how many there were of each article."""
    end = time.time() + _PATIENCE_SECONDS
    while True:
        reported = {(one["document"], one["change"]) for one in _notes(project, "published.jsonl")}
        counts = Counter(document for document, _ in reported)
        if counts.keys() >= published.keys() or time.time() > end:
            return counts
        time.sleep(0.2)


def _notes(project: Path, file: str) -> list[dict[str, Any]]:
    path = project / file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def _problems(
    planned: Mapping[str, float],
    moments: Mapping[str, float],
    counts: Mapping[str, int],
    dues: list[float],
) -> Iterator[str]:
    for document_id, at in planned.items():
        if document_id not in moments:
            yield f"{document_id}: not published"
        elif moments[document_id] < at:
            yield f"{document_id}: published {at - moments[document_id]:.3f} s too early"
        if counts.get(document_id, 0) != 1:
            yield f"{document_id}: published {counts.get(document_id, 0)} times"
    for due, count in Counter(dues).items():
        if count > 1:
            yield f"the schedule ran {count} times for {due}"
