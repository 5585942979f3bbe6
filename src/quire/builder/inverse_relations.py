"""Both ends of a relation, in the form of schema files."""

from collections.abc import Mapping
from typing import Any

from quire.builder.definitions import SELF, Wanted

Raw = dict[str, Any]
"""A model or an attribute of a schema file, while it is edited."""

_OTHER_KIND = {
    "oneToOne": "oneToOne",
    "oneToMany": "manyToOne",
    "manyToOne": "oneToMany",
    "manyToMany": "manyToMany",
}
_OPPOSITE = {"mappedBy": "inversedBy", "inversedBy": "mappedBy"}
_OF_BODIES = frozenset({"targetAttribute", "name", "formerName"})
"""Keys of requests that are not stored in files."""
_SPOKEN_OF = ("required", "private")
"""Options of relations and media that the builder always sends."""


def is_two_sided(raw: Mapping[str, Any]) -> bool:
    """Tell whether an attribute is a relation to one content type, which may have an inverse."""
    return raw.get("type") == "relation" and raw.get("relation") in _OTHER_KIND


def other_side(raw: Mapping[str, Any]) -> str | None:
    """Return the name of the attribute on the other side of a relation, if it has one."""
    if not is_two_sided(raw):
        return None
    return raw.get("inversedBy") or raw.get("mappedBy")


def raw_of(wanted: Wanted, uid: str, known: Mapping[str, Any] | None) -> Raw:
    """Return an attribute in the form of a schema file; ``known`` is its present form.

    Options that were only described, and are not in the file, are left out.
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
    """Return the inverse of a relation: of the attribute ``name`` of the type ``uid``."""
    side = "inversedBy" if "inversedBy" in raw else "mappedBy"
    return {
        "type": "relation",
        "relation": _OTHER_KIND[raw["relation"]],
        "target": uid,
        _OPPOSITE[side]: name,
    }


def fits(raw: Mapping[str, Any], other: Mapping[str, Any], name: str, uid: str) -> bool:
    """Tell whether an attribute is the inverse of a relation already."""
    expected = counterpart(raw, name, uid)
    return all(other.get(key) == value for key, value in expected.items())


def _join(raw: Raw, wanted: Wanted, uid: str, known: Mapping[str, Any] | None) -> None:
    """Set the name of the inverse in a relation."""
    if raw.get("target") == SELF:
        raw["target"] = uid
    dominant = raw.pop("dominant", None)
    other = wanted.get("targetAttribute", other_side(raw))
    if "inversedBy" not in raw and "mappedBy" not in raw:
        side = _relation_side(raw, dominant=dominant, known=known)
    else:
        side = "inversedBy" if "inversedBy" in raw else "mappedBy"
    raw.pop("inversedBy", None)
    raw.pop("mappedBy", None)
    if other:
        raw[side] = other


def _relation_side(raw: Raw, *, dominant: object, known: Mapping[str, Any] | None) -> str:
    """Return the side of a relation: as before, or by its kind."""
    if raw["relation"] == "oneToMany":
        return "mappedBy"
    if raw["relation"] == "manyToOne":
        return "inversedBy"
    if dominant is None and known is not None and known.get("relation") == raw["relation"]:
        for side in _OPPOSITE:
            if side in known:
                return side
    return "mappedBy" if dominant is False else "inversedBy"
