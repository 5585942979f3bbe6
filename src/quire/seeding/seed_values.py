"""The content of content files, as values.

This module does not know rows. Values have the form of the files: a relation is the key of a
document, media is the name of a file, a time is an ISO string. They are converted to ids when they
are stored.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from quire.errors import SchemaProblem, SeedingError, list_problems

Values = Mapping[str, object]
"""Values by attribute, as JSON."""

MANIFEST = "manifest.json"
MEDIA_FOLDER = "media"


class Status(StrEnum):
    """The status of a version: a draft, published, or modified."""

    DRAFT = "draft"
    PUBLISHED = "published"
    MODIFIED = "modified"


class Locale(Struct, frozen=True):
    """A language that content is in."""

    code: str
    name: str


class SeedMediaFile(Struct, frozen=True, kw_only=True):
    """A file for the media library; ``name`` is its key in values."""

    name: str
    path: Path
    alternative_text: str | None = None
    caption: str | None = None


class DocumentVersion(Struct, frozen=True, kw_only=True):
    """A document in one locale; ``locale`` is ``None`` when its content type is not localized.

    ``status`` is ``None`` without draft & publish. ``changes`` are the values of a modified draft
    that differ from ``values``.
    """

    locale: str | None
    status: Status | None
    values: Values
    changes: Values

    @property
    def draft(self) -> Values | None:
        """The values of the draft; ``None`` without draft & publish."""
        return None if self.status is None else {**self.values, **self.changes}

    @property
    def published(self) -> Values | None:
        """The published values (all of them without draft & publish), if any."""
        return None if self.status is Status.DRAFT else self.values

    def entries(self) -> Iterator[Values]:
        """Iterate over the values of every entry of this version."""
        yield from (values for values in (self.draft, self.published) if values is not None)


class SeedDocument(Struct, frozen=True, kw_only=True):
    """A document, named by ``key`` within its content type; the default locale comes first."""

    content_type: str
    key: str
    versions: tuple[DocumentVersion, ...]

    def version(self, locale: str | None) -> DocumentVersion | None:
        """Return the version of a locale, ``None`` when there is none."""
        return next((version for version in self.versions if version.locale == locale), None)


class Content(Struct, frozen=True, kw_only=True):
    """All content.

    ``locales`` begins with the default locale; ``documents`` are in an order in which each comes
    after those that it refers to. ``public`` are the actions of the public role.
    """

    locales: tuple[Locale, ...]
    media: tuple[SeedMediaFile, ...]
    documents: tuple[SeedDocument, ...]
    public: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many documents and files there are."""
        return len(self.media) + len(self.documents)


class ContentProblem(SchemaProblem, frozen=True, order=True):
    """One error of the content files."""


class ContentError(SeedingError):
    """Content files with errors; ``problems`` lists all of them, and nothing was stored."""

    def __init__(self, problems: Sequence[ContentProblem]) -> None:
        """``problems`` is not empty."""
        self.problems = tuple(problems)
        super().__init__(list_problems(self.problems, "the content files"))
