"""Placeholders in recorded responses for values generated during the recording.

``<id:1>`` in a recorded response is any number, ``<documentId:2>`` any document's id and so on: the
same value wherever the scenario names it again. Moments are the same when they lie close together,
because the reference takes the time more than once for one request.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from tests.conformance.corpus import JSON

SAME_MOMENT_SECONDS = 0.015

_KINDS = {
    "id": r"\d+",
    "documentId": r"[a-z][a-z0-9]{23}",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "hash": r"[0-9A-Za-z]+",
    "jwt": r"[\w-]+\.[\w-]+\.[\w-]+",
    "token": r"[0-9a-f]+",
    "size": r"\d+(?:\.\d+)?",
}
_TEXT: frozenset[type] = frozenset({str})
_NUMBERS: dict[str, frozenset[type]] = {"id": frozenset({int}), "size": frozenset({int, float})}
_VARYING = frozenset({"jwt", "size"})
"""Kinds whose placeholders say what a value looks like, and no more."""
_PLACEHOLDER = re.compile(rf"<({'|'.join(_KINDS)}):\d+>")


class Placeholders:
    """What the placeholders of one scenario have turned out to stand for."""

    def __init__(self) -> None:
        self._found: dict[str, str] = {}

    def stand_in(self, expected: JSON) -> bool:
        """Tell whether there is a placeholder in what was recorded."""
        return isinstance(expected, str) and _PLACEHOLDER.search(expected) is not None

    def differences(self, expected: str, actual: JSON) -> Iterator[str]:
        """Describe how a value differs from a text with placeholders."""
        matched = re.fullmatch(_pattern(expected), str(actual), re.DOTALL)
        if matched is None or type(actual) not in _types(expected):
            yield f"expected {expected}, got {actual!r}"
            return
        names = (found[0] for found in _PLACEHOLDER.finditer(expected))
        for name, value in zip(names, matched.groups(), strict=True):
            yield from self._bind(name, value)

    def _bind(self, name: str, value: str) -> Iterator[str]:
        kind = name[1:].partition(":")[0]
        if kind in _VARYING:
            return
        known = self._found.setdefault(name, value)
        if known != value and not (kind == "time" and _one_moment(known, value)):
            yield f"{name} was {known!r} before, and is {value!r} now"
        if kind == "documentId":
            others = [other for other, found in self._found.items() if found == value]
            if others != [name]:
                yield f"{' and '.join(others)} are different documents, and both are {value!r}"


def _types(expected: str) -> frozenset[type]:
    """Return the types that a value may have, of which a boolean is none."""
    whole = _PLACEHOLDER.fullmatch(expected)
    return _NUMBERS.get(whole[1], _TEXT) if whole else _TEXT


def _pattern(expected: str) -> str:
    """Return the pattern of a text with placeholders, one group for each of them."""
    pieces = _PLACEHOLDER.split(expected)
    texts, kinds = pieces[::2], pieces[1::2]
    groups = [f"({_KINDS[kind]})" for kind in kinds]
    return "".join(
        re.escape(text) + group for text, group in zip(texts, [*groups, ""], strict=True)
    )


def _one_moment(one: str, other: str) -> bool:
    gap = datetime.fromisoformat(one) - datetime.fromisoformat(other)
    return abs(gap.total_seconds()) <= SAME_MOMENT_SECONDS
