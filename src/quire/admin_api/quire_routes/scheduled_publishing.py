"""``/admin/x/schedule``: entries and releases that are published or unpublished later."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from quire.access.admin_actions import PUBLISH
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.quire_routes.publishing_jobs import ScheduledJobs
from quire.admin_api.quire_routes.release_services import ReleaseParts
from quire.admin_api.quire_routes.releases import ReleaseItemResponse
from quire.admin_api.response_types import EXTRAS, DataEnvelope, LocaleQuery, Moment
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.clock import iso_from_ms
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import Text, path_id
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.releases.release_items import ReleaseEntries
from quire.content_manager.releases.schedule import (
    ENTRY_JOB,
    EntryArguments,
    ReleaseArguments,
    ScheduledAction,
    entry_arguments,
    release_arguments,
)
from quire.content_manager.releases.store import EntryKey, ItemAction, item_of_entry
from quire.content_manager.status_and_locale import locale_of
from quire.database.program import Program
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import (
    ConflictError,
    ForbiddenError,
    ServiceUnavailableError,
    ValidationError,
)

MAX_LISTED = 200
"""How many scheduled actions are listed, the next ones first."""

_MAX_MILLISECONDS = 253_402_300_799_000  # the end of the year 9999, in epoch milliseconds
_TIMEZONE = re.compile(r"[A-Za-z0-9_+/-]{1,64}")
_ShortText = Annotated[str | None, Text(nullable=True, longest=40)]
_GivenMoment = Annotated[_ShortText, Meta(extra_json_schema={"format": "date-time"})]
_NAMES: Mapping[ItemAction, str] = {"publish": "publishAt", "unpublish": "unpublishAt"}
_ORIGIN = "admin"
_INVALID_TIME = "{name} must be a moment with its time zone, such as 2030-01-31T09:00:00+01:00"
_TIME_IN_PAST = "{name} must be in the future"
_INVALID_TIME_ORDER = "unpublishAt must be after publishAt"
_NO_TIMEZONE = "timezone must be the name of a time zone, such as Europe/Berlin"
_NO_DRAFTS = "{uid} has no drafts: nothing of it can be published later"
_EMPTY = "The release has no items"
_NOT_PUBLISHER = "You may not publish entries of any content type"
_NO_QUEUE = "This server has no queue of jobs"


class EntryTimes(RequestBody):
    """When an entry is published and unpublished; ``null`` or missing means never."""

    publish_at: _GivenMoment = None
    unpublish_at: _GivenMoment = None
    timezone: _ShortText = None


class ReleaseTime(RequestBody):
    """When a release is published; ``null`` or missing means never."""

    scheduled_at: _GivenMoment = None
    timezone: _ShortText = None


class FailedAction(Struct):
    """A failed scheduled action, and the error."""

    action: ItemAction
    at: Moment
    message: str


class EntrySchedule(Struct, rename="camel"):
    """When an entry is published and unpublished, and the last failure."""

    publish_at: Moment | None
    unpublish_at: Moment | None
    timezone: str | None
    failed: list[FailedAction]


class ReleaseSchedule(Struct, rename="camel"):
    """When a release is published."""

    id: int
    scheduled_at: Moment | None
    timezone: str | None


class NamedRelease(Struct):
    """A release."""

    id: int
    name: str


class ScheduledActionResponse(Struct):
    """A scheduled action: on an entry or a release."""

    schema_name: ClassVar[str] = "ScheduledAction"
    at: Moment
    timezone: str | None
    entry: ReleaseItemResponse | None
    release: NamedRelease | None


class ScheduleApi:
    """Shows and changes scheduled actions."""

    def __init__(self, parts: ReleaseParts, jobs: ScheduledJobs) -> None:
        self._parts = parts
        self._jobs = jobs
        self._engine = parts.documents.engine

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, action, query = RouteGroup(EXTRAS, "admin/x/"), SIGNED_IN, LocaleQuery
        entry_response = DataEnvelope[EntrySchedule]
        schedule_response = DataEnvelope[list[ScheduledActionResponse]]
        yield route("GET", "schedule", action, self.find, response=schedule_response)
        path, body = "schedule/:uid/:id", EntryTimes
        yield route("GET", path, action, self.of_entry, query=query, response=entry_response)
        yield route(
            "PUT", path, action, self.set_entry, body=body, query=query, response=entry_response
        )
        path, release_response = "releases/:id/schedule", DataEnvelope[ReleaseSchedule]
        yield route(
            "PUT", path, action, self.set_release, body=ReleaseTime, response=release_response
        )

    async def find(self, request: Request) -> Response:
        """List scheduled actions, the next ones first."""
        ability = request.administrator.ability

        def program() -> Program[list[dict[str, Any]]]:
            jobs = yield from self._parts.schedule.pending(MAX_LISTED)
            entries = {job.id: entry_arguments(job) for job in jobs if job.name == ENTRY_JOB}
            items = [
                item_of_entry(job_id, arguments.action, arguments.entry)
                for job_id, arguments in entries.items()
            ]
            descriptions = yield from ReleaseEntries(self._engine, ability).describe(items)
            descriptions_by_id = {description["id"]: description for description in descriptions}
            release_ids = {release_arguments(job).release for job in jobs if job.id not in entries}
            releases = yield from self._parts.releases.by_ids(release_ids)
            scheduled_actions: list[dict[str, Any]] = []
            for job in jobs:
                if job.id in entries:
                    arguments = entries[job.id]
                    details = {"at": iso_from_ms(arguments.at), "timezone": arguments.timezone}
                    scheduled_actions.append(
                        {**details, "entry": descriptions_by_id[job.id], "release": None}
                    )
                    continue
                release = releases.get(release_arguments(job).release)
                if release is not None and release.scheduled_at is not None:
                    details = {
                        "at": iso_from_ms(release.scheduled_at),
                        "timezone": release.timezone,
                    }
                    release_summary = {"id": release.id, "name": release.name}
                    scheduled_actions.append({**details, "entry": None, "release": release_summary})
            return scheduled_actions

        return respond_data(await self._parts.database.read(program, snapshot=True))

    async def of_entry(self, request: Request) -> Response:
        """Show the scheduled actions of an entry, and the last failure."""
        permissions = permissions_of(self._engine.schema, request)
        reading = EntryReader(self._engine)
        entry = self._entry(request, permissions)

        def program() -> Program[dict[str, Any]]:
            yield from reading.require_entry(permissions, entry.document_id, entry.locale)
            return _serialize_schedule((yield from self._parts.schedule.entry_actions(entry)))

        return respond_data(await self._parts.database.read(program, snapshot=True))

    async def set_entry(self, request: Request) -> Response:
        """Schedule when an entry is published and unpublished; ``null`` removes a time."""
        permissions = permissions_of(self._engine.schema, request)
        reading = EntryReader(self._engine)
        entry = self._entry(request, permissions)
        times = read_body(request.body, EntryTimes)
        moments: dict[ItemAction, int | None] = {
            "publish": self._moment(times.publish_at, "publishAt"),
            "unpublish": self._moment(times.unpublish_at, "unpublishAt"),
        }
        publish, unpublish = moments["publish"], moments["unpublish"]
        if publish is not None and unpublish is not None and unpublish <= publish:
            raise ValidationError(_INVALID_TIME_ORDER)
        timezone = _timezone(times.timezone)
        requested_actions = [
            EntryArguments(
                uid=entry.uid,
                document_id=entry.document_id,
                locale=entry.locale,
                action=action,
                at=moment,
                editor=request.administrator.id,
                timezone=timezone,
            )
            for action, moment in moments.items()
            if moment is not None
        ]
        await self._prepare()

        def program(unit: UnitOfWork) -> Program[dict[str, Any]]:
            yield from reading.require_entry(permissions, entry.document_id, entry.locale, PUBLISH)
            yield from self._parts.schedule.set_entry(
                unit, self._jobs.entry, entry, requested_actions
            )
            return _serialize_schedule((yield from self._parts.schedule.entry_actions(entry)))

        return respond_data(await self._run(request, program))

    async def set_release(self, request: Request) -> Response:
        """Schedule when an open release is published; ``null`` removes the time."""
        administrator = request.administrator
        if not administrator.ability.subjects(PUBLISH):
            raise ForbiddenError(_NOT_PUBLISHER)
        body = read_body(request.body, ReleaseTime)
        moment, timezone = self._moment(body.scheduled_at, "scheduledAt"), _timezone(body.timezone)
        release_id = path_id(request)
        await self._prepare()

        def program(unit: UnitOfWork) -> Program[dict[str, Any]]:
            releases, now = self._parts.releases, self._parts.clock()
            release = yield from releases.open(release_id)
            items = yield from releases.items(release_id)
            if moment is not None and not items:
                raise ConflictError(_EMPTY)
            if moment is None:
                yield from self._parts.schedule.cancel_release(unit, release_id)
                yield from releases.schedule(release, None, None, now)
                return {"id": release_id, "scheduledAt": None, "timezone": None}
            arguments = ReleaseArguments(release=release_id, at=moment, editor=administrator.id)
            yield from self._parts.schedule.set_release(unit, self._jobs.release, arguments)
            yield from releases.schedule(release, moment, timezone, now)
            if release.status == "failed":
                yield from releases.set_status(release, "ready")
            return {"id": release_id, "scheduledAt": iso_from_ms(moment), "timezone": timezone}

        return respond_data(await self._run(request, program))

    async def _run(
        self, request: Request, program: Callable[[UnitOfWork], Program[dict[str, Any]]]
    ) -> dict[str, Any]:
        return await self._parts.documents.run(
            program, editor=request.administrator.id, origin=_ORIGIN
        )

    async def _prepare(self) -> None:
        if self._engine.jobs is None:
            raise ServiceUnavailableError(_NO_QUEUE)
        await self._engine.jobs.prepare()

    def _entry(self, request: Request, permissions: TypePermissions) -> EntryKey:
        content_type = permissions.content_type
        if not content_type.draft_and_publish:
            raise ValidationError(_NO_DRAFTS.format(uid=content_type.uid))
        return EntryKey(
            uid=content_type.uid,
            document_id=request.parameters["id"],
            locale=locale_of(request.query, content_type, self._engine.default_locale),
        )

    def _moment(self, text: str | None, name: str) -> int | None:
        """Return a time of the body in epoch milliseconds. Raises ValidationError."""
        if text is None:
            return None
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise ValidationError(_INVALID_TIME.format(name=name))
        milliseconds = round(moment.timestamp() * 1000)
        if not self._parts.clock() < milliseconds <= _MAX_MILLISECONDS:
            raise ValidationError(_TIME_IN_PAST.format(name=name))
        return milliseconds


def _timezone(name: str | None) -> str | None:
    """Return the time zone of the body, which is only stored for display.

    Raises ValidationError.
    """
    if name is not None and not _TIMEZONE.fullmatch(name):
        raise ValidationError(_NO_TIMEZONE)
    return name


def _serialize_schedule(actions: list[ScheduledAction]) -> dict[str, Any]:
    """Return the times by name, and the last failure."""
    pending_actions = {pending.action: pending for pending in actions if pending.error is None}
    failed_actions = [candidate for candidate in actions if candidate.error is not None]
    timezones = [scheduled_action.timezone for scheduled_action in pending_actions.values()]
    return {
        **{
            name: iso_from_ms(pending_actions[action].at) if action in pending_actions else None
            for action, name in _NAMES.items()
        },
        "timezone": timezones[0] if timezones else None,
        "failed": [
            {
                "action": scheduled_action.action,
                "at": iso_from_ms(scheduled_action.at),
                "message": scheduled_action.error,
            }
            for scheduled_action in failed_actions
        ],
    }
