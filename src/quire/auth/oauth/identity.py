"""Verifies ID tokens of OpenID Connect providers.

The signature, by one of the keys that the provider publishes and never by a shared secret, who
signed it and for whom, when it ends, and that it belongs to this sign-in: all of it has to be so.
"""

from collections.abc import Mapping

import jwt
import orjson

from quire.auth.oauth.errors import IdentityError
from quire.auth.oauth.state import is_same

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA")
_LEEWAY_S = 60


def read_id_token(
    token: str, keys: object, *, issuer: str, audience: str, nonce: str, now: int
) -> Mapping[str, object]:
    """Return the claims of an ID token; ``now`` is epoch milliseconds. Raises IdentityError."""
    claims = _signed(token, keys)
    audiences = claims.get("aud")
    listed = audiences if isinstance(audiences, list) else [audiences]
    if claims.get("iss") != issuer:
        raise IdentityError("somebody else issued it")
    if audience not in listed or (len(listed) > 1 and claims.get("azp") != audience):
        raise IdentityError("it is meant for somebody else")
    ends, begins = claims.get("exp"), claims.get("nbf", 0)
    if not isinstance(ends, int) or not isinstance(begins, int):
        raise IdentityError("it does not say when it holds")
    if not (begins - _LEEWAY_S) * 1000 <= now < (ends + _LEEWAY_S) * 1000:
        raise IdentityError("it does not hold now")
    found = claims.get("nonce")
    if not isinstance(found, str) or not is_same(found, nonce):
        raise IdentityError("it belongs to another sign-in")
    return claims


def _signed(token: str, keys: object) -> Mapping[str, object]:
    try:
        header = jwt.get_unverified_header(token)
        known = jwt.PyJWKSet.from_dict(keys if isinstance(keys, dict) else {})
    except (jwt.PyJWTError, KeyError, ValueError) as error:
        raise IdentityError("it, or the keys of its issuer, cannot be read") from error
    algorithm, key_id = header.get("alg"), header.get("kid")
    if algorithm not in ALGORITHMS:
        raise IdentityError("it is not signed with a key pair")
    fitting = [key for key in known.keys if key_id is None or key.key_id == key_id]
    for key in fitting:
        try:
            content = jwt.api_jws.decode(token, key, algorithms=[algorithm])
            claims = orjson.loads(content)
        except (jwt.PyJWTError, orjson.JSONDecodeError, TypeError, ValueError):
            continue
        if isinstance(claims, dict):
            return claims
    raise IdentityError("its issuer has not signed it")
