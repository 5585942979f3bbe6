"""The operations of a batch and references between them, checked as far as possible in advance."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from quire.access.actions import WRITE_ACTIONS
from quire.errors import ValidationError
from quire.query.querystring import QueryValue
from quire.schema.model import ContentType, TypeKind

REFERENCE = "$ref"
_SCALARS = frozenset({str, int, float, bool, type(None)})
"""JSON values besides objects and lists; there may be a hundred thousand of them."""


class OperationReferences:
    """The documents of earlier operations, by position and by name."""

    def __init__(self) -> None:
        self._ids: dict[object, str | None] = {}

    def remember(self, name: object, index: int, document_id: str | None) -> None:
        """Store the document of an operation.

        Raises ValidationError for an invalid or used name.
        """
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
        """Return a value with references replaced by document ids.

        Raises ValidationError for a reference to something else than an earlier operation.
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
        is_reference = isinstance(reference, str | int) and not isinstance(reference, bool)
        document_id = self._ids.get(reference) if is_reference else None
        if document_id is None:
            message = f"{REFERENCE}: there is no document of an earlier operation {reference!r}"
            raise ValidationError(message)
        return document_id


_KEYS = frozenset(
    {"action", "type", "documentId", "data", "locale", "status", "populate", "fields", "as"}
)


class BatchOperation(Struct, frozen=True, kw_only=True):
    """One operation, parsed without its data."""

    action: str
    content_type: ContentType
    document_id: str | None
    raw: Mapping[str, object]
    query: dict[str, QueryValue]


class BatchOperations:
    """Parses the operations of one batch, in their order.

    ``types`` are content types by their names in operations; ``new_id`` makes the ids of new
    documents.
    """

    def __init__(self, types: Mapping[str, ContentType], new_id: Callable[[], str]) -> None:
        self._types = types
        self._new_id = new_id
        self.references = OperationReferences()

    def parse(self, raw: object, index: int) -> BatchOperation:
        """Parse one operation; ``index`` is its position, by which later ones may refer to it.

        Raises ValidationError for an invalid operation.
        """
        if not isinstance(raw, Mapping):
            message = "An operation must be an object"
            raise ValidationError(message)
        for key in raw:
            if key not in _KEYS:
                message = f"Invalid key {key}: an operation has {', '.join(sorted(_KEYS))}"
                raise ValidationError(message)
        action = raw.get("action")
        if not isinstance(action, str) or action not in WRITE_ACTIONS:
            message = f"action must be one of {', '.join(WRITE_ACTIONS)}"
            raise ValidationError(message)
        name = raw.get("type")
        content_type = self._types.get(name) if isinstance(name, str) else None
        if content_type is None:
            message = "type must be the plural name, the singular name of a single type, or the uid"
            raise ValidationError(message)
        locale = raw.get("locale")
        if locale is not None and not isinstance(locale, str):
            message = "locale must be a string"
            raise ValidationError(message)
        document_id = self._document_id(action, content_type, raw)
        self.references.remember(raw.get("as"), index, document_id)
        query = {
            key: _as_query(raw[key])
            for key in ("status", "locale", "populate", "fields")
            if key in raw
        }
        return BatchOperation(
            action=action,
            content_type=content_type,
            document_id=document_id,
            raw=raw,
            query=query,
        )

    def _document_id(
        self,
        action: str,
        content_type: ContentType,
        raw: Mapping[str, object],
    ) -> str | None:
        """Return the document of an operation; new documents get their ids here."""
        document_id = self.references.replace(raw.get("documentId"))
        if content_type.kind is TypeKind.SINGLE:
            if action == "create":
                message = "A single type is written by update"
                raise ValidationError(message)
            if document_id is not None and not isinstance(document_id, str):
                message = "documentId must be a string"
                raise ValidationError(message)
            if document_id is None and action in {"publish", "unpublish"}:
                message = "documentId must be defined"
                raise ValidationError(message)
            return document_id
        if action == "create":
            if document_id is not None:
                message = "documentId cannot be chosen"
                raise ValidationError(message)
            return self._new_id()
        if not isinstance(document_id, str):
            message = "documentId must be a string"
            raise ValidationError(message)
        return document_id


def _as_query(value: object) -> QueryValue:
    """Return a JSON value in the form of a parsed query string."""
    if isinstance(value, Mapping):
        return {str(key): _as_query(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_query(inner) for inner in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if value is None or isinstance(value, str) else str(value)
