"""``@storage_backend``: uploaded files in custom storage."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from quire.cli import run
from quire.errors import ConfigurationError
from quire.extension_loading import ExtensionError, load_extensions
from tests.conformance.client import ClientResponse
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kind import Kind
from tests.extending.project import module, schema_in, write_code
from tests.hazards.uploading import picture
from tests.unit.admin_api.office import BOSS, Office, office_project, run_office

CODE = """
from datetime import UTC, datetime

store, failing = {}, []

@storage_backend("memory")
class Memory(StorageBackend):
    async def put(self, key, content, meta):
        if failing:
            raise failing[0]
        data = b"".join([piece async for piece in content])
        assert len(data) == meta.size
        store[key] = (data, meta.type)

    async def open(self, key):
        if key not in store:
            raise FileNotFoundError(key)
        fired.append(key)
        for byte in range(0, len(store[key][0]), 4):
            yield store[key][0][byte:byte + 4]

    async def delete(self, key):
        store.pop(key, None)

    async def version(self, key):
        return str(hash(store[key])) if key in store else None
"""
LISTING = """
    async def list(self):
        for key, (data, _) in store.items():
            yield StoredFile(key=key, size=len(data), stored_at=datetime(2020, 1, 1, tzinfo=UTC))
"""
LINKING = """
    async def url(self, key, *, expires):
        return f"https://files.example.org/{key}?for={expires.total_seconds():.0f}"
"""
PARTS = """
    async def open(self, key, part=None):
        if key not in store:
            raise FileNotFoundError(key)
        data = store[key][0]
        if part is not None:
            data = data[part.start:part.end + 1]
        fired.append((key, len(data)))
        for byte in range(0, len(data), 4):
            yield data[byte:byte + 4]

    async def size(self, key):
        return len(store[key][0]) if key in store else None
"""
MEMORY = {"uploads.storage": "memory"}
NOTE = FilePart("note.txt", b"Fix for two minutes.", "text/plain")
PHOTO = FilePart("photo.jpg", picture(600, 400, ".jpg"), "image/jpeg")


async def upload(office: Office, *files: FilePart, target: str = "/upload") -> ClientResponse:
    token = (await office.sign_in(BOSS["email"])).data["token"]
    headers = {"Content-Type": FORM_TYPE, "Authorization": f"Bearer {token}"}
    return await office.client.request("POST", target, headers, form(files))


async def get(office: Office, target: str, **headers: str) -> ClientResponse:
    return await office.client.request("GET", target, headers, b"")


@pytest.mark.parametrize("code", [CODE, CODE + LINKING])
async def test_files_of_the_folder_are_sent_as_before(
    code: str, tmp_path: Path, kind: Kind
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        folder = project / "public" / "uploads"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "old.txt").write_bytes(NOTE.content)
        async with run_office(project, settings=MEMORY) as office:
            old = await get(office, "/uploads/old.txt")
            outside = await get(office, "/uploads/..%2F..%2Fquire.toml")
    assert (old.status, old.content) == (200, NOTE.content)
    assert outside.status in {403, 404}


async def test_files_of_the_folder_are_transformed_replaced_and_deleted(
    tmp_path: Path, kind: Kind
) -> None:
    sizes: dict[str, object] = {"uploads.transform_sizes": (100,)}
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings=sizes) as office:
            files = json.loads((await upload(office, PHOTO, NOTE)).content)
        (photo, note), folder = files, project / "public" / "uploads"
        stored_names = {path.name for path in folder.iterdir()}
        async with run_office(project, settings={**MEMORY, **sizes}) as office:
            name = photo["url"].removeprefix("/uploads/")
            small = await get(office, f"/uploads/x/{name}?w=100")
            assert (small.status, small.media_type) == (200, "image/jpeg")

            changed = FilePart("note.txt", b"Fix for three minutes.", "text/plain")
            replaced = await upload(office, changed, target=f"/upload?id={note['id']}")
            assert replaced.status in {200, 201}
            assert (await get(office, note["url"])).content == changed.content
            assert {path.name for path in folder.iterdir()} == stored_names - {
                note["url"].removeprefix("/uploads/")
            }

            token = (await office.sign_in(BOSS["email"])).data["token"]
            await office.ask("DELETE", f"/upload/files/{photo['id']}", token=token)
            assert (await get(office, photo["url"])).status == 404
            assert not list(folder.glob("*photo*"))


async def test_files_are_stored_sent_replaced_and_deleted(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings=MEMORY) as office:
            stored = module().store
            (file,) = json.loads((await upload(office, NOTE)).content)
            key = f"{file['hash']}{file['ext']}"
            assert (file["provider"], file["url"]) == ("memory", f"/uploads/{key}")
            assert stored == {key: (NOTE.content, "text/plain")}
            assert not list((project / "public/uploads").glob("*note*"))

            first, again = await get(office, file["url"]), await get(office, file["url"])
            assert (first.status, first.content) == (200, NOTE.content)
            assert first.headers["content-type"].startswith("text/plain")
            # The second time it is sent from the cache of this server.
            assert (again.content, module().fired) == (NOTE.content, [key])
            known = await get(office, file["url"], **{"if-none-match": first.headers["etag"]})
            assert known.status == 304
            part = await get(office, file["url"], range="bytes=4-6")
            assert (part.status, part.content) == (206, b"for")

            stored[key] = (b"Fix for three minutes.", "text/plain")
            assert (await get(office, file["url"])).content == b"Fix for three minutes."

            token = (await office.sign_in(BOSS["email"])).data["token"]
            await office.ask("DELETE", f"/upload/files/{file['id']}", token=token)
            assert stored == {}
            assert (await get(office, file["url"])).status == 404


async def test_only_the_requested_part_of_a_file_is_read(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE + PARTS)
        async with run_office(project, settings=MEMORY) as office:
            (file,) = json.loads((await upload(office, NOTE)).content)
            url, size, key = file["url"], len(NOTE.content), f"{file['hash']}{file['ext']}"
            for requested, expected, shown in (
                ("bytes=4-6", b"for", f"bytes 4-6/{size}"),
                ("bytes=8-", NOTE.content[8:], f"bytes 8-{size - 1}/{size}"),
                ("bytes=-8", NOTE.content[-8:], f"bytes {size - 8}-{size - 1}/{size}"),
                ("bytes=4-999", NOTE.content[4:], f"bytes 4-{size - 1}/{size}"),
            ):
                module().fired.clear()
                part = await get(office, url, range=requested)
                assert (part.status, part.content) == (206, expected)
                assert part.headers["content-range"] == shown
                assert part.headers["content-length"] == str(len(expected))
                assert part.headers["content-type"].startswith("text/plain")
                assert module().fired == [(key, len(expected))]

            beyond = await get(office, url, range=f"bytes={size}-")
            assert (beyond.status, beyond.headers["content-range"]) == (416, f"bytes */{size}")

            tag = {"if-range": part.headers["etag"]}
            assert (await get(office, url, range="bytes=0-2", **tag)).content == b"Fix"
            module().fired.clear()
            whole = await get(office, url, range="bytes=0-2", **{"if-range": '"another"'})
            assert (whole.status, whole.content) == (200, NOTE.content)
            assert whole.headers["etag"] == part.headers["etag"]
            # Now there is a copy, of which parts are sent.
            again = await get(office, url, range="bytes=4-6")
            assert (again.status, again.content) == (206, b"for")
            assert module().fired == [(key, size)]
            known = await get(office, url, **{"if-none-match": part.headers["etag"]})
            assert known.status == 304


@pytest.mark.parametrize(
    "requested", ["bytes=6-4", "bytes=", "bytes=a-b", "lines=1-2", "bytes=0-1,3-4"]
)
async def test_other_ranges_are_those_of_the_copy(
    tmp_path: Path, kind: Kind, requested: str
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE + PARTS)
        async with run_office(project, settings=MEMORY) as office:
            (file,) = json.loads((await upload(office, NOTE)).content)
            first = await get(office, file["url"], range=requested)
            again = await get(office, file["url"], range=requested)
            assert first.status == again.status in {200, 206, 400}
            assert len(module().fired) == 1


async def test_a_part_that_cannot_be_read_is_a_503(tmp_path: Path, kind: Kind) -> None:
    failing = PARTS.replace(
        "        data = store", "        raise RuntimeError('sesame')\n        data = store"
    )
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE + failing)
        async with run_office(project, settings=MEMORY) as office:
            (file,) = json.loads((await upload(office, NOTE)).content)
            part = await get(office, file["url"], range="bytes=4-6")
            assert part.status == 503
            assert b"sesame" not in part.content


async def test_a_backend_with_addresses_is_redirected_to(tmp_path: Path, kind: Kind) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE + LINKING)
        async with run_office(project, settings=MEMORY) as office:
            (file,) = json.loads((await upload(office, NOTE)).content)
            reply = await get(office, file["url"])
    assert reply.status == 302
    assert reply.headers["location"].startswith(
        f"https://files.example.org/{file['hash']}.txt?for="
    )


@pytest.mark.parametrize(
    ("error", "status"),
    [(RuntimeError("sesame"), 503), (OSError(28, "full"), 507), (KeyError("sesame"), 503)],
)
async def test_what_a_backend_raises_leaves_no_row(
    tmp_path: Path, kind: Kind, error: Exception, status: int
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with run_office(project, settings=MEMORY) as office:
            module().failing.append(error)
            with capture_logs() as logs:
                refused = await upload(office, NOTE)
            token = (await office.sign_in(BOSS["email"])).data["token"]
            listed: Any = (await office.ask("GET", "/upload/files", token=token)).json
    assert (refused.status, listed["pagination"]["total"]) == (status, 0)
    assert b"sesame" not in refused.content
    assert [one["backend"] for one in logs if one["event"] == "a storage backend failed"] == [
        "memory"
    ]


@pytest.mark.parametrize(
    ("code", "expected"), [(CODE + LISTING, "surplus.txt"), (CODE, "has no method list")]
)
async def test_check_compares_files_where_the_backend_lists_them(
    tmp_path: Path, kind: Kind, capsys: pytest.CaptureFixture[str], code: str, expected: str
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, code + '\nstore["surplus.txt"] = (b"x", "text/plain")\n')
        with (project / "quire.toml").open("a") as file:
            file.write('\n[uploads]\nstorage = "memory"\n')
        await asyncio.to_thread(run, ["check", str(project)])
    printed = capsys.readouterr()
    assert expected in printed.out + printed.err
    assert "cannot be looked for" not in printed.out + printed.err


async def test_an_unknown_backend_keeps_the_server_from_starting(
    tmp_path: Path, kind: Kind
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        with pytest.raises(ConfigurationError, match='no storage backend "memry"; did you mean'):
            async with run_office(project, settings={"uploads.storage": "memry"}):
                pass


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (CODE.replace('"memory"', '"local"'), "is that of the folder"),
        (CODE.replace('"memory"', '"In Memory"'), "must be small letters"),
        (CODE.replace("(StorageBackend)", ""), "must be a class that derives from"),
        (CODE.replace("async def version", "def version"), "Memory.version must be an async def"),
        (CODE.replace("async def delete", "async def remove"), "lacks the method delete"),
        (CODE + "\n    def __init__(self, base): ...\n", "is made without arguments"),
        (
            CODE + "\n@storage_backend('memory')\nclass Other(Memory): ...\n",
            "of this name at",
        ),
    ],
)
def test_mistakes_are_found_at_load(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, code)
    with pytest.raises(ExtensionError, match=message):
        load_extensions(tmp_path, schema)


@pytest.mark.whatever_the_database("it looks at the code alone")
def test_hooks_lists_backends_and_what_runs_before_transactions(
    kind: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    prepare = "\n@prepare(PAPER, on=['create'])\nasync def look_up(write):\n    pass\n"
    write_code(tmp_path, CODE + prepare)
    assert run(["hooks", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert 'storage_backend "memory" stores uploaded files' in printed
    assert "api::paper.paper  create\n  prepare       look_up" in printed
