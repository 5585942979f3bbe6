"""Copies files into the media library."""

import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from mimetypes import MimeTypes
from pathlib import Path

import imagesize  # type: ignore[import-untyped]  # it says nothing of types
from msgspec import Struct

from quire.clock import iso_from_ms
from quire.errors import SeedingError
from quire.seeding.seed_values import SeedMediaFile

SUFFIX_BYTES = 5
"""How many random bytes, in hexadecimal digits, make the name of an upload unique."""

_TYPES = MimeTypes()
"""Python's own table of types, without the types that this machine adds."""
_UNKNOWN_TYPE = "application/octet-stream"
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")


class Upload(Struct, frozen=True, kw_only=True):
    """A file with its path among the uploads.

    ``values`` are those of the content type of files, by attribute.
    """

    source: Path
    target: Path
    values: Mapping[str, object]


def plan_upload(file: SeedMediaFile, folder: Path, new_suffix: Callable[[], str]) -> Upload:
    """Choose a name among the uploads in ``folder`` and describe the file, without copying it.

    ``new_suffix`` makes names unique. Responsive formats are not created.
    """
    extension = file.path.suffix
    stored_name = f"{_slug(file.path.stem)}_{new_suffix()}"
    width, height = image_size(file.path)
    values = {
        "name": file.name,
        "alternativeText": file.alternative_text,
        "caption": file.caption,
        "focalPoint": None,
        "width": width,
        "height": height,
        "formats": None,
        "hash": stored_name,
        "ext": extension,
        "mime": _TYPES.guess_type(file.name, strict=False)[0] or _UNKNOWN_TYPE,
        "size": _kilobytes(file.path.stat().st_size),
        "url": f"/uploads/{stored_name}{extension}",
        "previewUrl": None,
        "provider": "local",
        "provider_metadata": None,
    }
    return Upload(source=file.path, target=folder / f"{stored_name}{extension}", values=values)


def describe_file(
    id_: int, document_id: str, values: Mapping[str, object], now: int
) -> dict[str, object]:
    """Describe a stored file as the images of blocks do; ``now`` is epoch milliseconds."""
    moment = iso_from_ms(now)
    return {
        "id": id_,
        "documentId": document_id,
        **values,
        "createdAt": moment,
        "updatedAt": moment,
        "publishedAt": moment,
    }


@contextmanager
def placed_files(uploads: Sequence[Upload], advance: Callable[[str], None]) -> Iterator[None]:
    """Copy files to their places; they are deleted again when the block fails.

    ``advance`` is called with the name of each. Raises SeedingError when one cannot be copied, or
    when its target exists.
    """
    copied_files: list[Path] = []
    try:
        for upload in uploads:
            _copy(upload, copied_files)
            advance(str(upload.values["name"]))
        yield
    except BaseException:
        for target in copied_files:
            target.unlink(missing_ok=True)
        raise


def image_size(path: Path) -> tuple[int | None, int | None]:
    """Return width and height of an image in pixels; neither for other files."""
    with path.open("rb") as file:
        try:
            width, height = imagesize.get(file)
        except ValueError:
            return None, None
    return (round(width), round(height)) if width > 0 and height > 0 else (None, None)


def _copy(upload: Upload, copied_files: list[Path]) -> None:
    """Copy a file without overwriting; ``copied_files`` gets what is to be undone."""
    try:
        upload.target.parent.mkdir(parents=True, exist_ok=True)
        with upload.source.open("rb") as source, upload.target.open("xb") as target:
            copied_files.append(upload.target)
            shutil.copyfileobj(source, target)
    except OSError as error:
        message = f"{upload.source} cannot be copied to {upload.target}: {error.strerror}"
        raise SeedingError(message) from error


def _slug(stem: str) -> str:
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return _SEPARATORS.sub("_", plain).strip("_") or "file"


def _kilobytes(size: int) -> float:
    """Return kilobytes (1000 bytes) with two decimals, rounded half up."""
    return (size + 5) // 10 / 100
