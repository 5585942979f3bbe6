"""References between the operations of a batch."""

from collections.abc import Mapping

from quire.errors import ValidationError

REFERENCE = "$ref"
_SCALARS = frozenset({str, int, float, bool, type(None)})
"""What JSON holds besides objects and lists; there may be a hundred thousand of them."""


class OperationReferences:
    """The documents of earlier operations, by the place of the operation and by its name."""

    def __init__(self) -> None:
        self._ids: dict[object, str | None] = {}

    def remember(self, name: object, index: int, document_id: str | None) -> None:
        """Note the document of an operation. Raises ValidationError for a bad or used name."""
        self._ids[index] = document_id
        if name is None:
            return
        if not isinstance(name, str) or not name:
            message = "as must be a name"
            raise ValidationError(message)
        if name in self._ids:
            message = f"as: {name} names an earlier operation already"
            raise ValidationError(message)
        self._ids[name] = document_id

    def replace(self, value: object) -> object:
        """Return a value with every reference in it replaced by the document id it stands for.

        Raises ValidationError for a reference to what is not an earlier operation.
        """
        if isinstance(value, Mapping):
            if set(value) == {REFERENCE}:
                return self._find(value[REFERENCE])
            return {
                key: inner if type(inner) in _SCALARS else self.replace(inner)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [inner if type(inner) in _SCALARS else self.replace(inner) for inner in value]
        return value

    def _find(self, reference: object) -> str:
        known = isinstance(reference, str | int) and not isinstance(reference, bool)
        found = self._ids.get(reference) if known else None
        if found is None:
            message = f"{REFERENCE}: there is no document of an earlier operation {reference!r}"
            raise ValidationError(message)
        return found
