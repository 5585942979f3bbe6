"""Types that many responses have."""

from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from quire.access.routes import MediaType

T = TypeVar("T")

FreeObject = dict[str, object]
Moment = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
Redirect = Annotated[str, MediaType("text/plain")]


class Data(Struct, Generic[T]):
    """Data with nothing beside it."""

    data: T


class Done(Struct):
    """What is said of what was done."""

    ok: Literal[True]


DONE = Done(ok=True)
