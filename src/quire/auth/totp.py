"""Time-based one-time passwords (RFC 6238), for authenticator apps.

Six digits, a new code every 30 seconds, HMAC-SHA1: supported by every app.
"""

import base64
import hashlib
import hmac
import secrets
import struct
from urllib.parse import quote

_STEP_MS = 30_000
_DIGITS = 6
_DRIFT = 1
"""How many steps a clock may be off."""
_SECRET_BYTES = 20


def new_secret() -> str:
    """Return a fresh secret, in base 32 as apps take it."""
    return base64.b32encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def code_at(secret: str, step: int) -> str:
    """Return the code of a step."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", step), hashlib.sha1).digest()
    start = digest[-1] & 0x0F
    number = int.from_bytes(digest[start : start + 4]) & 0x7FFF_FFFF
    return f"{number % 10**_DIGITS:0{_DIGITS}}"


def matching_step(secret: str, code: str, now: int, *, after: int) -> int | None:
    """Return the step of a code; ``now`` is epoch milliseconds.

    Steps up to ``after`` do not count: a code can be used once. ``None`` when none matches.
    """
    present = now // _STEP_MS
    found = None
    for step in range(present - _DRIFT, present + _DRIFT + 1):
        same = hmac.compare_digest(code_at(secret, step).encode(), code.encode())
        if same and step > after:
            found = step
    return found


def provisioning_uri(secret: str, account: str, issuer: str) -> str:
    """Return the URI from which an app reads a secret, usually as a QR code."""
    label = quote(f"{issuer}:{account}")
    return f"otpauth://totp/{label}?secret={secret}&issuer={quote(issuer)}"
