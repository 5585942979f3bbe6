"""Compares a response with the recorded one, and describes the differences.

Equal are the status, the media type and the JSON body. The order of an object's members does not
matter, that of an array's items does; `true` is not `1`. Where a case has them, its headers, its
text and its length are compared as well; `Vary` may name more request headers than were recorded.
Placeholders stand for what was made during a scenario.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.conformance.client import ClientResponse, media_type
from tests.conformance.corpus import JSON, Recorded
from tests.conformance.placeholders import Placeholders

# The reference lists components in the order in which it happened to load their files.
COMPONENT_LIST = "__component must be one of the following values: "


def differences(
    case: Recorded, response: ClientResponse, placeholders: Placeholders | None = None
) -> list[str]:
    """Return the differences between a response and the recorded one: none if they are equal.

    With ``placeholders``, those in the recorded response stand for what they have stood for so far.
    """
    comparison = _Comparison(placeholders)
    return [
        *_differing("status", case.status, response.status),
        *_differing("media type", media_type(case.content_type), response.media_type),
        *comparison.json("body", case.body, _in_order(case, response.json)),
        *_differing("text", case.text, response.text),
        *([] if case.length is None else _differing("length", case.length, len(response.content))),
        *(
            difference
            for name, value in case.response_headers.items()
            for difference in _differing_header(name, value, response.headers.get(name))
        ),
    ]


def _in_order(case: Recorded, body: JSON) -> JSON:
    """Sort the items of a response that came in no particular order as the recorded ones were."""
    name = case.sort_body_by
    if name is None or not isinstance(body, list):
        return body
    return sorted(body, key=lambda item: str(item[name]) if isinstance(item, dict) else "")


def _differing_header(name: str, expected: str, actual: str | None) -> Iterator[str]:
    if name == "vary" and _names(expected) <= _names(actual or ""):
        return
    yield from _differing(f"header {name}", expected, actual)


def _names(listed: str) -> set[str]:
    return {name.strip().lower() for name in listed.split(",")}


def _differing(what: str, expected: JSON, actual: JSON) -> Iterator[str]:
    if expected != actual:
        yield f"{what}: expected {_short(expected)}, got {_short(actual)}"


@dataclass(frozen=True, slots=True)
class _Comparison:
    """How two values are compared."""

    placeholders: Placeholders | None

    def json(self, path: str, expected: JSON, actual: JSON) -> Iterator[str]:
        match expected, actual:
            case dict(), dict():
                yield from self._objects(path, expected, actual)
            case list(), list():
                yield from self._arrays(path, expected, actual)
            case str(), _ if self.placeholders and self.placeholders.stand_in(expected):
                for difference in self.placeholders.differences(expected, actual):
                    yield f"{path}: {difference}"
            case str(), str():
                yield from _differing(path, _without_order(expected), _without_order(actual))
            case _:
                # Compared by class too, as True equals 1; but 1 and 1.0 are one number in JSON.
                if _json_type(expected) is not _json_type(actual) or expected != actual:
                    yield f"{path}: expected {_short(expected)}, got {_short(actual)}"

    def _objects(
        self, path: str, expected: dict[str, JSON], actual: dict[str, JSON]
    ) -> Iterator[str]:
        for name in sorted(expected.keys() - actual.keys()):
            yield f"{path}.{name}: expected {_short(expected[name])}, but it is missing"
        for name in sorted(actual.keys() - expected.keys()):
            yield f"{path}.{name}: not expected, got {_short(actual[name])}"
        for name in sorted(expected.keys() & actual.keys()):
            yield from self.json(f"{path}.{name}", expected[name], actual[name])

    def _arrays(self, path: str, expected: list[JSON], actual: list[JSON]) -> Iterator[str]:
        if len(expected) != len(actual):
            yield (
                f"{path}: expected {len(expected)} items{_ids(expected)}, "
                f"got {len(actual)}{_ids(actual)}"
            )
            return
        for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
            yield from self.json(f"{path}[{index}]", one, other)


def _json_type(value: JSON) -> type:
    return float if type(value) is int else type(value)


def _without_order(text: str) -> JSON:
    head, found, names = text.partition(COMPONENT_LIST)
    return [head, *sorted(names.split(", "))] if found else text


def _ids(items: list[JSON]) -> str:
    ids = [item["id"] for item in items if isinstance(item, dict) and "id" in item]
    return f" (ids {_short(ids)})" if ids else ""


def _short(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:160]}... ({len(text)} characters)"
