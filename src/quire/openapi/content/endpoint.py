"""The parts of a description of a content route."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from quire.hooks.routes import CustomRoute
from quire.openapi.models import Models
from quire.openapi.operations import DescribedOperation
from quire.openapi.queries import PageLimits, Queries


class Endpoint(Struct, frozen=True, kw_only=True):
    """A route for the document: a path below the API's prefix, with ``:name`` in it.

    ``action`` is the required permission, ``uid`` the content type that it belongs to, if any.
    ``custom`` is the route of the project's Python code.
    """

    method: str
    path: str
    action: str | None
    uid: str | None
    custom: CustomRoute | None = None


class ApiOptions(Struct, frozen=True, kw_only=True):
    """Settings of a project that change its API."""

    server: str
    pages: PageLimits
    refreshes: bool
    """Whether signing in also returns a refresh token."""
    batch_operations: int
    register_fields: tuple[str, ...] = ()
    """Additional attributes that those who register may set."""


class DescriptionContext:
    """The context of descriptions."""

    def __init__(self, models: Models, facts: ApiOptions) -> None:
        self.models = models
        self.facts = facts
        self.schemas = models.schemas
        self.queries = Queries(models, facts.pages)


Describe = Callable[[DescriptionContext], DescribedOperation]
"""Describes one route."""

Table = Mapping[tuple[str, str], Describe]
"""Descriptions by method and path."""
