"""Reads request bodies, within limits.

Only POST, PUT and PATCH have one. JSON must be an object or an array; forms use the bracket syntax
of query strings; other types are ignored.
"""

import zlib
from collections.abc import Mapping

import orjson

from quire.content_api.http_messages import AsgiReceive
from quire.content_api.json_syntax_errors import find_problem
from quire.content_api.multipart import read_form
from quire.errors import (
    BadRequestError,
    BodySyntaxError,
    PayloadTooLargeError,
    UnsupportedEncodingError,
)
from quire.query.querystring import parse
from quire.settings import LimitSettings

METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})

_JSON_TYPES = frozenset(
    {
        "application/json",
        "application/vnd.api+json",
        "application/json-patch+json",
        "application/csp-report",
    }
)
_FORM_TYPE = "application/x-www-form-urlencoded"
_MULTIPART_TYPE = "multipart/form-data"
_BOM = b"\xef\xbb\xbf"
_JSON_SPACES = b" \t\n\r"
_MAX_DEPTH = 250
_LENGTH_DIGITS = 20
_WINDOW = {"gzip": 31, "deflate": 15}

FORBIDDEN_KEY = "Object contains forbidden prototype property"
NO_UTF8 = "the JSON is not encoded in UTF-8"


def is_form(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a body is a form that may contain files."""
    return _media_type(headers) == _MULTIPART_TYPE


def lacks_json_type(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a body was sent with another ``Content-Type`` than JSON, or without one."""
    is_sent = b"content-type" in headers or headers.get(b"content-length", b"0") != b"0"
    return is_sent and _media_type(headers) not in _JSON_TYPES


def _media_type(headers: Mapping[bytes, bytes]) -> str:
    return headers.get(b"content-type", b"").split(b";")[0].strip().lower().decode("latin-1")


async def read_body(
    headers: Mapping[bytes, bytes], receive: AsgiReceive, limits: LimitSettings
) -> object:
    """Read and parse the body of a request; ``None`` when there is none of a known type.

    Raises BodySyntaxError, PayloadTooLargeError, UnsupportedEncodingError or BadRequestError.
    """
    content_type = _media_type(headers)
    if content_type in _JSON_TYPES:
        return _parse_json(await _read_decoded(headers, receive, limits.json_body))
    if content_type == _FORM_TYPE:
        raw = await _read_decoded(headers, receive, limits.form_body)
        return parse(raw.decode(errors="replace"))
    if content_type == _MULTIPART_TYPE:
        return await read_form(headers[b"content-type"], receive, limits.json_body)
    if content_type.startswith("text/"):
        raw = await _read_decoded(headers, receive, limits.form_body)
        return raw.decode(errors="replace")
    await discard_body(receive)
    return None


async def discard_body(receive: AsgiReceive) -> None:
    """Read a body to its end and discard it."""
    while True:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body"):
            return


async def _read_decoded(headers: Mapping[bytes, bytes], receive: AsgiReceive, limit: int) -> bytes:
    encoding = headers.get(b"content-encoding", b"identity").strip().lower().decode("latin-1")
    if encoding not in {"identity", "", *_WINDOW}:
        message = f"Unsupported Content-Encoding: {encoding}"
        raise UnsupportedEncodingError(message)
    length = headers.get(b"content-length", b"").lstrip(b"0")
    # Python refuses to parse a number of thousands of digits; this many are enough to be too long.
    if length.isdigit() and (len(length) > _LENGTH_DIGITS or int(length) > limit):
        raise PayloadTooLargeError
    raw = await _collect(receive, limit)
    return _inflate(raw, _WINDOW[encoding], limit) if encoding in _WINDOW else raw


async def _collect(receive: AsgiReceive, limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            reason = "request aborted"
            raise BadRequestError(reason)
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise PayloadTooLargeError
        chunks.append(chunk)
        if not message.get("more_body"):
            return b"".join(chunks)


def _inflate(raw: bytes, window: int, limit: int) -> bytes:
    machine = zlib.decompressobj(window)
    try:
        text = machine.decompress(raw, limit + 1)
    except zlib.error:
        message = "the body cannot be decompressed"
        raise BadRequestError(message) from None
    if len(text) > limit:
        raise PayloadTooLargeError
    if not machine.eof:
        message = "the body cannot be decompressed"
        raise BadRequestError(message)
    return text


def _parse_json(raw: bytes) -> object:
    text = raw.removeprefix(_BOM)
    if not text:
        return None
    if not text.lstrip(_JSON_SPACES).startswith((b"{", b"[")):
        raise BodySyntaxError
    if _too_deep(text):
        message = "the JSON is nested too deeply"
        raise BodySyntaxError(message)
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        problem = find_problem(text.decode(errors="replace"))
        raise BodySyntaxError(problem or NO_UTF8) from None
    if b"__proto__" in text or b"\\u" in text:
        _refuse_prototype_keys(value)
    return value


def _too_deep(text: bytes) -> bool:
    """Measure nesting without parsing: brackets in strings only overestimate it."""
    if text.count(b"[") + text.count(b"{") <= _MAX_DEPTH:
        return False
    depth = 0
    in_string = is_escaped = False
    for byte in text:
        if in_string:
            in_string = is_escaped or byte != 0x22
            is_escaped = not is_escaped and byte == 0x5C
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


def _refuse_prototype_keys(value: object) -> None:
    pending_values = [value]
    while pending_values:
        pending_value = pending_values.pop()
        if isinstance(pending_value, dict):
            if "__proto__" in pending_value:
                raise BodySyntaxError(FORBIDDEN_KEY)
            pending_values.extend(pending_value.values())
        elif isinstance(pending_value, list):
            pending_values.extend(pending_value)
