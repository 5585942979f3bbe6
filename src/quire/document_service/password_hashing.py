"""Finds passwords in data, so that they are hashed outside the transaction.

Hashing takes tens of milliseconds by design. An open transaction blocks other writes, so hashes are
computed before it begins.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from quire.document_service.commands import (
    CloneDocument,
    Command,
    CreateDocument,
    UpdateDocument,
)
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    ScalarAttribute,
)
from quire.schema.model import Model, Schema

_ROUNDS = 10
_MIN_ROUNDS, _MAX_ROUNDS = 4, 15


class Password(NamedTuple):
    """A password in plain text, and its hashing cost."""

    text: str
    rounds: int


def password_of(attribute: ScalarAttribute, value: object) -> Password:
    """Return a value of a password attribute with the cost of its options."""
    options = attribute.raw.get("encryption")
    rounds = options.get("rounds") if isinstance(options, Mapping) else None
    cost = rounds if isinstance(rounds, int) else _ROUNDS
    return Password(str(value), min(max(cost, _MIN_ROUNDS), _MAX_ROUNDS))


def passwords_in(schema: Schema, model: Model, data: object) -> Iterator[Password]:
    """Iterate over the passwords in data of a model, its components included."""
    if not isinstance(data, Mapping):
        return
    for name in model.password_names.intersection(data):
        attribute, value = model.attributes[name], data[name]
        if isinstance(attribute, ScalarAttribute):
            if isinstance(value, str):
                yield password_of(attribute, value)
        elif isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
            yield from _passwords_in_components(schema, attribute, value)


def passwords_of(schema: Schema, commands: Iterable[Command]) -> Iterator[Password]:
    """Iterate over the passwords in the data of commands."""
    for command in commands:
        if isinstance(command, CreateDocument | UpdateDocument | CloneDocument):
            yield from passwords_in(schema, schema.model(command.uid), command.data)


def _passwords_in_components(
    schema: Schema, attribute: ComponentAttribute | DynamicZoneAttribute, value: object
) -> Iterator[Password]:
    items = value if isinstance(value, list) else [value]
    for item in items:
        uid = None
        if isinstance(attribute, ComponentAttribute):
            uid = attribute.component
        elif isinstance(item, Mapping):
            uid = item.get("__component")
        component = schema.components.get(uid) if isinstance(uid, str) else None
        if component is not None:
            yield from passwords_in(schema, component, item)
