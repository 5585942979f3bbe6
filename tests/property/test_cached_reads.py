"""Random reads and writes: a server with caches returns the same as one without."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import running
from tests.databases.kind import Rows
from tests.databases.kinds import rows_of
from tests.examples import examples
from tests.hazards.test_response_cache_invalidation import FORGETFUL, Site

_STEPS = 25
_READS = 8
_TYPES = ("articles", "authors", "tags", "categories")
_NAMES = {"articles": "title", "authors": "name", "tags": "label", "categories": "name"}
_PARTS: dict[str, Sequence[str]] = {
    "articles": (
        "populate=author",
        "populate[categories][populate]=parent",
        "populate=*",
        "populate[author][count]=true",
        "filters[author][name][$contains]=a",
        "filters[tags][label][$notNull]=true",
        "filters[$or][0][categories][name][$eq]=One&filters[$or][1][title][$contains]=t",
        "sort=author.name",
        "sort=title:desc",
        "status=draft",
        "locale=fr",
        "_q=one",
        "pagination[page]=2&pagination[pageSize]=3",
        "fields=title",
    ),
    "authors": (
        "populate=articles",
        "populate[articles][count]=true",
        "populate[passport]=true",
        "filters[articles][title][$contains]=a",
        "sort=name",
        "pagination[withCount]=false",
    ),
    "tags": ("populate=articles", "filters[articles][author][name][$notNull]=true", "sort=label"),
    "categories": (
        "populate[parent][populate]=parent",
        "populate=children",
        "filters[parent][name][$notNull]=true",
        "status=draft",
        "sort=name:desc",
    ),
}
_OUTSIDE = (
    "UPDATE articles SET title = 'Outside {number}' WHERE id % 3 = 0",
    "UPDATE authors SET name = concat('Outside {number} ', id) WHERE id % 2 = 0",
    "DELETE FROM articles_tags_lnk WHERE id % 5 = 1",
    "UPDATE tags SET label = 'Outside {number}' WHERE id % 2 = 1",
)
_RIGHTS = (
    "UPDATE up_permissions SET action = 'off' WHERE action = 'api::tag.tag.find'",
    "UPDATE up_permissions SET action = 'api::tag.tag.find' WHERE action = 'off'",
)
"""What visitors may do, taken and given."""


class Servers:
    """Two servers that cache, one that does not, and another program with the same database."""

    def __init__(
        self, choice: random.Random, caching: Sequence[Site], forgetful: Site, rows: Rows
    ) -> None:
        self._choice = choice
        self._caching = caching
        self._forgetful = forgetful
        self._rows = rows
        self._asked: list[tuple[str, str]] = []
        self.compared = 0

    async def write(self, number: int) -> None:
        """Change something, by one of the servers or past them all."""
        kinds: Sequence[Callable[[int], Any]] = (
            *[self._update] * 5,
            self._relate,
            self._create_and_delete,
            self._translate,
            self._outside,
            self._change_rights,
        )
        await self._choice.choice(kinds)(number)

    async def look(self) -> None:
        """Ask for something new and something that was requested, and compare the responses."""
        for _ in range(_READS):
            if not self._asked or self._choice.random() < 0.3:
                self._asked.append(self._query())
            token, path = self._choice.choice(self._asked)
            expected = await self._response(self._forgetful, token, path)
            for site in self._caching:
                assert await self._response(site, token, path) == expected, path
                self.compared += 1

    async def _response(self, site: Site, token: str, path: str) -> tuple[int, bytes]:
        headers = {} if token == "full" else {"Authorization": ""}
        response = await site.send("GET", path, headers=headers)
        return response.status, response.content

    def _query(self) -> tuple[str, str]:
        kind = self._choice.choice(_TYPES)
        parts = self._choice.sample(_PARTS[kind], self._choice.randint(0, 2))
        token = self._choice.choice(("full", "full", "nobody"))
        return token, f"/api/{kind}?{'&'.join([*parts, 'sort=id'][:3])}"

    async def _send(self, method: str, path: str, data: object = None) -> None:
        site = self._choice.choice(self._caching)
        body = None if data is None else {"data": data}
        response = await site.send(method, f"/api/{path}", body)
        assert response.status < 300, response.content

    async def _one_of(self, kind: str) -> str:
        response = await self._forgetful.send("GET", f"/api/{kind}?pagination[pageSize]=100")
        found: Any = response.json
        return str(self._choice.choice(found["data"])["documentId"])

    async def _update(self, number: int) -> None:
        kind = self._choice.choice(_TYPES)
        status = self._choice.choice(("", "?status=draft")) if kind == "articles" else ""
        path = f"{kind}/{await self._one_of(kind)}{status}"
        await self._send("PUT", path, {_NAMES[kind]: f"One {number}"})

    async def _relate(self, number: int) -> None:
        del number
        kind = self._choice.choice(("tags", "categories"))
        change = self._choice.choice(("connect", "disconnect"))
        data = {kind: {change: [await self._one_of(kind)]}}
        await self._send("PUT", f"articles/{await self._one_of('articles')}", data)

    async def _create_and_delete(self, number: int) -> None:
        kind = self._choice.choice(_TYPES)
        await self._send("POST", kind, {_NAMES[kind]: f"New {number}"})
        if self._choice.random() < 0.5:
            await self._send("DELETE", f"{kind}/{await self._one_of(kind)}")

    async def _translate(self, number: int) -> None:
        path = f"articles/{await self._one_of('articles')}?locale=fr"
        await self._send("PUT", path, {"title": f"Un {number}"})

    async def _outside(self, number: int) -> None:
        self._rows.execute(self._choice.choice(_OUTSIDE).replace("{number}", str(number)))
        await asyncio.sleep(0)

    async def _change_rights(self, number: int) -> None:
        del number
        self._rows.execute(self._choice.choice(_RIGHTS))
        await asyncio.sleep(0)


@pytest.fixture(params=range(examples(6)), ids=lambda seed: f"seed {seed}")
async def servers(request: pytest.FixtureRequest, own_recorded: Path) -> AsyncIterator[Servers]:
    async with AsyncExitStack() as stack:

        async def site(**overrides: int) -> Site:
            settings = load_settings(own_recorded, environ={}, overrides=overrides)
            application = build_app(settings)
            await stack.enter_async_context(running(application))
            return Site(application)

        caching = [await site(), await site()]
        rows = stack.enter_context(rows_of(own_recorded))
        yield Servers(random.Random(request.param), caching, await site(**FORGETFUL), rows)


async def test_no_cached_response_differs_from_one_that_is_read_anew(servers: Servers) -> None:
    await servers.look()
    for number in range(_STEPS):
        await servers.write(number)
        await servers.look()
    assert servers.compared == 2 * _READS * (_STEPS + 1)
