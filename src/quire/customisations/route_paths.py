"""Routes as files list them: which are plain, and which requests reach them."""

import re

from quire.customisations.served import core_routes
from quire.javascript.scope import CODE
from quire.schema.model import ContentType

_PLAIN_PATH = re.compile(r"(?:/(?::?[\w.~-]+))+/?")
_ID = ":id"


def is_route(route: object) -> bool:
    """Whether an entry of a list of routes is one that can be read."""
    match route:
        case {"method": str(), "path": str() as path, "handler": handler, **options}:
            known = {"config", "info"}.issuperset(options)
            return known and handler is not CODE and bool(_PLAIN_PATH.fullmatch(path))
        case _:
            return False


def can_be_served(method: str, path: str, action: str, content_type: ContentType) -> bool:
    """Whether a path leads to a core action that finds what it needs in it."""
    usual = {name: verb for verb, _, name in core_routes(content_type)}
    if usual.get(action) != method:
        return False
    needs_id = any(name == action and ":" in of for _, of, name in core_routes(content_type))
    if action == "find":
        return True
    return (_ID in path.split("/")) == needs_id and path.count("/:") == int(needs_id)


def covers(taken: tuple[str, str], own: tuple[str, str]) -> bool:
    """Whether every request for a route reaches one that was registered before."""
    first, later = taken[1].strip("/").split("/"), own[1].strip("/").split("/")
    return (
        taken[0] == own[0]
        and len(first) == len(later)
        and all(
            part.startswith(":") or part.lower() == other.lower()
            for part, other in zip(first, later, strict=True)
        )
    )


def with_document_id(path: str) -> str:
    """Return a path in which the id is called as it is here."""
    return "/".join(":documentId" if part == _ID else part for part in path.split("/"))
