"""Passwords: bcrypt hashes of Quire and of Strapi, and hashes that never match."""

import time

import pytest

from quire.auth.passwords import MAX_BYTES, hash_password, verify_password

OF_ANOTHER_LIBRARY = "$2a$04$vbMITiEHRwuCIPSMOu9NYOZ.SqmAV5OiQIAyfK37MVpj66PqPRzCm"
"""``Correct horse 1``, hashed by bcryptjs for Node, as is the next."""
LONG_OF_ANOTHER_LIBRARY = "$2a$04$Wq34dgv81CLP/Uspuqqi3.tqcayoO2P4oOdBBDiCyQQ1h./QHqET."
LONG = "é" * 36
"""72 bytes of UTF-8. What was hashed goes on with ``tail``, which bcrypt does not regard."""


@pytest.mark.usefixtures("full_rounds")
def test_a_password_is_hashed_as_the_format_does() -> None:
    first, second = hash_password("secret"), hash_password("secret")
    assert first.startswith("$2a$10$")
    assert len(first) == 60
    assert first != second


async def test_a_password_matches_its_hash_and_no_other_does() -> None:
    hashed = hash_password("secret")
    assert await verify_password("secret", hashed)
    assert not await verify_password("Secret", hashed)
    assert not await verify_password("", hashed)


async def test_hashes_of_other_libraries_are_understood() -> None:
    assert await verify_password("Correct horse 1", OF_ANOTHER_LIBRARY)
    assert not await verify_password("Correct horse 2", OF_ANOTHER_LIBRARY)
    as_2b = OF_ANOTHER_LIBRARY.replace("$2a$", "$2b$")
    assert await verify_password("Correct horse 1", as_2b)


async def test_of_a_long_password_72_bytes_count() -> None:
    assert len(LONG.encode()) == MAX_BYTES
    assert await verify_password(LONG, LONG_OF_ANOTHER_LIBRARY)
    assert await verify_password(f"{LONG}tail", LONG_OF_ANOTHER_LIBRARY)
    assert not await verify_password(f"x{LONG}", LONG_OF_ANOTHER_LIBRARY)


@pytest.mark.parametrize("hashed", ["", "secret", "$2a$10$short", "$1$abc$def"])
async def test_what_is_no_hash_matches_nothing(hashed: str) -> None:
    assert not await verify_password("secret", hashed)


@pytest.mark.usefixtures("full_rounds")
async def test_nobody_has_no_password_and_it_takes_as_long_to_say_so() -> None:
    hashed = hash_password("secret")
    started = time.perf_counter()
    assert not await verify_password("wrong", hashed)
    known = time.perf_counter() - started
    started = time.perf_counter()
    assert not await verify_password("wrong", None)
    unknown = time.perf_counter() - started
    # Both hash; without that, it would take a thousandth of the time.
    assert unknown > known / 10
