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
