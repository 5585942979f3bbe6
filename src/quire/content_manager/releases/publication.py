"""Publishes a release: all of its items in one transaction, or none of them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import PUBLISH
from quire.clock import ms_from_iso
from quire.content_manager.entry_reads import ContentReading, find_version
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions, read_permissions
from quire.content_manager.releases.store import EntryKey, ReleaseItem
from quire.content_manager.review.entry_stages import entry_review
from quire.content_manager.revision_content import revision_data
from quire.content_manager.revisions import RevisionLog, read_whole
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import RequestedVersion
from quire.content_manager.write_context import WriteContext
from quire.database.program import Program
from quire.database.stores.release_snapshots import ReleaseSnapshot
from quire.document_service.commands import PublishDocument, UnpublishDocument
from quire.document_service.service import run_command
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, ConflictError, ForbiddenError, NotFoundError
from quire.schema.model import ContentType

_PUBLICATION_FAILED = "{count} of {all} items cannot be carried out"
_NO_TYPE = "The content type {uid} does not exist, or has no drafts"
_NO_ENTRY = "The entry does not exist any more"
_NOT_ALLOWED = "You may not publish this entry"
_MAX_PROBLEMS = 100
_SERVER_ERROR = 500


class ItemProblem(Struct, frozen=True, kw_only=True, rename="camel"):
    """Why an item cannot be published; ``path`` names the field, if it is one."""

    item_id: int
    message: str
    path: tuple[str, ...] = ()


class ReleaseFailedError(ConflictError):
    """Items of a release cannot be published, so none of them was; ``problems`` says why."""

    def __init__(self, problems: Sequence[ItemProblem], total: int) -> None:
        self.problems = tuple(problems)
        failed = len({problem.item_id for problem in problems})
        first_problems = [msgspec.to_builtins(problem) for problem in problems[:_MAX_PROBLEMS]]
        super().__init__(
            _PUBLICATION_FAILED.format(count=failed, all=total), {"problems": first_problems}
        )


class ReleaseTriedError(Exception):
    """Rolls back a transaction in which a release was only checked; has the problems."""

    def __init__(self, problems: Sequence[ItemProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("only tried")


class ReleasePublication(Struct, frozen=True):
    """Publishes and unpublishes entries for one administrator, under their permissions."""

    unit: UnitOfWork
    ability: AdminAbility
    history: RevisionLog

    @property
    def reading(self) -> ContentReading:
        """The reads of entries."""
        return ContentReading(self.unit.engine)

    def carry_out(
        self, release_id: int, items: Sequence[ReleaseItem]
    ) -> Program[list[ReleaseSnapshot]]:
        """Publish a release; returns the former public state, entry by entry.

        Raises ReleaseFailedError with all problems if one of the items cannot be published.
        """
        former_data, problems = yield from self._apply_items(items)
        if problems:
            raise ReleaseFailedError(problems, len(items))
        versions = yield from self.versions([item.entry for item in items])
        return [
            ReleaseSnapshot(
                release_id=release_id,
                uid=entry.uid,
                document_id=entry.document_id,
                locale=entry.locale,
                published_at=published_moment(self.live_version(versions, entry)),
                data=data,
            )
            for entry, data in former_data.items()
        ]

    def attempt(self, items: Sequence[ReleaseItem]) -> Program[None]:
        """Publish a release on trial, and roll back. Raises ReleaseTriedError with the problems."""
        _, problems = yield from self._apply_items(items)
        raise ReleaseTriedError(problems)

    def _apply_items(
        self, items: Sequence[ReleaseItem]
    ) -> Program[tuple[dict[EntryKey, str | None], list[ItemProblem]]]:
        """Publish items in order, each within a savepoint, and continue after those that fail.

        All problems are found in one attempt. Later items see the effects of earlier ones: an entry
        may require a relation to one that the same release publishes.
        """
        versions = yield from self.versions([item.entry for item in items])
        former_data: dict[EntryKey, str | None] = {}
        problems: list[ItemProblem] = []
        for item in items:

            def act(item: ReleaseItem = item) -> Program[str | None]:
                return (yield from self._apply_item(item, versions))

            unit = self.unit
            try:
                former_data[item.entry] = yield from unit.nested(
                    act, as_system=unit.is_system, causes=unit.causes
                )
            except AppError as error:
                if error.status >= _SERVER_ERROR:
                    # The database is unavailable, or code failed: no problem of the item.
                    raise
                problems += _problems_of(item, error)
        return former_data, problems

    def _apply_item(
        self, item: ReleaseItem, versions_by_key: Mapping[EntryKey, Sequence[EntryJson]]
    ) -> Program[str | None]:
        """Apply one item; returns the former published version of the entry."""
        entry = item.entry
        permissions = self.permissions(entry)
        versions = versions_by_key[entry]
        if not versions:
            raise NotFoundError(_NO_ENTRY)
        draft = self._version(permissions.content_type, versions, "draft", entry.locale)
        published = self._version(permissions.content_type, versions, "published", entry.locale)
        version = draft or published
        if version is None:
            raise NotFoundError(_NO_ENTRY)
        self.require_publish(permissions, version)
        former_data = (
            None if published is None else (yield from self.content(permissions, published))
        )
        if item.action == "publish":
            review = entry_review(self.unit.engine)
            yield from review.require_publishable(entry.uid, entry.document_id, entry.locale)
            yield from self.publish(entry)
        elif published is not None:
            yield from self.unpublish(entry)
        return former_data

    def publish(self, entry: EntryKey) -> Program[None]:
        """Publish the draft of an entry, and record a revision."""
        command = PublishDocument(uid=entry.uid, document_id=entry.document_id, locale=entry.locale)
        yield from WriteContext(self.unit, self.permissions(entry), self.history).perform(command)

    def unpublish(self, entry: EntryKey) -> Program[None]:
        """Unpublish an entry."""
        command = UnpublishDocument(
            uid=entry.uid, document_id=entry.document_id, locale=entry.locale
        )
        yield from run_command(self.unit, command)

    def permissions(self, entry: EntryKey) -> TypePermissions:
        """Return the permissions to read entries of a type. Raises NotFoundError without drafts."""
        content_type = self.unit.engine.schema.content_types.get(entry.uid)
        if content_type is None or not content_type.draft_and_publish:
            raise NotFoundError(_NO_TYPE.format(uid=entry.uid))
        return read_permissions(self.ability, content_type)

    def require_publish(self, permissions: TypePermissions, version: EntryJson) -> None:
        """Check that an entry may be published. Raises ForbiddenError."""
        if not replace(permissions, action=PUBLISH).rules_for_entry(entry_origin(version)):
            raise ForbiddenError(_NOT_ALLOWED)

    def content(self, permissions: TypePermissions, version: EntryJson) -> Program[str]:
        """Return the whole content of a version as JSON, in the form of revisions."""
        published = version["publishedAt"] is not None
        entry = yield from read_whole(self.reading, permissions, version["id"], published=published)
        data = revision_data(self.unit.engine.schema, permissions.content_type, entry)
        return msgspec.json.encode(data).decode()

    def versions(self, entries: Iterable[EntryKey]) -> Program[dict[EntryKey, list[EntryJson]]]:
        """Return the versions of the documents of entries, with one read per content type."""
        entry_keys = list(dict.fromkeys(entries))
        versions_by_entry: dict[EntryKey, list[EntryJson]] = {entry: [] for entry in entry_keys}
        schema = self.unit.engine.schema
        for uid in dict.fromkeys(entry.uid for entry in entry_keys):
            if uid not in schema.content_types:
                continue
            type_entries = [entry for entry in entry_keys if entry.uid == uid]
            permissions = read_permissions(self.ability, schema.content_types[uid])
            ids = list(dict.fromkeys(entry.document_id for entry in type_entries))
            versions_by_document: dict[str, list[EntryJson]] = {}
            for version in (yield from self.reading.owned_versions(permissions, ids)):
                versions_by_document.setdefault(version["documentId"], []).append(version)
            versions_by_entry |= {
                entry: versions_by_document.get(entry.document_id, []) for entry in type_entries
            }
        return versions_by_entry

    def live_version(
        self, versions: Mapping[EntryKey, Sequence[EntryJson]], entry: EntryKey
    ) -> EntryJson | None:
        """Return the published version of an entry."""
        content_type = self.unit.engine.schema.content_types.get(entry.uid)
        if content_type is None:
            return None
        return self._version(content_type, versions[entry], "published", entry.locale)

    def draft_version(
        self, versions: Mapping[EntryKey, Sequence[EntryJson]], entry: EntryKey
    ) -> EntryJson | None:
        """Return the draft of an entry."""
        content_type = self.unit.engine.schema.content_types[entry.uid]
        return self._version(content_type, versions[entry], "draft", entry.locale)

    @staticmethod
    def _version(
        content_type: ContentType, versions: Sequence[EntryJson], status: str, locale: str | None
    ) -> EntryJson | None:
        requested_version = RequestedVersion(
            "published" if status == "published" else "draft", locale
        )
        return find_version(content_type, [*versions], requested_version)


def published_moment(version: EntryJson | None) -> int | None:
    """Return when a version was published, in epoch milliseconds."""
    return None if version is None else ms_from_iso(version["publishedAt"])


def _problems_of(item: ReleaseItem, error: AppError) -> Iterable[ItemProblem]:
    """Return the problems that an error lists, or the error itself."""
    errors = (error.details or {}).get("errors")
    for problem in errors if isinstance(errors, list) else [{"path": [], "message": error.message}]:
        path = tuple(str(step) for step in problem.get("path", ()))
        yield ItemProblem(item_id=item.id, message=str(problem["message"]), path=path)
