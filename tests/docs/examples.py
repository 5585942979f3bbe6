r"""Requests in the pages with their responses, and their comparison.

A block marked ``http run`` holds a request: method and target (which may go on in indented lines),
headers, an empty line, a body. One marked ``sh run`` holds one ``curl`` command. Both are sent to
the example blog, or with ``http run site`` to a new project without content types. The next block
is the response: ``json`` is the body, of the status that its ``error`` names or of 200; ``http`` is
a status line, the headers that matter and, where the body matters, an empty line and the body.

In a response ``…`` stands for what is left out: in an object any other members, in a list any
number of items, as a value anything, and inside quotes any text. Members come in the order of the
response. Words in capitals in a request, such as ``DOCUMENT_ID``, are filled in, and so is a text
of an answer that is nothing but such a word. One that is not known yet stands for whatever is
there, and from then on for that.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from tests.conformance.client import ClientResponse
from tests.conformance.corpus import JSON
from tests.docs.pages import Fence, fences

REST = "……"
"""Stands in parsed answers for members or items that are left out."""

ANYTHING = "………"
"""Stands in parsed answers for any value."""

_ELLIPSIS = "…"
_RUN = re.compile(r"(?P<form>http|sh) run(?: (?P<project>site))?")

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|…|[{}\[\]:,]|[^\s{}\[\]:,"…]+')
_WORD = re.compile(r"\b[A-Z][A-Z_]+\b")
_WHOLE_WORD = re.compile(r"[A-Z]+(_[A-Z]+)+")
_STATUS_LINE = re.compile(r"HTTP/1\.1 (\d{3})\b.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent."""

    method: str
    target: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""

    @property
    def content(self) -> bytes:
        """The body as it is sent: lines of forms end as those of headers do."""
        is_form = self.headers.get("Content-Type", "").startswith("multipart/")
        return (self.body.replace("\n", "\r\n") if is_form else self.body).encode()

    def filled(self, words: Mapping[str, str]) -> "Request":
        """The request with words in capitals replaced."""

        def fill(text: str) -> str:
            return _WORD.sub(lambda found: words.get(found[0], found[0]), text)

        headers = {name: fill(value) for name, value in self.headers.items()}
        return Request(
            method=self.method, target=fill(self.target), headers=headers, body=fill(self.body)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The expected response; ``body`` is a parsed pattern, ``text`` one that is not JSON."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: JSON = ANYTHING
    text: str | None = None

    def filled(self, words: Mapping[str, str]) -> "Expected":
        """The response with known words in capitals replaced."""
        headers = {name: words.get(value, value) for name, value in self.headers.items()}
        return replace(self, headers=headers, body=_fill(self.body, words))

    def values(self, response: ClientResponse) -> Iterator[tuple[str, str]]:
        """The words in capitals with what a response has in their places."""
        for name, pattern in self.headers.items():
            yield from _values(pattern, response.headers.get(name.lower()))
        yield from _values(self.body, response.json)

    def problems(self, response: ClientResponse) -> list[str]:
        """The differences of a response, as sentences."""
        found = []
        if response.status != self.status:
            found.append(f"status {response.status} instead of {self.status}")
        for name, pattern in self.headers.items():
            value = response.headers.get(name.lower())
            if value is None or not _text_fits(pattern, value):
                found.append(f"{name} is {value!r} instead of {pattern!r}")
        if self.text is not None and not _text_fits(self.text, response.content.decode()):
            found.append(f"the body is {response.content.decode()!r}")
        if self.text is None and not fits(self.body, response.json):
            found.append("the body is " + json.dumps(response.json, ensure_ascii=False, indent=2))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A request of a page with the response that is written below it."""

    page: str
    line: int
    project: str
    request: Request
    expected: Expected

    @property
    def place(self) -> str:
        """Where it is, as editors understand it."""
        return f"{self.page}:{self.line}"


def examples(page: Path) -> Iterator[Example]:
    """The examples of a page. Raises ValueError for a request without a legible answer."""
    blocks = fences(page)
    for block in blocks:
        marked = _RUN.fullmatch(block.info)
        if marked is None:
            continue
        read_request = _http_request if marked["form"] == "http" else _curl_request
        response = next(blocks, None)
        try:
            yield Example(
                page=block.page,
                line=block.line,
                project=marked["project"] or "blog",
                request=read_request(block.text),
                expected=_expected(response),
            )
        except ValueError as error:
            raise ValueError(f"{block.page}:{block.line}: {error}") from error


def _http_request(text: str) -> Request:
    head, _, body = text.partition("\n\n")
    first, *rest = re.sub(r"\n[ \t]+", "", head).splitlines()
    method, target = first.split(" ", 1)
    return Request(method=method, target=target, headers=_headers(rest), body=body)


def _curl_request(text: str) -> Request:
    """Understand ``curl -g [-H HEADER] URL``."""
    words = iter(shlex.split(text.replace("\\\n", " ")))
    if next(words, None) != "curl":
        raise ValueError("only curl can be run")
    lines, address = [], ""
    for word in words:
        if word == "-H":
            lines.append(next(words))
        elif word.startswith("http"):
            address = word
        elif word != "-g":
            raise ValueError(f"curl {word} is not understood")
    url = urlsplit(address)
    target = url.path + (f"?{url.query}" if url.query else "")
    return Request(method="GET", target=target, headers=_headers(lines))


def _headers(lines: list[str]) -> dict[str, str]:
    pairs = (line.partition(":") for line in lines)
    return {name.strip(): value.strip() for name, _, value in pairs}


def _expected(block: Fence | None) -> Expected:
    if block is None or block.info not in {"json", "http"}:
        raise ValueError("the next block is no answer")
    if block.info == "json":
        body = parse_pattern(block.text)
        return Expected(status=_status(body), body=body)
    head, gap, text = block.text.partition("\n\n")
    first, *rest = head.splitlines()
    status_line = _STATUS_LINE.fullmatch(first)
    if status_line is None:
        raise ValueError(f"{first!r} is no status line")
    status, headers = int(status_line[1]), _headers(rest)
    if text.startswith(("{", "[")):
        return Expected(status=status, headers=headers, body=parse_pattern(text))
    return Expected(status=status, headers=headers, text=text if gap else None)


def _status(body: JSON) -> int:
    """The status in the body of a response."""
    error = body.get("error") if isinstance(body, dict) else None
    status = error.get("status") if isinstance(error, dict) else None
    return status if isinstance(status, int) else 200


def parse_pattern(text: str) -> JSON:
    """Read JSON with ``…`` in it. Raises ValueError for what is neither."""
    tokens: list[str] = []
    brackets: list[str] = []
    for token in _TOKEN.findall(text):
        if token in "{[":
            brackets.append(token)
        elif token in "}]" and brackets:
            brackets.pop()
        if token != _ELLIPSIS:
            tokens.append(token)
        elif tokens and tokens[-1] == ":":
            tokens.append(f'"{ANYTHING}"')
        else:
            in_object = bool(brackets) and brackets[-1] == "{"
            tokens.append(f'"{REST}": 0' if in_object else f'"{REST}"')
    pattern: JSON = json.loads("".join(tokens))
    return pattern


def _fill(pattern: JSON, words: Mapping[str, str]) -> JSON:
    match pattern:
        case str():
            return words.get(pattern, pattern)
        case dict():
            return {name: _fill(inner, words) for name, inner in pattern.items()}
        case list():
            return [_fill(inner, words) for inner in pattern]
        case _:
            return pattern


def _values(pattern: JSON, value: JSON) -> Iterator[tuple[str, str]]:
    match pattern, value:
        case str(), str() if _WHOLE_WORD.fullmatch(pattern):
            yield pattern, value
        case dict(), dict():
            for name in pattern.keys() & value.keys():
                yield from _values(pattern[name], value[name])
        case list(), list():
            for inner, item in zip(pattern, value, strict=False):
                yield from _values(inner, item)
        case _:
            pass


def fits(pattern: JSON, value: JSON) -> bool:
    """Tell whether a value matches a pattern. True is not 1."""
    match pattern:
        case str():
            if pattern == ANYTHING:
                return True
            return isinstance(value, str) and _text_fits(pattern, value)
        case dict():
            return isinstance(value, dict) and _members_fit(pattern, value)
        case list():
            return isinstance(value, list) and _items_fit(pattern, value)
        case _:
            return type(pattern) is type(value) and bool(pattern == value)


def _text_fits(pattern: str, text: str) -> bool:
    if _WHOLE_WORD.fullmatch(pattern) is not None:
        return True
    parts = (re.escape(part) for part in pattern.split(_ELLIPSIS))
    return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None


def _members_fit(pattern: dict[str, JSON], value: dict[str, JSON]) -> bool:
    named = [name for name in pattern if name != REST]
    if [name for name in value if name in pattern] != named:
        return False
    if REST not in pattern and len(value) != len(named):
        return False
    return all(fits(pattern[name], value[name]) for name in named)


def _items_fit(pattern: list[JSON], value: list[JSON]) -> bool:
    if not pattern:
        return not value
    first, *rest = pattern
    if first == REST:
        return any(_items_fit(rest, value[skipped:]) for skipped in range(len(value) + 1))
    return bool(value) and fits(first, value[0]) and _items_fit(rest, value[1:])
