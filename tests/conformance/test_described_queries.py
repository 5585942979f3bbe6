"""The OpenAPI document describes every successful recorded query."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator

from quire.query.querystring import parse
from tests.conformance.client import Authorization
from tests.conformance.conftest import open_app
from tests.conformance.corpus import ReadCase, credentials, read_cases, unpack_project
from tests.conformance.described import Described

BOUNDS = frozenset({"format", "pattern", "minimum", "maximum", "minItems", "maxItems"})
COUNTED = "[count]"
PARAMETERS = ("filters", "populate", "fields", "locale", "publicationFilter", "pagination")
TOLERATED = {"filters": 28, "populate": 50, "pagination": 8}
"""How many are answered without being described: odd spellings, comma lists within populate, and
what counts for nothing."""


@pytest.fixture(scope="module")
async def described(tmp_path_factory: pytest.TempPathFactory) -> Described:
    project = unpack_project(tmp_path_factory.mktemp("asked") / "project")
    async with open_app(project) as client:
        headers = await Authorization(client, credentials()).headers("full")
        response = await client.request("GET", "/api/openapi.json", headers)
    return Described(json.loads(response.content))


@pytest.mark.parametrize("name", PARAMETERS)
async def test_a_recorded_parameter_is_among_those_that_are_described(
    name: str, described: Described
) -> None:
    components = as_texts({"components": described.document["components"]})
    validators: dict[tuple[str, str], Validator] = {}
    asked, problems = 0, []
    for case in read_cases():
        value = parse(case.path.partition("?")[2]).get(name)
        schema = schema_of(case, name, described)
        if value is None or schema is None or COUNTED in case.path:
            continue
        operation = described.operation("GET", case.path)
        assert operation is not None
        known = validators.setdefault(
            operation, Draft202012Validator({**components, **as_texts(schema)})
        )
        asked += 1
        problems += [] if known.is_valid(listed(name, value)) else [case.path]

    assert asked > 40
    assert len(problems) <= TOLERATED.get(name, 0), "\n".join(problems)


def schema_of(case: ReadCase, name: str, described: Described) -> Any:  # noqa: ANN401 - JSON
    """Return the description of a parameter; ``None`` where the case is not about it."""
    operation = described.operation(case.method, case.path)
    if operation is None or case.status != 200:
        return None
    path, method = operation
    parameters = described.document["paths"][path][method].get("parameters", [])
    members = {
        p["name"][len(name) + 1 : -1]: p["schema"]
        for p in parameters
        if p["name"].startswith(f"{name}[")
    }
    if members:
        return {"type": "object", "properties": members, "additionalProperties": False}
    return next((p["schema"] for p in parameters if p["name"] == name), None)


def listed(name: str, value: Any) -> Any:  # noqa: ANN401 - a parsed query
    """Return a comma list at the root as a list."""
    everything = name == "populate" and value == "*"
    if name in {"fields", "populate"} and isinstance(value, str) and not everything:
        return [item.strip() for item in value.split(",")]
    return value


def as_texts(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a description in which every plain value may be text, as all are in a query."""
    if isinstance(schema, list):
        return [as_texts(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {}
    for keyword, inner in schema.items():
        if keyword == "properties":
            found[keyword] = {name: as_texts(member) for name, member in inner.items()}
        elif keyword not in BOUNDS:
            found[keyword] = as_texts(inner)
    kind = schema.get("type")
    if kind is not None and kind != "object" and kind != "array":  # noqa: PLR1714 - it may be a list
        found["type"] = ["string", "null"]
    return found
