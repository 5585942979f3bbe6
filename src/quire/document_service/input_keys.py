"""Checks the keys of a payload, before any value.

A payload is traversed once. Of several errors the most serious is raised: an identity at the root,
then an attribute that is not writable, then an unknown key, then a relation whose target the
principal may not find; of two equal ones, the first. Values are not checked.
"""

from collections.abc import Iterator, Mapping

from quire.access.ability import Ability, can_find
from quire.errors import InvalidKeyError
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    Relation,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, ContentType, Model, Schema

_SOURCE = "body"
_IDENTITIES = ("id", "documentId")
_CHANGES = ("connect", "set", "disconnect")
_IN_RELATION = frozenset({*_CHANGES, "options", *_IDENTITIES})
_IN_MORPH_ITEM = frozenset({*_IDENTITIES, "__type"})
_IN_COMPONENT = frozenset(_IDENTITIES)
_IN_ZONE_ITEM = frozenset({*_IDENTITIES, "__component"})
_AT_ROOT: frozenset[str] = frozenset()


def check_input(schema: Schema, content_type: ContentType, data: object, ability: Ability) -> None:
    """Reject forbidden keys of a payload, and relations outside of the ability.

    Raises InvalidKeyError for the most serious of them.
    """
    for entry in data if isinstance(data, list) else (data,):
        if isinstance(entry, dict):
            _check_entry(schema, content_type, entry, ability)


def _check_entry(
    schema: Schema, content_type: ContentType, entry: Mapping[str, object], ability: Ability
) -> None:
    for name in _IDENTITIES:
        if name in entry:
            raise InvalidKeyError(name, None, source=_SOURCE, show_path=False)
    for name in entry:
        attribute = content_type.attributes.get(name)
        if attribute is not None and not _is_writable(attribute):
            raise InvalidKeyError(name, name, source=_SOURCE)
    look = _KeyCheck(schema, ability)
    look.entry(content_type, entry, None, _AT_ROOT)
    problem = look.unknown or look.forbidden
    if problem is not None:
        raise InvalidKeyError(*problem, source=_SOURCE)


def _is_writable(attribute: Attribute) -> bool:
    if isinstance(attribute, RelationAttribute) and attribute.relation is Relation.MORPH_TO_ONE:
        return False
    return attribute.writable


KeyProblem = tuple[str, str | None]
"""A key, and the dotted path that it is at; ``None`` at the root."""


class _KeyCheck:
    """One traversal of a payload: remembers the first error of each kind."""

    __slots__ = ("_ability", "_schema", "forbidden", "unknown")

    def __init__(self, schema: Schema, ability: Ability) -> None:
        self._schema = schema
        self._ability = ability
        self.unknown: KeyProblem | None = None
        self.forbidden: KeyProblem | None = None

    def entry(
        self, model: Model, entry: object, path: str | None, extra_keys: frozenset[str]
    ) -> None:
        """Check the keys of one entry; ``extra_keys`` are additional allowed keys."""
        attributes = model.attributes
        for key, value in _members(entry):
            attribute = attributes.get(key)
            if attribute is None:
                if key not in extra_keys:
                    self.unknown = self.unknown or (key, path)
            elif not isinstance(attribute, ScalarAttribute):
                self._attribute(attribute, value, key if path is None else f"{path}.{key}")

    def _attribute(self, attribute: Attribute, value: object, path: str) -> None:
        match attribute:
            case ComponentAttribute(component=uid):
                component = self._schema.components[uid]
                for item in _items(value):
                    self.entry(component, item, path, _IN_COMPONENT)
            case DynamicZoneAttribute():
                for item in _items(value):
                    self._zone_item(item, path)
            case MediaAttribute():
                self._relation(FILE_UID, value, path)
            case RelationAttribute(target=None):
                self._morph(attribute, value, path)
            case RelationAttribute(target=str(target)) | LocalizationsAttribute(target=target):
                self._permit(attribute, target, path)
                self._relation(target, value, path)
            case _:
                pass

    def _zone_item(self, item: object, path: str) -> None:
        uid = item.get("__component") if isinstance(item, dict) else None
        component = self._schema.components.get(uid) if isinstance(uid, str) else None
        if component is not None:
            self.entry(component, item, path, _IN_ZONE_ITEM)

    def _relation(self, target: str, value: object, path: str) -> None:
        """Check the long forms of entries; those to connect may have any keys."""
        model = self._schema.content_types.get(target)
        if model is None:
            return
        for item in _items(value):
            self.entry(model, item, path, _IN_RELATION)

    def _morph(self, attribute: Attribute, value: object, path: str) -> None:
        """Check a polymorphic relation: the target type of each item must be readable."""
        items, at_length = value, True
        if isinstance(value, dict) and any(name in value for name in _CHANGES):
            items, at_length = _morph_items(value), False
            unknown = [key for key in value if key not in _IN_RELATION]
            if unknown:
                self.unknown = self.unknown or (unknown[0], path)
        if not isinstance(items, list):
            self._forbid(attribute, path)
            return
        for item in items:
            uid = item.get("__type") if isinstance(item, dict) else None
            model = self._schema.content_types.get(uid) if isinstance(uid, str) else None
            if model is None:
                self._forbid(attribute, path)
                continue
            self._permit(attribute, model.uid, path)
            if at_length:
                self.entry(model, item, path, _IN_MORPH_ITEM)

    def _permit(self, attribute: Attribute, target: str, path: str) -> None:
        if not can_find(self._ability, target):
            self._forbid(attribute, path)

    def _forbid(self, attribute: Attribute, path: str) -> None:
        self.forbidden = self.forbidden or (attribute.name, path)


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _members(entry: object) -> Iterator[tuple[str, object]]:
    """Yield the members of an object by key, the items of a list by index, else nothing."""
    if isinstance(entry, dict):
        yield from entry.items()
    elif isinstance(entry, list):
        yield from ((str(index), item) for index, item in enumerate(entry))


def _morph_items(value: Mapping[str, object]) -> list[object]:
    values = (value.get(name) for name in _CHANGES)
    return [item for part in values if part is not None for item in _items(part)]
