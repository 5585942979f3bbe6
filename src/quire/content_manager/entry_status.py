"""The status of entries: draft, published, or modified.

All versions of the documents of a response are read at once, with no query per row.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from quire.schema.model import DRAFT_STATUS, PUBLISHED_STATUS, ContentType

MODIFIED_STATUS = "modified"

EntryJson = dict[str, Any]
"""An entry in its response form, by attribute."""

LOCALIZATION = ("id", "documentId", "locale", "publishedAt", "updatedAt")
"""The fields of localizations."""


def in_locale_order(versions: Iterable[EntryJson]) -> list[EntryJson]:
    """Return versions by locale, older ones first."""
    return sorted(versions, key=lambda version: (str(version["locale"]), version["id"]))


def in_short(version: EntryJson) -> EntryJson:
    """Return the summary of a localization in a list."""
    return {name: version[name] for name in LOCALIZATION}


class DocumentVersions:
    """All versions of some documents."""

    def __init__(self, content_type: ContentType, versions: Iterable[EntryJson]) -> None:
        self._type = content_type
        self._of: dict[str, list[EntryJson]] = {}
        for version in versions:
            self._of.setdefault(version["documentId"], []).append(version)

    def all_versions(self, document_id: str) -> Sequence[EntryJson]:
        """Return all versions of a document."""
        return self._of.get(document_id, ())

    def summaries(self, entry: Mapping[str, Any]) -> list[EntryJson]:
        """Return the summaries of the localizations of an entry, with the status of each."""
        return [
            {**in_short(localization), "status": self.status(localization)}
            for localization in self.localizations(entry)
        ]

    def status(self, entry: Mapping[str, Any]) -> str:
        """Return the status of an entry: draft, published, or modified.

        Entries without drafts are always published.
        """
        if not self._type.draft_and_publish:
            return PUBLISHED_STATUS
        other = next(
            (
                version
                for version in self.all_versions(entry["documentId"])
                if version["locale"] == entry["locale"]
                and is_published(version) is not is_published(entry)
            ),
            None,
        )
        if other is None:
            return PUBLISHED_STATUS if is_published(entry) else DRAFT_STATUS
        draft, published = (other, entry) if is_published(entry) else (entry, other)
        # Shared attributes are published in all locales: then the draft is the older one.
        # Rows that other programs have inserted may have no time.
        is_modified = (draft["updatedAt"] or "") > (published["updatedAt"] or "")
        return MODIFIED_STATUS if is_modified else PUBLISHED_STATUS

    def localizations(self, entry: Mapping[str, Any]) -> list[EntryJson]:
        """Return the other locales of an entry's document, in the same version."""
        if not self._type.localized:
            return []
        versions = [
            version
            for version in self._other_locales(entry)
            if is_published(version) is is_published(entry) or not self._type.draft_and_publish
        ]
        return in_locale_order(versions)

    def other_locales(
        self, document_id: str, locale: str | None, default_locale: str | None
    ) -> list[EntryJson]:
        """Return the versions of a document in other locales: its draft, if there is one.

        The default locale comes first.
        """
        if not self._type.localized:
            return []
        versions_by_locale: dict[str, EntryJson] = {}
        for version in self._other_locales({"documentId": document_id, "locale": locale}):
            code = str(version["locale"])
            if code not in versions_by_locale or not is_published(version):
                versions_by_locale[code] = version
        return [
            versions_by_locale[code]
            for code in sorted(versions_by_locale, key=lambda code: (code != default_locale, code))
        ]

    def other_versions(self, entry: Mapping[str, Any]) -> list[EntryJson]:
        """Return the other version of an entry in its locale, if there is one."""
        return [
            version
            for version in self.all_versions(entry["documentId"])
            if version["locale"] == entry["locale"] and version["id"] != entry["id"]
        ]

    def _other_locales(self, entry: Mapping[str, Any]) -> Iterator[EntryJson]:
        for version in self.all_versions(entry["documentId"]):
            if version["locale"] != entry["locale"]:
                yield version


def is_published(version: Mapping[str, Any]) -> bool:
    """Tell whether a version is the published one of its document."""
    return version["publishedAt"] is not None
