"""A scenario is sent step by step, with values of earlier responses."""

import json
from collections.abc import Mapping

import pytest

from tests.conformance.client import Authorization, ClientResponse
from tests.conformance.corpus import JSON, Credentials, Scenario, Step
from tests.conformance.scenarios import filled, replay

CREDENTIALS = Credentials(api_tokens={"full": "token"}, passwords={})


def response(body: JSON, status: int = 200) -> ClientResponse:
    return ClientResponse(status, {"content-type": "application/json"}, json.dumps(body).encode())


def step(path: str = "/", json_body: JSON = None, body: JSON = None, **more: str) -> Step:
    return Step(
        method=more.get("method", "POST"),
        path=path,
        auth=more.get("auth"),
        headers={},
        json_body=json_body,
        has_json_body=json_body is not None,
        raw_body=more.get("raw_body"),
        status=200,
        content_type="application/json",
        body=body,
    )


class Answering:
    """Returns prepared responses, and records requests."""

    def __init__(self, *responses: ClientResponse) -> None:
        self.responses = list(responses)
        self.sent: list[tuple[str, str, Mapping[str, str], bytes]] = []

    async def request(
        self,
        method: str,
        raw_target: str,
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
    ) -> ClientResponse:
        self.sent.append((method, raw_target, headers or {}, body))
        return self.responses.pop(0)


async def differences(client: Answering, *steps: Step) -> list[str]:
    scenario = Scenario(group="group", name="name", steps=steps)
    return await replay(scenario, client, Authorization(client, CREDENTIALS), ())


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{step.1.body.data.id}}", 7),
        ("{{step.1.body.data.links.1.url}}", "/b"),
        ("{{step.2.body}}", [1]),
        ("{{step.2.body.0}}", 1),
        ("{{step.1.body.data.nope.id}}", None),
        ("entry {{step.1.body.data.id}}, {{step.2.body.0}}", "entry 7, 1"),
        ({"a": ["{{step.1.body.data.id}}", True, None, 1]}, {"a": [7, True, None, 1]}),
        ("{step.1.body}", "{step.1.body}"),
    ],
)
def test_a_template_is_what_an_earlier_response_said(template: JSON, value: JSON) -> None:
    responses = [
        response({"data": {"id": 7, "links": [{"url": "/a"}, {"url": "/b"}]}}),
        response([1]),
    ]
    assert filled(step(json_body=template), responses).json_body == value


def test_targets_and_tokens_have_templates_too_but_raw_bodies_have_none() -> None:
    found = filled(
        step("/a/{{step.1.body.id}}", auth="bearer:{{step.1.body.id}}", raw_body="{{step.1.body}}"),
        [response({"id": 7})],
    )
    assert (found.path, found.auth, found.sent) == ("/a/7", "bearer:7", b"{{step.1.body}}")


async def test_requests_are_sent_as_they_were_recorded() -> None:
    client = Answering(response({"id": 7}), response({"id": 7}), response({"id": 7}))
    steps = (
        step(json_body={"data": {}}, body={"id": "<id:1>"}, auth="full"),
        step("/{{step.1.body.id}}", body={"id": "<id:1>"}, method="GET", auth="bearer:x"),
        step(raw_body="{bad", body={"id": "<id:1>"}),
    )
    assert await differences(client, *steps) == []
    json_type = {"content-type": "application/json"}
    assert client.sent == [
        ("POST", "/", {"Authorization": "Bearer token", **json_type}, b'{"data": {}}'),
        ("GET", "/7", {"Authorization": "Bearer x"}, b""),
        ("POST", "/", {}, b"{bad"),
    ]


async def test_the_first_response_that_differs_is_reported_and_nothing_is_sent_after_it() -> None:
    client = Answering(response({"id": 7}), response({"id": 8}), response({"id": 7}))
    steps = (step(body={"id": "<id:1>"}),) * 3
    assert await differences(client, *steps) == [
        "step 2: POST /  (auth None) ",
        "body.id: <id:1> was '7' before, and is '8' now",
    ]
    assert len(client.sent) == 2
