"""The OpenAPI document of the admin API."""

from collections.abc import Iterable
from typing import Any

from quire import __version__
from quire.access.declared_routes import DeclaredRoute
from quire.openapi.admin.entries import Entries, ManagedTypes
from quire.openapi.document import DocumentInfo, assemble
from quire.openapi.json_schema import Schemas
from quire.openapi.operations import DescribedOperation
from quire.openapi.python_types import TypeSchemas
from quire.openapi.routes import describe_route, parameter_names

_ABOUT = (
    "The API of the admin UI. Actions without a permission lead to 403; responses contain only "
    "what the administrator may read."
)
_CREDENTIAL = "The access token of an administrator who has signed in."
_OPEN_ERRORS, _ERRORS = (400, 429), (400, 401, 403)


def describe_admin_api(
    routes: Iterable[DeclaredRoute], managed_types: ManagedTypes
) -> dict[str, Any]:
    """Make the document of these routes, in their order, and of the content that is managed.

    Raises TypeError for a type without a schema.
    """
    schemas = Schemas()
    types = TypeSchemas(schemas)
    entries = Entries(managed_types, types)
    types.known[managed_types.entry] = schemas.refer(
        managed_types.entry, "ManagedEntry", entries.response_schema
    )
    entry_input = schemas.refer(managed_types.entry_input, "EntryInput", entries.request_schema)
    types.known[managed_types.entry_input] = entry_input
    information = DocumentInfo(
        title="Admin API",
        version=__version__,
        description=_ABOUT,
        server="/",
        credential=_CREDENTIAL,
    )
    operations = ((route.method, route.path, _operation(route, types)) for route in routes)
    return assemble(information, operations, schemas)


def _operation(route: DeclaredRoute, types: TypeSchemas) -> DescribedOperation:
    errors = _OPEN_ERRORS if route.action is None else _ERRORS
    return describe_route(
        route,
        types,
        operation_id=_name(route),
        description="" if route.action is None else f"Asks for: {route.action}.",
        errors=(*errors, 404) if parameter_names(route) else errors,
    )


def _name(route: DeclaredRoute) -> str:
    """Return the id of an operation, from its method and path."""
    words = [route.method.lower()]
    for part in route.path.strip("/").replace(".", "/").replace("_", "-").split("/"):
        parameter = part.removeprefix(":")
        words += (
            [f"By{parameter[:1].upper()}{parameter[1:]}"] if part != parameter else part.split("-")
        )
    first_word, *other_words = (word for word in words if word)
    return first_word + "".join(f"{word[:1].upper()}{word[1:]}" for word in other_words)
