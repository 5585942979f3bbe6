"""How completely each content type of a project is served."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from quire.customisations.findings import Customisations
from quire.customisations.served_routes import UnservedRoute, core_routes
from quire.schema.model import ContentType, Schema


class ServiceLevel(StrEnum):
    """How much of the routes of a type is served."""

    COMPLETELY = "completely"
    PARTLY = "partly"
    """Some actions are disabled, some routes or attributes are not served."""
    CLOSED = "closed"


class TypeSummary(Struct, frozen=True, kw_only=True):
    """One content type: what is disabled, and what is missing."""

    uid: str
    served: ServiceLevel
    closed_actions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The files that disable actions."""
    unserved_routes: tuple[str, ...] = ()
    unserved_attributes: tuple[str, ...] = ()


def summarize(customisations: Customisations, schema: Schema) -> tuple[TypeSummary, ...]:
    """Return a summary of each of the project's own content types, in their order."""
    owners = _owners(customisations.unserved, schema.api_types)
    return tuple(
        _summary(content_type, customisations, schema, owners) for content_type in schema.api_types
    )


def _summary(
    content_type: ContentType,
    customisations: Customisations,
    schema: Schema,
    owners: Mapping[str, list[UnservedRoute]],
) -> TypeSummary:
    uid = content_type.uid
    served_routes = customisations.routes.get(uid)
    actions = (
        [action for _, _, action in core_routes(content_type)]
        if served_routes is None
        else list(dict.fromkeys(route.action for route in served_routes))
    )
    closed_actions = customisations.closed_actions(content_type)
    type_closed_actions = tuple(action for action in actions if action in closed_actions)
    names = [uid, *(f"{uid}.{action}" for action in type_closed_actions)]
    files = dict.fromkeys(file for name in names for file in customisations.closed.get(name, ()))
    files |= dict.fromkeys(guard.file for guard in customisations.guards if guard.uid == uid)
    unserved_routes = tuple(f"{route.method} {route.path}" for route in owners.get(uid, ()))
    attributes = tuple(_unserved_attributes(content_type, schema))
    if type_closed_actions and len(type_closed_actions) == len(actions):
        level = ServiceLevel.CLOSED
    elif type_closed_actions or unserved_routes or attributes:
        level = ServiceLevel.PARTLY
    else:
        level = ServiceLevel.COMPLETELY
    return TypeSummary(
        uid=uid,
        served=level,
        closed_actions=type_closed_actions,
        files=tuple(files),
        unserved_routes=unserved_routes,
        unserved_attributes=attributes,
    )


def _owners(
    unserved_routes: Iterable[UnservedRoute], types: Iterable[ContentType]
) -> dict[str, list[UnservedRoute]]:
    """Return the unserved routes of the types whose controllers they name."""
    uids = {content_type.uid for content_type in types}
    owners: dict[str, list[UnservedRoute]] = {}
    for route in unserved_routes:
        controller = route.handler.rpartition(".")[0]
        api = route.file.removeprefix("src/api/").partition("/")[0]
        uid = controller if "::" in controller else f"api::{api}.{controller}"
        if uid in uids:
            owners.setdefault(uid, []).append(route)
    return owners


def _unserved_attributes(content_type: ContentType, schema: Schema) -> Iterator[str]:
    attributes = content_type.raw.get("attributes")
    for name in attributes if isinstance(attributes, dict) else ():
        is_set_by_server = name in schema.content_types[content_type.uid].attributes
        if not is_set_by_server:
            yield name
