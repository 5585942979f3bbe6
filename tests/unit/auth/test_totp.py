"""Time-based codes equal those of RFC 6238."""

import base64

import pytest

from quire.auth.admin.second_factor import code_at, matching_step, new_secret, provisioning_uri

SECRET = base64.b32encode(b"12345678901234567890").decode()
"""The secret of the test vectors in appendix B of the RFC."""


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    assert code_at(SECRET, seconds // 30) == code


def test_a_clock_may_be_half_a_minute_off_and_no_more() -> None:
    now = 59_000
    steps = [matching_step(SECRET, code_at(SECRET, step), now, after=-1) for step in range(4)]

    assert steps == [0, 1, 2, None]


def test_a_code_does_not_count_twice() -> None:
    assert matching_step(SECRET, code_at(SECRET, 1), 59_000, after=1) is None


@pytest.mark.parametrize(
    "code", ["", "28708", "2870821", "two thousand", "\uff12\uff18\uff17\uff10\uff18\uff12"]
)
def test_what_is_no_code_matches_nothing(code: str) -> None:
    assert matching_step(SECRET, code, 59_000, after=-1) is None


def test_secrets_differ_and_apps_can_read_them() -> None:
    assert new_secret() != new_secret()
    assert len(base64.b32decode(new_secret())) == 20
    uri = provisioning_uri(SECRET, "ada@example.org", "my blog")
    assert uri == f"otpauth://totp/my%20blog%3Aada%40example.org?secret={SECRET}&issuer=my%20blog"
