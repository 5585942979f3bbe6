"""Edits the Python code of a project that `quire dev` serves, while clients use it."""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from bench.servers import Launch, quire

_CLIENTS = 4
_PATIENCE_SECONDS = 60.0
_BROKEN_EVERY = 3
_BROKEN_SECONDS = 0.3
"""How long code with a mistake is left in its file."""
_PATHS = ("/api/edited", "/api/tags?pagination[pageSize]=5")
_CODE = """from quire import route


@route.get("/edited", public=True)
async def edited() -> dict[str, int]:
    return {{"number": {number}}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What several edits have shown.

    ``responses`` is their number; ``seconds`` are how long it took until all clients saw each edit
    without a mistake, and ``broken`` how many edits had one. ``problems`` are in words.
    """

    responses: int
    seconds: tuple[float, ...]
    broken: int
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Client:
    """A client that sends requests continuously, and the last number that it has seen."""

    port: int
    number: int = 0
    responses: int = 0
    problems: list[str] = field(default_factory=list)

    def run(self, ended: threading.Event) -> None:
        """Send requests until stopped, or until one fails."""
        with closing(
            HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE_SECONDS)
        ) as connection:
            while not ended.is_set():
                for path in _PATHS:
                    try:
                        connection.request("GET", path)
                        response = connection.getresponse()
                        body = response.read()
                    except (OSError, HTTPException) as error:
                        self.problems.append(f"{path}: {error!r}")
                        return
                    if response.status != HTTPStatus.OK:
                        self.problems.append(f"{path}: {response.status} {body[:200]!r}")
                        return
                    self.responses += 1
                    if path == _PATHS[0]:
                        self.number = int(body.partition(b":")[2].strip(b" }"))


def development(project: Path) -> Launch:
    """Return how to serve a project by `quire dev`, with the code that is edited."""
    _write(project, 0)
    launch = quire(project)
    program, _, folder, *_ = launch.command
    command = (program, "dev", folder, "--host", "127.0.0.1", "--port", str(launch.port))
    return Launch("Quire", command, project, launch.port)


def edit(
    launch: Launch, *, times: int, progress: Callable[[int], None] = lambda _: None
) -> Outcome:
    """Edit the code of a served project; every third edit has a mistake. Ends at the first problem.

    ``progress`` gets the number of each edit that all clients have seen.
    """
    clients = [_Client(launch.port) for _ in range(_CLIENTS)]
    ended = threading.Event()
    threads = [threading.Thread(target=client.run, args=(ended,)) for client in clients]
    for thread in threads:
        thread.start()
    problems: list[str] = []
    seconds: list[float] = []
    broken = 0
    for number in range(1, times + 1):
        if number % _BROKEN_EVERY == 0:
            _file(launch.folder).write_text("def edited(:\n", encoding="utf-8")
            broken += 1
            time.sleep(_BROKEN_SECONDS)
            continue
        began = time.monotonic()
        _write(launch.folder, number)
        while any(client.number != number and not client.problems for client in clients):
            if time.monotonic() - began > _PATIENCE_SECONDS:
                problems.append(f"edit {number} was not seen by all")
                break
            time.sleep(0.002)
        if problems or any(client.problems for client in clients):
            break
        seconds.append(time.monotonic() - began)
        progress(number)
    ended.set()
    for thread in threads:
        thread.join()
    problems += [problem for client in clients for problem in client.problems]
    responses = sum(client.responses for client in clients)
    return Outcome(
        responses=responses, seconds=tuple(seconds), broken=broken, problems=tuple(problems)
    )


def _file(project: Path) -> Path:
    return project / "src" / "edited.py"


def _write(project: Path, number: int) -> None:
    """Replace the file at once, as editors do."""
    file = _file(project)
    new = file.with_suffix(".new")
    new.write_text(_CODE.format(number=number), encoding="utf-8")
    new.replace(file)
