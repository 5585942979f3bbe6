"""``_q``: free-text search."""

from quire.query.plan import SearchCondition
from quire.query.querystring import QueryValue
from quire.query.resolve.scope import Scope
from quire.schema.attributes.base import SearchMode
from quire.schema.attributes.number import parse_number
from quire.schema.model import Model


def resolve_search(value: QueryValue, model: Model, scope: Scope) -> SearchCondition | None:
    """Parse ``_q``; numbers are searched when the term is one.

    Attributes that the caller may not read are not searched.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        scope.unconvertible("The _q parameter must be a string")
        return None
    visible = [a for a in model.scalars if a.searchable and scope.may_search(a)]
    wanted = {SearchMode.TEXT}
    if parse_number(value) is not None:
        wanted.add(SearchMode.NUMBER)
    names = tuple(a.name for a in visible if a.type.search in wanted)
    return SearchCondition(("id", *names), scope.slots.add(value))
