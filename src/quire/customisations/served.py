"""The routes of content types as a project's router files leave them."""

from msgspec import Struct

from quire.customisations.query_changes import QueryStep
from quire.customisations.reads.model import DocumentRead
from quire.customisations.scripts.model import Script
from quire.schema.model import ContentType, TypeKind

CORE_ACTIONS = ("find", "findOne", "create", "update", "delete")


class ServedRoute(Struct, frozen=True, kw_only=True):
    """One route of a content type that is served.

    ``action`` is what the route names, and ``core`` the action of the core that responds, the same
    where it is empty; with a ``read``, that responds in its place. ``path`` begins with a slash and
    stands below the API's prefix; ``:documentId`` is the id of a document. ``permission`` is what a
    caller must be granted, ``None`` for a route with ``auth: false``; ``needs_user`` asks for an
    end user who is signed in, and what ``is_refused`` is for nobody. ``steps`` are what the route's
    middlewares and the action do to the query before it is read.

    A ``script`` is an action that is evaluated for each request; ``policies`` are scripts, too, and
    ``middlewares`` those in their order, as scripts or as what they do to the query.
    ``id_name`` is what code calls ``:documentId``.
    """

    method: str
    path: str
    action: str
    permission: str | None
    needs_user: bool = False
    is_refused: bool = False
    steps: tuple[QueryStep, ...] = ()
    core: str = ""
    read: DocumentRead | None = None
    script: Script | None = None
    policies: tuple[Script, ...] = ()
    middlewares: tuple[Script | tuple[QueryStep, ...], ...] = ()
    id_name: str = "id"

    @property
    def is_scripted(self) -> bool:
        """Whether something is evaluated for each request."""
        of_route = any(isinstance(one, Script) for one in self.middlewares)
        return self.script is not None or bool(self.policies) or of_route

    @property
    def core_action(self) -> str:
        """The core action whose way of responding is taken."""
        return self.core or self.action


class UnservedRoute(Struct, frozen=True):
    """A route that leads to code of the project's own: it does not exist here.

    ``reason`` says why the code is not understood, if it was looked at.
    """

    method: str
    path: str
    handler: str
    file: str
    reason: str = ""

    def __str__(self) -> str:
        """One line for a terminal."""
        line = f"{self.file}: {self.method} {self.path} ({self.handler}) is not served"
        return f"{line}: it {self.reason}" if self.reason else line


def core_routes(content_type: ContentType) -> tuple[tuple[str, str, str], ...]:
    """Return method, path and action of the routes that the generator gives a content type."""
    path = f"/{content_type.route_name}"
    if content_type.kind is TypeKind.SINGLE:
        return (("GET", path, "find"), ("PUT", path, "update"), ("DELETE", path, "delete"))
    one = f"{path}/:documentId"
    return (
        ("GET", path, "find"),
        ("GET", one, "findOne"),
        ("POST", path, "create"),
        ("PUT", one, "update"),
        ("DELETE", one, "delete"),
    )


def usual_routes(content_type: ContentType) -> tuple[ServedRoute, ...]:
    """Return the routes that a content type has where no router file says anything else."""
    return tuple(
        ServedRoute(
            method=method, path=path, action=action, permission=f"{content_type.uid}.{action}"
        )
        for method, path, action in core_routes(content_type)
    )
