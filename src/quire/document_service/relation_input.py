"""Parses the value of a relation, in all its forms.

==============================================  ==================================================
``"documentId"``, ``5``, ``"5"``                 lead to this entry and no other
``{"documentId": …}``, ``{"id": …}``             likewise; the document id wins
a list of these                                 lead to these, in this order
``null``, ``[]``                                 lead to nothing
``{"set": …}``                                   like what it holds; ``{"set": null}`` is no change
``{"connect": …, "disconnect": …}``              add to what is there, and take away
``{}``, ``true``                                 no change
==============================================  ==================================================

This module does not check whether targets exist, and a target may be named twice.
"""

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from quire.document_service.entry_values import LinkPosition, RelationChange, RelationTarget

NO_ROW = 0
"""An id that no row has: used for impossible ids, so that they are not found."""

_CHANGES = ("set", "connect", "disconnect")
_SAYING_NOTHING = frozenset({"options"})
_LEADING_INTEGER = re.compile(r"\s*([+-]?[0-9]+)(\s*)")
_MAX_ID = 2**63 - 1
_MAX_DIGITS = 20


class UnreadableRelationError(ValueError):
    """A payload that names a target in no known form."""


def parse_relation(
    value: object, *, to_many: bool, morph: bool = False, keep_first: bool = False
) -> RelationChange | None:
    """Parse the value of one relation or media attribute.

    If the attribute is not ``to_many``, the last of several targets counts when they are set, or
    the first with ``keep_first`` (media). All connected ones are returned, because all have to
    exist, although only the first is linked then, and none besides ``set``. With ``morph`` targets
    name their content type. Returns ``None`` for no change. Raises UnreadableRelationError for a
    target without an identity.
    """
    read = _Reader(morph=morph)
    if isinstance(value, dict) and any(name in value for name in _CHANGES):
        return _change(read, value, to_many=to_many, keep_first=keep_first)
    if value is True or (isinstance(value, dict) and value.keys() <= _SAYING_NOTHING):
        return None
    target_value = NO_ROW if value is False else value
    return RelationChange(
        set=_one_of(read.targets(target_value), to_many=to_many, first=keep_first)
    )


def _change(
    read: "_Reader", value: Mapping[str, object], *, to_many: bool, keep_first: bool
) -> RelationChange | None:
    set_value = value.get("set")
    connect = read.targets(value.get("connect"))
    if set_value is not None:
        targets = _one_of(read.targets(set_value), to_many=to_many, first=keep_first)
        return RelationChange(set=targets, connect=connect)
    disconnect = read.targets(value.get("disconnect"))
    if not connect and not disconnect:
        return None
    options = value.get("options")
    strict = not (isinstance(options, dict) and options.get("strict") is False)
    return RelationChange(connect=connect, disconnect=disconnect, strict=strict)


def _one_of(
    targets: tuple[RelationTarget, ...], *, to_many: bool, first: bool
) -> tuple[RelationTarget, ...]:
    if to_many or len(targets) <= 1:
        return targets
    return targets[:1] if first else targets[-1:]


class _Reader:
    """Reads targets, with the content type of each in polymorphic relations."""

    __slots__ = ("_morph",)

    def __init__(self, *, morph: bool) -> None:
        self._morph = morph

    def targets(self, value: object) -> tuple[RelationTarget, ...]:
        """Read one target or a list of them; null and false are skipped."""
        items: Iterable[object] = value if isinstance(value, list) else (value,)
        return tuple(self._target(item) for item in items if item is not None and item is not False)

    def _target(self, item: object) -> RelationTarget:
        if isinstance(item, dict):
            return self._object(item)
        if isinstance(item, str):
            return parse_text_target(item)
        if isinstance(item, int | float) and item is not True:
            return RelationTarget(id=row_id(item))
        raise UnreadableRelationError

    def _object(self, item: Mapping[str, object]) -> RelationTarget:
        document_id = item.get("documentId")
        row: int | None = None
        if document_id in (None, "") or isinstance(document_id, bool | dict | list):
            document_id = None
            if "id" not in item:
                raise UnreadableRelationError
            row = row_id(item["id"])
        uid = item.get("__type") if self._morph else None
        target = RelationTarget(
            id=row,
            document_id=None if document_id is None else str(document_id),
            locale=_text(item.get("locale")),
            status=_text(item.get("status")),
            uid=_text(uid),
        )
        position = item.get("position")
        if not isinstance(position, dict):
            return target
        return replace(target, position=_position(position, target))


def parse_text_target(text: str) -> RelationTarget:
    """Read a target given as text: an id if it begins with digits, else a document id.

    Raises UnreadableRelationError for an empty text.
    """
    if not text:
        raise UnreadableRelationError
    if _LEADING_INTEGER.match(text):
        return RelationTarget(id=row_id(text))
    return RelationTarget(document_id=text)


def row_id(value: object) -> int:
    """Read the id of a row, given as number or text; `NO_ROW` for an impossible one."""
    if isinstance(value, str):
        match = _LEADING_INTEGER.fullmatch(value)
        number = int(match[1]) if match is not None and len(match[1]) <= _MAX_DIGITS else NO_ROW
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return NO_ROW
    else:
        number = int(value) if value % 1 == 0 else NO_ROW
    return number if 0 < number <= _MAX_ID else NO_ROW


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _position(value: Mapping[str, object], target: RelationTarget) -> LinkPosition:
    """Read the position of a target: ``before`` wins over ``after``, that over ``start``."""
    for name in ("before", "after"):
        if value.get(name):
            anchor = _anchor(value, name, target)
            return LinkPosition(before=anchor) if name == "before" else LinkPosition(after=anchor)
    return LinkPosition(start=bool(value.get("start")))


def _anchor(position: Mapping[str, object], name: str, target: RelationTarget) -> RelationTarget:
    """Read what a target is placed next to.

    A target that is given by its document is placed next to documents, whatever the form of their
    ids. Locale, status and content type are those of the target, unless the position has others.
    """
    value = position[name]
    if isinstance(value, str):
        by_document = target.document_id is not None
        anchor = RelationTarget(document_id=value) if by_document else parse_text_target(value)
    elif isinstance(value, int | float) and value is not True:
        anchor = (
            RelationTarget(id=row_id(value))
            if target.document_id is None
            else RelationTarget(document_id=str(value))
        )
    else:
        raise UnreadableRelationError
    return replace(
        anchor,
        locale=_text(position.get("locale")) or target.locale,
        status=_text(position.get("status")) or target.status,
        uid=target.uid and (_text(position.get("__type")) or target.uid),
    )
