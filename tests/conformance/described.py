"""Validates requests and responses against an OpenAPI document."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.protocols import Validator

from tests.conformance.corpus import JSON

JsonObject = dict[str, Any]

OPEN = frozenset(
    {
        *("BlockParagraph", "BlockHeading", "BlockQuote", "BlockCode", "BlockList", "BlockImage"),
        *("BlockText", "BlockLink", "BlockListItem", "BlockImageFile"),
    }
)
"""Descriptions of what may have further members in an answer."""


class Described:
    """A document, with the operation for each request."""

    def __init__(self, document: JsonObject) -> None:
        self.document = document
        self._prefix = document["servers"][0]["url"]
        self._paths = [(_pattern(path), path) for path in sorted(document["paths"], key=_literals)]
        self._validators: dict[tuple[str, ...], Validator] = {}

    @cached_property
    def _closed(self) -> JsonObject:
        """The document with objects that have no members but those that it names."""
        schemas = self.document["components"]["schemas"]
        closed = {name: s if name in OPEN else _close(s) for name, s in schemas.items()}
        paths = _close(self.document["paths"])
        components = {**self.document["components"], "schemas": closed}
        return {**self.document, "components": components, "paths": paths}

    def operation(self, method: str, target: str) -> tuple[str, str] | None:
        """Return path and method of the operation for a request, if there is any."""
        path = unquote(target.partition("?")[0]).removesuffix("/")
        if not path.lower().startswith(self._prefix):
            return None
        below = path[len(self._prefix) :]
        for pattern, template in self._paths:
            if pattern.fullmatch(below) and method.lower() in self.document["paths"][template]:
                return template, method.lower()
        return None

    def problems_of_response(
        self, operation: tuple[str, str], status: int, body: JSON
    ) -> list[str]:
        """Return the differences of a response body from its description."""
        path, method = operation
        responses = self.document["paths"][path][method]["responses"]
        known = str(status) if str(status) in responses else "default"
        response = responses[known]
        if "$ref" in response:
            name = response["$ref"].rpartition("/")[2]
            where: tuple[str, ...] = ("components", "responses", name)
        elif "content" not in response:
            return [] if body is None else ["there is a body"]
        else:
            where = ("paths", path, method, "responses", known)
        return self._problems((*where, "content", "application/json", "schema"), body)

    def problems_of_body(self, operation: tuple[str, str], body: JSON) -> list[str]:
        """Return the differences of a JSON request body from its description."""
        path, method = operation
        if "requestBody" not in self.document["paths"][path][method]:
            return []
        where = ("paths", path, method, "requestBody", "content", "application/json", "schema")
        return self._problems(where, body)

    def _problems(self, where: tuple[str, ...], value: JSON) -> list[str]:
        validator = self._validators.get(where)
        if validator is None:
            pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in where)
            root = {**self._closed, "$ref": f"#/{pointer}"}
            validator = Draft202012Validator(root, format_checker=FormatChecker())
            self._validators[where] = validator
        return [
            f"{'.'.join(map(str, problem.absolute_path))}: {problem.message[:300]}"
            for problem in validator.iter_errors(value)
        ]


def _literals(path: str) -> int:
    """Put paths with fewer parameters first, as routes are found."""
    return path.count("{")


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path), re.IGNORECASE)


def _close(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, list):
        return [_close(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    found = {key: item if key == "allOf" else _close(item) for key, item in value.items()}
    if "properties" in found and found.get("type") == "object":
        found.setdefault("additionalProperties", False)
    return found
