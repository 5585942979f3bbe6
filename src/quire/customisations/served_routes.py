"""The served routes of content types, after a project's router files."""

from msgspec import Struct

from quire.customisations.evaluated_code.model import Script
from quire.customisations.query_changes import QueryStep
from quire.customisations.reads.model import DocumentRead
from quire.schema.model import ContentType, TypeKind

CORE_ACTIONS = ("find", "findOne", "create", "update", "delete")


class ServedRoute(Struct, frozen=True, kw_only=True):
    """A served route of a content type.

    ``action`` is the one that the route names, and ``core`` the core action that responds, the same
    if it is empty; a ``read`` responds instead. ``path`` begins with a slash and is below the API's
    prefix; ``:documentId`` is the id of a document. ``permission`` is required of a caller,
    ``None`` for a route with ``auth: false``; ``needs_user`` requires a signed-in end user, and
    ``is_refused`` rejects everybody. ``steps`` are the query changes of the route's middlewares and
    the action. A ``script`` is an action that is evaluated for each request; ``policies`` are
    scripts, too, and ``middlewares`` those in their order, as scripts or as query changes.
    ``id_name`` is the name of ``:documentId`` in code.
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
        """Whether code is evaluated for each request."""
        of_route = any(isinstance(middleware, Script) for middleware in self.middlewares)
        return self.script is not None or bool(self.policies) or of_route

    @property
    def core_action(self) -> str:
        """The core action whose response format is used."""
        return self.core or self.action


class UnservedRoute(Struct, frozen=True):
    """A route to code of the project's own, which does not exist here.

    ``reason`` says why the code is not understood, if it was analysed.
    """

    method: str
    path: str
    handler: str
    file: str
    reason: str = ""

    def __str__(self) -> str:
        line = f"{self.file}: {self.method} {self.path} ({self.handler}) is not served"
        return f"{line}: it {self.reason}" if self.reason else line


def core_routes(content_type: ContentType) -> tuple[tuple[str, str, str], ...]:
    """Return method, path and action of the routes that the generator writes for a content type."""
    path = f"/{content_type.route_name}"
    if content_type.kind is TypeKind.SINGLE:
        return (("GET", path, "find"), ("PUT", path, "update"), ("DELETE", path, "delete"))
    document_path = f"{path}/:documentId"
    return (
        ("GET", path, "find"),
        ("GET", document_path, "findOne"),
        ("POST", path, "create"),
        ("PUT", document_path, "update"),
        ("DELETE", document_path, "delete"),
    )


def usual_routes(content_type: ContentType) -> tuple[ServedRoute, ...]:
    """Return the routes of a content type without a router file."""
    return tuple(
        ServedRoute(
            method=method, path=path, action=action, permission=f"{content_type.uid}.{action}"
        )
        for method, path, action in core_routes(content_type)
    )
