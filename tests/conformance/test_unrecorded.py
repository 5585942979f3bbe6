"""Responses of the reference to requests that are not among the recorded ones."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from quire.app import build_app
from quire.settings import load_settings
from tests.conformance.client import AsgiClient, Authorization, ClientResponse, running
from tests.conformance.conftest import open_app
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization
from tests.unit.events import record_events

ONE = "fields=id&pagination[pageSize]=1"
APPLE = "/api/articles/kvs6ljh4bigue2ssvg2vmk14?fields=id"
FILE = "/api/upload/files/1"
BAD_ORDER = "Invalid order. order can only be one of asc|desc|ASC|DESC"
BAD_HAS_PUBLISHED = (
    "Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string."
)


@dataclass(frozen=True, slots=True)
class RecordedProjectClient:
    """Sends requests to the recorded project, and expects them to change nothing."""

    client: AsgiClient
    authorization: Authorization

    async def send(
        self,
        method: str,
        target: str,
        who: str | None = "full",
        body: bytes = b"",
        media_type: str = "",
    ) -> ClientResponse:
        headers = await self.authorization.headers(who)
        if media_type:
            headers["Content-Type"] = media_type
        return await self.client.request(method, target, headers, body)

    async def get(self, target: str, who: str | None = "full") -> ClientResponse:
        return await self.send("GET", target, who)

    async def write(self, method: str, target: str, data: object) -> ClientResponse:
        body = json.dumps({"data": data}).encode()
        return await self.send(method, target, "full", body, "application/json")


@pytest.fixture(scope="module")
def ask(client: AsgiClient) -> RecordedProjectClient:
    return RecordedProjectClient(client, AdminAuthorization(client, credentials()))


def invalid_key(key: str, path: str | None, param: str) -> dict[str, object]:
    where = f" at {path}" if path not in {None, key} else ""
    details = {"key": key, "path": path, "source": "query", "param": param}
    return {"message": f"Invalid key {key}{where}", "details": details}


def plain(message: str) -> dict[str, object]:
    return {"message": message, "details": {}}


@pytest.mark.parametrize(
    ("target", "error"),
    [
        (
            "/api/articles?populate[2]=x&populate[seo]=true",
            invalid_key("2", None, "populate"),
        ),
        (
            "/api/articles?populate[author][populate][3]=x&populate[author][populate][seo]=true",
            invalid_key("3", "author", "populate"),
        ),
        (
            "/api/homepage?populate[0]=seo.shareImage.related&populate[1]=seo",
            invalid_key("shareImage", "seo.shareImage", "populate"),
        ),
        (
            "/api/articles?populate=sections.images.related",
            invalid_key("images", "sections.images", "populate"),
        ),
        (
            "/api/articles?populate=sections.buttons.text",
            invalid_key("buttons", "sections.buttons", "populate"),
        ),
        (f"{FILE}?populate=related.author", invalid_key("related", "related", "populate")),
        (
            f"{FILE}?populate[related][populate][0]=x",
            invalid_key("populate", "related", "populate"),
        ),
        (
            f"{FILE}?populate[related][on][nope]=true",
            invalid_key("nope", "related.on.nope", "populate"),
        ),
        (
            "/api/passports?populate[holder][populate][name]=true",
            invalid_key("name", "holder.populate.name", "populate"),
        ),
        (
            "/api/passports?populate[holder][populate][articles][populate][sections][populate]=x",
            invalid_key("populate", "holder.populate.articles.populate.sections", "populate"),
        ),
        (
            "/api/passports?populate[holder]=true&populate[holder][fields]=nope",
            plain("Invalid nested populate. Expected '*' or an object"),
        ),
        (
            "/api/passports?populate[holder]=true&populate[holder]=x",
            invalid_key("x", "holder", "populate"),
        ),
        (
            "/api/categories?populate[children][on][]=x",
            invalid_key("0", "children.on.0", "populate"),
        ),
        (
            "/api/articles?populate=createdBy.roles",
            invalid_key("createdBy", "createdBy", "populate"),
        ),
        (
            "/api/articles?populate=author.articles.createdBy.roles,seo",
            invalid_key("createdBy", "author.articles.createdBy", "populate"),
        ),
        ("/api/articles?filters[][name]=x", invalid_key("name", None, "filters")),
        (
            "/api/reviews?populate[article]=author.name",
            invalid_key("author", "article.author", "populate"),
        ),
        (
            "/api/articles?populate[sections][on][blocks.quote]=by",
            invalid_key("by", "sections.by", "populate"),
        ),
        (
            "/api/articles?fields[]=sections&fields[]=nope",
            invalid_key("sections", "sections", "fields"),
        ),
        ("/api/articles?fields[]=nope&fields[]=sections", invalid_key("nope", None, "fields")),
        ("/api/articles?fields[]=title,nope", invalid_key("nope", None, "fields")),
        ("/api/articles?fields[0]=title,&fields[1]=slug", invalid_key("", None, "fields")),
        (
            "/api/articles?fields[]=title,slug",
            plain("Invalid fields parameter. Expected a string or an array of strings"),
        ),
        ("/api/articles?filters=1&populate=nope", invalid_key("nope", "nope", "populate")),
        (
            "/api/authors?populate[createdBy][filters]=x",
            invalid_key("createdBy", "createdBy", "populate"),
        ),
        ("/api/articles?sort=title:", plain(BAD_ORDER)),
        ("/api/articles?hasPublishedVersion=1", plain(BAD_HAS_PUBLISHED)),
        (
            "/api/articles?publicationFilter=modified&hasPublishedVersion=1",
            plain(BAD_HAS_PUBLISHED),
        ),
        ("/api/authors?sort=name:up&hasPublishedVersion=1", plain(BAD_ORDER)),
        ("/api/authors?lookup=1&sort=name:up", plain("Invalid params: 'lookup'")),
        (
            "/api/authors?filters[articles][$and][0][id]=1&filters[articles][$eq]=1&sort=name:up",
            plain(BAD_ORDER),
        ),
    ],
)
async def test_a_query_with_errors_gets_the_error_of_the_reference(
    ask: RecordedProjectClient, target: str, error: dict[str, object]
) -> None:
    response = await ask.get(target)
    expected = {"status": 400, "name": "ValidationError", **error}
    assert json.loads(response.content) == {"data": None, "error": expected}


@pytest.mark.parametrize(
    ("populate", "populated"),
    [
        ("populate[0]=x&populate[seo]=true", {"seo"}),
        ("populate[true]=x&populate[seo]=true", {"seo"}),
        ("populate[seo][f]=x", {"seo"}),
        ("populate[author][populate][0]=x&populate[author][populate][passport]=true", {"author"}),
        ("populate=sections.title", {"sections"}),
        ("populate=sections.title,sections.images", {"sections"}),
        ("populate[sections][on]", {"sections"}),
    ],
)
async def test_names_of_flags_and_scalars_in_zones_populate_nothing(
    ask: RecordedProjectClient, populate: str, populated: set[str]
) -> None:
    response = await ask.get(f"{APPLE}&{populate}")
    entry = json.loads(response.content)["data"]
    assert entry.keys() - {"id", "documentId"} == populated
    if "sections" in entry:
        assert entry["sections"] == [{"id": 72, "text": "Quote 0", "__component": "blocks.quote"}]


@pytest.mark.parametrize(
    ("populate", "populated"),
    [
        ("populate=categories.children,related", set()),
        ("populate=related.categories.children,related", set()),
        ("populate=related.categories,related", {"related"}),
        ("populate=related,categories.children", {"related"}),
        ("populate=categories,related", {"related"}),
        ("populate[0]=categories.children,related&populate[1]=related", {"related"}),
    ],
)
async def test_a_forbidden_start_of_a_list_with_commas_hides_all_of_it(
    ask: RecordedProjectClient, populate: str, populated: set[str]
) -> None:
    response = await ask.get(f"/api/articles?{ONE}&{populate}", "user:carol")
    entry = json.loads(response.content)["data"][0]
    assert entry.keys() - {"id", "documentId"} == populated


@pytest.mark.parametrize(
    ("value", "is_populated"),
    [
        ("=true", True),
        ("=1", False),
        ("=t", False),
        ("=0", False),
        ("=x", False),
        ("=*", False),
        ("[populate]=*", False),
        ("[sort]=id", False),
        ("[on]=x", False),
        ("[on][api::author.author]=true", True),
    ],
)
async def test_entries_that_use_a_file_are_populated_by_a_flag_or_by_type(
    ask: RecordedProjectClient, value: str, *, is_populated: bool
) -> None:
    response = await ask.get(f"{FILE}?populate[related]{value}")
    assert response.status == 200
    assert ("related" in json.loads(response.content)) == is_populated


@pytest.mark.parametrize(
    "target",
    [
        "/api/users?hasPublishedVersion=x",
        "/api/users/5?lookup=x",
        "/api/upload/files?hasPublishedVersion=x&lookup=x",
    ],
)
async def test_parameters_of_documents_are_ignored_for_users_and_files(
    ask: RecordedProjectClient, target: str
) -> None:
    assert (await ask.get(target)).status == 200


@pytest.mark.parametrize(
    ("query", "status"), [("lookup=", 200), ("lookup", 200), ("lookup[]=", 400), ("lookup=0", 400)]
)
async def test_an_empty_lookup_is_none(ask: RecordedProjectClient, query: str, status: int) -> None:
    assert (await ask.get(f"/api/reviews?{query}")).status == status


@pytest.mark.parametrize("path", ["/api/articles/%", "/api/articles/%zz", "/uploads/%zz"])
async def test_a_percent_sign_needs_two_digits(ask: RecordedProjectClient, path: str) -> None:
    response = await ask.get(path)
    error = {"status": 400, "name": "BadRequestError", "message": "failed to decode"}
    assert json.loads(response.content) == {"data": None, "error": error}


@pytest.mark.parametrize(
    ("method", "path", "who"),
    [
        ("POST", "/api/auth/local", None),
        ("POST", "/api/auth/forgot-password", None),
        ("POST", "/api/auth/reset-password", None),
        ("POST", "/api/auth/send-email-confirmation", None),
        ("POST", "/api/auth/change-password", "user:alice"),
        ("POST", "/api/users", "full"),
        ("PUT", "/api/users/1", "full"),
    ],
)
@pytest.mark.parametrize(
    ("media_type", "body", "shown", "value"),
    [
        ("text/plain", b"x", '"x"', "x"),
        ("application/json", b"[]", "[]", []),
        ("application/json", b'[{"a": 1}]', '[\n  {\n    "a": "1"\n  }\n]', [{"a": 1}]),
    ],
)
async def test_a_form_is_an_object(
    ask: RecordedProjectClient,
    method: str,
    path: str,
    who: str | None,
    media_type: str,
    body: bytes,
    shown: str,
    value: object,
) -> None:
    response = await ask.send(method, path, who, body, media_type)
    message = f"this must be a `object` type, but the final value was: `{shown}`."
    problem = {"path": [], "message": message, "name": "ValidationError", "value": value}
    assert json.loads(response.content)["error"] == {
        "status": 400,
        "name": "ValidationError",
        "message": message,
        "details": {"errors": [problem]},
    }


@pytest.mark.parametrize(
    ("confirmation", "messages"),
    [
        ("", ["Passwords do not match"]),
        (
            5,
            [
                "passwordConfirmation must be a `string` type, but the final value was: `5`.",
                "Passwords do not match",
            ],
        ),
        (
            None,
            [
                "passwordConfirmation must be a `string` type, but the final value was: `null`.",
                "Passwords do not match",
            ],
        ),
    ],
)
async def test_a_password_is_repeated(
    ask: RecordedProjectClient, confirmation: object, messages: list[str]
) -> None:
    body = {"code": "x", "password": "NewPass123", "passwordConfirmation": confirmation}
    response = await ask.send(
        "POST", "/api/auth/reset-password", None, json.dumps(body).encode(), "application/json"
    )
    assert [
        (problem["path"], problem["message"], problem["value"])
        for problem in json.loads(response.content)["error"]["details"]["errors"]
    ] == [(["passwordConfirmation"], message, confirmation) for message in messages]


async def test_an_empty_name_is_too_short_and_missing(ask: RecordedProjectClient) -> None:
    body = {"username": "", "email": "a@b.co", "password": "", "role": 1}
    response = await ask.send(
        "POST", "/api/users", "full", json.dumps(body).encode(), "application/json"
    )
    problems = json.loads(response.content)["error"]["details"]["errors"]
    assert [problem["message"] for problem in problems] == [
        "username must be at least 1 characters",
        "username is a required field",
        "password must be at least 1 characters",
        "password is a required field",
    ]


async def test_a_path_to_sort_by_may_end_with_a_colon(ask: RecordedProjectClient) -> None:
    response = await ask.get("/api/articles?sort=author.name:,id&fields=id")
    assert (
        response.content == (await ask.get("/api/articles?sort=author.name,id&fields=id")).content
    )
    assert response.status == 200


@pytest.mark.parametrize(
    ("method", "path", "data", "invalid"),
    [
        (
            "POST",
            "/api/articles",
            {
                "title": "xx",
                "slug": "apple-pie",
                "readingTime": -3,
                "seo": {"metaTitle": None},
                "links": [{"text": "a"}, {"url": "b"}],
            },
            ["slug", "readingTime", "seo.metaTitle", "links.0.url", "links.1.text"],
        ),
        (
            "PUT",
            "/api/authors/cdibofdtnmb6g0jakv57hg22",
            {"email": "nope", "name": "J\u00fcrgen Gro\u00df"},
            ["name", "email"],
        ),
    ],
)
async def test_unique_values_are_reported_in_the_order_of_attributes(
    ask: RecordedProjectClient, method: str, path: str, data: object, invalid: list[str]
) -> None:
    body = json.dumps({"data": data}).encode()
    response = await ask.send(method, path, "full", body, "application/json")
    problems = json.loads(response.content)["error"]["details"]["errors"]
    assert [".".join(problem["path"]) for problem in problems] == invalid


@pytest.mark.parametrize(
    "data",
    [
        {"seo": {"metaTitle": "x", "id": None}},
        {"links": [{"text": "x", "url": "y", "id": None}]},
        {"sections": [{"__component": "blocks.quote", "text": "x", "id": None}]},
    ],
)
async def test_null_is_no_id_of_a_present_component(
    ask: RecordedProjectClient, data: dict[str, object]
) -> None:
    body = json.dumps({"data": data}).encode()
    target = "/api/articles/exehvvi9yq2ig2rwnvvrpv0s?status=draft"
    response = await ask.send("PUT", target, "full", body, "application/json")
    (name,) = data
    message = f"Some of the provided components in {name} are not related to the entity"
    error = json.loads(response.content)["error"]
    assert (error["status"], error["message"]) == (400, message)


@pytest.mark.parametrize(
    ("path", "query", "total"),
    [
        ("api::author.author/ult6tzz4rgw0pfvxlpk69lan/articles", "status=published", 7),
        ("api::author.author/ult6tzz4rgw0pfvxlpk69lan/articles", "status=draft", 7),
        ("api::review.review/at1t59umtkbpzfo7kdgwgaq1/article", "_q=zzzz", 1),
        ("api::article.article/cabzwz0o9tuhlx8fif50lk9e/relatedBy", "_q=zzzz", 1),
    ],
)
async def test_the_targets_of_an_entry_are_not_searched_and_have_its_status(
    ask: RecordedProjectClient, path: str, query: str, total: int
) -> None:
    response = await ask.get(f"/content-manager/relations/{path}?{query}", "admin")
    found = json.loads(response.content)
    assert found["pagination"]["total"] == len(found["results"]) == total
    assert {entry.get("publishedAt") for entry in found["results"]} == {None}


@pytest.mark.parametrize(
    ("method", "path", "data", "shown"),
    [
        (
            "PUT",
            "/api/categories/f3gyq95i3m3klsm8gerpeg6k",
            {
                "articles": {
                    "connect": ["18", 99999, {"id": "20"}, {"id": 21}],
                    "disconnect": ["22"],
                },
                "position": "7",
            },
            {
                "articles": {
                    "connect": [{"id": "18"}, {"id": 99999}, {"id": "20"}, {"id": 21}],
                    "disconnect": [{"id": "22"}],
                },
                "position": 7,
                "publishedAt": None,
            },
        ),
        (
            "POST",
            "/api/articles",
            {
                "title": "xx",
                "rating": "2.50",
                "readingTime": "7",
                "score": "1e3",
                "views": 5,
                "featured": "1",
                "tags": ["1", 99999],
            },
            {
                "title": "xx",
                "rating": 2.5,
                "readingTime": 7,
                "score": 1000,
                "views": "5",
                "featured": True,
                "kind": "news",
                "tags": {"set": [{"id": "1"}, {"id": 99999}]},
                "links": [],
                "sections": [],
                "locale": "en",
                "publishedAt": None,
            },
        ),
        (
            "POST",
            "/api/authors",
            {"name": "q", "active": 0, "articles": [99999], "avatar": "4"},
            {
                "name": "q",
                "active": False,
                "articles": {"set": [{"id": 99999}]},
                "avatar": {"set": [{"id": "4"}]},
                "socials": [],
                "publishedAt": "now",
            },
        ),
    ],
)
async def test_an_entry_with_missing_relations_is_shown_as_it_was_read(
    ask: RecordedProjectClient, method: str, path: str, data: object, shown: dict[str, object]
) -> None:
    body = json.dumps({"data": data}).encode()
    response = await ask.send(method, path, "full", body, "application/json")
    (problem,) = json.loads(response.content)["error"]["details"]["errors"]
    value = problem["value"]
    if value["publishedAt"] is not None:
        assert abs(datetime.fromisoformat(value["publishedAt"]) - datetime.now(UTC)) < timedelta(
            days=1
        )
        value["publishedAt"] = "now"
    assert value == shown
    assert type(value.get("active", True)) is bool


async def test_an_empty_file_is_stored_if_it_is_not_the_only_one(own_recorded: Path) -> None:
    empty = ("files", ("empty.txt", b"", "text/plain"))
    full = ("files", ("full.txt", b"words", "text/plain"))
    infos = [("fileInfo", (None, json.dumps({"caption": text}))) for text in ("first", "second")]
    async with open_app(own_recorded) as client:
        ask = RecordedProjectClient(client, AdminAuthorization(client, credentials()))
        form = httpx.Request("POST", "http://quire/", files=[empty, full, *infos])
        media_type = form.headers["content-type"]
        response = await ask.send("POST", "/api/upload", "full", form.read(), media_type)
        single = httpx.Request("POST", "http://quire/", files=[empty])
        media_type = single.headers["content-type"]
        refused = await ask.send("POST", "/api/upload", "full", single.read(), media_type)
    files = sorted(json.loads(response.content), key=lambda file: str(file["name"]))
    assert [(file["name"], file["caption"], file["size"]) for file in files] == [
        ("empty.txt", "first", 0),
        ("full.txt", "second", 0.01),
    ]
    assert json.loads(refused.content)["error"]["message"] == "Files are empty"


async def test_names_and_metadata_of_files_are_read_as_in_the_reference(own_recorded: Path) -> None:
    async with open_app(own_recorded) as client:
        ask = RecordedProjectClient(client, AdminAuthorization(client, credentials()))

        async def upload(query: str, *parts: tuple[str, tuple[str | None, str]]) -> ClientResponse:
            form = httpx.Request("POST", "http://quire/", files=list(parts))
            media_type = form.headers["content-type"]
            return await ask.send("POST", f"/api/upload{query}", "full", form.read(), media_type)

        file = ("files", ("cafe\u0301.txt", "text"))
        created = await upload("?id", file, ("fileInfo[caption]", (None, "brackets")))
        listed = await upload("", file, ("fileInfo[0]", (None, '{"caption": "list"}')))
        file_id = json.loads(created.content)[0]["id"]
        changed = await upload(f"?id={file_id}", ("fileInfo[caption]", (None, "new")))
        refused = await upload("", ("files", ("con", "text")))
        pair = await upload(
            "",
            file,
            ("files", ("b.txt", "text")),
            ("fileInfo[0][caption]", (None, "first")),
            ("fileInfo[1][caption]", (None, "second")),
        )
        several = [
            await upload(query, *parts)
            for query in ("?id[]=1", "?id[a]=1")
            for parts in ([file], [("fileInfo[caption]", (None, "new"))])
        ]
    (entry,) = json.loads(created.content)
    assert (created.status, entry["name"], entry["caption"]) == (201, "caf\u00e9.txt", "brackets")
    assert json.loads(listed.content)[0]["caption"] == "list"
    assert json.loads(changed.content)["caption"] == "new"
    assert (
        json.loads(refused.content)["error"]["message"] == "File name contains invalid characters"
    )
    assert [file["caption"] for file in json.loads(pair.content)] == ["first", "second"]
    assert {
        (response.status, json.loads(response.content)["error"]["message"]) for response in several
    } == {(400, "File id is required and must be a single value")}


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/articles"), ("PUT", "/api/articles/kvs6ljh4bigue2ssvg2vmk14")],
)
async def test_null_of_a_relation_is_shown_as_null(
    ask: RecordedProjectClient, method: str, path: str
) -> None:
    nothing = {"related": None, "cover": None, "author": None}
    response = await ask.write(method, path, {"title": "xx", **nothing, "categories": [999999]})
    (problem,) = json.loads(response.content)["error"]["details"]["errors"]
    assert {name: problem["value"][name] for name in nothing} == nothing


@pytest.mark.parametrize("color", [{}, {"color": None}])
async def test_a_new_locale_has_the_required_values_that_all_locales_share(
    own_recorded: Path, color: dict[str, None]
) -> None:
    schema = own_recorded / "src/api/tag/content-types/tag/schema.json"
    content_type = json.loads(schema.read_text())
    content_type["attributes"]["color"]["required"] = True
    schema.write_text(json.dumps(content_type))
    async with open_app(own_recorded) as client:
        ask = RecordedProjectClient(client, AdminAuthorization(client, credentials()))
        created = await ask.write("POST", "/api/tags", {"label": "Cheese", "color": "green"})
        tag = f"/api/tags/{json.loads(created.content)['data']['documentId']}"
        refused = await ask.write("PUT", f"{tag}?locale=fr", color)
        response = await ask.write("PUT", f"{tag}?locale=fr", {"label": "Fromage", **color})
    assert json.loads(refused.content)["error"]["message"] == "label must be defined."
    entry = json.loads(response.content)["data"]
    assert (entry["label"], entry["color"], entry["locale"]) == ("Fromage", "green", "fr")


async def test_a_single_type_is_unpublished_twice(own_recorded: Path) -> None:
    path = "/content-manager/single-types/api::homepage.homepage/actions"
    async with open_app(own_recorded) as client:
        ask = RecordedProjectClient(client, AdminAuthorization(client, credentials()))
        for discards in (b"{}", b'{"discardDraft": true}'):
            for _ in range(2):
                response = await ask.send(
                    "POST", f"{path}/unpublish", "admin", discards, "application/json"
                )
                assert response.status == 200, response.content
        assert json.loads(response.content) == {
            "meta": {"availableLocales": [], "availableStatus": []}
        }
        draft = await ask.get("/api/homepage?status=draft")
        assert draft.status == 200


@pytest.mark.parametrize("action", ["unpublish", "discard"])
@pytest.mark.parametrize(
    "path",
    [
        "single-types/api::homepage.homepage",
        "collection-types/api::article.article/kvs6ljh4bigue2ssvg2vmk14",
    ],
)
async def test_actions_need_a_locale_of_the_project(
    ask: RecordedProjectClient, path: str, action: str
) -> None:
    target = f"/content-manager/{path}/actions/{action}?locale=xx"
    response = await ask.send("POST", target, "admin", b"{}", "application/json")
    assert response.status == 400
    assert json.loads(response.content)["error"]["message"] == "This locale doesn't exist"


async def test_events_have_what_belongs_to_components_and_no_other_locales(
    own_recorded: Path,
) -> None:
    app = build_app(load_settings(own_recorded, environ={}))
    async with running(app) as client:
        events = record_events(app)
        ask = RecordedProjectClient(client, AdminAuthorization(client, credentials()))
        body = json.dumps({"heading": "Harbour"}).encode()
        path = "/content-manager/single-types/api::homepage.homepage"
        response = await ask.send("PUT", path, "admin", body, "application/json")
        assert response.status == 200, response.content
    [payload] = events.payloads()
    entry = payload["entry"]
    call, quote, gallery = entry["sections"]
    assert (payload["event"], entry["heading"]) == ("entry.update", "Harbour")
    assert entry["seo"]["shareImage"]["name"] == "medium.png"
    assert [button["text"] for button in call["buttons"]] == ["Articles"]
    assert call["target"][0]["title"] == "Apple"
    assert quote["by"]["name"] == "Émile Zola"
    assert [image["name"] for image in gallery["images"]][:1] == ["square.jpg"]
    # Related entries are populated one level deep.
    assert "author" not in call["target"][0]
    assert "localizations" not in entry


@pytest.mark.parametrize(
    ("option", "query", "states"),
    [
        ("=true", "", {True, False}),
        ("[fields]=publishedAt", "", {True}),
        ("[fields]=publishedAt", "&status=published", {True}),
        ("[fields]=publishedAt", "&status=draft", {False}),
        ("[sort]=id", "", {True}),
    ],
)
async def test_options_of_a_type_select_the_versions_that_use_a_file(
    ask: RecordedProjectClient, option: str, query: str, states: set[bool]
) -> None:
    populate = f"populate[gallery][populate][related][on][api::article.article]{option}"
    response = await ask.get(f"/api/articles?pagination[pageSize]=100&{populate}{query}")
    files = [
        file
        for article in json.loads(response.content)["data"]
        for file in article["gallery"] or []
    ]
    assert states == {
        entry["publishedAt"] is not None for file in files for entry in file["related"]
    }


@pytest.mark.parametrize(
    ("query", "states"),
    [
        ("", {True, False}),
        ("&status=draft", {False}),
        ("&status=published", {True}),
        ("&status=x", {True}),
    ],
)
async def test_a_file_leads_to_all_versions_unless_a_status_is_requested(
    ask: RecordedProjectClient, query: str, states: set[bool]
) -> None:
    on = "populate[related][on][api::article.article]"
    response = await ask.get(f"/api/upload/files?{on}[populate][categories]=true{query}")
    related = [entry for file in json.loads(response.content) for entry in file["related"]]
    assert {entry["publishedAt"] is not None for entry in related} == states
    for entry in related:
        published = entry["publishedAt"] is not None
        for category in entry["categories"]:
            assert (category["publishedAt"] is not None) == published


@pytest.mark.parametrize(
    ("fragments", "related"),
    [
        ("[passport.passport]=true", None),
        ("[tag.tag]=true", 0),
        ("[passport.passport]=true [tag.tag]=true", 0),
        ("[article.article]=false", 6),
    ],
)
async def test_related_is_absent_if_no_requested_type_may_be_read(
    ask: RecordedProjectClient, fragments: str, related: int | None
) -> None:
    query = "&".join(
        f"populate[related][on]{fragment.replace('[', '[api::')}" for fragment in fragments.split()
    )
    file = json.loads((await ask.get(f"/api/upload/files/2?{query}", None)).content)
    assert ("related" in file) == (related is not None)
    assert len(file.get("related", ())) == (related or 0)


@pytest.mark.parametrize("disposition", ["", "; filename*=UTF-8''caf%C3%A9.txt"])
async def test_a_file_without_a_plain_filename_is_stored_without_its_name(
    own_recorded: Path, disposition: str
) -> None:
    body = (
        f'--X\r\nContent-Disposition: form-data; name="files"{disposition}\r\n'
        "Content-Type: text/plain\r\n\r\nwords\r\n--X--\r\n"
    ).encode()
    async with open_app(own_recorded) as client:
        ask = RecordedProjectClient(client, AdminAuthorization(client, credentials()))
        media_type = "multipart/form-data; boundary=X"
        response = await ask.send("POST", "/api/upload", "full", body, media_type)
        untyped = body.replace(b"Content-Type: text/plain\r\n", b"")
        refused = await ask.send("POST", "/api/upload", "full", untyped, media_type)
    (file,) = json.loads(response.content)
    assert (response.status, file["name"], file["mime"]) == (201, "unamed", "text/plain")
    assert json.loads(refused.content)["error"]["message"] == "Files are empty"
