"""Archives are unpacked into a folder; invalid members are rejected before writing."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from quire.errors import TransferError
from quire.transfer.archive_format import ArchiveStage
from quire.transfer.cipher import EncryptingWriter
from quire.transfer.unpacking import UnpackedArchive, unpack_archive
from tests.unit.transfer.archive_files import (
    ENCRYPTED,
    KEY,
    METADATA,
    PLAIN,
    Members,
    lines,
    members_of,
    tar_bytes,
    write_archive,
)

LARGE = 1_000_000_000


def unpack(
    path: Path, folder: Path, *, key: str | None = None, max_bytes: int = LARGE
) -> UnpackedArchive:
    folder.mkdir()
    return unpack_archive(path, folder, key=key, max_bytes=max_bytes)


def files_outside(tmp_path: Path, *known: str) -> list[str]:
    return sorted(path.name for path in tmp_path.iterdir() if path.name not in known)


@pytest.mark.parametrize(("path", "key"), [(PLAIN, None), (ENCRYPTED, KEY)])
def test_an_export_of_strapi_is_unpacked(tmp_path: Path, path: Path, key: str | None) -> None:
    archive = unpack(path, tmp_path / "out", key=key)

    assert archive.metadata.strapi.version == "5.54.0"
    assert len(archive.assets) == 5
    for name in archive.assets:
        metadata = archive.asset_metadata(name)
        assert metadata is not None
        assert f"{metadata.hash}{metadata.ext}" == name
        assert archive.asset(name).read_bytes() == members_of(PLAIN)[f"assets/uploads/{name}"]
    uids = {line["uid"] for line in archive.raw_lines(ArchiveStage.SCHEMAS)}
    assert {"api::book.book", "parts.chapter", "plugin::users-permissions.user"} <= uids


def test_progress_counts_the_bytes_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    counted: list[int] = []
    unpack_archive(PLAIN, tmp_path / "out", key=None, max_bytes=LARGE, advance=counted.append)
    assert sum(counted) == PLAIN.stat().st_size


def test_lines_of_several_parts_come_in_order(tmp_path: Path) -> None:
    path = write_archive(
        tmp_path / "x.tar",
        {
            "links/links_00002.jsonl": lines({"n": 3}),
            "links/links_00001.jsonl": lines({"n": 1}, {"n": 2}),
            "metadata.json": METADATA,
        },
    )
    archive = unpack(path, tmp_path / "out")
    assert [line["n"] for line in archive.raw_lines(ArchiveStage.LINKS)] == [1, 2, 3]


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt",
        "/tmp/outside.txt",  # noqa: S108 - a name in an archive
        "assets/uploads/../../../outside.txt",
        "assets/uploads/deeper/file.png",
        "assets/uploads/.hidden",
        "assets/uploads/" + "\u00e4" * 200,
        "assets/uploads/a\\b.png",
        "assets/metadata/x.txt",
        "entities/links_00001.jsonl",
        "schemas",
        "other.txt",
    ],
)
def test_names_that_no_export_has_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(tar_bytes({name: "x", "metadata.json": METADATA}))

    with pytest.raises(TransferError, match="is no part of an export"):
        unpack(path, tmp_path / "out")

    assert files_outside(tmp_path, "x.tar", "out") == []
    assert [one for one in (tmp_path / "out").rglob("*") if one.is_file()] == []


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    link = tarfile.TarInfo("assets/uploads/photo.png")
    link.type, link.linkname = kind, "/etc/passwd"
    path = tmp_path / "x.tar"
    path.write_bytes(tar_bytes({"metadata.json": METADATA}, extra=[link]))

    with pytest.raises(TransferError, match="is not a plain file"):
        unpack(path, tmp_path / "out")


def test_a_file_that_is_in_it_twice_is_refused(tmp_path: Path) -> None:
    again = tarfile.TarInfo("metadata.json")
    path = tmp_path / "x.tar"
    path.write_bytes(tar_bytes({"metadata.json": METADATA}, extra=[again]))
    with pytest.raises(TransferError, match="is in it twice"):
        unpack(path, tmp_path / "out")


def test_folders_of_an_export_that_was_packed_by_hand_are_taken(tmp_path: Path) -> None:
    folder = tarfile.TarInfo("./assets/uploads/")
    folder.type = tarfile.DIRTYPE
    path = tmp_path / "x.tar"
    path.write_bytes(tar_bytes({"./metadata.json": METADATA}, extra=[folder]))
    assert unpack(path, tmp_path / "out").metadata.strapi.version == "5.54.0"


def test_a_bomb_is_refused_by_what_its_headers_say(tmp_path: Path) -> None:
    members: Members = {"assets/uploads/zeros.bin": bytes(50_000_000), "metadata.json": METADATA}
    path = write_archive(tmp_path / "x.tar.gz", members)
    assert path.stat().st_size < 100_000

    with pytest.raises(TransferError, match=r"unpacks to more than 10,000,000 bytes.*--max-size"):
        unpack(path, tmp_path / "out", max_bytes=10_000_000)

    assert sum(f.stat().st_size for f in (tmp_path / "out").rglob("*") if f.is_file()) == 0


def test_a_header_with_an_extension_of_gigabytes_is_not_read_into_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@PaxHeader")
    header.type, header.size = tarfile.XHDTYPE, 4_000_000_000
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(header.tobuf() + bytes(5_000_000)))
    with pytest.raises(TransferError, match="a header is too large"):
        unpack(path, tmp_path / "out")


def test_headers_of_headers_are_refused(tmp_path: Path) -> None:
    header = tarfile.TarInfo("extended")
    header.type, header.size = tarfile.XHDTYPE, len(b"11 mtime=1\n")
    nested = (header.tobuf() + b"11 mtime=1\n".ljust(512, b"\0")) * 900
    path = tmp_path / "nested.tar"
    path.write_bytes(nested + tar_bytes(members_of(PLAIN)))
    with pytest.raises(TransferError, match="damaged"):
        unpack(path, tmp_path / "out")


def test_metadata_is_limited(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "x.tar", {"metadata.json": METADATA + " " * 2_000_000})
    with pytest.raises(TransferError, match="1,048,576 are allowed"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize("path", [PLAIN, ENCRYPTED])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9, 0.999])
def test_an_archive_that_is_cut_off_is_refused(tmp_path: Path, path: Path, part: float) -> None:
    cut = tmp_path / path.name
    data = path.read_bytes()
    cut.write_bytes(data[: int(len(data) * part)])
    with pytest.raises(TransferError, match=r"cut off|cannot be decrypted"):
        unpack(cut, tmp_path / "out", key=KEY)


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 20])
def test_a_plain_tar_file_that_is_cut_off_between_blocks_is_refused(
    tmp_path: Path, blocks: int
) -> None:
    data = gzip.decompress(PLAIN.read_bytes()).rstrip(b"\0")
    end = len(data) // 512 * 512 - 512 * blocks
    path = tmp_path / "x.tar"
    path.write_bytes(data[:end])
    with pytest.raises(TransferError, match="cut off"):
        unpack(path, tmp_path / "out")


def test_every_changed_byte_of_a_compressed_archive_is_noticed(tmp_path: Path) -> None:
    data = PLAIN.read_bytes()
    for number, at in enumerate(range(20, len(data), len(data) // 25)):
        path = tmp_path / f"{number}.tar.gz"
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        with pytest.raises(TransferError, match=r"damaged|not taken|cut off|no export"):
            unpack(path, tmp_path / f"out{number}")


def test_a_wrong_key_and_a_missing_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match="the key is another one, or the file is damaged"):
        unpack(ENCRYPTED, tmp_path / "one", key="another")
    with pytest.raises(TransferError, match="is encrypted: give its key with --key"):
        unpack(ENCRYPTED, tmp_path / "two")


def test_any_other_file_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    path.write_text("something else")
    with pytest.raises(TransferError, match="is no export archive"):
        unpack(path, tmp_path / "one")
    path.write_bytes(b"")
    with pytest.raises(TransferError, match="is no export archive"):
        unpack(path, tmp_path / "two")


@pytest.mark.parametrize("line", [b'{"a": ', b'{"a": "\xff"}'])
def test_a_line_that_is_no_json_is_named(tmp_path: Path, line: bytes) -> None:
    path = write_archive(
        tmp_path / "x.tar",
        {"links/links_00001.jsonl": b'{"a": 1}\n' + line + b"\n", "metadata.json": METADATA},
    )
    archive = unpack(path, tmp_path / "out")
    with pytest.raises(TransferError, match=r"links/links_00001\.jsonl, line 2: "):
        list(archive.raw_lines(ArchiveStage.LINKS))


def test_metadata_that_are_no_text_are_named(tmp_path: Path) -> None:
    metadata = METADATA.encode().replace(b"5.54.0", b"\xff")
    path = write_archive(tmp_path / "x.tar", {"metadata.json": metadata})
    with pytest.raises(TransferError, match=r"metadata\.json: "):
        unpack(path, tmp_path / "out")


def test_a_sparse_file_with_an_invalid_map_is_refused(tmp_path: Path) -> None:
    sparse = tarfile.TarInfo("assets/uploads/x.bin")
    sparse.pax_headers = {"GNU.sparse.map": "x,y"}
    path = tmp_path / "x.tar"
    header = sparse.tobuf(tarfile.PAX_FORMAT)
    path.write_bytes(header + tar_bytes({"metadata.json": METADATA}))
    with pytest.raises(TransferError, match="is damaged"):
        unpack(path, tmp_path / "out")


def test_a_sparse_file_is_refused(tmp_path: Path) -> None:
    sparse = tarfile.TarInfo("assets/uploads/x.bin")
    sparse.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    path = tmp_path / "x.tar"
    path.write_bytes(bytes(header) + tar_bytes({"metadata.json": METADATA}))
    with pytest.raises(TransferError):
        unpack(path, tmp_path / "out")


def test_what_was_encrypted_is_the_same_in_openssl_terms() -> None:
    """The padding of the format adds a block where the content fills the last one."""
    for length, encrypted in ((0, 16), (15, 16), (16, 32), (17, 32)):
        target = io.BytesIO()
        with EncryptingWriter(target, "key") as writer:
            writer.write(bytes(length))
        assert len(target.getvalue()) == encrypted
