"""Crops images of the media library: an area becomes the content of the file, or a new file."""

import asyncio
from pathlib import Path

from quire.database.stores.files import FileRow
from quire.errors import ApplicationError, NotFoundError, ValidationError
from quire.uploads.file_names import extension_of
from quire.uploads.file_rows import NO_SUCH_FILE
from quire.uploads.file_types import HEAD, sniff
from quire.uploads.images import CropArea, can_be_cut, cut, examine, is_picture
from quire.uploads.processing import IncomingFile
from quire.uploads.service import MediaLibrary

NO_CROP = "Images of this type cannot be cropped"
ANIMATED_IMAGE = "Animated images cannot be cropped"
AREA_OUTSIDE_IMAGE = "The area must lie within the image, which is {} by {} pixels"
_SUFFIX = "-cropped"
_LONGEST_STEM = 200


async def crop_file(
    library: MediaLibrary, row: FileRow, area: CropArea, folder: Path
) -> tuple[IncomingFile, tuple[float, float] | None]:
    """Crop an image into a folder; returns the new file, and its focal point.

    The focal point is that of the image, if it is within the area. Raises NotFoundError when the
    bytes of the image are not in the storage, ValidationError for an area outside the image, and
    ApplicationError for images that cannot be cropped.
    """
    if not can_be_cut(row.mime):
        raise ApplicationError(NO_CROP)  # before a possibly large file is fetched
    original, target = folder / "original", folder / "cropped"
    is_here = row.provider == library.storage.provider
    if not is_here or not await library.storage.fetch(row.keys[0], original):
        raise NotFoundError(NO_SUCH_FILE)
    type_ = sniff(await asyncio.to_thread(_head, original))
    if type_ is None or not is_picture(type_) or not can_be_cut(type_):
        raise ApplicationError(NO_CROP)
    picture = await library.image_workers.run(examine, original, type_, library.max_pixels)
    if picture.pages > 1:
        raise ApplicationError(ANIMATED_IMAGE)
    size = picture.upright_size
    if not area.is_within(*size):
        raise ValidationError(AREA_OUTSIDE_IMAGE.format(*size))
    await library.image_workers.run(cut, picture, target, area)
    length = await asyncio.to_thread(lambda: target.stat().st_size)
    cropped = IncomingFile(path=target, name=row.name, declared=type_, size=length)
    return cropped, _focus_within(row.focus, area, size)


def name_of_copy(name: str) -> str:
    """Return the name of a cropped copy of a file."""
    ext = extension_of(name)
    return f"{name.removesuffix(ext)[:_LONGEST_STEM]}{_SUFFIX}{ext}"


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD)


def _focus_within(
    focus: tuple[float, float] | None, area: CropArea, size: tuple[int, int]
) -> tuple[float, float] | None:
    """Return a point of an image in percent of an area of it; ``None`` if it is outside."""
    if focus is None:
        return None
    x = 100 * (focus[0] / 100 * size[0] - area.left) / area.width
    y = 100 * (focus[1] / 100 * size[1] - area.top) / area.height
    return (round(x, 2), round(y, 2)) if 0 <= x <= 100 and 0 <= y <= 100 else None
