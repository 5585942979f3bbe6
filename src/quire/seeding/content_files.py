"""The format of content files: keys and types.

The items of a list are decoded one by one, so that an error in one document does not hide those of
the next.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from quire.seeding.seed_values import ContentProblem, Status

Name = Annotated[str, msgspec.Meta(min_length=1)]
JsonObject = dict[str, Any]
T = TypeVar("T")


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The base of all objects in content files: unknown keys are errors."""


class LocaleItem(_File, frozen=True):
    """A locale of the manifest."""

    code: Name
    name: Name
    default: bool = False


class DocumentsItem(_File, frozen=True):
    """A group of the manifest: the files of one content type."""

    content_type: Name
    files: tuple[Name, ...]


class ManifestFile(_File, frozen=True):
    """The manifest."""

    locales: tuple[LocaleItem, ...]
    documents: tuple[DocumentsItem, ...]
    media: Name | None = None
    public: tuple[Name, ...] = ()


class MediaItem(_File, frozen=True):
    """An item of the list of media files."""

    file: Name
    alternative_text: str | None = None
    caption: str | None = None


class VersionItem(_File, frozen=True):
    """A locale of a document."""

    data: JsonObject = {}
    draft: JsonObject = {}
    status: Status | None = None


class DocumentItem(_File, frozen=True):
    """A document; without ``locales`` it is its own only version."""

    key: Name
    data: JsonObject = {}
    draft: JsonObject = {}
    status: Status | None = None
    locales: dict[str, VersionItem] | None = None


class ContentFiles:
    """Decodes the files of one folder and collects their errors."""

    def __init__(self, folder: Path) -> None:
        """``problems`` grows with every call."""
        self.folder = folder
        self.problems: list[ContentProblem] = []

    def decode_object(self, file: str, type_: type[T]) -> T | None:
        """Decode a file that contains one object, or record why that is impossible."""
        raw = self._read(file)
        return None if raw is None else self._decode(file, "", raw, type_)

    def decode_all(self, file: str, type_: type[T]) -> Iterator[tuple[str, T]]:
        """Decode a file that contains one object or a list of them, with their JSON paths."""
        raw = self._read(file)
        if raw is None:
            return
        if not raw.lstrip().startswith(b"["):
            value = self._decode(file, "", raw, type_)
            if value is not None:
                yield "", value
            return
        for index, item in enumerate(self._decode(file, "", raw, list[msgspec.Raw]) or ()):
            value = self._decode(file, f"[{index}]", bytes(item), type_)
            if value is not None:
                yield f"[{index}]", value

    def matching(self, pattern: str) -> list[str]:
        """Return the files of a pattern in the order of their names."""
        if pattern.startswith("/") or ".." in Path(pattern).parts:
            return []
        paths = (path for path in self.folder.glob(pattern) if path.is_file())
        return sorted(path.relative_to(self.folder).as_posix() for path in paths)

    def problem(self, file: str, path: str, message: str) -> None:
        """Record an error."""
        self.problems.append(ContentProblem(file, path, message))

    def _read(self, file: str) -> bytes | None:
        try:
            return (self.folder / file).read_bytes()
        except OSError as error:
            self.problem(file, "", f"cannot be read: {error.strerror}")
            return None

    def _decode(self, file: str, path: str, raw: bytes, type_: type[T]) -> T | None:
        try:
            return msgspec.json.decode(raw, type=type_)
        except msgspec.ValidationError as error:
            message, _, error_path = str(error).partition(" - at `$")
            self.problem(file, f"{path}{error_path.removesuffix('`')}".removeprefix("."), message)
        except msgspec.DecodeError as error:
            self.problem(file, path, f"is not JSON: {error}")
        except UnicodeDecodeError:
            self.problem(file, path, "is not UTF-8 text")
        except RecursionError:
            self.problem(file, path, "is nested too deeply")
        return None
