"""Sign-in through an OpenID Connect provider in a separate process."""

import json
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

import httpx
import pytest
from structlog.testing import capture_logs

from quire.clock import now_ms
from tests.accounts.oidc_provider import KEY, SECRET
from tests.accounts.site import ADVANCED, MINUTE, Site, message
from tests.conformance.client import ClientResponse

GRANT = "plugin_users-permissions_grant"
PAGE = "https://front.example.org/signed-in"
ADA = {"email": "Ada@Example.org", "email_verified": True, "preferred_username": "ada"}


@pytest.fixture
def site(site: Site, issuer: str) -> Site:
    site.clock.now = now_ms()
    provider = {"enabled": True, "key": KEY, "secret": SECRET, "callback": PAGE}
    site.set(GRANT, oidc={**provider, "issuer": issuer})
    be(issuer, ADA)
    return site


def be(issuer: str, claims: dict[str, Any], /, **more: object) -> None:
    """Tell the provider who signs in, and what it does wrong."""
    httpx.post(f"{issuer}/be", json={"claims": claims, **more}).raise_for_status()


def sent_bytes(issuer: str) -> int:
    """Return how many bytes of endless responses the provider has sent."""
    sent: int = httpx.get(f"{issuer}/sent").json()
    return sent


def kept(response: ClientResponse) -> dict[str, str]:
    """The cookie that a browser sends from now on."""
    return {"Cookie": response.headers["set-cookie"].split(";")[0]}


def visit(address: str) -> SplitResult:
    """Go to the provider, and return where it sends a browser."""
    return urlsplit(httpx.get(address).headers["location"])


def reported_error(response: ClientResponse) -> tuple[str, str]:
    """Return the error with which a browser is sent to the page."""
    page, _, query = response.headers["location"].partition("?")
    assert (response.status, page) == (302, PAGE)
    (error,), (description,) = parse_qs(query, strict_parsing=True).values()
    return error, description


async def come_back(site: Site) -> tuple[ClientResponse, dict[str, str]]:
    """Sign in at the provider; returns the response, and the cookies before it."""
    redirect = await site.ask("GET", "connect/oidc")
    assert redirect.status == 302, redirect.content
    back = visit(redirect.headers["location"])
    assert f"{back.scheme}://{back.netloc}" == "https://news.example.org"
    target = f"{back.path.removeprefix('/api/')}?{back.query}"
    return await site.ask("GET", target, headers=kept(redirect)), kept(redirect)


async def sign_in(site: Site) -> ClientResponse:
    response, _ = await come_back(site)
    assert (response.status, response.headers["location"]) == (302, PAGE), response.content
    return await site.ask("GET", "auth/oidc/callback", headers=kept(response))


async def test_whoever_the_provider_knows_is_signed_in(site: Site) -> None:
    response = await sign_in(site)
    assert response.status == 200
    found = json.loads(response.content)
    user = found["user"]
    assert (user["username"], user["email"]) == ("ada", "ada@example.org")
    assert (user["provider"], user["confirmed"]) == ("oidc", True)
    assert "max-age=0" in response.headers["set-cookie"]
    me = await site.ask("GET", "users/me", token=found["jwt"])
    assert json.loads(me.content)["id"] == user["id"]
    again = json.loads((await sign_in(site)).content)
    assert again["user"]["id"] == user["id"]
    role = "SELECT r.type FROM up_roles r JOIN up_users_role_lnk l ON l.role_id = r.id"
    assert site.sql(f"{role} WHERE l.user_id = ?", user["id"]) == [("authenticated",)]


async def test_a_browser_is_sent_with_state_nonce_and_challenge(site: Site, issuer: str) -> None:
    first, second = [await site.ask("GET", "connect/oidc") for _ in range(2)]
    asked = parse_qs(urlsplit(first.headers["location"]).query)
    assert first.headers["location"].startswith(f"{issuer}/authorize?")
    assert asked["redirect_uri"] == ["https://news.example.org/api/connect/oidc/callback"]
    other = parse_qs(urlsplit(second.headers["location"]).query)
    for name in ("state", "nonce", "code_challenge"):
        assert asked[name] != other[name]
    for attribute in ("httponly", "samesite=lax", "secure"):
        assert attribute in first.headers["set-cookie"].split("; ")
    for secret in (SECRET, asked["state"][0], asked["nonce"][0]):
        assert secret not in first.headers["set-cookie"]


@pytest.mark.parametrize(
    ("claims", "more"),
    [
        ({}, {"forged": True}),
        ({}, {"algorithm": "none"}),
        ({}, {"algorithm": "HS256"}),
        ({"iss": "https://evil.example"}, {}),
        ({"aud": "another-client"}, {}),
        ({"aud": [KEY, "another-client"]}, {}),
        ({"nonce": "another"}, {}),
        ({"nonce": None}, {}),
        ({"exp": 1}, {}),
        ({"exp": None}, {}),
        ({"nbf": 9_999_999_999}, {}),
        ({}, {"issuer": "https://evil.example"}),
    ],
)
async def test_h063_an_id_token_has_to_be_right_in_everything(
    site: Site, issuer: str, claims: dict[str, Any], more: dict[str, Any]
) -> None:
    redirect = await site.ask("GET", "connect/oidc")
    back = visit(redirect.headers["location"])
    be(issuer, {**ADA, **claims}, **more)
    target = f"connect/oidc/callback?{back.query}"
    response = await site.ask("GET", target, headers=kept(redirect))
    assert reported_error(response) == ("oauth_error", "The provider did not say who signs in")
    assert not site.sql("SELECT id FROM up_users WHERE provider = 'oidc'")


async def test_a_response_of_a_provider_is_not_read_beyond_its_limit(
    site: Site, issuer: str
) -> None:
    redirect = await site.ask("GET", "connect/oidc")
    back = visit(redirect.headers["location"])
    be(issuer, ADA, endless=True)
    with capture_logs() as logs:
        response = await site.ask(
            "GET", f"connect/oidc/callback?{back.query}", headers=kept(redirect)
        )
    assert reported_error(response) == ("oauth_error", "The provider did not say who signs in")
    assert "the response of the provider is too large" in str(logs)
    sent = sent_bytes(issuer)
    assert 1_000_000 < sent < 50_000_000  # of 100 million


@pytest.mark.parametrize(
    "callback",
    [
        "https://evil.example/signed-in",
        "//evil.example",
        "/\\evil.example",
        "https://front.example.org@evil.example/signed-in",
        "https://front.example.org.evil.example/signed-in",
        "https://front.example.org/other",
        "http://front.example.org/signed-in",
        "https://front.example.org:8443/signed-in",
        "javascript:alert(1)",
        "",
    ],
)
async def test_h064_a_browser_ends_nowhere_but_on_the_projects_page(
    site: Site, callback: str
) -> None:
    quoted = str(httpx.QueryParams({"callback": callback}))
    response = await site.ask("GET", f"connect/oidc?{quoted}")
    assert (response.status, message(response)) == (400, "Invalid callback URL provided")
    with_query = str(httpx.QueryParams({"callback": f"{PAGE}?from=here"}))
    assert (await site.ask("GET", f"connect/oidc?{with_query}")).status == 302


async def test_a_state_is_of_the_same_browser_and_the_same_minutes(site: Site) -> None:
    redirect, other = [await site.ask("GET", "connect/oidc") for _ in range(2)]
    back = visit(redirect.headers["location"])
    target = f"connect/oidc/callback?{back.query}"
    cookies: list[dict[str, str]] = [{}, kept(other), {"Cookie": "quire_connect=v1:00:00:00"}]
    for headers in cookies:
        response = await site.ask("GET", target, headers=headers)
        assert reported_error(response) == ("oauth_error", "OAuth2 state mismatch")
    site.clock.now += 10 * MINUTE
    late = await site.ask("GET", target, headers=kept(redirect))
    assert reported_error(late) == ("oauth_error", "OAuth2 state mismatch")


async def test_h067_nothing_in_an_address_says_who_somebody_is(site: Site) -> None:
    response, redirect = await come_back(site)
    for headers in ({}, redirect):
        target = "auth/oidc/callback?profile[email]=eve@example.org&access_token=x&id_token=y"
        refused = await site.ask("GET", target, headers=headers)
        assert (refused.status, message(refused)) == (
            400,
            "OAuth authentication requires a completed provider session",
        )
    site.clock.now += 2 * MINUTE
    late = await site.ask("GET", "auth/oidc/callback", headers=kept(response))
    assert late.status == 400


async def test_h066_accounts_of_different_providers_are_never_one(site: Site) -> None:
    eve = {"username": "eve", "email": "ada@example.org", "password": "Evil-Eve-12"}
    await site.post("auth/local/register", eve)
    response = await sign_in(site)
    assert (response.status, message(response)) == (400, "Email is already taken.")
    site.set(ADVANCED, unique_email=False)
    found = json.loads((await sign_in(site)).content)["user"]
    assert (found["username"], found["provider"]) == ("ada", "oidc")
    assert (await site.post("auth/local", {"identifier": "ada", "password": "x"})).status == 400


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "ada@example.org"},
        {"email": "ada@example.org", "email_verified": False},
        {"email_verified": True},
        {"email": {"$ne": None}, "email_verified": True},
    ],
)
async def test_h066_an_e_mail_that_is_not_verified_is_none(
    site: Site, issuer: str, claims: dict[str, Any]
) -> None:
    be(issuer, claims)
    response = await sign_in(site)
    assert (response.status, message(response)) == (400, "Email was not available.")


async def test_h057_an_e_mail_that_only_looks_like_another_one_is_another(
    site: Site, issuer: str
) -> None:
    """The lower case of the Kelvin sign is the letter k, so that one address became another."""
    be(issuer, {**ADA, "email": "Kim@example.org"})
    kim = json.loads((await sign_in(site)).content)["user"]
    be(issuer, {**ADA, "email": "\u212aim@example.org"})
    response = await sign_in(site)
    assert response.status == 400
    assert kim["documentId"] not in response.content.decode()


async def test_who_is_blocked_or_new_where_nobody_may_register_is_refused(site: Site) -> None:
    user = json.loads((await sign_in(site)).content)["user"]
    await site.ask("PUT", f"users/{user['id']}", {"blocked": True}, token="full")
    blocked = await sign_in(site)
    assert message(blocked) == "Your account has been blocked by an administrator"
    await site.ask("DELETE", f"users/{user['id']}", token="full")
    site.set(ADVANCED, allow_register=False)
    assert message(await sign_in(site)) == "Register action is actually not available."


async def test_a_name_that_is_taken_gets_digits(site: Site) -> None:
    await site.make_user("ada")
    site.set(ADVANCED, unique_email=False)
    user = json.loads((await sign_in(site)).content)["user"]
    assert user["username"] != "ada"
    assert user["username"].startswith("ada")


async def test_a_line_break_in_what_a_provider_says_is_not_kept(site: Site, issuer: str) -> None:
    be(issuer, {**ADA, "preferred_username": "ada\r\nlovelace"})
    user = json.loads((await sign_in(site)).content)["user"]
    assert "\n" not in user["username"]
    assert "\r" not in user["username"]
    be(issuer, {**ADA, "email": "eve@example.org\r\nBcc: x@example.org"})
    response, _ = await come_back(site)
    assert response.status == 302
    done = await site.ask("GET", "auth/oidc/callback", headers=kept(response))
    assert done.status == 400
    assert site.sql("SELECT id FROM up_users WHERE email LIKE 'eve%'") == []


async def test_a_code_is_good_once(site: Site) -> None:
    redirect = await site.ask("GET", "connect/oidc")
    back = visit(redirect.headers["location"])
    target = f"connect/oidc/callback?{back.query}"
    response = await site.ask("GET", target, headers=kept(redirect))
    assert response.headers["location"] == PAGE
    again = await site.ask("GET", target, headers=kept(redirect))
    assert reported_error(again) == ("oauth_error", "The provider did not say who signs in")


@pytest.mark.parametrize(
    ("query", "reported"),
    [
        (
            "?error=access_denied&error_description=Not%20today%20%26%20never&state=x",
            "error=access_denied&error_description=Not+today+%26+never",
        ),
        ("?error=access_denied&code=x", "error=access_denied"),
        ("?state=x", "error=oauth_error&error_description=OAuth2+missing+code+parameter"),
        ("", "error=oauth_error&error_description=OAuth2+missing+code+parameter"),
        ("?code=x&state=x", "error=oauth_error&error_description=OAuth2+state+mismatch"),
        (
            "?code=x&code=y&error=a&error=b",
            "error=oauth_error&error_description=OAuth2+missing+code+parameter",
        ),
    ],
)
async def test_the_page_learns_why_nobody_signs_in(site: Site, query: str, reported: str) -> None:
    redirect = await site.ask("GET", f"connect/oidc?callback={PAGE}?from=here")
    for headers, page in (({}, f"{PAGE}?"), (kept(redirect), f"{PAGE}?from=here&")):
        response = await site.ask("GET", f"connect/oidc/callback{query}", headers=headers)
        assert (response.status, response.headers["location"]) == (302, f"{page}{reported}")
    refused = await site.ask("GET", "auth/oidc/callback", headers=kept(redirect))
    assert message(refused) == "OAuth authentication requires a completed provider session"
