"""Profiles of the known providers, and the resulting identities."""

import pytest

from quire.auth.oauth.provider_presets import PRESETS, Profile
from quire.auth.oauth.providers import is_safe, read_provider

ADA = Profile("ada@example.org", "ada")
EMAIL = {"email": "ada@example.org"}
NOBODY = Profile(None, "ada")
API = "https://site.example.org/api"


@pytest.mark.parametrize(
    ("name", "responses", "profile"),
    [
        ("google", ({**EMAIL, "email_verified": True, "name": "ada"},), ADA),
        ("google", ({**EMAIL, "email_verified": "true", "name": "ada"},), ADA),
        ("keycloak", ({**EMAIL, "preferred_username": "ada"},), NOBODY),
        ("discord", ({**EMAIL, "verified": True, "username": "ada"},), ADA),
        ("discord", ({**EMAIL, "verified": False, "username": "ada"},), NOBODY),
        ("facebook", ({**EMAIL, "name": "ada"},), ADA),
        ("facebook", ({"name": "ada"},), NOBODY),
        (
            "github",
            (
                {"login": "ada", "email": None},
                [
                    {"email": "x@y.org", "verified": True},
                    {**EMAIL, "verified": True, "primary": True},
                ],
            ),
            ADA,
        ),
        (
            "github",
            ({"login": "ada", **EMAIL}, [{**EMAIL, "verified": False, "primary": True}]),
            NOBODY,
        ),
        ("github", ({"login": "ada", **EMAIL}, {"message": "no"}), NOBODY),
        ("twitch", ({"data": [{**EMAIL, "login": "ada"}]},), ADA),
        ("twitch", ({"data": []},), Profile(None, None)),
        (
            "patreon",
            ({"data": {"attributes": {**EMAIL, "full_name": "ada", "is_email_verified": True}}},),
            ADA,
        ),
        ("patreon", ({"data": {"attributes": {**EMAIL, "full_name": "ada"}}},), NOBODY),
        ("cognito", ({**EMAIL, "email_verified": "true", "cognito:username": "ada"},), ADA),
        ("cas", ({"id": "ada", "attributes": {**EMAIL, "email_verified": True}},), ADA),
        ("cas", ({"id": "ada", "attributes": EMAIL},), NOBODY),
        ("microsoft", ({"userPrincipalName": "a@b.org"},), Profile("a@b.org", "a@b.org")),
        ("twitter", ({**EMAIL, "screen_name": "ada"}, {}), ADA),
        ("twitter", ({"screen_name": "ada"}, {}), NOBODY),
        ("vk", ({"response": [{"first_name": "ada"}]}, EMAIL), ADA),
        (
            "vk",
            ({"response": [{"first_name": "Ada", "last_name": "L."}]}, {}),
            Profile(None, "L. Ada"),
        ),
        ("vk", ({"error": {}}, EMAIL), Profile(None, None)),
        ("reddit", ({"name": "ada"}, {}), Profile("ada@strapi.io", "ada")),
        ("reddit", ({"name": "a@b.org,ada"}, {}), Profile(None, None)),
        ("instagram", ({"username": "a.d_a"}, {}), Profile("a.d_a@strapi.io", "a.d_a")),
        ("instagram", ({"username": 5}, {}), Profile(None, None)),
        ("github", (None, None), Profile(None, None)),
        ("patreon", ([],), Profile(None, None)),
    ],
)
def test_a_profile_has_an_e_mail_only_if_it_is_verified(
    name: str, responses: tuple[object, ...], profile: Profile
) -> None:
    assert PRESETS[name].profile(responses) == profile


def test_all_providers_of_the_reference_are_there() -> None:
    assert set(PRESETS) == {
        *("auth0", "cas", "cognito", "discord", "facebook", "github", "google", "instagram"),
        *("keycloak", "linkedin", "microsoft", "patreon", "reddit", "twitch", "twitter", "vk"),
    }


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_found_over_tls_alone(name: str) -> None:
    preset = PRESETS[name]
    urls = [preset.issuer] if preset.issuer else [preset.authorize_url, preset.token_url]
    more = [preset.request_url] if preset.request_url else []
    for url in (*urls, *more, *preset.profile_urls):
        assert is_safe(url.replace("{subdomain}", "x.example"))


@pytest.mark.parametrize(
    ("options", "callback"),
    [
        ({"callbackUrl": "api/auth/google/callback"}, f"{API}/auth/google/callback"),
        ({"callback": "https://front.example.org/x"}, "https://front.example.org/x"),
        ({"callback": "/x", "callbackUrl": "y"}, "https://site.example.org/x"),
    ],
)
def test_a_browser_ends_where_it_was_set(options: dict[str, str], callback: str) -> None:
    provider = read_provider({"google": {"enabled": True, **options}}, "google", API)
    assert provider is not None
    assert provider.callback == callback
    assert provider.redirect_uri == f"{API}/connect/google/callback"


@pytest.mark.parametrize(
    ("grant", "name"),
    [
        (None, "google"),
        ({}, "google"),
        ({"google": {"enabled": False}}, "google"),
        ({"google": {"enabled": "true"}}, "google"),
        ({"email": {"enabled": True}}, "email"),
        ({"own": {"enabled": True}}, "own"),
        ({"own": {"enabled": True, "issuer": "http://idp.example.org"}}, "own"),
    ],
)
def test_what_is_not_switched_on_or_not_known_is_no_provider(grant: object, name: str) -> None:
    assert read_provider(grant, name, API) is None
