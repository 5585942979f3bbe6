"""Validates the role in the request body of an end user."""

from collections.abc import Iterator, Mapping

from quire.document_service.validate import ABSENT, Problem
from quire.schema.attributes.validation import not_of_type

REQUIRED = "role is a required field"
NO_ROLE = "Users must have a role"
NO_ROLE_LEFT = "Cannot remove role"
NO_ID = "Relation entry must include an id or documentId"
_ROLE = "role"


def check_role(body: Mapping[str, object], *, creating: bool) -> Iterator[Problem]:
    """Yield the problems of the role in a body.

    It is an id, or an object with roles to connect; a new user must have one, and none may lose
    theirs.
    """
    role = body.get(_ROLE, ABSENT)
    if role is ABSENT:
        if creating:
            yield Problem((_ROLE,), REQUIRED)
    elif isinstance(role, Mapping):
        yield from _changes(role, creating=creating)
    elif role is None or isinstance(role, list):
        yield Problem((_ROLE,), f"role {not_of_type('object', role)}", role)
    elif not _is_id(role):
        yield Problem((_ROLE,), f"role {not_of_type('strapiID', role)}", role)


def _changes(role: Mapping[str, object], *, creating: bool) -> Iterator[Problem]:
    connect, disconnect = role.get("connect", ABSENT), role.get("disconnect", ABSENT)
    if connect is ABSENT:
        if creating:
            yield Problem((_ROLE, "connect"), "role.connect is a required field")
    else:
        yield from _entries(connect, "connect")
    if creating:
        if connect == []:
            yield Problem((_ROLE, "connect"), NO_ROLE, connect)
    elif disconnect is not ABSENT:
        yield from _entries(disconnect, "disconnect")
        if disconnect and not (connect if isinstance(connect, list) else None):
            yield Problem((_ROLE, "disconnect"), NO_ROLE_LEFT, disconnect)


def _entries(entries: object, name: str) -> Iterator[Problem]:
    if not isinstance(entries, list):
        message = f"role.{name} {not_of_type('array', entries)}"
        yield Problem((_ROLE, name), message, entries)
        return
    for index, entry in enumerate(entries):
        path = (_ROLE, name, str(index))
        if not isinstance(entry, Mapping):
            message = f"role.{name}[{index}] {not_of_type('object', entry)}"
            yield Problem(path, message, entry)
        elif entry.get("id") is None and entry.get("documentId") is None:
            yield Problem(path, NO_ID, dict(entry))


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
