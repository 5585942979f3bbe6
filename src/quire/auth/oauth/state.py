"""The state between two requests of a sign-in: encrypted, in a cookie, for some minutes.

So any process can continue what another has begun. Nobody can read or change it without the
project's secret, and it is valid for one provider and one step only.
"""

import hmac
import secrets
from collections.abc import Mapping

import orjson
from msgspec import Struct

from quire.auth.token_encryption import decrypt_token, encrypt_token
from quire.clock import Clock

AT_PROVIDER, RETURNED = "begun", "done"
"""Steps: on the way to the provider, and back from there."""

_LIFETIMES_MS = {AT_PROVIDER: 600_000, RETURNED: 120_000}
_BYTES = 32


class SignInState(Struct, frozen=True, kw_only=True):
    """A running sign-in; ``verifier`` is that of PKCE."""

    state: str
    nonce: str
    verifier: str
    callback: str


def begin_sign_in(callback: str) -> SignInState:
    """Start a sign-in that ends on a page."""
    state, nonce, verifier = (secrets.token_urlsafe(_BYTES) for _ in range(3))
    return SignInState(state=state, nonce=nonce, verifier=verifier, callback=callback)


def is_same(one: str, other: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


class StateCipher:
    """Encrypts the state, and decrypts it."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._key = f"oauth {secret}"
        self._clock = clock

    def close(self, step: str, provider: str, values: Mapping[str, str]) -> str:
        """Return the encrypted state of a step of a sign-in."""
        until = self._clock() + _LIFETIMES_MS[step]
        sealed = {"step": step, "provider": provider, "until": until, "values": dict(values)}
        return encrypt_token(orjson.dumps(sealed).decode(), self._key)

    def open(self, text: str | None, step: str, provider: str) -> Mapping[str, str] | None:
        """Return the state of this step with this provider, ``None`` when it is invalid."""
        plain = None if text is None else decrypt_token(text, self._key)
        if plain is None:
            return None
        sealed = orjson.loads(plain)
        if (sealed["step"], sealed["provider"]) != (step, provider):
            return None
        values: Mapping[str, str] = sealed["values"]
        return values if sealed["until"] > self._clock() else None
