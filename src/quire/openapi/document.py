"""Assembles an OpenAPI 3.1 document."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from quire.openapi.json_schema import Schemas
from quire.openapi.operations import DescribedOperation, error_responses
from quire.schema.class_names import unused

VERSION = "3.1.0"
_BEARER = "bearer"


class DocumentInfo(Struct, frozen=True, kw_only=True):
    """The title and description of a document. ``server`` is the base URL of its paths."""

    title: str
    version: str
    description: str
    server: str
    credential: str
    """The description of the bearer token."""
    anonymous: bool = True
    """Whether requests may omit it."""


RouteOperation = tuple[str, str, DescribedOperation]
"""A method, a path with parameters as ``:name``, and the operation there."""


def assemble(
    information: DocumentInfo, operations: Iterable[RouteOperation], schemas: Schemas
) -> dict[str, Any]:
    """Build a document. The order of paths is that of the operations; no two have the same id."""
    paths: dict[str, dict[str, object]] = {}
    tags: dict[str, None] = {}
    operation_ids: set[str] = set()
    for method, path, operation in operations:
        description = {**operation.described(), "operationId": unused(operation.id, operation_ids)}
        paths.setdefault(_template(path), {})[method.lower()] = description
        tags[operation.tag] = None
    return {
        "openapi": VERSION,
        "info": {
            "title": information.title,
            "version": information.version,
            "description": information.description,
        },
        "servers": [{"url": information.server}],
        "security": [{_BEARER: []}, *([{}] if information.anonymous else [])],
        "tags": [{"name": name} for name in tags],
        "paths": paths,
        "components": {
            "responses": error_responses(schemas),
            "schemas": schemas.finished(),
            "securitySchemes": {
                _BEARER: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": information.credential,
                }
            },
        },
    }


def _template(path: str) -> str:
    """Return ``/articles/{documentId}`` for ``articles/:documentId``."""
    return "/" + "/".join(
        f"{{{segment[1:]}}}" if segment.startswith(":") else segment
        for segment in path.strip("/").split("/")
    )
