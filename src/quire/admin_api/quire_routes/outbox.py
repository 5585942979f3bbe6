"""``/admin/x/outbox``: changes that functions of the project have not processed yet."""

from collections.abc import Callable, Iterator
from typing import Annotated, Literal

import orjson
from msgspec import UNSET, Meta, Struct, UnsetType

from quire.admin_api.response_types import (
    ACCEPTED,
    BEFORE_ID_DESCRIPTION,
    PROJECT,
    DataEnvelope,
    FreeObject,
    Moment,
)
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SUPER_ADMINS
from quire.clock import Clock
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import log_page, path_id
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.change_outbox import CHANGES, ChangeQueue, StoredChange
from quire.errors import ConflictError, NotFoundError, ValidationError

_STATES = {"waiting": False, "failed": True}


class OutboxQuery(Struct):
    """Which changes are listed."""

    state: Literal["waiting", "failed"] | UnsetType = UNSET
    before: Annotated[int, Meta(description=BEFORE_ID_DESCRIPTION)] | UnsetType = UNSET
    limit: int | UnsetType = UNSET


class OutboxChange(Struct, rename="camel", kw_only=True):
    """A change of a document for a function of the project."""

    id: int
    function: str
    action: str
    uid: str
    document_id: str
    locale: str | UnsetType | None = UNSET
    state: Literal["waiting", "failed"]
    attempts: int
    created_at: Moment
    due_at: Moment | UnsetType | None = UNSET
    ended_at: Moment | UnsetType | None = UNSET
    message: str | UnsetType | None = UNSET
    fields: list[str] | UnsetType = UNSET
    kept: FreeObject | UnsetType = UNSET
    causes: list[FreeObject] | UnsetType = UNSET


class OutboxApi:
    """Lists undelivered changes, delivers them again, and discards them."""

    def __init__(self, database: Database, changes: ChangeQueue, clock: Clock) -> None:
        self._database = database
        self._changes = changes
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(PROJECT, "admin/x/outbox")
        action = SUPER_ADMINS
        empty_response = DataEnvelope[FreeObject]
        changes_response = DataEnvelope[list[OutboxChange]]
        change_response = DataEnvelope[OutboxChange]
        yield route("GET", "", action, self.find, query=OutboxQuery, response=changes_response)
        yield route("GET", "/:id", action, self.find_one, response=change_response)
        yield route("DELETE", "/:id", action, self.discard, response=empty_response)
        path = "/:id/replay"
        yield route("POST", path, action, self.replay, response=empty_response, status=ACCEPTED)

    async def find(self, request: Request) -> Response:
        """List waiting and given up changes, the latest first."""
        state = request.query.get("state")
        if state is not None and state not in _STATES:
            raise ValidationError(f"state must be one of {', '.join(_STATES)}")
        before, limit = log_page(request.query)
        is_dead = None if state is None else _STATES[str(state)]

        def program() -> Program[list[StoredChange]]:
            if not (yield from self._changes.tables.exists(CHANGES)):
                return []
            return (yield from self._changes.rows.find(dead=is_dead, before=before, limit=limit))

        changes = await self._database.read(program)
        return respond_data([_serialize_change(change) for change in changes])

    async def find_one(self, request: Request) -> Response:
        """Show a change with its written fields, its stored values, and its cause."""
        change = await self._database.read(lambda: self._change(request))
        texts = {"fields": change.fields, "kept": change.kept, "causes": change.causes}
        details = {name: orjson.loads(text) for name, text in texts.items()}
        return respond_data(_serialize_change(change, **details))

    async def replay(self, request: Request) -> Response:
        """Deliver a waiting or given up change now."""
        await self._run_action(request, self._changes.rows.replay)
        self._changes.added()
        return respond_data({}, ACCEPTED)

    async def discard(self, request: Request) -> Response:
        """Delete a waiting or given up change: its function never receives it."""
        await self._run_action(request, self._changes.rows.discard)
        return respond_data({})

    async def _run_action(self, request: Request, act: Callable[[int, int], Program[bool]]) -> None:
        """Run an action on a change. Raises NotFoundError and ConflictError."""

        def program() -> Program[None]:
            change = yield from self._change(request)
            if not (yield from act(change.id, self._clock())):
                raise ConflictError("This change is being delivered")

        await self._database.write(program())

    def _change(self, request: Request) -> Program[StoredChange]:
        change: StoredChange | None = None
        change_id = path_id(request)
        if (yield from self._changes.tables.exists(CHANGES)):
            change = yield from self._changes.rows.get(change_id)
        if change is None:
            raise NotFoundError
        return change


def _serialize_change(change: StoredChange, **details: object) -> OutboxChange:
    is_waiting = change.ended_at is None
    values = {
        "function": change.listener,
        "state": "waiting" if is_waiting else "failed",
        "due_at": change.due if is_waiting else None,
        **dict.fromkeys(("fields", "kept", "causes"), UNSET),
    }
    return build_response(OutboxChange, change, **{**values, **details})
