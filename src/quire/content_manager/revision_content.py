"""The content of a revision: values, and the keys of related entries.

A revision contains no other data of related entries. If they no longer exist when it is restored,
they are left out and reported.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
)
from quire.schema.model import AUTOMATIC_NAMES, FILE_UID, Model, Schema

_OF_FILES = ("id", "documentId", "name", "url", "mime", "alternativeText")
_OF_ENTRIES = ("documentId", "locale")

Data = dict[str, object]
Target = tuple[str, str, str | None]
"""The uid, the document id and the locale of an entry."""


def revision_data(schema: Schema, model: Model, entry: Mapping[str, Any]) -> Data:
    """Return the stored data of a revision, from an entry with its relations as rows."""

    def convert_stored(attribute: Attribute, value: object) -> object:
        match attribute:
            case RelationAttribute():
                return _convert_items(value, lambda item: _pick_fields(item, _OF_ENTRIES))
            case MediaAttribute():
                return _convert_items(value, lambda item: _pick_fields(item, _OF_FILES))
            case _:
                return _convert_components(schema, attribute, value, convert_stored)

    return _converted_values(model, entry, convert_stored)


class ExistingTargets(Struct, kw_only=True):
    """Which of the entries and files that a revision refers to exist.

    ``locale`` is that of the revision's entry. ``missing`` lists the others, by attribute.
    """

    locale: str | None
    existing: frozenset[Target] = frozenset()
    missing: list[dict[str, object]] = field(default_factory=list)

    def target(self, schema: Schema, uid: str, reference: Mapping[str, Any]) -> Target:
        """Return the target of a reference: an entry in the same locale, if it has locales."""
        localized = uid in schema.content_types and schema.content_types[uid].localized
        locale = (self.locale or reference.get("locale")) if localized else None
        return uid, str(reference.get("documentId")), locale


def targets_in(
    schema: Schema, model: Model, data: Mapping[str, Any], existing_targets: ExistingTargets
) -> frozenset[Target]:
    """Return all targets in the data of a revision."""
    targets: set[Target] = set()

    def collect_targets(attribute: Attribute, value: object) -> object:
        match attribute:
            case RelationAttribute(target=uid) if uid is not None:
                targets.update(
                    existing_targets.target(schema, uid, item) for item in _objects(value)
                )
            case MediaAttribute():
                targets.update(
                    existing_targets.target(schema, FILE_UID, item) for item in _objects(value)
                )
            case _:
                _convert_components(schema, attribute, value, collect_targets)
        return None

    _converted_values(model, data, collect_targets)
    return frozenset(targets)


def request_data(
    schema: Schema, model: Model, data: Mapping[str, Any], existing_targets: ExistingTargets
) -> Data:
    """Return data in the form of a request, without missing targets."""

    def convert_requested(attribute: Attribute, value: object) -> object:
        match attribute:
            case RelationAttribute(target=uid, name=name) if uid is not None:
                return {"set": [_entry(item) for item in existing_items(uid, name, value)]}
            case MediaAttribute(name=name, multiple=multiple):
                ids = [item["id"] for item in existing_items(FILE_UID, name, value)]
                return ids if multiple else next(iter(ids), None)
            case _:
                return _convert_components(schema, attribute, value, convert_requested)

    def existing_items(uid: str, name: str, value: object) -> Iterator[Mapping[str, Any]]:
        for item in _objects(value):
            if existing_targets.target(schema, uid, item) in existing_targets.existing:
                yield item
            else:
                existing_targets.missing.append(
                    {"field": name, "documentId": item.get("documentId")}
                )

    return _converted_values(model, data, convert_requested)


Do = Callable[[Attribute, object], object]


def _converted_values(model: Model, entry: Mapping[str, Any], do: Do) -> Data:
    """Return the converted values of the attributes of an entry."""
    return {
        name: do(attribute, entry[name])
        for name, attribute in model.attributes.items()
        if name in entry and name not in AUTOMATIC_NAMES and _is_kept(attribute)
    }


def _is_kept(attribute: Attribute) -> bool:
    if isinstance(attribute, RelationAttribute):
        return attribute.target is not None
    return not isinstance(attribute, LocalizationsAttribute)


def _convert_components(schema: Schema, attribute: Attribute, value: object, do: Do) -> object:
    """Return a value with its components converted; they get new rows."""
    match attribute:
        case ComponentAttribute(component=uid):
            component = schema.components[uid]
            return _convert_items(value, lambda item: _converted_values(component, item, do))
        case DynamicZoneAttribute():
            return [
                {"__component": uid, **_converted_values(schema.components[uid], item, do)}
                for item in _objects(value)
                if (uid := str(item.get("__component"))) in schema.components
            ]
        case _:
            return value


def _convert_items(value: object, make: Callable[[Mapping[str, Any]], object]) -> object:
    if isinstance(value, list):
        return [make(item) for item in _objects(value)]
    return make(value) if isinstance(value, Mapping) else None


def _objects(value: object) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, Mapping):
            yield item


def _pick_fields(item: Mapping[str, Any], names: tuple[str, ...]) -> Data:
    return {name: item[name] for name in names if name in item}


def _entry(reference: Mapping[str, Any]) -> Data:
    return {name: reference[name] for name in _OF_ENTRIES if reference.get(name) is not None}
