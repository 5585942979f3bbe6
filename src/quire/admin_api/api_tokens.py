"""API tokens: list, create, change, regenerate and delete."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Struct, UnsetType

from quire.admin_api.response_types import CREATED, DataEnvelope, FreeObject, Moment
from quire.admin_api.responses import build_response, respond_data
from quire.auth.admin.api_tokens import NOT_FOUND, ApiTokenManager, ManagedApiToken
from quire.content_api.body_decoding import RequestBody, read_body, sent_values
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import MinLength, ValuePath, id_of, path_id, problem_at
from quire.document_service.validate.problems import Problem
from quire.schema.attributes.validation import ABSENT, not_of_type

LIFESPANS = (604_800_000, 2_592_000_000, 7_776_000_000)
"""A week, 30 days and 90 days, in milliseconds; a token without one does not expire."""

_KEY_PERMISSIONS = ("regenerate", "update")
"""With one of these permissions the key of a token is shown."""
TokenType = Literal["read-only", "full-access", "custom"]


class _Lifespan(Struct, frozen=True):
    json_schema: ClassVar[FreeObject] = {"type": ["integer", "null"]}

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        if value is None or value is ABSENT:
            return
        if isinstance(value, bool) or not isinstance(value, int | float):
            yield problem_at(path, not_of_type("number", value), value)
        if isinstance(value, bool) or value not in LIFESPANS:
            lifespans = ", ".join(map(str, LIFESPANS))
            message = f"must be one of the following values: , {lifespans}"
            yield problem_at(path, message, value)


class NewAdminApiToken(RequestBody, forbid_unknown_fields=False):
    """A new token; without ``lifespan`` (in milliseconds) it does not expire."""

    name: Annotated[str, MinLength(1)]
    description: str | None = None
    type: TokenType = "read-only"
    permissions: list[str] | None = None
    lifespan: Annotated[int | float | None, _Lifespan()] = None


class ApiTokenChange(RequestBody):
    """The changes of a token."""

    name: Annotated[str, MinLength(1)] | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    type: TokenType | UnsetType = UNSET
    permissions: list[str] | UnsetType | None = UNSET


class AdminApiToken(Struct, rename="camel", kw_only=True):
    """An API token; its key is shown when it is created, and if the project stores it."""

    id: int
    kind: str | UnsetType = UNSET
    name: str
    description: str | UnsetType | None = UNSET
    type: TokenType
    access_key: str | UnsetType = UNSET
    permissions: list[str] | UnsetType | None = UNSET
    lifespan: int | str | UnsetType | None = UNSET
    expires_at: Moment | UnsetType | None = UNSET
    last_used_at: Moment | UnsetType | None = UNSET
    created_at: Moment | UnsetType | None = UNSET
    updated_at: Moment | UnsetType | None = UNSET


class ApiTokenKey(Struct, rename="camel"):
    """The new key of a token."""

    id: int
    kind: str
    access_key: str


class ApiTokenApi:
    """``/admin/api-tokens``."""

    def __init__(self, tokens: ApiTokenManager) -> None:
        self._tokens = tokens

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup("API tokens", "admin/api-tokens")
        token_response = DataEnvelope[AdminApiToken]
        read, create, update, delete, regenerate = (
            f"admin::api-tokens.{verb}"
            for verb in ("read", "create", "update", "delete", "regenerate")
        )
        yield route("GET", "", read, self.find, response=DataEnvelope[list[AdminApiToken]])
        yield route(
            "POST",
            "",
            create,
            self.create,
            body=NewAdminApiToken,
            response=token_response,
            status=CREATED,
        )
        yield route("GET", "/:id", read, self.find_one, response=token_response)
        yield route(
            "PUT", "/:id", update, self.change, body=ApiTokenChange, response=token_response
        )
        yield route(
            "DELETE", "/:id", delete, self.delete, response=DataEnvelope[AdminApiToken | None]
        )
        path, key = "/:id/regenerate", DataEnvelope[ApiTokenKey]
        yield route("POST", path, regenerate, self.regenerate, response=key, status=CREATED)

    async def find(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List tokens, without their keys."""
        return respond_data([_serialize_token(token) for token in await self._tokens.all()])

    async def find_one(self, request: Request) -> Response:
        """Show a token, with its key if the project stores it and the caller may change it."""
        token = await self._tokens.get(path_id(request, NOT_FOUND))
        ability = request.administrator.ability
        may_see_key = any(ability.allows(f"admin::api-tokens.{verb}") for verb in _KEY_PERMISSIONS)
        return respond_data(_serialize_token(token, token.key if may_see_key else None))

    async def create(self, request: Request) -> Response:
        """Create a token, and show its key."""
        body = request.body_fields
        token_input = read_body({**body, "name": _name(body.get("name", ""))}, NewAdminApiToken)
        token = await self._tokens.create(
            {
                "name": token_input.name,
                "description": token_input.description or "",
                "type": token_input.type,
            },
            token_input.permissions,
            None if token_input.lifespan is None else int(token_input.lifespan),
        )
        return respond_data(_serialize_token(token, token.key), CREATED)

    async def change(self, request: Request) -> Response:
        """Change a token."""
        token_id = path_id(request, NOT_FOUND)
        await self._tokens.get(token_id)
        body = request.body
        if isinstance(body, Mapping) and "name" in body:
            body = {**body, "name": _name(body["name"])}
        change = read_body(body, ApiTokenChange)
        values, actions = sent_values(change), change.permissions
        values.pop("permissions", None)
        token = await self._tokens.change(token_id, values, None if actions is UNSET else actions)
        return respond_data(_serialize_token(token))

    async def regenerate(self, request: Request) -> Response:
        """Replace the key of a token, and show it."""
        token = await self._tokens.regenerate(path_id(request, NOT_FOUND))
        data = {"id": token.id, "kind": "content-api", "accessKey": token.key}
        return respond_data(data, CREATED)

    async def delete(self, request: Request) -> Response:
        """Delete a token; a missing one counts as deleted."""
        token_id = id_of(request.parameters["id"])
        token = None if token_id is None else await self._tokens.delete(token_id)
        return respond_data(None if token is None else _serialize_token(token))


def _name(value: object) -> object:
    """Parse a name: surrounding spaces are ignored, and a number is accepted, too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() if isinstance(value, str) else value


def _serialize_token(token: ManagedApiToken, key: str | None = None) -> AdminApiToken:
    """Show a token; ``key`` is what it is used with."""
    lifespan = token.row.lifespan
    return build_response(
        AdminApiToken,
        token.row,
        lifespan=None if lifespan is None else str(lifespan),
        permissions=list(token.actions),
        access_key=UNSET if key is None else key,
    )
