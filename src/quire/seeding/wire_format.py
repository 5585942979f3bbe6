"""Converts content files to the format of content API requests."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import Model, Schema
from quire.seeding.seed_values import Values

COMPONENT_KEY = "__component"


class WireFormat(Struct, frozen=True, kw_only=True):
    """Converts values to the form of requests.

    ``related`` returns the value of a relation for the key of a document, ``file`` that of media
    for the name of a file, and ``image`` that of an image in a block.
    """

    schema: Schema
    related: Callable[[RelationAttribute, str], object]
    file: Callable[[str], object]
    image: Callable[[str], object]

    def data(self, model: Model, values: Values) -> dict[str, object]:
        """Return the values of an entry or component; values of another form are unchanged."""
        return {
            name: self._value(model.attributes.get(name), value) for name, value in values.items()
        }

    def _value(self, attribute: Attribute | None, value: object) -> object:
        match attribute:
            case RelationAttribute():
                return _resolve_names(attribute, value, lambda key: self.related(attribute, key))
            case MediaAttribute():
                return _resolve_names(attribute, value, self.file)
            case ComponentAttribute() | DynamicZoneAttribute() if isinstance(value, list):
                return [self._component(attribute, item) for item in value]
            case ComponentAttribute():
                return self._component(attribute, value)
            case ScalarAttribute() if is_blocks(attribute) and isinstance(value, list):
                return [self._block(block) for block in value]
            case _:
                return value

    def _component(
        self, attribute: ComponentAttribute | DynamicZoneAttribute, item: object
    ) -> object:
        model = component_of(self.schema, attribute, item)
        if model is None or not isinstance(item, dict):
            return item
        return self.data(model, item)

    def _block(self, block: object) -> object:
        """Add the file's data to the image of a block."""
        match block:
            case {"type": "image", "image": {"file": str(name)}, **rest}:
                return {"type": "image", "image": self.image(name), **rest}
            case _:
                return block


def is_blocks(attribute: ScalarAttribute) -> bool:
    """Whether the values of an attribute are lists of blocks."""
    return attribute.type.name == "blocks"


def component_of(
    schema: Schema, attribute: ComponentAttribute | DynamicZoneAttribute, item: object
) -> Model | None:
    """Return the component of an item, ``None`` when it is none."""
    if not isinstance(item, dict):
        return None
    if isinstance(attribute, ComponentAttribute):
        return schema.components[attribute.component]
    uid = item.get(COMPONENT_KEY)
    return schema.components.get(uid) if isinstance(uid, str) else None


def components_of(
    schema: Schema, attribute: ComponentAttribute | DynamicZoneAttribute, value: object
) -> Iterator[tuple[Model, Values]]:
    """Iterate over the components in a value, without other items."""
    for item in as_list(value):
        component = component_of(schema, attribute, item)
        if component is not None and isinstance(item, Mapping):
            yield component, {name: field for name, field in item.items() if name != COMPONENT_KEY}


def as_list(value: object) -> list[object]:
    """Return a list unchanged, one value as a list, and nothing as an empty list."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _resolve_names(
    attribute: RelationAttribute | MediaAttribute, value: object, resolve: Callable[[str], object]
) -> object:
    values = [resolve(name) for name in as_list(value) if isinstance(name, str)]
    if attribute.to_many:
        return values
    return values[0] if values else None
