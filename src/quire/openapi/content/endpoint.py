"""The parts of a description of a content route."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from quire.hooks.routes import CustomRoute
from quire.openapi.models import Models
from quire.openapi.operations import DescribedOperation
from quire.openapi.queries import PageLimits, Queries


class Endpoint(Struct, frozen=True, kw_only=True):
    """A route that is to be described: a path below the API's prefix, with ``:name`` in it.

    ``action`` is what it asks for, ``uid`` the content type that it belongs to, if any. ``custom``
    is the route of the project's Python code that it is.
    """

    method: str
    path: str
    action: str | None
    uid: str | None
    custom: CustomRoute | None = None


class ApiOptions(Struct, frozen=True, kw_only=True):
    """What the settings of a project say about its API."""

    server: str
    pages: PageLimits
    refreshes: bool
    """Whether signing in gives a refresh token beside the one for requests."""
    batch_operations: int
    register_fields: tuple[str, ...] = ()
    """Attributes that those who register may set besides the usual three."""


class DescriptionContext:
    """What a description may look at."""

    def __init__(self, models: Models, facts: ApiOptions) -> None:
        self.models = models
        self.facts = facts
        self.schemas = models.schemas
        self.queries = Queries(models, facts.pages)


Describe = Callable[[DescriptionContext], DescribedOperation]
"""Describes one route."""

Table = Mapping[tuple[str, str], Describe]
"""Descriptions by method and path."""
