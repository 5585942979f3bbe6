"""Signed, expiring links to private files."""

import base64
import hashlib
import hmac
from datetime import timedelta
from urllib.parse import parse_qs, quote

import msgspec

from quire.clock import Clock
from quire.database.compile.compiler import ValueSerializers
from quire.schema.model import FILE_UID

_STEPS = 4
"""Links stay the same for a quarter of their lifetime, so that clients can cache files."""
_PURPOSE = b"links to uploads"
_EXPIRES, _SIGNATURE = "expires", "signature"


class SignedLinks:
    """Signs URLs of files, and checks them."""

    def __init__(self, secret: str, *, lifetime: timedelta, clock: Clock) -> None:
        """``secret`` is known to this project only."""
        self._key = hmac.digest(secret.encode(), _PURPOSE, "sha256")
        self._lifetime = int(lifetime.total_seconds() * 1000)
        self._clock = clock

    def sign(self, path: str) -> str:
        """Return a path with a signature that is valid for a while."""
        step = max(self._lifetime // _STEPS, 1)
        expires = (self._clock() // step + 1) * step + self._lifetime - step
        query = f"{_EXPIRES}={expires}&{_SIGNATURE}={self._signature(path, str(expires))}"
        return f"{quote(path)}?{query}"

    def opens(self, path: str, raw_query: bytes) -> bool:
        """Tell whether the signature in a query is valid for a path now."""
        query = parse_qs(raw_query.decode("latin-1"))
        expiry_and_signature = (query.get(_EXPIRES, [""])[0], query.get(_SIGNATURE, [""])[0])
        expires, signature = expiry_and_signature
        if not expires.isascii() or not expires.isdigit() or len(expires) > 16:
            return False
        expected = self._signature(path, expires)
        genuine = hmac.compare_digest(expected.encode(), signature.encode("latin-1", "replace"))
        return genuine and self._clock() < int(expires)

    def _signature(self, path: str, expires: str) -> str:
        digest = hmac.digest(self._key, f"{path}\n{expires}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def present_files(links: SignedLinks) -> ValueSerializers:
    """Return the presenters of file values if files are private: with fresh links."""

    def url(stored: object) -> object:
        return links.sign(stored) if isinstance(stored, str) else stored

    def formats(stored: object) -> object:
        if stored is None:
            return None
        decoded = msgspec.json.decode(stored) if isinstance(stored, msgspec.Raw) else stored
        if not isinstance(decoded, dict):
            return decoded
        return {
            name: {**format_, "url": url(format_.get("url"))}
            if isinstance(format_, dict)
            else format_
            for name, format_ in decoded.items()
        }

    return {(FILE_UID, "url"): url, (FILE_UID, "formats"): formats}
