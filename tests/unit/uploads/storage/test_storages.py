"""The common behaviour of storage backends: a folder, and a bucket of S3.

So does a container of Azure where `QUIRE_TEST_AZURITE` is the address of its emulator with the
account, such as ``http://127.0.0.1:10000/devstoreaccount1``.
"""

import os
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from quire.errors import ConfigurationError, StorageError
from quire.hooks.storage_backends import (
    ByteRange,
    CustomStorageBackend,
    FileMeta,
    StorageBackend,
    StoredFile,
)
from quire.uploads.storage import Storage, StoredObject
from quire.uploads.storage.custom import CustomStorage
from quire.uploads.storage.local import LocalStorage
from quire.uploads.storage.object_storage import Bucket, ObjectStorage, open_bucket
from tests.services import make_azure_container, s3_server

BASE = "https://files.example.org/a"
LARGE = bytes(range(256)) * 50_000
"""More than one piece."""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    with s3_server("shelf") as address:
        yield address


def bucket_in(service: str, folder: str = "files") -> ObjectStorage:
    bucket = Bucket(
        address=f"s3://shelf/{folder}",
        endpoint=service,
        region="us-east-1",
        access_key="made-up",
        secret_key="made-up",
    )
    return open_bucket(bucket, base=BASE)


AZURITE = os.environ.get("QUIRE_TEST_AZURITE")
PLACES = ("local", "s3", "custom", *(["azure"] if AZURITE else []))
AZURE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)
"""The key of everybody's emulator: it opens nothing else."""


def container_in(address: str, folder: str, monkeypatch: pytest.MonkeyPatch) -> ObjectStorage:
    account = address.rpartition("/")[2]
    make_azure_container(address, account, AZURE_KEY, "shelf")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", account)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_KEY", AZURE_KEY)
    return open_bucket(Bucket(address=f"az://shelf/{folder}", endpoint=address), base=BASE)


class FolderBackend(StorageBackend):
    """What code of a project may look like."""

    folder: Path

    async def put(self, key: str, content: AsyncIterator[bytes], meta: FileMeta) -> None:
        del meta
        self.folder.mkdir(exist_ok=True)
        (self.folder / key).write_bytes(b"".join([piece async for piece in content]))

    async def open(self, key: str, part: ByteRange | None = None) -> AsyncIterator[bytes]:
        assert part is None
        with (self.folder / key).open("rb") as file:
            while piece := file.read(1000):
                yield piece

    async def delete(self, key: str) -> None:
        (self.folder / key).unlink(missing_ok=True)

    async def version(self, key: str) -> str | None:
        path = self.folder / key
        return str(path.stat().st_mtime_ns) if path.exists() else None

    async def list(self) -> AsyncIterator[StoredFile]:
        for path in self.folder.glob("*"):
            known = path.stat()
            at = datetime.fromtimestamp(known.st_mtime, UTC)
            yield StoredFile(key=path.name, size=known.st_size, stored_at=at)


@pytest.fixture(params=PLACES)
def storage(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Storage:
    if request.param == "local":
        return LocalStorage(tmp_path / "shelf", base=BASE)
    if request.param == "custom":
        custom = CustomStorageBackend(name="folder", backend=FolderBackend, file="a.py", line=1)
        monkeypatch.setattr(FolderBackend, "folder", tmp_path / "shelf", raising=False)
        return CustomStorage(custom, base=BASE)
    if request.param == "azure":
        return container_in(str(AZURITE), tmp_path.name, monkeypatch)
    return bucket_in(request.getfixturevalue("service"), tmp_path.name)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[bytes], Path]:
    def written(content: bytes) -> Path:
        path = tmp_path / "source"
        path.write_bytes(content)
        return path

    return written


async def read(storage: Storage, key: str, folder: Path) -> bytes | None:
    target = folder / "read"
    return target.read_bytes() if await storage.fetch(key, target) else None


async def listed(storage: Storage) -> dict[str, StoredObject]:
    return {found.key: found async for found in storage.listed()}


@pytest.mark.parametrize("content", [b"", b"hello", LARGE], ids=["empty", "small", "large"])
async def test_what_is_put_can_be_fetched(
    storage: Storage, write: Callable[[bytes], Path], tmp_path: Path, content: bytes
) -> None:
    await storage.put("a_1.txt", write(content), type_="text/plain")

    assert await read(storage, "a_1.txt", tmp_path) == content
    assert (await listed(storage))["a_1.txt"].size == len(content)


async def test_what_is_put_again_is_replaced(
    storage: Storage, write: Callable[[bytes], Path], tmp_path: Path
) -> None:
    for content in (b"first", b"second"):
        await storage.put("a.txt", write(content), type_="text/plain")

    assert await read(storage, "a.txt", tmp_path) == b"second"
    assert list(await listed(storage)) == ["a.txt"]


async def test_what_is_removed_is_gone(
    storage: Storage, write: Callable[[bytes], Path], tmp_path: Path
) -> None:
    for key in ("a.txt", "b.txt", "c.txt"):
        await storage.put(key, write(b"x"), type_="text/plain")
    await storage.remove(["a.txt", "nothing.txt", "b.txt"])

    assert await read(storage, "a.txt", tmp_path) is None
    assert list(await listed(storage)) == ["c.txt"]


async def test_nothing_is_there_at_first(storage: Storage, tmp_path: Path) -> None:
    assert await listed(storage) == {}
    assert await read(storage, "a.txt", tmp_path) is None
    await storage.remove(["a.txt"])


def test_addresses_begin_as_the_project_says(storage: Storage) -> None:
    assert storage.url("a_1.txt") == f"{BASE}/a_1.txt"


async def test_names_with_blanks_and_other_letters_are_names(
    storage: Storage, write: Callable[[bytes], Path], tmp_path: Path
) -> None:
    key = "a_1.\u00fc b"
    await storage.put(key, write(b"x"), type_="text/plain")

    assert await read(storage, key, tmp_path) == b"x"
    assert list(await listed(storage)) == [key]


@pytest.mark.parametrize("key", ["../a", ".a", "a/b", "a\\b", "", "a\0"])
async def test_a_folder_takes_plain_names_alone(
    key: str, write: Callable[[bytes], Path], tmp_path: Path
) -> None:
    storage = LocalStorage(tmp_path / "shelf", base=BASE)

    with pytest.raises(StorageError):
        await storage.put(key, write(b"x"), type_="text/plain")


async def test_a_bucket_gives_links_that_end(
    storage: Storage, write: Callable[[bytes], Path]
) -> None:
    await storage.put("a.txt", write(b"hello"), type_="text/plain")
    link = await storage.link("a.txt", timedelta(minutes=1))

    assert (link is None) is isinstance(storage, LocalStorage | CustomStorage)
    if link is not None:
        assert "/a.txt?" in link
        async with httpx.AsyncClient() as client:
            response = await client.get(link)
        assert (response.content, response.headers["Content-Type"]) == (b"hello", "text/plain")


async def test_a_service_that_does_not_answer_is_reported(
    write: Callable[[bytes], Path], tmp_path: Path
) -> None:
    storage = bucket_in("http://127.0.0.1:9")

    with pytest.raises(StorageError):
        await storage.put("a.txt", write(b"x"), type_="text/plain")
    with pytest.raises(StorageError):
        await storage.fetch("a.txt", tmp_path / "read")
    with pytest.raises(StorageError):
        await listed(storage)


async def test_a_bucket_that_is_not_there_is_reported(
    service: str, write: Callable[[bytes], Path]
) -> None:
    bucket = Bucket(
        address="s3://elsewhere", endpoint=service, region="x", access_key="a", secret_key="b"
    )
    with pytest.raises(StorageError):
        await open_bucket(bucket, base=BASE).put("a", write(b"x"), type_="text/plain")


def test_an_address_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        open_bucket(Bucket(address="az://nowhere", endpoint="no address"), base=BASE)
