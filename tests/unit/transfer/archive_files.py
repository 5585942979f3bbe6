"""Archives for tests: those that Strapi has exported, and generated ones."""

import gzip
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quire.transfer.cipher import EncryptingWriter

ARCHIVES = Path(__file__).parent / "archives"
PLAIN = ARCHIVES / "library.tar.gz"
ENCRYPTED = ARCHIVES / "library.tar.gz.enc"
"""The same export as Strapi 5.54.0 writes it, encrypted with `KEY`."""
KEY = "a key of ours"
RESPONSES: Mapping[str, Any] = json.loads((ARCHIVES / "library.responses.json").read_text("utf-8"))
"""What Strapi has responded to GET requests with a full-access token, before it exported."""

METADATA = json.dumps({"createdAt": "2026-01-01T00:00:00.000Z", "strapi": {"version": "5.54.0"}})

Members = Mapping[str, bytes | str]


def members_of(path: Path) -> dict[str, bytes]:
    """Return the members of an archive that is not encrypted."""
    with tarfile.open(path) as tar:
        return {one.name: read(tar, one) for one in tar.getmembers()}


def read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    assert file is not None
    return file.read()


def tar_bytes(members: Members, extra: Sequence[tarfile.TarInfo] = ()) -> bytes:
    """Return a tar file with members, and others that have no content, before them."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as tar:
        for info in extra:
            tar.addfile(info)
        for name, content in members.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return written.getvalue()


def write_archive(path: Path, members: Members, *, key: str | None = None) -> Path:
    """Write an archive, compressed and encrypted as its name says."""
    data = tar_bytes(members)
    if ".gz" in path.suffixes:
        data = gzip.compress(data)
    if key is not None:
        encrypted = io.BytesIO()
        with EncryptingWriter(encrypted, key) as writer:
            writer.write(data)
        data = encrypted.getvalue()
    path.write_bytes(data)
    return path


def lines(*objects: object) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in objects)
