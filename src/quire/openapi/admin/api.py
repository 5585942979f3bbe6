"""The OpenAPI document of the admin API."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from quire import __version__
from quire.openapi.admin.entries import Entries, ManagedTypes
from quire.openapi.document import DocumentInfo, assemble
from quire.openapi.operations import (
    FORM,
    JSON,
    DescribedBody,
    DescribedOperation,
    DescribedResponse,
    path_parameter,
)
from quire.openapi.schemas import Schemas
from quire.openapi.types import MEDIA_TYPE, TypeSchemas


class AdminEndpoint(Struct, frozen=True, kw_only=True):
    """A route: ``status`` is that of its answer when all went well.

    ``action`` is the required permission; ``None`` means public. The types of ``body``, ``query``
    and ``response`` are described; a ``response`` of ``None`` has no body.
    """

    method: str
    path: str
    action: str | None
    summary: str
    status: int
    tag: str
    body: object
    is_form: bool
    query: type[Struct] | tuple[type[Struct], ...] | None
    response: object


_ABOUT = (
    "What administrators do through Quire. What an administrator may not do is answered with 403; "
    "what they may not see is in no answer."
)
_CREDENTIAL = "The access token of an administrator who has signed in."
_OPEN_FAILURES, _FAILURES = (400, 429), (400, 401, 403)


def describe_admin_api(endpoints: Iterable[AdminEndpoint], managed: ManagedTypes) -> dict[str, Any]:
    """Build the document of these routes, in their order, and of the managed content.

    Raises TypeError for a type without a schema.
    """
    schemas = Schemas()
    types = TypeSchemas(schemas)
    entries = Entries(managed, types)
    types.known[managed.entry] = schemas.refer(managed.entry, "ManagedEntry", entries.shown)
    written = schemas.refer(managed.entry_input, "EntryInput", entries.written)
    types.known[managed.entry_input] = written
    information = DocumentInfo(
        title="Admin API",
        version=__version__,
        description=_ABOUT,
        server="/",
        credential=_CREDENTIAL,
    )
    operations = ((one.method, one.path, _operation(one, types)) for one in endpoints)
    return assemble(information, operations, schemas)


def _operation(endpoint: AdminEndpoint, types: TypeSchemas) -> DescribedOperation:
    failures = _OPEN_FAILURES if endpoint.action is None else _FAILURES
    names = [part[1:] for part in endpoint.path.split("/") if part.startswith(":")]
    parameters = [path_parameter(name) for name in names]
    queries = endpoint.query if isinstance(endpoint.query, tuple) else (endpoint.query,)
    for query in queries:
        parameters += [] if query is None else types.parameters(query)
    return DescribedOperation(
        id=_name(endpoint),
        summary=endpoint.summary.replace("``", "`"),
        tag=endpoint.tag,
        description="" if endpoint.action is None else f"Asks for: {endpoint.action}.",
        parameters=parameters,
        body=_body(endpoint, types),
        responses=[_response(endpoint, types)],
        errors=(*failures, 404) if names else failures,
    )


def _body(endpoint: AdminEndpoint, types: TypeSchemas) -> DescribedBody | None:
    if endpoint.body is None:
        return None
    kind = FORM if endpoint.is_form else JSON
    return DescribedBody(content={kind: types.of(endpoint.body)})


def _response(endpoint: AdminEndpoint, types: TypeSchemas) -> DescribedResponse:
    if endpoint.response is None:
        return DescribedResponse(status=endpoint.status)
    schema = dict(types.of(endpoint.response))
    media_type = str(schema.pop(MEDIA_TYPE, JSON))
    return DescribedResponse(status=endpoint.status, schema=schema, media_type=media_type)


def _name(endpoint: AdminEndpoint) -> str:
    """Return the id of an operation, from its method and path."""
    words = [endpoint.method.lower()]
    for part in endpoint.path.replace(".", "/").replace("_", "-").split("/"):
        bare = part.removeprefix(":")
        words += [f"By{bare[:1].upper()}{bare[1:]}"] if part != bare else part.split("-")
    first, *rest = (word for word in words if word)
    return first + "".join(f"{word[:1].upper()}{word[1:]}" for word in rest)
