"""Differences between databases are those of the reference: one test, two expectations."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.client import AsgiClient, ClientResponse
from tests.conformance.conftest import open_app
from tests.conformance.corpus import credentials
from tests.databases.kind import Kind

TEXTS = "articles?fields=title&sort=id&pagination[pageSize]=100"
SOME_ARTICLE = "ctwz165unnvcn25xzvaf4p3k"
"""An article whose number of views is the largest that fits."""


@dataclass(frozen=True, slots=True)
class ProjectClient:
    """Sends requests with full access to a separate project."""

    client: AsgiClient

    async def send(self, method: str, target: str, data: object = None) -> ClientResponse:
        headers = {
            "Authorization": f"Bearer {credentials().api_tokens['full']}",
            "Content-Type": "application/json",
        }
        body = b"" if data is None else json.dumps({"data": data}).encode()
        return await self.client.request(method, f"/api/{target}", headers, body)

    async def titles(self, filters: str) -> list[str]:
        response = await self.send("GET", f"{TEXTS}&{filters}")
        assert response.status == 200, response.content
        return [entry["title"] for entry in json.loads(response.content)["data"]]

    async def written(self, data: Mapping[str, object]) -> Any:  # noqa: ANN401 - any JSON
        response = await self.send("POST", "articles", {"title": "Differs", **data})
        assert response.status == 201, response.content
        return json.loads(response.content)["data"]


@pytest.fixture(scope="module")
async def ask(shared_recorded: Path) -> AsyncIterator[ProjectClient]:
    async with open_app(shared_recorded) as client:
        yield ProjectClient(client)


def on(kind: Kind, *, sqlite: object, postgresql: object) -> object:
    """What is expected on a kind of database."""
    return {"sqlite": sqlite, "postgresql": postgresql}[kind.name]


async def test_case_counts_in_postgresql_unless_it_is_to_be_disregarded(
    kind: Kind, ask: ProjectClient
) -> None:
    found = await ask.titles("filters[title][$startsWith]=APPL")
    assert ("apple pie" in found) is on(kind, sqlite=True, postgresql=False)
    assert "APPLE" in found


async def test_letters_beyond_ascii_are_folded_by_postgresql(
    kind: Kind, ask: ProjectClient
) -> None:
    found = await ask.titles("filters[title][$containsi]=%C3%84PFEL")
    both = ["Äpfel", "äpfel und Birnen"]
    found = [title for title in found if title in both]
    assert found == on(kind, sqlite=["Äpfel"], postgresql=both)


async def test_nulls_come_first_in_sqlite_and_last_in_postgresql(
    kind: Kind, ask: ProjectClient
) -> None:
    response = await ask.send("GET", "articles?sort=day&fields=day&pagination[pageSize]=100")
    nulls = [entry["day"] is None for entry in json.loads(response.content)["data"]]
    assert any(nulls)
    assert nulls == sorted(nulls, reverse=kind.name == "sqlite")


async def test_zeros_at_the_end_of_a_time_are_dropped_by_postgresql(
    kind: Kind, ask: ProjectClient
) -> None:
    shown = [(await ask.written({"opensAt": t}))["opensAt"] for t in ("09:30:00.500", "10:00:00")]
    assert shown == on(
        kind, sqlite=["09:30:00.500", "10:00:00.000"], postgresql=["09:30:00.5", "10:00:00"]
    )


async def test_big_integers_are_exact_in_postgresql(kind: Kind, ask: ProjectClient) -> None:
    response = await ask.send("GET", f"articles/{SOME_ARTICLE}?fields=views")
    views = json.loads(response.content)["data"]["views"]
    assert views == on(kind, sqlite="9223372036854776000", postgresql="9223372036854775807")


async def test_decimals_have_two_digits_in_postgresql(kind: Kind, ask: ProjectClient) -> None:
    shown = [(await ask.written({"rating": r}))["rating"] for r in (1.239, 2.675)]
    assert shown == on(kind, sqlite=[1.239, 2.675], postgresql=[1.24, 2.68])


async def test_keys_of_json_are_put_in_order_by_postgresql(kind: Kind, ask: ProjectClient) -> None:
    shown = (await ask.written({"extra": {"bb": 1, "c": 2, "a": 3}}))["extra"]
    assert list(shown) == on(kind, sqlite=["bb", "c", "a"], postgresql=["a", "c", "bb"])


@pytest.mark.parametrize(
    "data",
    [
        {"extra": "plain string"},
        {"readingTime": 3_000_000_000},
        {"views": "9223372036854775808"},
    ],
)
async def test_what_columns_of_postgresql_cannot_hold_is_refused(
    kind: Kind, ask: ProjectClient, data: Mapping[str, object]
) -> None:
    response = await ask.send("POST", "articles", {"title": "Does not fit", **data})
    assert response.status == on(kind, sqlite=201, postgresql=400)


@pytest.mark.parametrize(
    "query",
    ["filters[readingTime][$contains]=1", "filters[featured][$startsWith]=1", "filters[id]=abc"],
)
async def test_operands_that_postgresql_cannot_compare_are_refused(
    kind: Kind, ask: ProjectClient, query: str
) -> None:
    response = await ask.send("GET", f"{TEXTS}&{query}")
    assert response.status == on(kind, sqlite=200, postgresql=400)
