"""The routes of a content type, as the project's router files restrict and change them."""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from quire.access.ability import NO_PERMISSIONS
from quire.access.principal import Anonymous, EndUser
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.project_javascript.routes import ScriptServices, scripted_route
from quire.content_api.routes import Route
from quire.content_api.scripted_reads import ScriptedReads
from quire.customisations import ServedRoute
from quire.customisations.query_changes import apply_steps
from quire.customisations.reads import DocumentRead
from quire.customisations.value_expressions import uses_path
from quire.document_service.policy_checks import PolicyTable
from quire.document_service.project_rules import acting
from quire.errors import PolicyError
from quire.query.python_parameters import rewrite_query, sent_query

EVERYBODY = Anonymous(NO_PERMISSIONS)
"""The principal of a route with ``auth: false``: anonymous, without permissions.

The route itself requires no permission. Relations stay hidden, as in Strapi, which has no ability
to check.
"""


def guarded_routes(
    uid: str,
    usual_routes: Iterable[Route],
    served_routes: Iterable[ServedRoute],
    reads: ScriptedReads,
    scripts: ScriptServices,
) -> Iterator[Route]:
    """Yield the served routes of a project, from the usual ones of a content type."""
    policies = scripts.documents.engine.policies
    by_action = {str(route.action).rpartition(".")[2]: route for route in usual_routes}
    core = {name: route.handler for name, route in by_action.items()}
    for served_route in served_routes:
        path = served_route.path.strip("/")
        if served_route.is_scripted:
            yield scripted_route(served_route, uid, core, scripts)
            continue
        if served_route.read is not None:
            route = _read_route(served_route, path, served_route.read, reads)
            action = "find" if served_route.read.is_list else "findOne"
            yield _with_policies(route, f"{served_route.read.uid}.{action}", policies)
            continue
        route = by_action[served_route.core_action]
        is_usual = (served_route.permission, path) == (route.action, route.path)
        if is_usual and not (
            served_route.needs_user or served_route.is_refused or served_route.steps
        ):
            yield route
            continue
        changed_route = Route(
            method=served_route.method,
            path=path,
            action=served_route.permission,
            handler=_guard_handler(route, served_route),
            uid=route.uid,
            streams=route.streams,
            # Without authentication, the handler does everything.
            is_immediate=route.is_immediate and served_route.permission is not None,
            runs_in_task=route.runs_in_task,
            is_open=served_route.permission is None,
        )
        yield _with_policies(changed_route, str(route.action), policies)


def _with_policies(route: Route, permission: str, policies: PolicyTable) -> Route:
    """Return a route that checks the policies on reads of a permission of the core."""
    if permission == route.action or not policies.guard_read(permission):
        return route
    handler = route.handler

    async def handle(request: Request) -> Response:
        request.is_guarded = True
        policies.require_read(
            permission,
            acting(request.principal),
            document_id=request.parameters.get("documentId"),
            query=request.query,
        )
        return await handler(request)

    return replace(route, handler=handle)


def _read_route(
    served_route: ServedRoute, path: str, read: DocumentRead, reads: ScriptedReads
) -> Route:
    """Return the route of an action that reads entries by itself."""
    steps = served_route.steps
    name = f"{served_route.method} {path}"

    async def handle(request: Request) -> Response:
        _require_user(served_route, request)
        parameters = request.parameters
        if read.validates:
            raw_query = sent_query(request.raw_query)
            rewritten = rewrite_query(
                raw_query, name, lambda query: apply_steps(steps, query, parameters)
            )
            await reads.validate(read.uid, rewritten.query, request.principal.ability)
        request.raw_query = rewrite_query(
            request.raw_query,
            f"{name} {sorted(parameters.items())}",
            lambda query: read.query_of(
                apply_steps(steps, query, parameters), parameters, reads.schema
            ),
        )
        return await reads.respond(request, read)

    return Route(
        method=served_route.method,
        path=path,
        action=served_route.permission,
        handler=handle,
        uid=read.uid,
        is_open=served_route.permission is None,
    )


def _require_user(served_route: ServedRoute, request: Request) -> None:
    """Raise PolicyError for principals that a route excludes."""
    is_missing = served_route.needs_user and not isinstance(request.principal, EndUser)
    if is_missing or served_route.is_refused:
        raise PolicyError


def _guard_handler(route: Route, served_route: ServedRoute) -> Handler:
    """Return a handler that checks and changes requests before the usual one."""
    handler, prepare = route.handler, _preparation(served_route, route.uid)

    async def handle(request: Request) -> Response:
        prepare(request)
        return await handler(request)

    return handle


def _preparation(served_route: ServedRoute, uid: str | None) -> Callable[[Request], None]:
    steps = served_route.steps
    name = f"{uid} {served_route.method} {served_route.path}"
    looks_at_path = uses_path(steps)

    def prepare(request: Request) -> None:
        _require_user(served_route, request)
        if steps:
            path = request.parameters if looks_at_path else {}
            request.raw_query = rewrite_query(
                request.raw_query,
                f"{name} {sorted(path.items())}" if path else name,
                lambda query: apply_steps(steps, query, path),
            )

    return prepare
