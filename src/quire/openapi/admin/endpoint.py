"""A route of the admin API that is to be described."""

from msgspec import Struct


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
