"""Recorded requests to the content-type builder, replayed on separate projects.

The reference starts again after each change; here the next request finds the change made.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

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
from tests.conformance.scenario_server import Clock, TickingClient
from tests.conformance.test_administration import SHOWN_DIFFERENCES, differing
from tests.conformance.test_managed_writes import as_it_is
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
        authorization = AdminAuthorization(client, credentials(), scenario.admin_users)
        found = await differing_steps(scenario, client, authorization, form)
    expected = EXPECTED.get(scenario.name, {})
    surprising = [
        line for step, reported in found.items() if step not in expected for line in reported
    ]
    if surprising:
        pytest.fail("\n    ".join(surprising[:SHOWN_DIFFERENCES]), pytrace=False)
    assert sorted(found) == sorted(expected), "what is listed to differ does not"


async def test_what_the_reference_has_not_seen_yet_is_known_all_the_same(
    recorded: Path, kind: Kind, tmp_path: Path
) -> None:
    """The database says of types made here nothing in the reference's own record of types."""
    memo = {
        "displayName": "Memo",
        "singularName": "memo",
        "pluralName": "memos",
        "draftAndPublish": False,
        "attributes": {
            "title": {"type": "string"},
            "author": {
                "type": "relation",
                "relation": "manyToOne",
                "target": "api::author.author",
                "targetAttribute": "memos",
            },
        },
    }
    later = {**memo, "attributes": {"headline": {"type": "string", "formerName": "title"}}}
    folder = tmp_path / "project"
    async with fresh_project(recorded, kind, folder) as client:
        authorization = AdminAuthorization(client, credentials())
        headers = {**await authorization.headers("admin"), "Content-Type": "application/json"}

        async def ask(method: str, target: str, body: object) -> Any:  # noqa: ANN401 - as JSON
            content = json.dumps(body).encode()
            response = await client.request(method, target, headers, content)
            assert response.status < 300, response.content
            return response.json

        types, entries = "/content-type-builder/content-types", "/content-manager/collection-types"
        await ask("POST", types, {"contentType": memo})
        await ask("POST", f"{entries}/api::memo.memo", {"title": "Buy ink"})
        category = "/content-type-builder/component-categories/people"
        await ask("PUT", category, {"name": "persons"})
        shown = await ask("GET", f"{entries}/api::author.author?sort=id", None)
        assert shown["results"][0]["address"]["city"] == "London"
        await ask("PUT", f"{types}/api::memo.memo", {"contentType": later})
        shown = await ask("GET", f"{entries}/api::memo.memo", None)
        assert shown["results"][0]["headline"] == "Buy ink"
        app = build_app(load_settings(folder, environ={}))
        async with running(app):  # the record agrees with the files
            assert app.database is not None


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
