"""A JWT counts while it is sound and its time has come and not run out."""

from datetime import timedelta

import jwt
import pytest

from quire.auth.tokens import issue_jwt, read_jwt

SECRET = "a secret of no importance, thirty-two"
NOW = 1_700_000_000_000
SECONDS = NOW // 1000
SOUND: dict[str, object] = {"id": 7, "iat": SECONDS, "exp": SECONDS + 60}


def signed(claims: dict[str, object], secret: str = SECRET, algorithm: str = "HS256") -> str:
    return jwt.encode(claims, secret, algorithm=algorithm)


def test_what_was_issued_is_read_until_it_expires() -> None:
    token = issue_jwt(7, SECRET, timedelta(seconds=60), NOW)
    assert read_jwt(token, SECRET, NOW) == (7, SECONDS + 60)
    assert read_jwt(token, SECRET, NOW + 59_999) == (7, SECONDS + 60)
    assert read_jwt(token, SECRET, NOW + 60_000) is None


@pytest.mark.parametrize(
    "claims",
    [
        {**SOUND, "iat": SECONDS + 1},
        {**SOUND, "nbf": SECONDS + 1},
        {**SOUND, "exp": SECONDS},
        {**SOUND, "exp": True},
        {**SOUND, "iat": "0"},
        {**SOUND, "id": True},
        {**SOUND, "id": "7"},
        {name: value for name, value in SOUND.items() if name != "exp"},
        {name: value for name, value in SOUND.items() if name != "iat"},
        {name: value for name, value in SOUND.items() if name != "id"},
    ],
)
def test_a_token_out_of_time_or_of_another_form_is_none(claims: dict[str, object]) -> None:
    assert read_jwt(signed(SOUND), SECRET, NOW) == (7, SECONDS + 60)
    assert read_jwt(signed(claims), SECRET, NOW) is None


def test_another_secret_algorithm_or_no_signature_is_none() -> None:
    assert read_jwt(signed(SOUND, "another secret of no importance, too"), SECRET, NOW) is None
    longer = SECRET + SECRET
    assert read_jwt(signed(SOUND, longer, "HS512"), longer, NOW) is None
    assert read_jwt(jwt.encode(SOUND, "", algorithm="none"), SECRET, NOW) is None
    assert read_jwt("a.b.c", SECRET, NOW) is None
