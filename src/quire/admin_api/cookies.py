"""The cookie that keeps an administrator signed in: the refresh token, and a signature of it.

The token is signed by itself; the signature beside it is what the reference server demands of its
cookies, so that a session goes on there.
"""

import base64
import hashlib
import hmac
from email.utils import formatdate

from quire.auth.sessions import Tokens

NAME = "strapi_admin_refresh"
_SIGNATURE = f"{NAME}.sig"
_ENDED = "Thu, 01 Jan 1970 00:00:00 GMT"
_SIGNING = str.maketrans({"/": "_", "+": "-", "=": None})

Header = tuple[bytes, bytes]


class RefreshCookie:
    """Writes and reads the cookie; ``keys`` are the project's keys, ``secure`` says TLS only."""

    def __init__(self, keys: tuple[str, ...], *, secure: bool) -> None:
        self._key = keys[0].encode() if keys else None
        self._attributes = f"path=/admin; {'secure; ' if secure else ''}httponly; samesite=lax"

    def set(self, tokens: Tokens) -> tuple[Header, ...]:
        """Return the header fields that give a browser its refresh token."""
        ends = None if tokens.ends is None else formatdate(tokens.ends / 1000, usegmt=True)
        return self._written(tokens.refresh, ends)

    def clear(self) -> tuple[Header, ...]:
        """Return the header fields that take it away."""
        return self._written("", _ENDED)

    def read(self, header: bytes | None) -> str | None:
        """Return the refresh token among the cookies of a request."""
        for part in (header or b"").decode("latin-1").split(";"):
            name, _, value = part.strip().partition("=")
            if name == NAME:
                return value or None
        return None

    def _written(self, value: str, ends: str | None) -> tuple[Header, ...]:
        cookies = [(NAME, value)]
        if self._key is not None:
            cookies.append((_SIGNATURE, self._signature(self._key, value)))
        expires = "" if ends is None else f"expires={ends}; "
        return tuple(
            (b"set-cookie", f"{name}={text}; {expires}{self._attributes}".encode())
            for name, text in cookies
        )

    def _signature(self, key: bytes, value: str) -> str:
        digest = hmac.new(key, f"{NAME}={value}".encode(), hashlib.sha1).digest()
        return base64.b64encode(digest).decode().translate(_SIGNING)
