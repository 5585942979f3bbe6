"""Compares a response with the schema, independently of the code under test."""

from collections.abc import Iterator

from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, Model, Schema

_MARKS = frozenset({"__component", "__type", "isUrlSigned"})
_COUNT = frozenset({"count"})


def problems(schema: Schema, uid: str, entry: object, findable: frozenset[str]) -> Iterator[str]:
    """Yield what an entry shows and should not, as dotted paths.

    ``findable`` are the content types that the caller may find; files need no permission.
    """
    yield from _Walk(schema, findable).entry(entry, schema.model(uid), uid)


class _Walk:
    def __init__(self, schema: Schema, findable: frozenset[str]) -> None:
        self._schema = schema
        self._findable = findable

    def entry(self, entry: object, model: Model, path: str) -> Iterator[str]:
        if entry is None:
            return
        if not isinstance(entry, dict):
            yield f"{path} is no entry"
            return
        for name, value in entry.items():
            if name not in _MARKS:
                yield from self._member(name, value, model, f"{path}.{name}")

    def _member(self, name: str, value: object, model: Model, path: str) -> Iterator[str]:
        attribute = model.attributes.get(name)
        if attribute is None:
            yield f"{path} is no attribute"
            return
        if attribute.private or (isinstance(attribute, ScalarAttribute) and attribute.secret):
            yield f"{path} is hidden"
        if not isinstance(attribute, ScalarAttribute):
            below = [] if isinstance(value, dict) and value.keys() == _COUNT else value
            yield from self._related(attribute, below, path)

    def _related(self, attribute: Attribute, value: object, path: str) -> Iterator[str]:
        match attribute:
            case ComponentAttribute(component=uid):
                yield from self._each(value, uid, path)
            case DynamicZoneAttribute():
                yield from self._marked(value, "__component", path)
            case MediaAttribute():
                yield from self._each(value, FILE_UID, path)
            case LocalizationsAttribute(target=uid):
                yield from self._each(value, uid, path)
            case RelationAttribute(target=str(uid)):
                yield from self._found(uid, path)
                yield from self._each(value, uid, path)
            case RelationAttribute():
                yield from self._marked(value, "__type", path)
            case _:
                yield f"{path} is of an unknown kind"

    def _found(self, uid: str, path: str) -> Iterator[str]:
        if uid not in self._findable:
            yield f"{path} leads to {uid}"

    def _each(self, value: object, uid: str, path: str) -> Iterator[str]:
        for item in value if isinstance(value, list) else [value]:
            yield from self.entry(item, self._schema.model(uid), path)

    def _marked(self, value: object, mark: str, path: str) -> Iterator[str]:
        for item in value if isinstance(value, list) else []:
            uid = item[mark]
            if mark == "__type":
                yield from self._found(uid, path)
            yield from self.entry(item, self._schema.model(uid), f"{path}({uid})")
