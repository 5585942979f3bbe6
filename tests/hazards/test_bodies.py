"""Bodies are limited and valid, or rejected before anything is changed."""

import asyncio
import gzip
import zlib

import pytest

from tests.hazards.visitors import ANON, FULL, Visitor, error

pytestmark = pytest.mark.whatever_the_database("no body comes as far as a row here")

JSON = {"Content-Type": "application/json"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
TOO_DEEP = "the JSON is nested too deeply"
TOO_LARGE = (413, "PayloadTooLargeError", "request entity too large")
UNPACKED = b'{"data":"' + bytes(20_000_000) + b'"}'
GARBLED = (400, "BadRequestError", "the body cannot be decompressed")
NO_JSON = (400, "SyntaxError", "invalid JSON, only supports object and array")

REFUSED = {
    "deep lists": (b"[" * 50_000 + b"]" * 50_000, {}, (400, "SyntaxError", TOO_DEEP)),
    "deep objects": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, {}, (400, "SyntaxError", TOO_DEEP)),
    "deep and open": (b"[" * 50_000, {}, (400, "SyntaxError", TOO_DEEP)),
    "two megabytes": (b'{"a":"' + b"x" * 2_000_000 + b'"}', {}, TOO_LARGE),
    "a length of many digits": (b"{}", {"Content-Length": "9" * 5000}, TOO_LARGE),
    "a bomb": (gzip.compress(UNPACKED), {"Content-Encoding": "gzip"}, TOO_LARGE),
    "a deflated bomb": (zlib.compress(UNPACKED), {"Content-Encoding": "deflate"}, TOO_LARGE),
    "no gzip": (b"{}", {"Content-Encoding": "gzip"}, GARBLED),
    "half a gzip": (gzip.compress(b"{}")[:-9], {"Content-Encoding": "gzip"}, GARBLED),
    "an unknown encoding": (
        b"{}",
        {"Content-Encoding": "br"},
        (415, "Error", "Unsupported Content-Encoding: br"),
    ),
    "a number": (b"1", {}, NO_JSON),
    "UTF-16": ('{"a":"\u00e9"}'.encode("utf-16"), {}, NO_JSON),
    "the end is missing": (b'{"a":', {}, (400, "SyntaxError", "Unexpected end of JSON input")),
    "a large form": (b"a" * 60_000, FORM, TOO_LARGE),
    "prototypes": (
        b'{"__proto__":{}}',
        {},
        (400, "SyntaxError", "Object contains forbidden prototype property"),
    ),
}
INVALID_BODIES = {
    b'{"data": {': "Expected property name or '}' in JSON at position 10",
    b' \n{"data": {}, }': "Expected double-quoted property name in JSON at position 15",
    b'\xef\xbb\xbf{"data" 1}': "Expected ':' after property name in JSON at position 8",
    '{"data": "\U0001f600" 1}'.encode(): (
        "Expected ',' or '}' after property value in JSON at position 14"
    ),
    b'{"data": tru}': 'Unexpected token \'}\', "{"data": tru}" is not valid JSON',
    "[\U0001f600]".encode(): "Unexpected token '\ufffd', \"[\U0001f600]\" is not valid JSON",
    b"{}\x0b": "Unexpected non-whitespace character after JSON at position 2",
    b"[object Object]": '"[object Object]" is not valid JSON',
    b'{"a": 1e999}': "Number beyond the range of a double in JSON at position 6",
    b'{"a": "\\ud800"}': "Half of a surrogate pair in JSON at position 7",
    b'{"a": "\xe9"}': "the JSON is not encoded in UTF-8",
    b'{"a": "\xe9" 1}': "Expected ',' or '}' after property value in JSON at position 10",
    b" \n": "invalid JSON, only supports object and array",
    b"\x0c{}": "invalid JSON, only supports object and array",
}
NO_TEXT_AT_ALL = {
    "not a number": b'{"a":NaN}',
    "infinity": b'{"a":Infinity}',
    "beyond a double": b'{"a":1e999}',
    "many digits": b'{"a":' + b"9" * 5000 + b"}",
    "Latin-1": b'{"a":"\xe9"}',
    "half a character": b'{"a":"\\ud800"}',
    "a NUL in the text": b'{"a":"\0"}',
    "a comment": b'{"a":1}//',
    "a comma": b'{"a":1,}',
    "single quotes": b"{'a':1}",
    "two values": b"{}{}",
}


@pytest.mark.parametrize(("body", "headers", "expected"), REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("who", [ANON, FULL])
async def test_h117_hostile_bodies_are_refused(
    ask: Visitor,
    body: bytes,
    headers: dict[str, str],
    expected: tuple[int, str, str],
    who: str | None,
) -> None:
    """Depth, compressed and uncompressed size, and encoding are limited for all callers."""
    async with asyncio.timeout(30):
        response = await ask.send("POST", "/api/articles", who, {**JSON, **headers}, body)
    assert (response.status, error(response)["name"], error(response)["message"]) == expected


@pytest.mark.parametrize("body", NO_TEXT_AT_ALL.values(), ids=NO_TEXT_AT_ALL.keys())
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
async def test_h117_what_is_nearly_json_is_not_json(ask: Visitor, method: str, body: bytes) -> None:
    """Nothing is mended: what JSON has no form for is no JSON."""
    response = await ask.send(method, "/api/articles/x", FULL, JSON, body)
    assert (response.status, error(response)["name"]) == (400, "SyntaxError")


@pytest.mark.parametrize(("body", "message"), INVALID_BODIES.items())
async def test_h117_what_is_wrong_with_json_is_reported(
    ask: Visitor, body: bytes, message: str
) -> None:
    """The first error is named with its place, in the words that clients know from JavaScript."""
    response = await ask.send("POST", "/api/articles", ANON, JSON, body)
    assert error(response) == {"status": 400, "name": "SyntaxError", "message": message}


@pytest.mark.parametrize("length", ["-1", "1.5", "abc", "", "0x10"])
async def test_h117_a_length_that_is_none_is_no_error(ask: Visitor, length: str) -> None:
    """The length is a hint; what arrives is measured."""
    headers = {**JSON, "Content-Length": length}
    response = await ask.send("POST", "/api/articles", FULL, headers, b"1")
    assert response.status == 400
    big = await ask.send("POST", "/api/articles", FULL, headers, b"[" + b" " * 2_000_000 + b"]")
    assert big.status == 413
