"""Kills the server during writes, and checks jobs and delivered changes.

Every change of an acknowledged write has to be delivered and every job run, in the end, and none of
a write that was lost; those of one document in the order of their commits.
"""

import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from bench.servers import Launch, running
from tests.conformance.corpus import credentials
from tests.reliability.articles import Site
from tests.reliability.crash import write_until_killed

_WRITERS = 3
_UPDATES = 2
_HEALTH, _HEALTHY = "/_health", frozenset({204})
_PATIENCE_S = 120
CODE = """
import json
from quire import Shape, after_commit, after_write, job

TAG = "api::tag.tag"


def note(file: str, **values: object) -> None:
    with open(f"{FOLDER}/{file}", "a", encoding="utf-8") as lines:
        lines.write(json.dumps(values) + "\\n")


class Label(Shape):
    label: str


@after_commit(TAG, on=["create", "update"], shape=Label, keep=["label"])
async def tell(changes):
    for one in changes:
        note("changes.jsonl", document=one.document_id, label=one.kept["label"])


@job()
async def remember(document_id: str, label: str) -> None:
    note("jobs.jsonl", document=document_id, label=label)


@after_write(TAG, on=["create", "update"])
async def enqueue(write):
    await remember.enqueue(write.document_id, str(write.data["label"]))
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many writes were acknowledged, and what was wrong, in words."""

    rounds: int
    acknowledged: int
    problems: tuple[str, ...]


@dataclass(slots=True)
class Writer:
    """Creates tags and changes their labels, which end with the number of the version."""

    name: str
    acknowledged: list[str] = field(default_factory=list)
    _count: int = 0

    def write(self, site: Site, ended: threading.Event) -> None:
        """Write until the server is gone."""
        with closing(site.connect()) as connection, suppress(OSError, HTTPException):
            while not ended.is_set():
                self._count += 1
                stem = f"{self.name}-{self._count}"
                made = site.send(connection, "POST", "/api/tags", _body(stem, 0))
                self.acknowledged.append(f"{stem}-0")
                target = f"/api/tags/{made['data']['documentId']}"
                for version in range(1, _UPDATES + 1):
                    site.send(connection, "PUT", target, _body(stem, version))
                    self.acknowledged.append(f"{stem}-{version}")


def _body(stem: str, version: int) -> dict[str, object]:
    return {"data": {"label": f"{stem}-{version}"}}


def crash_background(
    project: Path,
    launch: Callable[[], Launch],
    *,
    rounds: int,
    seconds: float,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Kill a server ``rounds`` times while tags are written, then let it finish.

    ``seconds`` is how long it is written to at the longest, ``seed`` decides how long in each
    round. Raises ServerError when the server does not start again.
    """
    chance = random.Random(seed)
    code = project / "src" / "extensions" / "background.py"
    code.parent.mkdir(parents=True, exist_ok=True)
    code.write_text(f"FOLDER = {str(project)!r}\n{CODE}", encoding="utf-8")
    token = credentials().api_tokens["full"]
    writers: list[Writer] = []
    for number in range(rounds):
        started = launch()
        some = [Writer(f"r{number}w{index}") for index in range(_WRITERS)]
        with running(started, _HEALTH, _HEALTHY) as server:
            write_until_killed(
                Site(started.port, token),
                [writer.write for writer in some],
                server.pid,
                chance.uniform(0.2, seconds),
            )
        writers += some
        progress(f"round {number + 1} of {rounds}")
    acknowledged = {label for writer in writers for label in writer.acknowledged}
    started = launch()
    with running(started, _HEALTH, _HEALTHY):
        reported = _wait_for(project, acknowledged)
        stored = _stored(Site(started.port, token))
    return Outcome(rounds, len(acknowledged), tuple(_problems(reported, acknowledged, stored)))


def _delivered(project: Path, file: str) -> list[tuple[str, str]]:
    path = project / file
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    # A line may have been cut off by a kill; what it told of is told again.
    lines = [line for line in text.splitlines() if line.endswith("}")]
    found = []
    for line in lines:
        with suppress(json.JSONDecodeError):
            values = json.loads(line)
            found.append((values["document"], values["label"]))
    return found


def _wait_for(project: Path, acknowledged: set[str]) -> dict[str, list[tuple[str, str]]]:
    """Wait until all acknowledged changes were delivered; returns them by file."""
    files = ("changes.jsonl", "jobs.jsonl")
    end = time.monotonic() + _PATIENCE_S
    while True:
        reported = {file: _delivered(project, file) for file in files}
        missing = any(acknowledged - {label for _, label in reported[file]} for file in files)
        if not missing or time.monotonic() > end:
            return reported
        time.sleep(0.5)


def _stored(site: Site) -> Mapping[str, int]:
    """Return the versions that are stored, by the labels without them."""
    found: dict[str, int] = {}
    page, pages = 1, 1
    with closing(site.connect()) as connection:
        while page <= pages:
            query = f"pagination[page]={page}&pagination[pageSize]=100&fields[0]=label&sort=id"
            response = site.send(connection, "GET", f"/api/tags?{query}")
            for entry in response["data"]:
                stem, _, version = entry["label"].rpartition("-")
                if version.isdigit():
                    found[stem] = int(version)
            pages = response["meta"]["pagination"]["pageCount"]
            page += 1
    return found


def _problems(
    reported: Mapping[str, list[tuple[str, str]]], acknowledged: set[str], stored: Mapping[str, int]
) -> Iterator[str]:
    for file, lines in reported.items():
        labels = {label for _, label in lines}
        for label in sorted(acknowledged - labels):
            yield f"{file}: {label} was acknowledged, and is missing"
        for label in sorted(labels):
            stem, _, version = label.rpartition("-")
            if stored.get(stem, -1) < int(version):
                yield f"{file}: {label} was told of, and is not stored"
    order: dict[str, list[str]] = defaultdict(list)
    for document, label in reported["changes.jsonl"]:
        if label not in order[document]:
            order[document].append(label)
    for document, labels_of_one in order.items():
        versions = [int(label.rpartition("-")[2]) for label in labels_of_one]
        if versions != sorted(versions):
            yield f"{document}: delivered in the order {', '.join(labels_of_one)}"
