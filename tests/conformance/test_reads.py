"""Every recorded read of the content API, replayed: one test per group of cases."""

from collections.abc import Iterable, Sequence

import pytest

from tests.conformance.client import AsgiClient, Authorization, Client
from tests.conformance.corpus import ReadCase, cases_on, read_cases
from tests.conformance.deviations import Deviation, judge
from tests.conformance.on_postgresql import judge_on_postgresql
from tests.databases.kind import Kind

SHOWN_CASES = 20
SHOWN_DIFFERENCES = 5

GROUPS = sorted({case.group for case in read_cases()})


@pytest.mark.parametrize("group", GROUPS)
async def test_a_recorded_read_is_answered_as_the_reference_did(
    group: str,
    kind: Kind,
    client: AsgiClient,
    authorization: Authorization,
    deviations: tuple[Deviation, ...],
) -> None:
    await replay_group(group, kind, client, authorization, deviations)


async def replay_group(
    group: str,
    kind: Kind,
    client: Client,
    authorization: Authorization,
    deviations: Sequence[Deviation],
) -> None:
    """Send every request of a group, and fail with what differs from the recorded responses."""
    cases = [case for case in cases_on(kind.name) if case.group == group]
    failures = []
    for case in cases:
        found = await replay(case, kind, client, authorization, deviations)
        if found:
            failures.append(describe(case, found))
    if failures:
        shown = "\n".join(failures[:SHOWN_CASES])
        pytest.fail(f"{len(failures)} of {len(cases)} cases differ\n{shown}", pytrace=False)


async def replay(
    case: ReadCase,
    kind: Kind,
    client: Client,
    authorization: Authorization,
    deviations: Iterable[Deviation],
) -> list[str]:
    headers = {**await authorization.headers(case.auth), **case.headers}
    try:
        response = await client.request(case.method, case.path, headers)
    except Exception as error:  # noqa: BLE001 - a crash is a difference as any other
        return [f"the app raised {type(error).__name__}: {error}"]
    if kind.name == "postgresql":
        return judge_on_postgresql(case, response, deviations)
    return judge(case, response, deviations)


def describe(case: ReadCase, found: list[str]) -> str:
    lines = [f"{case.method} {case.path}  (auth {case.auth}, headers {dict(case.headers)})"]
    lines += [f"    {difference}" for difference in found[:SHOWN_DIFFERENCES]]
    if len(found) > SHOWN_DIFFERENCES:
        lines.append(f"    and {len(found) - SHOWN_DIFFERENCES} more")
    return "\n".join(lines)
