"""Types that many responses have."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from quire.access.declared_routes import MediaType

T = TypeVar("T")

FreeObject = dict[str, object]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Redirect = Annotated[str, MediaType("text/plain")]


class DataEnvelope(Struct, Generic[T]):
    """A response with ``data`` and no ``meta``."""

    data: T


class OkResponse(Struct):
    """The response of an action without a result."""

    ok: Literal[True]


OK_RESPONSE = OkResponse(ok=True)
