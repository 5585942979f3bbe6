"""An entry as validation messages show it: given values and defaults."""

from collections.abc import Mapping

from quire.schema.attributes.base import ComponentAttribute, DynamicZoneAttribute, ScalarAttribute
from quire.schema.model import Model, Schema


def shown_entry(schema: Schema, model: Model, data: Mapping[str, object]) -> dict[str, object]:
    """Return the entry that a payload describes: with defaults, also in its components.

    Items that are not components are shown as null.
    """
    shown = dict(data)
    for attribute in model.own_attributes:
        name = attribute.name
        if isinstance(attribute, ScalarAttribute):
            if attribute.default is not None:
                shown.setdefault(name, attribute.default)
        elif isinstance(attribute, DynamicZoneAttribute) or (
            isinstance(attribute, ComponentAttribute) and attribute.repeatable
        ):
            items = shown.setdefault(name, [])
            uid = attribute.component if isinstance(attribute, ComponentAttribute) else None
            if isinstance(items, list):
                shown[name] = shown_items(schema, uid, items)
        elif isinstance(attribute, ComponentAttribute) and isinstance(shown.get(name), dict):
            shown[name] = shown_items(schema, attribute.component, [shown[name]])[0]
    return shown


def shown_items(schema: Schema, uid: str | None, items: list[object]) -> list[object]:
    """Return components in their shown form; without ``uid`` each one names its own."""
    return [_shown_item(schema, uid, item) for item in items]


def _shown_item(schema: Schema, uid: str | None, item: object) -> object:
    if not isinstance(item, dict):
        return None
    name = item.get("__component") if uid is None else uid
    component = schema.components.get(name) if isinstance(name, str) else None
    return item if component is None else shown_entry(schema, component, item)
