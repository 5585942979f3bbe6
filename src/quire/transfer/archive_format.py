"""The members of an export archive, and the lines of its files, as types.

An archive is a tar file, optionally compressed by gzip, then optionally encrypted. Its members:

- ``metadata.json``: when and by which version it was written
- ``schemas/schemas_00001.jsonl``: the schema of each content type and component
- ``entities/entities_00001.jsonl``: one row of a content type per line, components nested in it
- ``links/links_00001.jsonl``: one relation between two rows per line, media included
- ``configuration/configuration_00001.jsonl``: settings of the core store, and webhooks
- ``assets/uploads/NAME`` and ``assets/metadata/NAME.json``: a file and what is known of it
"""

import os
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

METADATA = "metadata.json"
UPLOADS_FOLDER = "assets/uploads"
ASSET_METADATA_FOLDER = "assets/metadata"

MAX_PART_CHARACTERS = 256_000_000
"""The maximum number of characters in a file of a stage, as in Strapi's exports."""

PART_NAME = re.compile(
    r"(?P<stage>schemas|entities|links|configuration)/(?P=stage)_[0-9]{5}\.jsonl"
)
_ASSET_NAME = re.compile(r"[^/\\\x00-\x1f]+")
_MAX_NAME_BYTES = 255


class ArchiveStage(StrEnum):
    """The folders of an archive that contain lines."""

    SCHEMAS = "schemas"
    ENTITIES = "entities"
    LINKS = "links"
    CONFIGURATION = "configuration"


def part_name(stage: ArchiveStage, number: int) -> str:
    """Return the path of a numbered file of a stage in the archive; numbers begin at 1."""
    return f"{stage}/{stage}_{number:05}.jsonl"


def is_asset_name(name: str) -> bool:
    """Tell whether a text is a valid name of an uploaded file: no path, and not hidden."""
    is_short = len(os.fsencode(name)) <= _MAX_NAME_BYTES
    return is_short and _ASSET_NAME.fullmatch(name) is not None and not name.startswith(".")


class StrapiVersion(Struct, frozen=True):
    """The version of Strapi that wrote an archive, or can read one of ours."""

    version: str = ""


class ArchiveMetadata(Struct, frozen=True, rename="camel"):
    """The file ``metadata.json``."""

    created_at: str = ""
    strapi: StrapiVersion = field(default_factory=StrapiVersion)


class EntityLine(Struct, frozen=True):
    """A row: its values by attribute, components nested, without relations and media."""

    type: str
    id: int
    data: dict[str, Any]


class LinkEnd(Struct, frozen=True):
    """One side of a relation: a row, its attribute, and its position among the attribute's rows."""

    type: str
    ref: int | str
    field: str | None = None
    pos: float | None = None


class LinkLine(Struct, frozen=True):
    """A relation between two rows; ``left`` is the side that owns it.

    ``kind`` is ``relation.basic``, ``relation.circular`` (to the same type) or ``relation.morph``
    (polymorphic), ``relation`` the type of the relation, such as ``oneToMany``.
    """

    kind: str
    relation: str
    left: LinkEnd
    right: LinkEnd


class ConfigurationLine(Struct, frozen=True):
    """A setting (``core-store``) or a webhook (``webhook``) with its columns."""

    type: str
    value: Mapping[str, Any]


class AssetMetadata(Struct, frozen=True, rename="camel"):
    """The metadata of a file: the row of the media library, or one of its formats.

    ``id`` is the id of the row, ``type`` the name of the format; the file of the row itself has
    none. ``main_hash`` is the hash of the row's own file.
    """

    id: int | str
    hash: str
    ext: str | None = None
    mime: str | None = None
    type: str | None = None
    main_hash: str | None = None
