"""API tokens and JWTs: how they are made and how they are checked.

An API token is 128 random bytes in hexadecimal; only its HMAC-SHA512 under the project's salt is
stored. A JWT of an end user is ``{id, iat, exp}`` signed with HS256, and no other algorithm.
"""

import hashlib
import hmac
import secrets
from datetime import timedelta
from typing import TypeGuard

import jwt

_TOKEN_BYTES = 128
_UNTIMED: jwt.types.Options = {
    "require": ["exp", "iat"],
    "verify_aud": False,
    # Moments are compared with the time that is passed in, not with the library's own.
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}


def new_api_token() -> str:
    """Return a fresh API token: 256 hexadecimal digits."""
    return secrets.token_hex(_TOKEN_BYTES)


def hash_api_token(token: str, salt: str) -> str:
    """Return what is stored of an API token."""
    return hmac.new(salt.encode(), token.encode(), hashlib.sha512).hexdigest()


def issue_jwt(user_id: int, secret: str, lifetime: timedelta, now: int) -> str:
    """Sign a JWT for an end user; ``now`` is epoch milliseconds."""
    issued = now // 1000
    claims = {"id": user_id, "iat": issued, "exp": issued + int(lifetime.total_seconds())}
    return jwt.encode(claims, secret, algorithm="HS256")


def read_jwt(token: str, secret: str, now: int) -> tuple[int, int] | None:
    """Return ``(user id, expiry in epoch seconds)`` of a sound JWT, ``None`` for any other.

    ``now`` is epoch milliseconds: a JWT counts from when it was issued until it expires.
    """
    try:
        claims = jwt.decode(token, secret, algorithms=["HS256"], options=_UNTIMED)
    except jwt.PyJWTError:
        return None
    user_id, expiry = claims.get("id"), claims.get("exp")
    if not _is_whole(user_id) or not _is_whole(expiry) or expiry * 1000 <= now:
        return None
    begins = (claims["iat"], claims.get("nbf", claims["iat"]))
    if not all(_is_whole(begin) and begin * 1000 <= now for begin in begins):
        return None
    return user_id, expiry


def _is_whole(claim: object) -> TypeGuard[int]:
    return isinstance(claim, int) and not isinstance(claim, bool)
