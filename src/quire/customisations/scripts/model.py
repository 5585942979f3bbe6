"""Functions of a project that are evaluated for each request."""

from collections.abc import Callable, Mapping
from enum import Enum

from msgspec import Struct

from quire.javascript.scope import Module
from quire.javascript.syntax import Expression
from quire.schema.model import ContentType


class ScriptKind(Enum):
    """What a function is for."""

    ACTION = "action"
    POLICY = "policy"
    MIDDLEWARE = "middleware"
    HANDLER = "handler"
    """A middleware that stands in a route, ``(ctx, next) => …``."""


class ServiceCode(Struct, frozen=True, eq=False):
    """A service of the project: what its file exports, with or without the factory of the core."""

    module: Module
    made: Expression
    is_core: bool


FindService = Callable[[str], ServiceCode | None]


class Script(Struct, frozen=True, kw_only=True, eq=False):
    """A function to evaluate.

    ``made`` is what its file exports, or, for an action, the object of actions or the function that
    makes it; ``name`` is that of the action. ``uid`` is the type of the controller, ``config`` what
    a route gives to a policy or middleware.
    """

    kind: ScriptKind
    module: Module
    made: Expression
    services: FindService
    name: str = ""
    uid: str = ""
    is_core: bool = True
    """Whether the controller stands on the one of the core."""
    config: Mapping[str, object] = {}


def has_single_rows(content_type: ContentType) -> bool:
    """Whether each document of a type is one row: who deletes the row deletes the document."""
    return content_type.is_api and not content_type.draft_and_publish and not content_type.localized
