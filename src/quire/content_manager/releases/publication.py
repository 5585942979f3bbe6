"""Publishes a release: all of its items in one transaction, or none of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility
from quire.access.admin_actions import PUBLISH
from quire.clock import ms_from_iso
from quire.content_manager.entry_reads import EntryReader, find_version
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import TypePermissions, read_permissions
from quire.content_manager.releases.store import EntryKey, ReleaseItem
from quire.content_manager.review.entry_stages import entry_review
from quire.content_manager.revisions import RevisionLog, read_all_whole, revision_text
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import RequestedVersion
from quire.content_manager.write_context import WriteContext
from quire.database.program import Program
from quire.database.stores.release_snapshots import ReleaseSnapshot
from quire.document_service.commands import PublishDocument, UnpublishDocument
from quire.document_service.service import run_command, run_in_bulk
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, ConflictError, ForbiddenError, NotFoundError
from quire.schema.model import ContentType

_PUBLICATION_FAILED = "{count} of {all} items cannot be carried out"
_NO_TYPE = "The content type {uid} does not exist, or has no drafts"
_NO_ENTRY = "The entry does not exist any more"
_NOT_ALLOWED = "You may not publish this entry"
_MAX_PROBLEMS = 100
_SERVER_ERROR = 500
_ENTRIES_AT_ONCE = 100
"""How many whole entries are read by the same statements."""


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


class ReleaseTrialError(Exception):
    """Rolls back a transaction in which a release was published on trial; has the problems."""

    def __init__(self, problems: Sequence[ItemProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("only tried")


class ReleasePublication(Struct, frozen=True):
    """Publishes and unpublishes entries for one administrator, under their permissions."""

    unit: UnitOfWork
    ability: AdminAbility
    history: RevisionLog

    @property
    def reading(self) -> EntryReader:
        """The reads of entries."""
        return EntryReader(self.unit.engine)

    def apply(
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

    def check(self, items: Sequence[ReleaseItem]) -> Program[None]:
        """Publish a release on trial, and roll back. Raises ReleaseTrialError with the problems."""
        _, problems = yield from self._apply_items(items)
        raise ReleaseTrialError(problems)

    def _apply_items(
        self, items: Sequence[ReleaseItem]
    ) -> Program[tuple[dict[EntryKey, str | None], list[ItemProblem]]]:
        """Publish items in order, and continue after those that fail.

        All problems are found in one attempt. Later items see the effects of earlier ones: an entry
        may require a relation to one that the same release publishes. Items of one type are
        published together, unless one of them fails: then each is published within a savepoint.
        """
        versions = yield from self.versions([item.entry for item in items])
        former_data: dict[EntryKey, str | None] = {}
        problems: list[ItemProblem] = []
        for group in _groups(items):
            group_data = yield from self._apply_in_bulk(group, versions)
            if group_data is None:
                group_data, group_problems = yield from self._apply_each(group, versions)
                problems += group_problems
            former_data |= group_data
        return former_data, problems

    def _apply_in_bulk(
        self,
        items: Sequence[ReleaseItem],
        versions_by_key: Mapping[EntryKey, Sequence[EntryJson]],
    ) -> Program[dict[EntryKey, str | None] | None]:
        """Apply items of one action on documents of one type with the same statements.

        Returns their former published versions, or ``None``, with nothing written, if they have to
        be applied one by one.
        """
        is_publishing, uid = items[0].action == "publish", items[0].entry.uid
        entries = [item.entry for item in items]
        try:
            permissions = self.permissions(entries[0])
            published = {
                entry: self._publishable_version(permissions, versions_by_key, entry)
                for entry in entries
            }
            if is_publishing:
                review = entry_review(self.unit.engine)
                yield from review.require_publishable(
                    uid, [(entry.document_id, entry.locale) for entry in entries]
                )
            contents = yield from self.contents(
                permissions, [version for version in published.values() if version is not None]
            )
        except AppError as error:
            _require_problem_of_item(error)
            return None
        if is_publishing:
            done = yield from self.publish_all(entries)
        else:
            done = yield from self.unpublish_all(
                [entry for entry, version in published.items() if version is not None]
            )
        if not done:
            return None
        return {
            entry: None if version is None else contents[version["id"]]
            for entry, version in published.items()
        }

    def _apply_each(
        self,
        items: Sequence[ReleaseItem],
        versions: Mapping[EntryKey, Sequence[EntryJson]],
    ) -> Program[tuple[dict[EntryKey, str | None], list[ItemProblem]]]:
        """Apply items one by one, each within a savepoint; those that fail have problems."""
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
                _require_problem_of_item(error)
                problems += _problems_of(item, error)
        return former_data, problems

    def _apply_item(
        self, item: ReleaseItem, versions_by_key: Mapping[EntryKey, Sequence[EntryJson]]
    ) -> Program[str | None]:
        """Apply one item; returns the former published version of the entry."""
        entry = item.entry
        permissions = self.permissions(entry)
        published = self._publishable_version(permissions, versions_by_key, entry)
        former_data = (
            None if published is None else (yield from self.content(permissions, published))
        )
        if item.action == "publish":
            review = entry_review(self.unit.engine)
            yield from review.require_publishable(entry.uid, [(entry.document_id, entry.locale)])
            yield from self.publish(entry)
        elif published is not None:
            yield from self.unpublish(entry)
        return former_data

    def _publishable_version(
        self,
        permissions: TypePermissions,
        versions_by_key: Mapping[EntryKey, Sequence[EntryJson]],
        entry: EntryKey,
    ) -> EntryJson | None:
        """Return the published version of an entry that may be published or unpublished.

        Raises NotFoundError without any version, and ForbiddenError.
        """
        versions = versions_by_key[entry]
        draft = self._version(permissions.content_type, versions, "draft", entry.locale)
        published = self._version(permissions.content_type, versions, "published", entry.locale)
        version = draft or published
        if version is None:
            raise NotFoundError(_NO_ENTRY)
        self.require_publish(permissions, version)
        return published

    def publish(self, entry: EntryKey) -> Program[None]:
        """Publish the draft of an entry, and record a revision."""
        context = WriteContext(self.unit, self.permissions(entry), self.history)
        yield from context.perform(_publish_command(entry))

    def publish_all(self, entries: Sequence[EntryKey]) -> Program[bool]:
        """Publish entries of one type with the same statements, and record revisions.

        Returns false, with nothing written, if they have to be published one by one.
        """
        context = WriteContext(self.unit, self.permissions(entries[0]), self.history)
        commands = [_publish_command(entry) for entry in entries]
        return (yield from context.perform_in_bulk(commands)) is not None

    def unpublish(self, entry: EntryKey) -> Program[None]:
        """Unpublish an entry."""
        yield from run_command(self.unit, _unpublish_command(entry))

    def unpublish_all(self, entries: Sequence[EntryKey]) -> Program[bool]:
        """Unpublish entries of one type with the same statements, as `publish_all` does."""

        def read(_: object) -> Program[bool]:
            yield from ()
            return True

        if not entries:
            return True
        commands = [_unpublish_command(entry) for entry in entries]
        return bool((yield from run_in_bulk(self.unit, commands, read)))

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
        contents = yield from self.contents(permissions, [version])
        return contents[version["id"]]

    def contents(
        self, permissions: TypePermissions, versions: Sequence[EntryJson]
    ) -> Program[dict[int, str]]:
        """Return the whole content of versions as JSON, by their ids, whatever rules hide of it.

        They are of one type, and all drafts or all published. Raises NotFoundError for one that
        does not exist.
        """
        texts: dict[int, str] = {}
        schema, content_type = self.unit.engine.schema, permissions.content_type
        ids = [version["id"] for version in versions]
        for start in range(0, len(ids), _ENTRIES_AT_ONCE):
            entries = yield from read_all_whole(
                self.reading,
                permissions,
                ids[start : start + _ENTRIES_AT_ONCE],
                published=versions[0]["publishedAt"] is not None,
                complete=True,
            )
            texts |= {entry["id"]: revision_text(schema, content_type, entry) for entry in entries}
        if len(texts) < len(ids):
            raise NotFoundError
        return texts

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


def _groups(items: Iterable[ReleaseItem]) -> Iterator[list[ReleaseItem]]:
    """Divide items, in their order, into groups of one action on different documents of a type."""
    group: list[ReleaseItem] = []
    document_ids: set[str] = set()
    for item in items:
        entry = item.entry
        continues = group and (group[0].action, group[0].entry.uid) == (item.action, entry.uid)
        if group and (not continues or entry.document_id in document_ids):
            yield group
            group, document_ids = [], set()
        group.append(item)
        document_ids.add(entry.document_id)
    if group:
        yield group


def _require_problem_of_item(error: AppError) -> None:
    """Raise an error that is no problem of an item: the database is unavailable, or code failed."""
    if error.status >= _SERVER_ERROR:
        raise error


def _publish_command(entry: EntryKey) -> PublishDocument:
    return PublishDocument(uid=entry.uid, document_id=entry.document_id, locale=entry.locale)


def _unpublish_command(entry: EntryKey) -> UnpublishDocument:
    return UnpublishDocument(uid=entry.uid, document_id=entry.document_id, locale=entry.locale)


def _problems_of(item: ReleaseItem, error: AppError) -> Iterable[ItemProblem]:
    """Return the problems that an error lists, or the error itself."""
    errors = (error.details or {}).get("errors")
    for problem in errors if isinstance(errors, list) else [{"path": [], "message": error.message}]:
        path = tuple(str(step) for step in problem.get("path", ()))
        yield ItemProblem(item_id=item.id, message=str(problem["message"]), path=path)
