"""The routes of a content type, as the router files of a project guard and change them."""

from collections.abc import Callable, Iterable, Iterator

from quire.access.ability import NOTHING
from quire.access.principal import Anonymous, EndUser
from quire.api.messages import Answer, Handler, Request, RespondNow
from quire.api.rewritten_query import rewrite_query
from quire.api.routes import Route
from quire.customisations import ServedRoute
from quire.customisations.query_changes import apply_steps
from quire.errors import PolicyError

EVERYBODY = Anonymous(NOTHING)
"""Who asks a route with ``auth: false``: nobody, who may do nothing else.

The route itself asks for no permission. Relations stay hidden there, as they do in the reference,
which has nobody to ask whether they may be read.
"""


def guarded_routes(usual: Iterable[Route], served: Iterable[ServedRoute]) -> Iterator[Route]:
    """Yield the routes that a project serves, made of the usual ones of a content type."""
    by_action = {str(route.action): route for route in usual}
    for one in served:
        route = next(
            route for action, route in by_action.items() if action.endswith(f".{one.action}")
        )
        path = one.path.strip("/")
        is_usual = (one.permission, path) == (route.action, route.path)
        if is_usual and not one.needs_user and not one.steps:
            yield route
            continue
        yield Route(
            method=one.method,
            path=path,
            action=one.permission,
            handler=_guarded(route, one),
            uid=route.uid,
            streams=route.streams,
            respond_now=_guarded_now(route, one),
            is_open=one.permission is None,
        )


def _guarded(route: Route, served: ServedRoute) -> Handler:
    """Return a handler that checks and changes requests before the usual one gets them."""
    handler, prepare = route.handler, _preparation(route, served)

    async def handle(request: Request) -> Answer:
        prepare(request)
        return await handler(request)

    return handle


def _guarded_now(route: Route, served: ServedRoute) -> RespondNow | None:
    """Return what responds without waiting; where nobody is identified, the handler does it all."""
    respond_now, prepare = route.respond_now, _preparation(route, served)
    if respond_now is None or served.permission is None:
        return None

    def respond(request: Request) -> Answer:
        prepare(request)
        return respond_now(request)

    return respond


def _preparation(route: Route, served: ServedRoute) -> Callable[[Request], None]:
    steps = served.steps
    name = f"{route.uid} {served.method} {served.path}"

    def prepare(request: Request) -> None:
        """Raises PolicyError for those whom the route is not for."""
        if served.needs_user and not isinstance(request.principal, EndUser):
            raise PolicyError
        if steps:
            request.raw_query = rewrite_query(
                request.raw_query, name, lambda query: apply_steps(steps, query)
            )

    return prepare
