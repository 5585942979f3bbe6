"""Changes content types again and again while a server is read from and written to."""

import asyncio
import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

from quire.database.rooms import room_of
from quire.settings import load_settings
from tests.library.remodelling import Model
from tests.reliability.articles import RefusalError, Site

_READERS = 4
_PATIENCE_SECONDS = 30.0
_LIST = "/api/tags?sort=id&pagination[pageSize]=5"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What several changes have shown.

    ``answered`` is how many requests were, ``slowest`` how many seconds it took at the longest
    until all clients saw a change; ``faults`` says in words what was wrong.
    """

    answered: int
    slowest: float
    faults: tuple[str, ...]


@dataclass(slots=True)
class Client:
    """Somebody who asks all the time, over one connection, and what they have seen last."""

    site: Site
    writes: bool
    sees_wide: bool | None = None
    answered: int = 0
    faults: list[str] = field(default_factory=list)

    def ask(self, ended: threading.Event) -> None:
        """Ask until told to end, or until a request fails."""
        with closing(self.site.connect()) as connection:
            while not ended.is_set():
                try:
                    if self.writes:
                        data = {"data": {"label": f"tag {self.answered}"}}
                        self.site.send(connection, "POST", "/api/tags", data)
                    found = self.site.send(connection, "GET", _LIST)["data"]
                except (RefusalError, OSError, HTTPException) as fault:
                    self.faults.append(str(fault) or repr(fault))
                    return
                self.answered += 1
                self.sees_wide = "colour" in found[0]


def make_ready(project: Path) -> Model:
    """Give the database of a project, which nobody serves, what both models have."""
    settings = load_settings(project, environ={})
    model = Model(settings)
    model.write_files(wide=True)

    async def make() -> None:
        database = await room_of(settings).open()
        await database.write(model.make_posters())
        await database.close()

    asyncio.run(make())
    model.write_files(wide=False)
    return model


def remodel(
    project: Path,
    model: Model,
    site: Site,
    *,
    times: int,
    progress: Callable[[int], None] = lambda _: None,
) -> Outcome:
    """Change the model of a served project so many times; the first fault ends it.

    ``progress`` is told the number of each change that all clients have seen.
    """
    clients = [Client(site, writes=number == 0) for number in range(_READERS)]
    ended = threading.Event()
    threads = [threading.Thread(target=client.ask, args=(ended,)) for client in clients]
    for thread in threads:
        thread.start()
    faults: list[str] = []
    slowest = 0.0
    with asyncio.Runner() as runner:
        database = runner.run(room_of(load_settings(project, environ={})).open())
        for number in range(1, times + 1):
            schema = model.write_files(wide=number % 2 == 1)
            runner.run(database.write(model.change(database, schema)))
            seconds = _seen_by_all(clients, wide=model.is_wide)
            if seconds is None:
                faults += [f"change {number} was not seen by all"]
                break
            slowest = max(slowest, seconds)
            progress(number)
        runner.run(database.close())
    ended.set()
    for thread in threads:
        thread.join()
    faults += [fault for client in clients for fault in client.faults]
    answered = sum(client.answered for client in clients)
    return Outcome(answered=answered, slowest=slowest, faults=tuple(faults))


def _seen_by_all(clients: list[Client], *, wide: bool) -> float | None:
    """Return how long it takes until all clients see a model, ``None`` when it takes too long."""
    began = time.monotonic()
    while not all(client.sees_wide is wide for client in clients):
        late = time.monotonic() - began > _PATIENCE_SECONDS
        if late or any(client.faults for client in clients):
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
