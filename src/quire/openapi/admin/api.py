"""The OpenAPI document of the admin API."""

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET

from quire import __version__
from quire.openapi.admin.components import NAMED
from quire.openapi.admin.content import ENTRIES, MODELS
from quire.openapi.admin.endpoint import (
    AdminEndpoint,
    ReferenceResolver,
    RouteDescription,
    Told,
    ref,
)
from quire.openapi.admin.entries import Entries, ManagedTypes
from quire.openapi.admin.media import MEDIA
from quire.openapi.admin.model import MODEL
from quire.openapi.document import DocumentInfo, Placed, assemble
from quire.openapi.operations import (
    FORM,
    JSON,
    DescribedBody,
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    path_parameter,
)
from quire.openapi.schemas import Schemas, record
from quire.openapi.types import TypeSchemas

SECTIONS: tuple[tuple[str, Told], ...] = (
    ("Content types", MODEL),
    ("Views", MODELS),
    ("Content", ENTRIES),
    ("Media", MEDIA),
)
"""The descriptions of all routes, by what they are about."""

_ABOUT = (
    "What administrators do through Quire. What an administrator may not do is answered with 403; "
    "what they may not see is in no answer."
)
_CREDENTIAL = "The access token of an administrator who has signed in."
_OPEN_FAILURES, _FAILURES = (400, 429), (400, 401, 403)


def describe_admin_api(endpoints: Iterable[AdminEndpoint], managed: ManagedTypes) -> dict[str, Any]:
    """Make the document of these routes, in their order, and of the content that is managed.

    Raises KeyError for a route that nobody has described.
    """
    schemas = Schemas()
    entries = Entries(managed, ReferenceResolver(schemas, NAMED))
    dynamic = {"ManagedEntry": entries.shown(), "EntryInput": entries.written()}
    known = {**NAMED, **dynamic}
    pointing = ReferenceResolver(schemas, known)
    of_entries = {
        managed.entry: pointing.resolved(ref("ManagedEntry")),
        managed.entry_input: pointing.resolved(ref("EntryInput")),
    }
    types = TypeSchemas(schemas, of_entries)
    operations = _operations(endpoints, pointing, types)
    information = DocumentInfo(
        title="Admin API",
        version=__version__,
        description=_ABOUT,
        server="/",
        credential=_CREDENTIAL,
    )
    return assemble(information, operations, schemas)


def described_routes() -> frozenset[tuple[str, str]]:
    """Return the routes that are described, by method and path."""
    return frozenset(key for _, told in SECTIONS for key in told)


def _operations(
    endpoints: Iterable[AdminEndpoint], pointing: ReferenceResolver, types: TypeSchemas
) -> Iterator[Placed]:
    known = {key: (tag, said) for tag, told in SECTIONS for key, said in told.items()}
    for endpoint in endpoints:
        if endpoint.response is not UNSET:
            yield endpoint.method, endpoint.path, _typed_operation(endpoint, types)
            continue
        tag, said = known[endpoint.method, endpoint.path]
        yield endpoint.method, endpoint.path, _operation(endpoint, tag, said, pointing)


def _typed_operation(endpoint: AdminEndpoint, types: TypeSchemas) -> DescribedOperation:
    failures = _OPEN_FAILURES if endpoint.action is None else _FAILURES
    names = [part[1:] for part in endpoint.path.split("/") if part.startswith(":")]
    parameters = [path_parameter(name) for name in names]
    queries = endpoint.query if isinstance(endpoint.query, tuple) else (endpoint.query,)
    for query in queries:
        parameters += [] if query is None else types.parameters(query)
    body = None
    if endpoint.body is not None:
        kind = FORM if endpoint.is_form else JSON
        body = DescribedBody(content={kind: types.of(endpoint.body)})
    return DescribedOperation(
        id=_name(endpoint),
        summary=endpoint.summary.replace("``", "`"),
        tag=endpoint.tag,
        description="" if endpoint.action is None else f"Asks for: {endpoint.action}.",
        parameters=parameters,
        body=body,
        responses=[_typed_response(endpoint, types)],
        errors=(*failures, 404) if names else failures,
    )


def _typed_response(endpoint: AdminEndpoint, types: TypeSchemas) -> DescribedResponse:
    if endpoint.response is None:
        return DescribedResponse(status=endpoint.status)
    schema = dict(types.of(endpoint.response))
    media_type = schema.pop("x-media-type", JSON)
    return DescribedResponse(status=endpoint.status, schema=schema, media_type=str(media_type))


def _operation(
    endpoint: AdminEndpoint, tag: str, said: RouteDescription, pointing: ReferenceResolver
) -> DescribedOperation:
    failures = _OPEN_FAILURES if endpoint.action is None else _FAILURES
    names = [part[1:] for part in endpoint.path.split("/") if part.startswith(":")]
    return DescribedOperation(
        id=_name(endpoint),
        summary=endpoint.summary.replace("``", "`"),
        tag=tag,
        description="" if endpoint.action is None else f"Asks for: {endpoint.action}.",
        parameters=[*(path_parameter(name) for name in names), *_queried(said, pointing)],
        body=_body(said, pointing),
        responses=[_response(endpoint, said, pointing)],
        errors=(*failures, 404) if names else failures,
    )


def _queried(said: RouteDescription, pointing: ReferenceResolver) -> Iterator[DescribedParameter]:
    for parameter in said.query:
        yield DescribedParameter(
            name=parameter.name,
            schema=pointing.resolved(parameter.schema),
            description=parameter.description,
            deep=parameter.deep,
        )


def _body(said: RouteDescription, pointing: ReferenceResolver) -> DescribedBody | None:
    if said.form is not None:
        return DescribedBody(content={FORM: pointing.resolved(said.form)})
    if said.body is None:
        return None
    return DescribedBody(content={JSON: pointing.resolved(said.body)})


def _response(
    endpoint: AdminEndpoint, said: RouteDescription, pointing: ReferenceResolver
) -> DescribedResponse:
    if said.data is None:
        return DescribedResponse(status=endpoint.status)
    schema = pointing.resolved(said.data)
    return DescribedResponse(
        status=endpoint.status,
        schema=schema if said.bare else record({"data": schema}),
        media_type=said.media_type or JSON,
    )


def _name(endpoint: AdminEndpoint) -> str:
    """Return a name for an operation, made of its method and path."""
    words = [endpoint.method.lower()]
    for part in endpoint.path.replace(".", "/").replace("_", "-").split("/"):
        bare = part.removeprefix(":")
        words += [f"By{bare[:1].upper()}{bare[1:]}"] if part != bare else part.split("-")
    first, *rest = (word for word in words if word)
    return first + "".join(f"{word[:1].upper()}{word[1:]}" for word in rest)
