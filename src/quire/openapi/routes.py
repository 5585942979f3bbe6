"""Describes routes by the types that they declare."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from types import NoneType, UnionType
from typing import Union, get_args, get_origin

from quire.access.declared_routes import DeclaredRoute
from quire.openapi.operations import (
    FORM,
    JSON,
    DescribedBody,
    DescribedOperation,
    DescribedParameter,
    DescribedResponse,
    path_parameter,
)
from quire.openapi.python_types import MEDIA_TYPE, TypeSchemas

KindOfRead = Callable[[str, str], Sequence[DescribedParameter]]
"""Returns the parameters of a kind of read of a content type, by its uid."""

_NO_CONTENT: Mapping[int, str] = {204: "There is nothing to show."}
_LOCATION = {"Location": "Where to."}


def describe_route(
    route: DeclaredRoute,
    types: TypeSchemas,
    *,
    operation_id: str,
    errors: Sequence[int],
    description: str = "",
    path_parameters: Mapping[str, DescribedParameter] | None = None,
    read: KindOfRead | None = None,
) -> DescribedOperation:
    """Describe a route; ``path_parameters`` are parameters of its path that are no mere texts.

    Raises TypeError for a type that has no schema.
    """
    names = parameter_names(route)
    parameters = path_parameters or {}
    responses = [*_responses(route, types)]
    described_statuses = {response.status for response in responses}
    return DescribedOperation(
        id=operation_id,
        summary=summary_of(route).replace("``", "`"),
        tag=route.tag,
        description=description,
        parameters=[
            *(parameters.get(name) or path_parameter(name) for name in names),
            *_query(route, types, read),
        ],
        body=_body(route, types),
        responses=responses,
        errors=[
            status
            for status in sorted({*errors, *route.errors})
            if status not in described_statuses
        ],
    )


def summary_of(route: DeclaredRoute) -> str:
    """Return the first sentence on what the handler of a route does."""
    lines = (route.handler.__doc__ or "").strip().splitlines()
    return lines[0].rstrip(".") if lines else f"{route.method} /{route.path.strip('/')}"


def parameter_names(route: DeclaredRoute) -> list[str]:
    """Return the names of the parameters in the path of a route."""
    return [part[1:] for part in route.path.split("/") if part.startswith(":")]


def _query(
    route: DeclaredRoute, types: TypeSchemas, read: KindOfRead | None
) -> Iterator[DescribedParameter]:
    if isinstance(route.query, str):
        if read is not None and route.uid is not None:
            yield from read(route.query, route.uid)
        return
    queries = route.query if isinstance(route.query, tuple) else (route.query,)
    for query in queries:
        if query is not None:
            yield from types.parameters(query)


def _body(route: DeclaredRoute, types: TypeSchemas) -> DescribedBody | None:
    if route.body is None:
        return None
    bodies = route.body if isinstance(route.body, tuple) else (route.body,)
    kinds = (FORM, JSON) if route.streams else (JSON,)
    is_optional = any(
        get_origin(body) in {Union, UnionType} and NoneType in get_args(body) for body in bodies
    )
    content = {
        kind: types.schema(_remove_none(body)) for kind, body in zip(kinds, bodies, strict=False)
    }
    return DescribedBody(content=content, required=not is_optional)


def _remove_none(hint: object) -> object:
    """Return the type of a body that may be left out."""
    if get_origin(hint) not in {Union, UnionType}:
        return hint
    return Union[tuple(choice for choice in get_args(hint) if choice is not NoneType)]  # noqa: UP007


def _responses(route: DeclaredRoute, types: TypeSchemas) -> Iterator[DescribedResponse]:
    for status, response in {route.status: route.response, **route.other_responses}.items():
        if response is None:
            description = _NO_CONTENT.get(status, "Done.") if route.other_responses else "Done."
            yield DescribedResponse(status=status, description=description)
            continue
        schema = dict(types.schema(response))
        description = str(schema.pop("description", _default_description(status)))
        media_type = str(schema.pop(MEDIA_TYPE, JSON))
        yield DescribedResponse(
            status=status,
            description=description,
            schema=schema,
            media_type=media_type,
            headers=_LOCATION if status == HTTPStatus.FOUND else {},
        )


def _default_description(status: int) -> str:
    if status == HTTPStatus.FOUND:
        return "Redirects a browser."
    return "There is none." if status == HTTPStatus.NOT_FOUND else "Done."
