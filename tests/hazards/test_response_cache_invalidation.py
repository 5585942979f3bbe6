"""Cached responses are used again until their content changes."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

from quire.app import Application, build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, ClientResponse, running
from tests.conformance.corpus import JSON, credentials
from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kinds import rows_of
from tests.hazards.uploading import picture

OLDER_FORMAT = {"Strapi-Response-Format": "v4"}
LATEST = "/api/articles?sort=id&pagination[pageSize]=3"
PLAIN: Mapping[str, str] = MappingProxyType({})
FORGETFUL = {"cache.responses": 0, "cache.pages": 0, "cache.counts": 0, "cache.tokens": 0}
ARTICLES = "/content-manager/collection-types/api::article.article"


class Site:
    """One server of a project."""

    def __init__(self, application: Application) -> None:
        self._client = AsgiClient(application)
        self._token = credentials().api_tokens["full"]

    async def send(
        self,
        method: str,
        path: str,
        data: object = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] = PLAIN,
    ) -> ClientResponse:
        """Send a request with the full-access token, or another; data is sent as JSON."""
        known = {"Authorization": f"Bearer {token or self._token}", **headers}
        body = b""
        if data is not None:
            known["Content-Type"] = "application/json"
            body = json.dumps(data).encode()
        return await self._client.request(method, path, known, body)

    async def upload(self, *parts: FilePart, **fields: str) -> ClientResponse:
        """Send files."""
        known = {"Authorization": f"Bearer {self._token}", "Content-Type": FORM_TYPE}
        body = form(parts, [*fields.items()])
        return await self._client.request("POST", "/api/upload", known, body)

    async def administrator(self) -> str:
        """Sign in as the administrator of the project."""
        body = {"email": "admin@example.com", "password": "Password123!"}
        response = await self.send("POST", "/admin/login", body)
        return str(field(response, "data", "token"))


def field(response: ClientResponse, *path: str | int) -> JSON:
    """Return the value at a path of a response."""
    assert response.status < 300, response.content
    found: JSON = response.json
    for step in path:
        found = found[step]  # type: ignore[index]  # a test knows what it asks for
    return found


@dataclass(frozen=True, slots=True)
class Cluster:
    """Two servers of a project with a response cache, and one without."""

    project: Path
    one: Site
    other: Site
    forgetful: Site
    targets: Sequence[tuple[str, Mapping[str, str]]]
    """What is asked for, with which headers."""
    article: str
    """A published article by its document id, to be changed."""

    async def shown(self, site: Site) -> list[tuple[int, JSON]]:
        """Send all requests to one server twice, and return the second responses."""
        found = []
        for path, headers in self.targets:
            await site.send("GET", path, headers=headers)
            response = await site.send("GET", path, headers=headers)
            found.append((response.status, response.json))
        return found

    async def admin(self, method: str, path: str, body: object) -> None:
        """Do something as the administrator."""
        response = await self.one.send(method, path, body, token=await self.one.administrator())
        assert response.status < 300, response.content

    async def write(self, method: str, path: str, data: object = None) -> ClientResponse:
        """Write through the content API of the first server."""
        body = None if data is None else {"data": data}
        response = await self.one.send(method, f"/api/{path}", body)
        assert response.status < 300, response.content
        return response

    async def sql(self, statement: str) -> None:
        """Change rows as another program does, and let the event loop go on to its next round."""
        with rows_of(self.project) as rows:
            rows.execute(statement)
        await asyncio.sleep(0)


@pytest.fixture(scope="module")
async def cluster(shared_recorded: Path) -> AsyncIterator[Cluster]:
    async with AsyncExitStack() as stack:

        async def site(**overrides: int) -> Site:
            settings = load_settings(shared_recorded, environ={}, overrides=overrides)
            application = build_app(settings)
            await stack.enter_async_context(running(application))
            return Site(application)

        one, other = await site(), await site()
        forgetful = await site(**FORGETFUL)
        listed = await one.send("GET", "/api/articles?sort=id&filters[author][id][$notNull]=true")
        article = str(field(listed, "data", 0, "documentId"))
        populated = "populate[author][populate]=*&populate[categories]=*&populate[cover]=true"
        paths = [
            "articles?sort=title:desc&pagination[pageSize]=100",
            "articles?populate=*&sort=id&pagination[pageSize]=100",
            "articles?status=draft&populate=tags&pagination[pageSize]=100",
            "articles?locale=fr&pagination[pageSize]=100",
            "articles?_q=tide&pagination[withCount]=false",
            "categories?populate=articles.author&pagination[pageSize]=100",
            "authors?filters[articles][title][$contains]=a&populate=socials",
            "tags?sort=articles.title&pagination[pageSize]=100",
            "homepage?populate=*",
            "setting?populate=*",
            f"articles/{article}?{populated}",
            f"articles/{article}?status=draft",
        ]
        targets = [(f"/api/{path}", PLAIN) for path in paths]
        targets += [(f"/api/{path}", OLDER_FORMAT) for path in (paths[0], paths[1], paths[-2])]
        yield Cluster(shared_recorded, one, other, forgetful, targets, article)


async def publish(cluster: Cluster) -> None:
    await cluster.write("PUT", f"articles/{cluster.article}", {"title": "Tides at noon"})


async def change_a_draft(cluster: Cluster) -> None:
    path = f"articles/{cluster.article}?status=draft"
    await cluster.write("PUT", path, {"title": "Tides at night"})


async def translate(cluster: Cluster) -> None:
    path = f"articles/{cluster.article}?locale=fr"
    await cluster.write("PUT", path, {"title": "Marées", "slug": "marees-a-midi"})


async def delete_a_translation(cluster: Cluster) -> None:
    await cluster.write("DELETE", f"articles/{cluster.article}?locale=fr")


async def create_and_delete(cluster: Cluster) -> None:
    response = await cluster.write("POST", "articles", {"title": "A tide", "slug": "a-tide-once"})
    made = field(response, "data", "documentId")
    await cluster.write("DELETE", f"articles/{made}")
    await cluster.write("POST", "articles", {"title": "Another tide", "slug": "another-tide"})


async def change_what_is_populated(cluster: Cluster) -> None:
    response = await cluster.one.send("GET", f"/api/articles/{cluster.article}?populate=author")
    author = field(response, "data", "author", "documentId")
    await cluster.write("PUT", f"authors/{author}", {"name": "Somebody else altogether"})


async def change_relations(cluster: Cluster) -> None:
    categories = field(await cluster.one.send("GET", "/api/categories?sort=id"), "data")
    assert isinstance(categories, list)
    chosen = [category["documentId"] for category in categories[:2]]  # type: ignore[index,call-overload]
    data = {"categories": {"set": chosen}}
    await cluster.write("PUT", f"articles/{cluster.article}", data)


async def change_a_single_type(cluster: Cluster) -> None:
    await cluster.write("PUT", "homepage", {"heading": "Welcome back"})


async def write_a_batch(cluster: Cluster) -> None:
    operations = [
        {
            "action": "update",
            "type": "articles",
            "documentId": cluster.article,
            "data": {"summary": "In one of many"},
        }
    ]
    response = await cluster.one.send("POST", "/api/_batch", {"operations": operations})
    assert response.status == 200, response.content


async def upload_a_cover(cluster: Cluster) -> None:
    response = await cluster.one.upload(FilePart("cover.png", picture(40, 30, ".png"), "image/png"))
    await cluster.write("PUT", f"articles/{cluster.article}", {"cover": field(response, 0, "id")})


async def describe_a_file(cluster: Cluster) -> None:
    response = await cluster.one.send("GET", f"/api/articles/{cluster.article}?populate=cover")
    file = field(response, "data", "cover", "id")
    body = {"fileInfo": {"alternativeText": "A wide sea"}}
    await cluster.admin("POST", f"/upload?id={file}", body)


async def delete_a_file(cluster: Cluster) -> None:
    response = await cluster.one.send("GET", f"/api/articles/{cluster.article}?populate=cover")
    deleted = await cluster.one.send(
        "DELETE", f"/api/upload/files/{field(response, 'data', 'cover', 'id')}"
    )
    assert deleted.status == 200, deleted.content


async def unpublish_many(cluster: Cluster) -> None:
    body = {"documentIds": [cluster.article]}
    await cluster.admin("POST", f"{ARTICLES}/actions/bulkUnpublish", body)


async def publish_many(cluster: Cluster) -> None:
    body = {"documentIds": [cluster.article]}
    await cluster.admin("POST", f"{ARTICLES}/actions/bulkPublish", body)


async def change_rows(cluster: Cluster) -> None:
    await cluster.sql("UPDATE articles SET title = 'tide by hand' WHERE title LIKE 'Tides at%'")


async def change_a_component(cluster: Cluster) -> None:
    await cluster.sql("UPDATE components_shared_seos SET meta_title = 'By hand as well'")


async def delete_rows(cluster: Cluster) -> None:
    await cluster.sql("DELETE FROM articles_author_lnk")


WRITES: Sequence[Callable[[Cluster], Awaitable[None]]] = [
    publish,
    change_a_draft,
    translate,
    delete_a_translation,
    create_and_delete,
    change_what_is_populated,
    change_relations,
    change_a_single_type,
    write_a_batch,
    upload_a_cover,
    describe_a_file,
    delete_a_file,
    unpublish_many,
    publish_many,
    change_rows,
    change_a_component,
    delete_rows,
]


async def test_h142_no_cached_response_outlives_its_content(cluster: Cluster) -> None:
    """After every kind of write, servers respond like one without a cache."""
    before = await cluster.shown(cluster.forgetful)
    for write in WRITES:
        assert await cluster.shown(cluster.one) == before, write
        assert await cluster.shown(cluster.other) == before, write
        await write(cluster)
        after = await cluster.shown(cluster.forgetful)
        assert after != before, f"{write} changes nothing that is shown"
        assert await cluster.shown(cluster.other) == after, write
        assert await cluster.shown(cluster.one) == after, write
        before = after


async def test_h142_no_credential_or_permission_outlives_a_commit(cluster: Cluster) -> None:
    """Cached credentials are verified again after any commit."""
    admin = await cluster.one.administrator()
    body = {"name": "Reader", "description": "", "type": "read-only", "lifespan": None}
    made = await cluster.one.send("POST", "/admin/api-tokens", body, token=admin)
    token = str(field(made, "data", "accessKey"))
    target = f"/admin/api-tokens/{field(made, 'data', 'id')}"

    async def statuses(path: str, authorization: str) -> list[int]:
        headers = {"Authorization": authorization}
        sites = [cluster.one, cluster.other]
        return [
            (await site.send("GET", path, headers=headers)).status
            for site in [*sites, *sites]  # the second time from a cache
        ]

    for path, authorization, change, restore, refused in (
        (
            "/api/articles",
            "",
            "UPDATE up_permissions SET action = 'off' WHERE action = 'api::article.article.find'",
            "UPDATE up_permissions SET action = 'api::article.article.find' WHERE action = 'off'",
            403,
        ),
        (
            "/admin/users/me",
            f"Bearer {admin}",
            "UPDATE admin_users SET blocked = true",
            "UPDATE admin_users SET blocked = false",
            401,
        ),
    ):
        assert await statuses(path, authorization) == [200] * 4, path
        await cluster.sql(change)
        assert await statuses(path, authorization) == [refused] * 4, path
        await cluster.sql(restore)
        assert await statuses(path, authorization) == [200] * 4, path
    assert await statuses("/api/articles", f"Bearer {token}") == [200] * 4
    deleted = await cluster.one.send("DELETE", target, token=admin)
    assert deleted.status == 200, deleted.content
    assert await statuses("/api/articles", f"Bearer {token}") == [401] * 4


async def test_h142_another_default_locale_shows_at_once(own_recorded: Path) -> None:
    """What is requested without a locale is in the default one."""
    settings = load_settings(own_recorded, environ={})
    application = build_app(settings)
    async with running(application):
        site = Site(application)
        before = field(await site.send("GET", LATEST), "data", 0, "locale")
        token = await site.administrator()
        locales = field(await site.send("GET", "/i18n/locales", token=token))
        assert isinstance(locales, list)
        (french,) = [one for one in locales if isinstance(one, dict) and one["code"] == "fr"]
        body = {"name": french["name"], "isDefault": True}
        path = f"/i18n/locales/{french['id']}"
        assert (await site.send("PUT", path, body, token=token)).status == 200
        after = field(await site.send("GET", LATEST), "data", 0, "locale")
    assert (before, after) == ("en", "fr")


async def test_h099_links_that_end_are_made_for_each_response(own_recorded: Path) -> None:
    """A link that was made for an earlier response may have ended."""
    path = "/api/articles?filters[cover][id][$notNull]=true&populate=cover&pagination[pageSize]=1"
    private = {"uploads.private": True, "uploads.link_lifetime": "1s"}
    application = build_app(load_settings(own_recorded, environ={}, overrides=private))
    async with running(application):
        site = Site(application)
        links = set()
        for _ in range(3):
            response = await site.send("GET", path)
            assert "etag" not in response.headers
            links.add(str(field(response, "data", 0, "cover", "url")))
            await asyncio.sleep(0.3)  # links are made again four times in their life
    assert len(links) > 1
