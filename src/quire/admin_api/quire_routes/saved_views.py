"""Saved views of lists: private, or shared with everybody."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

import orjson
from msgspec import UNSET, Struct, UnsetType

from quire.access.admin_actions import READ
from quire.admin_api.response_types import CREATED, EXTRAS, DataEnvelope, FreeObject, Moment
from quire.admin_api.responses import build_response, respond_data
from quire.admin_api.router import SIGNED_IN
from quire.clock import Clock
from quire.content_api.body_decoding import RequestBody, read_body, sent_values
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import MaxLength, id_of
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.saved_views import SAVED_VIEWS, SavedView, SavedViews
from quire.errors import ForbiddenError, NotFoundError, ValidationError

MAX_VIEWS = 200
"""The maximum number of views per administrator."""

_LARGEST_STATE = 16_384
_Name = Annotated[str, MaxLength(100)]


class NewView(RequestBody, kw_only=True):
    """A new view."""

    uid: str
    name: _Name
    shared: bool = False
    state: FreeObject


class ViewChange(RequestBody):
    """The changes of a view."""

    name: _Name | UnsetType = UNSET
    shared: bool | UnsetType = UNSET
    state: FreeObject | UnsetType = UNSET


class ViewQuery(Struct):
    """The content type whose views are listed."""

    uid: str | UnsetType = UNSET


class SavedViewResponse(Struct, rename="camel"):
    """A view of a list: the caller's own, or a shared one."""

    schema_name: ClassVar[str] = "SavedView"
    id: int
    uid: str
    name: str
    shared: bool
    own: bool
    state: FreeObject
    updated_at: Moment


class SavedViewApi:
    """``/admin/x/views``."""

    def __init__(
        self, database: Database, views: SavedViews, tables: QuireTables, clock: Clock
    ) -> None:
        self._database = database
        self._views = views
        self._tables = tables
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(EXTRAS, "admin/x/views")
        action = SIGNED_IN
        view_response = DataEnvelope[SavedViewResponse]
        views_response = DataEnvelope[list[SavedViewResponse]]
        yield route("GET", "", action, self.find, query=ViewQuery, response=views_response)
        yield route(
            "POST", "", action, self.create, body=NewView, response=view_response, status=CREATED
        )
        yield route("PUT", "/:id", action, self.change, body=ViewChange, response=view_response)
        yield route("DELETE", "/:id", action, self.delete, response=view_response)

    async def find(self, request: Request) -> Response:
        """List own and shared views, of the lists that the caller may see."""
        uid, administrator = request.query.get("uid"), request.administrator
        await self._tables.ensure(SAVED_VIEWS)
        views = await self._database.read(
            lambda: self._views.list_for_user(
                administrator.id, uid if isinstance(uid, str) else None
            )
        )
        readable_views = [view for view in views if administrator.ability.allows(READ, view.uid)]
        return respond_data([_serialize_view(view, administrator.id) for view in readable_views])

    async def create(self, request: Request) -> Response:
        """Create a view."""
        new_view, administrator = read_body(request.body, NewView), request.administrator
        if not administrator.ability.allows(READ, new_view.uid):
            raise ForbiddenError
        row = {
            "uid": new_view.uid,
            "owner_id": administrator.id,
            "name": new_view.name,
            "shared": new_view.shared,
            "state": _state(new_view.state),
            "updated_at": self._clock(),
        }

        def program() -> Program[SavedView]:
            if (yield from self._views.count(administrator.id)) >= MAX_VIEWS:
                raise ValidationError(f"There may be {MAX_VIEWS} views at most")
            view_id = yield from self._views.insert(row)
            return (yield from self._editable_view(request, view_id))

        await self._tables.ensure(SAVED_VIEWS)
        return respond_data(
            _serialize_view(await self._database.write(program()), administrator.id), CREATED
        )

    async def change(self, request: Request) -> Response:
        """Change an own view."""
        values = sent_values(read_body(request.body, ViewChange))
        if "state" in values:
            values["state"] = _state(values["state"])

        def program() -> Program[SavedView]:
            view = yield from self._editable_view(request)
            yield from self._views.update(view.id, {**values, "updated_at": self._clock()})
            return (yield from self._editable_view(request))

        await self._tables.ensure(SAVED_VIEWS)
        changed_view = await self._database.write(program())
        return respond_data(_serialize_view(changed_view, request.administrator.id))

    async def delete(self, request: Request) -> Response:
        """Delete an own view."""

        def program() -> Program[SavedView]:
            view = yield from self._editable_view(request)
            yield from self._views.delete(view.id)
            return view

        await self._tables.ensure(SAVED_VIEWS)
        deleted_view = await self._database.write(program())
        return respond_data(_serialize_view(deleted_view, request.administrator.id))

    def _editable_view(self, request: Request, view_id: int | None = None) -> Program[SavedView]:
        """Return a view that the caller may change; super admins may change shared ones, too.

        Raises NotFoundError for one that they cannot see, and ForbiddenError.
        """
        if view_id is None:
            view_id = id_of(request.parameters["id"])
        view = None
        if view_id is not None:
            view = yield from self._views.get(view_id)
        administrator = request.administrator
        if view is None or not (view.shared or view.owner_id == administrator.id):
            raise NotFoundError
        if view.owner_id != administrator.id and not administrator.ability.super_admin:
            raise ForbiddenError
        return view


def _state(value: object) -> str:
    text = orjson.dumps(value).decode()
    if len(text) > _LARGEST_STATE:
        raise ValidationError(f"state must be at most {_LARGEST_STATE} characters")
    return text


def _serialize_view(view: SavedView, user_id: int) -> SavedViewResponse:
    state = orjson.loads(view.state)
    return build_response(SavedViewResponse, view, own=view.owner_id == user_id, state=state)
