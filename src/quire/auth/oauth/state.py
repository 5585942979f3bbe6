"""The state between two requests of a sign-in: encrypted, in a cookie, for some minutes.

So any process can go on with what another has begun. Nobody can read or change it without the
project's secret, and it is of use for one provider and one step only.
"""

import hmac
import secrets
from collections.abc import Mapping

import orjson
from msgspec import Struct

from quire.auth.encryption import decrypt_token, encrypt_token
from quire.clock import Clock

BEGUN, DONE = "begun", "done"
"""Steps: on the way to the provider, and back from there."""

_LIFETIMES_MS = {BEGUN: 600_000, DONE: 120_000}
_BYTES = 32


class SignInState(Struct, frozen=True, kw_only=True):
    """A sign-in that is under way; ``verifier`` proves that both ends of it are one (PKCE)."""

    state: str
    nonce: str
    verifier: str
    callback: str


def begin_sign_in(callback: str) -> SignInState:
    """Begin a sign-in that is to end on a page."""
    state, nonce, verifier = (secrets.token_urlsafe(_BYTES) for _ in range(3))
    return SignInState(state=state, nonce=nonce, verifier=verifier, callback=callback)


def is_same(one: str, other: str) -> bool:
    """Compare what must not be guessed, in the same time however alike it is."""
    return hmac.compare_digest(one.encode(), other.encode())


class StateCipher:
    """Seals what is kept, and opens it again."""

    def __init__(self, secret: str, clock: Clock) -> None:
        self._key = f"oauth {secret}"
        self._clock = clock

    def close(self, step: str, provider: str, values: Mapping[str, str]) -> str:
        """Return the text that is kept of a step of a sign-in."""
        until = self._clock() + _LIFETIMES_MS[step]
        sealed = {"step": step, "provider": provider, "until": until, "values": dict(values)}
        return encrypt_token(orjson.dumps(sealed).decode(), self._key)

    def open(self, text: str | None, step: str, provider: str) -> Mapping[str, str] | None:
        """Return what was kept of this step with this provider, ``None`` when it does not hold."""
        plain = None if text is None else decrypt_token(text, self._key)
        if plain is None:
            return None
        sealed = orjson.loads(plain)
        if (sealed["step"], sealed["provider"]) != (step, provider):
            return None
        values: Mapping[str, str] = sealed["values"]
        return values if sealed["until"] > self._clock() else None
