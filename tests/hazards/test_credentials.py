"""Tokens, passwords and cookies: who can read them, and when they expire."""

import json

import pytest

from quire.access.actions import all_actions
from quire.auth.admin.api_tokens import ApiTokenManager, TokenKeys
from quire.database.stores.builtin_type_table import ContentTables
from quire.settings import Settings
from tests.accounts.site import DAY, MINUTE, Site, code_in, message
from tests.hazards.accounts import newsroom_site
from tests.hazards.newsroom import (
    API_TOKENS,
    ARTICLE,
    ENVIRONMENT,
    PASSCODE_HASH,
    RESET_TOKEN,
    JsonObject,
)

EVIL = "https://evil.example"
SECRET_COLUMNS = {
    *("password", "resetPasswordToken", "confirmationToken", "registrationToken"),
    *("accessKey", "encryptedKey"),
}
"""Attributes of built-in types that nobody is shown."""


def api_tokens(site: Site) -> ApiTokenManager:
    """The tokens of a site, as administrators manage them."""
    documents, database = site.app.documents, site.app.database
    assert documents is not None
    assert database is not None
    engine = documents.engine
    return ApiTokenManager(
        database,
        ContentTables(store=engine.store, new_id=engine.new_id),
        TokenKeys(salt=ENVIRONMENT["API_TOKEN_SALT"], encryption=ENVIRONMENT["ENCRYPTION_KEY"]),
        clock=site.clock,
        known_actions=lambda: all_actions(engine.schema),
    )


async def made(
    site: Site, type_: str, *actions: str, lifespan: int | None = None
) -> tuple[int, str]:
    """Make an API token; returns its id and what is sent."""
    values: JsonObject = {"name": f"a {type_} token", "description": "", "type": type_}
    token = await api_tokens(site).create(values, actions or None, lifespan)
    assert token.key is not None
    return token.id, token.key


async def status(site: Site, token: str, method: str = "GET", target: str = "articles") -> int:
    body = {"data": {"title": "x"}} if method == "POST" else None
    return (await site.ask(method, target, body, token=token)).status


def members(value: object) -> set[str]:
    """The names of all members of a response."""
    if isinstance(value, dict):
        return set(value).union(*(members(inner) for inner in value.values()))
    return set().union(*(members(inner) for inner in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("uid", ["admin::api-token", "admin::user", "admin::session"])
async def test_h030_the_servers_own_rows_are_in_no_reach_of_the_content_api(
    site: Site, uid: str
) -> None:
    """There is no route to tokens and administrators, and nothing leads to what is secret there."""
    plural = f"{uid.partition('::')[2]}s"
    for target in (f"admin/{plural}", f"admin-{plural}", uid, uid.replace("::", "/")):
        for token in (None, "readonly", "full"):
            response = await site.ask("GET", target, token=token)
            assert response.status in {403, 404}
    for query in ("populate=createdBy", "populate[createdBy][populate]=*", "populate=*"):
        response = await site.ask("GET", f"articles?{query}", token="full")
        assert not members(json.loads(response.content)) & {"createdBy", "updatedBy"}


async def test_h034_no_list_holds_a_hash_or_a_code_whatever_is_asked_for(site: Site) -> None:
    """Not even for whoever may do everything: these are of use to nobody but the server."""
    await site.make_user("ada")
    for target in (
        "users",
        "users?populate=*",
        "users?populate[role][populate]=users",
        "users?fields=*",
        "users/1?populate=*",
        "users-permissions/roles/1",
        "users-permissions/roles?populate=*",
        "articles?populate=*&status=draft",
        "articles?fields=*",
        "upload/files?populate=*",
    ):
        response = await site.ask("GET", target, token="full")
        assert response.status == 200, target
        text = response.content.decode()
        assert not members(json.loads(response.content)) & {*SECRET_COLUMNS, "passcode"}, target
        assert not any(secret in text for secret in (PASSCODE_HASH, RESET_TOKEN, "$2a$", "$2b$"))


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "path", ["/admin/plugins/install", "/admin/plugins/uninstall/x", "/admin/restart", "/_restart"]
)
async def test_h052_h053_no_request_installs_or_restarts_anything(
    site: Site, method: str, path: str
) -> None:
    for token in (API_TOKENS["full"], ";id"):
        headers = {"Authorization": f"Bearer {token}"}
        response = await site.client.request(method, path, headers, b"")
        assert response.status in {401, 403, 404, 405}
    assert (await site.ask("GET", "articles")).status == 200


async def test_h065_no_request_says_where_a_browser_goes_after_a_confirmation(site: Site) -> None:
    await site.make_user("ada", confirmed=False)
    await site.post("auth/send-email-confirmation", {"email": "ada@example.org"})
    (mail,) = await site.mails()
    more = "&".join(f"{name}={EVIL}" for name in ("redirect", "redirectTo", "url", "callback"))
    target = f"auth/email-confirmation?confirmation={code_in(mail)}&{more}"
    response = await site.ask("GET", target, headers={"Referer": EVIL, "Host": "evil.example"})
    assert (response.status, response.headers["location"]) == (302, "/")


async def test_h076_a_token_is_good_for_what_it_was_made_for(site: Site) -> None:
    _, reading = await made(site, "read-only")
    _, custom = await made(site, "custom", f"{ARTICLE}.find")
    _, full = await made(site, "full-access")
    expected = {
        reading: [200, 403, 403, 403],
        custom: [200, 403, 403, 403],
        full: [200, 201, 200, 401],
    }
    for token, statuses in expected.items():
        asked = [
            await status(site, token),
            await status(site, token, "POST"),
            await status(site, token, "GET", "users/count"),
            await status(site, token, "GET", "users/me"),
        ]
        assert asked == statuses
    assert await status(site, custom, "GET", "categories") == 403
    assert await status(site, reading, "GET", "categories") == 200


async def test_h076_a_token_ends_when_it_runs_out(site: Site) -> None:
    _, token = await made(site, "full-access", lifespan=7 * DAY)
    assert await status(site, token) == 200
    site.clock.now += 7 * DAY - 1
    assert await status(site, token) == 200
    site.clock.now += 1
    response = await site.ask("GET", "articles", token=token)
    assert (response.status, message(response)) == (401, "Token expired")


async def test_h076_a_token_ends_when_it_is_created_again_narrowed_or_deleted(site: Site) -> None:
    tokens = api_tokens(site)
    id_, old = await made(site, "full-access")
    assert await status(site, old) == 200
    new = (await tokens.regenerate(id_)).key
    assert new is not None
    assert (await status(site, old), await status(site, new)) == (401, 200)
    await tokens.change(id_, {"type": "custom"}, [f"{ARTICLE}.findOne"])
    assert await status(site, new) == 403
    await tokens.delete(id_)
    assert await status(site, new) == 401
    assert await status(site, new[:-1]) == 401
    assert await status(site, f"{new}0") == 401


async def test_h079_nobody_opens_an_account_that_too_many_guesses_have_closed(
    own_newsroom: Settings,
) -> None:
    """Neither by guessing right, nor by signing in elsewhere, nor by a code sent by mail."""
    async with newsroom_site(own_newsroom, users__rate_limit__enabled=True) as site:
        for name in ("ada", "eve"):
            await site.make_user(name)
        for number in range(100):
            site.client.address = f"192.0.2.{number}"
            body = {"identifier": "ada", "password": f"guessed-{number}-times"}
            assert (await site.post("auth/local", body)).status == 400
        site.client.address = "198.51.100.1"
        await site.sign_in("eve")
        await site.post("auth/forgot-password", {"email": "ada@example.org"})
        right = {"identifier": "ada", "password": "low-Water-at-6"}
        for method in ("DELETE", "PUT", "POST"):
            assert (await site.ask(method, "auth/unlock", {}, token="full")).status in {404, 405}
        assert (await site.post("auth/local", right)).status == 429
        site.clock.now += MINUTE
        assert (await site.post("auth/local", right)).status == 200


async def test_h089_responses_are_framed_by_nobody_else(site: Site) -> None:
    for method, target in (
        ("GET", "/api/articles"),
        ("GET", "/api/nope"),
        ("POST", "/api/auth/local"),
        ("GET", "/_health"),
        ("GET", "/"),
        ("GET", "/admin"),
    ):
        response = await site.client.request(method, target)
        assert "frame-ancestors 'self'" in response.headers["content-security-policy"], target
        assert response.headers["x-frame-options"] == "SAMEORIGIN"


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("GET", "articles?filters[nope]=1", None),
        ("GET", "articles/%ff", None),
        ("POST", "articles", {"data": {"title": 5}}),
        ("POST", "articles", {"data": []}),
        ("POST", "users", {"username": {}}),
        ("POST", "auth/local", {"identifier": [], "password": {}}),
        ("PUT", "users/1", {"id": 3}),
        ("DELETE", "articles/zzz?status=draft", None),
        ("POST", "_batch", {"operations": [{"action": "create"}]}),
        ("POST", "email", {}),
        ("POST", "upload", {}),
    ],
)
async def test_h105_an_error_says_what_is_wrong_and_nothing_of_the_server(
    site: Site, method: str, target: str, body: object
) -> None:
    response = await site.ask(method, target, body, token="full")
    payload = json.loads(response.content)
    assert 400 <= response.status < 500, payload
    assert payload.keys() == {"data", "error"}
    assert payload["data"] is None
    assert payload["error"].keys() <= {"status", "name", "message", "details"}
    assert payload["error"]["status"] == response.status
    text = response.content.decode()
    inner = ("Traceback", "quire.", "/src/", ".py", "SELECT", "sqlite", "postgres", "asyncpg")
    assert not any(word in text for word in (*inner, str(site.project), *ENVIRONMENT.values()))


async def test_h107_cookies_hold_nothing_that_can_be_read_back(own_newsroom: Settings) -> None:
    """A cookie is a signed token of a session, and no password and no secret."""
    refreshing = {"users__jwt_management": "refresh", "users__sessions__http_only": True}
    async with newsroom_site(own_newsroom, **refreshing) as site:
        await site.make_user("ada")
        body = {"identifier": "ada", "password": "low-Water-at-6"}
        response = await site.post("auth/local", body)
        cookie = response.headers["set-cookie"]
        assert "refreshToken" not in json.loads(response.content)
        assert "httponly" in cookie.lower()
        (stored,) = site.sql("SELECT password FROM up_users WHERE username = 'ada'")[0]
        for secret in ("low-Water-at-6", stored, *ENVIRONMENT.values(), "ada"):
            assert secret not in cookie
        claims = cookie.split("=", 1)[1].split(".")
        assert len(claims) == 3
