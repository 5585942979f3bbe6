"""Removes from a clone what the caller may not read or create.

As the format has it, attributes are granted here by their own names: a component that is granted as
a whole is granted without anything in it.
"""

from collections.abc import Mapping, Sequence

from quire.access.admin_ability import GrantRule
from quire.errors import ForbiddenError
from quire.schema.attributes.base import Attribute, ComponentAttribute, RelationAttribute
from quire.schema.model import Model, Schema

Blanks = dict[str, object]
"""Values in the place of what is withheld, by attribute."""


def blank_fields(
    schema: Schema,
    model: Model,
    makes: Sequence[GrantRule],
    reads: Sequence[GrantRule],
    path: str = "",
) -> Blanks:
    """Return what stands in the place of attributes that are not copied.

    Raises ForbiddenError where only a part of a component could be.
    """
    found: Blanks = {}
    for attribute in model.own_attributes:
        if not attribute.visible:
            continue
        own = f"{path}{attribute.name}"
        if isinstance(attribute, ComponentAttribute):
            found |= _component(schema, attribute, makes, reads, own)
        elif not (_is_named(makes, own) and _is_covered(reads, own)):
            found[attribute.name] = _blank(attribute)
    return found


def merge_data(blanks: Mapping[str, object], data: Mapping[str, object]) -> Blanks:
    """Return data on top of blanks, within components too."""
    found = {**blanks, **data}
    for name, blank in blanks.items():
        given = data.get(name)
        if isinstance(blank, Mapping) and isinstance(given, Mapping) and "set" not in blank:
            found[name] = merge_data(blank, given)
    return found


def _component(
    schema: Schema,
    attribute: ComponentAttribute,
    makes: Sequence[GrantRule],
    reads: Sequence[GrantRule],
    path: str,
) -> Blanks:
    component = schema.components[attribute.component]
    inside = f"{path}."
    if attribute.repeatable:
        unread = blank_fields(schema, component, (GrantRule(),), reads, inside)
        kept = _is_covered(makes, path) and not unread
        return {} if kept else {attribute.name: []}
    blanks = blank_fields(schema, component, makes, reads, inside)
    if not blanks:
        return {}
    if blanks.keys() != {one.name for one in component.own_attributes if one.visible}:
        raise ForbiddenError
    return {attribute.name: blanks}


def _blank(attribute: Attribute) -> object:
    return {"set": []} if isinstance(attribute, RelationAttribute) else None


def _is_named(rules: Sequence[GrantRule], path: str) -> bool:
    return any(rule.fields is None or path in rule.fields for rule in rules)


def _is_covered(rules: Sequence[GrantRule], path: str) -> bool:
    return any(rule.covers_field(path) for rule in rules)
