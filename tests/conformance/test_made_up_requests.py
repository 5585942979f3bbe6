"""Requests generated from the OpenAPI document get described responses, never a 500.

They go to the recorded project, which a separate server serves, by somebody who may do anything.
"""

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.conformance.corpus import credentials, unpack_project
from tests.unit.cli.processes import serving

CHECKS: list[Callable[..., Any]] = [
    not_a_server_error,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
TOO_LONG = 431
"""Whoever makes up requests knows no limit; this one is met before there is any."""
REQUESTS = 3
"""For each operation; more find more."""

made_up = settings(
    max_examples=REQUESTS,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    project: Path = unpack_project(tmp_path_factory.mktemp("made-up") / "project")
    with serving("start", project) as (served_at, _):
        yield served_at


@pytest.fixture(scope="module")
def headers() -> dict[str, str]:
    return {"Authorization": f"Bearer {credentials().api_tokens['full']}"}


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_what_is_described_is_answered_as_described(
    method: str, address: str, headers: dict[str, str]
) -> None:
    described = schemathesis.openapi.from_url(f"{address}/api/openapi.json", headers=headers)
    asked, problems = 0, []
    for found in described.get_all_operations():
        operation: Any = found.ok()  # type: ignore[union-attr]  # the document is valid
        if operation.method != method:
            continue
        asked += 1
        problems += [f"{operation.label}: {problem}" for problem in problems_of(operation, headers)]

    assert asked > 5
    assert not problems, "\n".join(problems)


def known_parameters(operation: Any, headers: dict[str, str]) -> list[dict[str, object]]:  # noqa: ANN401
    """Return values for the path: existing and generated ones."""
    collection, _, parameter = operation.path.rpartition("/")
    name = parameter.strip("{}")
    if name == parameter or name not in {"id", "documentId"}:
        return [{}]
    response = httpx.get(f"{operation.base_url}{collection}", headers=headers).json()
    bare = isinstance(response, list)
    listed: list[Any] = response if bare else response.get("data") or response.get("roles") or []
    return [{}, *({name: item[name]} for item in listed[:3])]


def problems_of(operation: Any, headers: dict[str, str]) -> list[str]:  # noqa: ANN401 - of any method
    """Send requests to one operation, and return the problems of the responses."""
    problems: list[str] = []
    known = cycle(known_parameters(operation, headers))

    @made_up
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def ask(case: Any) -> None:  # noqa: ANN401 - of any operation
        case.path_parameters = {**case.path_parameters, **next(known)}
        response = case.call(headers=headers, allow_redirects=False, timeout=30)
        if response.status_code != TOO_LONG:
            case.validate_response(response, checks=CHECKS)

    try:
        ask()
    except BaseExceptionGroup as found:
        problems += [f"{type(one).__name__}: {str(one)[:1500]}" for one in found.exceptions]
    return problems
