"""The OpenAPI document of the content API, for one caller."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from quire import __version__
from quire.access.ability import Ability
from quire.access.declared_routes import DeclaredRoute
from quire.openapi.content.documents import DescriptionContext, describe_document_route
from quire.openapi.content.python_routes import describe_custom_route
from quire.openapi.document import DocumentInfo, RouteOperation, assemble
from quire.openapi.document_schemas import Models
from quire.openapi.json_schema import INTEGER, Schemas
from quire.openapi.operations import DescribedOperation, path_parameter
from quire.openapi.query_parameters import PageLimits
from quire.openapi.routes import describe_route, parameter_names
from quire.schema.model import Schema

_TITLE = "Content API"
_ABOUT = (
    "What the caller may do with the content of this project. Nested parameters are written with "
    "brackets: `filters[title][$contains]=sea`, `populate[author][fields][0]=name`, "
    "`pagination[page]=2`."
)
_CREDENTIAL = "An API token, or the token of an end user who has signed in."
_IN_PATH = {
    "id": path_parameter("id", INTEGER, "The id of a row; documentIds are unknown here."),
    "provider": path_parameter("provider", description="Name of a provider, such as `google`."),
    "uid": path_parameter("uid", description="Uid, such as `api::article.article`."),
}
_NO_CONTENT = 204


class ApiOptions(Struct, frozen=True, kw_only=True):
    """The settings of a project that the description of its API contains."""

    server: str
    pages: PageLimits


def describe_content_api(
    schema: Schema, ability: Ability, routes: Iterable[DeclaredRoute], options: ApiOptions
) -> dict[str, Any]:
    """Build the document of the routes that the caller may call, in their order.

    Raises TypeError for a type that has no schema.
    """
    schemas = Schemas()
    context = DescriptionContext(Models(schema, ability, schemas), options.pages)
    information = DocumentInfo(
        title=_TITLE,
        version=__version__,
        description=_ABOUT,
        server=options.server,
        credential=_CREDENTIAL,
    )
    return assemble(information, _operations(context, routes), schemas)


def _operations(
    context: DescriptionContext, routes: Iterable[DeclaredRoute]
) -> Iterator[RouteOperation]:
    type_uids = {content_type.uid for content_type in context.models.schema.api_types}
    for route in routes:
        if route.custom is not None:
            operation = describe_custom_route(context, route.custom)
        elif route.uid in type_uids and route.action is not None:
            content_type = context.models.schema.content_types[route.uid or ""]
            verb = route.action.rpartition(".")[2]
            names = parameter_names(route)
            operation = describe_document_route(context, content_type, verb, names)
        else:
            operation = _operation(context, route)
        yield route.method, route.path, operation


def _operation(context: DescriptionContext, route: DeclaredRoute) -> DescribedOperation:
    """Describe a route that every project has."""
    names = parameter_names(route)
    never_missing = _NO_CONTENT in route.other_responses or "provider" in names
    is_plain = route.method == "GET" and route.query is None
    errors = [
        *([] if is_plain else [400]),
        *([401] if route.action is None else [401, 403]),
        *([404] if names and not never_missing else []),
        *([413] if route.body is not None else []),
    ]
    first_word, *other_words = route.handler.__name__.split("_")
    return describe_route(
        route,
        context.types,
        operation_id=first_word + "".join(word.capitalize() for word in other_words),
        errors=errors,
        path_parameters=_IN_PATH,
        read=context.queries.of_kind,
    )
