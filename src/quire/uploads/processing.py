"""Processes an uploaded file: type, size, smaller images."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from quire.uploads.file_names import StoredName, check_name, extension_of, kilobytes
from quire.uploads.file_types import HEAD, SVG, extension_of_type, sniff, type_of
from quire.uploads.image_workers import ImageWorkers
from quire.uploads.images import (
    ImageInfo,
    examine,
    fits,
    is_picture,
    optimize,
    recode,
    require_whole,
    shrink,
    svg_size,
)

THUMBNAIL = ("thumbnail", (245, 156))


class IncomingFile(Struct, frozen=True, kw_only=True):
    """A file that was received: its temporary path, its name, and the type that was declared."""

    path: Path
    name: str
    declared: str
    size: int


class RecognisedFile(Struct, frozen=True, kw_only=True):
    """A file of a known type: ``mime`` as declared, ``sniffed_type`` as its bytes show."""

    incoming: IncomingFile
    ext: str
    mime: str
    sniffed_type: str | None


class ImageRules(Struct, frozen=True, kw_only=True):
    """How images are processed.

    ``boxes`` are other sizes by name, ``variants`` other types that all sizes are stored in, too.
    ``max_pixels`` is the maximum size of an image to decode.
    """

    lighter: bool = True
    other_sizes: bool = True
    upright: bool = False
    boxes: Mapping[str, int]
    variants: tuple[str, ...] = ()
    max_pixels: int


class StoredPart(Struct, frozen=True, kw_only=True):
    """A file for the storage: its key, the path of its bytes, and their type."""

    key: str
    path: Path
    type: str


class PreparedFile(Struct, frozen=True, kw_only=True):
    """The parts of a file to store: values of its row, and its versions, the file itself first."""

    values: Mapping[str, object]
    pieces: Sequence[StoredPart]


def recognize_file(incoming: IncomingFile) -> RecognisedFile:
    """Recognize the type of a file by its first bytes. Raises ApplicationError."""
    check_name(incoming.name)
    with incoming.path.open("rb") as file:
        head = file.read(HEAD)
    ext = extension_of(incoming.name)
    mime = type_of(ext, incoming.declared, head)
    return RecognisedFile(
        incoming=incoming, ext=ext or extension_of_type(mime), mime=mime, sniffed_type=sniff(head)
    )


async def prepare(
    image_workers: ImageWorkers,
    file: RecognisedFile,
    *,
    name: str,
    stored_name: StoredName,
    rules: ImageRules,
) -> PreparedFile:
    """Make all stored parts of a file. URLs are not among its values.

    Raises ApplicationError for images that are damaged or too large.
    """
    path = file.incoming.path
    width = height = None
    formats: dict[str, dict[str, Any]] = {}
    other_parts: list[StoredPart] = []
    if file.sniffed_type is not None and is_picture(file.sniffed_type):
        picture = await image_workers.run(examine, path, file.sniffed_type, rules.max_pixels)
        picture = await _in_use(image_workers, picture, rules)
        path, width, height = picture.path, picture.width, picture.height
        resized_pictures = await _other_sizes(image_workers, picture, rules)
        for label, version in resized_pictures:
            smaller = stored_name.variant(label)
            formats[label] = _format(f"{label}_{name}", smaller, file.mime, version)
            other_parts.append(StoredPart(key=smaller.key, path=version.path, type=file.mime))
        for format_ in other_types(picture, stored_name, rules):
            for label, version in (("", picture), *resized_pictures):
                again = await _in_type(image_workers, version, format_)
                variant_name = _variant_name(
                    stored_name.variant(label) if label else stored_name, format_
                )
                key = f"{label}_{format_}".lstrip("_")
                formats[key] = _format(f"{key}_{name}", variant_name, again.type, again)
                other_parts.append(
                    StoredPart(key=variant_name.key, path=again.path, type=again.type)
                )
    elif file.sniffed_type == SVG:
        width, height = await image_workers.run(svg_size, path)
    size = await asyncio.to_thread(lambda: path.stat().st_size)
    values = {
        "name": name,
        "width": width,
        "height": height,
        "formats": formats or None,
        "hash": stored_name.hash,
        "ext": stored_name.ext,
        "mime": file.mime,
        "size": kilobytes(size),
    }
    return PreparedFile(
        values=values,
        pieces=(StoredPart(key=stored_name.key, path=path, type=file.mime), *other_parts),
    )


async def _in_use(image_workers: ImageWorkers, picture: ImageInfo, rules: ImageRules) -> ImageInfo:
    """Return the stored image, decoded at least once to check it if its type can be decoded."""
    turned = rules.upright and picture.orientation > 1
    if picture.can_be_lighter and (rules.lighter or turned):
        target = picture.path.with_name(f"{picture.path.name}.lighter")
        return await image_workers.run(optimize, picture, target, upright=rules.upright)
    if picture.is_decoded and not (picture.has_variants and rules.other_sizes):
        await image_workers.run(require_whole, picture)
    return picture


async def _other_sizes(
    image_workers: ImageWorkers, picture: ImageInfo, rules: ImageRules
) -> list[tuple[str, ImageInfo]]:
    if not picture.has_variants:
        return []
    boxes = [THUMBNAIL]
    if rules.other_sizes:
        boxes += [(label, (side, side)) for label, side in rules.boxes.items()]
    requests = [
        (label, box) for label, box in boxes if not fits((picture.width, picture.height), box)
    ]
    versions = await asyncio.gather(
        *(
            image_workers.run(
                shrink,
                picture,
                picture.path.with_name(f"{picture.path.name}.{label}"),
                width=box[0],
                height=box[1],
            )
            for label, box in requests
        )
    )
    return [(label, version) for (label, _), version in zip(requests, versions, strict=True)]


def other_types(picture: ImageInfo, stored_name: StoredName, rules: ImageRules) -> list[str]:
    """Return the additional types that an image is stored in; none for animations.

    The type of the extension in the image's URL is left out, whatever its present content.
    """
    if not picture.has_variants or picture.pages > 1:
        return []
    ends = stored_name.ext.lower()
    return [
        name for name in rules.variants if ends != f".{name}" and picture.type != f"image/{name}"
    ]


async def _in_type(image_workers: ImageWorkers, version: ImageInfo, format_: str) -> ImageInfo:
    target = version.path.with_name(f"{version.path.name}.{format_}")
    return await image_workers.run(recode, version, target, format_=format_)


def _variant_name(stored_name: StoredName, format_: str) -> StoredName:
    """Return the storage name of an image in another type."""
    return StoredName(stored_name.hash, f".{format_}")


def _format(name: str, stored_name: StoredName, mime: str, version: ImageInfo) -> dict[str, Any]:
    size = version.path.stat().st_size
    return {
        "name": name,
        "hash": stored_name.hash,
        "ext": stored_name.ext,
        "mime": mime,
        "path": None,
        "width": version.width,
        "height": version.height,
        "size": kilobytes(size),
        "sizeInBytes": size,
    }
