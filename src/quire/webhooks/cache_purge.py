"""Requests that notify shared caches of changed content.

They are written to the outbox with the change, as events for webhooks are, and delivered like them.
"""

from collections.abc import Mapping
from typing import Protocol
from urllib.parse import quote

import msgspec
from msgspec import Struct

from quire.errors import ConfigurationError
from quire.settings import CdnSettings
from quire.webhooks.events import Event

PURGE_ID = 0
"""The value of purges in the column of webhook ids."""

_JSON = {"Content-Type": "application/json"}
_FASTLY = "https://api.fastly.com"
_CLOUDFLARE = "https://api.cloudflare.com/client/v4"


class PurgeCall(Struct, frozen=True, kw_only=True):
    """A request that purges tags of a cache."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes = b""


class Purge(Protocol):
    """Makes the purge request for tags."""

    def __call__(self, tags: list[str], /) -> PurgeCall:
        """Return the request that purges everything with any of these tags."""


def open_purge(settings: CdnSettings) -> Purge | None:
    """Return the function that makes purge requests, ``None`` without a cache.

    Raises ConfigurationError when a required setting is missing.
    """
    make = _TEMPLATES.get(settings.purge)
    if make is None:
        return None
    missing_settings = [
        name for name in _REQUIRED_SETTINGS[settings.purge] if getattr(settings, name) is None
    ]
    if missing_settings:
        names = " and ".join(f"cdn.{name}" for name in missing_settings)
        raise ConfigurationError(f'cdn.purge = "{settings.purge}" needs {names}.')
    return make(settings)


def purged_tags(event: Event) -> list[str]:
    """Return the tags of responses that an event may change: those of its type and its document."""
    return [event.uid, f"{event.uid}:{event.document_id}"]


def _generic(settings: CdnSettings) -> Purge:
    headers = {**_JSON, **_bearer(settings)}

    def call(tags: list[str]) -> PurgeCall:
        body = msgspec.json.encode({"tags": tags})
        return PurgeCall(method="POST", url=str(settings.purge_url), headers=headers, body=body)

    return call


def _varnish(settings: CdnSettings) -> Purge:
    def call(tags: list[str]) -> PurgeCall:
        headers = {"xkey-purge": " ".join(tags), **_bearer(settings)}
        return PurgeCall(method="PURGE", url=str(settings.purge_url), headers=headers)

    return call


def _fastly(settings: CdnSettings) -> Purge:
    address = (settings.purge_url or _FASTLY).rstrip("/")
    url = f"{address}/service/{quote(str(settings.purge_zone), safe='')}/purge"
    # A softly purged response may still be shown while it is fetched again
    # (stale-while-revalidate).
    headers = {**_JSON, "Fastly-Key": str(settings.purge_token), "fastly-soft-purge": "1"}

    def call(tags: list[str]) -> PurgeCall:
        body = msgspec.json.encode({"surrogate_keys": tags})
        return PurgeCall(method="POST", url=url, headers=headers, body=body)

    return call


def _cloudflare(settings: CdnSettings) -> Purge:
    address = (settings.purge_url or _CLOUDFLARE).rstrip("/")
    url = f"{address}/zones/{quote(str(settings.purge_zone), safe='')}/purge_cache"
    headers = {**_JSON, **_bearer(settings)}

    def call(tags: list[str]) -> PurgeCall:
        body = msgspec.json.encode({"tags": tags})
        return PurgeCall(method="POST", url=url, headers=headers, body=body)

    return call


def _bearer(settings: CdnSettings) -> dict[str, str]:
    token = settings.purge_token
    return {} if token is None else {"Authorization": f"Bearer {token}"}


_TEMPLATES = {
    "generic": _generic,
    "varnish": _varnish,
    "fastly": _fastly,
    "cloudflare": _cloudflare,
}
_REQUIRED_SETTINGS: Mapping[str, tuple[str, ...]] = {
    "generic": ("purge_url",),
    "varnish": ("purge_url",),
    "fastly": ("purge_zone", "purge_token"),
    "cloudflare": ("purge_zone", "purge_token"),
}
