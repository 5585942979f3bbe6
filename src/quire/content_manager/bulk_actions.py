"""Publishes, unpublishes or deletes several documents in one transaction."""

from collections import Counter
from collections.abc import Sequence

from quire.access.admin_actions import DELETE, PUBLISH
from quire.content_manager.entry_status import DocumentVersions, EntryJson, is_published
from quire.content_manager.review.entry_stages import entry_review
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.write_context import WriteContext
from quire.database.program import Program
from quire.document_service.commands import PublishDocument, UnpublishDocument
from quire.document_service.service import run_commands, run_together
from quire.errors import NotFoundError


class BulkActions(WriteContext, frozen=True):
    """Programs that publish, unpublish or delete several documents."""

    def publish(self, document_ids: Sequence[str], locales: Sequence[str | None]) -> Program[int]:
        """Publish the drafts of documents in some locales; returns how many entries.

        All of them or none: raises ForbiddenError if one may not be published, and ValidationError
        for one that its workflow does not allow in its stage.
        """
        drafts = yield from self._checked_versions(document_ids, locales, published=False)
        review = entry_review(self.unit.engine)
        # Rows of types that have lost their locales may still have one.
        is_localized = self._type.localized
        entries = [
            (draft["documentId"], draft["locale"] if is_localized else None) for draft in drafts
        ]
        yield from review.require_publishable(self._type.uid, entries)
        locale_codes = tuple(code for code in locales if code is not None)
        draft_ids = {draft["documentId"] for draft in drafts}
        commands = [
            PublishDocument(uid=self._type.uid, document_id=document_id, locales=locale_codes)
            for document_id in dict.fromkeys(id_ for id_ in document_ids if id_ in draft_ids)
        ]

        if (yield from self.perform_in_bulk(commands)) is None:
            yield from run_together(
                self.unit, [(command, self.perform(command)) for command in commands]
            )
        return len(drafts)

    def unpublish(self, document_ids: Sequence[str], locales: Sequence[str | None]) -> Program[int]:
        """Unpublish documents in some locales; returns a count.

        As in Strapi, each entry counts for every entry of its document among them.
        """
        published_versions = yield from self._checked_versions(
            document_ids, locales, published=True
        )
        commands = [
            UnpublishDocument(
                uid=self._type.uid, document_id=version["documentId"], locale=version["locale"]
            )
            for version in published_versions
        ]
        yield from run_commands(self.unit, commands)
        entries = Counter(version["documentId"] for version in published_versions)
        return sum(count * count for count in entries.values())

    def delete(self, document_ids: Sequence[str], locale: str | None) -> Program[int]:
        """Delete documents in one locale; returns how many there were.

        Raises NotFoundError if there is none.
        """
        yield from self.require_locales([locale])
        all_versions = yield from self._reading.owned_versions(self.permissions, document_ids)
        versions_in_locale = [version for version in all_versions if self._is_in(version, locale)]
        if not versions_in_locale:
            raise NotFoundError
        for version in versions_in_locale:
            self._permissions_for(DELETE).require_on(entry_origin(version))
        ids = list(dict.fromkeys(version["documentId"] for version in versions_in_locale))
        documents = DocumentVersions(self._type, all_versions)
        removals = []
        for document_id in ids:
            versions = documents.all_versions(document_id)
            command = self.removal(document_id, locale)
            removals.append((command, self.remove(command, versions, locale)))
        yield from run_together(self.unit, removals)
        return len(ids)

    def _checked_versions(
        self,
        document_ids: Sequence[str],
        locales: Sequence[str | None],
        *,
        published: bool,
    ) -> Program[list[EntryJson]]:
        """Return the versions of documents in some locales, if all may be published."""
        yield from self.require_locales(locales)
        all_versions = yield from self._reading.owned_versions(self.permissions, document_ids)
        # As in Strapi, it is no error if there is nothing to unpublish.
        if all_versions or not published:
            self._require_drafts()
        versions = [
            version
            for version in all_versions
            if is_published(version) is published
            and any(self._is_in(version, code) for code in locales)
        ]
        for version in versions:
            self._permissions_for(PUBLISH).require_on(entry_origin(version))
        return versions
