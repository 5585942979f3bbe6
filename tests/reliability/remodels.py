"""Changes content types repeatedly while clients read and write."""

import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from tests.reliability.articles import RefusalError, Site, signed_in

_READERS = 4
_PATIENCE_SECONDS = 30.0
_UPDATE = "/content-type-builder/update-schema"
_TAG = {
    "action": "update",
    "uid": "api::tag.tag",
    "displayName": "Tag",
    "singularName": "tag",
    "pluralName": "tags",
    "kind": "collectionType",
    "draftAndPublish": False,
}
_POSTER = {
    "uid": "api::poster.poster",
    "displayName": "Poster",
    "singularName": "poster",
    "pluralName": "posters",
    "kind": "collectionType",
    "draftAndPublish": True,
    "attributes": [{"action": "create", "name": "motto", "properties": {"type": "text"}}],
}
_LIST = "/api/tags?sort=id&pagination[pageSize]=5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What several changes have shown.

    ``answered`` is how many requests were, ``slowest`` how many seconds it took at the longest
    until all clients saw a change; ``problems`` says in words what was wrong.
    """

    answered: int
    slowest: float
    problems: tuple[str, ...]


@dataclass(slots=True)
class Client:
    """A client that reads continuously over one connection, and its last result."""

    site: Site
    writes: bool
    sees_wide: bool | None = None
    answered: int = 0
    problems: list[str] = field(default_factory=list)

    def ask(self, ended: threading.Event) -> None:
        """Ask until stopped, or until a request fails."""
        with closing(self.site.connect()) as connection:
            while not ended.is_set():
                try:
                    if self.writes:
                        data = {"data": {"label": f"tag {self.answered}"}}
                        self.site.send(connection, "POST", "/api/tags", data)
                    found = self.site.send(connection, "GET", _LIST)["data"]
                except (RefusalError, OSError, HTTPException) as problem:
                    self.problems.append(str(problem) or repr(problem))
                    return
                self.answered += 1
                self.sees_wide = "colour" in found[0]


class Builder:
    """An administrator who changes the model: tags have a colour or not, posters exist or not."""

    def __init__(self, site: Site) -> None:
        """The token of ``site`` is the access token of an administrator."""
        self._site = site

    def change(self, *, wide: bool) -> None:
        """Add to the model, or take away from it. Raises RefusalError."""
        colour = {"action": "create", "name": "colour", "properties": {"type": "string"}}
        tag = _TAG | {"attributes": [colour if wide else {"action": "delete", "name": "colour"}]}
        poster = _POSTER | {"action": "create" if wide else "delete"}
        body = {"data": {"contentTypes": [tag, poster]}}
        with closing(self._site.connect()) as connection:
            self._site.send(connection, "POST", _UPDATE, body)


def builder(site: Site) -> Builder:
    """Sign the recorded administrator in."""
    return Builder(signed_in(site))


def remodel(
    site: Site,
    *,
    times: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Change the model of a served project so many times; the first error ends it.

    ``progress`` is told the number of each change that all clients have seen.
    """
    changing = builder(site)
    clients = [Client(site, writes=number == 0) for number in range(_READERS)]
    ended = threading.Event()
    threads = [threading.Thread(target=client.ask, args=(ended,)) for client in clients]
    for thread in threads:
        thread.start()
    problems: list[str] = []
    slowest = 0.0
    for number in range(1, times + 1):
        wide = number % 2 == 1
        try:
            changing.change(wide=wide)
        except RefusalError as problem:
            problems += [str(problem)]
            break
        seconds = _seen_by_all(clients, wide=wide)
        if seconds is None:
            problems += [f"change {number} was not seen by all"]
            break
        slowest = max(slowest, seconds)
        progress(number)
    ended.set()
    for thread in threads:
        thread.join()
    problems += [problem for client in clients for problem in client.problems]
    answered = sum(client.answered for client in clients)
    return Outcome(answered=answered, slowest=slowest, problems=tuple(problems))


def _seen_by_all(clients: list[Client], *, wide: bool) -> float | None:
    """Return how long it takes until all clients see a model, ``None`` when it takes too long."""
    began = time.monotonic()
    while not all(client.sees_wide is wide for client in clients):
        late = time.monotonic() - began > _PATIENCE_SECONDS
        if late or any(client.problems for client in clients):
            return None
        time.sleep(0.01)
    return time.monotonic() - began


def memory_of(pid: int) -> int:
    """Return how many bytes of memory a server has to itself, all of its processes together."""
    group = os.getpgid(pid)
    total = 0
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.getpgid(int(folder.name)) == group:
                text = (folder / "smaps_rollup").read_text(encoding="utf-8")
                total += sum(map(int, re.findall(r"^Private_\w+: +(\d+) kB", text, re.MULTILINE)))
        except OSError:
            continue
    return total * 1024
