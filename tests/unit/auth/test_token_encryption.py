"""Encryption of API tokens that can be shown again, and unreadable values."""

import pytest

from quire.auth.token_encryption import decrypt_token, encrypt_token

KEY = "an encryption key"
OF_ANOTHER_LIBRARY = (
    "v1:000102030405060708090a0b0c0d0e0f:24917a93d003e0d9:1694e62474a12a63a605e9d4a997b256"
)
"""``0123abcd``, encrypted by Node's own library: AES-256-GCM under the SHA-256 of the key."""


def test_a_token_is_read_again_with_the_key_it_was_encrypted_with() -> None:
    stored = encrypt_token("0123abcd", KEY)
    version, iv, content, tag = stored.split(":")
    assert (version, len(iv), len(content), len(tag)) == ("v1", 32, 16, 32)
    assert decrypt_token(stored, KEY) == "0123abcd"
    assert decrypt_token(stored, "another key") is None


def test_what_others_have_encrypted_is_read() -> None:
    assert decrypt_token(OF_ANOTHER_LIBRARY, KEY) == "0123abcd"


def test_a_token_is_never_encrypted_the_same_way_twice() -> None:
    assert encrypt_token("0123abcd", KEY) != encrypt_token("0123abcd", KEY)


@pytest.mark.parametrize(
    "stored",
    [
        pytest.param(OF_ANOTHER_LIBRARY.replace("24917a", "24917b"), id="another content"),
        pytest.param(OF_ANOTHER_LIBRARY.replace("000102", "000103"), id="another iv"),
        pytest.param(OF_ANOTHER_LIBRARY[:-1] + "7", id="another tag"),
        pytest.param(OF_ANOTHER_LIBRARY.replace("v1", "v2"), id="another version"),
        pytest.param(OF_ANOTHER_LIBRARY.rpartition(":")[0], id="no tag"),
        pytest.param(OF_ANOTHER_LIBRARY.replace("24917a", "no hex"), id="no hexadecimal digits"),
        pytest.param("v1:::", id="nothing in it"),
        pytest.param("", id="nothing"),
        pytest.param("0123abcd", id="a bare token"),
    ],
)
def test_what_was_changed_cannot_be_read(stored: str) -> None:
    assert decrypt_token(stored, KEY) is None
