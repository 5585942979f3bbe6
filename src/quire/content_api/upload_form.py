"""Forms with files, which are written to disk while they are received.

Only a few pieces of the body are in memory at a time; threads write to the disk.
"""

import asyncio
from pathlib import Path
from typing import BinaryIO

from quire.content_api.http_messages import AsgiReceive
from quire.content_api.multipart import Form, Take, read_parts
from quire.errors import PayloadTooLargeError
from quire.schema.attributes.validation import ABSENT, AbsentType
from quire.uploads.file_info import decode_fields
from quire.uploads.processing import IncomingFile
from quire.uploads.storage import storage_problem

FILES = "files"
"""The field name of files; files of other fields are skipped."""
FILE_INFO = "fileInfo"
"""The field name of metadata."""

_BUFFER = 1_000_000
_UNITS = ("Bytes", "KB", "MB", "GB", "TB")


class FileForm(Form):
    """Collects text parts, and writes files named ``files`` into a folder."""

    def __init__(self, folder: Path, *, text_limit: int, size_limit: int, total_limit: int) -> None:
        """``size_limit`` is the maximum size of a file, ``total_limit`` that of all."""
        super().__init__(text_limit)
        self._total_limit = total_limit
        self._total = 0
        self.files: list[IncomingFile] = []
        self._folder = folder
        self._size_limit = size_limit
        self._file_count = 0
        self._path = folder
        self._file_description = ("", "")
        self._size_of_file = 0
        self._pending_chunks: list[tuple[Path, bytes]] = []
        self._pending_size = 0
        self._file: tuple[Path, BinaryIO] | None = None

    def texts(self, name: str) -> list[str]:
        """Return the texts of all fields of a name."""
        return [text for field, text in self.fields if field == name]

    def text(self, name: str) -> str | None:
        """Return the text of the only field of a name."""
        texts = self.texts(name)
        return texts[0] if len(texts) == 1 else None

    def file_info(self) -> object | AbsentType:
        """Return the metadata: fields with JSON, or such as ``fileInfo[0][caption]``."""
        texts = self.texts(FILE_INFO)
        if texts:
            return decode_fields(texts)
        value = self.nested().get(FILE_INFO, ABSENT)
        return decode_fields(value) if isinstance(value, list) else value

    def begin_file(self, name: str, filename: str, type_: str) -> Take | None:
        """Accept files of the right field."""
        if name != FILES:
            return None
        self._file_count += 1
        self._path = self._folder / f"incoming-{self._file_count}"
        self._file_description = (filename, type_)
        self._size_of_file = 0
        self._pending_chunks.append((self._path, b""))  # an empty file is a file too
        return self._write

    def end_file(self) -> None:
        """Add a file."""
        name, declared_type = self._file_description
        self.files.append(
            IncomingFile(
                path=self._path, name=name, declared=declared_type, size=self._size_of_file
            )
        )

    def _write(self, chunk: bytes) -> None:
        self._size_of_file += len(chunk)
        if self._size_of_file > self._size_limit:
            limit = shown_size(self._size_limit)
            raise PayloadTooLargeError(
                f"{self._file_description[0]} exceeds size limit of {limit}."
            )
        self._total += len(chunk)
        if self._total > self._total_limit:
            limit = shown_size(self._total_limit)
            raise PayloadTooLargeError(f"The files exceed size limit of {limit}.")
        self._pending_chunks.append((self._path, chunk))
        self._pending_size += len(chunk)

    async def settle(self) -> None:
        """Write the received data if there is enough."""
        if self._pending_size >= _BUFFER:
            await self.flush()

    async def flush(self) -> None:
        """Write all received data.

        Raises OutOfSpaceError when the disk is full, StorageError for its other errors.
        """
        pending_chunks, self._pending_chunks, self._pending_size = self._pending_chunks, [], 0
        try:
            await asyncio.to_thread(self._append, pending_chunks)
        except OSError as error:
            raise storage_problem(error) from error

    def _append(self, pending_chunks: list[tuple[Path, bytes]]) -> None:
        for path, chunk in pending_chunks:
            if self._file is None or self._file[0] != path:
                self.close()
                self._file = (path, path.open("ab"))
            self._file[1].write(chunk)
        if self._file is not None:
            self._file[1].flush()

    def close(self) -> None:
        """Close the open file."""
        if self._file is not None:
            self._file[1].close()
            self._file = None


async def read_files(
    content_type: bytes,
    receive: AsgiReceive,
    folder: Path,
    *,
    text_limit: int,
    size_limit: int,
    total_limit: int,
) -> FileForm:
    """Read a form, its files into a folder. A single empty file counts as none, as in Strapi.

    Raises BadRequestError for a body that is not a form, PayloadTooLargeError for a file or text
    that is too large, OutOfSpaceError and StorageError for errors of the disk.
    """
    form = FileForm(folder, text_limit=text_limit, size_limit=size_limit, total_limit=total_limit)
    try:
        await read_parts(form, content_type, receive)
        await form.flush()
    finally:
        form.close()
    if [file.size for file in form.files] == [0]:
        form.files.clear()
    return form


def shown_size(size: int) -> str:
    """Format a number of bytes for people, in powers of 1000, without rounding."""
    value, unit = float(size), 0
    while value >= 1000 and unit < len(_UNITS) - 1:
        value /= 1000
        unit += 1
    return f"{value:.2f}".rstrip("0").rstrip(".") + f" {_UNITS[unit]}"
