"""Which encodings a client accepts."""

import pytest

from quire.content_api.accept_encoding import GZIP, IDENTITY, accepts_encoding


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", {IDENTITY}),
        ("gzip, deflate, br", {GZIP, IDENTITY}),
        ("GZIP", {GZIP, IDENTITY}),
        ("br;q=1.0, gzip;q=0.8", {GZIP, IDENTITY}),
        ("gzip;q=0.001", {GZIP, IDENTITY}),
        ("gzip;q=0", {IDENTITY}),
        ("br, gzip ; q=0.000", {IDENTITY}),
        ("gzipped", {IDENTITY}),
        ("*", {GZIP, IDENTITY}),
        ("*;q=0", set()),
        ("gzip, *;q=0", {GZIP}),
        ("gzip, identity;q=0", {GZIP}),
        ("*;q=0, identity;q=0.5", {IDENTITY}),
        ("gzip;q=0, *", {IDENTITY}),
    ],
)
def test_named_encodings_and_all_others_have_weights(header: str, expected: set[bytes]) -> None:
    accepted = {one for one in (GZIP, IDENTITY) if accepts_encoding(header.encode(), one)}
    assert accepted == expected
