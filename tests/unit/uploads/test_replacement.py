"""After an interrupted replacement of a file, bytes and row match."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from quire.app import Application, build_app
from quire.cli.check_uploads import GRACE_MS, find_orphans
from quire.clock import now_ms
from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.leases import Leases
from quire.database.stores.quire_tables import QuireTables
from quire.errors import OutOfSpaceError, ServiceUnavailableError, StorageError
from quire.settings import load_settings
from quire.uploads.replacement import Replacements
from quire.uploads.service import MediaLibrary
from quire.uploads.storage import Storage
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.hazards.uploading import picture

LARGE, SMALL = picture(600, 400, ".jpg"), picture(300, 200, ".png")
OLD, NEW = FilePart("old.jpg", LARGE, "image/jpeg"), FilePart("new.png", SMALL, "image/png")

NOTE = FilePart("note.txt", b"Stop bath.", "text/plain")
OTHER = FilePart("note.txt", b"Rinse for two minutes.", "text/html")


class Killed(BaseException):
    """The process is no more."""


class Fate:
    """Ends the process at a step: from then on nothing that it does has any effect."""

    def __init__(self, step: int) -> None:
        self.left = step
        self.dead = False

    def at(self, act: Callable[..., Any]) -> Callable[..., Any]:
        """Return something that the process may come to do, or not."""

        async def do(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever it does
            self.look()
            done = await act(*args, **options)
            self.look()
            return done

        return do

    def look(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.dead = True
        if self.dead:
            raise Killed


def doom(application: Application, fate: Fate, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything that outlives a process go by a fate."""
    library = library_of(application)
    for name in ("put", "remove", "fetch"):
        monkeypatch.setattr(library.storage, name, fate.at(getattr(library.storage, name)))
    documents = library.rows.documents
    monkeypatch.setattr(documents, "run", fate.at(documents.run))
    for name in ("begin", "end"):
        kept = getattr(Replacements, name)
        monkeypatch.setattr(Replacements, name, fate.at(kept))


@asynccontextmanager
async def served(project: Path) -> AsyncIterator[tuple[Application, AsgiClient]]:
    application = build_app(load_settings(project, environ={}))
    async with running(application):
        yield application, AsgiClient(application)


def library_of(application: Application) -> MediaLibrary:
    assert application.library is not None
    return application.library


async def send(client: AsgiClient, target: str, *files: FilePart) -> Any:  # noqa: ANN401 - JSON
    token = credentials().api_tokens["full"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": FORM_TYPE}
    response = await client.request("POST", f"/api/{target}", headers, form(files))
    return json.loads(response.content)


async def state(application: Application, file_id: int) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The description of a file, its bytes and those of its formats."""
    client = AsgiClient(application)
    token = credentials().api_tokens["full"]
    headers = {"Authorization": f"Bearer {token}"}
    response = await client.request("GET", f"/api/upload/files/{file_id}", headers, b"")
    payload = json.loads(response.content)
    formats = (payload["formats"] or {}).values()
    urls = [payload["url"], *(made["url"] for made in formats)]
    served = [await client.request("GET", url, {}, b"") for url in urls]
    assert {one.status for one in served} == {200}
    return payload, {url: one.content for url, one in zip(urls, served, strict=True)}


async def unfit(application: Application) -> tuple[int, int]:
    """How many bytes have no row, and rows no bytes."""
    library = library_of(application)
    store, database = library.rows.store, library.rows.database
    later = now_ms() + 2 * GRACE_MS
    found = await find_orphans(
        lambda program: database.read(lambda: program), store, library.storage, now=later
    )
    return len(found.without_row), len(found.without_bytes)


async def test_a_replacement_is_done_or_undone_wherever_it_is_broken_off(
    own_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = []
    async with served(own_recorded) as (application, client):
        for step in range(99):
            (made,) = await send(client, "upload", OLD)
            before, fate = await state(application, made["id"]), Fate(step)
            with monkeypatch.context() as doomed, suppress(Killed):
                doom(application, fate, doomed)
                await send(client, f"upload?id={made['id']}", NEW)
            await library_of(application).recover()
            after = await state(application, made["id"])
            assert await unfit(application) == (0, 0), step
            outcomes.append(after[0]["mime"])
            if outcomes[-1] == "image/jpeg":
                assert after == before, step
            else:
                assert (after[0]["width"], list(after[0]["formats"])) == (300, ["thumbnail"]), step
                assert after[1][made["url"]][:4] == b"\x89PNG", step
            if not fate.dead:
                break
    folder = own_recorded / application.settings.uploads.temporary_directory

    assert outcomes == sorted(outcomes), "once it is done, it stays so"
    assert len(set(outcomes)) == 2
    assert not (folder / "replacing").exists()


async def test_an_upload_or_deletion_that_is_broken_off_leaves_no_row_without_bytes(
    own_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with served(own_recorded) as (application, client):
        library = library_of(application)
        for step in range(8):
            (made,) = await send(client, "upload", NEW)
            with monkeypatch.context() as doomed, suppress(Killed):
                doom(application, Fate(step), doomed)
                await send(client, "upload", OLD)
            with monkeypatch.context() as doomed, suppress(Killed):
                doom(application, Fate(step), doomed)
                await library.remove([made["id"]], read=nothing)
            surplus, lost = await unfit(application)
            assert lost == 0, step
    assert surplus > 0


async def test_a_replacement_that_fails_changes_nothing(
    own_recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problems = (OutOfSpaceError(), StorageError(), OSError(ENOSPC, "full"))
    async with served(own_recorded) as (application, client):
        (made,) = await send(client, "upload", NOTE)
        before = await state(application, made["id"])
        for problem in problems:
            for at in range(3):
                with monkeypatch.context() as broken:
                    _break(application, broken, problem, at)
                    response = await send(client, f"upload?id={made['id']}", OTHER)
                if "error" in response:
                    assert response["error"]["status"] in {503, 507}, (problem, at)
                    assert await state(application, made["id"]) == before, (problem, at)
                else:
                    await send(client, f"upload?id={made['id']}", NOTE)
                    before = await state(application, made["id"])
                assert await unfit(application) == (0, 0), (problem, at)


async def test_of_an_upload_that_is_given_up_nothing_is_lost(own_recorded: Path) -> None:
    """Whether rows are written when somebody goes away is not known then: bytes stay."""
    async with served(own_recorded) as (application, client):
        for rounds in range(0, 40, 3):
            task = asyncio.create_task(send(client, "upload", NEW))
            for _ in range(rounds):
                await asyncio.sleep(0)
            await asyncio.sleep(rounds / 1000)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await send(client, "upload", NEW)  # after all that was under way
        _, lost = await unfit(application)

    assert lost == 0


def nothing(file_id: int) -> Program[None]:
    """Read nothing of a file."""
    del file_id
    yield from ()


def _break(
    application: Application, broken: pytest.MonkeyPatch, problem: Exception, at: int
) -> None:
    """Let the storage, or the disk next to it, fail once."""
    storage: Storage = library_of(application).storage
    calls = iter(range(99))
    for name in ("put", "fetch"):
        real = getattr(storage, name)

        async def act(*args: Any, real: Any = real, **options: Any) -> Any:  # noqa: ANN401
            if next(calls) == at:
                raise problem
            return await real(*args, **options)

        if not isinstance(problem, OSError) or name == "fetch":
            broken.setattr(storage, name, act)


async def test_of_two_replacements_one_waits_for_the_other(own_recorded: Path) -> None:
    async with served(own_recorded) as (application, client), served(own_recorded) as (_, other):
        (made,) = await send(client, "upload", OLD)
        target = f"upload?id={made['id']}"
        await asyncio.gather(
            *(send(one, target, part) for one in (client, other) for part in (OLD, NEW))
        )
        reported, content = await state(application, made["id"])
        fits = await unfit(application)

    size = len(content[made["url"]])
    assert reported["size"] == round(size / 1000 + 1e-9, 2)
    assert fits == (0, 0)


@pytest.mark.parametrize("name", ["fetch", "put"])
async def test_a_file_that_is_deleted_while_it_is_replaced_is_gone(
    own_recorded: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    headers = {"Authorization": f"Bearer {credentials().api_tokens['full']}"}
    async with served(own_recorded) as (application, client):
        (made,) = await send(client, "upload", OLD)
        storage = library_of(application).storage
        real = getattr(storage, name)

        async def act(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - as the storage does
            done = await real(*args, **options)
            await client.request("DELETE", f"/api/upload/files/{made['id']}", headers, b"")
            return done

        with monkeypatch.context() as beside:
            beside.setattr(storage, name, act)
            response = await send(client, f"upload?id={made['id']}", NEW)
        served_file = await client.request("GET", made["url"], {}, b"")

        assert response["error"]["status"] == 404
        assert served_file.status == 404
        assert await unfit(application) == (0, 0)


async def test_who_waits_for_too_long_is_told_so(own_recorded: Path, tmp_path: Path) -> None:
    async with served(own_recorded) as (application, _):
        library = library_of(application)
        here, elsewhere = (Replacements(tmp_path / "replacing", library.storage) for _ in range(2))
        async with here.locked(1):
            async with elsewhere.locked(2, wait=0):
                pass
            with pytest.raises(ServiceUnavailableError):
                async with elsewhere.locked(1, wait=0):
                    pass
        async with elsewhere.locked(1, wait=0):
            pass
        assert await asyncio.to_thread(lambda: [*tmp_path.rglob("replacing*")]) == []


async def test_machines_that_share_a_database_wait_for_each_other(
    kind: Kind, own_recorded: Path, tmp_path: Path
) -> None:
    """Each has a separate folder, so no lock of the operating system keeps them apart."""
    async with served(own_recorded) as (application, _):
        assert application.services is not None
        upload_context = application.services.upload_context
        leases = upload_context.leases or leases_of(application)
        here, elsewhere = (
            Replacements(tmp_path / machine / "replacing", upload_context.storage, leases)
            for machine in ("a", "b")
        )
        async with here.locked(1):
            async with elsewhere.locked(2, wait=0):
                pass
            with pytest.raises(ServiceUnavailableError):
                async with elsewhere.locked(1, wait=0):
                    pass
        async with elsewhere.locked(1, wait=0):
            pass
        assert (upload_context.leases is None) is (kind is SQLITE)


def leases_of(application: Application) -> Leases:
    database, settings = application.database, application.settings
    assert database is not None
    tables = QuireTables(database, target_of(settings).kind)
    return Leases(database, Writes(database.dialect), tables, now_ms)
