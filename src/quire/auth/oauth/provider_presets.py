"""The known providers: their URLs, and how to read their profiles. One row each.

``{subdomain}`` is a setting of the administrator. A provider of OpenID Connect is found by its
``issuer``, and its signed ID token has the profile; for others the profile is requested. An e-mail
counts only if the provider has verified it.
"""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct, field

Json = Mapping[str, object]


class Profile(Struct, frozen=True):
    """The profile of a user; ``email`` is ``None`` without a verified one."""

    email: str | None
    username: str | None


class Preset(Struct, frozen=True, kw_only=True):
    """A provider.

    ``profile`` reads a profile from the responses of ``profile_urls``, in their order, and last the
    token response; or from the claims of an ID token if there is an ``issuer``. ``headers`` are
    sent with profile requests; ``{key}`` in them is the project's key. With ``by_header`` the
    secret is sent in a header. A ``request_url`` makes it a provider of OAuth 1, which issues
    request tokens there. ``without_email`` says that the provider returns no e-mail: an
    undeliverable address is generated then.
    """

    profile: Callable[[tuple[object, ...]], Profile]
    issuer: str | None = None
    authorize_url: str = ""
    token_url: str = ""
    profile_urls: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    scope: tuple[str, ...] = ()
    request_url: str = ""
    by_header: bool = False
    without_email: bool = False

    @property
    def callback_parameters(self) -> tuple[str, str]:
        """The parameters of the redirect back: the state, and the code."""
        return ("oauth_token", "oauth_verifier") if self.request_url else ("state", "code")


def claims_profile(responses: tuple[object, ...]) -> Profile:
    """Read the profile from the standard claims of OpenID Connect."""
    claims = _object(responses[0])
    is_verified = claims.get("email_verified") in (True, "true")
    names = ("preferred_username", "cognito:username", "nickname", "name")
    username = next((text for name in names if (text := _text(claims, name))), None)
    return Profile(_text(claims, "email") if is_verified else None, username)


def _discord(responses: tuple[object, ...]) -> Profile:
    user = _object(responses[0])
    email = _text(user, "email") if user.get("verified") is True else None
    return Profile(email, _text(user, "username"))


def _facebook(responses: tuple[object, ...]) -> Profile:
    user = _object(responses[0])
    return Profile(_text(user, "email"), _text(user, "name"))


def _github(responses: tuple[object, ...]) -> Profile:
    user, emails = _object(responses[0]), responses[1]
    email_records = [_object(record) for record in emails] if isinstance(emails, list) else []
    verified_emails = [record for record in email_records if record.get("verified") is True]
    public_email = _text(user, "email")
    selected_emails = [
        record
        for record in verified_emails
        if (
            record.get("primary") is True
            if public_email is None
            else record.get("email") == public_email
        )
    ]
    return Profile(
        _text(selected_emails[0], "email") if selected_emails else None, _text(user, "login")
    )


def _microsoft(responses: tuple[object, ...]) -> Profile:
    name = _text(_object(responses[0]), "userPrincipalName")
    return Profile(name, name)


def _twitch(responses: tuple[object, ...]) -> Profile:
    users = _object(responses[0]).get("data")
    user = _object(users[0]) if isinstance(users, list) and users else {}
    return Profile(_text(user, "email"), _text(user, "login"))


def _patreon(responses: tuple[object, ...]) -> Profile:
    user = _object(_object(_object(responses[0]).get("data")).get("attributes"))
    email = _text(user, "email") if user.get("is_email_verified") is True else None
    return Profile(email, _text(user, "full_name"))


def _cas(responses: tuple[object, ...]) -> Profile:
    user = _object(responses[0])
    attributes = _object(user.get("attributes")) or user
    is_verified = user.get("email_verified", attributes.get("email_verified")) is True
    name = _text(attributes, "strapiusername") or _text(user, "id") or _text(user, "sub")
    email = _text(attributes, "strapiemail") or _text(attributes, "email")
    return Profile(email if is_verified else None, name)


def _twitter(responses: tuple[object, ...]) -> Profile:
    user = _object(responses[0])
    return Profile(_text(user, "email"), _text(user, "screen_name"))


def _vk(responses: tuple[object, ...]) -> Profile:
    # The e-mail is in the token response, and only if VK has had it confirmed.
    users = _object(responses[0]).get("response")
    user = _object(users[0]) if isinstance(users, list) and users else {}
    names = (_text(user, name) for name in ("last_name", "first_name"))
    name = " ".join(text for text in names if text)
    return Profile(_text(_object(responses[-1]), "email") if user else None, name or None)


def _instagram(responses: tuple[object, ...]) -> Profile:
    return _generated_profile(_text(_object(responses[0]), "username"))


def _reddit(responses: tuple[object, ...]) -> Profile:
    return _generated_profile(_text(_object(responses[0]), "name"))


def _generated_profile(name: str | None) -> Profile:
    """Return the address that Strapi generates for a name, by which it finds accounts again."""
    if name is None or not _NAME.fullmatch(name):
        return Profile(None, None)
    return Profile(f"{name}@{_PLACEHOLDER_DOMAIN}", name)


_NAME = re.compile(r"[\w.-]{1,64}", re.ASCII)
_PLACEHOLDER_DOMAIN = "strapi.io"
_PATREON_FIELDS = "fields[user]=full_name,email,is_email_verified"

PRESETS: Mapping[str, Preset] = {
    "google": Preset(
        issuer="https://accounts.google.com",
        scope=("openid", "email", "profile"),
        profile=claims_profile,
    ),
    "auth0": Preset(
        issuer="https://{subdomain}.auth0.com/",
        scope=("openid", "email", "profile"),
        profile=claims_profile,
    ),
    "keycloak": Preset(
        issuer="https://{subdomain}",
        scope=("openid", "email", "profile"),
        profile=claims_profile,
    ),
    "linkedin": Preset(
        issuer="https://www.linkedin.com/oauth",
        scope=("openid", "email", "profile"),
        profile=claims_profile,
    ),
    "discord": Preset(
        authorize_url="https://discord.com/api/oauth2/authorize",
        token_url="https://discord.com/api/oauth2/token",  # noqa: S106 - an address
        profile_urls=("https://discord.com/api/users/@me",),
        scope=("identify", "email"),
        profile=_discord,
    ),
    "facebook": Preset(
        authorize_url="https://www.facebook.com/dialog/oauth",
        token_url="https://graph.facebook.com/oauth/access_token",  # noqa: S106 - an address
        profile_urls=("https://graph.facebook.com/me?fields=name,email",),
        scope=("email",),
        profile=_facebook,
    ),
    "github": Preset(
        authorize_url="https://github.com/login/oauth/authorize",
        token_url="https://github.com/login/oauth/access_token",  # noqa: S106 - an address
        profile_urls=("https://api.github.com/user", "https://api.github.com/user/emails"),
        scope=("user", "user:email"),
        profile=_github,
    ),
    "microsoft": Preset(
        authorize_url="https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
        token_url="https://login.microsoftonline.com/common/oauth2/v2.0/token",  # noqa: S106
        profile_urls=("https://graph.microsoft.com/v1.0/me",),
        scope=("user.read",),
        profile=_microsoft,
    ),
    "twitch": Preset(
        authorize_url="https://id.twitch.tv/oauth2/authorize",
        token_url="https://id.twitch.tv/oauth2/token",  # noqa: S106 - an address
        profile_urls=("https://api.twitch.tv/helix/users",),
        headers={"Client-Id": "{key}"},
        scope=("user:read:email",),
        profile=_twitch,
    ),
    "patreon": Preset(
        authorize_url="https://www.patreon.com/oauth2/authorize",
        token_url="https://www.patreon.com/api/oauth2/token",  # noqa: S106 - an address
        profile_urls=(f"https://www.patreon.com/api/oauth2/v2/identity?{_PATREON_FIELDS}",),
        scope=("identity", "identity[email]"),
        profile=_patreon,
    ),
    "cognito": Preset(
        authorize_url="https://{subdomain}/oauth2/authorize",
        token_url="https://{subdomain}/oauth2/token",  # noqa: S106 - an address
        profile_urls=("https://{subdomain}/oauth2/userInfo",),
        scope=("openid", "email", "profile"),
        profile=claims_profile,
    ),
    "cas": Preset(
        authorize_url="https://{subdomain}/oidc/authorize",
        token_url="https://{subdomain}/oidc/token",  # noqa: S106 - an address
        profile_urls=("https://{subdomain}/oidc/profile",),
        scope=("openid", "email"),
        profile=_cas,
    ),
    "twitter": Preset(
        request_url="https://api.twitter.com/oauth/request_token",
        authorize_url="https://api.twitter.com/oauth/authenticate",
        token_url="https://api.twitter.com/oauth/access_token",  # noqa: S106 - an address
        profile_urls=(
            "https://api.twitter.com/1.1/account/verify_credentials.json?include_email=true",
        ),
        profile=_twitter,
    ),
    "vk": Preset(
        authorize_url="https://oauth.vk.com/authorize",
        token_url="https://oauth.vk.com/access_token",  # noqa: S106 - an address
        profile_urls=("https://api.vk.com/method/users.get?v=5.122",),
        scope=("email",),
        profile=_vk,
    ),
    "instagram": Preset(
        authorize_url="https://api.instagram.com/oauth/authorize",
        token_url="https://api.instagram.com/oauth/access_token",  # noqa: S106 - an address
        profile_urls=("https://graph.instagram.com/me?fields=id,username",),
        scope=("user_profile",),
        without_email=True,
        profile=_instagram,
    ),
    "reddit": Preset(
        authorize_url="https://ssl.reddit.com/api/v1/authorize",
        token_url="https://ssl.reddit.com/api/v1/access_token",  # noqa: S106 - an address
        profile_urls=("https://oauth.reddit.com/api/v1/me",),
        scope=("identity",),
        by_header=True,
        without_email=True,
        profile=_reddit,
    ),
}
"""Presets by the provider names of the settings."""


def _object(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _text(values: Json, name: str) -> str | None:
    value = values.get(name)
    return value if isinstance(value, str) and value else None
