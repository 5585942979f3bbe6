"""Creates and verifies API tokens and JWTs.

An API token is 128 random bytes in hexadecimal; only its HMAC-SHA512 under the project's salt is
stored. A JWT of an end user is ``{id, iat, exp}`` signed with HS256, and no other algorithm.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import TypeGuard

import jwt
import orjson
from jwt.algorithms import HMACAlgorithm

_TOKEN_BYTES = 128
_ALGORITHM = "HS256"
_INT64_LIMIT = 2**63


class _ProjectSecret(HMACAlgorithm):
    """An HMAC key from the project's secret, of any length."""

    def check_key_length(self, key: bytes) -> str | None:  # noqa: ARG002 - asked of every key
        """Accept any length."""
        return None


_jws = jwt.PyJWS(algorithms=[_ALGORITHM])
_jws.unregister_algorithm(_ALGORITHM)
_jws.register_algorithm(_ALGORITHM, _ProjectSecret(HMACAlgorithm.SHA256))


def new_api_token() -> str:
    """Return a fresh API token: 256 hexadecimal digits."""
    return secrets.token_hex(_TOKEN_BYTES)


def hash_api_token(token: str, salt: str) -> str:
    """Return the stored hash of an API token."""
    return hmac.new(salt.encode(), token.encode(), hashlib.sha512).hexdigest()


def issue_jwt(user_id: int, secret: str, lifetime: timedelta, now: int) -> str:
    """Sign a JWT for an end user; ``now`` is epoch milliseconds."""
    issued_at = now // 1000
    claims = {"id": user_id, "iat": issued_at, "exp": issued_at + int(lifetime.total_seconds())}
    return _jws.encode(orjson.dumps(claims), secret, algorithm=_ALGORITHM)


def read_jwt(token: str, secret: str, now: int) -> tuple[int, int] | None:
    """Return ``(user id, expiry in epoch seconds)`` of a valid JWT, ``None`` for any other.

    Valid ones are signed with the secret, have a numeric user id and are not expired at ``now``
    (epoch milliseconds).
    """
    claims = read_claims(token, secret, now) or {}
    user_id, expiry = claims.get("id"), claims.get("exp")
    return (user_id, expiry) if _is_whole(user_id) and _is_whole(expiry) else None


def sign_claims(claims: Mapping[str, object], secret: str) -> str:
    """Sign any claims as a JWT."""
    return _jws.encode(orjson.dumps(claims), secret, algorithm=_ALGORITHM)


def read_claims(token: str, secret: str, now: int) -> Mapping[str, object] | None:
    """Return the claims of a JWT that is signed with the secret and valid at ``now``.

    ``now`` is epoch milliseconds; a JWT without an expiry is never valid.
    """
    try:
        claims = orjson.loads(_jws.decode(token, secret, algorithms=[_ALGORITHM]))
    except (jwt.PyJWTError, orjson.JSONDecodeError):
        return None
    if not isinstance(claims, dict):
        return None
    expiry, start = claims.get("exp"), claims.get("nbf", 0)
    if not (_is_whole(expiry) and _is_whole(start)):
        return None
    return claims if start * 1000 <= now < expiry * 1000 else None


def _is_whole(value: object) -> TypeGuard[int]:
    """Tell whether a claim is an integer in the range of the database."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _INT64_LIMIT
