"""Functions of a project that are evaluated for each request."""

from collections.abc import Callable, Mapping
from enum import Enum

from msgspec import Struct

from quire.javascript.scope import Module
from quire.javascript.syntax import Expression
from quire.schema.model import ContentType


class ScriptKind(Enum):
    """The purpose of a function."""

    ACTION = "action"
    POLICY = "policy"
    MIDDLEWARE = "middleware"
    HANDLER = "handler"
    """A middleware in a route, ``(ctx, next) => …``."""


class ServiceCode(Struct, frozen=True, eq=False):
    """A service of the project: the exports of its file, with or without the core factory."""

    module: Module
    factory: Expression
    is_core: bool


FindService = Callable[[str], ServiceCode | None]


class Script(Struct, frozen=True, kw_only=True, eq=False):
    """A function to evaluate.

    ``factory`` is the export of its file, or, for an action, the object of actions or the function
    that returns it; ``name`` is that of the action. ``uid`` is the type of the controller,
    ``config`` the options that a route gives to a policy or middleware.
    """

    kind: ScriptKind
    module: Module
    factory: Expression
    services: FindService
    name: str = ""
    uid: str = ""
    is_core: bool = True
    """Whether the controller extends the core controller."""
    config: Mapping[str, object] = {}


def has_single_rows(content_type: ContentType) -> bool:
    """Whether each document of a type is one row, so that deleting the row deletes the document."""
    return content_type.is_api and not content_type.draft_and_publish and not content_type.localized
