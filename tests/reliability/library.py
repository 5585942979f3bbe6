"""Kills the server while its media library is written to, and compares files and rows."""

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from bench.servers import Launch, running
from quire.cli.check_uploads import check_uploads
from quire.schema.load import load_schema
from quire.settings import load_settings
from tests.conformance.corpus import credentials
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kinds import rows_of
from tests.hazards.uploading import picture
from tests.reliability.articles import Site

_CLIENTS = 4
_PARTS = (
    FilePart("a.jpg", picture(600, 400, ".jpg"), "image/jpeg"),
    FilePart("b.png", picture(300, 200, ".png"), "image/png"),
    FilePart("c.txt", b"Twenty minutes before the squall.", "text/plain"),
)


@dataclass(slots=True)
class Shelf:
    """What several clients know of the files that they have uploaded, and share."""

    files: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    doubtful: list[int] = field(default_factory=list)
    done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def upload_and_kill(
    launch: Callable[[], Launch], *, rounds: int, seconds: float, seed: int
) -> tuple[int, list[str]]:
    """Kill a server so many times while files are uploaded, replaced and deleted.

    Returns how much was acknowledged, and what was wrong afterwards in words.
    """
    chance, shelf = random.Random(seed), Shelf()
    token = credentials().api_tokens["full"]
    for _ in range(rounds):
        started = launch()
        with running(started, "/_health", frozenset({204})) as server:
            site = Site(started.port, token)
            _write_until_killed(site, shelf, server.pid, chance.uniform(0.2, seconds), chance)
        started = launch()
        with running(started, "/_health", frozenset({204})):
            pass  # what a replacement has left is put right at the start
        found = [*_problems(started.folder, shelf)]
        if found:
            break
    return shelf.done, found


def _write_until_killed(
    site: Site, shelf: Shelf, pid: int, seconds: float, chance: random.Random
) -> None:
    ended = threading.Event()
    seeds = [chance.getrandbits(64) for _ in range(_CLIENTS)]
    threads = [
        threading.Thread(target=_write, args=(site, shelf, ended, random.Random(one)))
        for one in seeds
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    os.killpg(pid, signal.SIGKILL)
    ended.set()
    for thread in threads:
        thread.join()


def _write(site: Site, shelf: Shelf, ended: threading.Event, chance: random.Random) -> None:
    with suppress(OSError, HTTPException), closing(site.connect()) as connection:
        while not ended.is_set():
            with shelf.lock:
                known = chance.choice(shelf.files) if shelf.files else None
            deletes = known is not None and chance.random() < 0.2
            headers = {"Authorization": f"Bearer {site.token}"}
            if deletes:
                with shelf.lock:
                    shelf.doubtful.append(int(known or 0))
                connection.request("DELETE", f"/api/upload/files/{known}", None, headers)
            else:
                replaces = known is not None and chance.random() < 0.6
                target = f"/api/upload?id={known}" if replaces else "/api/upload"
                body = form([chance.choice(_PARTS)])
                connection.request("POST", target, body, {**headers, "Content-Type": FORM_TYPE})
            response = connection.getresponse()
            payload = json.loads(response.read())
            with shelf.lock:
                shelf.done += 1
                if response.status == 201:
                    shelf.files.append(payload[0]["id"])
                elif deletes and response.status == 200:
                    shelf.files = [one for one in shelf.files if one != known]
                    shelf.gone.append(int(known or 0))


def _problems(project: Path, shelf: Shelf) -> Iterator[str]:
    settings = load_settings(project, environ={})
    folder = project / settings.uploads.directory
    lost = check_uploads(settings, load_schema(project)).without_bytes
    yield from (f"file {row} has no bytes" for row in lost)
    with rows_of(project) as rows:
        found = rows.execute("SELECT id, hash, ext, size, width, formats FROM files")
    there = {row[0] for row in found}
    missing = set(shelf.files) - there - set(shelf.doubtful)
    yield from (f"file {row} was acknowledged and is not there" for row in missing)
    yield from (f"file {row} was deleted and is there" for row in there & set(shelf.gone))
    for row_id, hash_, ext, size, width, formats in found:
        path = folder / f"{hash_}{ext}"
        if not path.exists():
            continue
        kilobytes = (path.stat().st_size + 5) // 10 / 100
        if row_id in shelf.files and float(size) != kilobytes:
            yield f"file {row_id} has {kilobytes} KB and says {size}"
        stored = json.loads(formats) if isinstance(formats, str) else formats
        for label, made in (stored or {}).items():
            smaller = folder / f"{made['hash']}{made['ext']}"
            if smaller.stat().st_size != made["sizeInBytes"]:
                yield f"{label} of file {row_id} is another one than its row tells of"
            if pyvips.Image.new_from_file(str(smaller)).width != made["width"] or not width:
                yield f"{label} of file {row_id} has another size than its row tells of"
    replacing = project / settings.uploads.temporary_directory / "replacing"
    # A kill may come between taking the last lock away and the empty folder.
    if replacing.is_dir() and any(replacing.iterdir()):
        yield "a replacement was left as it was"
