"""Replays a recorded scenario: fills in its templates, and sends its requests in order."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tests.conformance.client import Authorization, Client, ClientResponse
from tests.conformance.common_form import common_response, common_step
from tests.conformance.corpus import JSON, Scenario, Step
from tests.conformance.deviations import Deviation, judge
from tests.conformance.forms import FORM_TYPE
from tests.conformance.placeholders import Placeholders

_TEMPLATE = re.compile(r"\{\{step\.(\d+)\.body((?:\.[^.{}]+)*)\}\}")
_COOKIE = re.compile(r"\{\{step\.(\d+)\.cookie\.([^{}]+)\}\}")
_JSON = {"content-type": "application/json"}
_FORM = {"content-type": FORM_TYPE}


def nothing(_: Step, __: str) -> bool:
    """Accept no difference."""
    return False


async def replay(
    scenario: Scenario,
    client: Client,
    authorization: Authorization,
    deviations: Iterable[Deviation],
    allow: Callable[[Step, str], bool] = nothing,
    *,
    in_common: bool = False,
) -> list[str]:
    """Send the requests of a scenario, and return in words where the responses differ.

    With ``in_common`` they are compared in a form that all databases have in common.

    No more is sent after the first response that differs, since the next ones build upon it; but
    differences that ``allow`` accepts do not count.
    """
    placeholders = Placeholders()
    responses: list[ClientResponse] = []
    for number, recorded in enumerate(scenario.steps, start=1):
        step = filled(recorded, responses)
        response = await send(step, client, authorization)
        if in_common:
            reported = judge(
                common_step(recorded), common_response(response), deviations, placeholders
            )
        else:
            reported = judge(recorded, response, deviations, placeholders)
        found = [difference for difference in reported if not allow(recorded, difference)]
        if found:
            return [described(number, step), *found]
        responses.append(response)
    return []


async def send(step: Step, client: Client, authorization: Authorization) -> ClientResponse:
    """Send one request, whose templates have been filled in."""
    headers = {
        **await authorization.headers(step.auth),
        **(_JSON if step.has_json_body else {}),
        **(_FORM if step.multipart is not None else {}),
        **step.headers,
    }
    return await client.request(step.method, step.path, headers, step.sent)


def filled(step: Step, responses: Sequence[ClientResponse]) -> Step:
    """Replace references in a request by values of earlier responses."""
    return replace(
        step,
        path=str(_fill(step.path, responses)),
        auth=None if step.auth is None else str(_fill(step.auth, responses)),
        json_body=_fill(step.json_body, responses),
        headers={
            name: _COOKIE.sub(lambda found: _cookie(found, responses), value)
            for name, value in step.headers.items()
        },
    )


def _cookie(template: re.Match[str], responses: Sequence[ClientResponse]) -> str:
    """Return the value of a cookie that a response sets; nothing where it does not."""
    headers = responses[int(template[1]) - 1].headers.get("set-cookie", "")
    found = re.search(rf"(?:^|,\s*){re.escape(template[2])}=([^;]*)", headers)
    return found[1] if found else ""


def described(number: int, step: Step) -> str:
    """Say which request of a scenario it was."""
    body = step.sent.decode(errors="replace")
    shown = f"{body[:400]}..." if len(body) > 400 else body
    return f"step {number}: {step.method} {step.path}  (auth {step.auth}) {shown}"


def _fill(value: JSON, responses: Sequence[ClientResponse]) -> JSON:
    match value:
        case dict():
            return {name: _fill(inner, responses) for name, inner in value.items()}
        case list():
            return [_fill(inner, responses) for inner in value]
        case str():
            # What is nothing but a template becomes the value itself, of whatever type.
            if whole := _TEMPLATE.fullmatch(value):
                return _answered(whole, responses)
            return _TEMPLATE.sub(lambda found: str(_answered(found, responses)), value)
        case _:
            return value


def _answered(template: re.Match[str], responses: Sequence[ClientResponse]) -> JSON:
    """Return the value of a template: None if a response does not have it."""
    value = responses[int(template[1]) - 1].json
    for name in filter(None, template[2].split(".")):
        match value:
            case list():
                value = value[int(name)]
            case dict():
                value = value.get(name)
            case _:
                return None
    return value
