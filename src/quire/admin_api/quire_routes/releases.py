"""``/admin/x/releases``: sets of entries that are published or unpublished together."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType, to_builtins

from quire.access.admin_actions import PUBLISH, UPDATE
from quire.admin_api.admin_user_lists import parse_positive
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.quire_routes.release_services import ReleaseParts
from quire.admin_api.response_types import (
    CREATED,
    EXTRAS,
    DataEnvelope,
    EntryStatus,
    LocaleQuery,
    Moment,
    PageQuery,
    ResultList,
)
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import REQUIRED, MaxLength, Range, id_of, path_id, single_line
from quire.content_manager.entry_reads import EntryReader, draft_or_published
from quire.content_manager.entry_status import DocumentVersions
from quire.content_manager.permissions import TypePermissions, read_permissions
from quire.content_manager.releases.publication import (
    ReleaseFailedError,
    ReleasePublication,
    ReleaseTrialError,
)
from quire.content_manager.releases.release_items import ReleaseEntries
from quire.content_manager.releases.store import (
    MAX_ITEMS,
    EntryKey,
    ItemAction,
    Release,
    ReleaseItem,
    Status,
)
from quire.content_manager.releases.undo import ReleaseUndo
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import locale_of
from quire.database.program import Program
from quire.database.stores.release_snapshots import RELEASE_SNAPSHOTS
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ConflictError, ForbiddenError, NotFoundError, ValidationError
from quire.schema.model import ContentType


def _not_blank(value: object) -> str | None:
    """Require more than spaces."""
    return REQUIRED if isinstance(value, str) and value and not value.strip() else None


class ReleaseName(RequestBody):
    """The name of a release."""

    name: Annotated[str, _not_blank, MaxLength(255), single_line]


class NewReleaseItem(RequestBody):
    """An entry to add to a release."""

    content_type: str
    document_id: str
    locale: str | None = None


class NewReleaseItems(RequestBody):
    """Entries to add to a release, and their action."""

    entries: Annotated[list[NewReleaseItem], Range(1, MAX_ITEMS)]
    action: ItemAction = "publish"


class ItemChange(RequestBody):
    """The action of an item of a release."""

    action: ItemAction


class UndoOptions(RequestBody):
    """Whether entries that have changed since are left as they are."""

    skip_changed: bool = False


class ReleaseQuery(PageQuery, kw_only=True):
    """Which releases are listed."""

    state: Literal["open", "done"] | UnsetType = UNSET


class ReleaseResponse(Struct, rename="camel"):
    """A set of entries that are published or unpublished together."""

    schema_name: ClassVar[str] = "Release"
    id: int
    name: str
    status: Status
    scheduled_at: Moment | None
    timezone: str | None
    released_at: Moment | None
    created_at: Moment
    updated_at: Moment
    item_count: int


class ReleaseItemResponse(Struct, rename="camel", kw_only=True):
    """An entry in a release, as far as the caller may read it."""

    schema_name: ClassVar[str] = "ReleaseItem"
    id: int
    action: ItemAction
    content_type: str
    exists: bool
    readable: bool
    publishable: bool
    document_id: str | UnsetType = UNSET
    locale: str | UnsetType | None = UNSET
    title: object = UNSET
    status: EntryStatus | UnsetType = UNSET
    updated_at: Moment | UnsetType | None = UNSET


class ReleaseDetail(ReleaseResponse):
    """A release with its items."""

    schema_name: ClassVar[str] = "ReleaseDetail"
    items: list[ReleaseItemResponse]


class ReleaseUndoResult(ReleaseDetail):
    """A reopened release, and the number of entries that were left as they are."""

    schema_name: ClassVar[str] = "ReleaseUndoResult"
    skipped: int


class ReleaseProblem(Struct, rename="camel"):
    """The problem that prevents an item from being published."""

    item_id: int
    message: str
    path: list[str]


class ReleaseCheck(Struct):
    """The problems of a release."""

    id: int
    problems: list[ReleaseProblem]


class ReleaseOfEntry(Struct, rename="camel"):
    """An open release that contains an entry."""

    id: int
    name: str
    item_id: int
    action: ItemAction


_ORIGIN = "admin"
_PAGE_SIZE, _MAX_PAGE_SIZE, _LAST_PAGE = 25, 100, 1_000_000
_INVALID_STATE = "state must be one of the following values: open, done"
_NOT_PUBLISHER = "You may not publish entries of any content type"
_NOT_DONE = "The release has not been published"
_NO_TYPE = "{uid} is no content type with drafts"
_NO_ENTRY = "There is no entry {document_id} of {uid} in this locale"
_NOT_ALLOWED = "You may not change or publish the entry {document_id}"

T = TypeVar("T")


class ReleaseApi:
    """Lists, changes, tries, publishes and undoes releases."""

    def __init__(self, parts: ReleaseParts) -> None:
        self._parts = parts
        self._database = parts.database
        self._documents = parts.documents
        self._releases = parts.releases
        self._clock = parts.clock
        self._engine = parts.documents.engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(EXTRAS, "admin/x/releases")
        release_response = DataEnvelope[ReleaseDetail]
        releases_response, action = ResultList[ReleaseResponse], SIGNED_IN
        yield route("GET", "", action, self.find, query=ReleaseQuery, response=releases_response)
        yield route(
            "POST",
            "",
            action,
            self.create,
            body=ReleaseName,
            response=release_response,
            status=CREATED,
        )
        yield route("GET", "/:id", action, self.find_one, response=release_response)
        yield route("PUT", "/:id", action, self.rename, body=ReleaseName, response=release_response)
        yield route("DELETE", "/:id", action, self.delete, response=release_response)
        yield route(
            "POST", "/:id/items", action, self.add, body=NewReleaseItems, response=release_response
        )
        path = "/:id/items/:item"
        yield route(
            "PUT", path, action, self.change_item, body=ItemChange, response=release_response
        )
        yield route("DELETE", path, action, self.remove, response=release_response)
        yield route("POST", "/:id/check", action, self.check, response=DataEnvelope[ReleaseCheck])
        yield route("POST", "/:id/publish", action, self.publish, response=release_response)
        undo_response = DataEnvelope[ReleaseUndoResult]
        yield route(
            "POST", "/:id/undo", action, self.undo, body=UndoOptions, response=undo_response
        )
        route = RouteGroup(EXTRAS, "admin/x/entry-releases/")
        entry_releases_response = DataEnvelope[list[ReleaseOfEntry]]
        yield route(
            "GET",
            ":uid/:id",
            action,
            self.list_for_entry,
            query=LocaleQuery,
            response=entry_releases_response,
        )

    async def find(self, request: Request) -> Response:
        """List releases, the newest first, with the numbers of their items.

        ``state`` (``open`` or ``done``) filters the list, ``page`` and ``pageSize`` paginate it.
        """
        state = _state(request)
        page = _parse_integer(request, "page", 1, limit=_LAST_PAGE)
        size = _parse_integer(request, "pageSize", _PAGE_SIZE, limit=_MAX_PAGE_SIZE)

        def program() -> Program[tuple[list[ReleaseResponse], int]]:
            is_done = None if state is None else state == "done"
            releases, total = yield from self._releases.page(
                is_done=is_done, start=(page - 1) * size, limit=size
            )
            counts = yield from self._releases.item_counts([release.id for release in releases])
            return [
                build_response(ReleaseResponse, release, item_count=counts[release.id])
                for release in releases
            ], total

        responses, total = await self._database.read(program, snapshot=True)
        pagination = {
            "page": page,
            "pageSize": size,
            "pageCount": -(-total // size),
            "total": total,
        }
        return respond_bare({"data": responses, "meta": {"pagination": pagination}})

    async def find_one(self, request: Request) -> Response:
        """Show a release with its items, as far as the caller may read their entries."""

        def program() -> Program[ReleaseDetail]:
            release = yield from self._releases.get(path_id(request))
            return (yield from self._serialize_release_details(request, release))

        return respond_data(await self._database.read(program, snapshot=True))

    async def list_for_entry(self, request: Request) -> Response:
        """List the open releases that an entry is in."""
        permissions = permissions_of(self._engine.schema, request)
        content_type = permissions.content_type
        entry = EntryKey(
            uid=content_type.uid,
            document_id=request.parameters["id"],
            locale=locale_of(request.query, content_type, self._engine.default_locale),
        )

        def program() -> Program[list[dict[str, Any]]]:
            yield from self._require_reachable(permissions, [entry], any_of=())
            release_items = yield from self._releases.containing(entry)
            return [
                {"id": release.id, "name": release.name, "itemId": item.id, "action": item.action}
                for release, item in release_items
            ]

        return respond_data(await self._database.read(program, snapshot=True))

    async def create(self, request: Request) -> Response:
        """Create a release."""
        _require_publisher(request)
        name = read_body(request.body, ReleaseName).name.strip()

        def program() -> Program[ReleaseDetail]:
            release = yield from self._releases.create(name, self._clock())
            return (yield from self._serialize_release_details(request, release))

        return respond_data(await self._database.write(program()), CREATED)

    async def rename(self, request: Request) -> Response:
        """Rename an open release."""
        _require_publisher(request)
        name = read_body(request.body, ReleaseName).name.strip()
        return await self._change_release(
            request, lambda release: self._releases.rename(release, name, self._clock())
        )

    async def delete(self, request: Request) -> Response:
        """Delete a release with its items; their entries are unchanged."""
        _require_publisher(request)
        await self._parts.tables.ensure(RELEASE_SNAPSHOTS)

        def program(unit: UnitOfWork) -> Program[ReleaseDetail]:
            release = yield from self._releases.get(path_id(request))
            response = yield from self._serialize_release_details(request, release)
            yield from self._parts.snapshots.forget(release.id)
            yield from self._parts.schedule.cancel_release(unit, release.id)
            yield from self._releases.delete(release)
            return response

        return respond_data(await self._run(request, program))

    async def add(self, request: Request) -> Response:
        """Add entries to an open release, to be published or unpublished with it."""
        body = read_body(request.body, NewReleaseItems)
        entries = [self._entry(item) for item in body.entries]

        def change(release: Release) -> Program[None]:
            for uid in dict.fromkeys(entry.uid for entry in entries):
                permissions = read_permissions(request.administrator.ability, self._type(uid))
                permissions.require()
                type_entries = [entry for entry in entries if entry.uid == uid]
                yield from self._require_reachable(
                    permissions, type_entries, any_of=_required_actions(release)
                )
            yield from self._releases.add(release, entries, body.action, self._clock())

        return await self._change_release(request, change)

    async def change_item(self, request: Request) -> Response:
        """Change whether an item is published or unpublished."""
        action = read_body(request.body, ItemChange).action

        def change(release: Release) -> Program[None]:
            item = yield from self._item(request, release)
            yield from self._require_item(request, item, _required_actions(release))
            yield from self._releases.set_action(item, action, self._clock())

        return await self._change_release(request, change)

    async def remove(self, request: Request) -> Response:
        """Remove an item from an open release; its entry is unchanged."""

        def change(release: Release) -> Program[None]:
            item = yield from self._item(request, release)
            if not request.administrator.ability.subjects(PUBLISH):
                yield from self._require_item(request, item, (UPDATE,))
            yield from self._releases.remove(release, [item.id])

        return await self._change_release(request, change)

    async def check(self, request: Request) -> Response:
        """Check a release without publishing anything; returns its problems.

        The release is published in a transaction that is always rolled back, so that the check
        finds what publishing would find.
        """
        _require_publisher(request)
        release_id, history = path_id(request), await self._parts.history.ready()
        problems: Sequence[object] = ()

        def program(unit: UnitOfWork) -> Program[None]:
            release = yield from self._releases.open(release_id)
            items = yield from self._releases.items(release.id)
            publication = ReleasePublication(unit, request.administrator.ability, history)
            yield from publication.check(items)

        try:
            await self._run(request, program)
        except ReleaseTrialError as result:
            problems = [to_builtins(problem) for problem in result.problems]
        await self._record_check(release_id, blocked=bool(problems))
        return respond_data({"id": release_id, "problems": problems})

    async def publish(self, request: Request) -> Response:
        """Publish a release: all of its items in one transaction, or none of them.

        409 with all problems where one of them cannot be published.
        """
        _require_publisher(request)
        release_id, history = path_id(request), await self._parts.history.ready()
        await self._parts.tables.ensure(RELEASE_SNAPSHOTS)

        def program(unit: UnitOfWork) -> Program[ReleaseDetail]:
            ability = request.administrator.ability
            release = yield from self._parts.publish(unit, ability, history, release_id)
            yield from self._parts.schedule.cancel_release(unit, release_id)
            return (yield from self._serialize_release_details(request, release))

        try:
            response = await self._run(request, program)
        except ReleaseFailedError:
            await self._record_check(release_id, blocked=True)
            raise
        return respond_data(response)

    async def undo(self, request: Request) -> Response:
        """Restore the former public state of a release's entries, and reopen the release.

        409 names the entries that were published or unpublished since; ``skipChanged`` leaves these
        as they are.
        """
        skip_changed = read_body(request.body, UndoOptions).skip_changed
        _require_publisher(request)
        release_id, history = path_id(request), await self._parts.history.ready()
        await self._parts.tables.ensure(RELEASE_SNAPSHOTS)

        def program(unit: UnitOfWork) -> Program[ReleaseUndoResult]:
            release = yield from self._releases.get(release_id)
            snapshots = yield from self._parts.snapshots.snapshots_of_release(release_id)
            if not release.is_done or not snapshots:
                raise ConflictError(_NOT_DONE)
            ability = request.administrator.ability
            undo = ReleaseUndo(ReleasePublication(unit, ability, history))
            skipped_items = yield from undo.undo(snapshots, skip_changed=skip_changed)
            yield from self._parts.snapshots.forget(release_id)
            yield from self._releases.reopen(release, unit.tick())
            reopened_release = yield from self._releases.get(release_id)
            response = yield from self._serialize_release_details(request, reopened_release)
            return build_response(ReleaseUndoResult, response, skipped=len(skipped_items))

        return respond_data(await self._run(request, program))

    async def _record_check(self, release_id: int, *, blocked: bool) -> None:
        """Store whether the last check of an open release found problems.

        This is a transaction of its own: that of a failed check is rolled back.
        """

        def program() -> Program[None]:
            release = yield from self._releases.open(release_id)
            items = yield from self._releases.items(release_id)
            status: Status = "blocked" if blocked else "ready" if items else "empty"
            yield from self._releases.set_status(release, status)

        await self._database.write(program())

    async def _run(self, request: Request, program: Callable[[UnitOfWork], Program[T]]) -> T:
        return await self._documents.run(program, editor=request.administrator.id, origin=_ORIGIN)

    async def _change_release(
        self, request: Request, change: Callable[[Release], Program[None]]
    ) -> Response:
        """Change an open release in one transaction, and show it."""

        def program() -> Program[ReleaseDetail]:
            release = yield from self._releases.open(path_id(request))
            yield from change(release)
            changed_release = yield from self._releases.get(release.id)
            return (yield from self._serialize_release_details(request, changed_release))

        return respond_data(await self._database.write(program()))

    def _serialize_release_details(
        self, request: Request, release: Release
    ) -> Program[ReleaseDetail]:
        items = yield from self._releases.items(release.id)
        entries = ReleaseEntries(self._engine, request.administrator.ability)
        descriptions = yield from entries.describe(items)
        return build_response(ReleaseDetail, release, item_count=len(items), items=descriptions)

    def _item(self, request: Request, release: Release) -> Program[ReleaseItem]:
        """Return the item in the path. Raises NotFoundError."""
        item_id = id_of(request.parameters["item"])
        items = yield from self._releases.items(release.id)
        item = next((candidate for candidate in items if candidate.id == item_id), None)
        if item is None:
            raise NotFoundError
        return item

    def _require_item(
        self, request: Request, item: ReleaseItem, actions: Sequence[str]
    ) -> Program[None]:
        permissions = read_permissions(request.administrator.ability, self._type(item.entry.uid))
        yield from self._require_reachable(permissions, [item.entry], any_of=actions)

    def _require_reachable(
        self, permissions: TypePermissions, entries: Sequence[EntryKey], *, any_of: Sequence[str]
    ) -> Program[None]:
        """Check that entries exist and are readable, and that one of the actions is allowed.

        Raises ValidationError for an entry that is missing or not readable, and ForbiddenError.
        """
        ids = list(dict.fromkeys(entry.document_id for entry in entries))
        all_versions = yield from EntryReader(self._engine).owned_versions(permissions, ids)
        content_type = permissions.content_type
        versions = DocumentVersions(content_type, all_versions)
        for entry in entries:
            current_version = draft_or_published(
                content_type, versions.all_versions(entry.document_id), entry.locale
            )
            if current_version is None or not permissions.rules_for_entry(
                entry_origin(current_version)
            ):
                raise ValidationError(
                    _NO_ENTRY.format(document_id=entry.document_id, uid=entry.uid)
                )
            origin = entry_origin(current_version)
            ability = permissions.ability
            is_allowed = any(
                TypePermissions(ability, action, content_type).rules_for_entry(origin)
                for action in any_of
            )
            if any_of and not is_allowed:
                raise ForbiddenError(_NOT_ALLOWED.format(document_id=entry.document_id))

    def _entry(self, item: NewReleaseItem) -> EntryKey:
        content_type = self._type(item.content_type)
        locale = item.locale or self._engine.default_locale
        return EntryKey(
            uid=content_type.uid,
            document_id=item.document_id,
            locale=locale if content_type.localized and locale else None,
        )

    def _type(self, uid: str) -> ContentType:
        content_type = self._engine.schema.content_types.get(uid)
        if content_type is None or not content_type.draft_and_publish:
            raise ValidationError(_NO_TYPE.format(uid=uid))
        return content_type


def _required_actions(release: Release) -> tuple[str, ...]:
    """Return the actions of which one must be allowed on an entry to add it to a release.

    A scheduled release is published automatically, without another check of its items.
    """
    return (UPDATE, PUBLISH) if release.scheduled_at is None else (PUBLISH,)


def _state(request: Request) -> str | None:
    """Return the requested state of releases, ``None`` for all. Raises ValidationError."""
    state = request.query.get("state")
    if state in (None, "open", "done"):  # it may be a list
        return None if state is None else str(state)
    raise ValidationError(_INVALID_STATE)


def _parse_integer(request: Request, name: str, default: int, *, limit: int) -> int:
    """Return an integer of the query. Raises PaginationError and ValidationError."""
    text = parse_positive(request.query, name, default)
    if len(text) > len(str(limit)) or int(text) > limit:
        raise ValidationError(f"{name} must be at most {limit}")
    return int(text)


def _require_publisher(request: Request) -> None:
    """Check that the caller may publish entries of some type. Raises ForbiddenError."""
    if not request.administrator.ability.subjects(PUBLISH):
        raise ForbiddenError(_NOT_PUBLISHER)
