"""The cost of image uploads: ``python -m bench.uploads --strapi DIR``, both servers.

A JPEG of four megapixels goes to ``/api/upload`` again and again, from one client and from several,
and each server makes a thumbnail and its three sizes of it before it answers. Meanwhile somebody
else asks for a small list: how long that takes shows whether pictures keep others waiting.
"""

import http
import http.client
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import cyclopts
from rich.console import Console

from bench.measure import percentile, ratio
from bench.picture import photograph
from bench.processes import cpu_seconds
from bench.project import TOKEN
from bench.report import (
    UPLOADS,
    Table,
    machine,
    markdown_table,
    microseconds,
    print_table,
    times,
    write_page,
)
from bench.servers import Launch, Server, ServerError, fetch, running
from bench.stage import Scale, Stage
from bench.subject import make_tables

_FOLDER = Path(__file__).resolve().parents[1] / "build" / "bench-uploads"
_DOCUMENTS = 1_000
_CLIENTS = (1, 4)
_WARM_UP = 2
_PAUSE_SECONDS = 0.005
_LIGHT = "/api/tags?pagination[pageSize]=1"
_BOUNDARY = "quire-bench-boundary"
_COLUMNS = (
    "Uploads",
    "Strapi /s",
    "Quire /s",
    "Quire / Strapi",
    "Strapi CPU",
    "Quire CPU",
    "Strapi / Quire",
)
_TOLERANCE = 0.15
"""How far the sizes of files may lie apart that two servers make of one picture."""

Uploaded = Mapping[str, Any]


class UploadError(Exception):
    """A server refused a picture, or made something else of it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one server.

    ``rate`` is uploads per second, ``cpu_us`` the server's CPU time per upload in microseconds, and
    ``waits`` how many milliseconds each light request took meanwhile.
    """

    rate: float
    cpu_us: float
    waits: tuple[float, ...]


def _form(name: str, picture: bytes) -> bytes:
    head = (
        f"--{_BOUNDARY}\r\n"
        f'Content-Disposition: form-data; name="files"; filename="{name}"\r\n'
        "Content-Type: image/jpeg\r\n\r\n"
    )
    return head.encode() + picture + f"\r\n--{_BOUNDARY}--\r\n".encode()


def _upload(connection: http.client.HTTPConnection, number: int, picture: bytes) -> Uploaded:
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
    }
    connection.request("POST", "/api/upload", _form(f"picture-{number}.jpg", picture), headers)
    response = connection.getresponse()
    content = response.read()
    if response.status != http.HTTPStatus.CREATED:
        raise UploadError(f"{response.status} to an upload: {content[:300]!r}")
    uploaded: Uploaded = json.loads(content)[0]
    return uploaded


def _connection(server: Server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)


@contextmanager
def _light_requests(server: Server) -> Iterator[list[float]]:
    """Request a small list continuously; yields the milliseconds of each response."""
    waits: list[float] = []
    done = threading.Event()

    def ask() -> None:
        with closing(_connection(server)) as connection:
            while not done.wait(_PAUSE_SECONDS):
                start_time = time.perf_counter()
                connection.request("GET", _LIGHT, headers={"Authorization": f"Bearer {TOKEN}"})
                response = connection.getresponse()
                response.read()
                waits.append((time.perf_counter() - start_time) * 1000)
                if response.status != http.HTTPStatus.OK:
                    raise UploadError(f"{server.name}: {response.status} to {_LIGHT}")

    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(ask)
        try:
            yield waits
        finally:
            done.set()
        asking.result()


def _cpu(server: Server) -> float:
    spent = cpu_seconds(server.pid)
    if spent is None:
        raise UploadError("this system does not tell what a process uses (/proc)")
    return spent


def _turn(server: Server, picture: bytes, uploads: int, clients: int) -> Turn:
    """Upload a picture so often, by so many clients that share the work."""
    numbers = iter(range(uploads))
    lock = threading.Lock()

    def client() -> None:
        with closing(_connection(server)) as connection:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                _upload(connection, number, picture)

    with _light_requests(server) as waits, ThreadPoolExecutor(clients) as pool:
        before, start_time = _cpu(server), time.perf_counter()
        for ended in [pool.submit(client) for _ in range(clients)]:
            ended.result()
        seconds, spent = time.perf_counter() - start_time, _cpu(server) - before
    return Turn(uploads / seconds, spent / uploads * 1e6, tuple(waits))


def _made(server: Server, picture: bytes) -> dict[str, tuple[int, int, float]]:
    """Return what a server makes of the picture: width, height and kilobytes of each file."""
    status, _ = fetch(server, _LIGHT)
    if status != http.HTTPStatus.OK:
        raise UploadError(f"{server.name}: {status} to {_LIGHT}")
    with closing(_connection(server)) as connection:
        for number in range(_WARM_UP):
            uploaded = _upload(connection, number, picture)
    files = {"original": uploaded, **(uploaded["formats"] or {})}
    return {name: (one["width"], one["height"], one["size"]) for name, one in files.items()}


def difference(
    one: Mapping[str, tuple[int, int, float]], other: Mapping[str, tuple[int, int, float]]
) -> str | None:
    """Tell in what two servers' files of one picture differ, ``None`` if in nothing that matters.

    Widths and heights have to be the same, sizes in bytes about the same.
    """
    if one.keys() != other.keys():
        return f"files {sorted(one)} and {sorted(other)}"
    for name, (*measures, size) in one.items():
        *others, other_size = other[name]
        if measures != others:
            return f"{name}: {measures} and {others}"
        if abs(size - other_size) > _TOLERANCE * max(size, other_size):
            return f"{name}: {size} and {other_size} KB"
    return None


def _measure(
    launches: list[Launch], rounds: int, uploads: int, reported: Callable[[str], None]
) -> dict[tuple[int, str], list[Turn]]:
    picture = photograph()
    found: dict[tuple[int, str], list[Turn]] = {}
    with ExitStack() as stack:
        servers = [stack.enter_context(running(launch)) for launch in launches]
        made = [_made(server, picture) for server in servers]
        for server, files in zip(servers[1:], made[1:], strict=True):
            unequal = difference(made[0], files)
            if unequal is not None:
                raise UploadError(f"{servers[0].name} and {server.name}: {unequal}")
        for clients in _CLIENTS:
            for round_ in range(rounds):
                for server in servers:
                    reported(f"{clients} at a time: round {round_ + 1}, {server.name}")
                    turn = _turn(server, picture, uploads, clients)
                    found.setdefault((clients, server.name), []).append(turn)
    return found


app = cyclopts.App(name="bench.uploads", help="Measure what uploading pictures costs.")


@app.default
def uploads(
    *, strapi: Path | None = None, rounds: int = 3, requests: int = 24, write: bool = True
) -> int:
    """Load the servers in turn; print uploads per second, CPU time, and what others waited.

    Parameters
    ----------
    strapi
        A folder with an installed Strapi, made as bench/strapi/README.md says.
    rounds
        How many times each server takes its turn with each number of clients.
    requests
        Uploads per turn.
    write
        Put the table into docs/performance.md, when Strapi was measured too.
    """
    console = Console()
    try:
        with console.status("starting") as status:
            stage = Stage(_FOLDER, make_tables, status.update)
            scale = Scale(_DOCUMENTS)
            launches = stage.contestants(scale, strapi)
            found = _measure(launches, rounds, requests, status.update)
            stage.clear()
    except (ServerError, UploadError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        return 1
    shown = tables(found, with_peer=strapi is not None)
    for table in shown:
        print_table(table, console)
    if write and strapi is not None:
        introduction = (
            f"Measured on {machine(stage.database_kind.version())}; medians of {rounds} "
            f"interleaved rounds of {requests} uploads."
        )
        text = "\n\n".join([introduction, *map(markdown_table, shown)])
        console.print(write_page(text, UPLOADS))
    return 0


def tables(found: Mapping[tuple[int, str], list[Turn]], *, with_peer: bool) -> tuple[Table, ...]:
    """Return what uploads cost, and how long others waited meanwhile."""
    costs, waits = [], []
    for clients in _CLIENTS:
        title = "one client" if clients == 1 else f"{clients} clients"
        own = found[clients, "Quire"]
        peer = found[clients, "Strapi"] if with_peer else []
        rates = _median(turn.rate for turn in own), _median(turn.rate for turn in peer)
        spent = _median(turn.cpu_us for turn in own), _median(turn.cpu_us for turn in peer)
        costs.append(
            (
                title,
                *(_rate(rate) for rate in reversed(rates)),
                times(ratio(*rates)),
                *(microseconds(cpu) for cpu in reversed(spent)),
                times(ratio(spent[1], spent[0])),
            )
        )
        waits.append((title, _waited(peer), _waited(own)))
    waiting = ("Uploads", "Strapi p50 / p99 / max", "Quire p50 / p99 / max")
    return (
        Table("Uploads of a JPEG of four megapixels", _COLUMNS, tuple(costs)),
        Table("What a light request takes meanwhile", waiting, tuple(waits)),
    )


def _median(values: Iterator[float]) -> float | None:
    found = [*values]
    return median(found) if found else None


def _rate(rate: float | None) -> str:
    return "n/a" if rate is None else f"{rate:.1f}"


def _waited(turns: list[Turn]) -> str:
    waits = [wait for turn in turns for wait in turn.waits]
    if not waits:
        return "n/a"
    reported = (percentile(waits, 0.5), percentile(waits, 0.99), max(waits))
    return " / ".join(f"{one:.1f}" for one in reported) + " ms"


if __name__ == "__main__":
    sys.exit(app())
