"""Validates the documents of content files against the schema.

This module checks locales, statuses, and where values are placed. The values of each entry are
checked in `entries`.
"""

from collections.abc import Iterator

from quire.schema.attributes.base import RelationAttribute
from quire.schema.model import ContentType
from quire.seeding.content import ContentProblem, Status
from quire.seeding.entries import EntryCheck, Fault, KnownTargets
from quire.seeding.source import DocumentSource


class DocumentCheck:
    """Checks documents, one after the other, and remembers unique values."""

    def __init__(self, known: KnownTargets) -> None:
        """``known`` are the targets that values may refer to."""
        self._known = known
        self._entries = EntryCheck(known)

    def problems(self, source: DocumentSource) -> Iterator[ContentProblem]:
        """List every error of one document."""
        frame = [*_frame_problems(self._known, source)]
        found = frame or [*_placement_problems(source), *self._value_problems(source)]
        for path, message in dict.fromkeys(found):
            yield ContentProblem(source.file, path, message)

    def _value_problems(self, source: DocumentSource) -> Iterator[Fault]:
        for version in source.document().versions:
            if version.published is not None:
                yield from self._entries.problems(source, version, version.published, draft=False)
            # The draft of an unmodified published entry has no other errors.
            if version.draft is not None and version.status is not Status.PUBLISHED:
                yield from self._entries.problems(source, version, version.draft, draft=True)


def _frame_problems(known: KnownTargets, source: DocumentSource) -> Iterator[Fault]:
    """Check locales and statuses."""
    content_type, item = source.content_type, source.item
    if not content_type.localized and item.locales is not None:
        yield source.at("locales"), f"{content_type.uid} is not localized"
        return
    if content_type.localized and not item.locales:
        yield source.at("locales"), f"{content_type.uid} is localized: name at least one locale"
        return
    if content_type.localized and item.draft:
        yield source.at("draft"), "belongs into a locale"
    for locale, version in source.items().items():
        inner = "" if locale is None else f"locales.{locale}."
        if locale is not None and locale not in known.locales:
            yield source.at(f"locales.{locale}"), "is not in the manifest"
        status = version.status or item.status
        message = _status_problem(content_type, status, changed=bool(version.draft))
        if message is not None:
            yield source.at(f"{inner}status"), message
        twice = sorted(item.data.keys() & version.data.keys())
        for name in twice if locale is not None else ():
            yield source.at(f"{inner}data.{name}"), "is in the data of the document, too"


def _status_problem(
    content_type: ContentType, status: Status | None, *, changed: bool
) -> str | None:
    if not content_type.draft_and_publish:
        if status is not None:
            return f"{content_type.uid} is without draft & publish"
        return "only a modified version has changes in draft" if changed else None
    if status is None:
        return f"expected one of {', '.join(Status)}"
    if (status is Status.MODIFIED) != changed:
        return "a modified version, and no other, has changes in draft"
    return None


def _placement_problems(source: DocumentSource) -> Iterator[Fault]:
    """Check that shared values are in the document, and the others in a locale."""
    if not source.content_type.localized:
        return
    for name in source.item.data:
        attribute = source.content_type.attributes.get(name)
        shared = not source.belongs_to_locale(name) or isinstance(attribute, RelationAttribute)
        if not shared:
            yield source.at(f"data.{name}"), "is localized: it belongs into the locales"
    for locale, version in source.items().items():
        for part, values in (("data", version.data), ("draft", version.draft)):
            for name in values:
                if name in source.content_type.attributes and not source.belongs_to_locale(name):
                    path = source.at(f"locales.{locale}.{part}.{name}")
                    yield path, "is not localized: it belongs into the data of the document"
