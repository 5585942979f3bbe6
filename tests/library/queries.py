"""Queries of the library, from the request text to the resolved query."""

from quire.access.ability import Ability
from quire.errors import AppError
from quire.query.plan import Filter, PlanEdge, PlanNode, ReadPlan
from quire.query.querystring import parse_query
from quire.query.resolve import ReadLimits, ResolvedRead, Resolver
from quire.schema.model import Schema
from tests.library.model import BOOK, EVERYTHING, library_schema


def resolver(
    uid: str = BOOK,
    *,
    ability: Ability = EVERYTHING,
    limits: ReadLimits | None = None,
    default_locale: str | None = "en",
    schema: Schema | None = None,
) -> Resolver:
    """Return what resolves queries of a content type."""
    schema = schema or library_schema()
    return Resolver(
        schema=schema,
        content_type=schema.content_types[uid],
        ability=ability,
        limits=limits or ReadLimits(),
        default_locale=default_locale,
    )


def resolve(
    query: str,
    uid: str = BOOK,
    *,
    ability: Ability = EVERYTHING,
    limits: ReadLimits | None = None,
    default_locale: str | None = "en",
    schema: Schema | None = None,
) -> ResolvedRead:
    """Resolve the query string of a request for a list."""
    asked = resolver(
        uid, ability=ability, limits=limits, default_locale=default_locale, schema=schema
    )
    return asked.list(parse_query(query))


def plan(query: str, uid: str = BOOK, *, ability: Ability = EVERYTHING) -> ReadPlan:
    """Return the plan of a list."""
    return resolve(query, uid, ability=ability).plan


def filter_of(query: str, uid: str = BOOK, *, ability: Ability = EVERYTHING) -> Filter | None:
    """Return what a list is filtered by."""
    return plan(query, uid, ability=ability).root.filter


def edges_of(query: str, uid: str = BOOK, *, ability: Ability = EVERYTHING) -> tuple[PlanEdge, ...]:
    """Return what a list populates."""
    return plan(query, uid, ability=ability).root.edges


def node_of(query: str, attribute: str, uid: str = BOOK) -> PlanNode:
    """Return the one node behind a populated attribute of a list."""
    (node,) = next(edge for edge in edges_of(query, uid) if edge.attribute == attribute).nodes
    return node


def problem(
    query: str,
    uid: str = BOOK,
    *,
    ability: Ability = EVERYTHING,
    limits: ReadLimits | None = None,
    schema: Schema | None = None,
) -> AppError:
    """Return the error of a query that has one."""
    try:
        found = resolve(query, uid, ability=ability, limits=limits, schema=schema)
    except AppError as error:
        return error
    raise AssertionError(f"{query} was understood as {found.plan}")
