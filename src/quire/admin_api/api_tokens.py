"""API tokens: listed, made, changed, renewed and deleted."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from quire.admin_api.bodies import (
    Fields,
    Items,
    Place,
    Text,
    at_least,
    id_of,
    one_of,
    read_body,
    required,
)
from quire.admin_api.responses import respond_data, serialize_row
from quire.auth.admin.api_tokens import NOT_FOUND, ApiTokenManager, ManagedApiToken
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.document_service.validate.problems import Problem, path_of, place_text
from quire.errors import NotFoundError
from quire.schema.attributes.validation import ABSENT, not_of_type

LIFESPANS = (604_800_000, 2_592_000_000, 7_776_000_000)
"""A week, 30 days and 90 days, in milliseconds; a token without one never ends."""

_TRUSTED = ("regenerate", "update")
"""Whoever may do one of these is shown the key of a token."""
_TYPE = Text(rules=(one_of("read-only", "full-access", "custom"),))
_ACTIONS = Items(item=Text(), nullable=True)
_SHOWN = ("kind", "name", "description", "lifespan", "expiresAt", "lastUsedAt")


class _Lifespan(Struct, frozen=True):
    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        if value is None or value is ABSENT:
            return
        if isinstance(value, bool) or not isinstance(value, int | float):
            message = f"{place_text(place)} {not_of_type('number', value)}"
            yield Problem(path_of(place), message, value)
        if isinstance(value, bool) or value not in LIFESPANS:
            listed = ", ".join(map(str, LIFESPANS))
            message = f"{place_text(place)} must be one of the following values: , {listed}"
            yield Problem(path_of(place), message, value)


_NEW = Fields(
    fields={
        "name": Text(rules=(at_least(1), required)),
        "description": Text(nullable=True),
        "type": _TYPE,
        "permissions": _ACTIONS,
        "lifespan": _Lifespan(),
    },
    closed=False,
)
_CHANGE = Fields(
    fields={
        "name": Text(rules=(at_least(1),)),
        "description": Text(nullable=True),
        "type": _TYPE,
        "permissions": _ACTIONS,
    }
)


class ApiTokenApi:
    """``/admin/api-tokens``."""

    def __init__(self, tokens: ApiTokenManager) -> None:
        self._tokens = tokens

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        for method, path, action, handler in (
            ("GET", "admin/api-tokens", "read", self.find),
            ("POST", "admin/api-tokens", "create", self.create),
            ("GET", "admin/api-tokens/:id", "read", self.find_one),
            ("PUT", "admin/api-tokens/:id", "update", self.change),
            ("DELETE", "admin/api-tokens/:id", "delete", self.delete),
            ("POST", "admin/api-tokens/:id/regenerate", "regenerate", self.regenerate),
        ):
            yield Route(
                method=method, path=path, action=f"admin::api-tokens.{action}", handler=handler
            )

    async def find(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List tokens, none of them in clear."""
        return respond_data([_shown(token) for token in await self._tokens.all()])

    async def find_one(self, request: Request) -> Response:
        """Show a token, with its key if the project keeps it and the caller may change it."""
        token = await self._tokens.one(_token_id(request))
        ability = request.administrator.ability
        trusted = any(ability.allows(f"admin::api-tokens.{verb}") for verb in _TRUSTED)
        return respond_data({**_shown(token), **(_in_clear(token) if trusted else {})})

    async def create(self, request: Request) -> Response:
        """Make a token, and show it in clear."""
        given = request.body if isinstance(request.body, Mapping) else {}
        values = read_body({**given, "name": _name(given.get("name", ""))}, _NEW)
        description = values.get("description")
        new = {
            "name": values["name"],
            "description": "" if description is None else description,
            "type": values.get("type", "read-only"),
        }
        lifespan = values.get("lifespan")
        token = await self._tokens.create(
            new, _actions(values), int(str(lifespan)) if lifespan is not None else None
        )
        return respond_data({**_shown(token), "accessKey": token.key}, 201)

    async def change(self, request: Request) -> Response:
        """Change a token."""
        token_id = _token_id(request)
        await self._tokens.one(token_id)
        body = request.body
        if isinstance(body, Mapping) and "name" in body:
            body = {**body, "name": _name(body["name"])}
        values = read_body(body, _CHANGE)
        actions = _actions(values)
        values.pop("permissions", None)
        return respond_data(_shown(await self._tokens.change(token_id, values, actions)))

    async def regenerate(self, request: Request) -> Response:
        """Give a token another secret, and show it in clear."""
        token = await self._tokens.regenerate(_token_id(request))
        told = {"id": token.id, "kind": "content-api", "accessKey": token.key}
        return respond_data(told, 201)

    async def delete(self, request: Request) -> Response:
        """Delete a token; one that is not there is deleted already."""
        token_id = id_of(request.parameters["id"])
        token = None if token_id is None else await self._tokens.delete(token_id)
        return respond_data(None if token is None else _shown(token))


def _token_id(request: Request) -> int:
    token_id = id_of(request.parameters["id"])
    if token_id is None:
        raise NotFoundError(NOT_FOUND)
    return token_id


def _name(value: object) -> object:
    """Read a name: spaces around it do not count, and a number is one, too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def _actions(values: Mapping[str, object]) -> list[str] | None:
    listed = values.get("permissions")
    return [str(action) for action in listed] if isinstance(listed, list) else None


def _in_clear(token: ManagedApiToken) -> dict[str, object]:
    return {} if token.key is None else {"accessKey": token.key}


def _shown(token: ManagedApiToken) -> dict[str, Any]:
    found = serialize_row(token.fields, (*_SHOWN, "createdAt", "updatedAt", "type"))
    lifespan = found["lifespan"]
    found["lifespan"] = None if lifespan is None else str(lifespan)
    return {**found, "permissions": list(token.actions)}
