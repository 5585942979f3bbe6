"""Uploads files to a newsroom, and lists the files on its disk."""

import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyvips  # type: ignore[import-untyped]  # it says nothing of types

from quire.uploads.replacement import MACHINE
from tests.conformance.client import ClientResponse
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.hazards.visitors import FULL, Who
from tests.hazards.writing import Editor

JsonObject = dict[str, Any]
TEXT = FilePart("note.txt", b"Low water at six.", "text/plain")


async def upload(
    editor: Editor,
    *files: FilePart,
    fields: Sequence[tuple[str, str]] = (),
    target: str = "upload",
    who: Who = FULL,
) -> ClientResponse:
    """Send a form with files."""
    headers = {"Content-Type": FORM_TYPE}
    return await editor.send("POST", target, form(files, fields), who, headers)


def uploaded(response: ClientResponse) -> list[JsonObject]:
    """The files that an upload made."""
    assert response.status == 201, response.content
    files: list[JsonObject] = json.loads(response.content)
    return files


def folder_of(editor: Editor) -> Path:
    """The folder of uploaded files."""
    return editor.settings.project / editor.settings.uploads.directory


def kept(editor: Editor) -> dict[str, bytes]:
    """All files with their bytes."""
    return {path.name: path.read_bytes() for path in folder_of(editor).iterdir()}


def temporary(editor: Editor) -> list[Path]:
    """What is left of uploads that are over; what tells one machine from another is to stay."""
    folder = editor.settings.project / editor.settings.uploads.temporary_directory
    return sorted(path for path in folder.rglob("*") if path.name != MACHINE)


def picture(width: int, height: int, suffix: str, **options: object) -> bytes:
    """A picture that is not all alike."""
    across = pyvips.Image.xyz(width, height)
    image = (across[0] * 255 / width).bandjoin(
        [across[1] * 255 / height, (across[0] + across[1]) * 127 / (width + height)]
    )
    content: bytes = (
        image.cast("uchar").copy(interpretation="srgb").write_to_buffer(suffix, **options)
    )
    return content


def png_head(width: int, height: int) -> bytes:
    """A PNG that promises so many pixels and has next to none."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    )


def heic(width: int, height: int) -> bytes:
    """Make the file of a HEIC photo: what the container says is valid, the HEVC in it is not."""

    def box(name: bytes, *parts: bytes) -> bytes:
        content = b"".join(parts)
        return (len(content) + 8).to_bytes(4) + name + content

    def versioned(name: bytes, *parts: bytes, version: int = 0) -> bytes:
        return box(name, bytes([version, 0, 0, 0]), *parts)

    def before_data(start: int) -> bytes:
        codec = bytes.fromhex("01016000000090000000000a5af000fcfdf8f800000f00")
        properties = box(
            b"ipco",
            box(b"hvcC", codec),
            versioned(b"ispe", width.to_bytes(4), height.to_bytes(4)),
            versioned(b"pixi", b"\3\x08\x08\x08"),
        )
        of_item = versioned(b"ipma", b"\0\0\0\1\0\1\3\x81\2\3")
        location = b"\x44\0\0\1\0\1\0\0\0\1" + start.to_bytes(4) + (32).to_bytes(4)
        meta = versioned(
            b"meta",
            versioned(b"hdlr", bytes(4), b"pict", bytes(13)),
            versioned(b"pitm", b"\0\1"),
            versioned(b"iloc", location),
            versioned(b"iinf", b"\0\1", versioned(b"infe", b"\0\1\0\0hvc1\0", version=2)),
            box(b"iprp", properties, of_item),
        )
        return box(b"ftyp", b"heic\0\0\0\0mif1heic") + meta

    return before_data(len(before_data(0)) + 8) + box(b"mdat", bytes(32))
