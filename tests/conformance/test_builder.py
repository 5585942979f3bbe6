"""What administrators are shown of the model and change in it, replayed on projects of their own.

The reference starts again after each change; here the next request finds the change made.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, running
from tests.conformance.corpus import credentials
from tests.conformance.managed import (
    AdminAuthorization,
    ManagedScenario,
    differing_steps,
    managed_cases,
    managed_scenarios,
)
from tests.conformance.on_postgresql import common_form
from tests.conformance.test_administration import SHOWN_DIFFERENCES, differing
from tests.conformance.test_managed_writes import as_it_is
from tests.conformance.test_writes import Clock, TickingClient
from tests.databases.kind import Kind
from tests.databases.kinds import POSTGRESQL

EXPECTED: Mapping[str, Mapping[int, str]] = {
    "types/attributes that cannot be": dict.fromkeys(
        (23, 25), "names types that other steps had made, which are no part of the recording"
    ),
}
"""Steps that differ on purpose, by what explains them."""


async def test_administrators_are_shown_the_model_as_by_the_reference(client: AsgiClient) -> None:
    administrators = AdminAuthorization(client, credentials())
    failures: list[str] = []
    for case in managed_cases("builder-reads"):
        found = await differing(case, client, administrators)
        if found:
            failures += [f"{case.method} {case.path}", *found]
    if failures:
        pytest.fail("\n    ".join(failures[:SHOWN_DIFFERENCES]), pytrace=False)


@pytest.mark.parametrize(
    "scenario", managed_scenarios("builder-writes"), ids=lambda scenario: scenario.name
)
async def test_administrators_change_the_model_as_by_the_reference(
    scenario: ManagedScenario, recorded: Path, kind: Kind, tmp_path: Path
) -> None:
    form = common_form if kind is POSTGRESQL else as_it_is
    async with fresh_project(recorded, kind, tmp_path / "project") as client:
        authorization = AdminAuthorization(client, credentials(), scenario.people)
        found = await differing_steps(scenario, client, authorization, form)
    expected = EXPECTED.get(scenario.name, {})
    surprising = [line for step, told in found.items() if step not in expected for line in told]
    if surprising:
        pytest.fail("\n    ".join(surprising[:SHOWN_DIFFERENCES]), pytrace=False)
    assert sorted(found) == sorted(expected), "what is listed to differ does not"


@asynccontextmanager
async def fresh_project(project: Path, kind: Kind, folder: Path) -> AsyncIterator[TickingClient]:
    """Serve a copy of a project, whose files may be changed."""
    copied = kind.copy(project, folder)
    try:
        clock = Clock()
        app = build_app(load_settings(copied, environ={}), clock=clock)
        async with running(app):
            yield TickingClient(app, clock)
    finally:
        kind.release(copied)
