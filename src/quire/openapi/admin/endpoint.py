"""The parts of a description of an admin route."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from quire.openapi.operations import DescribedParameter
from quire.openapi.schemas import (
    FREE_OBJECT,
    TEXT,
    WHOLE,
    Schemas,
    nullable,
    record,
    several,
)
from quire.schema.attributes.json_schema import JsonSchema

Pointed = JsonSchema
"""A schema that may hold `ref` ones, which are put in when a document is made."""


class AdminEndpoint(Struct, frozen=True, kw_only=True):
    """A route: ``status`` is that of its answer when all went well.

    ``action`` is what it asks for; ``None`` is open to everybody. The types of ``body``, ``query``
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


class RouteDescription(Struct, frozen=True, kw_only=True):
    """What one route takes and answers.

    ``data`` is what is in the ``data`` of the answer, or the answer itself if that is ``bare``;
    ``None`` stands for an answer without a body. ``form`` is for a body that is no JSON.
    """

    data: JsonSchema | None = field(default_factory=lambda: FREE_OBJECT)
    bare: bool = False
    body: JsonSchema | None = None
    form: JsonSchema | None = None
    query: Sequence[DescribedParameter] = ()
    media_type: str | None = None


Told = Mapping[tuple[str, str], RouteDescription]
"""Descriptions by method and path."""

_NAMED = "x-named"


def ref(name: str) -> JsonSchema:
    """Point to a description of `schemas.NAMED`."""
    return {_NAMED: name}


class ReferenceResolver(Struct, frozen=True):
    """Puts pointers of a document in the place of `ref` ones, of which these are ``known``."""

    schemas: Schemas
    known: Mapping[str, JsonSchema]

    def resolved(self, schema: JsonSchema) -> JsonSchema:
        """Return a schema without `ref` ones. Raises KeyError for one that is not known."""
        name = schema.get(_NAMED)
        if isinstance(name, str):
            inner = self.known[name]
            return self.schemas.refer(("admin", name), name, lambda: self.resolved(inner))
        return {key: self._inner(value) for key, value in schema.items()}

    def _inner(self, value: object) -> object:
        if isinstance(value, Mapping):
            return self.resolved(value)
        if isinstance(value, list | tuple):
            return [self._inner(item) for item in value]
        return value


def query(
    name: str, schema: JsonSchema = TEXT, about: str = "", *, deep: bool = False
) -> DescribedParameter:
    """Describe a parameter of the query."""
    return DescribedParameter(name=name, schema=schema, description=about, deep=deep)


def page_of(item: JsonSchema) -> JsonSchema:
    """Describe a page of a list."""
    return record({"results": several(item), "pagination": ref("AdminPagination")})


PAGES = (query("page", WHOLE), query("pageSize", WHOLE))
SORTED = (*PAGES, query("sort"), query("_q"), query("filters", nullable(FREE_OBJECT), deep=True))
LOCALE = query("locale", TEXT, "A code; the default locale without it.")
STATUS = query("status", {"type": "string", "enum": ["draft", "published"]})
IDS = record({"ids": several({"type": ["integer", "string"]})})
DOCUMENT_IDS = record({"documentIds": several(TEXT)})
