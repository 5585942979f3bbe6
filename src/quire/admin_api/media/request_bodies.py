"""Request bodies about files and folders."""

import re
from collections.abc import Iterator
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from quire.admin_api.response_types import FreeObject
from quire.content_api.body_decoding import RequestBody
from quire.content_api.validators import (
    MaxLength,
    MinLength,
    Range,
    Rule,
    ValuePath,
    id_of,
    problem_at,
    required,
)
from quire.document_service.validate.problems import Problem, path_of
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.uploads.stored_settings import SORTS

_LONGEST_NAME = 255
_SLASH, _EDGES = re.compile(r"[^/]+"), re.compile(r"\S(.*\S)?", re.DOTALL)
MAX_IDS = 1000
DESTINATION_REQUIRED = "destinationFolderId must be defined"


class Parent(Struct, frozen=True):
    """The id of a folder, or null; ``invalid_message`` is called for an invalid one.

    ``required_message`` is called if there is no value.
    """

    invalid_message: str
    required_message: str | None = None

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is ABSENT:
            if self.required_message is not None:
                yield Problem(path_of(path), self.required_message)
        elif value is not None and (isinstance(value, bool | float) or id_of(value) is None):
            yield Problem(path_of(path), self.invalid_message, value)


class Number(Struct, frozen=True, kw_only=True):
    """A number."""

    rules: tuple[Rule, ...] = ()

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        is_invalid = isinstance(value, bool) or not isinstance(value, int | float)
        if value is not ABSENT and is_invalid:
            yield problem_at(path, not_of_type("number", value), value)
            return
        for rule in self.rules:
            message = rule(value)
            if message is not None:
                yield problem_at(path, message)


class Choice(Struct, frozen=True, kw_only=True):
    """One of some texts, or nothing."""

    choices: tuple[str, ...]

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Shape.problems`."""
        if value is not ABSENT and value not in self.choices:
            choices = ", ".join(self.choices)
            yield problem_at(path, f"must be one of the following values: {choices}", value)


def no_slashes(value: object) -> str | None:
    """Require a text without slashes."""
    is_invalid = isinstance(value, str) and not _SLASH.fullmatch(value)
    return "cannot contain slashes" if is_invalid else None


def no_spaces_around(value: object) -> str | None:
    """Require a text without surrounding spaces."""
    is_invalid = isinstance(value, str) and not _EDGES.fullmatch(value)
    return "cannot start or end with a whitespace" if is_invalid else None


_Name = Annotated[str, MinLength(1), no_slashes, no_spaces_around, MaxLength(_LONGEST_NAME)]
_ParentId = Annotated[int | str | None, Parent("parent folder does not exist")]
_Ids = Annotated[
    list[object], Range(0, MAX_IDS), Meta(extra_json_schema={"items": {"type": "integer"}})
]


class NewFolder(RequestBody):
    """A new folder; without a parent it is at the root."""

    name: _Name
    parent: _ParentId = None


class FolderChange(RequestBody):
    """A new name of a folder, or a new parent."""

    name: _Name | UnsetType = UNSET
    parent: _ParentId | UnsetType = UNSET


class FileDeletion(RequestBody):
    """Files, and folders with everything in them."""

    file_ids: _Ids | UnsetType = UNSET
    folder_ids: _Ids | UnsetType = UNSET


class FileMove(FileDeletion):
    """Files and folders, and their target folder; ``null`` is the root."""

    destination_folder_id: (
        Annotated[
            int | str | None, Parent("destination folder does not exist", DESTINATION_REQUIRED)
        ]
        | UnsetType
    ) = UNSET


class FileUpdate(RequestBody, forbid_unknown_fields=False):
    """The metadata of a file."""

    id: Annotated[int | float, Number(rules=(required,))]
    file_info: FreeObject


class FileUpdates(RequestBody, forbid_unknown_fields=False):
    """The metadata of several files."""

    updates: Annotated[list[FileUpdate], Range(1, MAX_IDS)]


class LibraryOptions(RequestBody, forbid_unknown_fields=False):
    """How uploaded files are processed; ``aiMetadata`` is stored, and has no effect."""

    size_optimization: bool
    responsive_dimensions: bool
    auto_orientation: bool | UnsetType = UNSET
    ai_metadata: bool | UnsetType = UNSET


class LibraryView(RequestBody, forbid_unknown_fields=False):
    """The view of the list of files."""

    page_size: Annotated[int | float, Number(rules=(required,))]
    sort: Annotated[str, Choice(choices=SORTS)] | UnsetType = UNSET


class FileDescription(RequestBody, forbid_unknown_fields=False):
    """The metadata of a file."""

    file_info: FreeObject | UnsetType = UNSET


class UploadForm(Struct, rename="camel"):
    """A form with files."""

    files: bytes | list[bytes]
    file_info: (
        Annotated[str, Meta(description="What is said of the files, as JSON.")] | UnsetType
    ) = UNSET


class MediaFile(Struct, rename="camel", kw_only=True):
    """A file of the media library."""

    id: int
    document_id: str | UnsetType = UNSET
    name: str
    alternative_text: str | UnsetType | None = UNSET
    caption: str | UnsetType | None = UNSET
    url: str
    mime: str
    size: float | UnsetType = UNSET
    width: int | UnsetType | None = UNSET
    height: int | UnsetType | None = UNSET
    formats: FreeObject | UnsetType | None = UNSET


class MediaFolder(Struct, rename="camel", kw_only=True):
    """A folder of the media library."""

    id: int
    document_id: str | UnsetType = UNSET
    name: str
    path_id: int | UnsetType = UNSET
    path: str | UnsetType = UNSET
