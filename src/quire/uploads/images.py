"""Images: size, format conversion, resizing, with libvips.

Every function here is slow: call them on the threads of `ImageWorkers`, never in the event loop.
Only the loader of the type that a file's first bytes show is used.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pyvips  # type: ignore[import-untyped]  # it says nothing of types
from msgspec import Struct

from quire.errors import ApplicationError

INVALID_IMAGE = "File is not a valid image"
TOO_MANY_PIXELS = "The image has more pixels than can be dealt with"
_QUALITY = 80
_CUT_QUALITY = 95
"""The quality of a crop: its result is compressed once more."""
_SHRINKS = (8, 4, 2)
"""The factors by which a JPEG can be shrunk while it is decoded."""
_KEEP_NOTHING = "none"
_PROFILE = "icc-profile-data"
_UNLIMITED_PIXELS = 10_000_000
"""A box without a limit, for a side that follows from the other."""
_MIDDLE = (50.0, 50.0)
_SIDEWAYS = 5
"""The first of the orientations that swap width and height."""

_LOADERS = ("Jpeg", "Png", "Webp", "Nsgif", "Tiff", "Heif", "Svg")

# A server caches no image, and uses threads for several images rather than within one. Only image
# formats are read, whatever else libvips supports.
pyvips.cache_set_max(0)
pyvips.concurrency_set(1)
pyvips.operation_block_set("VipsForeignLoad", state=True)
for _loader in _LOADERS:
    pyvips.operation_block_set(f"VipsForeignLoad{_loader}", state=False)

Save = Callable[[Any, str], None]


class _Format(Struct, frozen=True):
    """How images of one type are read and written.

    ``load`` is the loader; ``lighter`` saves in the quality of uploads, ``save`` in that of smaller
    versions; both are ``None`` for types that are kept unchanged. Of a type that is not ``decoded``
    only the header is read.
    """

    load: str
    decoded: bool = True
    lighter: Save | None = None
    save: Save | None = None
    animated: bool = False


def _saver(name: str, **options: object) -> Save:
    def save(image: Any, target: str) -> None:  # noqa: ANN401 - pyvips has no types
        getattr(image, name)(target, keep=_KEEP_NOTHING, **options)

    return save


_JPEG = _saver("jpegsave", Q=_QUALITY, optimize_coding=True, background=[255, 255, 255])
_WEBP = _saver("webpsave", Q=_QUALITY, effort=4)
_GIF = _saver("gifsave", effort=7, reuse=True)
_TIFF = _saver("tiffsave", Q=_QUALITY, compression="jpeg", predictor="horizontal")
_FORMATS: Mapping[str, _Format] = MappingProxyType(
    {
        "image/jpeg": _Format("jpegload", lighter=_JPEG, save=_JPEG),
        "image/png": _Format(
            "pngload",
            lighter=_saver("pngsave", palette=True, Q=_QUALITY, effort=7, compression=6),
            save=_saver("pngsave", compression=6),
        ),
        "image/webp": _Format("webpload", lighter=_WEBP, save=_WEBP, animated=True),
        "image/gif": _Format("gifload", save=_GIF, animated=True),
        "image/tiff": _Format("tiffload", lighter=_TIFF, save=_TIFF),
        "image/avif": _Format("heifload"),
        # The usual builds of libvips cannot decode HEVC, the codec of photos from phones.
        "image/heic": _Format("heifload", decoded=False),
    }
)


_SAVERS: Mapping[str, Callable[[Any, str, int], None]] = MappingProxyType(
    {
        "jpeg": lambda image, target, quality: image.jpegsave(
            target, Q=quality, optimize_coding=True, background=[255, 255, 255], keep=_KEEP_NOTHING
        ),
        "png": lambda image, target, _: image.pngsave(target, compression=6, keep=_KEEP_NOTHING),
        "webp": lambda image, target, quality: image.webpsave(
            target, Q=quality, effort=4, keep=_KEEP_NOTHING
        ),
        "avif": lambda image, target, quality: image.heifsave(
            target, Q=quality, compression="av1", effort=3, keep=_KEEP_NOTHING
        ),
    }
)
"""How images are written in requested formats, by quality."""


class ImageInfo(Struct, frozen=True):
    """An image: its type, and its size in pixels as it is stored.

    ``pages`` are the frames of an animation; ``orientation`` is that of EXIF, 1 to 8.
    """

    path: Path
    type: str
    width: int
    height: int
    pages: int = 1
    orientation: int = 1

    @property
    def has_variants(self) -> bool:
        """Whether smaller versions of such images are made."""
        return _FORMATS[self.type].save is not None

    @property
    def can_be_lighter(self) -> bool:
        """Whether such images are compressed to the usual quality."""
        return _FORMATS[self.type].lighter is not None

    @property
    def is_decoded(self) -> bool:
        """Whether such images are decoded to check them."""
        return _FORMATS[self.type].decoded

    @property
    def upright_size(self) -> tuple[int, int]:
        """Width and height when it is shown upright."""
        return (self.height, self.width) if self.is_sideways else (self.width, self.height)

    @property
    def is_sideways(self) -> bool:
        """Whether width and height are swapped when it is shown upright."""
        return self.orientation >= _SIDEWAYS


def is_picture(type_: str) -> bool:
    """Tell whether files of a type are processed as images."""
    return type_ in _FORMATS


def examine(path: Path, type_: str, max_pixels: int) -> ImageInfo:
    """Read the header of an image.

    Raises ApplicationError if it is not an image, or too large to decode.
    """
    try:
        image = _load(path, type_)
        pages = image.get("n-pages") if image.get_typeof("n-pages") else 1
        height = image.get("page-height") if image.get_typeof("page-height") else image.height
        orientation = image.get("orientation") if image.get_typeof("orientation") else 1
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None
    if image.width * height * pages > max_pixels:
        raise ApplicationError(TOO_MANY_PIXELS)
    return ImageInfo(path, type_, image.width, height, pages, orientation)


def require_whole(picture: ImageInfo) -> None:
    """Decode an image that is not decoded otherwise. Raises ApplicationError when it is damaged."""
    try:
        _load(picture.path, picture.type).avg()
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None


def optimize(picture: ImageInfo, target: Path, *, upright: bool) -> ImageInfo:
    """Write an image in the usual quality, without EXIF data.

    ``upright`` rotates it by its orientation. Raises ApplicationError when it is damaged.
    """
    lighter = _FORMATS[picture.type].lighter
    if lighter is None:
        raise TypeError(f"{picture.type} is kept as it is")
    try:
        image = _in_srgb(_load(picture.path, picture.type, complete=True))
        if upright and picture.orientation > 1:
            image = image.copy_memory().autorot()
        lighter(image, str(target))
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None
    height = image.get("page-height") if picture.pages > 1 else image.height
    return ImageInfo(target, picture.type, image.width, height, picture.pages)


def shrink(picture: ImageInfo, target: Path, *, width: int, height: int) -> ImageInfo:
    """Write a version of an image that fits into a box, which must be smaller than it.

    Its size is that of Strapi, to the pixel. Raises ApplicationError when the image is damaged.
    """
    format_ = _FORMATS[picture.type]
    if format_.save is None:
        raise TypeError(f"{picture.type} has no smaller versions")
    try:
        if picture.type == "image/jpeg":
            image = _shrink_jpeg(picture, width, height)
        else:
            source = f"{picture.path}[n=-1]" if picture.pages > 1 else str(picture.path)
            image = pyvips.Image.thumbnail(
                source,
                width,
                height=height,
                size="down",
                no_rotate=True,
                output_profile="srgb",
                fail_on="warning",
            )
        format_.save(image, str(target))
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None
    paged = image.get("page-height") if picture.pages > 1 else image.height
    return ImageInfo(target, picture.type, image.width, paged, picture.pages)


def recode(picture: ImageInfo, target: Path, *, format_: str) -> ImageInfo:
    """Write an image in another type, in the usual quality and upright.

    Raises ApplicationError when it is damaged.
    """
    try:
        image = _in_srgb(_load(picture.path, picture.type))
        if picture.orientation > 1:
            image = image.copy_memory().autorot()
        _SAVERS[format_](image, str(target), _QUALITY)
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None
    return ImageInfo(target, f"image/{format_}", image.width, image.height)


def _shrink_jpeg(picture: ImageInfo, width: int, height: int) -> Any:  # noqa: ANN401 - pyvips
    """Shrink as far as the decoder can, then by one factor for both sides."""
    factor = max(picture.width / width, picture.height / height)
    shorter = min(picture.width, picture.height)
    steps = next((step for step in _SHRINKS if factor >= step + 1 and shorter >= step), 1)
    image = pyvips.Image.jpegload(
        str(picture.path), shrink=steps, access="sequential", fail_on="warning"
    )
    by_height = picture.height / height >= picture.width / width
    scale = height / image.height if by_height else width / image.width
    across, down = max(scale, 1 / image.width), max(scale, 1 / image.height)  # at least one pixel
    return _in_srgb(image).resize(across, vscale=down)


def _load(path: Path, type_: str, *, complete: bool = False) -> Any:  # noqa: ANN401 - pyvips
    format_ = _FORMATS[type_]
    pages = {"n": -1} if complete and format_.animated else {}
    return getattr(pyvips.Image, format_.load)(
        str(path), access="sequential", fail_on="warning", **pages
    )


def _in_srgb(image: Any) -> Any:  # noqa: ANN401 - pyvips
    """Return an image in sRGB, eight bits per channel."""
    if image.get_typeof(_PROFILE):
        image = image.icc_transform("srgb", embedded=True, intent="perceptual")
    return image if image.interpretation == "srgb" else image.colourspace("srgb")


class Crop(Struct, frozen=True, kw_only=True):
    """The visible part of an image: all of it within a box, or filling the box (``cover``).

    ``focus`` is the point that stays in view, in percent of width and height. An image is never
    enlarged.
    """

    width: int | None
    height: int | None
    cover: bool = False
    focus: tuple[float, float] | None = None


def transform(picture: ImageInfo, target: Path, crop: Crop, *, format_: str, quality: int) -> None:
    """Write an image in another size and format, upright, without EXIF data.

    Of an animation the first frame is used. Raises ApplicationError when the image is damaged.
    """
    width, height = picture.upright_size
    box = (crop.width or _UNLIMITED_PIXELS, crop.height or _UNLIMITED_PIXELS)
    if crop.cover:
        scale = min(max(box[0] / width, box[1] / height), 1)
        box = (math.ceil(width * scale), math.ceil(height * scale))
    try:
        image = pyvips.Image.thumbnail(
            str(picture.path),
            box[0],
            height=box[1],
            size="down",
            output_profile="srgb",
            fail_on="warning",
        )
        if crop.cover:
            image = _cropped(image, crop)
        _SAVERS[format_](image, str(target), quality)
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None


def _cropped(image: Any, crop: Crop) -> Any:  # noqa: ANN401 - pyvips
    """Cut a box out of an image, as close around the focal point as its borders allow."""
    width = min(crop.width or image.width, image.width)
    height = min(crop.height or image.height, image.height)
    x, y = crop.focus or _MIDDLE
    left = _edge(image.width, width, x)
    top = _edge(image.height, height, y)
    return image.crop(left, top, width, height)


def _edge(size: int, part: int, percent: float) -> int:
    position = round(size * percent / 100 - part / 2)
    return max(0, min(position, size - part))


class CropArea(Struct, frozen=True, kw_only=True):
    """A rectangle of an image, in pixels of the upright image."""

    left: int
    top: int
    width: int
    height: int

    def is_within(self, width: int, height: int) -> bool:
        """Whether the rectangle lies in an image of this size."""
        return self.left + self.width <= width and self.top + self.height <= height


def can_be_cut(type_: str) -> bool:
    """Tell whether a crop of images of a type can be written in that type."""
    return type_.removeprefix("image/") in _SAVERS


def cut(picture: ImageInfo, target: Path, area: CropArea) -> None:
    """Write an area of an image in the type of the image, in a high quality and upright.

    Raises ApplicationError when the image is damaged.
    """
    try:
        image = _load(picture.path, picture.type)
        if picture.orientation > 1:
            image = image.copy_memory().autorot()
        image = _in_srgb(image).crop(area.left, area.top, area.width, area.height)
        _SAVERS[picture.type.removeprefix("image/")](image, str(target), _CUT_QUALITY)
    except pyvips.Error:
        raise ApplicationError(INVALID_IMAGE) from None


def svg_size(path: Path) -> tuple[int | None, int | None]:
    """Return width and height of an SVG; neither if it does not contain them, or is invalid."""
    try:
        image = pyvips.Image.svgload(str(path), access="sequential")
    except pyvips.Error:
        return None, None
    return image.width, image.height


def fits(size: tuple[int, int], box: tuple[int, int]) -> bool:
    """Tell whether an image is no larger than a box."""
    return size[0] <= box[0] and size[1] <= box[1]
