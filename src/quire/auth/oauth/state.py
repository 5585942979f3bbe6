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


def is_same(first: str, second: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(first.encode(), second.encode())


class StateCipher:
    """Encrypts the state, and decrypts it."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._key = f"oauth {secret}"
        self._clock = clock

    def encrypt(self, step: str, provider: str, values: Mapping[str, str]) -> str:
        """Return the encrypted state of a step of a sign-in."""
        expires_at = self._clock() + _LIFETIMES_MS[step]
        state = {"step": step, "provider": provider, "until": expires_at, "values": dict(values)}
        return encrypt_token(orjson.dumps(state).decode(), self._key)

    def decrypt(self, text: str | None, step: str, provider: str) -> Mapping[str, str] | None:
        """Return the state of this step with this provider, ``None`` when it is invalid."""
        decrypted_text = None if text is None else decrypt_token(text, self._key)
        if decrypted_text is None:
            return None
        state = orjson.loads(decrypted_text)
        if (state["step"], state["provider"]) != (step, provider):
            return None
        values: Mapping[str, str] = state["values"]
        return values if state["until"] > self._clock() else None
