"""Sign-in through each known provider, replaced by a local process.

Only the addresses are others: what is asked of a provider, how its responses are read, and what
becomes of them is what it would be with the real one.
"""

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from quire.auth.oauth import providers
from quire.auth.oauth.provider_presets import PRESETS, Preset
from quire.clock import now_ms
from tests.accounts.oidc_provider import KEY, SECRET
from tests.accounts.site import MINUTE, Site, message
from tests.accounts.test_providers import GRANT, PAGE, be, kept, reported_error, visit
from tests.conformance.client import ClientResponse

EMAIL = "ada@example.org"
MADE_UP = "ada@strapi.io"
SAYS: Mapping[str, list[object]] = {
    "discord": [{"email": EMAIL, "verified": True, "username": "ada"}],
    "facebook": [{"email": EMAIL, "name": "ada"}],
    "github": [
        {"login": "ada", "email": None},
        [{"email": EMAIL, "verified": True, "primary": True}],
    ],
    "microsoft": [{"userPrincipalName": EMAIL}],
    "twitch": [{"data": [{"email": EMAIL, "login": "ada"}]}],
    "patreon": [
        {"data": {"attributes": {"email": EMAIL, "full_name": "ada", "is_email_verified": True}}}
    ],
    "cognito": [{"email": EMAIL, "email_verified": "true", "cognito:username": "ada"}],
    "cas": [{"id": "ada", "attributes": {"email": EMAIL, "email_verified": True}}],
    "twitter": [{"email": EMAIL, "screen_name": "ada"}],
    "vk": [{"response": [{"first_name": "ada"}]}],
    "instagram": [{"id": "1", "username": "ada"}],
    "reddit": [{"name": "ada"}],
}
"""What those say of somebody who sign nothing."""
CLAIMS = {"email": EMAIL, "email_verified": True, "preferred_username": "ada"}
NAMES = {"microsoft": EMAIL}
"""What users are called, where it is not ``ada``."""


def moved(preset: Preset, where: str) -> Preset:
    """Return a preset with the same manners at another place."""
    if preset.issuer is not None:
        return replace(preset, issuer=where)
    if preset.request_url:
        return replace(
            preset,
            request_url=f"{where}/signed/request",
            authorize_url=f"{where}/signed/authorize",
            token_url=f"{where}/signed/token",
            profile_urls=tuple(
                f"{where}/signed/answer?{urlsplit(url).query}" for url in preset.profile_urls
            ),
        )
    count = len(preset.profile_urls)
    return replace(
        preset,
        authorize_url=f"{where}/plain/authorize",
        token_url=f"{where}/plain/token",
        profile_urls=tuple(f"{where}/plain/responses/{number}" for number in range(count)),
    )


@pytest.fixture
def site(site: Site, issuer: str, monkeypatch: pytest.MonkeyPatch) -> Site:
    known = {name: moved(preset, issuer) for name, preset in PRESETS.items()}
    monkeypatch.setattr(providers, "PRESETS", known)
    site.clock.now = now_ms()
    options = {"enabled": True, "key": KEY, "secret": SECRET, "callback": PAGE}
    site.set(GRANT, **{name: {**options, "subdomain": "x.example"} for name in known})
    return site


def say(issuer: str, name: str, **more: object) -> None:
    """Tell the provider who signs in."""
    by_header = {"by_header": True} if PRESETS[name].by_header else {}
    responses = {"responses": SAYS.get(name, []), "with": {"email": EMAIL} if name == "vk" else {}}
    be(issuer, dict(CLAIMS), **{**responses, **by_header, **more})


async def come_back(site: Site, name: str) -> ClientResponse:
    """Go to the provider and come back."""
    redirect = await site.ask("GET", f"connect/{name}")
    assert redirect.status == 302, redirect.content
    back = visit(redirect.headers["location"])
    assert f"{back.scheme}://{back.netloc}" == "https://news.example.org"
    target = f"{back.path.removeprefix('/api/')}?{back.query}"
    return await site.ask("GET", target, headers=kept(redirect))


async def sign_in(site: Site, name: str) -> ClientResponse:
    response = await come_back(site, name)
    assert (response.status, response.headers["location"]) == (302, PAGE), response.content
    return await site.ask("GET", f"auth/{name}/callback", headers=kept(response))


@pytest.mark.parametrize("name", PRESETS)
async def test_everybody_signs_in_and_is_known_again(site: Site, issuer: str, name: str) -> None:
    say(issuer, name)
    response = await sign_in(site, name)
    assert response.status == 200, response.content
    user = json.loads(response.content)["user"]
    email = MADE_UP if PRESETS[name].without_email else EMAIL
    assert (user["username"], user["email"]) == (NAMES.get(name, "ada"), email)
    assert (user["provider"], user["confirmed"]) == (name, True)
    again = json.loads((await sign_in(site, name)).content)
    assert again["user"]["id"] == user["id"]
    assert (await site.ask("GET", "users/me", token=again["jwt"])).status == 200


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if not preset.issuer])
async def test_what_a_provider_does_not_say_is_not_made_up_for_it(
    site: Site, issuer: str, name: str
) -> None:
    say(issuer, name, responses=[{}, {}], **{"with": {}})
    response = await sign_in(site, name)
    assert (response.status, message(response)) == (400, "Email was not available.")
    assert site.sql("SELECT id FROM up_users WHERE provider = ?", name) == []


async def test_a_sign_in_of_oauth_1_is_of_the_same_browser_and_good_once(
    site: Site, issuer: str
) -> None:
    say(issuer, "twitter")
    redirect, other = [await site.ask("GET", "connect/twitter") for _ in range(2)]
    back = visit(redirect.headers["location"])
    target = f"connect/twitter/callback?{back.query}"
    for headers in ({}, kept(other)):
        response = await site.ask("GET", target, headers=headers)
        assert reported_error(response) == ("oauth_error", "OAuth1 token mismatch")
    forged = target.replace("oauth_verifier=", "oauth_verifier=x")
    refused = await site.ask("GET", forged, headers=kept(redirect))
    assert reported_error(refused) == ("oauth_error", "The provider did not say who signs in")
    redirect = await site.ask("GET", "connect/twitter")
    target = f"connect/twitter/callback?{visit(redirect.headers['location']).query}"
    response = await site.ask("GET", target, headers=kept(redirect))
    assert response.headers["location"] == PAGE
    again = await site.ask("GET", target, headers=kept(redirect))
    assert reported_error(again) == ("oauth_error", "The provider did not say who signs in")
    site.clock.now += 10 * MINUTE
    late = await site.ask("GET", target, headers=kept(redirect))
    assert reported_error(late) == ("oauth_error", "OAuth1 token mismatch")


async def test_a_provider_of_oauth_1_has_to_know_where_browsers_are_sent_back_to(
    site: Site, issuer: str
) -> None:
    say(issuer, "twitter", unconfirmed=True)
    response = await site.ask("GET", "connect/twitter")
    assert message(response) == "The provider did not say who signs in"


async def test_nobody_gets_mails_at_an_address_that_was_made_up(site: Site, issuer: str) -> None:
    """It may belong to somebody else, who could use the code to take over the account."""
    say(issuer, "reddit")
    await sign_in(site, "reddit")
    response = await site.post("auth/forgot-password", {"email": MADE_UP})
    assert json.loads(response.content) == {"ok": True}
    await site.mails(0)
