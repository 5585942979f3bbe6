"""Whether a schema only adds to another one."""

from collections.abc import Mapping

from quire.database.migration.schema_record import recorded_type
from quire.schema.model import Model, Schema

_ATTRIBUTES = "attributes"
_FREE = frozenset({_ATTRIBUTES, "info"})
"""What is compared otherwise, or does not matter."""


def extends(after: Schema, before: Schema) -> bool:
    """Tell whether rows that are written under ``before`` are whole under ``after``, too.

    They are where types and attributes were added, and nothing else. What a type is called does not
    matter.
    """
    later = {model.uid: model for model in after.models()}
    return all(_is_in(model, later.get(model.uid)) for model in before.models())


def _is_in(before: Model, after: Model | None) -> bool:
    if after is None or _rest(before) != _rest(after):
        return False
    later = _attributes(after)
    return all(later.get(name) == raw for name, raw in _attributes(before).items())


def _rest(model: Model) -> dict[str, object]:
    return {key: value for key, value in recorded_type(model.raw).items() if key not in _FREE}


def _attributes(model: Model) -> Mapping[str, object]:
    found = model.raw.get(_ATTRIBUTES)
    return found if isinstance(found, Mapping) else {}
