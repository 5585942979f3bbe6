"""Both ends of a relation, as schema files spell them."""

from collections.abc import Mapping
from typing import Any

from quire.builder.definitions import SELF, Wanted

Raw = dict[str, Any]
"""A model or an attribute as a schema file holds it, while it is changed."""

_OTHER_KIND = {
    "oneToOne": "oneToOne",
    "oneToMany": "manyToOne",
    "manyToOne": "oneToMany",
    "manyToMany": "manyToMany",
}
_OPPOSITE = {"mappedBy": "inversedBy", "inversedBy": "mappedBy"}
_OF_BODIES = frozenset({"targetAttribute", "name", "formerName"})
"""Members that bodies have and files do not."""
_SPOKEN_OF = ("required", "private")
"""Options that the builder spells out for relations and media whatever the file says."""


def is_two_sided(raw: Mapping[str, Any]) -> bool:
    """Tell whether an attribute is a relation to one content type, which may have another side."""
    return raw.get("type") == "relation" and raw.get("relation") in _OTHER_KIND


def other_side(raw: Mapping[str, Any]) -> str | None:
    """Return the name of the attribute on the other side of a relation, if it has one."""
    if not is_two_sided(raw):
        return None
    return raw.get("inversedBy") or raw.get("mappedBy")


def raw_of(wanted: Wanted, uid: str, known: Mapping[str, Any] | None) -> Raw:
    """Return an attribute as a schema file holds it; ``known`` is what the file holds by now.

    What was only described, and never said in the file, stays out of it.
    """
    raw = {name: value for name, value in wanted.items() if name not in _OF_BODIES}
    if raw.get("type") in {"relation", "media"}:
        for name in _SPOKEN_OF:
            if raw.get(name) is False and name not in (known or {}):
                del raw[name]
    if is_two_sided(raw):
        _join(raw, wanted, uid, known)
    return dict(known) if known is not None and raw == known else raw


def counterpart(raw: Mapping[str, Any], name: str, uid: str) -> Raw:
    """Return the other side of a relation: of the attribute ``name`` of the type ``uid``."""
    side = "inversedBy" if "inversedBy" in raw else "mappedBy"
    return {
        "type": "relation",
        "relation": _OTHER_KIND[raw["relation"]],
        "target": uid,
        _OPPOSITE[side]: name,
    }


def fits(raw: Mapping[str, Any], other: Mapping[str, Any], name: str, uid: str) -> bool:
    """Tell whether an attribute is the other side of a relation already."""
    expected = counterpart(raw, name, uid)
    return all(other.get(key) == value for key, value in expected.items())


def _join(raw: Raw, wanted: Wanted, uid: str, known: Mapping[str, Any] | None) -> None:
    """Say in a relation which attribute is its other side."""
    if raw.get("target") == SELF:
        raw["target"] = uid
    dominant = raw.pop("dominant", None)
    other = wanted.get("targetAttribute", other_side(raw))
    if "inversedBy" not in raw and "mappedBy" not in raw:
        side = _side(raw, dominant=dominant, known=known)
    else:
        side = "inversedBy" if "inversedBy" in raw else "mappedBy"
    raw.pop("inversedBy", None)
    raw.pop("mappedBy", None)
    if other:
        raw[side] = other


def _side(raw: Raw, *, dominant: object, known: Mapping[str, Any] | None) -> str:
    """Return which side of a relation an attribute is: as before, or as its kind asks for."""
    if raw["relation"] == "oneToMany":
        return "mappedBy"
    if raw["relation"] == "manyToOne":
        return "inversedBy"
    if dominant is None and known is not None and known.get("relation") == raw["relation"]:
        for side in _OPPOSITE:
            if side in known:
                return side
    return "mappedBy" if dominant is False else "inversedBy"
