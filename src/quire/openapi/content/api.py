"""The OpenAPI document of the content API, for one caller."""

from collections.abc import Iterable, Iterator
from typing import Any

from quire import __version__
from quire.access.ability import Ability
from quire.openapi.content.account import ACCOUNT_ROUTES, SESSION_ROUTES
from quire.openapi.content.custom_routes import describe_custom_route
from quire.openapi.content.documents import describe_document_route
from quire.openapi.content.endpoint import ApiOptions, DescriptionContext, Endpoint, Table
from quire.openapi.content.files import FILE_ROUTES
from quire.openapi.content.other_routes import BATCH, FURTHER_ROUTES, batched_types
from quire.openapi.content.users import USER_ROUTES
from quire.openapi.document import DocumentInfo, Placed, assemble
from quire.openapi.models import Models
from quire.openapi.schemas import Schemas
from quire.schema.model import Schema

ROUTES: Table = {**FURTHER_ROUTES, **FILE_ROUTES, **ACCOUNT_ROUTES, **USER_ROUTES}
"""The routes that are the same in every project."""

_TITLE = "Content API"
_ABOUT = (
    "What the caller may do with the content of this project. Nested parameters are written with "
    "brackets: `filters[title][$contains]=sea`, `populate[author][fields][0]=name`, "
    "`pagination[page]=2`."
)
_CREDENTIAL = "An API token, or the token of an end user who has signed in."


def describe_content_api(
    schema: Schema, ability: Ability, endpoints: Iterable[Endpoint], facts: ApiOptions
) -> dict[str, Any]:
    """Build the document of the routes that the caller may call, in their order.

    Raises KeyError for a route without a description.
    """
    schemas = Schemas()
    describing = DescriptionContext(Models(schema, ability, schemas), facts)
    information = DocumentInfo(
        title=_TITLE,
        version=__version__,
        description=_ABOUT,
        server=facts.server,
        credential=_CREDENTIAL,
    )
    return assemble(information, _operations(describing, endpoints), schemas)


def _operations(describing: DescriptionContext, endpoints: Iterable[Endpoint]) -> Iterator[Placed]:
    own = {content_type.uid for content_type in describing.models.schema.api_types}
    for endpoint in endpoints:
        key = (endpoint.method, endpoint.path)
        if endpoint.custom is not None:
            yield *key, describe_custom_route(describing, endpoint.custom)
        elif endpoint.uid in own and endpoint.action is not None:
            content_type = describing.models.schema.content_types[endpoint.uid or ""]
            verb = endpoint.action.rpartition(".")[2]
            yield *key, describe_document_route(describing, content_type, verb)
        elif _is_there(describing, key):
            yield *key, ROUTES[key](describing)


def _is_there(describing: DescriptionContext, key: tuple[str, str]) -> bool:
    """Tell whether a route is useful for the caller."""
    if key in SESSION_ROUTES:
        return describing.facts.refreshes
    return key != BATCH or bool(batched_types(describing.models))
