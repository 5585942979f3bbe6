"""Routes whose action, policies or middlewares are evaluated for each request."""

# Functions are created for each request here; postponed annotations make that cheaper.
from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus

import msgspec
import structlog
from msgspec import Struct

from quire.access.principal import ApiToken, EndUser
from quire.content_api.envelope import respond_unless_known, tag_of
from quire.content_api.format_v4 import HEADER, VALUE, made_entry_to_v4
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.project_javascript.context import Context, State, thrown_response
from quire.content_api.project_javascript.document_apis import DataAccess, as_catchable, error_value
from quire.content_api.project_javascript.input import sanitized_input
from quire.content_api.project_javascript.output import sanitized
from quire.content_api.project_javascript.queries import Query, content_query
from quire.content_api.routes import Route
from quire.customisations import ServedRoute
from quire.customisations.evaluated_code.model import FindService, Script, ScriptKind
from quire.customisations.evaluated_code.paths import CTX_METHODS
from quire.customisations.query_changes import QueryStep, apply_steps
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.errors import AppError, InternalServerError, PolicyError
from quire.javascript.interpreter.builtins import library, quiet_log, strapi_errors
from quire.javascript.interpreter.evaluator import Machine, settled
from quire.javascript.interpreter.packages import PACKAGES
from quire.javascript.interpreter.scopes import Closure, Frame
from quire.javascript.interpreter.values import (
    ErrorValue,
    HostFunction,
    HostObject,
    ThrownError,
    UnsupportedError,
    as_json,
    is_nullish,
)
from quire.javascript.scope import UNDEFINED
from quire.query.python_parameters import RewrittenQuery, as_query, read_query, sent_query

_log = structlog.get_logger("quire")
_NO_CONTENT = 204
_PACKAGES = {**PACKAGES, "@strapi/utils": HostObject({"errors": strapi_errors()})}
_READING = frozenset({"GET", "HEAD"})
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
_MAX_CLIENT_STATUS = 499


class ScriptServices(Struct, frozen=True, kw_only=True):
    """What code may use: ``now`` returns milliseconds since 1970.

    ``environment`` is the value of ``process.env.NODE_ENV``; ``jwt_user_id`` returns the end user
    to whom a JWT was issued, ``None`` for invalid ones.
    """

    reader: ReadService
    documents: DocumentService
    now: Callable[[], int]
    environment: str
    jwt_user_id: Callable[[str], Awaitable[int | None]]


def scripted_route(
    served_route: ServedRoute, uid: str, core: Mapping[str, Handler], services: ScriptServices
) -> Route:
    """Return the route of code; ``core`` are the handlers of the type's core actions."""

    async def handle(request: Request) -> Response:
        script_request = _ScriptRequest(served_route, uid, core, services, request)
        response = await script_request.respond()
        has_tag = any(name == b"etag" for name, _ in response.headers)
        if request.method in _READING and response.status == HTTPStatus.OK and not has_tag:
            response.tag = tag_of(response.body)
        return respond_unless_known(response, request.headers)

    return Route(
        method=served_route.method,
        path=served_route.path.strip("/"),
        action=served_route.permission,
        handler=handle,
        uid=uid,
        is_open=served_route.permission is None,
    )


class _ScriptRequest:
    """One request that code responds to."""

    def __init__(
        self,
        served_route: ServedRoute,
        uid: str,
        core: Mapping[str, Handler],
        services: ScriptServices,
        request: Request,
    ) -> None:
        self._served_route = served_route
        self._uid = uid
        self._core = core
        self._reader = services.reader
        self._jwt_user_id = services.jwt_user_id
        self._request = request
        self._engine = DataAccess(services.reader, services.documents, request)
        names: dict[str, object] = {}
        self._machine = Machine(names, partial(asyncio.sleep, 0), _PACKAGES)
        self._strapi = self._server()
        environment = HostObject({"NODE_ENV": services.environment})
        names |= {
            **library(self._machine, services.now),
            "process": HostObject({"env": environment}),
            "strapi": self._strapi,
        }
        self._services: dict[str, Mapping[str, object]] = {}
        self._find_service: FindService = lambda _uid: None
        self._find_service = next(
            (script.services for script in self._scripts()), self._find_service
        )

    def _scripts(self) -> list[Script]:
        served_route = self._served_route
        scripts = [
            *served_route.policies,
            *(
                middleware
                for middleware in served_route.middlewares
                if isinstance(middleware, Script)
            ),
        ]
        return scripts if served_route.script is None else [*scripts, served_route.script]

    async def respond(self) -> Response:
        """Respond to the request. Raises AppError."""
        served_route = self._served_route
        is_missing = served_route.needs_user and not isinstance(self._request.principal, EndUser)
        if is_missing or served_route.is_refused:
            raise PolicyError
        try:
            ctx = await self._context()
            for policy in self._served_route.policies:
                await self._ask(policy, ctx)
            await self._run_from(ctx, 0)
            return ctx.response()
        except ThrownError as error:
            return self._respond_error(error)
        except UnsupportedError as error:
            _log.error(
                "code of the project came upon something that is not evaluated",
                route=f"{self._served_route.method} {self._served_route.path}",
                reason=str(error),
            )
            raise InternalServerError from error
        except RecursionError as error:
            raise InternalServerError from error

    def _respond_error(self, error: ThrownError) -> Response:
        response = thrown_response(error)
        if response is not None:
            return response
        message = error.value.message if isinstance(error.value, ErrorValue) else "something"
        route = f"{self._served_route.method} {self._served_route.path}"
        _log.error("code of the project failed", route=route, reason=message)
        raise InternalServerError from error

    # The request

    async def _context(self) -> Context:
        request, served_route = self._request, self._served_route
        parameters = {
            served_route.id_name if name == "documentId" else name: value
            for name, value in request.parameters.items()
        }
        query = msgspec.json.decode(msgspec.json.encode(read_query(sent_query(request.raw_query))))
        body = msgspec.json.decode(msgspec.json.encode(request.body))
        if body is None:
            body = {} if request.method in _WITH_BODY else UNDEFINED
        headers = {
            name.decode("latin-1"): value.decode("latin-1")
            for name, value in request.headers.items()
        }
        address = request.client[0] if request.client else ""
        request_object = HostObject(
            {
                "ip": address,
                "query": query,
                "body": body,
                "params": parameters,
                "method": request.method,
                "headers": headers,
                "header": headers,
            },
            writable=("query", "body"),
        )
        api = self._uid.removeprefix("api::").partition(".")[0]
        route = HostObject({"info": HostObject({"apiName": api, "type": "content-api"})})
        state = State({**await self._principal_state(), "route": route})
        members = {"params": parameters, "headers": headers, "header": headers, "ip": address}
        return Context(request_object, state, {**members, "method": request.method})

    async def _principal_state(self) -> dict[str, object]:
        """Return the principal in the form of ``ctx.state``."""
        principal = self._request.principal
        if self._served_route.permission is None:
            return {}
        match principal:
            case EndUser(id=user_id):
                user = await self._engine.user(user_id)
                return {"user": user, "auth": _auth("users-permissions", user)}
            case ApiToken():
                credentials = HostObject({"id": principal.id, "type": principal.type})
                return {"auth": _auth("content-api-token", credentials)}
            case _:
                return {"auth": _auth("users-permissions", None)}

    # Policies and middlewares

    async def _ask(self, policy: Script, ctx: Context) -> None:
        """Raise PolicyError unless a policy allows the request."""
        members = {"request": ctx.member("request"), "state": ctx.member("state")}
        # Policies only receive the members of the context, without its methods.
        undefined_methods = dict.fromkeys(CTX_METHODS, UNDEFINED)
        context = HostObject({**undefined_methods, **members, "params": ctx.member("params")})
        decide = await self._function_of(policy)
        arguments = [context, _config(policy), {"strapi": self._strapi}]
        result = settled(await self._machine.call(decide, arguments, UNDEFINED))
        if result is not True and result is not UNDEFINED:
            raise PolicyError

    async def _run_from(self, ctx: Context, index: int) -> None:
        """Run the middlewares from one on, and then the action."""
        if index == len(self._served_route.middlewares):
            value = await self._run_action(ctx)
            if not ctx.has_body and not is_nullish(value):
                ctx.respond(value)
            return
        middleware = self._served_route.middlewares[index]
        if not isinstance(middleware, Script):
            self._change(ctx, middleware)
            await self._run_from(ctx, index + 1)
            return
        called_next = False

        async def following(_arguments: list[object]) -> object:
            nonlocal called_next
            if called_next:
                raise UnsupportedError("goes on twice")
            called_next = True
            try:
                await self._run_from(ctx, index + 1)
            except AppError as error:
                if error.status > _MAX_CLIENT_STATUS:
                    raise
                raise ThrownError(error_value(error)) from None
            return UNDEFINED

        handler = await self._function_of(middleware)
        if middleware.kind is ScriptKind.MIDDLEWARE:
            arguments = [_config(middleware), {"strapi": self._strapi}]
            handler = settled(await self._machine.call(handler, arguments, UNDEFINED))
        next_function = HostFunction(following, is_async=True)
        settled(await self._machine.call(handler, [ctx, next_function], UNDEFINED))

    def _change(self, ctx: Context, steps: tuple[QueryStep, ...]) -> None:
        """Change the query by the steps of an understood middleware."""
        query, path = ctx.member("query"), ctx.member("params")
        if not isinstance(query, dict) or not isinstance(path, dict):
            raise UnsupportedError("a query that is no object")
        request_object = ctx.member("request")
        if isinstance(request_object, HostObject):
            request_object.assign("query", {**apply_steps(steps, query, path)})

    async def _function_of(self, script: Script) -> object:
        """Return the function of a script."""
        scope = self._machine.scope_of(script.module)
        return await self._machine.evaluate(script.factory, scope, Frame(UNDEFINED, UNDEFINED))

    # Actions

    async def _run_action(self, ctx: Context) -> object:
        script = self._served_route.script
        if script is None:
            return await self._call_core(ctx, self._served_route.core_action)
        actions, core_actions = await self._controller(script)
        action = actions.get(script.name)
        if not isinstance(action, Closure):
            raise UnsupportedError("an action that is no function")

        async def following(_arguments: list[object]) -> object:
            return UNDEFINED

        arguments = [ctx, HostFunction(following, is_async=True)]
        return settled(await self._machine.call(action, arguments, {**core_actions, **actions}))

    async def _controller(
        self, script: Script
    ) -> tuple[Mapping[str, object], Mapping[str, object]]:
        """Return the methods of a controller, and those of the core."""
        if not script.is_core:
            return await self._methods(script, UNDEFINED), {}
        actions = {name: self._core_action(name) for name in self._core}
        methods = {
            "transformResponse": self._transform,
            "sanitizeInput": self._sanitize_input,
            "sanitizeOutput": self._sanitize,
            "sanitizeQuery": self._validate_query,
            "validateQuery": self._validate_query,
        }
        base: dict[str, object] = {
            name: HostFunction(as_catchable(call), is_async=True) for name, call in methods.items()
        }
        home = HostObject({**base, **actions})
        return await self._methods(script, home), {**base, **actions}

    async def _methods(self, script: Script, home: object) -> Mapping[str, object]:
        frame = Frame(UNDEFINED, home)
        scope = self._machine.scope_of(script.module)
        methods = await self._machine.evaluate(script.factory, scope, frame)
        if isinstance(methods, Closure):
            methods = settled(
                await self._machine.call(methods, [{"strapi": self._strapi}], UNDEFINED)
            )
        if not isinstance(methods, dict):
            raise UnsupportedError("a controller that is no object")
        return methods

    def _core_action(self, name: str) -> HostFunction:
        async def call(arguments: list[object]) -> object:
            ctx = arguments[0] if arguments else UNDEFINED
            if not isinstance(ctx, Context):
                raise UnsupportedError("calls the core with another request")
            return await self._call_core(ctx, name)

        return HostFunction(as_catchable(call), is_async=True)

    async def _call_core(self, ctx: Context, name: str) -> object:
        """Let the core respond to the present request."""
        if name not in self._core or self._engine.session.is_open:
            raise UnsupportedError(f"{name} of the core")
        response = await self._core[name](self._core_request(ctx))
        if self._request.method != "GET":
            self._engine.session.version = None
        ctx.set_status(response.status) if response.status != 200 else None
        if response.status == _NO_CONTENT:
            return UNDEFINED
        return msgspec.json.decode(response.body)

    def _core_request(self, ctx: Context) -> Request:
        """Return the request for the core."""
        request = self._request
        core_request = Request(
            request.method,
            request.path,
            _raw_query(ctx.member("query")),
            {name: value for name, value in request.headers.items() if name != b"if-none-match"},
            request.client,
            request.credential,
        )
        core_request.parameters = _core_parameters(ctx.member("params"))
        core_request.principal = request.principal
        core_request.version = self._engine.session.version
        request_object = ctx.member("request")
        body = (
            request_object.member("body") if isinstance(request_object, HostObject) else UNDEFINED
        )
        core_request.body = None if body is UNDEFINED else as_json(body)
        core_request.commits = request.commits
        return core_request

    async def _transform(self, arguments: list[object]) -> object:
        data = arguments[0] if arguments else UNDEFINED
        if is_nullish(data):
            return data
        if not isinstance(data, dict | list):
            raise ThrownError(ErrorValue("Error", "Entry must be an object or an array of objects"))
        if self._request.headers.get(HEADER) == VALUE:
            schema = self._reader.schema
            try:
                data = made_entry_to_v4(data, schema.content_types.get(self._uid), schema)
            except TypeError:
                raise ThrownError(ErrorValue("Error", "Entry must be an object")) from None
        meta = arguments[1] if len(arguments) > 1 and arguments[1] is not UNDEFINED else {}
        return {"data": data, "meta": meta}

    async def _sanitize(self, arguments: list[object]) -> object:
        schema = self._reader.schema
        model = schema.content_types[self._uid]
        data = arguments[0] if arguments else UNDEFINED
        if len(arguments) < 2 or not isinstance(arguments[1], Context):
            raise UnsupportedError("sanitizes for another request")
        return sanitized(settled(data), model, schema, self._request.principal.ability)

    async def _sanitize_input(self, arguments: list[object]) -> object:
        schema = self._reader.schema
        if len(arguments) < 2 or not isinstance(arguments[1], Context):
            raise UnsupportedError("sanitizes for another request")
        ability = None if self._served_route.permission is None else self._request.principal.ability
        return sanitized_input(
            settled(arguments[0]), schema.content_types[self._uid], schema, ability
        )

    async def _validate_query(self, arguments: list[object]) -> object:
        """Check the query as the core does; return it."""
        ctx = arguments[0] if arguments else UNDEFINED
        query = ctx.member("query") if isinstance(ctx, Context) else UNDEFINED
        if not isinstance(query, dict):
            raise UnsupportedError("checks another query")
        await self._engine.validate(self._uid, content_query(query))
        return {**query}

    # The server

    def _server(self) -> HostObject:
        async def documents(arguments: list[object]) -> object:
            return self._engine.documents(arguments[0] if arguments else UNDEFINED)

        async def rows(arguments: list[object]) -> object:
            return self._engine.rows(arguments[0] if arguments else UNDEFINED)

        async def service(arguments: list[object]) -> object:
            return await self._service(arguments[0] if arguments else UNDEFINED)

        return HostObject(
            {
                "documents": HostFunction(documents),
                "query": HostFunction(rows),
                "db": HostObject(
                    {
                        "query": HostFunction(rows),
                        "transaction": HostFunction(as_catchable(self._transaction), is_async=True),
                    }
                ),
                "entityService": self._engine.entities(),
                "service": HostFunction(service),
                "plugin": HostFunction(self._plugin),
                "plugins": HostObject(
                    {"users-permissions": HostObject({"services": HostObject({"jwt": self._jwt})})}
                ),
                "log": quiet_log(),
            }
        )

    async def _transaction(self, arguments: list[object]) -> object:
        """Call a function of the code within a transaction."""
        if len(arguments) != 1 or not isinstance(arguments[0], Closure):
            raise UnsupportedError("a transaction that no function ends")
        function = arguments[0]

        async def run(handles: HostObject) -> object:
            return settled(await self._machine.call(function, [handles], UNDEFINED))

        return await self._engine.session.transaction(run)

    async def _plugin(self, arguments: list[object]) -> object:
        """Return the plugin of end users, with which code may verify tokens."""

        async def service(arguments: list[object]) -> object:
            if arguments != ["jwt"]:
                raise UnsupportedError("a service of a plugin")
            return self._jwt

        if arguments != ["users-permissions"]:
            raise UnsupportedError("a plugin")
        return HostObject({"service": HostFunction(service)})

    @property
    def _jwt(self) -> HostObject:
        """The service with which code may verify tokens."""
        return HostObject({"verify": HostFunction(self._verify, is_async=True)})

    async def _verify(self, arguments: list[object]) -> object:
        """Return the payload of a JWT of an end user; other tokens raise the error of Strapi."""
        token = arguments[0] if arguments else UNDEFINED
        user_id = await self._jwt_user_id(token) if isinstance(token, str) else None
        if user_id is None:
            raise ThrownError(ErrorValue("Error", "Invalid token."))
        return HostObject({"id": user_id})

    async def _service(self, uid: object) -> Mapping[str, object]:
        """Return a service: its methods, and those of the core."""
        if not isinstance(uid, str):
            raise UnsupportedError("a service that is not known")
        if uid in self._services:
            return self._services[uid]
        code = self._find_service(uid)
        if code is None:
            raise UnsupportedError(f"the service {uid}")
        base = self._engine.service(uid) if code.is_core else {}
        frame = Frame(UNDEFINED, HostObject(base))
        scope = self._machine.scope_of(code.module)
        service = await self._machine.evaluate(code.factory, scope, frame)
        if isinstance(service, Closure):
            service = settled(
                await self._machine.call(service, [{"strapi": self._strapi}], UNDEFINED)
            )
        if not isinstance(service, dict):
            raise UnsupportedError(f"the service {uid}")
        self._services[uid] = {**base, **service}
        return self._services[uid]


def _auth(strategy: str, credentials: object) -> HostObject:
    return HostObject({"strategy": HostObject({"name": strategy}), "credentials": credentials})


def _config(script: Script) -> object:
    config: object = msgspec.json.decode(msgspec.json.encode(script.config))
    return config


def _raw_query(query: object) -> bytes:
    """Return a query as a raw query of a request, unequal to every sent one."""
    if not isinstance(query, dict):
        raise UnsupportedError("a query that is no object")
    core_query: Query = content_query(query)
    raw = RewrittenQuery(b"\0code\0" + msgspec.json.encode(core_query))
    raw.original = b""
    raw.query = {name: as_query(value) for name, value in core_query.items()}
    return raw


def _core_parameters(parameters: object) -> dict[str, str]:
    """Return the parameters of the path by their names in the core."""
    document_id = parameters.get("id") if isinstance(parameters, dict) else None
    if document_id is None:
        return {}
    if not isinstance(document_id, str) or not document_id:
        raise UnsupportedError("a document without an id")
    return {"documentId": document_id}
