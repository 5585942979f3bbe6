"""API tokens and JWTs: stored hashes, signatures, verification."""

import base64
import hmac
import json
from datetime import timedelta

import pytest

from quire.auth.jwt_and_api_tokens import hash_api_token, issue_jwt, new_api_token, read_jwt

SECRET = "a secret"
ISSUED, EXPIRES = 1_700_000_000, 1_700_003_600
NOW = ISSUED * 1000
CLAIMS = {"id": 7, "iat": ISSUED, "exp": EXPIRES}
OF_ANOTHER_LIBRARY = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    ".eyJpZCI6NywiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDM2MDB9"
    ".Gq1zEY8THM8g4_3yIwt7-D1wzrOxbbrbasgArg78REc"
)
"""The same claims, signed with the same secret by jsonwebtoken for Node."""


def encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def signed(
    claims: object, *, secret: str = SECRET, algorithm: str = "HS256", digest: str = "sha256"
) -> str:
    """Sign claims by hand."""
    header = encoded(json.dumps({"alg": algorithm, "typ": "JWT"}).encode())
    content = header + b"." + encoded(json.dumps(claims).encode())
    signature = hmac.digest(secret.encode(), content, digest)
    return (content + b"." + encoded(signature)).decode()


def forged() -> str:
    """Replace the user of a token without a new signature."""
    header, _, signature = OF_ANOTHER_LIBRARY.split(".")
    claims = encoded(json.dumps(CLAIMS | {"id": 1}).encode()).decode()
    return f"{header}.{claims}.{signature}"


# API tokens --------------------------------------------------------------------------------------


def test_an_api_token_is_256_hexadecimal_digits_and_never_the_same() -> None:
    tokens = {new_api_token() for _ in range(10)}
    assert len(tokens) == 10
    assert {len(token) for token in tokens} == {256}
    assert set("".join(tokens)) <= set("0123456789abcdef")


def test_of_an_api_token_its_hmac_sha512_under_the_salt_is_stored() -> None:
    assert hash_api_token("0123abcd", "a-salt") == (
        "993fdeae7e9cf713e8cdb3c3f6667344df294c871dff41b38ccbb4b705fe4763"
        "d42b116894ed18d85a79b6d7c18a0d4256b3f0f0175892bd74342c81619e8c77"
    )
    assert hash_api_token("0123abcd", "another salt") != hash_api_token("0123abcd", "a-salt")


# JWTs --------------------------------------------------------------------------------------------


def test_a_jwt_says_who_it_is_for_when_it_was_issued_and_when_it_ends() -> None:
    token = issue_jwt(7, SECRET, timedelta(hours=1), NOW + 999)
    header, claims, _ = (base64.urlsafe_b64decode(part + "==") for part in token.split("."))
    assert json.loads(header) == {"alg": "HS256", "typ": "JWT"}
    assert json.loads(claims) == CLAIMS
    assert token == OF_ANOTHER_LIBRARY


@pytest.mark.parametrize("token", [OF_ANOTHER_LIBRARY, signed(CLAIMS)], ids=["theirs", "by hand"])
def test_a_jwt_that_others_signed_with_the_secret_is_sound(token: str) -> None:
    assert read_jwt(token, SECRET, NOW) == (7, EXPIRES)


def test_a_jwt_holds_until_the_second_in_which_it_ends() -> None:
    token = signed(CLAIMS)
    assert read_jwt(token, SECRET, EXPIRES * 1000 - 1) == (7, EXPIRES)
    assert read_jwt(token, SECRET, EXPIRES * 1000) is None


def test_a_jwt_does_not_hold_before_the_second_in_which_it_begins() -> None:
    token = signed(CLAIMS | {"nbf": ISSUED + 10})
    assert read_jwt(token, SECRET, (ISSUED + 10) * 1000 - 1) is None
    assert read_jwt(token, SECRET, (ISSUED + 10) * 1000) == (7, EXPIRES)


def test_a_secret_may_be_short() -> None:
    assert read_jwt(issue_jwt(7, "x", timedelta(hours=1), NOW), "x", NOW) == (7, EXPIRES)


@pytest.mark.parametrize(
    "token",
    [
        pytest.param(signed(CLAIMS, secret="another secret"), id="another secret"),
        pytest.param(signed(CLAIMS, algorithm="HS512", digest="sha512"), id="another algorithm"),
        pytest.param(signed(CLAIMS, algorithm="none"), id="no algorithm"),
        pytest.param(signed(CLAIMS).rpartition(".")[0] + ".", id="no signature"),
        pytest.param(signed(CLAIMS)[:-2], id="a signature cut short"),
        pytest.param(forged(), id="other claims under the same signature"),
        pytest.param(signed({"iat": ISSUED, "exp": EXPIRES}), id="nobody"),
        pytest.param(signed(CLAIMS | {"id": "7"}), id="a name in place of the number"),
        pytest.param(signed(CLAIMS | {"id": True}), id="a truth in place of the number"),
        pytest.param(signed(CLAIMS | {"id": None}), id="nothing in place of the number"),
        pytest.param(signed({"id": 7, "iat": ISSUED}), id="no end"),
        pytest.param(signed(CLAIMS | {"exp": str(EXPIRES)}), id="an end in words"),
        pytest.param(signed(CLAIMS | {"nbf": "now"}), id="a beginning in words"),
        pytest.param(signed([7]), id="a list"),
        pytest.param(signed(7), id="a number"),
        pytest.param("", id="nothing"),
        pytest.param("a.b", id="two parts"),
        pytest.param("é.é.é", id="no base64"),
        pytest.param("e30.e30.e30", id="an empty header"),
        pytest.param(f"{encoded(b'[' * 9000).decode()}.e30.e30", id="a deep header"),
        pytest.param(new_api_token(), id="an API token"),
    ],
)
def test_any_other_jwt_is_unsound(token: str) -> None:
    assert read_jwt(token, SECRET, NOW) is None
