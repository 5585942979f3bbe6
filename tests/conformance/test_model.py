"""Descriptions of the model equal those of the reference byte for byte."""

import json

import pytest

from tests.conformance.client import AsgiClient, Authorization
from tests.conformance.corpus import ModelCase, model_cases

ALL_COMPONENTS = "/api/content-type-builder/components"


def label(case: ModelCase) -> str:
    return f"{case.path.removeprefix('/api/content-type-builder/')} ({case.auth})"


@pytest.mark.parametrize("case", model_cases(), ids=label)
async def test_the_model_is_described_as_the_reference_does(
    case: ModelCase, client: AsgiClient, authorization: Authorization
) -> None:
    response = await client.request("GET", case.path, await authorization.headers(case.auth))
    assert response.status == case.status
    assert in_order(case, response.content.decode()) == in_order(case, case.body)


def in_order(case: ModelCase, text: str) -> str:
    """The reference lists components as its file system does; by uid they can be compared."""
    content = json.loads(text)
    if case.path != ALL_COMPONENTS or case.status != 200:
        return text
    return json.dumps({"data": sorted(content["data"], key=lambda one: one["uid"])})
