"""A provider as an administrator has configured it."""

from collections.abc import Mapping
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from quire.auth.oauth.provider_presets import PRESETS, Preset, claims_profile

GRANT_KEY = "plugin_users-permissions_grant"
_LOCAL = "email"
"""The provider name of sign-ins with a password."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class ProviderError(Exception):
    """A provider does not return a profile; the message is logged and not sent to clients."""


class IdTokenError(ProviderError):
    """An invalid ID token."""


class Provider(Struct, frozen=True, kw_only=True):
    """An enabled provider.

    ``callback`` is the page that the browser ends on; ``redirect_uri`` is the URL that the provider
    redirects it back to.
    """

    name: str
    key: str
    secret: str
    scope: tuple[str, ...]
    subdomain: str
    callback: str
    redirect_uri: str
    preset: Preset

    def address(self, template: str) -> str:
        """Return a URL of a preset with this provider's subdomain in it."""
        return template.replace("{subdomain}", self.subdomain)


def read_provider(grant: object, name: str, api: str) -> Provider | None:
    """Return a provider from its stored form; ``None`` for a disabled, unknown or invalid one.

    ``api`` is the URL of the content API. Any name with an ``issuer`` is a provider of OpenID
    Connect.
    """
    options = grant.get(name) if isinstance(grant, Mapping) and name != _LOCAL else None
    if not isinstance(options, Mapping) or options.get("enabled") is not True:
        return None
    issuer = options.get("issuer")
    preset = PRESETS.get(name)
    if isinstance(issuer, str) and is_safe(issuer):
        scope = ("openid", "email", "profile")
        preset = Preset(issuer=issuer, scope=scope, profile=claims_profile)
    callback = _callback(options, api)
    if preset is None or callback is None:
        return None
    return Provider(
        name=name,
        key=_text(options, "key"),
        secret=_text(options, "secret"),
        scope=_scope(options, preset),
        subdomain=_text(options, "subdomain"),
        callback=callback,
        redirect_uri=f"{api}/connect/{name}/callback",
        preset=preset,
    )


def takes_passwords(grant: object) -> bool:
    """Tell whether users may sign in with a password; true unless it was disabled."""
    options = grant.get(_LOCAL) if isinstance(grant, Mapping) else None
    return not isinstance(options, Mapping) or options.get("enabled") is True


def is_allowed(callback: str, provider: Provider) -> bool:
    """Tell whether a browser may end on a page: it has origin and path of the configured one."""
    if any(character in callback for character in "\\\t\r\n") or callback != callback.strip():
        return False
    try:
        requested_url, registered_url = urlsplit(callback), urlsplit(provider.callback)
        ports = requested_url.port, registered_url.port
    except ValueError:
        return False
    is_same_target = (requested_url.scheme, requested_url.hostname, requested_url.path) == (
        registered_url.scheme,
        registered_url.hostname,
        registered_url.path,
    )
    return is_same_target and ports[0] == ports[1] and "@" not in requested_url.netloc


def is_safe(url: str) -> bool:
    """Tell whether secrets may be sent to a URL: by TLS, or to this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _scope(options: Mapping[str, object], preset: Preset) -> tuple[str, ...]:
    """Return the scope: the configured one, and what the profile needs."""
    option = options.get("scope")
    texts = [item for item in option if isinstance(item, str)] if isinstance(option, list) else []
    requested_scopes = [scope for text in texts for scope in text.split()]
    if preset.issuer is not None or not requested_scopes:
        current_scopes = [scope for scope in requested_scopes if not scope.startswith("r_")]
        return tuple(dict.fromkeys((*preset.scope, *current_scopes)))
    return tuple(requested_scopes)


def _callback(options: Mapping[str, object], api: str) -> str | None:
    """Return the configured page, ``None`` for one that is no URL."""
    url = _text(options, "callback") or _text(options, "callbackUrl")
    try:
        has_scheme = bool(urlsplit(url).scheme)
    except ValueError:
        return None
    # A stored URL without a scheme is a path of this server.
    return url if has_scheme else urljoin(f"{api}/", f"/{url.lstrip('/')}")


def _text(options: Mapping[str, object], name: str) -> str:
    value = options.get(name)
    return value if isinstance(value, str) else ""
